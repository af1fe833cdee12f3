"""Estimates how much work it is to check a value against a schema, before it is checked.

A schema whose references double at each step makes a validator check 2**n schemas: 25 steps, in a
kilobyte, are 33 million checks of one value. Validators that follow the specification do all of
them (jsonschema-rs 0.33: `iter_errors` of 18 steps takes 38 s; measured 2026-11-28). Here each pair
of a schema and a value is visited once, and the checks that it costs are added up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..errors import InvalidMessage
from ..text.json_text import Json, JsonObject
from .keywords import Refs

MOST = 4_000  # checks; with fewer a schema is never heavy
_TIMES = 16  # how often each pair may be checked on average, beyond that
_DEEPEST = 300  # pairs within pairs: this recurses
_LISTS = ("allOf", "anyOf", "oneOf")
_SINGLE = ("not", "if", "then", "else")


def is_heavy(schema: Json, value: Json) -> bool:
    """Whether checking the value would take an unreasonable number of checks.

    A schema is never heavy if it has no references in `allOf`, `anyOf` and similar keywords; then
    only its keywords are looked at.
    """
    if not _multiplies(schema):
        return False
    load = _Load(schema)
    try:
        checks = load.of(schema, value, 0)
    except _TooDeepError:
        return True
    return checks > max(MOST, _TIMES * len(load.known))


def keep_light(schema: Json, value: Json) -> None:
    """Raise InvalidMessage if checking the value against the schema would take too much work."""
    if is_heavy(schema, value):
        fault = "the references of the schema multiply: checking this value would not end in time"
        hint = "refer to each part once, or state the schema without allOf and anyOf of references"
        raise InvalidMessage(fault, hint=hint, code="schema.heavy")


class _TooDeepError(Exception):
    """A schema nests deeper than any reader supports."""


def _multiplies(schema: Json) -> bool:
    """Whether references are in keywords that apply several schemas to one value; not recursive."""
    refers = combines = False
    waiting: list[Any] = [schema]
    while waiting and not (refers and combines):
        node = waiting.pop()
        if isinstance(node, dict):
            refers = refers or "$ref" in node or "$dynamicRef" in node
            combines = combines or any(key in node for key in (*_LISTS, *_SINGLE))
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node
    return refers and combines


class _Load:
    """The checks of one value against one schema; each pair of parts is computed once."""

    __slots__ = ("known", "refs")

    def __init__(self, root: Json) -> None:
        self.refs = Refs(root)
        self.known: dict[tuple[int, int], int] = {}

    def of(self, schema: Json, value: Json, depth: int) -> int:
        """The number of schemas that are applied to the value and its contents."""
        if not isinstance(schema, dict):
            return 1
        key = (id(schema), id(value))
        if (known := self.known.get(key)) is not None:
            return known
        if depth > _DEEPEST:
            raise _TooDeepError
        self.known[key] = 1  # ends a cycle, on which a validator would not end
        checks = 1
        for inner, item in self._list_applied(schema, value):
            checks += self.of(inner, item, depth + 1)
        self.known[key] = checks
        return checks

    def _list_applied(self, schema: JsonObject, value: Json) -> Iterator[tuple[Json, Json]]:
        """(schema, value) that the schema applies: to the value itself, and to its contents."""
        ref = schema.get("$ref")
        if isinstance(ref, str) and (target := self.refs.target(ref)) is not None:
            yield target[1], value
        for keyword in _LISTS:
            if isinstance(several := schema.get(keyword), list):
                yield from ((item, value) for item in several)
        for keyword in _SINGLE:
            if keyword in schema:
                yield schema[keyword], value
        yield from _inside(schema, value)


def _inside(schema: JsonObject, value: Json) -> Iterator[tuple[Json, Json]]:
    """(schema, value) that the schema applies to the contents of a value."""
    if isinstance(value, dict):
        named, others = schema.get("properties"), schema.get("additionalProperties")
        named = named if isinstance(named, dict) else {}
        patterns = schema.get("patternProperties")
        for name, item in value.items():
            yield named.get(name, others), item
            if isinstance(patterns, dict):
                yield from ((inner, item) for inner in patterns.values())
        dependent = schema.get("dependentSchemas")
        if isinstance(dependent, dict):
            yield from ((inner, value) for name, inner in dependent.items() if name in value)
    elif isinstance(value, list):
        first, others = schema.get("prefixItems"), schema.get("items")
        first = first if isinstance(first, list) else []
        for place, item in enumerate(value):
            yield first[place] if place < len(first) else others, item
            if "contains" in schema:
                yield schema["contains"], item
