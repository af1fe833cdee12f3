"""Rows for Interactions."""

from __future__ import annotations

from typing import Any

from . import CITY, GONE, PNG, Row

HERE = "/v1beta/interactions"
TEXT = {"type": "text", "text": "How warm is it?"}
ASK = {"type": "user_input", "content": [TEXT]}
SAY = {"type": "model_output", "content": [{"type": "text", "text": "21 degrees."}]}
THOUGHT = {"type": "thought", "signature": "c2ln"}
IMAGE = {"type": "image", "data": PNG, "mime_type": "image/png"}
TOOL = {"type": "function", "name": "weather", "description": "How warm.", "parameters": CITY}


def call(id: str = "call_1") -> Any:
    return {"type": "function_call", "id": id, "name": "weather", "arguments": {"city": "Oslo"}}


def result(id: str = "call_1") -> Any:
    return {"type": "function_result", "call_id": id, "name": "weather", "result": "21 degrees"}


PLAIN: Any = {"model": "gemini-3.8-flash", "input": [ASK]}
CALLS: Any = {**PLAIN, "tools": [TOOL], "input": [ASK, THOUGHT, call(), result(), SAY, ASK]}
TWO: Any = {**CALLS, "input": [ASK, THOUGHT, call(), call("call_2"), result(), result("call_2")]}
LOOK: Any = {**PLAIN, "input": [{"type": "user_input", "content": [TEXT, IMAGE]}]}
I0, I1, I2, I3, I4, I5 = (f"input[{index}]" for index in range(6))
CHOICE = "generation_config"
SCHEMA = "tools[0].parameters"


def row(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    named = (
        name if name.partition(".")[0] in ("types", "pairs", "tools")
        else f"gemini_interactions.{name}"
        for name in rule.split()
    )  # fmt: skip
    return Row("gemini-interactions", " ".join(named), base, bad, good or {}, **more)


def choice(value: Any) -> Any:
    return {CHOICE: {"tool_choice": value}}


def output(**more: Any) -> Any:
    return {"response_format": [{"type": "text", **more}]}


ROWS = [
    # the SDK's types
    row("types.unknown_key", PLAIN, {"temperature": 1}, {CHOICE: {"temperature": 1}}),
    row("types.unknown_key", CALLS, {f"{I2}.signature": "c2ln"}, {f"{I3}.is_error": True}),
    row("types.unknown_key", CALLS, {"tools[0].strict": True}, {"tools[0].defer_loading": True}),
    row("types.value", CALLS, {f"{I2}.arguments": "{}"}, {f"{I2}.arguments": {}}),
    row("types.missing", CALLS, {f"{I3}.result": GONE}, {f"{I3}.result": {"degrees": 21}}),
    row("types.missing", PLAIN, {f"{I0}.content[0].text": GONE}),
    row("types.kind", CALLS, {f"{I1}.type": "reasoning"}),
    row("types.unknown_key", PLAIN, {CHOICE: {"top_k": 1}}, {CHOICE: {"top_p": 0.5}}),
    # calls and results
    row("pairs.unanswered", CALLS, {I3: GONE}),
    row("pairs.unanswered", TWO, {I5: GONE}, {I4: result("call_2"), I5: result()}),
    row("pairs.orphan", CALLS, {I2: GONE}),
    row("pairs.orphan", PLAIN, {"input": [ASK, result()]}, {"input": [ASK, call(), result()]}),
    row("pairs.twice", CALLS, {I4: result()}),
    row("pairs.repeated_id pairs.twice", TWO, {f"{I3}.id": "call_1", f"{I5}.call_id": "call_1"}),
    # steps
    row("no_input", PLAIN, {"input": []}),
    row("no_input", PLAIN, {"input": GONE}, {"input": GONE, "continuation_token": "t"},
        whole=True),
    row("first", PLAIN, {I0: SAY}),
    row("first", CALLS, {I0: GONE}),
    row("unsigned", CALLS, {f"{I1}.signature": GONE}, {f"{I1}.summary": [TEXT]}),
    row("unsigned", CALLS, {f"{I1}.signature": ""}),
    row("tools.name", CALLS, {f"{I2}.name": "a b"}, {f"{I2}.name": "a-b"}),
    row("empty", PLAIN, {f"{I0}.content": []}),
    row("empty", CALLS, {f"{I4}.content": []}),
    row("blank", PLAIN, {f"{I0}.content[0].text": " "}),
    row("blank", CALLS, {f"{I3}.result": [{"type": "text", "text": ""}]},
        {f"{I3}.result": [TEXT, IMAGE]}),
    row("source", LOOK, {f"{I0}.content[1].uri": "gs://a/b.png"},
        {f"{I0}.content[1]": {"type": "image", "uri": "gs://a/b.png"}}),
    row("source", LOOK, {f"{I0}.content[1].data": GONE}),
    row("data", LOOK, {f"{I0}.content[1].data": "data:image/png;base64,AAAA"}),
    row("data", LOOK, {f"{I0}.content[1].data": ""}),
    row("mime", LOOK, {f"{I0}.content[1].mime_type": GONE},
        {f"{I0}.content[1].resolution": "low"}),
    row("mime", LOOK, {f"{I0}.content[1].mime_type": ""}),
    # the whole request
    row("types.missing asked", PLAIN, {"model": GONE}, {"model": GONE, "agent": "a"}),
    row("asked", PLAIN, {"model": ""}),
    row("level", PLAIN, {CHOICE: {"thinking_level": "none"}}, {CHOICE: {"thinking_level": "low"}}),
    row("level", PLAIN, {CHOICE: {"thinking_level": "max"}}),
    row("tier", PLAIN, {"service_tier": "default"}, {"service_tier": "standard"}),
    row("tier", PLAIN, {"service_tier": "auto"}),
    row("stores", PLAIN, {"tools": [{"type": "file_search"}]},
        {"tools": [{"type": "file_search", "file_search_store_names": ["a"]}]}),
    row("stores", PLAIN, {"tools": [{"type": "file_search", "file_search_store_names": []}]}),
    row("tools.twice", CALLS, {"tools": [TOOL, TOOL]}),
    row("tools.schema", CALLS, {SCHEMA: {"type": "array"}}),
    row("tools.choice_alone", PLAIN, choice("any")),
    row("tools.choice_unknown", CALLS,
        choice({"allowed_tools": {"mode": "any", "tools": ["x"]}}),
        choice({"allowed_tools": {"mode": "any", "tools": ["weather"]}})),
    row("mode", CALLS, choice("required"), choice("any")),
    row("mode", CALLS, choice({"allowed_tools": {"mode": "tool", "tools": ["weather"]}})),
    row("format", PLAIN, output(mime_type="text/plain", schema=CITY),
        output(mime_type="application/json", schema=CITY)),
    row("format", PLAIN, output(schema=CITY), output()),
    row("endpoint", PLAIN, {}, path="/v1beta/interaction", good_path=HERE),
    row("endpoint", PLAIN, {}, path="/interactions", good_path="/v1/interactions"),
]  # fmt: skip
