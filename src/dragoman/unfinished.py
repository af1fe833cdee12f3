"""Seated -> Seated: calls that an answer broke off in do not go back; nobody can have run them.

Knows no wire.
"""

from __future__ import annotations

from collections.abc import Iterable

from .losses import Report
from .message import Msg, ToolUseBlock
from .seats import Seated, survey

__all__ = ["finished"]


def finished(seated: Seated, report: Report) -> Seated:
    """The history without the unfinished calls that have no result; what has one stays."""
    answered = set(seated.results)
    msgs: list[Msg] = []
    changed = False
    for m in seated.msgs:
        gone = [call for call in m.calls if call.unfinished and call.id not in answered]
        kept = m if not gone else _without(m, gone, report)
        if kept is not None:
            msgs.append(kept)
        changed = changed or kept is not m
    return survey(msgs, report) if changed else seated


def _without(m: Msg, gone: Iterable[ToolUseBlock], report: Report) -> Msg | None:
    left_out = set(map(id, gone))
    for call in gone:
        report.lost("call.unfinished", call, did="left out")
    kept = [block for block in m.blocks if id(block) not in left_out]
    made = Msg.trusted(m.name, kept, m.role, m) if kept else None
    report.touched("the removal of an unfinished call", made or m)
    if made is not None:
        report.made(made, m)
    return made
