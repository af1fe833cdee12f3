"""Older drafts, OpenAPI and slips of the pen in the one spelling."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.schema.lowering_result import Change
from dragoman.schema.normalize import normalize
from tests.each_case import each_case

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
    ({"required": ["a", 1, "a"]}, {"required": ["a"]}),
    ({"type": ["str", "string", "None"]}, {"type": ["string", "null"]}),
    ({"type": "any"}, {}),
    ({"type": ["string", "ANY"]}, {}),
    ({"type": None}, {}),
    ({"type": "TYPE_UNSPECIFIED", "title": "T"}, {"title": "T"}),
    ({"type": "string", "description": None}, {"type": "string"}),
    ({"type": "integer", "minimum": None, "maximum": "9"}, {"type": "integer"}),
    ({"minLength": -1, "maxLength": 2.0, "minItems": True}, {"maxLength": 2.0}),
    ({"items": None, "additionalProperties": "no", "not": 3}, {}),
    ({"exclusiveMinimum": None, "exclusiveMaximum": 3}, {"exclusiveMaximum": 3}),
    ({"dependencies": {"a": [1]}, "dependentRequired": []}, {}),
    ({"anyOf": [None, {"type": "string"}]}, {"anyOf": [{}, {"type": "string"}]}),
]  # fmt: skip


@each_case(("told", "meant"), SPELLINGS)
def test_one_spelling(told: Any, meant: Any) -> None:
    assert normalize(told) == meant
    assert normalize({"type": "object", "properties": {"p": told}})["properties"]["p"] == meant


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
    assert normalize(schema, changes) is schema
    assert changes == []


@pytest.mark.parametrize(
    ("told", "changes"),
    [
        ({"type": "str"}, [("$.type", "string", "equal")]),
        ({"type": "OBJECT"}, []),  # Gemini's spelling of the very word
        ({"type": "any"}, [("$.type", "dropped", "equal")]),
        ({"description": None}, [("$.description", "dropped", "equal")]),
        ({"required": [1]}, [("$.required", "names, each once", "equal")]),
        ({"properties": {"a": None}}, [("$.properties.a", "any value", "equal")]),
        ({"type": "date"}, []),
    ],
)
def test_slips_of_the_pen_are_noted(told: Any, changes: list[tuple[str, str, str]]) -> None:
    noted: list[Change] = []
    normalize(told, noted)
    assert [(one.where, one.did, one.verdict) for one in noted] == changes


def test_a_type_that_nobody_knows_stays_unless_known_ones_are_asked_for() -> None:
    assert normalize({"type": ["Date", "str"]}) == {"type": ["date", "string"]}
    noted: list[Change] = []
    assert normalize({"type": ["Date", "str"]}, noted, known_types=True) == {}
    assert noted == [Change("$", "type", "type: date", "dropped", "wider")]


def test_every_other_spelling_is_noted() -> None:
    changes: list[Change] = []
    normalize({"properties": {"p": {"items": [{}], "additionalItems": {}}}}, changes)
    assert [(one.where, one.did, one.verdict) for one in changes] == [
        ("$.properties.p.items", "prefixItems", "equal"),
        ("$.properties.p.additionalItems", "items", "equal"),
    ]
