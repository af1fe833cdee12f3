"""Several schemas that hold at once as one, for targets without `allOf`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.schema.saying import JUDGE, changed, prop, says

JOINED = [
    # the schemas, one schema, verdict
    ([{"type": "integer", "minimum": 1}, {"minimum": 3, "maximum": 9}, {"maximum": 7}],
     {"type": "integer", "minimum": 3, "maximum": 7}, "equal"),
    ([{"type": ["string", "integer"]}, {"type": ["number", "null"]}], {"type": "integer"}, "equal"),
    ([{"type": "number"}, {"type": "integer"}], {"type": "integer"}, "equal"),
    ([{"enum": ["a", "b"]}, {"enum": ["b", "c"]}], {"enum": ["b"]}, "equal"),
    ([{"type": "string", "format": "date"}, {"format": "date"}],
     {"type": "string", "format": "date"}, "equal"),
    ([{"type": "string", "format": "date"}, {"format": "time"}],
     {"type": "string", "format": "date", "description": "(format: time)"}, "wider"),
    ([{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
      {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}],
     {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
      "required": ["a", "b"]}, "equal"),
    ([{"type": "object", "properties": {"a": {"type": "integer"}}},
      {"properties": {"a": {"minimum": 2}}}],
     {"type": "object", "properties": {"a": {"type": "integer", "minimum": 2}}}, "equal"),
    # closed: what only the other names may not be there
    ([{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False},
      {"properties": {"b": {"type": "string"}}}],
     {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False},
     "equal"),
    # closed twice, and each requires what the other refuses: nobody meant that
    ([{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
       "additionalProperties": False},
      {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"],
       "additionalProperties": False}],
     {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
      "required": ["a", "b"], "additionalProperties": False}, "wider"),
    ([{"type": "array", "items": {"type": "integer"}}, {"items": {"minimum": 1}}],
     {"type": "array", "items": {"type": "integer", "minimum": 1}}, "equal"),
    ([{"type": "string"}, {}, True], {"type": "string"}, "equal"),
    ([{"type": "string"}, {"type": "integer"}],
     {"type": "string", "description": "(type: integer)"}, "wider"),
]  # fmt: skip


@pytest.mark.parametrize(("schemas", "one", "verdict"), JOINED)
def test_all_become_one(schemas: list[Any], one: Any, verdict: str) -> None:
    made, found = prop("gemini", {"allOf": schemas})
    assert (made, found) == (one, verdict)


def test_unions_that_hold_at_once_are_multiplied() -> None:
    schema = {"allOf": [{"anyOf": [{"type": "string"}, {"type": "integer"}]},
                        {"anyOf": [{"type": "integer"}, {"type": "boolean"}]}]}  # fmt: skip
    made, _ = prop("gemini", schema)
    judge = JUDGE(made)
    assert judge.is_valid(1)
    assert not judge.is_valid(None)
    assert not judge.is_valid([])


def test_a_reference_with_neighbours_is_joined_with_them() -> None:
    schema = {"type": "object", "properties": {"n": {"$ref": "#/$defs/N", "minimum": 5,
              "description": "mine"}}, "$defs": {"N": {"type": "integer", "minimum": 1,
              "description": "theirs"}}}  # fmt: skip
    made = says("gemini", schema)
    assert made.schema["properties"]["n"] == {
        "type": "integer", "minimum": 5, "description": "mine",
    }  # fmt: skip
    assert made.verdict == "equal"
    assert ("$.$defs.N.description", "dropped", "equal") in changed(made)


def test_what_leads_nowhere_is_left_open() -> None:
    for ref in ("https://example.com/x", "#/$defs/gone", "#gone"):
        made = prop("gemini", {"$ref": ref, "description": "d"})
        assert made == ({"description": "d"}, "wider")
