"""The streams of the laws: made-up ones always, and recorded ones where somebody has them."""

from __future__ import annotations

from collections.abc import Iterator

from tests.contract.reading.recorded import PRESENT, WIRES, exchanges
from tests.laws.streams import STREAMS

from .ended import Event

__all__ = ["own", "recorded", "sample", "streams"]


def own() -> Iterator[tuple[str, str, list[Event]]]:
    """(wire, name, events) of the made-up streams."""
    for wire, found in STREAMS.items():
        for nth, events in enumerate(found):
            yield wire, f"own {nth}", list(events)


def recorded(every: int = 1) -> Iterator[tuple[str, str, list[Event]]]:
    """The same of recorded ones: of each wire the first of each `every`."""
    for wire in WIRES if PRESENT else ():
        found = [one for one in exchanges(wire) if one.events and one.taken]
        for one in found[::every]:
            assert one.events is not None
            yield wire, one.id, _named(wire, one.events)


def streams(every: int = 1) -> Iterator[tuple[str, str, list[Event]]]:
    """All of them."""
    yield from own()
    yield from recorded(every)


def sample(wire: str, most: int) -> list[tuple[str, list[Event]]]:
    """At most so many recorded streams of a wire, the same each time, none of them very long."""
    found = [
        (one.id, _named(wire, one.events)) for one in exchanges(wire) if one.events and one.taken
    ]
    short = [(name, events) for name, events in found if events and len(events) <= _LONGEST]
    return short[:: max(1, len(short) // most)][:most]


_LONGEST = 200  # events of a stream


def _named(wire: str, events: list[Event]) -> list[Event]:
    """The events under their names, which some recordings have left out and hosts never do."""
    if wire not in ("anthropic", "openai-responses"):
        return events
    return [
        ((data.get("type") if isinstance(data, dict) else None) or name, data)
        for name, data in events
    ]
