"""Names of arguments that Claude refuses: respelled in schema and history, restored in answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dragoman import convert, wire
from dragoman.history.passes.argument_names import ArgumentNames
from dragoman.message import ChatRequest, Msg, Tool, ToolUseBlock, Written

NAME = "filter[id]"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        NAME: {"type": "string", "description": "whose"},
        "filter_id_": {"type": "integer"},
        "like": {"$ref": "#/properties/filter[id]"},
        "deep": {"type": "object", "properties": {NAME: {"type": "string"}}},
    },
    "required": [NAME, "deep"],
}
ARGUMENTS: dict[str, Any] = {NAME: 'a "b"', "filter_id_": 2, "deep": {NAME: "x", "y": [{NAME: 1}]}}


def request(schema: dict[str, Any] = SCHEMA, model: str = "claude-opus-4-8") -> ChatRequest:
    call = ToolUseBlock("a", "list_apps", ARGUMENTS)
    msgs = [Msg.user("Hi."), Msg("", [call], "assistant"), Msg.tool("a", "none")]
    return ChatRequest(msgs, tools=[Tool("list_apps", parameters=schema)], model=model)


def written(schema: dict[str, Any] = SCHEMA) -> Written:
    return wire("anthropic", policy="ignore").write_request(request(schema))


def spelling(sent: Written) -> str:
    return next(iter(sent.properties["list_apps"]))


def test_the_schema_speaks_of_the_argument_by_its_new_name_wherever_it_does() -> None:
    sent = written()
    schema, name = sent.body["tools"][0]["input_schema"], spelling(sent)
    assert [*schema["properties"]] == [name, "filter_id_", "like", "deep"]
    assert name != "filter_id_", "two names never become one"
    assert schema["required"] == [name, "deep"]
    assert schema["properties"]["like"] == {"$ref": f"#/properties/{name}"}
    assert schema["properties"]["deep"] == SCHEMA["properties"]["deep"], "no deeper name is refused"


def test_calls_of_the_history_have_the_new_name_at_their_root() -> None:
    sent = written()
    (call,) = sent.body["messages"][1]["content"]
    name = spelling(sent)
    assert call["input"] == {name: 'a "b"', "filter_id_": 2, "deep": ARGUMENTS["deep"]}
    assert sent.properties == {"list_apps": {name: NAME}}
    places = [loss.where for loss in sent.losses if loss.code == "property_name.mapped"]
    assert sorted(places) == [
        "$.messages[1].content[0].input", f'$.tools[0].parameters.properties["{NAME}"]',
    ]  # fmt: skip


def test_nothing_of_the_caller_is_changed() -> None:
    before = json.dumps(SCHEMA), json.dumps(ARGUMENTS)
    written()
    assert (json.dumps(SCHEMA), json.dumps(ARGUMENTS)) == before


@pytest.mark.parametrize("root", [
    {"type": "object", "allOf": [{"properties": {NAME: {"type": "string"}}}]},
    {"$ref": "#/$defs/it", "$defs": {"it": {"type": "object",
                                            "properties": {NAME: {"type": "string"}}}}},
])  # fmt: skip
def test_a_name_that_comes_to_the_root_by_lowering_counts(root: dict[str, Any]) -> None:
    sent = written(root)
    schema = sent.body["tools"][0]["input_schema"]
    assert NAME not in schema["properties"]
    assert spelling(sent) in schema["properties"]


def answer(arguments: Any) -> dict[str, Any]:
    call = {"type": "tool_use", "id": "b", "name": "list_apps", "input": arguments}
    return {"type": "message", "id": "m", "role": "assistant", "model": "claude-opus-4-8",
            "content": [call], "stop_reason": "tool_use",
            "usage": {"input_tokens": 1, "output_tokens": 1}}  # fmt: skip


def spelled(sent: Written) -> dict[str, Any]:
    """The arguments as the model says them: the new name at the root alone."""
    return {spelling(sent) if key == NAME else key: value for key, value in ARGUMENTS.items()}


def test_an_answer_has_the_own_names_back() -> None:
    sent, home = written(), wire("anthropic")
    body = answer(spelled(sent))
    for known in ({"request": sent}, {"request": request()}, {"tools": request().tools}):
        (call,) = home.read_response(body, **known).calls
        assert call.input == ARGUMENTS
    (call,) = home.read_response(body).calls
    assert call.input == spelled(sent), "nobody said what was asked"


def events(text: str, size: int) -> list[dict[str, Any]]:
    block = {"type": "tool_use", "id": "b", "name": "list_apps", "input": {}}
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    return [
        {"type": "message_start", "message": {**answer({}), "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        *({"type": "content_block_delta", "index": 0,
           "delta": {"type": "input_json_delta", "partial_json": piece}} for piece in pieces),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}},
        {"type": "message_stop"},
    ]  # fmt: skip


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_a_stream_has_the_own_names_back_in_its_pieces_and_in_the_answer(size: int) -> None:
    sent = written()
    body = events(json.dumps(spelled(sent)), size)
    stream = wire("anthropic").read_stream(iter(body), None, sent)
    text = "".join(event.text for event in stream if event.type == "tool-delta")
    assert json.loads(text) == ARGUMENTS
    assert stream.response is not None
    (call,) = stream.response.calls
    assert call.input == ARGUMENTS
    assert json.loads(call.raw_input or "") == ARGUMENTS


def test_a_stream_that_breaks_off_inside_of_a_name_loses_nothing() -> None:
    sent = written()
    cut = '{"filter_id_": 2, "fil'
    stream = wire("anthropic").read_stream(iter(events(cut, 3)[:-3]), None, sent)
    text = "".join(event.text for event in stream if event.type == "tool-delta")
    assert text == cut


@pytest.mark.parametrize("text", [
    '{"a": "x", "b": {"a": 1}, "c": ["a", {"a": "{\\"a\\": 1"}], "a": "a"}', "[]", '"a"', "null",
    '{"a\\"": "a", "": "\\\\", "a": [[{"a": "}"}], 1]}', '{ "a" : "," }', "",
])  # fmt: skip
def test_only_keys_of_the_outermost_object_are_looked_at(text: str) -> None:
    def own(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {"[A]" if key == "a" else key: item for key, item in value.items()}

    for size in (1, 3, 100):
        names = ArgumentNames({"a": "[A]"})
        result = "".join(names.feed(text[i : i + size]) for i in range(0, len(text), size))
        assert names.rest() == ""
        if text:
            assert json.loads(result) == own(json.loads(text))


def test_a_request_of_another_wire_goes_there_and_its_answer_comes_back() -> None:
    tool = {"type": "function", "function": {"name": "list_apps", "parameters": SCHEMA}}
    body = {"model": "gpt-5.6", "messages": [{"role": "user", "content": "Hi."}], "tools": [tool]}
    sent = convert(body, "openai-chat", "anthropic", model="claude-opus-4-8")
    assert NAME not in sent.body["tools"][0]["input_schema"]["properties"]
    (call,) = wire("anthropic").read_response(answer(spelled(sent)), request=sent).calls
    assert call.input == ARGUMENTS


def test_other_wires_take_any_name() -> None:
    for host in ("openai", "gemini", "mistral"):
        sent = wire(host, policy="ignore").write_request(request(model=""))
        assert sent.properties == {}
        assert NAME in json.dumps(sent.body)


def test_what_fits_is_not_touched() -> None:
    names: dict[str, Any] = {"filter.id-1_b": {"type": "string"}, "n" * 64: {}}
    sent = written({"type": "object", "properties": names})
    assert sent.body["tools"][0]["input_schema"]["properties"].keys() == names.keys()
    assert sent.properties == {}
