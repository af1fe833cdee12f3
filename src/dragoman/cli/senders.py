"""Whose answers a recording holds, and whether a list of values is one stream or many answers."""

from __future__ import annotations

from .._wire import Wire
from ..vendors import PROTOCOLS, wire
from .errors import CommandError
from .recorded import Recorded

__all__ = ["bound"]

_MOST = 100  # events of a recording that are looked at to see whose they are


def bound(one: Recorded, source: str) -> list[tuple[Recorded, Wire | CommandError]]:
    """The recording with the wire that it came from; a list of whole answers as those."""
    try:
        sender = wire(_sender(one) if source == "auto" else source)
    except CommandError as error:
        return [(one, error)]
    if len(one.events) > 1 and one.places and _are_answers(one, sender):
        return [(part, sender) for part in one.each()]
    return [(one, sender)]


def _sender(one: Recorded) -> str:
    """The protocol whose answers look most like it; of those that look alike the first."""
    seen = [(name, data) for name, data in one.payloads() if isinstance(data, dict)][:_MOST]
    rooms = {name: wire(name).room for name in PROTOCOLS}
    counts = {name: sum(room.answers(data, event) for event, data in seen)
              for name, room in rooms.items()}  # fmt: skip
    best = max(counts, key=lambda name: counts[name])
    if not counts[best]:
        raise CommandError(
            f"{one.place}: no wire answers in this shape",
            "errors look alike everywhere; --from WIRE says who answered",
        )
    return best


def _are_answers(one: Recorded, sender: Wire) -> bool:
    """Whether each value is an answer by itself: it ends, and they are not one answer by its id."""
    ids = []
    for name, data in one.events:
        decoder = sender.stream_decoder()
        decoder.feed(data, name)
        resp = decoder.finish()
        if resp.status == "interrupted":
            return False
        ids.append(resp.id)
    return ids[0] is None or len(set(ids)) > 1
