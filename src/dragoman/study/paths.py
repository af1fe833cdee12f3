"""Paths into JSON, as losses spell them, and taking out what stands there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from .._core.jsontext import JsonObject

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


Step: TypeAlias = str | int


MISSING: Any = object()


def spelled(way: Sequence[Step]) -> str:
    """The path of these keys and indexes."""
    return "$" + "".join(map(_step, way))


def _step(step: Step) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if str(step).isidentifier() else f'["{step}"]'


def found(body: Any, path: str) -> Any:
    """The value at the path, or MISSING."""
    for step in steps(path) or ():
        if isinstance(step, int):
            if not isinstance(body, list) or step >= len(body):
                return MISSING
        elif not isinstance(body, dict) or step not in body:
            return MISSING
        body = body[step]
    return body


def existing(body: Any, path: str) -> str:
    """As much of the path as there is in the body."""
    way = steps(path) or []
    while way and found(body, spelled(way)) is MISSING:
        way.pop()
    return spelled(way)


def inside(path: str, outer: str) -> bool:
    """Whether the path is the outer one, or leads to something in it."""
    return path == outer or (path.startswith(outer) and path[len(outer)] in ".[")


def walked(value: Any, at: tuple[Step, ...] = ()) -> Iterator[tuple[tuple[Step, ...], Any]]:
    """(way, value) of everything in the JSON, containers before what they hold."""
    waiting: list[tuple[tuple[Step, ...], Any]] = [(at, value)]
    while waiting:
        way, here = waiting.pop()
        yield way, here
        if isinstance(here, dict):
            waiting += [((*way, key), one) for key, one in reversed(here.items())]
        elif isinstance(here, list):
            waiting += [((*way, i), one) for i, one in reversed([*enumerate(here)])]
