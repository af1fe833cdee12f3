"""Every recorded answer and stream is claimed by its own wire, and by no other but a lookalike."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman.vendors import PROTOCOLS
from tests.contract.reading.recorded import another, file_of

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus" / "open"

# Protocols that answer in each other's shape: then the first of all protocols is meant.
ALIKE = {"openai-chat": {"mistral"}, "mistral": {"openai-chat"}}
NO_ANSWER = 1  # of Chat: a proxy's {"message": "Success"}


def _recorded(protocol: str) -> Iterator[tuple[str, list[tuple[str | None, Any]]]]:
    """Id and events of what was answered without an error; a whole answer is one event."""
    with file_of(protocol).open(encoding="utf-8") as lines:
        for line in lines:
            exchange = json.loads(line)
            if another(protocol, exchange["url_path"]):
                continue
            if exchange["events"] is not None:
                events = [(one["event"], one["data"]) for one in exchange["events"]]
            elif 200 <= (exchange["status"] or 0) < 300:
                events = [(None, exchange["response"])]
            else:
                continue
            said = [(name, data) for name, data in events if isinstance(data, dict)]
            if said:
                yield exchange["id"], said


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_was_recorded_is_claimed_by_its_wire(protocol: str) -> None:
    if not CORPUS.is_dir():
        pytest.skip("needs the recorded traffic in ../shared/corpus/open")
    rooms = {name: dragoman.wire(name).room for name in PROTOCOLS}
    seen, missed, claimed = 0, [], set()
    for id, events in _recorded(protocol):
        counts = {name: sum(room.answers(data, event) for event, data in events)
                  for name, room in rooms.items()}  # fmt: skip
        seen += 1
        if not counts[protocol] or counts[protocol] < max(counts.values()):
            missed.append(id)
        claimed |= {name for name, count in counts.items() if count}
    assert seen > 0
    assert len(missed) <= (NO_ANSWER if protocol == "openai-chat" else 0), missed
    assert claimed - {protocol} <= ALIKE.get(protocol, set())


@pytest.mark.parametrize("payload", [{}, {"error": {"message": "no"}}, {"message": "no"}])
def test_what_tells_nothing_is_claimed_by_nobody(payload: dict[str, Any]) -> None:
    assert [name for name in PROTOCOLS if dragoman.wire(name).room.answers(payload)] == []
