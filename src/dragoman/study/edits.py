"""Paths into JSON, as losses spell them, and taking out what stands there."""

from __future__ import annotations

import re
from typing import Any

from ..jsontext import JsonObject

__all__ = ["before", "removed", "steps"]

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\[\"((?:[^\"\\]|\\.)*)\"\]")


def steps(path: str) -> list[str | int] | None:
    """The keys and indexes of a path such as `$.messages[3].content`; None for no path."""
    if not path.startswith("$"):
        return None
    found: list[str | int] = []
    at = 1
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None:
            return None
        name, index, quoted = match.groups()
        found.append(int(index) if index is not None else name if name is not None else quoted)
        at = match.end()
    return found


def removed(body: JsonObject, path: str) -> JsonObject | None:
    """The body without what stands at the path; None if nothing stands there.

    Only the objects and lists on the way are copied.
    """
    way = steps(path)
    return _without(body, way) if way else None


def _without(value: Any, way: list[str | int]) -> Any:
    key, *rest = way
    if not _has(value, key):
        return None
    made = dict(value) if isinstance(value, dict) else list(value)
    if rest:
        inner = _without(value[key], rest)
        if inner is None:
            return None
        made[key] = inner  # type: ignore[index]
    else:
        del made[key]  # type: ignore[arg-type]
    return made


def _has(value: Any, key: str | int) -> bool:
    if isinstance(key, int):
        return isinstance(value, list) and key < len(value)
    return isinstance(value, dict) and key in value


def before(cuts: list[str]) -> list[str]:
    """Where each of these stood before any was taken out, one after the other."""
    made: list[str] = []
    for nth, path in enumerate(cuts):
        way = steps(path) or []
        for cut in reversed([steps(one) or [] for one in cuts[:nth]]):
            *head, last = cut
            at = len(head)
            if isinstance(last, int) and way[:at] == head and at < len(way):
                here = way[at]
                if isinstance(here, int) and here >= last:
                    way[at] = here + 1
        made.append("$" + "".join(map(_spelled, way)))
    return made


def _spelled(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if str(step).isidentifier() else f'["{step}"]'
