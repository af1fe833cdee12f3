"""Law 6 over schemas and merged histories: work grows with what is given, and so does what is sent.

No clock: lines of ours are counted, for an input and for one four times as long.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from dragoman import ByName, Msg, split_history
from dragoman.losses import Report
from dragoman.schema import DIALECTS
from dragoman.schema.lowering import lower_schema
from tests.each_case import each_case

from .test_linear import LIMIT, work

SMALL = 60
ONE_OF_EACH = ("openai-strict", "anthropic", "gemini", "gemini-openapi", "ollama")
ROOM = 2**20  # characters


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def each(n: int, schema: Any) -> dict[str, Any]:
    return of(**{f"a{i}": schema for i in range(n)})


SCHEMAS: dict[str, Callable[[int], dict[str, Any]]] = {
    "mixed enums": lambda n: each(n, {"enum": [1, "a", True, None]}),
    "a mixed enum": lambda n: of(a={"enum": [*range(n), *map(str, range(n)), True, None]}),
    "flat allOf": lambda n: {"type": "object", "allOf": [
        {**of(**{f"a{i}": {"type": "string"}}), "required": [f"a{i}"]} for i in range(n)]},
    "allOf in allOf": lambda n: of(a={"allOf": [
        {"allOf": [{"minLength": i}, {"pattern": f"{i}"}]} for i in range(n)]}),
    "a union of objects": lambda n: {"anyOf": [
        of(**{f"a{i}": {"type": "string"}, "kind": {"const": i}}) for i in range(n)]},
    "definitions in a circle": lambda n: {
        **of(a={"$ref": "#/$defs/D0"}),
        "$defs": {f"D{i}": of(x={"$ref": f"#/$defs/D{(i + 1) % n}"}) for i in range(n)}},
    "everything required": lambda n: {
        **each(n, {"type": "string"}), "required": [f"a{i}" for i in range(n)]},
    "words to be told": lambda n: of(a={"type": "string", "allOf": [
        {"not": {"const": i}, "if": {"const": i}, "then": {"minLength": i}} for i in range(n)]}),
    "a tuple": lambda n: of(a={"type": "array", "items": {"type": "string"},
                              "prefixItems": [{"const": i} for i in range(n)]}),
}  # fmt: skip


@each_case("name", ONE_OF_EACH)
@each_case("schema", SCHEMAS)
def test_schemas(schema: str, name: str) -> None:
    few, many = SCHEMAS[schema](SMALL), SCHEMAS[schema](4 * SMALL)
    lower_schema(few, DIALECTS[name])
    less = work(lambda: lower_schema(few, DIALECTS[name]))
    assert work(lambda: lower_schema(many, DIALECTS[name])) < LIMIT * less


MULTIPLIED = {
    "a large definition, in many places": {
        **each(300, {"$ref": "#/$defs/D"}),
        "$defs": {"D": {**each(300, {"type": "string", "description": "y" * 50})}}},
    "much beside a union": {
        **each(300, {"type": "string"}), "anyOf": [{"required": [f"a{i}"]} for i in range(3_000)]},
}  # fmt: skip


@pytest.mark.parametrize("name", ["gemini-openapi", "ollama"])
@pytest.mark.parametrize("schema", MULTIPLIED)
def test_what_is_said_again_has_a_limit_and_is_named(schema: str, name: str) -> None:
    made = lower_schema(MULTIPLIED[schema], DIALECTS[name])
    assert len(json.dumps(made.schema)) < 2 * ROOM + 4 * len(json.dumps(MULTIPLIED[schema]))
    told = {change.did for change in made.changes if change.verdict == "wider"}
    whole = {"ollama": "much beside a union"}.get(name) == schema  # it takes that as it is
    assert whole or told & {"cut off", "dropped"}


@pytest.mark.parametrize("by", [ByName(), ByName(line="{name}:\n{text}\n")])
@pytest.mark.parametrize("name", ["Nobody {}", "{}"])
def test_a_merged_history_of_many_speakers(name: str, by: ByName) -> None:
    def merged(n: int) -> tuple[Any, list[str]]:
        msgs = [Msg(name.format("x" * (i % 7) + str(i)), "Hi.", "user") for i in range(n)]
        return by(msgs, Report())[0], [m.name for m in msgs]

    few, many = merged(SMALL), merged(4 * SMALL)
    assert [m.name for m in split_history(*few, by=by)] == few[1]
    less = work(lambda: split_history(*few, by=by))
    assert work(lambda: split_history(*many, by=by)) < LIMIT * less


def test_the_longest_name_is_the_one_that_speaks() -> None:
    text = "<history>\nAl hi\nAl Bo hi\nAl Ce hi\nAl Bo De hi\n</history>"
    said = split_history(text, ["Al", "Al Bo", "Al Bo De"], by=ByName(line="{name} {text}"))
    assert [(m.name, m.content) for m in said] == [
        ("Al", "hi"), ("Al Bo", "hi"), ("Al", "Ce hi"), ("Al Bo De", "hi")
    ]  # fmt: skip
