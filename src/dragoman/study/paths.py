"""Values in JSON by their paths, as losses spell them: `$.messages[3].content[0]`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from .edits import steps

__all__ = ["MISSING", "Step", "existing", "found", "inside", "spelled", "walked"]

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
