"""What DashScope's native wire refuses: cases 14, 16, 55 and 56."""

from __future__ import annotations

from typing import Any

from ...judges.cases import GONE
from . import Case
from .openai_chat import ASKED, TOOL, call, seen

BASE: dict[str, Any] = {
    "model": "qwen-plus",
    "input": {"messages": [
        {"role": "system", "content": "Be brief."}, ASKED,
        {"role": "assistant", "content": "", "tool_calls": [call("a"), call("b")]},
        seen("a"), seen("b"),
        {"role": "user", "content": [{"image": "https://example.com/a.png"}, {"text": "And?"}]},
    ]},
    "parameters": {"tools": [TOOL], "tool_choice": "auto", "result_format": "message"},
}  # fmt: skip
MSG = "input.messages"
CHOICE = "parameters.tool_choice"
LOOK = {"type": "function", "function": {"name": "look"}}
WAITING = {f"{MSG}[5]": GONE, f"{MSG}[4]": GONE, f"{MSG}[3]": GONE}
CALLING = f"{MSG}[2].tool_calls"

CASES = [
    Case("answered", f"{CALLING}[1]", {f"{MSG}[4]": ASKED}, "14"),
    Case("orphan", f"{MSG}[0]", {f"{MSG}[0]": seen("a")}, "14"),
    Case("twice", f"{MSG}[5]", {f"{MSG}[5]": seen("a")}, ""),
    Case("repeated_id answered", f"{CALLING}[1].id",
         {CALLING: [call("a"), call("a")], f"{MSG}[3]": ASKED, f"{MSG}[4]": ASKED}, "10"),
    Case("arguments", f"{CALLING}[0].function.arguments", {CALLING: [call("a", ""), call("b")]},
         "16"),
    Case("call_id", f"{CALLING}[0].id", {CALLING: [call(""), call("b")], f"{MSG}[3]": seen("")},
         "10"),
    Case("null_text", f"{MSG}[2].content[0]", {f"{MSG}[2].content": [{"text": None}]}, "55",
         {f"{MSG}[2].content": []}),
    Case("content", f"{MSG}[2].content", {f"{MSG}[2].content": None}, "55",
         {f"{MSG}[2].content": GONE}),
    Case("forced", CHOICE, {CHOICE: LOOK, "parameters.enable_thinking": True}, "56",
         {CHOICE: LOOK}),
    Case("choice", CHOICE, {CHOICE: "required"}, "56"),
    Case("choice_unknown", f"{CHOICE}.function.name",
         {CHOICE: {"type": "function", "function": {"name": "find"}}}, "22", {CHOICE: LOOK}),
    Case("choice_alone", CHOICE, {CHOICE: LOOK, "parameters.tools": GONE}, "22"),
    Case("tool_name", "parameters.tools[0].function.name",
         {"parameters.tools[0].function.name": "server/tool.v1"}, "18"),
    Case("tool_twice", "parameters.tools[1].function.name", {"parameters.tools": [TOOL, TOOL]}, ""),
    Case("no_calls", CALLING, {CALLING: [], f"{MSG}[3]": ASKED, f"{MSG}[4]": ASKED}, ""),
    Case("no_user", MSG, {"input.messages": [{"role": "system", "content": "Be."}]}, "13a"),
    Case("no_messages", MSG, {"input.messages": []}, "13a"),
    Case("role", f"{MSG}[1].role", {f"{MSG}[1].role": "developer"}, "35a"),
    Case("seat", f"{MSG}[0].content[0]",
         {f"{MSG}[0].content": [{"image": "https://example.com/a.png"}]}, ""),
]  # fmt: skip
