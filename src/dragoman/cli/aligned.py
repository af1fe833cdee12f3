"""Two bodies of one conversation, aligned by what they come from: rows for `dragoman diff`.

A body is cut into units: its fields, and the elements of its lists, such as messages. Units whose
sources meet stand in one row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..jsontext import Json, JsonObject
from ..losses import Loss
from ..message import Written
from ..study.paths import inside, spelled
from ..study.sources import sourcemap

__all__ = ["Row", "aligned"]


@dataclass(slots=True)
class Row:
    """What belongs together: paths in the source, and for each side paths and losses."""

    source: list[str] = field(default_factory=list)
    sides: list[list[str]] = field(default_factory=list)
    losses: list[list[Loss]] = field(default_factory=list)


def aligned(body: JsonObject, sides: Sequence[Written]) -> list[Row]:
    """The rows, in the order of the source; what a side adds stands where it adds it."""
    units = list(_units(body))
    found = [_sources(out, units) for out in sides]
    groups = _Groups(len(units))
    for rows in found:
        for _, sources in rows:
            groups.join(sources)
    made: dict[float, Row] = {}
    for at, path in enumerate(units):
        made.setdefault(groups.first(at), _row(sides)).source.append(path)
    for side, rows in enumerate(found):
        last = -1.0
        for path, sources in rows:
            if sources:
                last = groups.first(sources[0])
            else:  # nobody gave it: beside the same of the other side, or in a row of its own
                last = next((at for at, row in made.items() if _has(row, path)), _free(made, last))
            made.setdefault(last, _row(sides)).sides[side].append(path)
    made[float("inf")] = _row(sides)
    for side, out in enumerate(sides):
        for loss in out.losses:
            _home(loss, made).losses[side].append(loss)
    return [row for _, row in sorted(made.items()) if any(row.sides) or any(row.losses)]


def _row(sides: Sequence[Written]) -> Row:
    return Row([], [[] for _ in sides], [[] for _ in sides])


def _has(row: Row, path: str) -> bool:
    """Whether the row is that of an added path on the other side."""
    return not row.source and any(path in side for side in row.sides)


def _free(made: dict[float, Row], last: float) -> float:
    """A place behind the last row and before the next one."""
    later = min((at for at in made if at > last), default=last + 1)
    return (last + later) / 2


def _home(loss: Loss, made: dict[float, Row]) -> Row:
    """The row in whose source the loss is; the last one, if it is in none."""
    where = loss.where
    for row in made.values():
        for unit in row.source:
            if inside(where, unit) or (where != "$" and inside(unit, where)):
                return row
    return made[float("inf")]


def _units(body: JsonObject) -> Iterator[str]:
    """The paths of the units: objects at the top are opened once, lists of objects too."""
    for key, value in body.items():
        opened = isinstance(value, dict) and value
        inner = [((key, name), one) for name, one in value.items()] if opened else [((key,), value)]
        for way, one in inner:
            if _is_list(one):
                yield from (spelled((*way, i)) for i in range(len(one)))
            else:
                yield spelled(way)


def _is_list(value: Json) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _sources(out: Written, units: list[str]) -> list[tuple[str, list[int]]]:
    """Each unit of a written body with the source's units that it says."""
    told = [(path, source.path) for path, source in sourcemap(out).paths() if source.path != "$"]
    made = []
    for unit in _units(out.body):
        within = [where for path, where in told if inside(path, unit)]
        around = [where for path, where in told if inside(unit, path)][-1:]
        wheres = within or around or [unit]  # at last what bears the same name in the source
        sources = {at for at, one in enumerate(units) for where in wheres if inside(where, one)}
        made.append((unit, sorted(sources)))
    return made


class _Groups:
    """Numbers that belong together; each group is known by its first."""

    def __init__(self, count: int) -> None:
        self._up = list(range(count))

    def first(self, at: int) -> int:
        while self._up[at] != at:
            at = self._up[at]
        return at

    def join(self, numbers: Sequence[int]) -> None:
        firsts = sorted({self.first(at) for at in numbers})
        for at in firsts[1:]:
            self._up[at] = firsts[0]
