"""The wires that conversions name, kept with what they know of models."""

from __future__ import annotations

from typing import TypeAlias

from ..caches import remember
from ..codec.wire import Wire
from ..protocols.base import Room
from ..vendors import PROTOCOLS, Vendor, wire

WireLike: TypeAlias = str | Vendor | Wire


def find_wire(target: WireLike) -> Wire:
    """The wire, by its name, its vendor or itself."""
    if isinstance(target, Wire):
        return target
    return get_wire(target) if isinstance(target, str) else wire(target)


@remember("wires that conversions name", entries=64, size=2**16)
def get_wire(name: str) -> Wire:
    """A wire that keeps what it knows of models between conversions; losses are judged for each."""
    return wire(name, policy="ignore")


@remember("a room of each protocol, which recognises its bodies", entries=1, size=2**17)
def protocol_rooms() -> dict[str, Room]:
    """The room of each protocol by its name, in their order of rank."""
    return {name: wire(name).room for name in PROTOCOLS}
