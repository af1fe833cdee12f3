"""Rows for OpenAI Chat Completions."""

from __future__ import annotations

from typing import Any

from . import CITY, GONE, JPEG, PDF, PNG, WAV, Row

ASK = {"role": "user", "content": "What is the weather in Rome?"}
SAY = {"role": "assistant", "content": "21 degrees."}
TOOL = {"type": "function", "function": {"name": "weather", "parameters": CITY}}


def call(call_id: str = "call_1", name: str = "weather", text: str = '{"city": "Rome"}') -> Any:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def result(call_id: str = "call_1") -> Any:
    return {"role": "tool", "tool_call_id": call_id, "content": "21 degrees"}


def turn(*calls: Any) -> Any:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def user(*parts: Any) -> Any:
    return {"role": "user", "content": list(parts)}


PLAIN = {"model": "gpt-5.4", "messages": [ASK]}
CALLS = {"model": "gpt-5.4", "tools": [TOOL], "messages": [ASK, turn(call()), result(), SAY]}
BOTH = turn(call(), call("call_2"))
TWO = {**CALLS, "messages": [ASK, BOTH, result(), result("call_2"), SAY]}
IMAGE = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
AUDIO = {"type": "input_audio", "input_audio": {"data": WAV, "format": "wav"}}
FILE = {"file_data": f"data:application/pdf;base64,{PDF}", "filename": "a.pdf"}
MEDIA = {**PLAIN, "messages": [user(IMAGE, AUDIO, {"type": "file", "file": FILE})]}
TEXT = {"type": "text", "text": "Look."}
CLOSED = {**CITY, "additionalProperties": False}
OUTPUT = {"type": "json_schema", "json_schema": {"name": "city", "schema": CLOSED, "strict": True}}

M0, ID = "messages[0].content", "messages[1].tool_calls[0].id"
ARGUMENTS = "messages[1].tool_calls[0].function.arguments"
CALLED = "messages[1].tool_calls[0].function.name"
URL, SOUND = "messages[0].content[0].image_url.url", "messages[0].content[1].input_audio"
SENT, DECLARED = "messages[0].content[2].file", "tools[0].function"
SCHEMA = f"{DECLARED}.parameters"
NAMED = {"type": "function", "function": {"name": "weather"}}
UNKNOWN = {"type": "function", "function": {"name": "time"}}
HERE = "/v1/chat/completions"


def ids(text: str) -> Any:
    return {ID: text, "messages[2].tool_call_id": text}


def row(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("openai-chat", rule, base, bad, good or {}, **more)


ROWS = [
    # plain JSON
    row("json.number", PLAIN, {"temperature": float("nan")}, {"temperature": 0.5}),
    row("json.number", PLAIN, {"temperature": float("inf")}, {"temperature": 1}),
    row("json.surrogate", PLAIN, {M0: "ok \udcb0"}, {M0: "ok \U0001f4b0"}),
    row("json.surrogate", PLAIN, {"metadata": {"\ud83d": "a"}}, {"metadata": {"\u3042": "a"}}),
    row("json.key", PLAIN, {"metadata": {1: "a"}}, {"metadata": {"1": "a"}}),
    row("json.value", PLAIN, {M0: b"bytes"}, {M0: "bytes"}),
    row("json.value", PLAIN, {"messages": (ASK,)}, {"messages": [ASK]}),
    # the SDK's types
    row("types.unknown_key", PLAIN, {"messages[0].cache": True}, {"messages[0].name": "Ann"}),
    row("types.unknown_key", PLAIN, {"extra_body": {}}, {"user": "ann"}),
    row("types.missing", PLAIN, {"model": GONE}),
    row("types.missing", PLAIN, {"messages[0].content": GONE}),
    row("types.value", PLAIN, {M0: 21}, {M0: "21"}),
    row("types.value", PLAIN, {"stream": "yes"}, {"stream": True}),
    row("types.value", CALLS, {"messages[2].content": None}, {"messages[2].content": ""}),
    row("types.kind", PLAIN, {"messages[0].role": "human"}, {"messages[0].role": "developer"}),
    row("types.kind", PLAIN, {M0: [{"type": "video_url"}]}, {M0: [TEXT]}),
    row("types.kind", CALLS, {"messages[2].content": [IMAGE]}, {"messages[2].content": [TEXT]}),
    row("types.kind", CALLS, {"messages[3].content": [IMAGE]}, {"messages[3].content": [TEXT]}),
    row("types.value", MEDIA, {f"{SOUND}.format": "ogg"}, {f"{SOUND}.format": "mp3"}),
    row("types.value calls.arguments", CALLS, {ARGUMENTS: {"city": "Rome"}}),
    # calls and results
    row("pairs.unanswered", TWO, {"messages[3]": GONE}),
    row("pairs.unanswered pairs.orphan", CALLS, {"messages[2]": ASK, "messages[3]": result()}),
    row("pairs.unanswered", CALLS, {"messages": [ASK, turn(call()), ASK]},
        {"messages": [ASK, turn(call())]}),
    row("pairs.unanswered", TWO, {"messages[4]": GONE, "messages[3]": GONE},
        {"messages[4]": GONE, "messages[2]": result("call_2"), "messages[3]": result()}),
    row("pairs.orphan", CALLS, {"messages[1]": SAY}),
    row("pairs.orphan", PLAIN, {"messages": [result(), ASK]}, {"messages": [SAY, ASK]}),
    row("pairs.twice", CALLS, {"messages[3]": result()}),
    row("pairs.repeated_id pairs.orphan", TWO, {"messages[1].tool_calls[1].id": "call_1"}),
    row("calls.none", CALLS, {"messages[3].tool_calls": []}),
    row("calls.role types.unknown_key", PLAIN, {"messages[0].tool_calls": [call()]}),
    row("calls.arguments", CALLS, {ARGUMENTS: '{"city": "Ro'}, {ARGUMENTS: "{}"}),
    row("calls.arguments", CALLS, {ARGUMENTS: '["Rome"]'}, {ARGUMENTS: '{"a": ["Rome"]}'}),
    row("calls.arguments", CALLS, {ARGUMENTS: '{"a": NaN}'}, {ARGUMENTS: '{"a": null}'}),
    row("calls.arguments", CALLS, {ARGUMENTS: ""}, {ARGUMENTS: " {}"}),
    # messages
    row("chat.no_messages", PLAIN, {"messages": []}),
    row("chat.empty_list", PLAIN, {M0: []}, {M0: ""}),
    row("chat.says_nothing", CALLS, {"messages[3].content": None}, {"messages[3].content": ""}),
    row("chat.says_nothing", CALLS, {"messages[3].content": GONE},
        {"messages[3].content": GONE, "messages[3].refusal": "No."}),
    row("chat.speaker", PLAIN, {"messages[0].name": "Dr. Bob"}, {"messages[0].name": "Dr.Bob"}),
    row("chat.speaker", PLAIN, {"messages[0].name": "a/b"}, {"messages[0].name": "\u5c0f\u660e"}),
    row("chat.speaker", PLAIN, {"messages[0].name": "n" * 65}, {"messages[0].name": "n" * 64}),
    row("chat.long_id", CALLS, ids("i" * 41), ids("i" * 40)),
    row("chat.call_id", CALLS, ids(""), ids("functions.weather:0")),
    row("tools.name", CALLS, {CALLED: "get weather"}, {CALLED: "get_weather"}),
    row("chat.image", MEDIA, {URL: PNG}, {URL: "https://example.com/a.png"}),
    row("chat.image", MEDIA, {URL: "file:///a.png"}, {URL: f"data:image/jpeg;base64,{JPEG}"}),
    row("chat.image", MEDIA, {URL: f"data:image/jpg;base64,{JPEG}"},
        {URL: f"data:image/jpeg;base64,{JPEG}"}),
    row("chat.image", MEDIA, {URL: f"data:image/png;base64,{JPEG}"},
        {URL: "data:image/png;base64,AAAA"}),
    row("chat.image", MEDIA, {URL: "data:image/png;base64,?"}),
    row("chat.audio", MEDIA, {f"{SOUND}.data": f"data:audio/wav;base64,{WAV}"},
        {f"{SOUND}.data": WAV}),
    row("chat.file", MEDIA, {f"{SENT}.file_id": "file-1"}, {SENT: {"file_id": "file-1"}}),
    row("chat.file", MEDIA, {SENT: {"filename": "a.pdf"}}),
    row("chat.file_data", MEDIA, {f"{SENT}.file_data": PDF}),
    row("chat.file_data", MEDIA, {f"{SENT}.file_data": "https://example.com/a.pdf"}),
    # the whole request
    row("tools.none", PLAIN, {"tools": []}, {"tools": [TOOL]}),
    row("tools.choice_alone", PLAIN, {"tool_choice": "auto"}),
    row("tools.choice_alone", PLAIN, {"parallel_tool_calls": False}),
    row("tools.choice_unknown", CALLS, {"tool_choice": UNKNOWN}, {"tool_choice": NAMED}),
    row("tools.name", CALLS, {f"{DECLARED}.name": "n" * 65}, {f"{DECLARED}.name": "n" * 64}),
    row("tools.name", CALLS, {f"{DECLARED}.name": "a.b"}, {f"{DECLARED}.name": "a-b"}),
    row("tools.twice", CALLS, {"tools": [TOOL, TOOL]}, {"tools": [TOOL]}),
    row("tools.schema", CALLS, {SCHEMA: {}}, {SCHEMA: {"type": "object"}}),
    row("tools.schema", CALLS, {f"{SCHEMA}.properties": []}, {f"{SCHEMA}.properties": {}}),
    row("tools.schema", CALLS, {f"{SCHEMA}.required": "city"}, {f"{SCHEMA}.required": []}),
    row("tools.strict", CALLS, {f"{DECLARED}.strict": True}, {f"{DECLARED}.strict": False}),
    row("tools.strict", CALLS, {f"{DECLARED}.strict": True, SCHEMA: {**CLOSED, "required": []}},
        {f"{DECLARED}.strict": True, SCHEMA: CLOSED}),
    row("tools.strict", PLAIN,
        {"response_format": OUTPUT, "response_format.json_schema.schema": CITY},
        {"response_format": OUTPUT}),
    row("chat.output_name", PLAIN,
        {"response_format": OUTPUT, "response_format.json_schema.name": "a b"},
        {"response_format": OUTPUT}),
    row("chat.two_limits", PLAIN, {"max_tokens": 9, "max_completion_tokens": 9}, {"max_tokens": 9}),
    row("chat.stream_options", PLAIN, {"stream_options": {"include_usage": True}},
        {"stream_options": {"include_usage": True}, "stream": True}),
    row("chat.stop", PLAIN, {"stop": list("abcde")}, {"stop": list("abcd")}),
    row("chat.endpoint", PLAIN, {}, path="/v1/responses", good_path=HERE),
]  # fmt: skip
