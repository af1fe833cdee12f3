"""Arguments are checked against the schema that was meant, and gently repaired on request."""

from __future__ import annotations

import copy
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import ConfigError, InvalidMessage
from dragoman.message import Tool
from dragoman.schema import check_arguments, repair_arguments, without_nulls
from tests.each_case import each_case
from tests.schema.generating import Maker

SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 1},
        "days": {"type": "array", "items": {"type": "integer", "minimum": 1}},
        "unit": {"enum": ["C", "F"]},
    },
    "required": ["city"],
    "additionalProperties": False,
}


def broken(schema: Any, arguments: Any, **options: Any) -> list[tuple[str, str]]:
    return [(one.path, one.keyword) for one in check_arguments(schema, arguments, **options)]


# -- checked ---------------------------------------------------------------------------------------


def test_what_keeps_to_the_schema_is_left_in_peace() -> None:
    assert check_arguments(SCHEMA, {"city": "Paris", "days": [1, 2], "unit": "C"}) == []
    assert check_arguments(Tool("weather", parameters=SCHEMA), {"city": "Paris"}) == []
    assert check_arguments(Tool("now"), {"anything": 1}) == []


def test_every_violation_is_named_with_its_place() -> None:
    found = check_arguments(SCHEMA, {"city": "", "days": [1, "two", 0], "unit": "K", "more": 1})
    assert [(one.path, one.keyword) for one in found] == [
        ("$", "additionalProperties"), ("$.city", "minLength"), ("$.days[1]", "type"),
        ("$.days[2]", "minimum"), ("$.unit", "enum"),
    ]  # fmt: skip
    assert "integer" in found[2].message
    assert broken(SCHEMA, {}) == [("$", "required")]
    assert broken(SCHEMA, ["Paris"]) == [("$", "type")]


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"const": "A"}, "A", "B"),
        ({"oneOf": [{"type": "number"}, {"type": "integer"}]}, 1.5, 1),
        ({"type": "string", "pattern": "^a(?=b)"}, "ab", "ac"),
        ({"$ref": "#/$defs/N", "$defs": {"N": {"type": "object", "properties": {
            "n": {"$ref": "#/$defs/N"}}}}}, {"n": {"n": {}}}, {"n": {"n": 1}}),
        ({"type": "array", "items": [{"type": "string"}], "additionalItems": False},
         ["a"], ["a", 1]),
        ({"type": "STRING", "nullable": True}, None, 1),
        ({"type": "integer"}, 10**30, "1"),
    ],
)  # fmt: skip
def test_what_targets_lack_is_checked_all_the_same(schema: Any, good: Any, bad: Any) -> None:
    assert check_arguments(schema, good) == []
    assert len(check_arguments(schema, bad)) == 1


def test_formats_are_checked_on_request() -> None:
    schema = {"type": "string", "format": "date"}
    assert check_arguments(schema, "tomorrow") == []
    assert broken(schema, "tomorrow", formats=True) == [("$", "format")]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "strange"},
        {"pattern": "("},
        {"$ref": "#/$defs/nowhere"},
        {"$ref": "https://example.com/schema.json"},
        {"$ref": "file:///etc/hostname"},
    ],
)
def test_what_is_no_schema_is_a_typed_error_and_nothing_is_fetched(schema: Any) -> None:
    with pytest.raises(InvalidMessage) as caught:
        check_arguments(schema, {})
    assert caught.value.code == "schema.invalid"


def test_no_file_is_read_for_a_schema(tmp_path: Path) -> None:
    there = tmp_path / "schema.json"
    there.write_text('{"type": "integer"}', encoding="utf-8")
    with pytest.raises(InvalidMessage):
        check_arguments({"$ref": there.as_uri()}, 1)


def test_arguments_nested_beyond_use_are_a_violation() -> None:
    deep: dict[str, Any] = {}
    for _ in range(900):
        deep = {"in": deep}
    assert [one.path for one in check_arguments({"type": "object"}, deep)] == ["$"]
    assert repair_arguments({"type": "object"}, deep) == (deep, [])


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    with pytest.raises(ConfigError, match=r"dragoman\[schema\]") as caught:
        check_arguments({"type": "object", "title": "never built before"}, {})
    assert caught.value.code == "schema.no_library"


# -- repaired --------------------------------------------------------------------------------------

REPAIRS = [
    ({"type": "integer"}, "3", 3, "text to integer"),
    ({"type": "integer"}, " -12 ", -12, "text to integer"),
    ({"type": "number"}, "2.5", 2.5, "text to number"),
    ({"type": "number"}, "1e3", 1000.0, "text to number"),
    ({"type": "boolean"}, "True", True, "text to boolean"),
    ({"type": ["integer", "null"]}, "null", None, "text to null"),
    ({"type": "string"}, 7, "7", "integer to text"),
    ({"type": "object"}, '{"a": [1]}', {"a": [1]}, "text to object"),
    ({"type": "array"}, "[1, 2]", [1, 2], "text to array"),
    ({"type": "array", "items": {"type": "string"}}, "a", ["a"], "value to a list of it"),
    ({"enum": ["Celsius", "Kelvin"]}, "celsius ", "Celsius", "spelled as the enum does"),
    ({"enum": [1, 2]}, "2", 2, "spelled as the enum does"),
    ({"const": "A"}, "a", "A", "spelled as the enum does"),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "4", 4, "text to integer"),
    ({"allOf": [{"type": "integer"}, {"minimum": 1}]}, "4", 4, "text to integer"),
    ({"$ref": "#/$defs/I", "$defs": {"I": {"type": "integer"}}}, "4", 4, "text to integer"),
]


@each_case(("schema", "given_", "meant", "did"), REPAIRS)
def test_what_is_plainly_meant_is_said(schema: Any, given_: Any, meant: Any, did: str) -> None:
    definitions = schema.get("$defs", {})
    whole = {"type": "object", "properties": {"p": schema}, "$defs": definitions}
    made, done = repair_arguments(whole, {"p": given_})
    assert made == {"p": meant}
    assert type(made["p"]) is type(meant)
    assert [(one.path, one.did) for one in done] == [("$.p", did)]
    assert check_arguments(whole, made) == []


LEFT = [
    ({"type": "integer"}, "3.5"),
    ({"type": "integer"}, "three"),
    ({"type": "integer"}, "007"),
    ({"type": "integer"}, ""),
    ({"type": "integer"}, None),
    ({"type": "integer"}, True),
    ({"type": "number"}, "NaN"),
    ({"type": "number"}, "0.1000000000000000055"),
    ({"type": "boolean"}, 1),
    ({"type": "boolean"}, "yes"),
    ({"type": "string"}, 1.5),
    ({"type": "string"}, None),
    ({"type": "object"}, "[1]"),
    ({"type": "object"}, "{bad"),
    ({"type": "array", "items": {"type": "string"}}, {"a": 1}),
    ({"type": "array"}, None),
    ({"enum": ["a", "A"]}, "Ａ"),
    ({"enum": ["aa", "AA"]}, "Aa"),
    ({"type": ["string", "integer"]}, "3"),
    ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "3"),
    ({}, "3"),
]


@each_case(("schema", "given_"), LEFT)
def test_what_is_not_plainly_meant_stays(schema: Any, given_: Any) -> None:
    whole = {"type": "object", "properties": {"p": schema}, "required": ["p"]}
    arguments = {"p": given_}
    made, done = repair_arguments(whole, arguments)
    assert made is arguments
    assert done == []


def test_a_null_that_stands_for_absent_goes() -> None:
    schema = {"type": "object", "properties": {
        "a": {"type": "string"}, "b": {"type": ["string", "null"]}, "c": {"type": "string"},
        "list": {"type": "array", "items": {"type": "object", "properties": {
            "x": {"type": "integer"}}}},
    }, "required": ["c"]}  # fmt: skip
    given_ = {"a": None, "b": None, "c": None, "list": [{"x": None}, {"x": 1}], "own": None}
    before = copy.deepcopy(given_)
    made, done = repair_arguments(schema, given_)
    assert made == {"b": None, "c": None, "list": [{}, {"x": 1}], "own": None}
    assert [one.path for one in done] == ["$.a", "$.list[0].x"]
    assert without_nulls(schema, given_) == made
    assert given_ == before


def test_a_text_of_arguments_is_read_and_repaired() -> None:
    assert repair_arguments(SCHEMA, '{"city": "Paris", "days": "2", "unit": "f"}')[0] == {
        "city": "Paris", "days": [2], "unit": "F",
    }  # fmt: skip


def test_the_branch_that_fits_is_repaired() -> None:
    card = {"type": "object", "properties": {"kind": {"const": "card"}, "n": {"type": "string"}},
            "required": ["kind", "n"]}  # fmt: skip
    cash = {"type": "object", "properties": {"kind": {"const": "cash"}, "n": {"type": "integer"}},
            "required": ["kind", "n"]}  # fmt: skip
    schema = {"type": "object", "properties": {"by": {"anyOf": [card, cash]}}}
    made, done = repair_arguments(schema, {"by": {"kind": "cash", "n": "3"}})
    assert made == {"by": {"kind": "cash", "n": 3}}
    assert [one.path for one in done] == ["$.by.n"]


@given(st.integers(0, 2**32))
def test_repair_never_raises_never_changes_the_input_and_ends(seed: int) -> None:
    maker = Maker(seed)
    schema = maker.document()
    value = maker.value(schema, schema)
    before = copy.deepcopy(value)
    made, done = repair_arguments(schema, value)
    assert repr(value) == repr(before)
    assert (made is value) == (done == [])
    again, more = repair_arguments(schema, made)
    assert more == [] or len(more) < len(done) + 5
    assert type(again) is type(made)


@given(st.integers(0, 2**32))
def test_repair_leaves_what_keeps_to_the_schema(seed: int) -> None:
    maker = Maker(seed)
    schema = maker.document()
    del_ = schema.pop("$defs", None)  # schemas in themselves are for the test above
    if del_ is not None:
        return
    value = maker.value(schema, schema)
    if check_arguments(schema, value) == []:
        assert repair_arguments(schema, value)[0] == value
