"""Why somebody else's answer may differ from ours: one table for each wire.

A difference that no row explains is a fault, of the reader or of the table.
"""

from __future__ import annotations

from importlib import import_module

from tests.contract.reading.difference import Difference, Reason

__all__ = ["reason_of", "reasons"]


def reasons(wire: str) -> tuple[Reason, ...]:
    """The reasons that may be given on a wire."""
    found: tuple[Reason, ...] = import_module(f"{__name__}.{wire.replace('-', '_')}").REASONS
    return found


def reason_of(wire: str, one: Difference) -> str | None:
    """The name of the first reason that holds; None if the difference is unexplained."""
    return next((reason.name for reason in reasons(wire) if reason.holds(one)), None)
