"""A history fitted to capabilities, and what was lost: for the tests of this folder."""

from __future__ import annotations

from typing import Any

from dragoman.capabilities import Capabilities
from dragoman.fit import fit
from dragoman.losses import Report
from dragoman.message import Msg, places
from dragoman.seats import survey
from dragoman.told import Told

__all__ = ["codes", "fitted"]


def fitted(
    *msgs: Msg,
    told: Told | None = None,
    saver: Any = None,
    hints: int = 0,
    lasts: float | None = None,
    **can: Any,
) -> tuple[list[Msg], list[tuple[str, str]]]:
    """(messages, losses by code and path)."""
    report = Report(msgs, None, places)
    seated = survey(list(msgs), report)
    seated = fit(seated, Capabilities(**can), report, told or Told(), saver, hints, lasts)
    assert len(seated.msgs) == len(seated.seats)
    return seated.msgs, [(loss.code, loss.where) for loss in report.losses]


def codes(losses: list[tuple[str, str]]) -> list[str]:
    return [code for code, _ in losses]
