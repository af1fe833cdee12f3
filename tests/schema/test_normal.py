"""Older drafts, OpenAPI and slips of the pen in the one spelling."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.schema.lowered import Change
from dragoman.schema.normal import normalised

SPELLINGS = [
    ({"type": "OBJECT"}, {"type": "object"}),
    ({"type": 6, "properties": {"a": {"type": 1}}},
     {"type": "object", "properties": {"a": {"type": "string"}}}),
    ({"type": "str"}, {"type": "string"}),
    ({"type": ["STRING", "NULL"]}, {"type": ["string", "null"]}),
    ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
    ({"type": "string", "nullable": False}, {"type": "string"}),
    ({"type": "string", "enum": ["a"], "nullable": True},
     {"type": ["string", "null"], "enum": ["a", None]}),
    ({"$ref": "#/$defs/A", "nullable": True, "title": "T"},
     {"title": "T", "anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]}),
    ({"any_of": [{"type": "string"}], "min_items": 1},
     {"anyOf": [{"type": "string"}], "minItems": 1}),
    ({"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
    ({"minimum": 1, "exclusiveMinimum": False}, {"minimum": 1}),
    ({"items": [{"type": "string"}], "additionalItems": False,
      "$schema": "http://json-schema.org/draft-07/schema#"},
     {"prefixItems": [{"type": "string"}], "items": False}),
    ({"items": {"type": "string"}, "additionalItems": False}, {"items": {"type": "string"}}),
    ({"dependencies": {"a": ["b"], "c": {"required": ["d"]}}},
     {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"required": ["d"]}}}),
    ({"properties": []}, {"properties": {}}),
    ({"properties": {"a": None, "b": 3}}, {"properties": {"a": {}, "b": {}}}),
    ({"required": True, "enum": [], "anyOf": {}}, {}),
    ({"required": ["a", 1]}, {"required": ["a"]}),
]  # fmt: skip


@pytest.mark.parametrize(("told", "meant"), SPELLINGS)
def test_one_spelling(told: Any, meant: Any) -> None:
    assert normalised(told) == meant
    assert normalised({"type": "object", "properties": {"p": told}})["properties"]["p"] == meant


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"type": {"type": "string"}}, "required": []},
        {"properties": {"nullable": True, "items": {"items": {}}, "any_of": False}},
        {"enum": [{"type": "OBJECT"}], "default": {"nullable": True}, "const": {"properties": []}},
        {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {}},
        True,
    ],
)
def test_what_is_spelled_so_is_the_same_object(schema: Any) -> None:
    changes: list[Change] = []
    assert normalised(schema, changes) is schema
    assert changes == []


def test_every_other_spelling_is_noted() -> None:
    changes: list[Change] = []
    normalised({"properties": {"p": {"items": [{}], "additionalItems": {}}}}, changes)
    assert [(one.where, one.did, one.verdict) for one in changes] == [
        ("$.properties.p.items", "prefixItems", "equal"),
        ("$.properties.p.additionalItems", "items", "equal"),
    ]
