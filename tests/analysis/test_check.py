"""What a provider would refuse of a hand-written body: the place, the rule, its date, the fix."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ReadError, analysis
from dragoman.analysis import check
from dragoman.analysis.rules.wires import RULES
from tests.each_case import each_case

HI = [{"role": "user", "content": "Hi"}]
PING: dict[str, Any] = {
    "type": "function",
    "function": {"name": "ping", "parameters": {"type": "object", "properties": {}}},
}
PNG = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB"
NO_PNG = "data:image/png;base64,VGhpcyBpcyBubyBpbWFnZSBhdCBhbGw="


def chat(**more: Any) -> dict[str, Any]:
    return {"model": "gpt-5.5", "messages": HI, **more}


def claude(**more: Any) -> dict[str, Any]:
    return {"model": "claude-sonnet-4-6", "max_tokens": 64, "messages": HI, **more}


def user(*parts: Any) -> list[Any]:
    return [{"role": "user", "content": [{"type": "text", "text": "Look"}, *parts]}]


def tool(schema: Any, strict: bool = True) -> list[Any]:
    return [{"name": "t", "input_schema": schema, "strict": strict}]


IMAGE = {"type": "image_url", "image_url": {"url": PNG}}
SOUND = {"type": "input_audio", "input_audio": {"data": "aGVsbG8=", "format": "mp3"}}
CLOSED = {"type": "object", "properties": {}, "additionalProperties": False}
MANY = {**CLOSED, "properties": {f"p{i}": {"type": "string"} for i in range(24)}}


def converse(*content: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": [{"text": "Look"}, *content]}]}


CALL: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [
    {"id": "c", "type": "function", "function": {"name": "ping", "arguments": "{}"}}]}  # fmt: skip
RESULT = {"role": "tool", "tool_call_id": "c", "content": "pong"}
S3 = {"format": "jpeg", "source": {"s3Location": {"uri": "s3://a-bucket/kiwi.jpg"}}}
CLAUDE_BEDROCK = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"

# target, model beside the body, body, where, code
REFUSED: dict[str, tuple[str, str | None, Any, str, str]] = {
    "no parts": ("openai", None, chat(messages=[{"role": "user", "content": []}]),
                 "$.messages[0].content", "field.length"),
    "no parts beside calls": ("azure", None, chat(messages=[*HI, {**CALL, "content": []}, RESULT]),
                              "$.messages[1].content", "field.length"),
    "a message in a Gemini part": ("gemini", "gemini-2.5-flash", {"contents": [
        {"role": "user", "parts": HI}]}, "$.contents[0].parts[0].content", "field.unknown"),
    "a type in a Gemini part": ("vertex", "gemini-2.5-flash", {"contents": [{"role": "user",
        "parts": [{"type": "text", "text": "Hi"}]}]}, "$.contents[0].parts[0].type",
        "field.unknown"),
    "a message in a step": ("gemini-interactions", None, {"model": "gemini-3-pro", "input": [
        {"type": "user_input", "content": HI}]}, "$.input[0].content[0].type", "field.missing"),
    "a message in a Bedrock block": ("bedrock", CLAUDE_BEDROCK, {"messages": [{"role": "user",
        "content": HI}]}, "$.messages[0].content[0].role", "field.unknown"),
    "a message in a Cohere block": ("cohere", None, {"model": "command-a-03-2025", "messages": [
        {"role": "user", "content": HI}]}, "$.messages[0].content[0].type", "field.missing"),
    "a message in a DeepSeek part": ("deepseek", None, {"model": "deepseek-chat", "messages": [
        {"role": "user", "content": HI}]}, "$.messages[0].content[0].type", "field.missing"),
    "arguments that are no text": ("dashscope", None, {"model": "qwen3-max", "input": {"messages": [
        *HI, {**CALL, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "ping",
        "arguments": {}}}]}, RESULT]}}, "$.input.messages[1].tool_calls[0].function.arguments",
        "field.type"),
    "a range": ("openai", None, chat(temperature=99.0), "$.temperature", "field.range"),
    "below it": ("openai", None, chat(temperature=-1), "$.temperature", "field.range"),
    "a text for a number": ("openai-chat", None, {"model": "m", "temperature": "hot",
                            "messages": HI}, "$.temperature", "field.type"),
    "true for a number": ("openai", None, chat(top_p=True), "$.top_p", "field.type"),
    "a fraction for a count": ("openai", None, chat(n=1.5), "$.n", "field.type"),
    "an unknown role": ("openai", None, chat(messages=[{"role": "bot", "content": "Hi"}]),
                        "$.messages[0].role", "field.word"),
    "an unknown part": ("openai", None, chat(messages=user({"type": "picture"})),
                        "$.messages[0].content[1].type", "field.word"),
    "no messages": ("openai", None, {"model": "gpt-5.5"}, "$.messages", "field.missing"),
    "no model": ("openai", None, {"messages": HI}, "$.model", "field.missing"),
    "max_tokens of a model that reasons": ("openai", None, chat(max_tokens=5), "$.max_tokens",
                                           "field.refused"),
    "developer to o1-mini": ("openai", None, {"model": "o1-mini", "messages": [
        {"role": "developer", "content": "Be kind."}, *HI]}, "$.messages[0].role", "field.word"),
    "search by another model": ("openai", None, {"model": "gpt-4o", "messages": HI,
                                "web_search_options": {}}, "$.web_search_options",
                                "field.refused"),
    "sound to a model that cannot hear": ("openai", None, {"model": "gpt-5-mini",
        "messages": user(SOUND)}, "$.messages[0].content[1]", "block.unsupported"),
    "an image to DeepSeek": ("deepseek", None, {"model": "deepseek-v4-pro",
        "messages": user(IMAGE)}, "$.messages[0].content[1]", "block.unsupported"),
    "a forced tool while DeepSeek thinks": ("deepseek", None, {"model": "deepseek-v4-flash",
        "messages": HI, "thinking": {"type": "enabled"}, "tools": [PING],
        "tool_choice": "required"}, "$.tool_choice", "tool_choice.lowered"),
    "bytes of no image": ("openai", None, chat(messages=user(
        {"type": "image_url", "image_url": {"url": NO_PNG}})), "$.messages[0].content[1]",
        "media.bytes"),
    "an unanswered call": ("openai", None, chat(messages=[*HI, {"role": "assistant",
        "content": None, "tool_calls": [{"id": "c1", "type": "function",
        "function": {"name": "ping", "arguments": "{}"}}]}, *HI], tools=[PING]),
        "$.messages[1].tool_calls[0]", "result.missing"),
    "a name with dots": ("openai", None, chat(tools=[{"type": "function", "function":
        {"name": "a.b", "parameters": {"type": "object", "properties": {}}}}]),
        "$.tools[0].function.name", "tool_name.mapped"),
    "a strict format that is open": ("openai/openai-responses", None, {"model": "gpt-4o-mini",
        "input": "Hi", "text": {"format": {"type": "json_schema", "name": "r", "strict": True,
        "schema": {"type": "object", "properties": {"a": {"type": "string"}},
                   "required": ["a"]}}}}, "$.text.format.schema.additionalProperties",
        "schema.narrower"),
    "too short an answer": ("openai/openai-responses", None, {"model": "gpt-5.5", "input": "Hi",
        "max_output_tokens": 1}, "$.max_output_tokens", "field.range"),
    "an effort that the model lacks": ("anthropic", None, {**claude(), "model": "claude-opus-4-6",
        "output_config": {"effort": "xhigh"}}, "$.output_config.effort", "option.range"),
    "a prefill": ("anthropic", None, {**claude(), "model": "claude-sonnet-5",
        "messages": [*HI, {"role": "assistant", "content": "{"}]}, "$.messages[1]", "turn.last"),
    "no maximum": ("anthropic", None, {"model": "claude-sonnet-4-6", "messages": HI},
                   "$.max_tokens", "field.missing"),
    "an unknown field": ("anthropic", None, claude(frequency_penalty=1), "$.frequency_penalty",
                         "field.unknown"),
    "a name in a message": ("anthropic", None, claude(messages=[{"role": "user", "name": "Bob",
        "content": "Hi"}]), "$.messages[0].name", "field.unknown"),
    "a boolean schema": ("anthropic", None, claude(tools=tool(True)), "$.tools[0].input_schema",
                         "schema.type"),
    "a reference at the root": ("anthropic", None, claude(tools=tool({"$ref": "#/$defs/A",
        "$defs": {"A": CLOSED}})), "$.tools[0].input_schema", "schema.root"),
    "a union at the root": ("anthropic", None, claude(tools=tool({"anyOf": [CLOSED]}, False)),
                            "$.tools[0].input_schema", "schema.root"),
    "a text at the root": ("anthropic", None, claude(tools=tool({"type": "string"})),
                           "$.tools[0].input_schema", "schema.root"),
    "a bound in a strict schema": ("anthropic", None, claude(tools=tool({**CLOSED, "required":
        ["n"], "properties": {"n": {"type": "integer", "minimum": 1}}})),
        "$.tools[0].input_schema.properties.n.minimum", "schema.dropped"),
    "too many strict tools": ("anthropic", None, claude(tools=[
        {"name": f"t{i}", "input_schema": CLOSED, "strict": True} for i in range(21)]),
        "$.tools", "schema.crowd"),
    "too many optional properties": ("anthropic", None, claude(tools=tool(MANY)),
                                     "$.tools[0].input_schema", "schema.unfit"),
    "an orphan": ("anthropic", None, claude(messages=[{"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "toolu_1", "content": "x"}]}]),
        "$.messages[0].content[0]", "result.orphan"),
    "a temperature of 1000": ("gemini", "gemini-2.5-pro", {"contents": [{"role": "user",
        "parts": [{"text": "Hi"}]}], "generationConfig": {"temperature": 1000.0}},
        "$.generationConfig.temperature", "field.range"),
    "the same in snake case": ("gemini", "gemini-2.5-pro", {"contents": [{"role": "user",
        "parts": [{"text": "Hi"}]}], "generation_config": {"top_p": "3"}},
        "$.generation_config.top_p", "field.range"),
    "an unknown field of Gemini's": ("gemini", "gemini-2.5-pro", {"contents": [{"role": "user",
        "parts": [{"text": "Hi"}], "name": "Bob"}]}, "$.contents[0].name", "field.unknown"),
    "media by S3": ("bedrock", CLAUDE_BEDROCK, converse({"image": S3}),
                    "$.messages[0].content[1].image", "media.not_fetched"),
    "a video to Claude": ("bedrock", CLAUDE_BEDROCK, converse({"video": {**S3, "format": "mp4"}}),
                          "$.messages[0].content[1].video", "block.unsupported"),
    "none, where there is no word for it": ("bedrock", CLAUDE_BEDROCK, {**converse(),
        "toolConfig": {"tools": [{"toolSpec": {"name": "t", "inputSchema": {"json": CLOSED}}}],
                       "toolChoice": {"none": {}}}}, "$.toolConfig.toolChoice.none",
        "field.unknown"),
    "logprobs": ("mistral", None, {"model": "ministral-3b-latest", "messages": HI,
                 "logprobs": True}, "$.logprobs", "field.refused"),
    "a field that Mistral lacks": ("mistral", None, {"model": "m", "messages": HI, "seed": 1},
                                   "$.seed", "field.unknown"),
}  # fmt: skip


@each_case("name", REFUSED)
def test_it_names_place_rule_date_and_fix(name: str) -> None:
    target, model, body, where, code = REFUSED[name]
    made = check(body, target, model)
    found = [one for one in made if (one.where, one.code) == (where, code)]
    assert found, made
    assert found[0].rule
    assert found[0].source
    assert found[0].fix
    if code != "media.bytes":
        assert found[0].since.startswith("20")


TAKEN: dict[str, tuple[str, str | None, Any]] = {
    "plain": ("openai", None, chat()),
    "many options": ("openai", None, {"model": "gpt-4o", "messages": HI, "temperature": 0.2,
                     "top_p": None, "max_tokens": 9, "stop": ["x"], "stream": True, "n": 2}),
    "an image": ("openai", None, chat(messages=user(IMAGE))),
    "developer": ("openai", None, chat(messages=[{"role": "developer", "content": "S"}, *HI])),
    "a strict tool": ("openai", None, chat(tools=[{"type": "function", "function":
                      {"name": "t", "strict": True, "parameters": CLOSED}}])),
    "what another host may take": ("openai-chat", None, {"model": "qwen3", "messages": user(
        {"type": "video_url", "video_url": {"url": "https://example.com/a.mp4"}}),
        "min_p": 0.1, "reasoning_effort": "medium", "tools": [PING], "tool_choice": "required"}),
    "Claude": ("anthropic", None, claude(tools=tool({"type": "object", "properties":
               {"n": {"type": "integer", "minimum": 1}}}, False), temperature=1)),
    "a turn of Claude's at the end": ("anthropic", None, {**claude(), "model": "claude-haiku-4-5",
        "messages": [*HI, {"role": "assistant", "content": "{"}]}),
    "both spellings of Gemini": ("gemini", "gemini-2.5-pro", {"contents": {"role": "user",
        "parts": [{"text": "Hi"}]}, "generation_config": {"maxOutputTokens": "9"},
        "systemInstruction": {"parts": [{"text": "S"}]}}),
    "Converse": ("bedrock", CLAUDE_BEDROCK, {**converse(), "inferenceConfig": {"maxTokens": 8}}),
    "Ollama": ("ollama", None, {"model": "qwen3", "messages": HI, "options": {"num_ctx": 1}}),
    "DashScope": ("dashscope", None, {"model": "qwen3-max", "input": {"messages": HI},
                  "parameters": {"result_format": "message"}}),
}  # fmt: skip


@pytest.mark.parametrize("name", TAKEN)
def test_it_has_nothing_against_what_is_taken(name: str) -> None:
    target, model, body = TAKEN[name]
    assert check(body, target, model) == []


def test_a_body_may_be_text() -> None:
    assert check('{"model": "gpt-5.5", "messages": [], "n": 0}', "openai")[0].where == "$.n"


def test_what_is_no_object_is_an_error() -> None:
    with pytest.raises(ReadError):
        check([1], "openai")


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), object()])
def test_what_json_lacks_is_refused(odd: object) -> None:
    (one,) = check(chat(odd={"a": [odd]}), "openai-chat")
    assert one.code == "json.value"
    assert one.where == "$.odd.a[0]"


def test_the_model_may_stand_in_the_path() -> None:
    body = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]},
                         {"role": "model", "parts": [{"text": "{"}]}]}  # fmt: skip
    path = "/v1beta/models/gemini-3.6-flash:generateContent"
    assert [one.code for one in check(body, "gemini", path=path)] == ["turn.last"]
    assert check(body, "gemini", path="/v1beta/models/gemini-2.5-flash:generateContent") == []


def command(**more: Any) -> dict[str, Any]:
    return {"model": "command-a-03-2025", "messages": HI, **more}


def named_format(name: str) -> dict[str, Any]:
    return {"type": "json_schema", "name": name, "strict": True, "schema": {**CLOSED,
            "required": []}}  # fmt: skip


ASKED = {
    "role": "assistant",
    "content": "",
    "tool_calls": [
        {"id": "call_123", "type": "function", "function": {"name": "ping", "arguments": "{}"}}
    ],
}
ANSWERED = {"role": "tool", "tool_call_id": "call_123", "content": "pong"}
MISTRAL: dict[str, Any] = {"model": "mistral-large-latest"}

# target, body, (where, code)s
FOUND: list[tuple[str, Any, list[tuple[str, str]]]] = [
    ("cohere", command(temperature=5), [("$.temperature", "field.range")]),
    ("cohere", command(p=2), [("$.p", "field.range")]),
    ("cohere", command(k=900), [("$.k", "field.range")]),
    ("cohere", command(stop_sequences=list("abcdef")), [("$.stop_sequences", "field.length")]),
    ("cohere", command(presence_penalty=3), [("$.presence_penalty", "field.range")]),
    ("cohere", command(frequency_penalty=0.1, presence_penalty=0.1),
     [("$.frequency_penalty", "field.together")]),
    ("cohere", command(tool_choice="auto"), [("$.tool_choice", "field.word")]),
    ("cohere", command(temperature=0.5, p=0.5, k=10, stop_sequences=["a"]), []),
    ("mistral", {**MISTRAL, "messages": [*HI, {"role": "assistant", "content": "So"}]},
     [("$.messages[1]", "turn.last")]),
    ("mistral", {**MISTRAL, "messages": [*HI, {"role": "assistant", "content": "So",
                                               "prefix": True}]}, []),
    ("mistral", {**MISTRAL, "messages": [*HI, ASKED, ANSWERED], "tools": [PING]},
     [("$.messages[1].tool_calls[0].id", "id.mapped"),
      ("$.messages[2].tool_call_id", "id.mapped")]),
    ("gemini", {"contents": [{"role": "user", "parts": []}]},
     [("$.contents[0].parts", "field.length")]),
    ("gemini", {"contents": [{"role": "user", "parts": [{"text": "Hi"}, {}]}]},
     [("$.contents[0].parts[1]", "field.length")]),
    ("anthropic", claude(messages=[*HI, None]), [("$.messages[1]", "field.missing")]),
    ("openai", chat(response_format={"type": "json_schema", "json_schema": named_format("a b")}),
     [("$.response_format.json_schema.name", "field.form")]),
    ("openai/openai-responses", {"model": "gpt-5.5", "input": "Hi",
                                 "text": {"format": named_format("a b")}},
     [("$.text.format.name", "field.form")]),
    ("openai/openai-responses", {"model": "gpt-5.5", "input": "Hi",
                                 "text": {"format": named_format("a-b")}}, []),
    ("openai-responses", {"model": "gpt-5.4", "instructions": "I", "input": {"code": 1},
                          "store": False}, [("$.input", "field.type")]),
]  # fmt: skip


@each_case(("target", "body", "found"), FOUND)
def test_what_a_writer_would_have_put_right(
    target: str, body: Any, found: list[tuple[str, str]]
) -> None:
    assert [(one.where, one.code) for one in check(body, target, "gemini-3.5-flash")] == found


def test_a_budget_above_the_maximum_is_said_in_its_own_words() -> None:
    body = {**claude(thinking={"type": "enabled", "budget_tokens": 3000}),
            "model": "claude-sonnet-4-5", "max_tokens": 2000}  # fmt: skip
    (one,) = check(body, "anthropic")
    assert (one.where, one.code) == ("$.thinking.budget_tokens", "field.together")
    assert "below max_tokens" in one.rule
    assert check({**body, "max_tokens": 4000}, "anthropic") == []


@pytest.mark.parametrize("odd", [{"code": 1}, 5, [5], [None]])
def test_an_input_that_is_none(odd: Any) -> None:
    body = {"model": "gpt-5.4", "instructions": "I", "input": odd, "store": False}
    assert check(body, "openai-responses")[0].where.startswith("$.input")


@each_case("name", RULES)
def test_rules_name_the_types_of_json(name: str) -> None:
    names = {"number", "integer", "text", "boolean", "list", "object"}
    assert all(set(field.types.split()) <= names for field in RULES[name].fields)


@pytest.mark.parametrize(("target", "model", "foreign"), [
    ("anthropic", "gpt-5.6", True), ("anthropic", "claude-opus-5-5", False),
    ("anthropic", "my-own", False), ("openai", "claude-opus-5-5", True),
    ("openai", "gpt-5.6", False), ("openai/openai-responses", "gemini-3.8-flash", True),
    ("openai-chat", "claude-opus-5-5", False), ("openrouter", "claude-opus-5-5", False),
    ("vertex/anthropic", "gpt-5.6", False), ("bedrock", "anthropic.claude-opus-5-5", False),
])  # fmt: skip
def test_a_model_of_another_maker_is_named(target: str, model: str, foreign: bool) -> None:
    req = dragoman.ChatRequest([dragoman.Msg.user("Hi")])
    out = dragoman.wire(target, policy="ignore").write_request(req, model)
    codes = [refusal.code for refusal in analysis.check(out.body, target, model, out.path)]
    assert ("model.other_provider" in codes) == foreign
