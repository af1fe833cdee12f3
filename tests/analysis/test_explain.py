"""Errors of providers, in each of their spellings, lead back to the block that they speak of."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options, Tool
from dragoman.analysis import check, explain
from dragoman.message import (
    Base64Source,
    ImageBlock,
    Origin,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from tests.each_case import each_case

REQUEST = ChatRequest(
    [
        Msg("", "Be kind.", "system"),
        Msg("Bob", [TextBlock("Look"), ImageBlock(Base64Source("image/png", "iVBORw0KGgo="))],
            "user"),
        Msg("Friday", [
            ThinkingBlock("Hm.", "c2ln", origin=Origin("anthropic", "claude-opus-4-8")),
            TextBlock("I look."), ToolUseBlock("c1", "look_up", {"q": "x"})], "assistant"),
        Msg("", [ToolResultBlock("c1", "look_up", "a cat")], "tool"),
        Msg("Bob", "Sure?", "user"),
    ],
    tools=[Tool("look_up", "Looks.", {"type": "object", "properties": {"q": {"type": "string"}}})],
    options=Options(max_tokens=50, temperature=0.2),
)  # fmt: skip
CALL, RESULT = "$.messages[2].content[2]", "$.messages[3].content[0]"
IMAGE = "$.messages[1].content[1]"
CLAUDE = "us.anthropic.claude-opus-4-8-v1:0"


def made(name: str, model: str | None = None) -> Any:
    wire = dragoman.wire(name, policy="ignore")
    return wire.write_request(REQUEST, model or wire.room.model)


def said(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", **more}}


# wire, model, error, where
NAMED: list[tuple[str, str | None, Any, str]] = [
    ("anthropic", "claude-opus-4-8",
     said("messages.1.content.0: Invalid `signature` in `thinking` block"),
     "$.messages[2].content[0]"),
    ("anthropic", None, said("messages.2.content.0.tool_result.tool_use_id: bad"), f"{RESULT}.id"),
    ("anthropic", None, said("tools.0.custom.input_schema.type: Field required"),
     "$.tools[0].parameters.type"),
    ("anthropic", None, said("max_tokens: 99 > 64, the maximum for this model"),
     "$.options.max_tokens"),
    ("anthropic", None, said("messages.0.content.1.image.source.base64.data: too large"),
     f"{IMAGE}.source.data"),
    ("anthropic", None, said("system: text content blocks must be non-empty"), "$.messages[0]"),
    ("openai-chat", "gpt-5.5", said("Invalid type", param="messages[2].tool_calls[0].id"),
     f"{CALL}.id"),
    ("openai-chat", "gpt-5.5", said("Invalid 'messages[2].tool_calls[0].function.arguments'"),
     f"{CALL}.input"),
    ("openai-chat", "gpt-5.5", said("Invalid schema for function 'look_up': bad",
                                    param="tools[0].function.parameters"), "$.tools[0].parameters"),
    ("openai-chat", "gpt-5.5", said("Invalid schema for function 'look_up'"), "$.tools[0]"),
    ("deepseek", None, said("Failed to deserialize the JSON body into the target type:"
                            " tools[0].function: missing field `strict` at line 1 column 9"),
     "$.tools[0]"),
    ("openai-responses", "gpt-5.5", said("Invalid 'input[0].content[1].image_url'.",
                                         param="input[0].content[1].image_url"), f"{IMAGE}.source"),
    ("gemini", "gemini-2.5-pro", said('Invalid JSON payload received. Unknown name "x" at'
                                      " 'contents[0].parts[1]': Cannot find field."), IMAGE),
    ("gemini", "gemini-2.5-pro", said("* GenerateContentRequest.contents[1].parts[1]"
                                      ".function_call.name: [FIELD_INVALID]"), f"{CALL}.name"),
    ("gemini", "gemini-2.5-pro", said("Invalid value at 'generation_config.temperature'"
                                      ' (TYPE_FLOAT), "hot"'), "$.options.temperature"),
    ("bedrock", CLAUDE, {"message": "Malformed input request: #/messages/0/content/1: extraneous"
                                    " key [image] is not permitted, please reformat your input"},
     IMAGE),
    ("bedrock", CLAUDE, {"message": "The model returned the following errors:"
                                    " messages.1.content.2.tool_use.id: bad"}, CALL),
    ("mistral", None, {"detail": [{"type": "extra_forbidden", "loc": ["body", "messages", 3,
     "tool", "x"], "msg": "Extra inputs are not permitted"}]}, RESULT),
    ("dashscope", None, {"code": "InvalidParameter", "message": "a required field:"
                         " input.messages[4]"}, "$.messages[4]"),
    ("openai-chat", "gpt-4o", "Temperature must be between 0 and 1, got 0.2",
     "$.options.temperature"),
]  # fmt: skip


@each_case(("name", "model", "error", "where"), NAMED)
def test_a_place_is_found_in_every_spelling(name: str, model: str, error: Any, where: str) -> None:
    out = made(name, model)
    assert explain(error, out).where == where
    wire = dragoman.wire(name, policy="ignore")
    assert explain(wire.error(400, error), out).where == where


def test_it_says_whose_it_is() -> None:
    out = made("anthropic", "claude-opus-4-8")
    found = explain(said("messages.1.content.0: Invalid `signature` in `thinking` block"), out)
    assert found.whose == "turn 1 of assistant Friday"
    assert found.what == "thinking block 1, issued by anthropic"
    assert found.at == "$.messages[1].content[0]"
    assert found.error.startswith("messages.1.content.0")
    assert "turn 1 of assistant Friday" in str(found)


@pytest.mark.parametrize("error", [said("Test error"), "", {}, None, said("Overloaded"), [1], 7])
def test_where_nothing_is_named_it_says_so(error: Any) -> None:
    found = explain(error, made("openai-chat", "gpt-4o"))
    assert (found.where, found.whose, found.why) == ("", "", "")
    assert "names no place" in str(found)


def sent(name: str, body: Any, path: str | None = None) -> Any:
    """The body as it is, written by hand and read over the wire that it goes out on again."""
    wire = dragoman.wire(name, policy="ignore")
    out = wire.write_request(wire.read_request(body, path))
    assert out.body == body
    return out


HI = [{"role": "user", "content": "Hi"}]
TOOLS = [
    {
        "type": "function",
        "function": {"name": "ping", "parameters": {"type": "object", "properties": {}}},
    }
]
SOUND = {"type": "input_audio", "input_audio": {"data": "aGVsbG8=", "format": "mp3"}}
HEAR = [{"role": "user", "content": [{"type": "text", "text": "Hear"}, SOUND]}]
S3 = {"format": "jpeg", "source": {"s3Location": {"uri": "s3://a-bucket/kiwi.jpg"}}}

# wire, body, where it was sent, what the provider said, where, code of the rule
RULED: list[tuple[str, Any, str | None, str, str, str]] = [
    ("deepseek", {"model": "deepseek-v4-flash", "messages": HEAR}, None,
     ("Failed to deserialize the JSON body: messages[0]: unknown variant `input_audio`, expected"
     " `text` at line 1 column 197"), "$.messages[0].content[1]", "block.unsupported"),
    ("openai", {"model": "gpt-5-mini", "messages": HEAR}, None,
     "Invalid 'messages[0]'. Content blocks are expected to be either text or image_url type.",
     "$.messages[0].content[1]", "block.unsupported"),
    ("deepseek", {"model": "deepseek-v4-flash", "messages": HI, "tools": TOOLS,
                  "thinking": {"type": "enabled"}, "tool_choice": "required"}, None,
     "Thinking mode does not support this tool_choice", "$.tool_choice", "tool_choice.lowered"),
    ("openai", {"model": "gpt-4o", "messages": HI, "web_search_options": {}}, None,
     "Web search options not supported with this model.", "$.web_search_options",
     "field.refused"),
    ("openai-chat", {"model": "m", "messages": HI, "temperature": 100}, None,
     "Validation: Temperature must be between 0 and 2, got 100", "$.temperature", "field.range"),
    ("anthropic", {"model": "claude-sonnet-5", "max_tokens": 9, "messages": [
        *HI, {"role": "assistant", "content": "{"}]}, None,
     ("This model does not support assistant message prefill. The conversation must end with a user"
     " message."), "$.messages[1]", "turn.last"),
    ("anthropic", {"model": "claude-opus-4-6", "max_tokens": 9, "messages": HI,
                   "output_config": {"effort": "xhigh"}}, None,
     "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
     "$.output_config.effort", "option.range"),
    ("anthropic", {"model": "claude-sonnet-4-6", "max_tokens": 9, "messages": HI, "tools": [
        {"name": "t", "input_schema": {"anyOf": []}}]}, None,
     "tools.0.custom.input_schema.type: Field required", "$.tools[0].input_schema", "schema.root"),
    ("bedrock", {"messages": [{"role": "user", "content": [{"text": "Look"}, {"image": S3}]}]},
     "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse",
     "This model doesn't support the s3Uri field. Remove s3Uri and try again.",
     "$.messages[0].content[1].image", "media.not_fetched"),
    ("mistral", {"model": "ministral-3b-latest", "messages": HI, "logprobs": True}, None,
     "Logprobs are not enabled for this model", "$.logprobs", "field.refused"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "body", "path", "error", "where", "code"), RULED)
def test_the_rule_stands_beside_the_place(
    name: str, body: Any, path: str | None, error: str, where: str, code: str
) -> None:
    found = explain(said(error), sent(name, body, path))
    assert (found.where, found.code) == (where, code)
    assert found.why
    assert found.fix
    assert "20" in found.why  # the date


def test_a_wire_that_nobody_knows_by_name_has_no_rules() -> None:
    row = dragoman.Vendor("mine", wires={"openai-chat": None})
    wire = dragoman.wire(row, policy="ignore")
    out = wire.write_request(REQUEST, "m")
    assert explain(said("messages[4].content: bad"), out).where == "$.messages[4].content"


LOOK = {"type": "function", "function": {"name": "look_up", "parameters": {
    "type": "object", "properties": {"q": {"type": "string", "pattern": "^x"}}}}}  # fmt: skip
TURNS: list[Any] = [
    {"role": "user", "content": "Look."},
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "A cat."},
    {"role": "user", "content": "Sure?"},
]  # fmt: skip
WHOLE: dict[str, Any] = {"model": "gpt-5.6", "messages": TURNS, "tools": [LOOK],
                         "temperature": 0.3}  # fmt: skip


def at_home() -> Any:
    """As it was read, with what is refused of the request as a whole: tools without an effort."""
    made = dragoman.convert(WHOLE, "openai-chat", "openai", policy="ignore")
    assert "$" in {one.where for one in check(made.body, "openai")}
    return made


# error, where
BESIDE: list[tuple[Any, str]] = [
    (said("Unsupported value: 'temperature' does not support 0.3 with this model.",
          param="temperature", code="unsupported_value"), "$.temperature"),
    (said("Invalid parameter: messages with role 'tool' must be a response to a preceeding message"
          " with 'tool_calls'.", param="messages.[2].role"), "$.messages[2].role"),
    (said("Invalid schema for function 'look_up': 'pattern' is not permitted.",
          param="tools[0].function.parameters"), "$.tools[0].function.parameters"),
]  # fmt: skip


@pytest.mark.parametrize(("error", "where"), BESIDE)
def test_what_is_wrong_with_the_whole_explains_no_place(error: Any, where: str) -> None:
    found = explain(error, at_home())
    assert found.where.startswith(where)
    assert "only without reasoning" not in found.why


def test_a_rule_of_the_whole_is_told_if_the_error_speaks_of_it() -> None:
    told = said("Function tools with reasoning_effort are not supported for gpt-5.6.")
    found = explain(told, at_home())
    assert "only without reasoning" in found.why
    other = explain(said("Something else went wrong here."), at_home())
    assert (other.where, other.why) == ("", "")


@pytest.mark.parametrize(("place", "content", "message"), [
    ("", 1, 1), (" , position 2", 1, 1), (", position 5", 4, 4),
])  # fmt: skip
def test_a_call_without_its_signature(place: str, content: int, message: int) -> None:
    body = {**WHOLE, "messages": [*TURNS, *TURNS[1:]]}
    made = dragoman.convert(body, "openai-chat", "gemini", policy="ignore")
    told = ("Function call is missing a thought_signature in functionCall parts. Function call"
            f" `default_api:look_up`{place}.")  # fmt: skip
    found = explain(said(told), made)
    assert found.at == f"$.contents[{content}].parts[0]"
    assert found.where == f"$.messages[{message}].tool_calls[0]"
