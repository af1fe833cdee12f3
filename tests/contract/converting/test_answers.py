"""The judge of law 3 for answers: official clients read made-up ones as we do, and each change."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

import dragoman
from dragoman.message import ChatResponse
from tests.fuzz.seeds import ANSWERS
from tests.laws.streams import STREAMS

from .answers import apart, told
from .clients import CLIENTS, Call, Said, Spent, client
from .words import ENDS

SAID = Said("Hi.", [Call("look", {"at": 1})], Spent(3, 4, 7), "tool_calls")


def kinds(one: Said, two: Said, source: str = "openai-chat", target: str = "openai-chat") -> Any:
    """The classes of what two readings say otherwise."""
    return [kind for kind, _ in apart(source, [one], target, [two])]


def read(wire: str, events: Any) -> ChatResponse:
    """A stream as the package reads it."""
    decoder = dragoman.wire(wire).stream_decoder()
    for name, payload in events:
        decoder.feed(payload, name)
    return decoder.finish()


def content(saids: list[Said]) -> Any:
    """Texts and calls, an answer without any being one."""
    return [(one.text, one.calls) for one in saids]


@pytest.mark.parametrize("wire", CLIENTS)
def test_clients_read_whole_answers_as_we_do(wire: str) -> None:
    for body in ANSWERS[wire]:
        ours = told(dragoman.wire(wire).read_response(body))
        theirs = client(wire).whole(body)
        assert content(theirs) == content(ours)
        for one, other in zip(theirs, ours, strict=True):
            assert one.spent.output == other.spent.output
            assert one.spent.input == other.spent.input


@pytest.mark.parametrize("wire", CLIENTS)
def test_clients_read_streams_as_we_do(wire: str) -> None:
    events = STREAMS[wire][0]
    named = [(name or data.get("type"), data) for name, data in events if isinstance(data, dict)]
    theirs = client(wire).streamed(named if wire == "anthropic" else events)
    assert content(theirs) == content(told(read(wire, events)))


def test_a_strict_client_refuses_what_its_types_do_not_allow() -> None:
    good = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
            "content": [{"type": "text", "text": "Hi."}], "stop_reason": "end_turn",
            "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 2}}  # fmt: skip
    assert client("anthropic").whole(good, strict=True)[0].text == "Hi."
    bad: Any = deepcopy(good)
    del bad["usage"]["output_tokens"]
    with pytest.raises(Exception, match="invalid"):
        client("anthropic").whole(bad, strict=True)


def test_a_client_hears_each_stream_apart() -> None:
    """One transport serves all: an answer never holds what another said."""
    for wire in CLIENTS:
        said = [content(client(wire).whole(body)) for body in ANSWERS[wire]]
        again = [content(client(wire).whole(body)) for body in reversed(ANSWERS[wire])]
        assert said == again[::-1]


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"text": "Hi"}, ["text"]),
        ({"calls": []}, ["calls"]),
        ({"calls": [Call("look", {"at": True})]}, ["calls"]),
        ({"calls": [Call("Look", {"at": 1})]}, ["calls"]),
        ({"spent": Spent(4, 4, 7)}, ["input"]),
        ({"spent": Spent(3, 5, 7)}, ["output"]),
        ({"spent": Spent(3, 4, 8)}, ["total"]),
        ({"spent": Spent(3, 4)}, []),
        ({"finish": "length"}, ["finish"]),
        ({"finish": None}, ["finish"]),
    ],
)
def test_each_difference_is_found(change: dict[str, Any], found: list[str]) -> None:
    assert kinds(SAID, replace(SAID, **change)) == found


def test_a_candidate_less_is_found() -> None:
    found = [kind for kind, _ in apart("gemini", [SAID, SAID], "anthropic", [SAID])]
    assert found[0] == "candidates"


def test_ends_are_compared_by_what_they_mean() -> None:
    done = replace(SAID, calls=[], finish="stop")
    assert kinds(done, replace(done, finish="end_turn"), target="anthropic") == []
    assert kinds(done, replace(done, finish="max_tokens"), target="anthropic") == ["finish"]
    assert kinds(done, replace(done, finish="STOP"), target="gemini") == []
    # a wire that has no word for calls means them by any end behind one
    assert kinds(SAID, replace(SAID, finish="STOP"), target="gemini") == []
    assert kinds(SAID, replace(SAID, finish="end_turn"), target="anthropic") == ["finish"]
    # a field for refusals says as much as a word for them
    refused = replace(done, refused=True)
    assert kinds(refused, replace(done, finish="refusal"), target="anthropic") == []
    assert kinds(refused, done) == kinds(done, refused) == ["finish"]
    # a forced call ends with `stop` at some providers: more may be said of it
    assert (
        kinds(replace(SAID, finish="stop"), replace(SAID, finish="tool_use"), target="anthropic")
        == []
    )


def test_of_arguments_that_were_cut_off_the_name_is_compared() -> None:
    cut = replace(SAID, calls=[Call("look", '{"at":')])
    assert kinds(cut, replace(SAID, calls=[Call("look", {})])) == []
    assert kinds(cut, replace(SAID, calls=[Call("see", {})])) == ["calls"]


def test_every_client_has_its_words() -> None:
    assert set(ENDS) == set(CLIENTS)
