"""Holds the fields of a body against the rows of `rules`: types, ranges, words, unknown keys.

Knows no protocol: what may stand where is data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

from ..capabilities import bare
from ..shown import shown
from .paths import MISSING, Step, spelled
from .refusal import Refusal
from .rules import FieldRule, JsonType, Rules

__all__ = ["field_refusals", "placed"]

_Places: TypeAlias = Iterator[tuple[tuple[Step, ...], Any]]
_NAMES: dict[JsonType, str] = {
    "number": "a number", "integer": "a whole number", "text": "text", "boolean": "true or false",
    "list": "a list", "object": "an object",
}  # fmt: skip


def field_refusals(body: Any, told: Sequence[Rules], model: str | None) -> list[Refusal]:
    """What the rows refuse in the body; those of later rules stand for rows of the same path."""
    made: list[Refusal] = []
    name = bare(model) if model else ""
    chosen: dict[str, list[tuple[FieldRule, Rules]]] = {}
    for rules in told:
        fresh: dict[str, list[tuple[FieldRule, Rules]]] = {}
        for row in rules.rows:
            fresh.setdefault(row.path, []).append((row, rules))
        chosen.update(fresh)
    for rows in chosen.values():
        for row, rules in rows:
            if _concerns(row, name):
                made += _held(body, row, rules)
    return made


def _concerns(row: FieldRule, model: str) -> bool:
    if not row.models:
        return True
    return bool(model) and any(fnmatchcase(model, one) for one in row.models) and not any(
        fnmatchcase(model, one) for one in row.but
    )  # fmt: skip


def placed(body: Any, path: str, *, loose: bool = False) -> _Places:
    """(way, value) of each place at the path of a FieldRule; MISSING where only its home is."""
    return _places(body, path.split(".") if path else [], (), loose)


def _held(body: Any, row: FieldRule, rules: Rules) -> Iterator[Refusal]:
    for way, value in placed(body, row.path, loose=rules.loose):
        if value is MISSING or value is None:
            if row.needed:
                yield _refusal(way, "field.missing", "it must be there", row, rules)
        elif row.absent:
            if value is False:
                continue
            yield _refusal(way, "field.refused", "this model takes no such field", row, rules)
        else:
            yield from _wrong(way, value, row, rules)


def _places(value: Any, steps: list[str], way: tuple[Step, ...], loose: bool) -> _Places:
    """(way, value) of each place that the steps lead to; MISSING where only its home is there."""
    if not steps:
        yield way, value
        return
    if not isinstance(value, dict):
        return
    step, *rest = steps
    name = step.removesuffix("[]")
    key = _snake(name) if loose and name not in value and _snake(name) in value else name
    inner = value.get(key, MISSING)
    if name == step:
        if rest and not isinstance(inner, dict):
            return
        yield from _places(inner, rest, (*way, key), loose)
    elif isinstance(inner, list):
        for i, one in enumerate(inner):
            yield from _places(one, rest, (*way, key, i), loose)


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


def _wrong(way: tuple[Step, ...], value: Any, row: FieldRule, rules: Rules) -> Iterator[Refusal]:
    number = _number(value, rules.loose)
    if row.kinds and not any(_is(value, kind, number) for kind in row.kinds):
        kinds = " or ".join(_NAMES[kind] for kind in row.kinds)
        yield _refusal(way, "field.type", f"must be {kinds}, not {shown(value)}", row, rules)
        return
    if number is not None:
        low = row.least is not None and number < row.least
        if low or (row.most is not None and number > row.most):
            bounds = (_bound(row.least, "at least"), _bound(row.most, "at most"))
            span = " and ".join(bound for bound in bounds if bound)
            yield _refusal(way, "field.range", f"must be {span}, not {value}", row, rules)
    if row.words and isinstance(value, str) and not _worded(value, row.words, rules.loose):
        words = ", ".join(sorted(row.words))
        yield _refusal(way, "field.word", f"{shown(value)} is none of {words}", row, rules)
    if row.like and isinstance(value, str) and re.fullmatch(row.like, value) is None:
        said = f"{shown(value)} is not {row.form}"
        yield _refusal(way, "field.form", said, row, rules)
    listed = isinstance(value, list) or (isinstance(value, dict) and row.longest is None)
    size = len(value) if listed else row.fewest
    if size < row.fewest or (row.longest is not None and size > row.longest):
        most = None if row.longest is None else float(row.longest)
        bounds = (_bound(row.fewest or None, "at least"), _bound(most, "at most"))
        said = f"holds {size} and must hold {' and '.join(filter(None, bounds))}"
        yield _refusal(way, "field.length", said, row, rules)
    if row.keys and isinstance(value, dict):
        known = row.keys | ({_snake(key) for key in row.keys} if rules.loose else set())
        for key in value:
            if key not in known:
                said = "there is no such field"
                yield _refusal((*way, key), "field.unknown", said, row, rules)


def _worded(value: str, words: frozenset[str], loose: bool) -> bool:
    return value in words or (loose and value.lower() in words)


def _number(value: Any, loose: bool) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    if loose and isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return None


def _is(value: Any, kind: JsonType, number: float | None) -> bool:
    match kind:
        case "number":
            return number is not None
        case "integer":
            return number is not None and number == number // 1
        case "text":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "list":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)


def _bound(limit: float | None, word: str) -> str:
    return "" if limit is None else f"{word} {limit:g}"


_FIXES = {
    "field.missing": "Set it.",
    "field.unknown": "Leave it out.",
    "field.refused": "Leave it out.",
    "field.form": "Spell it so.",
    "field.word": "Use one of these words, or leave it out.",
    "field.range": "Bring the value into the range, or leave it out.",
    "field.length": "Bring it to this length, or leave it out.",
    "field.type": "Give a value of this type, or leave it out.",
}


def _refusal(
    way: tuple[Step, ...], code: str, said: str, row: FieldRule, rules: Rules
) -> Refusal:  # fmt: skip
    name = way[-1] if way else "the body"
    if isinstance(name, int):
        name = f"element {name} of {way[-2]}"
    rule = f"{name}: {said}"
    return Refusal(spelled(way), rule, rules.source, rules.since, row.fix or _FIXES[code], code)
