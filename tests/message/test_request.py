"""Requests, options and answers as values."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from dragoman import Formatter, wire
from dragoman.errors import DragomanError, InvalidMessage, NotMessages
from dragoman.message import (
    Candidate,
    ChatRequest,
    ChatResponse,
    Finish,
    Msg,
    Options,
    ResponseFormat,
    Tool,
    ToolChoice,
    ToolUseBlock,
    Usage,
)
from dragoman.message.request import ASKS
from tests.each_case import each_case

HI = [Msg("", "Hi.")]


def wrong(value: object) -> Any:
    return value


def test_options_in_every_form() -> None:
    given = Options(temperature=0.5)
    assert Options.of(given) is given
    assert Options.of({"temperature": 0.5}) == given
    assert Options.of(None) == Options.of({}) == Options()
    assert Options().list_values() == []
    assert Options(seed=0, temperature=0.0, logprobs=False).list_values() == [
        ("temperature", 0.0), ("seed", 0), ("logprobs", False),
    ]  # fmt: skip


def test_stop_is_a_tuple_of_texts() -> None:
    forms: list[Any] = ["END", ["END"], ("END",), iter(["END"])]
    assert [Options(stop=stop).stop for stop in forms] == [("END",)] * 4


BAD_OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"temprature": 1}, "$.options"),
    ({"temperature": "hot"}, "$.options.temperature"),
    ({"temperature": float("nan")}, "$.options.temperature"),
    ({"temperature": True}, "$.options.temperature"),
    ({"max_tokens": 1.5}, "$.options.max_tokens"),
    ({"max_tokens": "many"}, "$.options.max_tokens"),
    ({"seed": True}, "$.options.seed"),
    ({"logprobs": 1}, "$.options.logprobs"),
    ({"reasoning": 7}, "$.options.reasoning"),
    ({"user": "\ud83d"}, "$.options.user"),
    ({"presence_penalty": "x"}, "$.options.presence_penalty"),
    ({"service_tier": 1}, "$.options.service_tier"),
    ({"stop": 7}, "$.options.stop"),
    ({"stop": ["a", float("inf")]}, "$.options.stop[1]"),
    ({"top_p": object()}, "$.options.top_p"),
]


@pytest.mark.parametrize(("given", "path"), BAD_OPTIONS)
def test_wrong_options_are_refused(given: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidMessage) as caught:
        Options.of(given)
    assert caught.value.path == path


@pytest.mark.parametrize("given", [7, "temperature", [("temperature", 1)]])
def test_no_options(given: Any) -> None:
    with pytest.raises(InvalidMessage) as caught:
        Options.of(given)
    assert caught.value.path == "$.options"


def test_response_formats() -> None:
    schema = {"type": "object"}
    assert ResponseFormat("schema", schema).schema is schema
    for args in (("schema",), ("json", schema), ("text", schema), ("yaml",)):
        with pytest.raises(InvalidMessage):
            ResponseFormat(*args)
    with pytest.raises(InvalidMessage) as caught:
        ResponseFormat("schema", {"n": float("nan")})
    assert caught.value.path == "$.response_format.schema.n"


def test_a_request_takes_short_forms() -> None:
    req = ChatRequest(
        iter(HI),  # type: ignore[arg-type]  # any iterable
        tools=wrong([{"name": "f"}]),
        tool_choice=wrong("required"),
        options=wrong({"max_tokens": 5}),
    )
    assert req.messages == HI
    assert req.tools == [Tool("f")]
    assert req.tool_choice == ToolChoice("required")
    assert req.options == Options(max_tokens=5)


def test_the_callers_list_is_the_requests_list() -> None:
    msgs = list(HI)
    req = ChatRequest(msgs)
    assert req.messages is msgs
    req.messages.append(Msg("", "More."))
    assert len(msgs) == 2


def test_requests_share_no_lists() -> None:
    first, second = ChatRequest(list(HI)), ChatRequest(list(HI))
    assert isinstance(first.tools, list)
    first.tools.append(Tool("f"))
    assert second.tools == []


BAD_REQUESTS: list[tuple[dict[str, Any], str]] = [
    ({"system": 7}, "$.system"),
    ({"system": ["x"]}, "$.system"),
    ({"memories": {}}, "$.memories"),
    ({"model": 7}, "$.model"),
    ({"agent_name": 7}, "$.agent_name"),
    ({"stream": "yes"}, "$.stream"),
    ({"metadata": "x"}, "$.metadata"),
    ({"tools": 7}, "$.tools"),
    ({"tools": Tool("f")}, "$.tools"),
    ({"tools": ["f"]}, "$.tools[0]"),
    ({"tool_choice": 7}, "$.tool_choice"),
    ({"options": 7}, "$.options"),
    ({"options": {"hot": 1}}, "$.options"),
    ({"response_format": {"type": "yaml"}}, "$.response_format"),
    ({"response_format": 7}, "$.response_format"),
    ({"extras": {"openai": 1}}, "$.extras.openai"),
    ({"extras": {"openai": {"k": float("nan")}}}, "$.extras.openai.k"),
]


@each_case(("fields", "path"), BAD_REQUESTS)
def test_wrong_requests_are_refused(fields: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidMessage) as caught:
        ChatRequest(HI, **fields)
    assert caught.value.path == path


@pytest.mark.parametrize("messages", [None, "Hi.", 7, ["Hi."], [None], {"a": 1}])
def test_a_request_needs_messages(messages: Any) -> None:
    with pytest.raises(NotMessages) as caught:
        ChatRequest(messages)
    assert isinstance(caught.value, (DragomanError, TypeError))


@pytest.mark.parametrize("given", [HI, "Hi.", None])
def test_a_list_of_messages_is_no_request(given: Any) -> None:
    for write in (wire("openai").write_request, Formatter("openai").format_request):
        with pytest.raises(NotMessages) as caught:
            write(given)
        assert str(caught.value.hint).endswith("ChatRequest(messages)")
        assert type(given).__name__ in str(caught.value)


def test_an_answer_shows_its_first_candidate() -> None:
    call = ToolUseBlock("c", "f")
    first = Candidate(Msg.assistant([call]), Finish("tool_calls", "tool_use"))
    resp = ChatResponse([first, Candidate(Msg.assistant("x"))], Usage(1, output=2))
    assert resp.msg is first.msg
    assert resp.finish == Finish("tool_calls", "tool_use")
    assert resp.calls == [call]
    assert resp.text == ""
    assert resp.status == "complete"
    assert ChatResponse([Candidate(Msg.assistant("x"))]).text == "x"


@pytest.mark.parametrize("way", [copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))])
def test_copies_and_pickles(way: Any) -> None:
    req = ChatRequest(
        list(HI), system="Be.", tools=[Tool("f")], tool_choice=ToolChoice("tool", "f"),
        options=Options(stop=("a",)), response_format=ResponseFormat("schema", {}), model="m",
        stream=True, agent_name="F", memories="old", metadata={"k": 1}, extras={"openai": {"k": 1}},
    )  # fmt: skip
    assert way(req) == req
    resp = ChatResponse([Candidate(HI[0], Finish("stop"), {"a": {}})], Usage(1), id="r1")
    assert way(resp) == resp


def test_what_a_request_asks_for_beside_its_messages() -> None:
    choice, form = ToolChoice("required"), ResponseFormat("json")
    req = ChatRequest(
        list(HI), tools=[Tool("f")], tool_choice=choice, response_format=form, stream=True,
        model="m", options=Options(seed=1), system="Be.", metadata={"k": 1},
    )  # fmt: skip
    asked = req.asks()
    assert tuple(asked) == ASKS
    assert {name: value for name, value in asked.items() if value is not None} == {
        "seed": 1, "tools": (Tool("f"),), "tool_choice": choice, "response_format": form,
        "stream": True, "model": "m",
    }  # fmt: skip
