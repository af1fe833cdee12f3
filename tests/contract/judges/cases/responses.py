"""Rows for OpenAI Responses."""

from __future__ import annotations

from typing import Any

from . import CITY, GONE, JPEG, PDF, PNG, Row
from .openai_chat import CLOSED

ASK = {"role": "user", "content": "What is the weather in Rome?"}
SAY = {"role": "assistant", "content": "21 degrees."}
SAID: Any = {"type": "message", "role": "assistant", "content": [
    {"type": "output_text", "text": "21 degrees."}]}  # fmt: skip
TOOL = {"type": "function", "name": "weather", "parameters": CITY, "strict": False}
CUSTOM = {"type": "custom", "name": "run"}
TEXT = {"type": "input_text", "text": "Look."}
IMAGE = {"type": "input_image", "detail": "auto", "image_url": f"data:image/png;base64,{PNG}"}
FILE = {"type": "input_file", "filename": "a.pdf",
        "file_data": f"data:application/pdf;base64,{PDF}"}  # fmt: skip
SEALED: Any = {"type": "reasoning", "summary": [], "encrypted_content": "gAAAA"}
STORED: Any = {"type": "reasoning", "summary": [], "id": "rs_1"}


def call(call_id: str = "call_1", **more: Any) -> Any:
    said = {"name": "weather", "arguments": '{"city": "Rome"}'}
    return {"type": "function_call", "call_id": call_id, **said, **more}


def output(call_id: str | None = "call_1", **more: Any) -> Any:
    return {"type": "function_call_output", "call_id": call_id, "output": "21 degrees", **more}


def user(*parts: Any) -> Any:
    return {"role": "user", "content": list(parts)}


PLAIN: Any = {"model": "gpt-5.6", "input": [ASK]}
CALLS: Any = {**PLAIN, "tools": [TOOL], "input": [ASK, call(), output(), SAY]}
TWO: Any = {**CALLS, "input": [ASK, call(), call("call_2"), output(), output("call_2"), SAY]}
THOUGHT: Any = {**CALLS, "input": [ASK, STORED, call(id="fc_1"), output(), SAID]}
MEDIA: Any = {**PLAIN, "input": [user(TEXT, IMAGE, FILE)]}
EARLIER = {"previous_response_id": "resp_1"}
LONG = "i" * 65
FORMAT = {"type": "json_schema", "name": "city", "schema": CLOSED, "strict": True}
I0, I1, I2 = "input[0]", "input[1]", "input[2]"
PICTURE, SHEET = f"{I0}.content[1]", f"{I0}.content[2]"
HERE = "/v1/responses"


def ids(text: str) -> Any:
    return {f"{I1}.call_id": text, f"{I2}.call_id": text}


def chooses(kind: str, **more: Any) -> Any:
    return {"tool_choice": {"type": kind, **more}}


def allows(*names: str) -> Any:
    tools = [{"type": "function", "name": name} for name in names]
    return chooses("allowed_tools", mode="auto", tools=tools)


def formats(**changes: Any) -> Any:
    return {"text": {"format": {**FORMAT, **changes}}}


def row(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("openai-responses", rule, base, bad, good or {}, **more)


ITEMS = [
    # the SDK's types
    row("types.unknown_key", PLAIN, {f"{I0}.name": "Bob"}, {f"{I0}.type": "message"}),
    row("types.unknown_key", PLAIN, {"stop": ["a"]}, {"truncation": "auto"}),
    row("types.unknown_key", CALLS, {f"{I2}.is_error": True}, {f"{I2}.status": "completed"}),
    row("types.missing", CALLS, {"tools[0].strict": GONE}, {"tools[0].strict": None}),
    row("types.missing", MEDIA, {f"{PICTURE}.detail": GONE}, {f"{PICTURE}.detail": "low"},
        whole=True),
    row("types.missing", THOUGHT, {f"{I1}.summary": GONE}, {I1: SEALED}),
    row("types.value", PLAIN, {"instructions": ["Be brief."]}, {"instructions": "Be brief."}),
    row("types.value", PLAIN, {"stream": "yes"}, {"stream": True}),
    row("types.value calls.arguments", CALLS, {f"{I1}.arguments": {"city": "Rome"}}),
    row("types.kind", PLAIN, {I0: {"type": "thought"}}),
    row("types.kind", PLAIN, {f"{I0}.content": [{"type": "text", "text": "a"}]},
        {f"{I0}.content": [TEXT]}),
    row("types.kind", MEDIA, {f"{I0}.content[0]": {"type": "input_audio", "input_audio": {}}}),
    # calls, outputs, reasoning
    row("pairs.unanswered", TWO, {"input[4]": GONE}),
    row("pairs.unanswered", CALLS, {"input": [ASK, call(), ASK]}, {"input": [ASK, call()]}),
    row("pairs.unanswered", CALLS, {I2: GONE, "input[-1]": ASK},
        {f"{I1}.async": True, I2: GONE, "input[-1]": ASK}),
    row("pairs.orphan", CALLS, {I1: SAY}),
    row("pairs.orphan", PLAIN, {"input": [output()]}, {"input": [output()], **EARLIER},
        whole=True),
    row("pairs.orphan pairs.unanswered", CALLS, {I2: output(None)},
        {"input": [ASK, output(None, name="weather"), SAY]}),
    row("pairs.orphan pairs.unanswered", CALLS,
        {I2: {"type": "custom_tool_call_output", "call_id": "call_1", "output": "21"},
         "input[3]": ASK}),
    row("pairs.twice", CALLS, {"input[3]": output()}),
    row("pairs.twice pairs.unanswered", TWO, {"input[4]": output()}),
    row("pairs.repeated_id", CALLS, {"input": [*CALLS["input"], call(), SAY]}),
    row("pairs.repeated_id", TWO, {I2: call(), "input[4]": GONE}),
    row("pairs.follower", THOUGHT, {I2: GONE, "input[-2]": ASK}, {I1: SEALED}),
    row("pairs.follower", THOUGHT, {"input": [ASK, SAID, STORED]}, {"input": [ASK, STORED, SAID]}),
    row("pairs.follower", THOUGHT, {"input": [ASK, STORED, ASK]}, {"input": [ASK, SEALED, ASK]}),
    # items and parts
    row("responses.no_input", PLAIN, {"input": []}, {"input": "Hello."}),
    row("responses.no_input", PLAIN, {"input": GONE}, {"input": [], **EARLIER}, whole=True),
    row("responses.empty_list", PLAIN, {f"{I0}.content": []}, {f"{I0}.content": ""}),
    row("responses.empty_list", CALLS, {f"{I2}.output": []}, {f"{I2}.output": [TEXT, IMAGE]}),
    row("responses.seat", CALLS, {"input[3].content": [TEXT]}, {"input[3]": SAID}),
    row("responses.seat", PLAIN, {I0: {**SAID, "role": "user"}}, {I0: user(TEXT)}),
    row("responses.seat", CALLS, {"input[3].content": [IMAGE]},
        {"input[3].content": [{"type": "refusal", "refusal": "No."}]}),
    row("responses.part", CALLS,
        {"input[3].content": [{"type": "output_text", "text": 21}]}, {"input[3]": SAID}),
    row("responses.part", CALLS, {"input[3]": SAID, "input[3].content[0].detail": "low"},
        {"input[3]": SAID, "input[3].content[0].annotations": []}),
    row("responses.image", MEDIA, {f"{PICTURE}.image_url": PNG},
        {f"{PICTURE}.image_url": "https://example.com/a.png"}),
    row("responses.image", MEDIA, {f"{PICTURE}.image_url": f"data:image/png;base64,{JPEG}"},
        {f"{PICTURE}.image_url": f"data:image/jpeg;base64,{JPEG}"}),
    row("responses.image", MEDIA, {f"{PICTURE}.file_id": "file-1"},
        {PICTURE: {"type": "input_image", "detail": "auto", "file_id": "file-1"}}),
    row("responses.image", CALLS, {f"{I2}.output": [{"type": "input_image"}]},
        {f"{I2}.output": [{"type": "input_image", "file_id": "file-1"}]}),
    row("responses.file", MEDIA, {f"{SHEET}.file_data": PDF}),
    row("responses.file", MEDIA, {f"{SHEET}.filename": GONE}),
    row("responses.file", MEDIA, {f"{SHEET}.file_data": f"data:text/csv;base64,{PDF}"},
        {f"{SHEET}.file_data": "data:text/csv;base64,YQ=="}),
    row("responses.file", MEDIA, {f"{SHEET}.file_id": "file-1"},
        {SHEET: {"type": "input_file", "file_id": "file-1"}}),
    row("responses.file", MEDIA, {SHEET: {"type": "input_file", "file_url": "a.pdf"}},
        {SHEET: {"type": "input_file", "file_url": "https://example.com/a.pdf"}}),
    row("calls.arguments", CALLS, {f"{I1}.arguments": "[]"}, {f"{I1}.arguments": "{}"}),
    row("tools.name", CALLS, {f"{I1}.name": "a.b"}, {f"{I1}.name": "a-b"}),
    # ids
    row("responses.item_id", CALLS, {f"{I1}.id": "call_1"}, {f"{I1}.id": "fc_1"}),
    row("responses.item_id", CALLS, {f"{I1}.id": f"fc_{LONG}"}, {f"{I1}.id": "fc_" + "i" * 61}),
    row("responses.item_id", THOUGHT, {f"{I1}.id": "msg_1"}, {f"{I1}.id": "rs_tmp_1"}),
    row("responses.item_id", CALLS, {f"{I1}.id": "fc:1"}),
    row("responses.repeated_item", THOUGHT,
        {"input": [ASK, STORED, call(id="fc_1"), call("call_2", id="fc_1"), output(),
                   output("call_2")]},
        {"input": [ASK, STORED, call(id="fc_1"), call("call_2", id="fc_2"), output(),
                   output("call_2")]}),
    row("responses.repeated_item", THOUGHT, {"input": [ASK, STORED, SAY, ASK, STORED, SAY]},
        {"input": [ASK, STORED, SAY, ASK, SEALED, SAY]}),
    row("responses.call_id", CALLS, ids(LONG), ids("i" * 64)),
    row("responses.call_id", CALLS, ids(""), ids("functions.weather:0")),
    row("responses.reasoning", THOUGHT, {f"{I1}.id": GONE}, {I1: SEALED}),
    row("responses.reasoning", THOUGHT, {I1: {**SEALED, "encrypted_content": ""}},
        {I1: {**SEALED, "id": "rs_1"}}),
]  # fmt: skip

REQUESTS = [
    row("tools.none", PLAIN, {"tools": []}, {"tools": [TOOL]}),
    row("tools.choice_alone", PLAIN, {"tool_choice": "auto"}),
    row("tools.choice_alone", PLAIN, {"parallel_tool_calls": False}),
    row("tools.choice_unknown", CALLS, chooses("function", name="time"),
        chooses("function", name="weather")),
    row("tools.choice_unknown", CALLS, chooses("file_search"),
        {"tools": [{"type": "file_search", "vector_store_ids": ["vs_1"]}],
         **chooses("file_search")}),
    row("tools.choice_unknown", CALLS, chooses("custom", name="run"),
        {"tools": [TOOL, CUSTOM], **chooses("custom", name="run")}),
    row("tools.choice_unknown", CALLS, allows("weather", "time"), allows("weather")),
    row("responses.allowed", CALLS, allows(), allows("weather")),
    row("responses.allowed", {**CALLS, "tools": [TOOL, CUSTOM]}, allows(), allows("weather")),
    row("tools.name", CALLS, {"tools[0].name": "n" * 65}, {"tools[0].name": "n" * 64}),
    row("tools.twice", CALLS, {"tools": [TOOL, TOOL]}, {"tools": [TOOL, CUSTOM]}),
    row("tools.schema", CALLS, {"tools[0].parameters": {"type": "string"}},
        {"tools[0].parameters": {"type": "object"}}),
    row("tools.strict", CALLS, {"tools[0].strict": True},
        {"tools[0].strict": True, "tools[0].parameters": CLOSED}),
    row("tools.strict", PLAIN, formats(schema=CITY), formats()),
    row("responses.output_name", PLAIN, formats(name="a b"), formats(name="a_b")),
    row("responses.output_name", PLAIN, formats(name=""), formats(name="a")),
    row("responses.max_output_tokens", PLAIN, {"max_output_tokens": 15},
        {"max_output_tokens": 16}),
    row("responses.max_output_tokens", PLAIN, {"max_output_tokens": 1},
        {"max_output_tokens": None}),
    row("responses.stream_options", PLAIN, {"stream_options": {"include_obfuscation": False}},
        {"stream_options": {"include_obfuscation": False}, "stream": True}),
    row("responses.stream_options", PLAIN, {"stream_options": {}, "stream": False},
        {"stream_options": None, "stream": False}),
    row("responses.range", PLAIN, {"temperature": 2.1}, {"temperature": 2}),
    row("responses.range", PLAIN, {"top_p": -0.1}, {"top_p": 0}),
    row("responses.range", PLAIN, {"top_logprobs": 21}, {"top_logprobs": 20}),
    row("responses.no_model", PLAIN, {"model": GONE}, {"model": GONE, "prompt": {"id": "p"}}),
    row("responses.no_model", PLAIN, {"model": ""}, {"model": GONE, "conversation": "conv_1"}),
    row("responses.two_states", PLAIN, {**EARLIER, "conversation": "conv_1"}, EARLIER),
    row("responses.two_states", PLAIN, {**EARLIER, "conversation": {"id": "conv_1"}},
        {"conversation": {"id": "conv_1"}}),
    row("responses.unstored", THOUGHT, {"store": False}, {"store": False, I1: SEALED}, whole=True),
    row("responses.unstored", PLAIN,
        {"store": False, "input": [{"type": "item_reference", "id": "msg_1"}, ASK]},
        {"input": [{"type": "item_reference", "id": "msg_1"}, ASK]}, whole=True),
    row("responses.compaction", PLAIN,
        {"context_management": [{"type": "compaction", "compact_threshold": 999}]},
        {"context_management": [{"type": "compaction", "compact_threshold": 1000}]}),
    row("responses.compaction", PLAIN,
        {"context_management": [{"type": "compaction", "compact_threshold": 0}]},
        {"context_management": [{"type": "compaction"}]}),
    row("responses.trigger", PLAIN, {"input": [{"type": "compaction_trigger"}, ASK]},
        {"input": [ASK, {"type": "compaction_trigger"}]}, whole=True),
    row("responses.trigger", CALLS, {"input[3]": {"type": "compaction_trigger"},
                                     "input[0]": {"type": "compaction_trigger"}},
        {"input[3]": {"type": "compaction_trigger"}}, whole=True),
    row("responses.update", PLAIN, {"input": [{"type": "configuration_update"}, ASK]},
        {"input": [{"type": "configuration_update", "reasoning": {"effort": "low"}}, ASK]},
        whole=True),
    row("responses.update", PLAIN, {"input": [{"type": "configuration_update", "id": "cu"}, ASK]},
        {"input": [{"type": "configuration_update", "text": {"format": {"type": "text"}}}, ASK]},
        whole=True),
    row("responses.endpoint", PLAIN, {}, path="/v1/chat/completions", good_path=HERE),
    row("responses.endpoint", PLAIN, {}, path="/v1/responses/compact",
        good_path="/openai/v1/responses"),
]  # fmt: skip
ROWS = [*ITEMS, *REQUESTS]
