"""Rows for the native DashScope wire."""

from __future__ import annotations

from typing import Any

from . import CITY, GONE, Row

ASK = {"role": "user", "content": "What is the weather in Rome?"}
SAY = {"role": "assistant", "content": "21 degrees."}
TOOL = {"type": "function", "function": {"name": "weather", "parameters": CITY}}
TEXT_PATH = "/api/v1/services/aigc/text-generation/generation"
MEDIA_PATH = "/api/v1/services/aigc/multimodal-generation/generation"


def call(call_id: str = "call_1", text: str = '{"city": "Rome"}') -> Any:
    function = {"name": "weather", "arguments": text}
    return {"id": call_id, "type": "function", "function": function}


def result(call_id: str = "call_1") -> Any:
    return {"role": "tool", "tool_call_id": call_id, "name": "weather", "content": "21"}


def turn(*calls: Any) -> Any:
    return {"role": "assistant", "content": "", "tool_calls": list(calls)}


def body(*messages: Any, model: str = "qwen-max", **parameters: Any) -> dict[str, Any]:
    given = {"result_format": "message", **parameters}
    return {"model": model, "input": {"messages": list(messages)}, "parameters": given}


PLAIN = body(ASK)
CALLS = body(ASK, turn(call()), result(), SAY, tools=[TOOL])
TWO = body(ASK, turn(call(), call("call_2")), result(), result("call_2"), tools=[TOOL])
PARTS = [{"image": "https://example.com/a.png", "min_pixels": 9}, {"text": "Look."}]
LOOK = body({"role": "user", "content": PARTS}, model="qwen-vl-max")

M0, M1, M2 = "input.messages[0]", "input.messages[1]", "input.messages[2]"
C0, CALLED = f"{M0}.content", f"{M1}.tool_calls[0]"
ARGUMENTS = f"{CALLED}.function.arguments"
GIVEN, DECLARED = "parameters", "parameters.tools[0].function"
NAMED = {"type": "function", "function": {"name": "weather"}}
UNKNOWN = {"type": "function", "function": {"name": "time"}}
MARK = {"cache_control": {"type": "ephemeral"}}
THINKS, CHOICE = f"{GIVEN}.enable_thinking", f"{GIVEN}.tool_choice"


def row(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("dashscope", rule, base, bad, good or {}, **more)


ROWS = [
    # calls and results
    row("pairs.unanswered", TWO, {"input.messages[3]": GONE}),
    row("pairs.unanswered pairs.orphan", CALLS, {M2: ASK, "input.messages[3]": result()}),
    row("pairs.orphan", CALLS, {M1: SAY}),
    row("pairs.twice", CALLS, {"input.messages[3]": result()}),
    row("pairs.repeated_id pairs.orphan", TWO, {f"{M1}.tool_calls[1].id": "call_1"}),
    row("calls.none", CALLS, {"input.messages[3].tool_calls": []}),
    row("calls.role dashscope.key", PLAIN, {f"{M0}.tool_calls": [call()]}),
    row("calls.arguments", CALLS, {ARGUMENTS: {"city": "Rome"}}, {ARGUMENTS: "{}"}),
    row("calls.arguments", CALLS, {ARGUMENTS: '"Rome"'}),
    # messages and parts
    row("dashscope.no_messages", PLAIN, {"input.messages": []}),
    row("dashscope.message dashscope.no_user", PLAIN, {M0: "Hello"}, whole=True),
    row("dashscope.no_user", PLAIN, {"input.messages": [SAY]}, {"input.messages": [SAY, ASK]},
        whole=True),
    row("dashscope.role dashscope.no_user", PLAIN, {f"{M0}.role": "developer"},
        whole=True),
    row("dashscope.key", PLAIN, {f"{M0}.name": "Bob"}),
    row("dashscope.key", CALLS, {f"{M2}.is_error": True}, {f"{M2}.name": GONE}),
    row("dashscope.value", CALLS, {f"{M1}.reasoning_content": None},
        {f"{M1}.reasoning_content": ""}),
    row("dashscope.value pairs.orphan pairs.unanswered", CALLS, {f"{M2}.tool_call_id": GONE}),
    row("dashscope.content", CALLS, {f"{M1}.content": None}, {f"{M1}.content": []}),
    row("dashscope.content", CALLS, {f"{M1}.content": GONE}, {f"{M1}.content": ""}),
    row("dashscope.empty_list", PLAIN, {C0: []}, {C0: [{"text": ""}]}),
    row("dashscope.null_text", CALLS, {f"{M1}.content": [{"text": None}]},
        {f"{M1}.content": [{"text": ""}]}, whole=True),
    row("dashscope.text", LOOK, {f"{C0}[1].text": None}, {f"{C0}[1].text": ""}),
    row("dashscope.text", CALLS, {f"{M1}.content": [{"text": None}, {"text": ""}]}),
    row("dashscope.part", LOOK, {f"{C0}[1]": {"image_url": "a"}}),
    row("dashscope.part", LOOK, {f"{C0}[0].text": "Look."}),
    row("dashscope.part", LOOK, {f"{C0}[0]": "Look."}),
    row("dashscope.part_key", LOOK, {f"{C0}[1].type": "text"}, {f"{C0}[1].cache_control": {}}),
    row("dashscope.part_key", LOOK, {f"{C0}[0].fps": 2},
        {f"{C0}[0]": {"video": "oss://a", "fps": 2}}),
    row("dashscope.media", LOOK, {f"{C0}[0].image": "a.png"},
        {f"{C0}[0].image": "data:image/png;base64,AAAA"}),
    row("dashscope.media", LOOK, {f"{C0}[0].image": ["https://example.com/a.png"]},
        {f"{C0}[0]": {"video": ["https://example.com/a.png"]}}),
    row("dashscope.content_form", PLAIN, {C0: [{"text": "Hi"}]}, {C0: [{"text": "Hi", **MARK}]},
        path=TEXT_PATH, whole=True),
    row("dashscope.content_form", LOOK, {C0: "Hi"}, path=MEDIA_PATH, whole=True),
    row("dashscope.call", CALLS, {f"{CALLED}.type": GONE}),
    row("dashscope.call", CALLS, {f"{CALLED}.function.index": 0}),
    row("dashscope.call", CALLS, {f"{CALLED}.id": "", f"{M2}.tool_call_id": ""}),
    row("tools.name", CALLS, {f"{CALLED}.function.name": "get weather"}),
    # the whole request
    row("dashscope.body", PLAIN, {"model": GONE}),
    row("dashscope.body", PLAIN, {"stream": True}),
    row("dashscope.input", PLAIN, {"input.prompt": "Hi"}),
    row("dashscope.endpoint", PLAIN, {}, path="/compatible-mode/v1/chat/completions",
        good_path=TEXT_PATH),
    row("dashscope.model_endpoint", LOOK, {"model": "qwen-max"}, path=MEDIA_PATH),
    row("dashscope.model_endpoint", PLAIN, {"model": "qwen-vl-max"}, path=TEXT_PATH),
    row("dashscope.parameter", PLAIN, {f"{GIVEN}.stream": True}, {f"{GIVEN}.seed": 1}),
    row("dashscope.result_format", PLAIN, {f"{GIVEN}.result_format": "text"}),
    row("dashscope.depth", PLAIN,
        {f"{GIVEN}.thinking_budget": 9, f"{GIVEN}.reasoning_effort": "high"},
        {f"{GIVEN}.thinking_budget": 9}),
    row("dashscope.snapshots", PLAIN, {THINKS: True, f"{GIVEN}.incremental_output": False},
        {THINKS: True, f"{GIVEN}.incremental_output": True}),
    row("dashscope.forced", CALLS, {THINKS: True, CHOICE: NAMED}, {THINKS: True, CHOICE: "auto"}),
    row("dashscope.choice", CALLS, {CHOICE: "required"}, {CHOICE: NAMED}),
    row("dashscope.json_word", PLAIN, {f"{GIVEN}.response_format": {"type": "json_object"}},
        {f"{GIVEN}.response_format": {"type": "json_object"}, C0: "Answer in JSON."}),
    row("dashscope.cache_marks", PLAIN, {C0: [{"text": "a", **MARK}] * 5},
        {C0: [{"text": "a", **MARK}] * 4}, whole=True),
    row("dashscope.tool", CALLS, {"parameters.tools[0].type": GONE}),
    row("dashscope.tool", CALLS, {f"{DECLARED}.strict": True}, {f"{DECLARED}.description": "W"}),
    row("tools.none", PLAIN, {f"{GIVEN}.tools": []}),
    row("tools.choice_alone", PLAIN, {CHOICE: "auto"}),
    row("tools.choice_unknown", CALLS, {CHOICE: UNKNOWN}),
    row("tools.schema", CALLS, {f"{DECLARED}.parameters": []}, {f"{DECLARED}.parameters": GONE}),
    row("tools.name", CALLS, {f"{DECLARED}.name": "\u5929\u6c14"}),
    row("tools.twice", CALLS, {f"{GIVEN}.tools": [TOOL, TOOL]}),
]  # fmt: skip
