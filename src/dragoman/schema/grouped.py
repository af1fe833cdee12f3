"""Keywords that mean something together, of two schemas that hold at once.

What an object lets stand beside its properties depends on which those are; so with arrays.
"""

from __future__ import annotations

from typing import Any

from ..jsontext import Json, JsonObject
from .words import accepts_any, below
from .work import Run, Work

__all__ = ["join_groups"]

_GROUPS = (
    frozenset({"properties", "patternProperties", "additionalProperties"}),
    frozenset({"items", "prefixItems"}),
    frozenset({"if", "then", "else"}),
)


def join_groups(work: Work, source: Work, run: Run) -> None:
    """Join what two schemas say of objects, of arrays and of conditions."""
    _group_objects(work, source, run)
    for group in _GROUPS[1:]:
        _group(work, source, group, run)


def _group(work: Work, source: Work, group: frozenset[str], run: Run) -> None:
    """Keywords that mean something together: borrowed together, or not at all."""
    theirs = [key for key in source.kw if key in group]
    if not theirs or not any(key in work.kw for key in group):
        return
    if theirs == ["items"] and "items" in work.kw and "prefixItems" not in work.kw:
        work.kw["items"] = _both(work, source, "items")
        del source.kw["items"]
        return
    for keyword in theirs:
        run.drop(source, keyword)
    work.told.extend(source.told)
    source.told.clear()


def _both(work: Work, source: Work, keyword: str, *names: str) -> Json:
    """The schemas below a keyword of both as one that asks for both."""
    places = []
    for one in (work, source):
        value: Any = one.kw[keyword]
        for name in names:
            value = value[name]
        path = below(one.home(keyword), keyword, *names)
        places.append(Work(value, path) if isinstance(value, dict) else value)
    if places[0] is True or (isinstance(places[0], Work) and not places[0].kw):
        return places[1]
    if places[1] is True or (isinstance(places[1], Work) and not places[1].kw):
        return places[0]
    return Work({"allOf": places}, below(work.home(keyword), keyword, *names))


def _group_objects(work: Work, source: Work, run: Run) -> None:
    """Properties of both, and what each lets stand beside its own."""
    group, a, b = _GROUPS[0], work.kw, source.kw
    if not group & a.keys() or not group & b.keys():
        return
    closed = _closed(work, source, run)
    names = _names(a.get("properties", {}), b.get("properties", {}), closed)
    needed = {*a.get("required", ()), *b.get("required", ())}
    if any(closed) and needed - set(names):  # nobody could meet both
        names = _names(a.get("properties", {}), b.get("properties", {}), [False, False])
        run.changed(source, "additionalProperties", "false", "dropped", "wider")
    for one in (work, source):
        place = Work({}, one.home("properties"))
        for name in [name for name in one.kw.get("properties", {}) if name not in names]:
            run.changed(place, below("properties", name), "refused beside it", "dropped")
    _properties(work, source, names)
    if any(closed):
        a["additionalProperties"] = False
        b.pop("additionalProperties", None)
    if "patternProperties" in a and "patternProperties" in b:
        run.drop(source, "patternProperties")
        work.told.extend(source.told)
        source.told.clear()


def _closed(work: Work, source: Work, run: Run) -> list[bool]:
    """Which of the two lets nothing else stand; where that can't be joined, both are opened."""
    rest = [one.kw.get("additionalProperties", True) for one in (work, source)]
    plain = all(one is False or accepts_any(one) for one in rest)
    patterns = "patternProperties" in work.kw or "patternProperties" in source.kw
    if plain and not (patterns and False in rest):
        return [one is False for one in rest]
    _open(work, source, run)
    return [False, False]


def _open(work: Work, source: Work, run: Run) -> None:
    for one in (work, source):
        if "additionalProperties" in one.kw:
            run.drop(one, "additionalProperties", quietly=one.kw["additionalProperties"] is False)
    work.told.extend(source.told)
    source.told.clear()


def _names(a: JsonObject, b: JsonObject, closed: list[bool]) -> list[str]:
    """The properties that both sides allow by name."""
    named = list(dict.fromkeys([*a, *b]))
    return [
        name for name in named
        if (name in a or not closed[0]) and (name in b or not closed[1])
    ]  # fmt: skip


def _properties(work: Work, source: Work, names: list[str]) -> None:
    a, b = work.kw.get("properties", {}), source.kw.pop("properties", {})
    made: JsonObject = {}
    theirs = Work({"properties": b}, source.home("properties"))
    mine = Work({"properties": a}, work.home("properties"))
    for name in names:
        if name in a and name in b:
            made[name] = _both(mine, theirs, "properties", name)
        elif name in b:
            path = below(theirs.at, "properties", name)
            made[name] = Work(b[name], path) if isinstance(b[name], dict) else b[name]
        else:
            path = below(mine.at, "properties", name)
            made[name] = Work(a[name], path) if isinstance(a[name], dict) else a[name]
    if made or "properties" in work.kw:
        work.kw["properties"] = made
