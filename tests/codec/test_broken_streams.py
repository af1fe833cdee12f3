"""A stream that fails or is cut inside a call, as every wire's clients take it.

Clients run a call that has ended: an open one must not be ended by the failure.
"""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman.vendors import PROTOCOLS
from tests.each_case import each_case

FAILURE = {"error": {"message": "overloaded", "type": "server_error", "code": "503"}}
# what ends a call, by the name of the event
ENDS = frozenset({
    "content_block_stop", "contentBlockStop", "tool-call-end", "response.output_item.done",
    "response.function_call_arguments.done",
})  # fmt: skip


def chunks(*fragments: str, failure: bool = True, text: str = "") -> list[Any]:
    """A text and a call of `rm` that no event ends, in Chat's chunks."""
    call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "rm",
            "arguments": ""}}  # fmt: skip
    deltas: list[Any] = [{"role": "assistant", "content": text}] if text else []
    deltas.append({"tool_calls": [call]})
    deltas += [{"tool_calls": [{"index": 0, "function": {"arguments": f}}]} for f in fragments]
    events: list[Any] = [
        {"id": "a", "model": "m", "object": "chat.completion.chunk", "created": 1,
         "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for delta in deltas
    ]  # fmt: skip
    return [*events, FAILURE] if failure else events


HALF_CALLS = {"half": ('{"path": "/tm',), "none": (), "blank": (" ",), "open": ('{"path": "/"',)}


@each_case("failure", [True, False])
@each_case("half", HALF_CALLS)
@each_case("target", PROTOCOLS)
def test_an_open_call_is_never_ended_by_a_failure(target: str, half: str, failure: bool) -> None:
    given = chunks(*HALF_CALLS[half], failure=failure, text="Let me look.")
    stream = dragoman.convert_stream(iter(given), "openai-chat", target, policy="ignore")
    events = [(event.event, event.data) for event in stream]
    assert not ends_behind_the_call(events)
    for again in (events, [*twice(target, events)]):
        if not again:
            continue
        reader = dragoman.wire(target).read_stream(again)
        assert [*reader]
        assert reader.response.calls == []
        assert reader.response.finish.reason != "tool_calls"
        assert reader.response.status in ("interrupted", "error", "truncated")
        assert reader.error is not None  # the provider's, or that there was no end


def ends_behind_the_call(events: list[Any]) -> frozenset[str]:
    first = next((i for i, (_, data) in enumerate(events) if '"rm"' in data), len(events))
    return ENDS & {name for name, _ in events[first:]}


def twice(target: str, events: list[Any]) -> list[Any]:
    """The same events once more over their own wire."""
    read = dragoman.convert_stream(iter(events), target, target, policy="ignore")
    again = [(event.event, event.data) for event in read]
    assert not ends_behind_the_call(again)
    return again


@pytest.mark.parametrize("target", PROTOCOLS)
def test_what_was_said_before_stays(target: str) -> None:
    given = chunks('{"pa', text="Let me look.")
    stream = dragoman.convert_stream(iter(given), "openai-chat", target, policy="ignore")
    reader = dragoman.wire(target).read_stream((event.event, event.data) for event in stream)
    assert [*reader]
    assert reader.response.text == "Let me look."
    assert reader.error is not None
    assert reader.error.message == "overloaded"


@each_case("failure", [True, False])
@each_case("target", PROTOCOLS)
def test_balanced_arguments_end_no_call_either(target: str, failure: bool) -> None:
    given = chunks('{"path": ', '"/tmp"}', failure=failure)
    stream = dragoman.convert_stream(iter(given), "openai-chat", target, policy="ignore")
    assert not ends_behind_the_call([(event.event, event.data) for event in stream])


def choice(index: int, delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    return {"id": "a", "model": "m", "object": "chat.completion.chunk", "created": 1,
            "choices": [{"index": index, "delta": delta, "finish_reason": reason}]}  # fmt: skip


BEGUN = [choice(0, {"role": "assistant", "content": "one"}), choice(1, {"content": "two"})]


@each_case("ended", [0, 1])
@each_case("target", PROTOCOLS)
def test_no_candidate_ends_beside_one_that_breaks_off(target: str, ended: int) -> None:
    given = [*BEGUN, choice(ended, {}, "stop")]
    stream = dragoman.convert_stream(iter(given), "openai-chat", target, policy="ignore")
    reader = dragoman.wire(target).read_stream((event.event, event.data) for event in stream)
    assert [*reader]
    assert reader.response.status == "error"
    assert {one.finish.reason for one in reader.response.candidates} <= {"other", "error"}


@each_case("first", [0, 1])
@each_case("target", PROTOCOLS)
def test_candidates_that_all_end_are_complete(target: str, first: int) -> None:
    given = [*BEGUN, choice(first, {}, "stop"), choice(1 - first, {}, "length")]
    stream = dragoman.convert_stream(iter(given), "openai-chat", target, policy="ignore")
    reader = dragoman.wire(target).read_stream((event.event, event.data) for event in stream)
    assert [*reader]
    reasons = ["stop", "length"] if first == 0 else ["length", "stop"]
    assert [one.finish.reason for one in reader.response.candidates] in (reasons, reasons[:1])
    assert reader.error is None
