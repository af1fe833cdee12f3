"""Paths into JSON, as losses write them, and removing the value at a path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from ..errors import ReadError
from ..text.json_text import JsonObject, loads, member

Step: TypeAlias = str | int  # a key of an object, or an index of a list

MISSING: Any = object()

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\[\"((?:[^\"\\]|\\.)*)\"\]")


def steps(path: str) -> list[Step] | None:
    """The keys and indexes of a path such as `$.messages[3].content`; None for no path."""
    if not path.startswith("$"):
        return None
    result: list[Step] = []
    position = 1
    while position < len(path):
        match = _STEP.match(path, position)
        if match is None:
            return None
        name, index, quoted = match.groups()
        step = _unquote(quoted) if name is None and index is None else name
        result.append(int(index) if index is not None else step)
        position = match.end()
    return result


def _unquote(text: str) -> str:
    try:
        return str(loads(f'"{text}"'))
    except ReadError:  # not JSON: a key in a spelling of its own
        return text


def format_path(way: Sequence[Step]) -> str:
    """The path of these keys and indexes."""
    return "$" + "".join(map(_step_text, way))


def _step_text(step: Step) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return member("", step)


def value_at(body: Any, path: str) -> Any:
    """The value at the path, or MISSING."""
    for step in steps(path) or ():
        if not _has(body, step):
            return MISSING
        body = body[step]
    return body


def _has(value: Any, step: Step) -> bool:
    if isinstance(step, int):
        return isinstance(value, list) and step < len(value)
    return isinstance(value, dict) and step in value


def existing(body: Any, path: str) -> str:
    """The longest part of the path that exists in the body."""
    way = steps(path) or []
    while way and value_at(body, format_path(way)) is MISSING:
        way.pop()
    return format_path(way)


def inside(path: str, parent: str) -> bool:
    """Whether the path is the parent's, or leads to something in it."""
    return path == parent or (path.startswith(parent) and path[len(parent)] in ".[")


def walk(value: Any, start: tuple[Step, ...] = ()) -> Iterator[tuple[tuple[Step, ...], Any]]:
    """(way, value) of everything in the JSON, containers before their contents."""
    waiting: list[tuple[tuple[Step, ...], Any]] = [(start, value)]
    while waiting:
        way, node = waiting.pop()
        yield way, node
        if isinstance(node, dict):
            waiting += [((*way, key), item) for key, item in reversed(node.items())]
        elif isinstance(node, list):
            waiting += [((*way, i), item) for i, item in reversed([*enumerate(node)])]


def remove_path(body: JsonObject, path: str) -> JsonObject | None:
    """The body without the value at the path; None if there is none.

    Only the objects and lists on the way are copied.
    """
    way = steps(path)
    return _without(body, way) if way else None


def _without(value: Any, way: list[Step]) -> Any:
    step, *deeper = way
    if not _has(value, step):
        return None
    copy = dict(value) if isinstance(value, dict) else list(value)
    if not deeper:
        del copy[step]  # type: ignore[arg-type]
        return copy
    item = _without(value[step], deeper)
    if item is None:
        return None
    copy[step] = item  # type: ignore[index]
    return copy


def paths_before(cuts: list[str]) -> list[str]:
    """Where each path was before any of them was removed; they were removed in this order."""
    paths: list[str] = []
    for i, path in enumerate(cuts):
        way = steps(path) or []
        for cut in reversed([steps(earlier) or [] for earlier in cuts[:i]]):
            *home, index = cut
            depth = len(home)
            if isinstance(index, int) and way[:depth] == home and depth < len(way):
                step = way[depth]
                if isinstance(step, int) and step >= index:
                    way[depth] = step + 1
        paths.append(format_path(way))
    return paths
