"""FieldRule: what one field of a body may hold. Rules: those of one protocol or host, dated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["FieldRule", "JsonType", "Rules"]

JsonType: TypeAlias = Literal["number", "integer", "text", "boolean", "list", "object"]


@dataclass(frozen=True, slots=True)
class FieldRule:
    """What stands at `path` of a body, if anything does: null passes unless it is `needed`.

    `path` is spelled without `$.`; `[]` stands for every element of a list. `kinds`: the JSON types
    that it may have; `least` and `most`: of a number; `fewest` and `longest`: elements of a list
    (`fewest` of an object, too); `words`: the only texts; `like`: a pattern that a text must fit as
    a whole, `form` says it in words; `keys`: the only keys of an object. `absent`: nothing may
    stand there but false. `models`: patterns over the names of those alone whom it concerns,
    without `but`. `fix`: what to do instead.
    """

    path: str
    kinds: tuple[JsonType, ...] = ()
    least: float | None = None
    most: float | None = None
    fewest: int = 0
    longest: int | None = None
    words: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()
    like: str = ""
    form: str = ""
    needed: bool = False
    absent: bool = False
    models: tuple[str, ...] = ()
    but: tuple[str, ...] = ()
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Rules:
    """The field rules of one protocol or host: where they are written down, and when looked up.

    `loose`: numbers may be text, keys may be spelled in snake_case (JSON of protocol buffers).
    """

    source: str
    since: str
    rows: tuple[FieldRule, ...]
    loose: bool = False
