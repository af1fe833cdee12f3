"""How much work a value is to check against a schema, before anybody begins.

A schema whose references double at each step stands for as many schemas as two has powers: 25 of
them, in a kilobyte, are 33 million checks of one value. Validators that keep to the specification
do all of them (jsonschema-rs 0.33: `iter_errors` of 18 steps takes 38 s; measured 2026-11-28). Each
pair of a schema and a value is looked at once here, and the checks that it stands for are counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..errors import InvalidMessage
from ..text.json_text import Json, JsonObject
from .keywords import Refs

MOST = 4_000  # checks; what is far more work than the pairs that there are is no use to anybody
_TIMES = 16  # how often each pair may be checked on average, beyond that
_DEEPEST = 300  # pairs within pairs: this recurses
_LISTS = ("allOf", "anyOf", "oneOf")
_SINGLE = ("not", "if", "then", "else")


def is_heavy(schema: Json, value: Json) -> bool:
    """Whether a value is out of proportion to check: more work than any reader of it needs.

    Schemas whose references stand in no `allOf`, `anyOf` and the like are never heavy, and cost
    one look at their keywords.
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
    """Raise InvalidMessage for a schema that a value is out of proportion to check against."""
    if is_heavy(schema, value):
        fault = "the references of the schema multiply: checking this value would not end in time"
        hint = "refer to each part once, or state the schema without allOf and anyOf of references"
        raise InvalidMessage(fault, hint=hint, code="schema.heavy")


class _TooDeepError(Exception):
    """A schema refers deeper than anybody reads."""


def _multiplies(schema: Json) -> bool:
    """Whether references stand where one value is checked several times; does not recurse."""
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
    """The checks of one value against one schema, each pair of parts worked out once."""

    __slots__ = ("known", "refs")

    def __init__(self, root: Json) -> None:
        self.refs = Refs(root)
        self.known: dict[tuple[int, int], int] = {}

    def of(self, schema: Json, value: Json, depth: int) -> int:
        """How many schemas are applied to the value and to what is in it."""
        if not isinstance(schema, dict):
            return 1
        key = (id(schema), id(value))
        if (known := self.known.get(key)) is not None:
            return known
        if depth > _DEEPEST:
            raise _TooDeepError
        self.known[key] = 1  # of a circle: a validator that enters it again has gone wrong anyway
        checks = 1
        for inner, item in self._list_applied(schema, value):
            checks += self.of(inner, item, depth + 1)
        self.known[key] = checks
        return checks

    def _list_applied(self, schema: JsonObject, value: Json) -> Iterator[tuple[Json, Json]]:
        """What the schema has applied: to the value itself, and to the values in it."""
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
    """What the schema has applied to the values in a value."""
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
