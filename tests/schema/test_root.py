"""Hard case 6: the root of a tool's schema."""

from __future__ import annotations

from typing import Any

import pytest

from tests.schema.saying import changed, prop, says

NEEDS_ONE = {
    "type": "object",
    "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
    "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
}


@pytest.mark.parametrize("name", ["anthropic", "bedrock"])
def test_case_6_a_union_at_the_root_is_told(name: str) -> None:
    made = says(name, NEEDS_ONE)
    assert made.schema == {
        "type": "object",
        "properties": NEEDS_ONE["properties"],
        "description": '(anyOf: [{"required":["a"]},{"required":["b"]}])',
    }
    assert made.verdict == "wider"
    assert changed(made) == [("$.anyOf", "described", "wider")]


def test_case_6_objects_of_a_root_union_become_one() -> None:
    card = {"type": "object", "properties": {"kind": {"const": "card"},
                                             "number": {"type": "string"}},
            "required": ["kind", "number"], "additionalProperties": False}  # fmt: skip
    cash = {"type": "object", "properties": {"kind": {"const": "cash"}}, "required": ["kind"],
            "additionalProperties": False}  # fmt: skip
    made = says("anthropic", {"oneOf": [card, cash]})
    assert made.verdict == "wider"
    assert made.schema["type"] == "object"
    assert made.schema["properties"] == {
        "kind": {"anyOf": [{"const": "card"}, {"const": "cash"}]}, "number": {"type": "string"},
    }  # fmt: skip
    assert made.schema["required"] == ["kind"]
    assert made.schema["additionalProperties"] is False


def test_case_6_open_objects_of_a_root_union_become_narrower_too() -> None:
    """A value of the second branch may hold anything under `x`; of both together it may not."""
    made = says("anthropic", {"anyOf": [
        {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]},
        {"type": "object", "properties": {"y": {"type": "string"}}, "required": ["y"]},
    ]})  # fmt: skip
    assert made.verdict == "wider"
    assert ("$.properties.x", "for all", "narrower") in changed(made)


def test_case_6_what_holds_all_together_at_the_root_is_joined() -> None:
    base = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    made = says("anthropic", {"$defs": {"Base": base}, "allOf": [
        {"$ref": "#/$defs/Base"}, {"properties": {"b": {"type": "integer"}}},
    ]})  # fmt: skip
    assert {k: v for k, v in made.schema.items() if k != "$defs"} == {
        "type": "object", "required": ["a"],
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
    }  # fmt: skip
    assert made.verdict == "equal"


@pytest.mark.parametrize(
    "root",
    [{}, {"properties": {}}, {"type": ["object", "null"]}, {"$ref": "#/$defs/R", "$defs": {"R": {
        "type": "object"}}}],
)  # fmt: skip
def test_case_6_the_root_says_that_it_is_an_object(root: dict[str, Any]) -> None:
    for name in ("anthropic", "bedrock", "object", "gemini", "ollama", "cohere-strict"):
        made = says(name, root)
        assert made.schema["type"] == "object"
        assert "$ref" not in made.schema
        assert made.verdict == "equal"


def test_case_6_a_list_of_items_is_told_as_draft_2020_12_has_it() -> None:
    pair = {"type": "array", "items": [{"type": "string"}, {"type": "integer"}],
            "additionalItems": False}  # fmt: skip
    assert prop("anthropic", pair) == (
        {"type": "array", "items": False, "prefixItems": [{"type": "string"}, {"type": "integer"}]},
        "equal",
    )
