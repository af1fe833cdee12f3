"""The rows of dialects, how their changes are reported, and what real APIs accepted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from dragoman.errors import ConfigError
from dragoman.losses import Report
from dragoman.losses.codes import CODES
from dragoman.losses.codes.request import SCHEMA_ROWS as ROWS
from dragoman.message import Tool
from dragoman.schema import DIALECTS, Change, SchemaDialect, dialect, lower_schema, report_changes
from tests.each_case import each_case

RECORDED = Path(__file__).parents[2].parent / "shared" / "corpus" / "open"


@each_case("row", DIALECTS.values(), ids=lambda row: row.name)
def test_every_row_has_its_source_and_date(row: SchemaDialect) -> None:
    assert DIALECTS[row.name] is row is dialect(row.name)
    assert row.source
    assert date.fromisoformat(row.since) <= date(2026, 11, 21)
    assert row.since in row.rule


def test_an_unknown_dialect_is_a_config_error() -> None:
    with pytest.raises(ConfigError, match="openai-strict"):
        dialect("latin")


def test_every_change_has_a_code_and_every_code_a_change() -> None:
    schema = {
        "type": "object",
        "properties": {
            "told": {"type": "string", "format": "uri"},
            "note": {"type": "string", "deprecated": True},
            "restated": {"const": "A"},
            "wider": {"oneOf": [{"type": "number"}, {"type": "integer"}]},
            "narrower": {"type": "array"},
        },
        "additionalProperties": False,
        "$defs": {},
    }
    made = lower_schema(schema, DIALECTS["gemini-openapi"])
    assert {change.code for change in made.changes} | {"schema.unfit"} == {*ROWS}


def test_changes_become_losses_of_the_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ROWS:
        monkeypatch.setitem(CODES, name, CODES[name])
    tool = Tool("shout", parameters={"type": "object", "properties": {
        "x-y": {"type": "string", "minLength": 3}, "m": {"type": "object",
                                                        "additionalProperties": True},
    }, "required": ["x-y", "m"]})  # fmt: skip
    assert tool.schema is not None
    report = Report(places=lambda _messages, _request: iter([("$.tools[0]", tool)]))
    report_changes(
        lower_schema(tool.schema, DIALECTS["anthropic-strict"]),
        report,
        tool,
        "parameters",
        tool.name,
    )
    told, *_, unfit = report.losses
    assert [loss.where for loss in report.losses] == [
        "$.tools[0].parameters.additionalProperties",
        '$.tools[0].parameters.properties["x-y"].minLength',
        "$.tools[0].parameters.properties.m.additionalProperties",
        "$.tools[0].parameters",
    ]
    assert told.kind == "expected", "who is strict asks for closed objects"
    assert report.losses[1].code == "schema.described"
    assert report.losses[1].what == "shout: minLength: 3"
    assert report.losses[1].did == "in the description"
    assert unfit.code == "schema.unfit"
    assert "Anthropic docs" in unfit.rule


def test_a_change_knows_whether_it_was_told() -> None:
    assert Change("$", "minLength", "minLength: 1", "described", "wider").is_described
    assert not Change("$", "minLength", "minLength: 1", "dropped", "wider").is_described
    assert Change("$.a", "", "too deep", "dropped", "wider").where == "$.a"


# -- what real APIs accepted comes through as it is -----------------------------------------------


def accepted(wire: str) -> Iterator[Any]:
    with (RECORDED / f"{wire}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row["status"] and 200 <= row["status"] < 300 and isinstance(row["request"], dict):
                yield row["request"]


def tools_of(request: Any, key: str = "tools") -> Iterator[dict[str, Any]]:
    listed = request.get(key) or []
    for tool in listed if isinstance(listed, list) else [listed]:
        if isinstance(tool, dict):
            yield tool


def anthropic(strict: bool) -> Iterator[Any]:
    for request in accepted("anthropic"):
        for tool in tools_of(request):
            if "input_schema" in tool and bool(tool.get("strict")) is strict:
                yield tool["input_schema"]


def gemini() -> Iterator[Any]:
    for request in accepted("gemini"):
        for tool in tools_of(request):
            listed = tool.get("functionDeclarations") or tool.get("function_declarations") or []
            for one in listed:
                yield one.get("parametersJsonSchema") or one.get("parameters_json_schema")


def responses() -> Iterator[Any]:
    for request in accepted("openai-responses"):
        for tool in tools_of(request):
            if tool.get("strict") is True:
                yield tool.get("parameters")


def ollama() -> Iterator[Any]:
    for request in accepted("ollama"):
        for tool in tools_of(request):
            yield tool["function"]["parameters"]


@pytest.mark.skipif(not RECORDED.is_dir(), reason="needs ../shared: recorded traffic")
@pytest.mark.parametrize(
    ("name", "schemas", "share"),
    [
        ("anthropic", lambda: anthropic(strict=False), 1.0),
        ("anthropic-strict", lambda: anthropic(strict=True), 1.0),
        ("gemini", gemini, 1.0),
        ("ollama", ollama, 1.0),
        ("openai-strict", responses, 0.98),  # three of 230 leave objects open all the same
    ],
)
def test_what_an_api_accepted_stays_as_it_is(name: str, schemas: Any, share: float) -> None:
    seen = [schema for schema in schemas() if isinstance(schema, dict)]
    same = [schema for schema in seen if lower_schema(schema, DIALECTS[name]).schema is schema]
    assert len(seen) > 10
    assert len(same) >= share * len(seen)
