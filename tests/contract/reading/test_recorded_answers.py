"""Recorded answers and streams read as others read them, or for a reason that is named.

A sample here; `make corpus` takes all of them.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

import dragoman
from tests.contract.reading.compare import compared, read
from tests.contract.reading.difference import Difference
from tests.contract.reading.leaves import missing
from tests.contract.reading.reasons import reason_of, reasons
from tests.contract.reading.recorded import PRESENT, WIRES, Exchange
from tests.contract.reading.tally import Tally, tally
from tests.contract.reading.view import view_faults
from tests.laws.streams import STREAMS

EVERY = {"openai-chat": 7, "openai-responses": 7, "anthropic": 7, "gemini": 7, "mistral": 3,
         "bedrock-converse": 3, "dashscope": 1, "ollama": 1, "cohere": 1,
         "gemini-interactions": 1}  # fmt: skip

FEW = {"gemini-interactions": 9}  # whole answers that were recorded


@pytest.mark.skipif(not PRESENT, reason="needs ../shared: recorded traffic")
@pytest.mark.parametrize("wire", WIRES)
def test_recorded_answers_are_read_as_others_read_them(wire: str) -> None:
    found = tally(wire, EVERY[wire])
    assert found.unexplained == []
    assert found.lost == []
    assert found.answers >= FEW.get(wire, 10)
    assert found.streams >= 5
    assert found.equal >= 0.7 * found.streams, "most need no reason"


def made(wire: str, nth: int) -> Exchange:
    return Exchange(f"made-up#{nth}", "made-up", "", True, None, STREAMS[wire][nth], None)


@pytest.mark.parametrize("wire", WIRES)
def test_made_up_streams_are_read_as_others_read_them(wire: str) -> None:
    exchange = made(wire, 0)
    found = compared(wire, exchange)
    assert [one for one in found if reason_of(wire, one) is None] == []


@pytest.mark.parametrize("wire", WIRES)
def test_a_difference_is_found_and_has_no_reason(wire: str) -> None:
    """Of two streams that differ in a word the one is not the other."""
    exchange = made(wire, 0)
    events = [event for event in exchange.events or [] if "über" not in str(event)]
    assert len(events) < len(STREAMS[wire][0])
    theirs = read(dragoman.wire(wire), exchange).text
    ours = read(dragoman.wire(wire), replace(exchange, events=events)).text
    assert theirs != ours
    assert reason_of(wire, Difference(exchange, "0.text", theirs, ours)) is None


@pytest.mark.parametrize("wire", WIRES)
def test_events_of_made_up_streams_add_up(wire: str) -> None:
    for nth in range(len(STREAMS[wire])):
        assert view_faults(dragoman.wire(wire), made(wire, nth)) == []


@pytest.mark.parametrize("wire", WIRES)
def test_reasons_have_names_of_their_own(wire: str) -> None:
    names = [reason.name for reason in reasons(wire)]
    assert len(set(names)) == len(names)


def test_a_leaf_that_is_nowhere_is_found() -> None:
    body = {"id": "1", "object": "chat.completion", "model": "m", "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14}}  # fmt: skip
    resp = dragoman.wire("openai-chat").read_response(body)
    assert missing("openai-chat", body, resp) == []
    assert missing("openai-chat", {**body, "extra": {"a": [1, None, "x"]}}, resp) == [
        "extra.a.0 = 1", "extra.a.1 = None", "extra.a.2 = 'x'",
    ]  # fmt: skip


def test_a_tally_counts() -> None:
    assert (Tally().answers, Tally().unexplained) == (0, [])
