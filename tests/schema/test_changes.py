"""Every change says what and where; what is clean stays, and what is odd comes through."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dragoman.schema import DIALECTS, Change, lower_once, lower_schema, repair_arguments
from tests.schema.saying import EVERY, changed, prop, says


def test_a_change_names_its_place_in_the_original() -> None:
    schema = {"type": "object", "properties": {"x-y": {"$ref": "#/$defs/S"}},
              "$defs": {"S": {"type": "string", "minLength": 3}}}  # fmt: skip
    made = says("gemini", schema)
    assert made.changes == (Change("$.$defs.S", "minLength", "minLength: 3", "described", "wider"),)
    assert made.rule.startswith("Gemini API reference")
    plain = {"type": "object", "properties": {"x-y": {"type": "string", "minLength": 3}}}
    assert [c.where for c in says("gemini", plain).changes] == ['$.properties["x-y"].minLength']


def test_telling_can_be_left_out() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^x"}}}
    made = lower_schema(schema, DIALECTS["gemini"], tell=False)
    assert made.schema["properties"] == {"a": {"type": "string"}}
    assert changed(made) == [("$.properties.a.pattern", "dropped", "wider")]


@EVERY
def test_what_is_clean_comes_back_as_the_very_object(name: str) -> None:
    clean = {"type": "object", "properties": {"a": {"type": "string", "description": "d"}},
             "required": ["a"], "additionalProperties": False}  # fmt: skip
    made = says(name, clean)
    if "additionalProperties" in (DIALECTS[name].takes or clean) and not DIALECTS[name].upper:
        assert made.schema is clean
        assert made.changes == ()
    again = lower_schema(made.schema, DIALECTS[name])
    assert again.schema is made.schema


@pytest.mark.parametrize("rule", [{"not": {}}, {"contains": {}}, {"contains": True}])
def test_a_rule_that_looks_empty_is_a_rule(rule: dict[str, Any]) -> None:
    text, verdict = prop("gemini", {"type": "array", "items": {"type": "string"}, **rule})
    assert text["description"].startswith(f"({next(iter(rule))}: ")
    assert verdict == "wider"


def test_what_is_known_already_is_the_same_as_what_is_worked_out() -> None:
    """Also where only the spelling changes, which is no change."""
    for told in ({"type": "OBJECT", "properties": {"a": {"type": "STRING"}}},
                 {"type": "object", "properties": {"a": {"type": "string"}}}):  # fmt: skip
        for name in ("anthropic", "gemini-openapi", "openai-strict"):
            first, again = (
                lower_once(told, name),
                lower_once(json.loads(json.dumps(told)), name),
            )
            assert first == again == lower_schema(told, DIALECTS[name])
    mine: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert lower_once(mine, "anthropic").schema is mine


@EVERY
def test_odd_schemas_come_through(name: str) -> None:
    """Loops, holes and depth: a result for each, and never an exception."""
    deep: dict[str, Any] = {}
    for _ in range(450):
        deep = {"type": "object", "properties": {"in": deep}}
    odd: list[dict[str, Any]] = [
        deep,
        {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}},
        {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]},
        {"type": "object", "properties": {"a": {"$ref": "https://example.com/other"}}},
        {"type": "object", "properties": {"a": {"$ref": "#/nowhere"}}},
        {"type": "object", "properties": {"a": None, "b": 3, "c": [], "d": "x"}},
        {"type": 7, "properties": "x", "required": {"a": 1}, "enum": 5, "anyOf": {}, "items": 3},
        {"type": "object", "required": [1, None, "a"], "anyOf": [], "allOf": []},
        {"type": "object", "properties": {"a": {"type": "strange"}, "b": {"type": []}}},
        {"type": "string"},
    ]
    for schema in odd:
        made = lower_schema(schema, DIALECTS[name])
        assert made.verdict in ("equal", "wider", "narrower")
        json.dumps(made.schema)


@pytest.mark.parametrize("name", ["gemini-openapi", "ollama", "anthropic-strict", "openai-strict"])
def test_references_that_multiply_stay_small(name: str) -> None:
    """Forty definitions, each used twice by the one before, would be 2**40 schemas."""
    definitions: dict[str, Any] = {"D40": {"type": "string"}}
    for i in range(40):
        ref = {"$ref": f"#/$defs/D{i + 1}"}
        definitions[f"D{i}"] = {"type": "object", "properties": {"a": ref, "b": ref}}
    made = says(name, {"type": "object", "properties": {"x": {"$ref": "#/$defs/D0"}},
                       "$defs": definitions})  # fmt: skip
    assert len(json.dumps(made.schema)) < 400_000


def test_repair_and_lowering_meet_where_an_object_is_text() -> None:
    schema = {"type": "object", "properties": {"m": {"type": "object"}}}
    assert prop("gemini-openapi", {"type": "object"})[0]["type"] == "STRING"
    assert repair_arguments(schema, {"m": '{"a": 1}'})[0] == {"m": {"a": 1}}
