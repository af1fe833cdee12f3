"""Structured output: the way in which it is asked for, and the value that comes of an answer."""

from __future__ import annotations

import json
import pickle
import sys
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from itertools import product
from typing import Any, Literal, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter
from typing_extensions import TypedDict

import dragoman
from dragoman import (
    LLM,
    ChatRequest,
    ChatResponse,
    ConfigError,
    DragomanError,
    InvalidMessage,
    InvalidOutput,
    Msg,
    Options,
    ResponseFormat,
    Structured,
    Tool,
    ToolChoice,
)
from dragoman.analysis import check
from dragoman.message import Candidate, Finish, RefusalBlock, TextBlock, ToolUseBlock
from dragoman.message.response_format import Way
from dragoman.structured_output import plain_answer, repair_messages, structured_request
from dragoman.testing import Scripted
from tests.each_case import each_case

OLD_CLAUDE = "claude-sonnet-4-20250514"  # has no format for its answers


class City(BaseModel):
    """A city."""

    name: str
    founded: date | None = None


@dataclass
class Place:
    lat: float
    tags: list[str]


class Stop(TypedDict):
    name: str


CITY = Structured(City)
DAYS = Structured(list[int])
BY_SCHEMA: Structured[Any] = Structured(
    {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}, name="count"
)


# -- what is asked for -----------------------------------------------------------------------------


def test_a_type_says_its_format() -> None:
    assert CITY.format == ResponseFormat("schema", City_schema(), "City", "A city.", True)
    named = Structured(City, name="town", description="Where.", strict=None).format
    assert (named.name, named.description, named.strict) == ("town", "Where.", None)
    assert repr(CITY) == "Structured(City)"


def City_schema() -> dict[str, Any]:  # noqa: N802
    schema = ResponseFormat.of(City).schema
    assert schema is not None
    return schema


@pytest.mark.parametrize("made", [CITY, DAYS, BY_SCHEMA])
def test_a_copy_is_the_same(made: Structured[Any]) -> None:
    again = pickle.loads(pickle.dumps(made))
    assert again.format == made.format
    assert Structured.partial(again, '{"value": [1') == made.partial('{"value": [1')


def test_what_is_no_object_stands_in_one() -> None:
    assert DAYS.format.schema == {
        "type": "object",
        "properties": {"value": {"type": "array", "items": {"type": "integer"}}},
        "required": ["value"],
        "additionalProperties": False,
    }
    union: Any = Structured(City | Place).format.schema
    assert union["properties"]["value"]["anyOf"] == [
        {"$ref": "#/$defs/City"}, {"$ref": "#/$defs/Place"},
    ]  # fmt: skip
    assert set(union["$defs"]) == {"City", "Place"}
    tree: Any = Structured({"type": "array", "items": {"$ref": "#"}})
    assert tree.format.schema["properties"]["value"]["items"] == {"$ref": "#/properties/value"}
    assert tree.parse('{"value": [[], [[]]]}') == [[], [[]]]


@pytest.mark.parametrize(
    ("wire", "model", "options", "way"),
    [
        ("openai", "gpt-5.6", {}, "schema"),
        ("anthropic", "claude-opus-5-5", {}, "schema"),
        ("anthropic", OLD_CLAUDE, {}, "tool"),
        ("anthropic", OLD_CLAUDE, {"reasoning_budget": 2000}, "prompt"),  # it cannot be forced then
        ("bedrock", "us.amazon.nova-pro-v1:0", {}, "tool"),
        ("zhipu", None, {}, "json"),
        ("deepseek", None, {}, "json"),
    ],
)
def test_the_strongest_way_is_taken(
    wire: str, model: str | None, options: dict[str, Any], way: str
) -> None:
    request = ChatRequest([Msg.user("Pick one.")], options=Options(**options))
    bound = dragoman.wire(wire)
    asked = structured_request(request, bound, model, CITY)
    assert asked.way == way
    assert request.response_format is None
    out = bound.write_request(asked.request, model=model)
    told = {"tool": {"format.as_tool"}, "json": {"format.in_words"}, "prompt": {"format.in_words"}}
    codes = {loss.code for loss in out.losses}
    named = codes & {"format.as_tool", "format.in_words"}
    assert named == told.get(way, set())
    where = {loss.where for loss in out.losses if loss.code in named}
    assert where <= {"$.response_format"}


def test_a_tool_is_forced_and_its_arguments_are_the_answer() -> None:
    request = ChatRequest([Msg.user("Pick one.")])
    wire = dragoman.wire("anthropic")
    asked, _ = structured_request(request, wire, OLD_CLAUDE, CITY)
    out = wire.write_request(asked, model=OLD_CLAUDE)
    assert out.body["tool_choice"] == {"type": "tool", "name": "final_answer"}
    [told] = out.body["tools"]
    assert told["name"] == "final_answer"
    assert told["description"].endswith("A city.")
    assert told["input_schema"] == City_schema()
    assert "output_config" not in out.body
    assert [loss.code for loss in out.losses] == ["format.as_tool", "max_tokens.default"]

    said = {"type": "tool_use", "id": "toolu_1", "name": "final_answer",
            "input": {"name": "Samarkand", "founded": "0701-01-01"}}  # fmt: skip
    body = {"id": "m", "type": "message", "role": "assistant", "model": OLD_CLAUDE,
            "content": [said], "stop_reason": "tool_use", "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1}}  # fmt: skip
    response = wire.read_response(body, request=out)
    assert CITY.parse(response) == City(name="Samarkand", founded=date(701, 1, 1))
    plain = plain_answer(response)
    assert (plain.calls, plain.finish.reason) == ([], "stop")
    assert CITY.parse(plain) == CITY.parse(plain.msg) == CITY.parse(plain.text)
    assert plain_answer(plain) is plain
    assert response.calls[0].name == "final_answer"  # which stays as it was
    again = wire.write_request(
        ChatRequest([*request.messages, plain.msg, Msg.user("And another?")]), model=OLD_CLAUDE
    )
    assert [loss.code for loss in again.losses] == ["max_tokens.default"]


@pytest.mark.parametrize(
    ("choice", "written"),
    [
        (None, "required"),
        (ToolChoice("auto"), "required"),
        (ToolChoice("none"), {"type": "function", "function": {"name": "final_answer"}}),
        (ToolChoice("tool", "look"), {"type": "function", "function": {"name": "look"}}),
    ],
)
def test_beside_other_tools_a_call_of_any_is_required(
    choice: ToolChoice | None, written: Any
) -> None:
    request = ChatRequest([Msg.user("Pick one.")], tools=[Tool("look")], tool_choice=choice)
    wire = dragoman.wire("openai")
    asked = structured_request(request, wire, "gpt-5.6", CITY, "tool")
    body = wire.write_request(asked.request, model="gpt-5.6").body
    assert [told["function"]["name"] for told in body["tools"]] == ["look", "final_answer"]
    assert body["tool_choice"] == written
    assert body["tools"][1]["function"]["strict"] is True
    assert "response_format" not in body


def test_a_choice_among_some_tools_includes_the_answer() -> None:
    choice = ToolChoice("auto", allowed=("look",), parallel=False)
    request = ChatRequest([Msg.user("Hi")], tools=[Tool("look"), Tool("hear")], tool_choice=choice)
    wire = dragoman.wire("openai")
    asked = structured_request(request, wire, "gpt-5.6", CITY, "tool").request
    body = wire.write_request(asked, model="gpt-5.6").body
    allowed = body["tool_choice"]["allowed_tools"]
    assert allowed["mode"] == "required"
    assert [told["function"]["name"] for told in allowed["tools"]] == ["look", "final_answer"]


@pytest.mark.parametrize("way", ["schema", "tool", "json", "prompt"])
def test_a_way_that_is_given_is_taken(way: Literal["schema", "tool", "json", "prompt"]) -> None:
    wire = dragoman.wire("openai")
    request = ChatRequest([Msg.user("Pick one.")], model="gpt-5.6")
    out = wire.write_request(structured_request(request, wire, None, CITY, way).request)
    kind = out.body.get("response_format", {}).get("type")
    told = "JSON Schema" in json.dumps(out.body["messages"])
    assert (kind, told, "tools" in out.body) == {
        "schema": ("json_schema", False, False),
        "tool": (None, False, True),
        "json": ("json_object", True, False),
        "prompt": (None, True, False),
    }[way]


@each_case("name", dragoman.wires())
def test_every_wire_takes_every_way(name: str) -> None:
    """What the wire cannot say as asked is named, and nothing is sent that its provider refuses."""
    wire = dragoman.wire(name, policy="ignore")
    ways: tuple[Literal["auto"] | Way, ...] = ("auto", *get_args(Way))
    types: tuple[Structured[Any], ...] = (CITY, DAYS)
    for way, tools, structured in product(ways, ([], [Tool("look")]), types):
        request = ChatRequest([Msg.user("Pick one.")], tools=tools)
        asked = structured_request(request, wire, None, structured, way)
        out = wire.write_request(asked.request)
        codes = {loss.code for loss in out.losses if loss.kind != "expected"}
        assert check(out.body, wire) == []
        assert ("format.as_tool" in codes) == (asked.way == "tool")
        if asked.way in ("json", "prompt"):
            assert "format.in_words" in codes
        if way == "auto" and asked.way == "schema":
            assert not codes & {"format.in_words", "format.unsupported", "format.lowered"}


def test_a_way_that_cannot_be_is_refused() -> None:
    wire = dragoman.wire("anthropic")
    taken = ChatRequest([Msg.user("Hi")], tools=[Tool("final_answer")])
    assert structured_request(taken, wire, OLD_CLAUDE, CITY).way == "prompt"
    asked = structured_request(taken, wire, OLD_CLAUDE, CITY, "tool").request
    no_object = ResponseFormat("schema", {"type": "array"}, way="tool")
    for request in (asked, ChatRequest([Msg.user("Hi")], response_format=no_object)):
        with pytest.raises(InvalidMessage) as caught:
            wire.write_request(request, model=OLD_CLAUDE)
        assert (caught.value.code, caught.value.path) == ("format.as_tool", "$.response_format")
    for kind, way in (("json", "tool"), ("schema", "words")):
        schema: Any = {} if kind == "schema" else None
        with pytest.raises(InvalidMessage, match="a way is one of"):
            ResponseFormat(kind, schema, way=way)  # type: ignore[arg-type]


def test_a_request_with_a_way_is_stored() -> None:
    request = ChatRequest(
        [Msg.user("Hi")], response_format=ResponseFormat("schema", {}, way="json")
    )
    stored = dragoman.message.dump(request)
    assert stored["value"]["response_format"]["way"] == "json"
    assert dragoman.message.load(json.loads(json.dumps(stored))) == request


def test_the_residue_brings_the_format_back() -> None:
    wire = dragoman.wire("openai", policy="ignore")
    request = ChatRequest([Msg.user("Hi")], tools=[Tool("look")], tool_choice=ToolChoice("auto"))
    asked = structured_request(request, wire, "gpt-5.6", CITY, "tool").request
    out = wire.write_request(asked, model="gpt-5.6")
    back = wire.read_request(json.loads(json.dumps(out.body)), residue=out.residue)
    assert (back.tools, back.tool_choice) == (asked.tools, asked.tool_choice)
    assert back.response_format == asked.response_format
    placed = {path: node for path, node in out.walk_sources() if path.endswith("tools[1]")}  # type: ignore[misc]
    assert placed == {"$.tools[1]": asked.response_format}


# -- what comes ------------------------------------------------------------------------------------

SAID = '{"name": "Samarkand"}'


@pytest.mark.parametrize(
    "text",
    [
        SAID,
        f"\n{SAID}\n",
        f"```json\n{SAID}\n```",
        f"Here it is:\n\n```\n{SAID}\n```\nAnything else?",
        f"Of [these] {{two}}, I take {SAID}, as asked.",
        SAID.encode(),
        Msg.assistant(SAID),
        ChatResponse(
            [Candidate(Msg.assistant([TextBlock('{"name": "Sam'), TextBlock('arkand"}')]))]
        ),
    ],
)
def test_words_around_the_answer_are_let_pass(text: Any) -> None:
    assert CITY.parse(text) == City(name="Samarkand")


def test_values_of_any_type() -> None:
    assert Structured(Place).parse('{"lat": "1.5", "tags": "a"}') == Place(1.5, ["a"])
    assert Structured(Stop).parse('{"name": "a"}') == {"name": "a"}
    assert DAYS.parse('{"value": [1, 2]}') == DAYS.parse("[1, 2]") == [1, 2]
    assert Structured(int).parse("3") == 3
    assert Structured(str).parse('{"value": "[1]"}') == "[1]"
    assert BY_SCHEMA.parse('{"n": "3"}') == {"n": 3}
    assert Structured(City).parse('{"name": "a\nb", "founded": null}') == City(name="a\nb")


@pytest.mark.parametrize(
    ("structured", "text", "faults"),
    [
        (CITY, '{"founded": "soon"}', {"$.name", "$.founded"}),
        (DAYS, '{"value": [1, "x"]}', {"$[1]"}),
        (BY_SCHEMA, '{"n": "x"}', {"$.n"}),
    ],
)
def test_what_does_not_fit_is_named(structured: Structured[Any], text: str, faults: Any) -> None:
    with pytest.raises(InvalidOutput) as caught:
        structured.parse(text)
    assert {path for path, _ in caught.value.faults} == faults
    assert (caught.value.text, caught.value.code) == (text, "output.schema")
    assert all(path in str(caught.value) for path in faults)


@pytest.mark.parametrize(
    ("blocks", "finish", "told"),
    [
        ([TextBlock("I cannot.")], "stop", "holds no JSON"),
        ([TextBlock('{"name": "Sam')], "length", "cut by a limit"),
        ([RefusalBlock("No.")], "refusal", "has declined"),
        ([ToolUseBlock("1", "final_answer", '{"na', unfinished=True)], "length", "cut by a limit"),
        ([TextBlock("[" * 5000)], "stop", "holds no JSON"),
    ],
)
def test_no_json_says_why(blocks: list[Any], finish: Any, told: str) -> None:
    response = ChatResponse([Candidate(Msg.assistant(blocks), Finish(finish))])
    with pytest.raises(InvalidOutput, match=told) as caught:
        CITY.parse(response)
    assert caught.value.code == "output.json"


@pytest.mark.parametrize("by_tool", [False, True])
def test_an_answer_is_seen_while_it_arrives(by_tool: bool) -> None:
    text = '{"name": "Samarkand", "founded": "0701-01-01"}'
    seen = []
    for end in range(0, len(text) + 1, 10):
        block: Any = TextBlock(text[:end])
        if by_tool:
            block = ToolUseBlock("1", "final_answer", text[:end], text[:end], unfinished=True)
        seen.append(CITY.partial(ChatResponse([Candidate(Msg.assistant([block]))])))
    assert seen == [
        None, {"name": ""}, {"name": "Samarkand"}, {"name": "Samarkand"},
        {"name": "Samarkand", "founded": "0701-0"},
    ]  # fmt: skip
    assert DAYS.partial('Look: {"value": [1, 2') == [1, 2]
    assert DAYS.partial('{"val') is None
    assert Structured(int).partial("3") == 3
    assert CITY.partial(f"```json\n{SAID}\n```") == {"name": "Samarkand"}
    assert CITY.partial("Well, ") is None


def test_an_answer_that_does_not_fit_is_asked_for_again() -> None:
    wire = dragoman.wire("anthropic")
    request = ChatRequest([Msg.user("Pick one.")])
    said = ToolUseBlock("1", "final_answer", {"named": "Samarkand"})
    response = ChatResponse([Candidate(Msg.assistant([said]), Finish("tool_calls"))])
    with pytest.raises(InvalidOutput) as caught:
        CITY.parse(response)
    msgs = repair_messages(response, caught.value)
    assert [m.role for m in msgs] == ["assistant", "user"]
    assert msgs[0].text == '{"named": "Samarkand"}'
    assert "$.name: Field required" in msgs[1].text
    asked = structured_request(ChatRequest(request.messages + msgs), wire, OLD_CLAUDE, CITY)
    codes = [loss.code for loss in wire.write_request(asked.request, model=OLD_CLAUDE).losses]
    assert codes == ["format.as_tool", "max_tokens.default"]
    empty = ChatResponse([Candidate(Msg.assistant([]))])
    assert [m.text for m in repair_messages(empty, caught.value, "再来：{error}")] == [
        f"再来：{caught.value}"
    ]


def test_a_stream_is_read_the_same_way() -> None:
    wire = dragoman.wire("anthropic")
    asked = structured_request(ChatRequest([Msg.user("Pick one.")]), wire, OLD_CLAUDE, CITY).request
    out = wire.write_request(asked, model=OLD_CLAUDE)
    start = {"id": "m", "role": "assistant", "model": "m", "usage": {"input_tokens": 1}}
    call = {"type": "tool_use", "id": "t", "name": "final_answer", "input": {}}
    parts = ('{"name": "Sam', 'arkand", "fou', 'nded": "0701-01-01"}')
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": call},
        *({"type": "content_block_delta", "index": 0,
           "delta": {"type": "input_json_delta", "partial_json": part}} for part in parts),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}},
        {"type": "message_stop"},
    ]  # fmt: skip
    stream = wire.read_stream(iter(events), request=out)
    seen = [CITY.partial(stream.partial) for event in stream if event.type == "tool-delta"]
    assert seen == [
        {"name": "Sam"}, {"name": "Samarkand"}, {"name": "Samarkand", "founded": "0701-01-01"},
    ]  # fmt: skip
    assert CITY.parse(stream.response) == City(name="Samarkand", founded=date(701, 1, 1))


# -- laws ------------------------------------------------------------------------------------------

WORDS = st.text(st.characters(codec="utf-8"), max_size=8)
VALUES: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (City, st.builds(City, name=WORDS, founded=st.none() | st.dates())),
    (Place, st.builds(Place, st.floats(-90, 90), st.lists(WORDS, max_size=3))),
    (Stop, st.fixed_dictionaries({"name": WORDS})),
    (list[int], st.lists(st.integers(), max_size=4)),
    (dict[str, bool], st.dictionaries(WORDS, st.booleans(), max_size=3)),
    (str, WORDS),
    (int | None, st.none() | st.integers()),
]


def written(structured: Structured[Any], kind: Any, value: Any) -> str:
    plain = TypeAdapter(kind).dump_python(value, mode="json")
    wraps = (
        structured.format.schema != ResponseFormat.of(kind).schema if kind != int | None else True
    )
    return json.dumps({"value": plain} if wraps else plain, ensure_ascii=False)


@given(data=st.data())
def test_what_is_written_as_the_format_says_comes_back(data: st.DataObject) -> None:
    kind, values = data.draw(st.sampled_from(VALUES))
    value = data.draw(values)
    structured: Structured[Any] = Structured(kind)
    text = written(structured, kind, value)
    fence = data.draw(st.sampled_from(["", "```json\n"]))
    assert structured.parse(f"{fence}{text}{fence and chr(10) + '```'}") == value


@given(data=st.data())
def test_what_has_come_only_grows(data: st.DataObject) -> None:
    kind, values = data.draw(st.sampled_from(VALUES))
    structured: Structured[Any] = Structured(kind)
    text = written(structured, kind, data.draw(values))
    whole = structured.partial(text)
    end = data.draw(st.integers(0, len(text)))
    assert grows(structured.partial(text[:end]), whole)


def grows(part: Any, whole: Any) -> bool:
    """Whether the one can be the beginning of the other."""
    if part is None:
        return True
    if isinstance(part, str):
        return isinstance(whole, str) and whole.startswith(part)
    if isinstance(part, list):
        return len(part) <= len(whole) and all(map(grows, part, whole))
    if isinstance(part, dict):
        return list(part) == list(whole)[: len(part)] and all(
            grows(item, whole[key]) for key, item in part.items()
        )
    return type(part) is type(whole)  # a number may have more digits to come


@pytest.mark.parametrize("keyword", ["items", "anyOf", "allOf", "not"])
def test_a_schema_that_is_nested_deeply_is_taken_or_refused(keyword: str) -> None:
    for levels in (300, 450, 640, 900, 1100):
        schema: Any = {"type": "string"}
        for _ in range(levels):
            schema = {keyword: [schema] if keyword.endswith("Of") else schema}
        answer = "[" * levels + "]" * levels
        with suppress(DragomanError):
            Structured(schema).parse(answer)


def test_references_to_the_root_of_a_schema_are_moved_at_any_depth() -> None:
    deep: Any = {"$ref": "#"}
    for _ in range(400):
        deep = {"items": deep}
    made = Structured({"type": "array", "items": deep, "$defs": {"x": {"$ref": "#"}}})
    schema: Any = made.format.schema
    inner: Any = schema["properties"]["value"]["items"]
    for _ in range(400):
        inner = inner["items"]
    assert inner == {"$ref": "#/properties/value"} == schema["$defs"]["x"]


def test_a_missing_library_is_found_before_a_request_is_paid(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    script = Scripted("{}")
    llm = LLM("openai/gpt-4o", key="k", transport=script)
    schema = {"type": "object", "title": "checked by nothing so far"}
    with pytest.raises(ConfigError, match=r"dragoman\[schema\]"):
        llm.ask("Hi", response_format=schema)
    assert script.calls == []
