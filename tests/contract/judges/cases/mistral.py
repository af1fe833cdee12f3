"""Rows for Mistral's chat completions."""

from __future__ import annotations

from typing import Any

from . import CITY, GONE, JPEG, PDF, PNG, WAV, Row
from .openai_chat import ASK, CLOSED, NAMED, SAY, TEXT, TOOL, UNKNOWN, turn
from .openai_chat import call as named_call
from .openai_chat import result as named_result

FIRST, SECOND = "a1b2c3d4e", "f5g6h7i8j"
BRIEF = {"role": "system", "content": "Be brief."}
THOUGHT = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}], "closed": True}


def call(call_id: str = FIRST) -> Any:
    return named_call(call_id)


def result(call_id: str = FIRST) -> Any:
    return named_result(call_id)


def chunk(kind: str, value: Any) -> Any:
    return {"type": kind, kind: value}


def says(role: str, *chunks: Any) -> Any:
    return {"role": role, "content": list(chunks)}


PICTURE = chunk("image_url", f"data:image/png;base64,{PNG}")
SHEET = chunk("document_url", f"data:application/pdf;base64,{PDF}")
SOUND = chunk("input_audio", WAV)
ON_VERTEX = "/v1/projects/p/locations/r/publishers/mistralai/models/mistral-medium-3:rawPredict"
PLAIN: Any = {"model": "mistral-medium-latest", "messages": [ASK]}
CALLS: Any = {**PLAIN, "tools": [TOOL],
              "messages": [ASK, turn(call()), result(), SAY, ASK]}  # fmt: skip
TWO: Any = {**CALLS, "messages": [ASK, turn(call(), call(SECOND)), result(), result(SECOND)]}
MEDIA: Any = {**PLAIN, "messages": [says("user", TEXT, PICTURE, SHEET, SOUND)]}
THOUGHTFUL: Any = {**PLAIN, "messages": [ASK, says("assistant", THOUGHT, TEXT), ASK]}
M0, M1, M2, M3 = (f"messages[{index}]" for index in range(4))
HERE = "/v1/chat/completions"


def ids(text: Any) -> Any:
    return {f"{M1}.tool_calls[0].id": text, f"{M2}.tool_call_id": text}


def formats(**json_schema: Any) -> Any:
    return {"response_format": {"type": "json_schema", "json_schema": json_schema}}


def row(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("mistral", rule, base, bad, good or {}, **more)


ROWS = [
    # the SDK's types: every unknown key is a 422
    row("types.unknown_key", PLAIN, {f"{M0}.name": "Bob"}),
    row("types.unknown_key", CALLS, {f"{M3}.name": "Bob"}, {f"{M2}.name": "weather"}),
    row("types.unknown_key", CALLS, {f"{M3}.reasoning_content": "hm"},
        {M3: says("assistant", THOUGHT, TEXT)}),
    row("types.unknown_key", CALLS, {f"{M3}.refusal": None}, {f"{M3}.prefix": False}),
    row("types.unknown_key", PLAIN, {"max_completion_tokens": 9}, {"max_tokens": 9}),
    row("types.unknown_key", PLAIN, {"seed": 1}, {"random_seed": 1}),
    row("types.unknown_key", PLAIN, {"stream": True, "stream_options": {}}, {"stream": True}),
    row("types.unknown_key", PLAIN, {"store": False}, {"safe_prompt": False}),
    row("types.missing", CALLS, {"tools[0].function.parameters": GONE},
        {"tools[0].function.parameters": {"type": "object"}}),
    row("types.missing types.unknown_key", PLAIN,
        formats(name="city", schema_definition=CITY), formats(name="city", schema=CITY)),
    row("types.value", PLAIN, {f"{M0}.content": 21}, {f"{M0}.content": "21"}),
    row("types.kind mistral.last", PLAIN, {f"{M0}.role": "developer"}, whole=True),
    row("types.kind", MEDIA, {f"{M0}.content[1]": chunk("video_url", "https://example.com/a")}),
    # calls and results
    row("pairs.unanswered", TWO, {M3: GONE}),
    row("pairs.unanswered", CALLS, {M2: ASK}),
    row("pairs.orphan", CALLS, {M1: SAY}),
    row("pairs.orphan", PLAIN, {"messages": [result()]}, {"messages": [turn(call()), result()]}),
    row("pairs.twice", CALLS, {M3: result()}),
    row("pairs.repeated_id pairs.orphan", TWO, {f"{M1}.tool_calls[1].id": FIRST}),
    row("mistral.call_id", CALLS, ids("call_1"), ids("123456789")),
    row("mistral.call_id", CALLS, ids(FIRST + "0"), ids(FIRST)),
    row("mistral.call_id", CALLS, ids("a1b2-3d4e"), ids("AbCdEfGhI")),
    row("calls.arguments", CALLS, {f"{M1}.tool_calls[0].function.arguments": "{"},
        {f"{M1}.tool_calls[0].function.arguments": {"city": "Rome"}}),
    row("calls.none", CALLS, {f"{M3}.tool_calls": []}, {f"{M3}.tool_calls": None}),
    row("calls.role types.unknown_key", CALLS, {f"{M0}.tool_calls": [call()]}),
    row("tools.name", CALLS, {f"{M1}.tool_calls[0].function.name": "a b"}),
    row("tools.name", CALLS, {f"{M2}.name": "a.b"}, {f"{M2}.name": "a-b"}),
    # roles
    row("mistral.no_messages", PLAIN, {"messages": []}),
    row("mistral.no_messages types.missing", PLAIN, {"messages": GONE}, whole=True),
    row("mistral.last", PLAIN, {"messages": [ASK, SAY]},
        {"messages": [ASK, {**SAY, "prefix": True}]}, whole=True),
    row("mistral.last", CALLS, {"messages": [ASK, turn(call())]},
        {"messages": [ASK, turn(call()), result()]}, whole=True),
    row("mistral.last", PLAIN, {"messages": [ASK, BRIEF]}, {"messages": [BRIEF]}),
    row("mistral.prefix", CALLS, {f"{M3}.prefix": True}, {f"{M3}.prefix": False}),
    row("mistral.prefix", PLAIN,
        {"messages": [ASK, {**SAY, "prefix": True}, {**SAY, "prefix": True}]},
        {"messages": [ASK, SAY, {**SAY, "prefix": True}]}),
    row("mistral.order", PLAIN, {"messages": [ASK, SAY, BRIEF, ASK]},
        {"messages": [BRIEF, BRIEF, ASK, SAY, ASK]}),
    row("mistral.order", CALLS, {M3: BRIEF}, {M0: BRIEF}),
    # content
    row("mistral.says_nothing", CALLS, {f"{M3}.content": ""}, {f"{M3}.content": "."}),
    row("mistral.says_nothing", CALLS, {f"{M3}.content": None}, {f"{M1}.content": []}),
    row("mistral.empty_list", PLAIN, {f"{M0}.content": []}, {f"{M0}.content": [TEXT]}),
    row("mistral.empty_list", CALLS, {f"{M2}.content": []}, {f"{M2}.content": ""}),
    row("mistral.thinking", THOUGHTFUL, {f"{M1}.content": [THOUGHT, THOUGHT]},
        {f"{M1}.content": [THOUGHT, TEXT, TEXT]}),
    row("mistral.thinking", THOUGHTFUL, {f"{M1}.content": [TEXT, THOUGHT]},
        {f"{M1}.content": [THOUGHT]}),
    row("mistral.seat", THOUGHTFUL, {f"{M0}.content": [THOUGHT]}, {f"{M0}.content": [TEXT]}),
    row("mistral.seat", THOUGHTFUL, {f"{M1}.content": [PICTURE]}, {f"{M0}.content": [PICTURE]}),
    row("mistral.seat", CALLS, {f"{M2}.content": [THOUGHT]}, {f"{M2}.content": [PICTURE]}),
    row("mistral.image", MEDIA, {f"{M0}.content[1].image_url": PNG},
        {f"{M0}.content[1].image_url": {"url": "https://example.com/a.png"}}),
    row("mistral.image", MEDIA,
        {f"{M0}.content[1].image_url": {"url": f"data:image/png;base64,{JPEG}"}},
        {f"{M0}.content[1].image_url": {"url": f"data:image/jpeg;base64,{JPEG}"}}),
    row("mistral.document", MEDIA, {f"{M0}.content[2].document_url": PDF},
        {f"{M0}.content[2].document_url": "https://example.com/a.pdf"}),
    row("mistral.document", MEDIA, {f"{M0}.content[2].document_url": "file:///a.pdf"}),
    row("mistral.audio", MEDIA, {f"{M0}.content[3].input_audio": f"data:audio/wav;base64,{WAV}"},
        {f"{M0}.content[3].input_audio": "https://example.com/a.wav"}),
    row("mistral.audio", MEDIA, {f"{M0}.content[3].input_audio": ""}),
    # the whole request
    row("tools.none", PLAIN, {"tools": []}, {"tools": None}),
    row("tools.choice_alone", PLAIN, {"tool_choice": "auto"}),
    row("tools.choice_alone", PLAIN, {"parallel_tool_calls": True}),
    row("tools.choice_unknown", CALLS, {"tool_choice": UNKNOWN}, {"tool_choice": NAMED}),
    row("tools.twice", CALLS, {"tools": [TOOL, TOOL]}),
    row("tools.schema", CALLS, {"tools[0].function.parameters": {}}),
    row("tools.strict", CALLS, {"tools[0].function.strict": True},
        {"tools[0].function.strict": True, "tools[0].function.parameters": CLOSED}),
    row("tools.strict", PLAIN, formats(name="city", schema=CITY, strict=True),
        formats(name="city", schema=CLOSED, strict=True)),
    row("mistral.output", PLAIN, {"response_format": {"type": "json_schema"}},
        {"response_format": {"type": "json_object"}}),
    row("mistral.output", PLAIN, {"response_format": {"type": "json_schema", "json_schema": None}},
        {"response_format": {"type": "text"}}),
    row("mistral.range", PLAIN, {"temperature": 1.6}, {"temperature": 1.5}),
    row("mistral.range", PLAIN, {"top_p": 1.1}, {"top_p": 1}),
    row("mistral.prompt_mode", PLAIN, {"prompt_mode": "reasoning"}, {"prompt_mode": None}),
    row("mistral.prompt_mode", PLAIN,
        {"model": "magistral-medium-2509", "prompt_mode": "reasoning"},
        {"model": "magistral-medium-2509", "reasoning_effort": "high"}),
    row("mistral.effort", PLAIN, {"reasoning_effort": "low"}, {"reasoning_effort": "none"}),
    row("mistral.effort", PLAIN, {"model": "ministral-3b-latest", "reasoning_effort": "high"},
        {"model": "mistral-large-4-0", "reasoning_effort": "low"}),
    row("mistral.logprobs", PLAIN, {"model": "ministral-3b-latest", "logprobs": True},
        {"logprobs": True}),
    row("mistral.logprobs", PLAIN, {"model": "mistral-small-latest", "logprobs": True},
        {"model": "mistral-small-latest", "logprobs": False}),
    row("mistral.endpoint", PLAIN, {}, path="/v1/fim/completions", good_path=HERE),
    row("mistral.endpoint", PLAIN, {}, path="/v1/conversations", good_path=HERE),
    Row("vertex/mistral", "hosted.endpoint", PLAIN, {}, path=HERE, good_path=ON_VERTEX),
    Row("vertex/mistral", "hosted.stream", PLAIN, {"stream": True}, {"stream": False},
        path=ON_VERTEX),
    Row("vertex/mistral", "hosted.stream", PLAIN, {}, {"stream": True},
        path=ON_VERTEX.replace(":raw", ":streamRaw"),
        good_path=ON_VERTEX.replace(":raw", ":streamRaw")),
]  # fmt: skip
