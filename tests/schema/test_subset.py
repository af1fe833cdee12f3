"""Hard case 42: the subset of OpenAPI, and what takes most of JSON Schema."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.each_case import each_case
from tests.schema.saying import changed, prop, says

SUBSET = [
    # schema, property in the subset, verdict
    ({"const": "A"}, {"enum": ["A"], "type": "STRING"}, "equal"),
    ({"const": 3}, {"type": "INTEGER", "minimum": 3, "maximum": 3}, "equal"),
    ({"enum": [1, 2, 3]}, {"type": "INTEGER", "minimum": 1, "maximum": 3}, "equal"),
    (
        {"enum": [1, 5]},
        {"type": "INTEGER", "minimum": 1, "maximum": 5, "description": "(enum: [1,5])"},
        "wider",
    ),
    ({"enum": ["a", "a", "b"]}, {"enum": ["a", "b"], "type": "STRING"}, "equal"),
    ({"enum": ["a", ""]}, {"enum": ["a"], "type": "STRING"}, "narrower"),
    ({"enum": ["a", None]}, {"enum": ["a"], "type": "STRING", "nullable": True}, "equal"),
    ({"type": ["string", "null"]}, {"type": "STRING", "nullable": True}, "equal"),
    ({"type": "string", "nullable": True}, {"type": "STRING", "nullable": True}, "equal"),
    (
        {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "d"},
        {"description": "d", "type": "STRING", "nullable": True},
        "equal",
    ),
    (
        {"type": ["string", "integer"], "minimum": 2},
        {"anyOf": [{"type": "STRING"}, {"type": "INTEGER", "minimum": 2}]},
        "equal",
    ),
    (
        {"oneOf": [{"type": "string"}, {"type": "integer"}]},
        {"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}]},
        "equal",
    ),
    (
        {"oneOf": [{"type": "number"}, {"type": "integer"}]},
        {"anyOf": [{"type": "NUMBER"}, {"type": "INTEGER"}]},
        "wider",
    ),
    (
        {"type": "string", "format": "uri", "description": "where"},
        {"type": "STRING", "description": "where (format: uri)"},
        "wider",
    ),
    ({"type": "string", "format": "date-time"}, {"type": "STRING", "format": "date-time"}, "equal"),
    ({"type": "integer", "exclusiveMinimum": 0}, {"type": "INTEGER", "minimum": 1}, "equal"),
    (
        {"type": "number", "exclusiveMinimum": 0},
        {"type": "NUMBER", "minimum": 0, "description": "(exclusiveMinimum: 0)"},
        "wider",
    ),
    (
        {"type": "number", "multipleOf": 0.5},
        {"type": "NUMBER", "description": "(multipleOf: 0.5)"},
        "wider",
    ),
    ({"type": "array"}, {"type": "ARRAY", "items": {"type": "STRING"}}, "narrower"),
    ({"type": "string", "properties": {"x": {}}}, {"type": "STRING"}, "equal"),
    ({"type": "string", "deprecated": True}, {"type": "STRING"}, "equal"),
    ({"type": "string", "examples": ["x"]}, {"type": "STRING", "description": '(examples: ["x"])'},
     "equal"),
    (
        {"type": "object", "properties": {"x": {"type": "string"}}, "additionalProperties": False},
        {"type": "OBJECT", "properties": {"x": {"type": "STRING"}}},
        "wider",
    ),
    (
        {"type": "object", "properties": {"x": {"type": "string"}}, "propertyNames": {
            "pattern": "^x"}},
        {"type": "OBJECT", "properties": {"x": {"type": "STRING"}},
         "description": '(propertyNames: {"pattern":"^x"})'},
        "wider",
    ),
    (
        {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x", "gone"]},
        {"type": "OBJECT", "properties": {"x": {"type": "STRING"}}, "required": ["x"]},
        "wider",
    ),
    ({"type": "object"}, {"type": "STRING", "description": "(a JSON object as text)"}, "wider"),
]  # fmt: skip


@each_case(("schema", "subset", "verdict"), SUBSET)
def test_case_42_the_subset(schema: Any, subset: Any, verdict: str) -> None:
    assert prop("gemini-openapi", schema) == (subset, verdict)


def test_case_42_references_are_inlined() -> None:
    place = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    made = says("gemini-openapi", {
        "type": "object", "$defs": {"Place": place},
        "properties": {"from": {"$ref": "#/$defs/Place", "description": "start"}},
    })  # fmt: skip
    assert made.schema == {"type": "OBJECT", "properties": {"from": {
        "description": "start", "type": "OBJECT", "required": ["city"],
        "properties": {"city": {"type": "STRING"}},
    }}}  # fmt: skip
    assert made.verdict == "equal"
    assert ("$.$defs", "inlined", "equal") in changed(made)


NODE = {
    "type": "object",
    "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/Node"}},
    "required": ["v"],
}
CHAIN = {
    "type": "object",
    "properties": {"head": {"$ref": "#/$defs/Node"}},
    "$defs": {"Node": NODE},
}


def test_case_42_a_schema_in_itself_ends_after_three() -> None:
    made = says("gemini-openapi", CHAIN)
    depth, node = 0, made.schema["properties"]["head"]
    while node["type"] == "OBJECT":
        depth, node = depth + 1, node["properties"]["next"]
    assert depth == 3
    assert node == {"type": "STRING", "description": "(a JSON object as text)"}
    assert ("$.$defs.Node.properties.next.$ref", "cut off", "wider") in changed(made)


def test_case_42_references_stay_where_they_are_taken() -> None:
    assert says("gemini", CHAIN).schema is CHAIN
    endless = copy.deepcopy(CHAIN)
    endless["$defs"]["Node"]["required"] = ["v", "next"]  # type: ignore[index]
    made = says("gemini", endless)
    assert made.schema["$defs"]["Node"]["required"] == ["v"]
    assert changed(made) == [("$.$defs.Node.required", "dropped", "wider")]


FULL = [
    ({"const": "A"}, {"enum": ["A"]}, "equal"),
    ({"const": True}, {"type": "boolean", "description": "(enum: [true])"}, "wider"),
    ({"type": ["string", "null"]}, {"type": ["string", "null"]}, "equal"),
    (
        {"type": "string", "minLength": 2, "pattern": "^a"},
        {"type": "string", "description": "(minLength: 2; pattern: ^a)"},
        "wider",
    ),
    (
        {"type": "object", "patternProperties": {"^x": {"type": "string"}},
         "additionalProperties": False},
        {"type": "object", "additionalProperties": {"type": "string"},
         "description": '(patternProperties: {"^x":{"type":"string"}})'},
        "wider",
    ),
    (
        {"type": "array", "prefixItems": [{"type": "string"}], "items": False},
        {"type": "array", "prefixItems": [{"type": "string"}], "maxItems": 1},
        "equal",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "full", "verdict"), FULL)
def test_case_42_what_takes_most_of_json_schema(schema: Any, full: Any, verdict: str) -> None:
    assert prop("gemini", schema) == (full, verdict)


def test_case_42_snake_case_is_understood() -> None:
    schema = {"type": "OBJECT", "properties": {"n": {"any_of": [{"type": "STRING"},
              {"type": "INTEGER"}]}}, "property_ordering": ["n"]}  # fmt: skip
    assert says("plain", schema).schema == {
        "type": "object", "propertyOrdering": ["n"],
        "properties": {"n": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
    }  # fmt: skip


def branch(kind: str, *, needed: bool = True) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "object", "properties": {"kind": {"const": kind}}}
    return made | ({"required": ["kind"]} if needed else {})


APART = [
    ([{"type": "string"}, {"type": "null"}], "equal"),
    ([{"type": "string"}, {"type": ["string", "null"]}], "wider"),
    ([{"enum": ["a"]}, {"enum": ["b"]}], "equal"),
    ([{"enum": ["a", "b"]}, {"enum": ["b"]}], "wider"),
    ([{"const": 1}, {"const": 1.0}], "wider"),
    ([branch("a"), branch("b")], "equal"),
    ([branch("a"), branch("a")], "wider"),
    ([branch("a"), branch("b", needed=False)], "wider"),
    ([{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}], "equal"),
    ([{"type": "string", "maxLength": 3}, {"type": "string", "minLength": 5}], "wider"),
]


@pytest.mark.parametrize(("branches", "verdict"), APART)
def test_case_42_one_of_is_any_of_where_no_two_can_meet(branches: Any, verdict: str) -> None:
    schema = {"type": "object", "properties": {"p": {"oneOf": branches}},
              "$defs": {"A": branch("a"), "B": branch("b")}}  # fmt: skip
    found = {one.where: one.verdict for one in says("gemini", schema).changes}
    assert found["$.properties.p.oneOf"] == verdict
