"""The one table of what a judge lets pass although a rule or an SDK type refuses it.

Every row says why and where that is known. A row pardons one rule at one place, under its
conditions; `judge_*(..., without=...)` switches rows off, so tests can show each is needed.
"""

from __future__ import annotations

from collections.abc import Collection

from ..fault import Fault, Json
from . import chat, hosts, wires
from .row import Exemption

__all__ = ["EXEMPTIONS", "Exemption", "pardon"]

EXEMPTIONS: tuple[Exemption, ...] = (*chat.ROWS, *hosts.ROWS, *wires.ROWS)


def pardon(
    wire: str, fault: Fault, body: Json, scope: str, without: Collection[str] = ()
) -> Exemption | None:
    """The first row of the table that lets this fault pass, if any."""
    for row in EXEMPTIONS:
        if row.name not in without and row.pardons(wire, fault, body, scope):
            return row
    return None
