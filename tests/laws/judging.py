"""Which judge reads what a wire or a formatter writes."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from dragoman import Wire
from dragoman.message import Written
from dragoman.vendors import VENDORS, vendor
from tests.contract.judges import judge_messages, judge_of, judge_request

__all__ = ["list_faults", "request_faults"]


def _judge(wire: Wire) -> str:
    protocol = wire.room.protocol
    return judge_of(wire.vendor.name if wire.vendor else protocol, protocol)


def request_faults(wire: Wire, out: Written) -> list[str]:
    """What the provider would refuse of a whole request."""
    rows = [wire.vendor] if wire.vendor else [vendor(name) for name in VENDORS]
    row = next(row for row in rows if wire.room.protocol in row.wires)
    base = urlsplit(row.url(wire.room.protocol)).path
    return judge_request(_judge(wire), out.body, base + out.path)


def list_faults(wire: Wire, messages: list[Any]) -> list[str]:
    """What the provider would refuse of the plain list that a formatter gives."""
    return judge_messages(_judge(wire), messages) if messages else []
