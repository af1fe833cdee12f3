"""Arguments of a call that arrive leaf by leaf, each with its JSONPath.

Reference: Gemini API in Google Cloud, "Function calling", `streamFunctionCallArguments`:
`partialArgs` with `jsonPath`, one of `stringValue`, `numberValue`, `boolValue`, `nullValue`, and
`willContinue`.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any, TypeAlias

from ...text.json_text import Json, JsonObject
from .dialect import set_fields

_Path: TypeAlias = tuple[str | int, ...]
_STEP = re.compile(r"""\.([^.\[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]""")
_ESCAPED = re.compile(r"\\(.)")
_DEEPEST = 200  # steps of a path


class Arguments:
    """The arguments of one call, as `value` and as growing JSON text.

    If a leaf has no place in the value, the arguments are `broken`, so that half of a call is not
    run.
    """

    def __init__(self) -> None:
        self.value: JsonObject = {}
        self.broken = False
        self.begun = False  # whether there was any text
        self._path: _Path = ()  # of the last leaf
        self._string: list[str] | None = None  # its pieces, if it is a text that continues
        self._unordered = False  # the leaves came in an order that text cannot follow
        self._written: set[_Path] = set()

    def add(self, pieces: list[Any]) -> str:
        """Return the JSON text that the pieces add.

        Raises:
            ValueError: If a piece has an unknown form or place.
            TypeError: If a piece has a value of another type.
        """
        if self.broken:
            return ""
        self.broken = True
        text = "".join([self._piece(set_fields(piece)) for piece in pieces])
        self.broken = False
        text = "" if self._unordered else text
        self.begun = self.begun or bool(text)
        return text

    def _piece(self, piece: JsonObject) -> str:
        path = _steps(piece["jsonPath"])
        continues = bool(piece.get("willContinue"))
        values = (piece.get(f"{kind}Value") for kind in ("string", "number", "bool"))
        value: Json = next((value for value in values if value is not None), None)
        if self._string is not None and path == self._path and type(value) is str:
            self._string.append(value)
            return json.dumps(value)[1:-1] + ("" if continues else self.end_string())
        text = self.end_string() + self._move_to(path)
        self._path = path
        if type(value) is str and continues:
            self._put(path, "")
            self._string = [value]
            return text + json.dumps(value)[:-1]
        self._put(path, value)
        return text + json.dumps(value)

    def end_string(self) -> str:
        """Return the end of a text that continues, if there is one."""
        if self._string is None:
            return ""
        self._put(self._path, "".join(self._string))
        self._string = None
        return '"'

    def _move_to(self, path: _Path) -> str:
        """Return the brackets, commas and keys between the last leaf and this one."""
        last = self._path
        shared = min(len(last), len(path)) - 1
        fork = next((i for i in range(shared) if last[i] != path[i]), max(shared, 0))
        step = path[fork]
        index = last[fork] + 1 if last and type(last[fork]) is int else 0  # type: ignore[operator]  # an int
        in_order = (type(step) is str or step == index) and not any(
            type(below) is int and below for below in path[fork + 1 :]
        )
        self._unordered = self._unordered or path[: fork + 1] in self._written or not in_order
        self._written.update(path[: i + 1] for i in range(fork, len(path)))
        text = ["]" if type(last[i]) is int else "}" for i in range(len(last) - 1, fork, -1)]
        text.append("," if last else "{")
        for i in range(fork, len(path)):
            bracket = "" if i == fork else "[" if type(path[i]) is int else "{"
            text.append(bracket + (f"{json.dumps(path[i])}:" if type(path[i]) is str else ""))
        return "".join(text)

    def _put(self, path: _Path, value: Json) -> None:
        node: Any = self.value
        for step, below in pairwise(path):
            node = _enter_step(node, step, [] if type(below) is int else {})
        step = path[-1]
        if (type(step) is int and step < len(node)) or _enter_step(node, step, value) is not value:
            node[step] = value


def _enter_step(node: Any, step: str | int, default: Any) -> Any:
    """Return the value at `step`, or put the default there.

    Raises:
        ValueError: If there is no such place.
    """
    if type(step) is str and type(node) is dict:
        return node.setdefault(step, default)
    if type(step) is not int or type(node) is not list or step > len(node):
        raise ValueError("a path that leads nowhere")
    if step == len(node):
        node.append(default)
    return node[step]


def _steps(path: Any) -> _Path:
    if not isinstance(path, str) or not path.startswith("$"):
        raise ValueError("no JSONPath")
    steps: list[str | int] = []
    position = 1
    while position < len(path) and len(steps) <= _DEEPEST:
        match = _STEP.match(path, position)
        if match is None:
            raise ValueError("an unknown JSONPath")
        name, index, single, double = match.groups()
        quoted = single if single is not None else double
        key = name if quoted is None else _ESCAPED.sub(r"\1", quoted)
        steps.append(key if index is None else int(index))
        position = match.end()
    if not 0 < len(steps) <= _DEEPEST or type(steps[0]) is int:
        raise ValueError("arguments are an object")
    return tuple(steps)
