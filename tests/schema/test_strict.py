"""Hard case 17: strict tools and answers."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.schema import without_nulls
from tests.schema.saying import changed, prop, says

STRICT = {
    "type": "object",
    "properties": {
        "a": {"type": "string"},
        "b": {"type": "integer", "description": "how many"},
        "c": {"type": "object", "properties": {"d": {"enum": ["x"]}}, "required": ["d"]},
    },
    "required": ["a", "c"],
}


def test_case_17_strict_requires_every_property_and_closes_every_object() -> None:
    made = says("openai-strict", STRICT)
    assert made.schema == {
        "type": "object",
        "properties": {
            "a": {"type": "string"},
            "b": {"description": "how many", "anyOf": [{"type": "integer"}, {"type": "null"}]},
            "c": {
                "type": "object",
                "properties": {"d": {"enum": ["x"], "type": "string"}},
                "required": ["d"],
                "additionalProperties": False,
            },
        },
        "required": ["a", "b", "c"],
        "additionalProperties": False,
    }
    assert made.unfit == ""
    assert made.verdict == "wider"  # b may be null
    assert ("$.properties.b", "required", "narrower") in changed(made)
    assert ("$.properties.b", "or null", "wider") in changed(made)


def test_case_17_the_null_that_stands_for_absent_goes_again() -> None:
    answer = {"a": "x", "b": None, "c": {"d": "x"}}
    assert without_nulls(STRICT, answer) == {"a": "x", "c": {"d": "x"}}
    assert answer["b"] is None
    kept = {"type": "object", "properties": {"b": {"type": ["integer", "null"]}}}
    assert without_nulls(kept, {"b": None}) == {"b": None}


def test_case_17_what_may_be_null_already_gets_no_second_null() -> None:
    schema = {"type": "object", "properties": {"b": {"type": ["integer", "null"]}},
              "additionalProperties": False}  # fmt: skip
    made = says("openai-strict", schema)
    assert made.schema["properties"] == schema["properties"]
    assert made.verdict == "narrower"  # it can't be absent any more


@pytest.mark.parametrize("root", [{}, {"type": "object"}, {"type": "object", "properties": {}}])
def test_case_17_a_bare_schema_is_a_closed_empty_object(root: dict[str, Any]) -> None:
    made = says("openai-strict", root)
    assert made.schema == {"type": "object", "properties": {}, "additionalProperties": False} | (
        {"required": []}
    )
    assert made.unfit == ""
    assert made.verdict == "narrower"


@pytest.mark.parametrize("rest", [True, {"type": "string"}])
def test_case_17_a_free_map_has_no_strict_form(rest: Any) -> None:
    schema = {"type": "object", "properties": {"m": {"type": "object",
              "additionalProperties": rest}}, "required": ["m"]}  # fmt: skip
    for name in ("openai-strict", "anthropic-strict"):
        made = says(name, schema)
        assert made.unfit == "$.properties.m: a free map cannot be closed"
        assert made.schema["properties"]["m"]["additionalProperties"] is False


def test_case_17_definitions_and_unions_are_closed_too() -> None:
    node = {"type": "object", "properties": {"next": {"anyOf": [{"$ref": "#/$defs/N"},
            {"type": "null"}]}}, "required": ["next"]}  # fmt: skip
    made = says("openai-strict", {"type": "object", "properties": {"n": {"$ref": "#/$defs/N"}},
                                  "required": ["n"], "$defs": {"N": node}})  # fmt: skip
    assert made.schema["$defs"]["N"] == {**node, "additionalProperties": False}
    assert made.schema["properties"] == {"n": {"$ref": "#/$defs/N"}}


def test_case_17_rules_that_strict_refuses_are_told() -> None:
    some = {"type": "object", "properties": {}, "additionalProperties": False, "minProperties": 1}
    text, verdict = prop("openai-strict", some)
    assert text["description"] == "(minProperties: 1)"
    assert verdict == "wider"


def test_case_17_limits_are_checked() -> None:
    many = {"type": "object", "properties": {f"p{i}": {"type": "string"} for i in range(30)}}
    assert says("anthropic-strict", many).unfit == "$: 30 optional, at most 24"
    assert says("openai-strict", many).unfit == ""
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(11):
        deep = {"type": "object", "properties": {"in": deep}, "required": ["in"]}
    assert says("openai-strict", deep).unfit == "$: 11 depth, at most 10"
