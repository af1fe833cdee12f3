"""Unknown in, unknown kept: what no reader knows changes nothing, wherever it comes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import dragoman
from dragoman.message import ChatResponse
from tests.each_case import each_case
from tests.laws.cutting import by_events
from tests.laws.streams import STREAMS

NOISE: tuple[tuple[str | None, Any], ...] = (
    ("ping", {}), (None, {}), ("tomorrow", {"x": {"y": [1]}}), (None, ": keepalive"), (None, []),
    (None, [{}]), ("ping", None), (None, 1), (None, "null"), (None, " "),
)  # fmt: skip


def without_noise(resp: ChatResponse) -> ChatResponse:
    """The answer without the events that were kept."""
    own = {issuer: {k: v for k, v in told.items() if k != "events"}
           for issuer, told in (resp.extras or {}).items()}  # fmt: skip
    return replace(resp, extras={issuer: told for issuer, told in own.items() if told} or None)


@each_case("noise", NOISE, ids=repr)
@each_case("wire", STREAMS)
def test_noise_changes_nothing(wire: str, noise: tuple[str | None, Any]) -> None:
    events = STREAMS[wire][0]
    known = by_events(wire, events)
    for at in range(len(events) + 1):
        resp = by_events(wire, [*events[:at], noise, *events[at:]])
        assert without_noise(resp) == without_noise(known), f"before event {at}"


@pytest.mark.parametrize("wire", STREAMS)
def test_to_look_on_the_way_changes_nothing(wire: str) -> None:
    for events in STREAMS[wire]:
        decoder = dragoman.wire(wire).stream_decoder()
        for name, payload in events:
            decoder.feed(payload, name)
            decoder.snapshot()
        assert decoder.finish() == by_events(wire, events)
        assert decoder.finish() == by_events(wire, events), "nor does to ask twice"


@pytest.mark.parametrize("wire", STREAMS)
def test_what_is_fed_is_not_changed(wire: str) -> None:
    for events in STREAMS[wire]:
        before = repr(events)
        by_events(wire, events)
        assert repr(events) == before
