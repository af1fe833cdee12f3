"""All recorded exchanges of a protocol, read and compared, and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import dragoman
from dragoman.codec.wire import Wire
from dragoman.errors import ConfigError, DragomanError, ProviderError

from .compare import compared, read
from .leaves import missing
from .reasons import reason_of
from .recorded import Exchange, exchanges
from .view import view_faults

__all__ = ["Tally", "tally"]

NAMES = {"zai": "zhipu", "google": "gemini"}  # vendors as the corpus calls them


@dataclass(slots=True)
class Tally:
    """The counts of one protocol. `unexplained` and `lost` must stay empty."""

    answers: int = 0  # whole ones that were read
    errors: int = 0  # bodies that say an error, and that we read as one
    foreign: int = 0  # bodies that are no answer of this call, refused with a typed error
    streams: int = 0
    equal: int = 0
    differing: int = 0  # for reasons that have a name
    hosted: int = 0  # of all these, read by the vendor's own wire as well
    reasons: Counter[str] = field(default_factory=Counter)
    unexplained: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)  # leaves of whole answers that are nowhere


def tally(name: str, every: int = 1) -> Tally:
    """All exchanges of a protocol, or some of them."""
    made = Tally()
    for exchange in exchanges(name, every):
        _count(name, exchange, dragoman.wire(name), made)
        for wire in _own(NAMES.get(exchange.vendor, exchange.vendor), name):
            made.hosted += 1
            aside = Tally()
            _count(name, exchange, wire, aside)
            made.unexplained += [f"{wire.name}: {line}" for line in aside.unexplained]
            made.lost += [f"{wire.name}: {line}" for line in aside.lost]
    return made


@cache
def _own(vendor: str, protocol: str) -> tuple[Wire, ...]:
    """The wire of the vendor that answered, if it has one of this protocol."""
    try:
        return (dragoman.wire(f"{vendor}/{protocol}"),)
    except ConfigError:
        return ()


def _count(name: str, exchange: Exchange, wire: Wire, made: Tally) -> None:
    if exchange.events is None:
        made.unexplained += _whole(name, exchange, wire, made)
        return
    made.streams += 1
    found = compared(name, exchange, wire)
    named = [(one, reason_of(name, one)) for one in found]
    made.equal += not found
    made.differing += bool(found) and all(reason for _, reason in named)
    made.reasons.update({reason for _, reason in named if reason is not None})
    made.unexplained += [str(one) for one, reason in named if reason is None]
    made.unexplained += [f"{exchange.id}: {line}" for line in view_faults(wire, exchange)]


def _whole(name: str, exchange: Exchange, wire: Wire, made: Tally) -> Iterator[str]:
    try:
        resp = read(wire, exchange)
        made.answers += 1
        made.lost += [f"{exchange.id}: {leaf}" for leaf in missing(name, exchange.body, resp)]
    except ProviderError:
        made.errors += 1
    except DragomanError as error:
        made.foreign += 1
        if exchange.taken and not _foreign(name, exchange.body):
            yield f"{exchange.id}: {error}"


def _foreign(name: str, body: Any) -> bool:
    """Whether a body is the answer of another call of the same API."""
    return name == "gemini" and not body.keys() & {"candidates", "promptFeedback", "error"}
