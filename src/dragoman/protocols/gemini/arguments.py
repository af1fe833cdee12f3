"""Arguments that arrive leaf by leaf, each under its JSONPath, texts in pieces.

Reference: Gemini API in Google Cloud, "Function calling", `streamFunctionCallArguments`:
`partialArgs` with `jsonPath`, one of `stringValue`, `numberValue`, `boolValue`, `nullValue`, and
`willContinue`.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any, TypeAlias

from ...jsontext import Json, JsonObject
from .keys import plain

__all__ = ["Arguments"]

_Path: TypeAlias = tuple[str | int, ...]
_STEP = re.compile(r"""\.([^.\[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]""")
_ESCAPED = re.compile(r"\\(.)")
_DEEPEST = 200  # steps of a path
_VALUES = ("stringValue", "numberValue", "boolValue")


class Arguments:
    """The arguments of one call: `value`, and as JSON text for whoever watches it grow.

    A leaf that has no place makes it `broken`, so that nobody runs half of a call.
    """

    def __init__(self) -> None:
        self.value: JsonObject = {}
        self.broken = False
        self.begun = False  # whether there was any text
        self._path: _Path = ()  # of the leaf that came last
        self._string: list[str] | None = None  # its pieces, if it is a text that goes on
        self._quiet = False  # leaves came in no order that text could follow
        self._said: set[_Path] = set()

    def add(self, pieces: list[Any]) -> str:
        """The JSON text that the pieces add. Raises ValueError or TypeError for a strange one."""
        if self.broken:
            return ""
        self.broken = True
        made = "".join([self._piece(plain(piece)) for piece in pieces])
        self.broken = False
        made = "" if self._quiet else made
        self.begun = self.begun or bool(made)
        return made

    def close(self) -> None:
        """Nothing more will come: a text that goes on ends."""
        self._ended()

    def _piece(self, piece: JsonObject) -> str:
        path = _steps(piece["jsonPath"])
        on = bool(piece.get("willContinue"))
        value: Json = next((piece[key] for key in _VALUES if key in piece), None)
        if self._string is not None and path == self._path and type(value) is str:
            self._string.append(value)
            return _inner(value) + ("" if on else self._ended())
        made = self._ended() + self._opened(path)
        self._path = path
        if type(value) is str and on:
            self._put(path, "")
            self._string = [value]
            return f'{made}"{_inner(value)}'
        self._put(path, value)
        return made + json.dumps(value)

    def _ended(self) -> str:
        if self._string is None:
            return ""
        self._put(self._path, "".join(self._string))
        self._string = None
        return '"'

    def _opened(self, path: _Path) -> str:
        """The brackets, commas and keys between the last leaf and this one."""
        old = self._path
        most = min(len(old), len(path)) - 1
        same = next((at for at in range(most) if old[at] != path[at]), max(most, 0))
        step = path[same]
        next_one = old[same] + 1 if old and type(old[same]) is int else 0  # type: ignore[operator]  # an int
        rest = path[same + 1 :]
        straight = (type(step) is str or step == next_one) and not any(
            type(one) is int and one for one in rest
        )
        self._quiet = self._quiet or path[: same + 1] in self._said or not straight
        self._said.update(path[: at + 1] for at in range(same, len(path)))
        made = ["]" if type(old[at]) is int else "}" for at in range(len(old) - 1, same, -1)]
        made.append("," if old else "{")
        for at in range(same, len(path)):
            inside = "" if at == same else "[" if type(path[at]) is int else "{"
            made.append(inside + (f"{json.dumps(path[at])}:" if type(path[at]) is str else ""))
        return "".join(made)

    def _put(self, path: _Path, value: Json) -> None:
        here: Any = self.value
        for step, then in pairwise(path):
            here = _entered(here, step, [] if type(then) is int else {})
        if type(path[-1]) is int and path[-1] < len(here):
            here[path[-1]] = value
        else:
            _entered(here, path[-1], value, anew=True)


def _entered(here: Any, step: str | int, fresh: Any, anew: bool = False) -> Any:
    """What stands at `step`, put there if nothing does. Raises ValueError where it cannot."""
    if type(step) is int and type(here) is list and step <= len(here):
        if step == len(here):
            here.append(fresh)
        return here[step]
    if type(step) is str and type(here) is dict:
        if anew:
            here[step] = fresh
        return here.setdefault(step, fresh)
    raise ValueError("a path that leads nowhere")


def _steps(path: Any) -> _Path:
    if not isinstance(path, str) or not path.startswith("$"):
        raise ValueError("no JSONPath")
    made: list[str | int] = []
    at = 1
    while at < len(path) and len(made) <= _DEEPEST:
        found = _STEP.match(path, at)
        if found is None:
            raise ValueError("an unknown JSONPath")
        name, index, single, double = found.groups()
        quoted = single if single is not None else double
        if index is not None:
            made.append(int(index))
        else:
            made.append(name if quoted is None else _ESCAPED.sub(r"\1", quoted))
        at = found.end()
    if not 0 < len(made) <= _DEEPEST or type(made[0]) is int:
        raise ValueError("arguments are an object")
    return tuple(made)


def _inner(text: str) -> str:
    return json.dumps(text)[1:-1]
