"""Recorded streams, written again in every framing of their wire and cut at random."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from tests.laws.cutting import by_bytes, by_events, cut
from tests.laws.encoding import ENDINGS, encoded
from tests.laws.streams import FRAMINGS, STREAMS

from .recorded import exchanges

__all__ = ["cuts_that_differ", "streams_of"]

LARGEST = 20_000  # bytes of a stream that is cut a thousand times


def cuts_that_differ(wire: str, count: int, splits: int, seed: int) -> tuple[int, list[str]]:
    """(how many cuts were tried, those that gave another answer).

    `count` streams, each in all framings in turn, `splits` times; where fewer were recorded, the
    made-up ones and further turns of the recorded ones make up the number.
    """
    rng = Random(f"{wire}{seed}")
    ways = [(framing, ending) for framing in FRAMINGS.get(wire, ("sse",))
            for ending in (ENDINGS if framing != "aws-eventstream" else ENDINGS[:1])]  # fmt: skip
    tried, wrong = 0, []
    for name, events in streams_of(wire, count, rng):
        known = by_events(wire, events)
        bodies = [(framing, encoded(events, framing, ending, ascii))
                  for framing, ending in ways for ascii in (False, True)]  # fmt: skip
        for turn in range(splits):
            framing, body = bodies[turn % len(bodies)]
            chunks = cut(body, rng)
            tried += 1
            if by_bytes(wire, chunks, framing) != known:
                wrong.append(f"{name}: {framing}, cut into {[len(chunk) for chunk in chunks]}")
    return tried, wrong


def streams_of(wire: str, count: int, rng: Random) -> list[tuple[str, Sequence[Any]]]:
    """`count` streams of a wire, none of them too long."""
    found: list[tuple[str, Sequence[Any]]] = [
        (f"made-up#{nth}", events) for nth, events in enumerate(STREAMS[wire])
    ]
    recorded = [(one.id, one.events) for one in exchanges(wire)
                if one.events and 2 < len(str(one.events)) < LARGEST]  # fmt: skip
    found += rng.sample(recorded, max(0, min(count - len(found), len(recorded))))
    return (found * (count // len(found) + 1))[:count]
