"""Schemas that mean far more work than they are long: refused at once, by every check."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from dragoman import InvalidMessage, InvalidOutput, Structured, Toolkit
from dragoman.message import ToolUseBlock
from dragoman.schema import check_arguments, repair_arguments
from dragoman.schema.load import is_heavy
from dragoman.toolkit import FunctionTool
from tests.each_case import each_case


def doubling(steps: int, keyword: str) -> dict[str, Any]:
    """References that double at each step, all of them applied to one value."""
    defs: dict[str, Any] = {
        f"d{n}": {keyword: [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(steps)
    }
    defs[f"d{steps}"] = {"type": "string"}
    return {"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": defs}


def doubling_inside(steps: int) -> dict[str, Any]:
    """The same, each step a property further down."""
    defs: dict[str, Any] = {
        f"d{n}": {"allOf": [{"properties": {"x": {"$ref": f"#/$defs/d{n + 1}"}}}] * 2}
        for n in range(steps)
    }
    defs[f"d{steps}"] = {"type": "string"}
    return {"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": defs}


def itself() -> dict[str, Any]:
    """A schema that refers to itself twice in each property."""
    inner = {"properties": {"x": {"$ref": "#/$defs/d"}}}
    return {
        "type": "object",
        "allOf": [{"$ref": "#/$defs/d"}],
        "$defs": {"d": {"allOf": [inner] * 2}},
    }


def deep(levels: int) -> Any:
    value: Any = 5
    for _ in range(levels):
        value = {"x": value}
    return value


HEAVY: dict[str, tuple[dict[str, Any], Any]] = {
    **{word: (doubling(25, word), {"x": 5}) for word in ("allOf", "anyOf", "oneOf")},
    **{f"fitting {word}": (doubling(60, word), {"x": "s"}) for word in ("allOf", "anyOf", "oneOf")},
    "inside": (doubling_inside(25), deep(26)), "itself": (itself(), deep(40)),
}  # fmt: skip


def text_of(value: Any) -> str:
    """JSON text of a value with one key at each level, which `json` would recurse for."""
    levels = 0
    while isinstance(value, dict):
        levels, value = levels + 1, value["x"]
    return '{"x": ' * levels + json.dumps(value) + "}" * levels


DOORS: dict[str, Callable[[dict[str, Any], Any], Any]] = {
    "checked": check_arguments,
    "repaired": repair_arguments,
    "parse": lambda schema, value: Structured(schema).parse(text_of(value)),
    "toolkit": lambda schema, value: Toolkit(
        [FunctionTool(lambda **_: "ran", name="f", parameters=schema)]
    ).run([ToolUseBlock("a", "f", value)]),
}


@each_case("door", DOORS)
@each_case("name", HEAVY)
def test_references_that_double_are_refused_at_once(name: str, door: str) -> None:
    schema, value = HEAVY[name]
    if door in ("checked", "parse"):
        with pytest.raises(InvalidMessage, match="multiply") as caught:
            DOORS[door](schema, value)
        assert caught.value.code == "schema.heavy"
    elif door == "toolkit":
        [result] = DOORS[door](schema, value)
        assert result.blocks[0].is_error
    else:
        assert repair_arguments(schema, value) == (value, [])


JSON_VALUE: dict[str, Any] = {
    "type": "object", "additionalProperties": {"$ref": "#/$defs/value"},
    "$defs": {"value": {"anyOf": [
        {"type": "string"}, {"type": "number"}, {"type": "null"},
        {"type": "array", "items": {"$ref": "#/$defs/value"}},
        {"type": "object", "additionalProperties": {"$ref": "#/$defs/value"}},
    ]}},
}  # fmt: skip
TREE: dict[str, Any] = {
    "type": "object", "properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"},
                                     "leaf": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
    "additionalProperties": False,
}  # fmt: skip


def test_schemas_of_types_that_hold_themselves_are_checked_as_ever() -> None:
    rows = {str(n): [n, str(n), {"a": [None, {"b": n}]}] for n in range(2000)}
    assert not is_heavy(JSON_VALUE, rows)
    assert check_arguments(JSON_VALUE, {"a": {"b": [1, {"c": "d"}]}}) == []
    tree: Any = {"leaf": 1}
    for _ in range(8):
        tree = {"left": tree, "right": tree}
    assert not is_heavy(TREE, tree)
    assert check_arguments(TREE, tree) == []
    assert repair_arguments(TREE, {"left": {"leaf": "3"}})[0] == {"left": {"leaf": 3}}


def nested(levels: int, keyword: str) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}} if keyword == "properties" else (
            {"type": "array", "items": schema} if keyword == "items" else {keyword: [schema]}
        )  # fmt: skip
    return {"type": "object", "properties": {"x": schema}}


def on_a_deep_stack(frames: int, function: Callable[[], Any]) -> Any:
    return function() if frames == 0 else on_a_deep_stack(frames - 1, function)


MEMBERS = {"type": "object", "properties": {"x": {"allOf": [
    {"type": "string", "minLength": n} for n in range(1000)
]}}}  # fmt: skip


@each_case("frames", [0, 300])
@each_case("door", DOORS)
@each_case("keyword", ["properties", "items", "allOf", "anyOf", "members"])
def test_what_is_nested_deeply_is_a_typed_error(keyword: str, door: str, frames: int) -> None:
    schema = MEMBERS if keyword == "members" else nested(640, keyword)
    for value in ({"x": 5}, deep(900)):
        try:
            on_a_deep_stack(frames, lambda value=value: DOORS[door](schema, value))  # type: ignore[misc]
        except (InvalidMessage, InvalidOutput):
            continue
