"""Rows for Cohere's chat, version 2."""

from __future__ import annotations

from typing import Any

from . import CITY, GONE, JPEG, PNG, Row
from .openai_chat import ASK, IMAGE, SAY, TEXT, TOOL, call, result, user

THOUGHT = {"type": "thinking", "thinking": "hm"}
SHEET = {"type": "document", "document": {"data": {"degrees": "21"}}}
CITED = {
    "start": 0, "end": 2, "text": "21", "type": "TEXT_CONTENT",
    "sources": [{"type": "tool", "id": "call_1:0", "tool_output": {"content": "21 degrees"}}],
}  # fmt: skip


def turn(*calls: Any) -> Any:
    return {"role": "assistant", "tool_plan": "I look.", "tool_calls": list(calls)}


PLAIN: Any = {"model": "command-a-03-2025", "messages": [ASK]}
CALLS: Any = {**PLAIN, "tools": [TOOL], "messages": [ASK, turn(call()), result(), SAY, ASK]}
TWO: Any = {**CALLS, "messages": [ASK, turn(call(), call("call_2")), result(), result("call_2")]}
LOOK: Any = {**PLAIN, "messages": [user(TEXT, IMAGE)]}
M0, M1, M2, M3 = (f"messages[{index}]" for index in range(4))
URL = f"{M0}.content[1].image_url.url"
SCHEMA = "tools[0].function.parameters"
FREE = {"type": "object", "properties": {"city": {"type": "string"}}}
WIDE = {"type": "object", "properties": {f"a{n}": {} for n in range(201)}, "required": ["a1"]}
HERE = "/v2/chat"


def row(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("cohere", rule, base, bad, good or {}, **more)


def output(**more: Any) -> Any:
    return {"response_format": {"type": "json_object", **more}}


ROWS = [
    # the SDK's types
    row("types.value", PLAIN, {f"{M0}.content": 21}, {f"{M0}.content": "21"}),
    row("types.value", CALLS, {SCHEMA: GONE}, {SCHEMA: FREE}),
    row("types.value", CALLS, {f"{M2}.tool_call_id": 7, f"{M1}.tool_calls[0].id": 7}),
    # calls and results
    row("pairs.unanswered", TWO, {M3: GONE}),
    row("pairs.unanswered", CALLS, {M2: ASK}),
    row("pairs.orphan", CALLS, {M1: SAY}),
    row("pairs.orphan", PLAIN, {"messages": [result()]}, {"messages": [turn(call()), result()]}),
    row("pairs.twice", CALLS, {M3: result()}),
    row("pairs.repeated_id pairs.orphan", TWO, {f"{M1}.tool_calls[1].id": "call_1"}),
    row("calls.arguments", CALLS, {f"{M1}.tool_calls[0].function.arguments": "{"},
        {f"{M1}.tool_calls[0].function.arguments": "{}"}),
    row("cohere.call", CALLS, {f"{M1}.tool_calls[0].index": 0}),
    row("cohere.call", CALLS, {f"{M1}.tool_calls[0].function.strict": True}),
    row("tools.name", CALLS, {f"{M1}.tool_calls[0].function.name": "get-weather"},
        {f"{M1}.tool_calls[0].function.name": "get_weather"}),
    row("tools.name", CALLS, {"tools[0].function.name": "2nd"}, {"tools[0].function.name": "_2nd"}),
    # messages
    row("cohere.no_messages", PLAIN, {"messages": []}),
    row("cohere.no_messages", PLAIN, {"messages": GONE}, whole=True),
    row("cohere.role types.value", PLAIN, {f"{M0}.role": "developer"}, {f"{M0}.role": "system"}),
    row("cohere.role types.value", CALLS, {f"{M3}.role": "model"}),
    row("cohere.key", PLAIN, {f"{M0}.name": "Bob"}),
    row("cohere.key", CALLS, {f"{M3}.reasoning_content": "hm"}, {f"{M3}.tool_plan": None}),
    row("cohere.key", CALLS, {f"{M2}.name": "weather"}, {f"{M3}.citations": [CITED]}),
    row("cohere.empty", PLAIN, {f"{M0}.content": ""}, {f"{M0}.content": " "}),
    row("cohere.empty", CALLS, {f"{M3}.content": []}, {f"{M1}.content": []}),
    row("cohere.item types.value", LOOK, {f"{M0}.content": [SHEET]}, {f"{M0}.content": [TEXT]}),
    row("cohere.item", CALLS, {f"{M3}.content": [{**THOUGHT, "signature": "s"}]},
        {f"{M3}.content": [THOUGHT, TEXT]}),
    row("cohere.item", CALLS, {f"{M2}.content": [{**TEXT, "cache_control": {}}]},
        {f"{M2}.content": [TEXT, SHEET]}),
    row("cohere.image", LOOK, {URL: PNG}, {URL: "https://example.com/a.png"}),
    row("cohere.image", LOOK, {URL: f"data:image/png;base64,{JPEG}"},
        {URL: f"data:image/jpeg;base64,{JPEG}"}),
    # the whole request
    row("cohere.model", PLAIN, {"model": GONE}),
    row("cohere.model", PLAIN, {"model": ""}),
    row("cohere.body", PLAIN, {"top_p": 0.5}, {"p": 0.5}),
    row("cohere.body", PLAIN, {"stop": ["a"]}, {"stop_sequences": ["a"]}),
    row("cohere.range", PLAIN, {"temperature": 1.1}, {"temperature": 1}),
    row("cohere.range", PLAIN, {"p": 1}, {"p": 0.99}),
    row("cohere.range", PLAIN, {"frequency_penalty": -0.1}, {"frequency_penalty": 0.1}),
    row("cohere.stops", PLAIN, {"stop_sequences": [*"abcdef"]}, {"stop_sequences": [*"abcde"]}),
    row("cohere.stops", CALLS, {"stop_sequences": [*"abcdefg"]}, {"stop_sequences": []}),
    row("cohere.penalties", PLAIN, {"frequency_penalty": 0.1, "presence_penalty": 0.1},
        {"presence_penalty": 0.1}),
    row("cohere.penalties", PLAIN, {"frequency_penalty": 0, "presence_penalty": 1},
        {"frequency_penalty": 0}),
    row("cohere.tool", CALLS, {"tools[0].function.strict": True}, {"strict_tools": True}),
    row("cohere.tool", CALLS, {"tools[0].cache_control": {}}),
    row("tools.twice", CALLS, {"tools": [TOOL, TOOL]}),
    row("tools.twice", TWO, {"tools": [TOOL, TOOL]}, {"tools": []}),
    row("tools.schema", CALLS, {SCHEMA: {}}, {SCHEMA: FREE}),
    row("tools.schema", CALLS, {SCHEMA: {"type": "array"}}),
    row("tools.choice_alone", PLAIN, {"tool_choice": "REQUIRED"}),
    row("tools.choice_alone", PLAIN, {"tool_choice": "NONE"}),
    row("cohere.choice", CALLS, {"tool_choice": "auto"}, {"tool_choice": "REQUIRED"}),
    row("cohere.choice", CALLS, {"tool_choice": {"type": "function"}}, {"tool_choice": "NONE"}),
    row("cohere.strict", CALLS, {"strict_tools": True, SCHEMA: FREE}, {"strict_tools": True}),
    row("cohere.strict", CALLS, {"strict_tools": True, SCHEMA: WIDE}, {SCHEMA: WIDE}),
    row("cohere.format", PLAIN, {"response_format": {"type": "json_schema"}}, output()),
    row("cohere.format", PLAIN, output(name="city", json_schema=CITY), output(json_schema=CITY)),
    row("cohere.format_beside", CALLS, output(), {"response_format": {"type": "text"}}),
    row("cohere.format_beside", PLAIN, {**output(), "documents": ["a"]},
        {**output(), "documents": []}),
    row("cohere.schema", PLAIN, output(json_schema={"type": "array"}), output(json_schema=CITY)),
    row("cohere.schema", PLAIN, output(json_schema=FREE)),
    row("cohere.thinking", PLAIN, {"thinking": {"type": "adaptive"}},
        {"thinking": {"type": "enabled"}}),
    row("cohere.thinking", PLAIN, {"thinking": {"type": "enabled", "token_budget": 0}},
        {"thinking": {"type": "enabled", "token_budget": 1}}),
    row("cohere.endpoint", PLAIN, {}, path="/v1/chat", good_path=HERE),
    row("cohere.endpoint", PLAIN, {}, path="/v2/generate", good_path="/chat"),
]  # fmt: skip
