"""Rows for Ollama's native /api/chat wire."""

from __future__ import annotations

from typing import Any

from . import CITY, GONE, PNG, Row

ASK = {"role": "user", "content": "What is the weather in Rome?"}
SAY = {"role": "assistant", "content": "21 degrees."}
TOOL = {"type": "function", "function": {"name": "weather", "parameters": CITY}}


def call(name: str = "weather", **more: Any) -> Any:
    return {"function": {"name": name, "arguments": {"city": "Rome"}}, **more}


def result(name: str = "weather", **more: Any) -> Any:
    return {"role": "tool", "content": "21 degrees", "tool_name": name, **more}


def turn(*calls: Any) -> Any:
    return {"role": "assistant", "content": "", "tool_calls": list(calls)}


PLAIN = {"model": "qwen3", "messages": [ASK]}
CALLS = {"model": "qwen3", "tools": [TOOL], "messages": [ASK, turn(call()), result(), SAY]}
TWO = {"model": "qwen3", "messages": [ASK, turn(call(), call("time")), result(), result("time")]}
LOOK = {"model": "qwen3", "messages": [{**ASK, "images": [PNG]}]}
BY_ID = {"messages[1].tool_calls[0].id": "call_1", "messages[2].tool_call_id": "call_1"}

C0, CALLED, DECLARED = "messages[0].content", "messages[1].tool_calls[0]", "tools[0].function"
ARGUMENTS = f"{CALLED}.function.arguments"
IMAGES = "messages[0].images"


def row(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("ollama", rule, base, bad, good or {}, **more)


ROWS = [
    # calls and results
    row("pairs.unanswered", TWO, {"messages[3]": GONE}),
    row("pairs.unanswered", CALLS, {"messages[2]": SAY},
        {"messages[3]": GONE, "messages[2]": result()}),
    row("pairs.orphan pairs.unanswered", CALLS, {"messages[2]": SAY, "messages[3]": result()}),
    row("pairs.orphan", CALLS, {"messages[1]": SAY}),
    row("pairs.orphan", CALLS, {"messages[3]": result()}),
    row("pairs.orphan", CALLS, {"messages[2]": result("time")}),
    row("pairs.orphan", CALLS, {**BY_ID, "messages[2].tool_call_id": "call_2"}, BY_ID),
    row("calls.none", CALLS, {"messages[3].tool_calls": []}),
    row("calls.role ollama.key pairs.unanswered", CALLS, {"messages[0].tool_calls": [call()]}),
    # messages
    row("ollama.no_messages", PLAIN, {"messages": []}),
    row("ollama.message types.value", PLAIN, {"messages": ["Hello"]}),
    row("ollama.role", PLAIN, {"messages[0].role": "developer"}, {"messages[0].role": "system"}),
    row("ollama.key", PLAIN, {"messages[0].name": "Bob"}),
    row("ollama.key", CALLS, {"messages[2].is_error": True}, {"messages[2].tool_call_id": None}),
    row("ollama.content types.value", PLAIN, {C0: [{"type": "text", "text": "Hi"}]}, {C0: "Hi"}),
    row("ollama.content", PLAIN, {C0: None}, {C0: None, IMAGES: [PNG]}),
    row("ollama.content", LOOK, {C0: GONE}, {C0: ""}),
    row("ollama.content", CALLS, {"messages[2].content": GONE}, {"messages[1].content": GONE}),
    row("ollama.content", CALLS, {"messages[2].content": None}, {"messages[1].content": None}),
    row("ollama.thinking", CALLS, {"messages[1].thinking": None}, {"messages[1].thinking": ""}),
    row("ollama.key", PLAIN, {"messages[0].thinking": "hm"}),
    row("ollama.tool_name", CALLS, {"messages[2].tool_name": GONE}),
    row("ollama.images", LOOK, {f"{IMAGES}[0]": f"data:image/png;base64,{PNG}"}),
    row("ollama.images", LOOK, {f"{IMAGES}[0]": "https://example.com/a.png"}),
    row("ollama.images", LOOK, {IMAGES: []}, {IMAGES: [PNG, PNG]}),
    row("ollama.arguments types.value", CALLS, {ARGUMENTS: '{"city": "Rome"}'}, {ARGUMENTS: {}}),
    row("ollama.call", CALLS, {f"{CALLED}.index": 0}, {f"{CALLED}.function.index": 0}),
    row("ollama.call pairs.orphan", CALLS, {f"{CALLED}.function.name": ""}),
    # the whole request
    row("ollama.model", PLAIN, {"model": ""}),
    row("ollama.body", PLAIN, {"tool_choice": "auto"}, {"think": False}),
    row("ollama.body", PLAIN, {"max_tokens": 9}, {"options": {"num_predict": 9}}),
    row("ollama.option", PLAIN, {"options": {"max_tokens": 9}}, {"options": {"num_ctx": 9}}),
    row("ollama.think", PLAIN, {"think": "minimal"}, {"think": "max"}),
    row("ollama.format", PLAIN, {"format": "xml"}, {"format": "json"}),
    row("ollama.format", PLAIN, {"format": [CITY]}, {"format": CITY}),
    row("ollama.value", PLAIN, {"stream": "no"}, {"stream": False}),
    row("ollama.value", PLAIN, {"top_logprobs": 21}, {"top_logprobs": 20}),
    row("ollama.endpoint", PLAIN, {}, path="/api/generate", good_path="/api/chat"),
    row("ollama.tool", CALLS, {"tools[0].name": "weather"}),
    row("ollama.tool", CALLS, {f"{DECLARED}.strict": True}, {f"{DECLARED}.description": "W"}),
    row("tools.none", PLAIN, {"tools": []}),
    row("tools.name", CALLS, {f"{DECLARED}.name": ""}),
    row("tools.twice", CALLS, {"tools": [TOOL, TOOL]}),
    row("tools.schema types.value", CALLS, {f"{DECLARED}.parameters.properties": []},
        {f"{DECLARED}.parameters.properties": {}}),
]  # fmt: skip
