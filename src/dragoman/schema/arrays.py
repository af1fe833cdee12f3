"""Arrays and numbers as a dialect takes them: positions, and bounds in the nearest words."""

from __future__ import annotations

from typing import Any

from ..jsontext import Json
from .words import accepts_any, below
from .work import Run, Work, plain

__all__ = ["bounded", "positions"]


def positions(work: Work, run: Run) -> None:
    """`prefixItems` where a dialect lacks it: every item may be any of them. And `items: false`."""
    kw = work.kw
    first = kw.get("prefixItems")
    if kw.get("items") is False and run.dialect.takes is not None:
        _counted(work, len(first) if isinstance(first, list) else 0, run)
    if first is None or run.dialect.allowed("prefixItems"):
        return
    rest = kw.pop("items", None)
    rest = None if accepts_any(rest) else rest
    home = work.home("prefixItems")
    run.drop(work, "prefixItems")
    some: list[Json] = [
        Work(one, below(home, "prefixItems", i)) if isinstance(one, dict) else one
        for i, one in enumerate(first)
    ]
    if rest is None and kw.get("maxItems", len(first) + 1) > len(first):
        return
    if rest is not None:
        some.append(Work(rest, below(work.home("items"), "items")))
    different = _different(some)
    kw["items"] = different[0] if len(different) == 1 else {"anyOf": different}


def _counted(work: Work, most: int, run: Run) -> None:
    """No items behind the first ones: as many as those at most."""
    kw = work.kw
    del kw["items"]
    run.changed(work, "items", "false", f"maxItems {most}")
    if kw.get("maxItems", most) > most:
        run.changed(work, "maxItems", f"maxItems: {kw['maxItems']}", f"{most}")
        del kw["maxItems"]
    kw.setdefault("maxItems", most)


def _different(some: list[Json]) -> list[Json]:
    found: list[Any] = []
    made: list[Json] = []
    for one in some:
        if (said := plain(one)) not in found:
            found.append(said)
            made.append(one)
    return made


def bounded(work: Work, run: Run) -> None:
    """Bounds in the nearest words that the dialect has."""
    kw, most = work.kw, run.dialect.min_items
    if most is not None and isinstance(least := kw.get("minItems"), int) and least > most:
        run.drop(work, "minItems")
        kw["minItems"] = most
    whole = kw.get("type") == "integer"
    for bound, step in (("Minimum", 1), ("Maximum", -1)):
        excluding, plain_ = f"exclusive{bound}", bound.lower()
        value = kw.get(excluding)
        if run.dialect.allowed(excluding) or not isinstance(value, (int, float)):
            continue
        if not run.dialect.allowed(plain_):
            continue
        nearest = value + step if whole and isinstance(value, int) else value
        exact = nearest != value
        if exact:
            run.changed(work, excluding, f"{excluding}: {value}", plain_)
            del kw[excluding]
        else:
            run.drop(work, excluding)
        tighter = (max if step > 0 else min)(kw.get(plain_, nearest), nearest)
        if plain_ in kw and kw[plain_] != tighter:
            run.changed(work, plain_, f"{plain_}: {kw[plain_]}", f"{tighter}")
        kw[plain_] = tighter
