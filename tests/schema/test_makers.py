"""Hard cases 69 and 96, T2, T3 and T14: schemas of many makers, and what peers lost of them."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.schema import DIALECTS
from dragoman.schema.normalize import normalize
from tests.schema.saying import EVERY, JUDGE, changed, prop, says


def test_case_69_properties_are_an_object_and_a_type_is_one_for_old_servers() -> None:
    php = {"type": "object", "properties": []}
    for name in DIALECTS:
        assert says(name, php).schema["properties"] == {}
    assert prop("ollama-old", {"type": ["string", "null"]}) == ({"type": "string"}, "narrower")
    assert prop("ollama", {"type": ["string", "null"]}) == ({"type": ["string", "null"]}, "equal")


VANISHING = [
    ({"type": "integer", "minimum": 1}, {"type": "integer", "description": "(minimum: 1)"}),
    ({"type": "string", "format": "date"}, {"type": "string", "description": "(format: date)"}),
    ({"oneOf": [{"type": "number"}, {"type": "integer"}]},
     {"anyOf": [{"type": "number"}, {"type": "integer"}]}),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "left"), VANISHING)
def test_case_69_what_vanishes_before_the_model_is_told(schema: Any, left: Any) -> None:
    assert prop("ollama", schema) == (left, "wider")


def test_case_69_what_stands_in_items_reaches_the_model() -> None:
    rows = {"type": "array", "items": {"type": "integer", "minimum": 1, "title": "N"}}
    assert prop("ollama", rows) == (rows, "equal")


@EVERY
def test_case_96_a_schema_of_an_mcp_server_without_anything(name: str) -> None:
    made = says(name, {})
    JUDGE.check_schema(normalize(made.schema))
    assert made.schema.get("type", "object").lower() == "object"


PYDANTIC = {
    "$defs": {"Unit": {"enum": ["C", "F"], "title": "Unit", "type": "string"}},
    "properties": {
        "city": {"title": "City", "type": "string"},
        "unit": {"$ref": "#/$defs/Unit", "default": "C"},
        "days": {
            "anyOf": [{"type": "integer"}, {"type": "null"}],
            "default": None,
            "title": "Days",
        },
    },
    "required": ["city"],
    "title": "Weather",
    "type": "object",
}


@EVERY
def test_case_96_a_model_of_pydantic_keeps_its_meaning(name: str) -> None:
    made = says(name, PYDANTIC)
    target = JUDGE(normalize(made.schema))
    assert target.is_valid({"city": "Paris", "unit": "C", "days": 3})
    # a server whose types are one text has none that is a number or null
    nothing = {"city": "Paris", "unit": "F", "days": None}
    assert target.is_valid(nothing) == (name != "ollama-old")
    for bad in ({"city": "Paris", "unit": "K", "days": 3}, {"city": 1, "unit": "C", "days": 3},
                {"unit": "C", "days": 3}, {"city": "Paris", "unit": "C", "days": "x"}):  # fmt: skip
        assert not target.is_valid(bad)


def test_case_96_a_missing_type_is_said_where_it_must_be() -> None:
    schema = {"properties": {"a": {"items": {"type": "string"}}, "b": {"enum": [1, 2]}}}
    made = says("moonshot", schema)
    assert made.schema["properties"]["a"] == {"items": {"type": "string"}, "type": "array"}
    assert made.schema["properties"]["b"] == {"enum": [1, 2], "type": "integer"}
    assert ("$.properties.a.type", "array", "narrower") in changed(made)
    assert ("$.properties.b.type", "added", "equal") in changed(made)


@EVERY
def test_t2_a_property_may_have_the_name_of_a_keyword(name: str) -> None:
    named = ("ref", "$ref", "examples", "example", "type", "default", "title", "enum", "const",
             "properties", "required", "nullable", "definitions", "not", "items")  # fmt: skip
    schema = {"type": "object", "properties": {one: {"type": "string"} for one in named},
              "required": list(named), "additionalProperties": False}  # fmt: skip
    made = says(name, schema)
    assert list(made.schema["properties"]) == list(named)
    assert made.schema["required"] == list(named)
    for inner in made.schema["properties"].values():
        assert inner["type"].lower() == "string"
    meant = {"type": "object", "properties": {"a": {"const": {"$ref": "#/nowhere", "type": 3}}}}
    assert all("nowhere" not in change.keyword for change in says(name, meant).changes)


@EVERY
def test_t3_unions_and_constants_survive(name: str) -> None:
    schema = {"type": "object", "properties": {
        "u": {"anyOf": [{"type": "string"}, {"type": "integer"}]}, "c": {"const": "A"},
    }, "required": ["u", "c"], "additionalProperties": False}  # fmt: skip
    made = says(name, schema)
    target = JUDGE(normalize(made.schema))
    assert all(target.is_valid({"u": u, "c": "A"}) for u in ("x", 1))
    assert not target.is_valid({"u": "x", "c": "B"})
    if name == "ollama-old":  # it has no word for a union: it is told
        assert "anyOf" in made.schema["properties"]["u"]["description"]
    else:
        assert not target.is_valid({"u": [], "c": "A"})


@EVERY
def test_t14_properties_of_properties_survive(name: str) -> None:
    inner = {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}},
             "required": ["x", "y"], "additionalProperties": False}  # fmt: skip
    schema = {"type": "object", "properties": {"at": {"type": "object", "properties": {
        "point": inner}, "required": ["point"], "additionalProperties": False}},
        "required": ["at"], "additionalProperties": False}  # fmt: skip
    made = says(name, schema)
    point = made.schema["properties"]["at"]["properties"]["point"]
    assert point["required"] == ["x", "y"]
    assert {n: one["type"].lower() for n, one in point["properties"].items()} == {
        "x": "number", "y": "number"}  # fmt: skip
