"""A history fitted to capabilities, and what was lost: for the tests of this folder."""

from __future__ import annotations

from typing import Any

from dragoman.capabilities import Capabilities
from dragoman.history.passes.lower import fit
from dragoman.history.passes.survey import TOOL, survey
from dragoman.history.wording import Wording
from dragoman.losses import Loss, Report
from dragoman.message import Msg, ToolResultBlock, places

__all__ = ["codes", "fitted", "judged"]


def fitted(
    *msgs: Msg,
    told: Wording | None = None,
    saver: Any = None,
    hints: int = 0,
    lasts: float | None = None,
    **can: Any,
) -> tuple[list[Msg], list[tuple[str, str]]]:
    """(messages, losses by code and path)."""
    made, losses = judged(*msgs, told=told, saver=saver, hints=hints, lasts=lasts, **can)
    return made, [(loss.code, loss.where) for loss in losses]


def judged(
    *msgs: Msg,
    told: Wording | None = None,
    saver: Any = None,
    hints: int = 0,
    lasts: float | None = None,
    **can: Any,
) -> tuple[list[Msg], list[Loss]]:
    """(messages, losses). Of whatever was made it is known where it came from."""
    report = Report(msgs, None, places)
    seated = survey(list(msgs), report)
    seated = fit(seated, Capabilities(**can), report, told or Wording(), saver, hints, lasts)
    assert len(seated.msgs) == len(seated.roles)
    for m, seat in zip(seated.msgs, seated.roles, strict=True):
        blocks = [] if isinstance(m.content, str) else m.content
        outputs = [getattr(block, "output", None) for block in blocks]
        inner = [one for output in outputs if isinstance(output, list) for one in output]
        assert (seat == TOOL) == any(type(block) is ToolResultBlock for block in blocks)
        for node in (m, *blocks, *inner):
            assert report.locate(node).startswith("$.messages["), node
    return seated.msgs, report.losses


def codes(losses: list[tuple[str, str]]) -> list[str]:
    return [code for code, _ in losses]
