"""Tool in every form it is given in, the Parameter tree, and ToolChoice."""

from __future__ import annotations

import copy
import pickle
from types import MappingProxyType
from typing import Any

import pytest

from dragoman.errors import InvalidMessage
from dragoman.message import CacheHint, Parameter, Tool, ToolChoice, to_tools
from tests.each_case import each_case

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}


def wrong(value: object) -> Any:
    return value


@pytest.mark.parametrize(
    ("parameter", "schema"),
    [
        (Parameter("a"), {"type": "string"}),
        (Parameter("a", "integer", "how many"), {"type": "integer", "description": "how many"}),
        (Parameter("a", enum=["x", "y"]), {"type": "string", "enum": ["x", "y"]}),
        (Parameter("a", "number", default=0.5), {"type": "number", "default": 0.5}),
        (Parameter("a", "string[]"), {"type": "array", "items": {"type": "string"}}),
        (Parameter("a", "array"), {"type": "array", "items": {"type": "string"}}),
        (
            Parameter("a", "array", "tags", enum=("x",), default=["x"]),
            {"type": "array", "items": {"type": "string", "enum": ["x"]}, "description": "tags",
             "default": ["x"]},
        ),
        (
            Parameter("a", "string[]", "tags", enum=("x",)),
            {"type": "array", "items": {"type": "string", "enum": ["x"]}, "description": "tags"},
        ),
        (
            Parameter("a", "integer[][]"),
            {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
        ),
        (
            Parameter("a", "object", children=[Parameter("b", required=True)]),
            {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]},
        ),
        (Parameter("a", "object"), {"type": "object", "properties": {}}),
        (
            Parameter("a", "object[]", children=[Parameter("b", "boolean")]),
            {"type": "array",
             "items": {"type": "object", "properties": {"b": {"type": "boolean"}}}},
        ),
        (
            Parameter("a", "array", children=[Parameter("b")]),
            {"type": "array",
             "items": {"type": "object", "properties": {"b": {"type": "string"}}}},
        ),
    ],
)  # fmt: skip
def test_parameters_spell_a_schema(parameter: Parameter, schema: dict[str, Any]) -> None:
    assert parameter.schema() == schema


def test_parameters_as_deep_as_they_go() -> None:
    leaf = Parameter("leaf", "number[]", "figures", required=True)
    tree = Parameter("root", "object", children=[Parameter("rows", "object[]", children=[leaf])])
    tool = Tool("f", "", [tree, Parameter("n", "integer", required=True)])
    assert tool.schema == {
        "type": "object",
        "properties": {
            "root": {
                "type": "object",
                "properties": {
                    "rows": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "leaf": {
                                    "type": "array",
                                    "items": {"type": "number"},
                                    "description": "figures",
                                }
                            },
                            "required": ["leaf"],
                        },
                    }
                },
            },
            "n": {"type": "integer"},
        },
        "required": ["n"],
    }


def test_a_tool_without_parameters_declares_none() -> None:
    assert Tool("f").schema is None
    assert Tool("f", "", []).schema == {"type": "object", "properties": {}}


def test_a_schema_is_taken_as_it_is() -> None:
    assert Tool("f", "", SCHEMA).schema is SCHEMA
    assert Tool("f", "", wrong(MappingProxyType(SCHEMA))).schema == SCHEMA


@pytest.mark.parametrize(
    "given",
    [
        {"name": "f", "description": "d", "parameters": SCHEMA, "strict": True},
        {"name": "f", "description": "d", "input_schema": SCHEMA, "strict": True},
        {"type": "function", "name": "f", "description": "d", "parameters": SCHEMA, "strict": True},
        {"type": "function", "function": {
            "name": "f", "description": "d", "parameters": SCHEMA, "strict": True}},
        {"function": {"name": "f", "description": "d", "input_schema": SCHEMA, "strict": True}},
    ],
)  # fmt: skip
def test_every_plain_form_is_the_same_tool(given: dict[str, Any]) -> None:
    before = copy.deepcopy(given)
    made = Tool.of(given)
    assert made == Tool("f", "d", SCHEMA, strict=True)
    assert made.schema is SCHEMA
    assert given == before


def test_a_plain_tool_may_say_little() -> None:
    assert Tool.of({"name": "f"}) == Tool("f")
    assert Tool.of({"name": "f", "description": None}) == Tool("f")


def test_what_a_tool_does_not_know_is_kept() -> None:
    given = {"name": "f", "input_schema": SCHEMA, "cache_control": {"ttl": "1h"}, "defer": True}
    expected = Tool("f", "", SCHEMA, cache=CacheHint("1h"), extras={"": {"defer": True}})
    assert Tool.of(given) == expected
    served = Tool.of({"type": "web_search_20250305", "name": "web_search"})
    assert served.extras == {"": {"type": "web_search_20250305"}}


def test_a_tool_is_itself_and_lists_are_new() -> None:
    tool = Tool("f")
    given: list[Any] = [tool, {"name": "g"}]
    made = to_tools(given)
    assert made == [tool, Tool("g")]
    assert made[0] is tool
    assert given[1] == {"name": "g"}
    assert to_tools(None) == []
    assert to_tools(iter([tool])) == [tool]


@each_case(
    ("make", "path"),
    [
        (lambda: Tool(""), "$.tools"),
        (lambda: Tool(wrong(None)), "$.tools"),
        (lambda: Tool(wrong(7)), "$.tools"),
        (lambda: Tool("f \ud83d"), "$.tools['f \\ud83d'].name"),
        (lambda: Tool("f", wrong(None)), "$.tools['f'].description"),
        (lambda: Tool("f", "\ud83d"), "$.tools['f'].description"),
        (lambda: Tool("f", "", wrong("{}")), "$.tools['f'].parameters"),
        (lambda: Tool("f", "", wrong(7)), "$.tools['f'].parameters"),
        (lambda: Tool("f", "", wrong(["x"])), "$.tools['f'].parameters[0]"),
        (lambda: Tool("f", "", [Parameter(wrong(7))]), "$.tools['f'].parameters[0].name"),
        (lambda: Tool("f", "", [Parameter("a", wrong(None))]), "$.tools['f'].parameters[0].type"),
        (
            lambda: Tool("f", "", [Parameter("a", "object", children=[wrong("x")])]),
            "$.tools['f'].parameters[0].children[0]",
        ),
        (lambda: Tool("f", "", {"n": float("nan")}), "$.tools['f'].parameters.n"),
        (lambda: Tool("f", "", {"n": object()}), "$.tools['f'].parameters.n"),
        (lambda: Tool("f", strict=wrong("yes")), "$.tools['f'].strict"),
        (lambda: Tool("f", cache=wrong("1h")), "$.tools['f'].cache"),
        (lambda: Tool("f", extras=wrong({"openai": 1})), "$.tools['f'].extras.openai"),
        (lambda: to_tools(wrong(7)), "$.tools"),
        (lambda: to_tools(wrong("f")), "$.tools"),
        (lambda: to_tools(wrong({"name": "f"})), "$.tools"),
        (lambda: to_tools(wrong(Tool("f"))), "$.tools"),
        (lambda: to_tools([Tool("f"), wrong("g")]), "$.tools[1]"),
        (lambda: to_tools([wrong({"description": "d"})]), "$.tools[0]"),
        (lambda: to_tools([wrong({"function": "f"})]), "$.tools[0]"),
        (lambda: to_tools([wrong({"name": 7})]), "$.tools[0]"),
        (lambda: ToolChoice(wrong("any")), "$.tool_choice"),
        (lambda: ToolChoice("tool"), "$.tool_choice"),
        (lambda: ToolChoice("auto", "f"), "$.tool_choice"),
        (lambda: ToolChoice.of(wrong(7)), "$.tool_choice"),
    ],
)  # fmt: skip
def test_wrong_tools_are_refused_with_their_path(make: Any, path: str) -> None:
    with pytest.raises(InvalidMessage) as caught:
        make()
    assert caught.value.path == path


def test_choices_by_word() -> None:
    assert ToolChoice.of(None) is None
    assert ToolChoice.of("auto") == ToolChoice("auto")
    assert ToolChoice.of("none") == ToolChoice("none")
    assert ToolChoice.of("required") == ToolChoice("required") == ToolChoice.of("any")
    assert ToolChoice.of("look") == ToolChoice("tool", "look")
    given = ToolChoice("auto", allowed=("look",), parallel=False)
    assert ToolChoice.of(given) is given


@pytest.mark.parametrize("way", [copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
def test_copies_and_pickles(way: Any) -> None:
    tool = Tool("f", "d", SCHEMA, True, CacheHint("1h"), {"openai": {"k": 1}})
    assert way(tool) == tool
    choice = ToolChoice("tool", "f", ("f", "g"), False)
    assert way(choice) == choice
