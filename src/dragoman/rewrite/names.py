"""Speakers' names as a wire's name field, or a line of a history, can show them.

Two names never become one. Knows no wire: a rule comes in.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..losses import Report
from ..message import Msg
from ..rules import IdRule, mapping, numbered
from .guard import Guard
from .looks import visible

__all__ = ["Spelled", "clean_names"]

_ANY = IdRule()


def clean_names(msgs: list[Msg], rule: IdRule, report: Report) -> list[Msg]:
    """The messages under names that the rule accepts."""
    names = mapping((m.name for m in msgs if m.name), rule)
    if not names:
        return msgs
    out = []
    for m in msgs:
        if m.name not in names:
            out.append(m)
            continue
        made = Msg.trusted(names[m.name], m.content, m.role, m)
        report.made(made, m)
        report.lost("name.mapped", m, "name", did=f"written as {made.name}")
        out.append(made)
    return out


class Spelled(dict[str, str]):
    """Name -> how a line shows it: without what ends a line, and unlike every earlier name.

    The first to come keeps a name, so that a later speaker never changes what was written.
    """

    __slots__ = ("_guard", "_last", "_used")

    def __init__(self, guard: Guard, first: Iterable[str] = ()) -> None:
        super().__init__()
        self._guard = guard
        self._used: set[str] = set()
        self._last: dict[str, int] = {}
        for name in first:
            _ = self[name]

    def __missing__(self, name: str) -> str:
        made = self._guard.cleaned(name)
        shown = visible(made)
        if shown in self._used:
            # numbers go on, so that none is tried twice
            nth = self._last[shown] = self._last.get(shown, 1) + 1
            made = shown = numbered(shown or "_", nth, self._used, _ANY)
        self._used.add(shown)
        self[name] = made
        return made
