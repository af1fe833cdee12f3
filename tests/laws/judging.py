"""Which judge reads what a wire or a formatter writes."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from dragoman import Wire
from dragoman.message import Written
from dragoman.vendors import VENDORS, vendor
from tests.contract.judges import WIRES, judge_messages, judge_request

__all__ = ["list_faults", "request_faults"]


def _judge(wire: Wire) -> str:
    return wire.name if wire.name in WIRES else wire.room.protocol


def request_faults(wire: Wire, out: Written) -> list[str]:
    """What the provider would refuse of a whole request."""
    rows = [wire.vendor] if wire.vendor else [vendor(name) for name in VENDORS]
    row = next(row for row in rows if wire.room.protocol in row.wires)
    return judge_request(_judge(wire), out.body, urlsplit(row.base_url).path + out.path)


def list_faults(wire: Wire, messages: list[Any]) -> list[str]:
    """What the provider would refuse of the plain list that a formatter gives."""
    return judge_messages(_judge(wire), messages) if messages else []
