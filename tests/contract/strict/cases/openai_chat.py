"""What OpenAI's Chat Completions and its copies refuse: cases 14 to 40."""

from __future__ import annotations

from typing import Any

from ...judges.cases import GONE
from . import Case

ASKED = {"role": "user", "content": "Hi."}


def call(id: str, arguments: Any = "{}") -> dict[str, Any]:
    function = {"name": "look", "arguments": arguments}
    return {"id": id, "type": "function", "function": function}


def seen(id: str, content: Any = "seen") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": content}


IMAGE = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
BASE: dict[str, Any] = {
    "model": "gpt-4.1",
    "messages": [
        {"role": "developer", "content": "Be brief."},
        ASKED,
        {"role": "assistant", "content": None, "tool_calls": [call("a"), call("b")]},
        seen("b"),
        seen("a"),
        {"role": "user", "name": "Bob", "content": [{"type": "text", "text": "And?"}, IMAGE]},
    ],
    "tools": [TOOL],
    "tool_choice": "auto",
}
MSG = "messages"
WAITING = {f"{MSG}[5]": GONE, f"{MSG}[4]": GONE, f"{MSG}[3]": GONE}
# DeepSeek: the prompt is the system's, no image, thinking goes back
DEEP = {
    f"{MSG}[0].role": "system", f"{MSG}[5].content": "And?",
    f"{MSG}[2].reasoning_content": "", "model": "deepseek-v4-pro",
}  # fmt: skip
OPEN = {key: value for key, value in DEEP.items() if "reasoning" not in key}
DEEPLY: dict[str, Any] = {"model": "deepseek-v4-pro", "host": "deepseek"}

CASES = [
    Case("answered", "messages[2].tool_calls[0]", {f"{MSG}[4]": ASKED}, "14"),
    Case("answered orphan", "messages[2].tool_calls[0]",
         {f"{MSG}[4]": ASKED, f"{MSG}[5]": seen("a")}, "14 12"),
    Case("orphan", "messages[0]", {f"{MSG}[0]": seen("a")}, "14 91"),
    Case("twice", "messages[5]", {f"{MSG}[5]": seen("a")}, "14"),
    Case("repeated_id answered", "messages[2].tool_calls[1].id",
         {f"{MSG}[2].tool_calls": [call("a"), call("a")], f"{MSG}[3]": ASKED, f"{MSG}[4]": ASKED},
         "10", {f"{MSG}[2].tool_calls": [call("a")], f"{MSG}[3]": seen("a"), f"{MSG}[4]": ASKED}),
    Case("arguments", "messages[2].tool_calls[0].function.arguments",
         {f"{MSG}[2].tool_calls[0]": call("a", "")}, "16"),
    Case("arguments", "messages[2].tool_calls[0].function.arguments",
         {f"{MSG}[2].tool_calls[0]": call("a", {"a": 1})}, "66"),
    Case("tool_name", "tools[0].function.name", {"tools[0].function.name": "server/tool.v1"}, "18"),
    Case("tool_name", "messages[2].tool_calls[1].function.name",
         {f"{MSG}[2].tool_calls[1].function.name": "n" * 65}, "18",
         {f"{MSG}[2].tool_calls[1].function.name": "n" * 64}),
    Case("speaker", "messages[5].name", {f"{MSG}[5].name": "User Onboarding Agent"}, "20",
         {f"{MSG}[5].name": "小明"}),
    Case("empty_list", "messages[2].content", {f"{MSG}[2].content": []}, "21"),
    Case("no_tools choice_alone", "tools", {"tools": [], "tool_choice": "required"}, "22",
         {"tools": GONE, "tool_choice": GONE}),
    Case("choice_alone", "tool_choice", {"tools": GONE}, "22"),
    Case("choice_unknown", "tool_choice.function.name",
         {"tool_choice": {"type": "function", "function": {"name": "find"}}}, "22",
         {"tool_choice": {"type": "function", "function": {"name": "look"}}}),
    Case("choice_unknown", "tool_choice.allowed_tools.tools[0].function.name",
         {"tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [
             {"type": "function", "function": {"name": "find"}}]}}}, ""),
    Case("tool_twice", "tools[1].function.name", {"tools": [TOOL, TOOL]}, ""),
    Case("call_id", "messages[4].tool_call_id",
         {f"{MSG}[2].tool_calls[0]": call("c" * 41), f"{MSG}[4]": seen("c" * 41)}, "23",
         {f"{MSG}[2].tool_calls[0]": call("c" * 40), f"{MSG}[4]": seen("c" * 40)}),
    Case("call_id", "messages[2].tool_calls[0].id",
         {f"{MSG}[2].tool_calls[0]": call(""), f"{MSG}[4]": seen("")}, "10"),
    Case("seat", "messages[3].content[0]", {f"{MSG}[3].content": [IMAGE]}, "25",
         {f"{MSG}[3].content": [{"type": "text", "text": "seen"}]}),
    Case("seat", "messages[5].content[1]", {f"{MSG}[5].role": "assistant"}, ""),
    Case("says_nothing", "messages[2]", {f"{MSG}[2].tool_calls": GONE, f"{MSG}[3]": ASKED,
         f"{MSG}[4]": ASKED}, "", {f"{MSG}[2]": ASKED, f"{MSG}[3]": ASKED, f"{MSG}[4]": ASKED}),
    Case("no_calls", "messages[2].tool_calls",
         {f"{MSG}[2]": {"role": "assistant", "content": "x", "tool_calls": []}, f"{MSG}[3]": ASKED,
          f"{MSG}[4]": ASKED}, ""),
    Case("caller answered", "messages[5].tool_calls", {f"{MSG}[5].tool_calls": [call("c")]}, ""),
    Case("role", "messages[1].role", {f"{MSG}[1].role": "model"}, ""),
    Case("no_messages", "messages", {"messages": []}, ""),
    Case("developer", "messages[0].role", DEEP | {f"{MSG}[0].role": "developer"}, "35a", DEEP,
         **DEEPLY),
    Case("result_text", "messages[3].content",
         DEEP | {f"{MSG}[3].content": [{"type": "text", "text": "20"}]}, "21", DEEP, **DEEPLY),
    Case("reasoning_back", "messages[2]", OPEN, "36", DEEP, **DEEPLY),
    Case("reasoning_back", "messages[2]", DEEP | {f"{MSG}[2].reasoning_content": None}, "37",
         OPEN | {"thinking": {"type": "disabled"}}, **DEEPLY),
    Case("forced", "tool_choice", DEEP | {"tool_choice": "required"}, "40", DEEP, **DEEPLY),
    Case("system_first", "messages[1]", {f"{MSG}[1].role": "system"}, "34", model="Qwen/Qwen3.5-9B",
         host="vllm"),
    Case("host_part", "messages[5].content[1]",
         DEEP | {f"{MSG}[5].content": [{"type": "text", "text": "x"}, IMAGE]}, "", DEEP,
         model="deepseek-v4-flash", host="deepseek"),
    Case("json_word", "response_format", {"response_format": {"type": "json_object"}}, "",
         {"response_format": {"type": "json_object"}, f"{MSG}[1].content": "As JSON."},
         host="openai"),
]  # fmt: skip
