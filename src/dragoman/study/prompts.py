"""A body as its provider's cache reads it: the pieces of its prompt in their order.

Cache marks are no part of a piece, and a text says the same as a list of one text. Knows no
provider: where the pieces stand comes in as a row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..jsontext import JsonObject, arguments
from ..token.rough import rough_message, rough_tools
from .caches import CacheRule
from .paths import MISSING, found

__all__ = ["Piece", "pieces"]

_MARKS = ("cache_control", "prompt_cache_breakpoint")
_POINT = "cachePoint"
_LISTS = ("content", "parts")  # what a message says


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing that a prompt says, at its path. `said`: its text, as it is compared.

    `part` is the path of the part of the prompt, `message` what a counter is given. `marked`: a
    cache mark stands on it or behind it. `ends`: a turn of the user or of tools ends with it.
    """

    path: str
    part: str
    said: str
    message: JsonObject
    marked: bool = False
    ends: bool = False
    tool: bool = False

    @property
    def tokens(self) -> int:
        """Roughly how many tokens it takes."""
        return rough_tools([self.message]) if self.tool else rough_message(self.message)


def pieces(body: JsonObject, rule: CacheRule) -> list[Piece]:
    """Everything that the prompt says, in the order in which the provider reads it."""
    made: list[Piece] = []
    for part in rule.order:
        value = found(body, f"$.{part}")
        if value is not MISSING and value is not None:
            made += _part(value, part, last=part == rule.order[-1])
    if made and any(mark in body for mark in _MARKS):  # the provider sets the mark itself
        made[-1] = _marked(made[-1])
    return made


def _part(value: Any, part: str, last: bool) -> Iterator[Piece]:
    path = f"$.{part}"
    tool = part.endswith("tools")
    if isinstance(value, dict) and isinstance(value.get("parts"), list):  # Gemini's instruction
        value, path = value["parts"], f"{path}.parts"
    if not isinstance(value, list):
        listed = [{"type": "text", "text": value}] if isinstance(value, str) else [value]
        yield from (_piece(one, part, path, tool) for one in listed)
        return
    before: Piece | None = None
    for i, one in enumerate(value):
        for piece in _element(one, part, f"{path}[{i}]", tool, last):
            if before is not None:
                yield before
            before = piece
        if _is_point(one) and before is not None:
            before = _marked(before)
    if before is not None:
        yield before


def _element(one: Any, part: str, path: str, tool: bool, last: bool) -> Iterator[Piece]:
    if _is_point(one):
        return
    if not last or not isinstance(one, dict):
        yield _piece(one, part, path, tool)
        return
    key = next((key for key in _LISTS if isinstance(one.get(key), (str, list))), None)
    if key is None:
        yield _piece(one, part, path, tool, ends=_heard(one))
        return
    yield from _message(one, key, part, path)


def _message(one: JsonObject, key: str, part: str, path: str) -> Iterator[Piece]:
    """The pieces of a message: each block of its content, and what stands beside it."""
    content = one[key]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    paths = [f"{path}.{key}" if isinstance(content, str) else f"{path}.{key}[{i}]"
             for i in range(len(blocks))]  # fmt: skip
    made: list[Piece] = []
    for block, at in zip(blocks, paths, strict=True):
        if _is_point(block):
            if made:
                made[-1] = _marked(made[-1])
            continue
        said = {"role": one.get("role"), key: [block]}
        made.append(_piece(said, part, at, False))
    beside = {name: value for name, value in one.items() if name not in (key, *_MARKS)}
    if len(beside) > ("role" in beside) or not made:
        made.append(_piece(beside, part, path, False))
    if any(mark in one for mark in _MARKS):
        made[-1] = _marked(made[-1])
    yield from made[:-1]
    yield _marked(made[-1], made[-1].marked, _heard(one))


def _heard(one: JsonObject) -> bool:
    """Whether it is said to the model."""
    if "role" in one:
        return one["role"] not in ("assistant", "model")
    return str(one.get("type", "")).endswith("_output")


def _piece(value: Any, part: str, path: str, tool: bool, ends: bool = False) -> Piece:
    plain, marks = _unmarked(value)
    message = plain if isinstance(plain, dict) and (tool or "role" in plain) else {
        "role": "system", "content": plain if isinstance(plain, (str, list)) else [plain]
    }  # fmt: skip
    return Piece(path, part, arguments(plain), message, marks, ends, tool)


def _marked(piece: Piece, marked: bool = True, ends: bool | None = None) -> Piece:
    return Piece(piece.path, piece.part, piece.said, piece.message, marked,
                 piece.ends if ends is None else ends, piece.tool)  # fmt: skip


def _is_point(value: Any) -> bool:
    return isinstance(value, dict) and _POINT in value


def _unmarked(value: Any) -> tuple[Any, bool]:
    """The value without its cache marks, and whether it had any."""
    if isinstance(value, dict):
        marks = any(mark in value for mark in _MARKS)
        made: JsonObject = {}
        for key, one in value.items():
            if key not in _MARKS:
                made[key], inner = _unmarked(one)
                marks = marks or inner
        return made, marks
    if isinstance(value, list):
        rows = [_unmarked(one) for one in value]
        return [one for one, _ in rows], any(marks for _, marks in rows)
    return value, False
