"""Tool definitions, tool choice and call arguments, as far as wires share their rules.

Each wire hands over what it found under its own keys; this file knows none of them.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from .fault import Fault, Json, Path, brief, label, mapping, members

ROOT_UNIONS = ("anyOf", "oneOf", "allOf")


@dataclass(frozen=True)
class Definition:
    """One declared tool: where its name and its schema stand."""

    name: Json
    name_at: Path
    schema: Json = None
    schema_at: Path = ()


def definition_faults(
    tools: list[Definition], names: re.Pattern[str], *, draft: bool = False
) -> Iterator[Fault]:
    """Names match and differ, schemas are objects; `draft`: checked against 2020-12, too."""
    seen: set[str] = set()
    for tool in tools:
        yield from name_faults(tool.name, names, tool.name_at)
        if isinstance(tool.name, str) and tool.name in seen:
            yield Fault("tools.twice", tool.name_at, f"{tool.name!r} is declared twice")
        seen.add(str(tool.name))
        if tool.schema is not None:
            yield from schema_faults(tool.schema, tool.schema_at, draft=draft)


def name_faults(name: Json, names: re.Pattern[str], at: Path) -> Iterator[Fault]:
    if not isinstance(name, str) or not names.fullmatch(name):
        yield Fault("tools.name", at, f"tool name {brief(name)} does not match {names.pattern}")


def schema_faults(schema: Json, at: Path, *, draft: bool) -> Iterator[Fault]:
    if not isinstance(schema, dict) or schema.get("type") != "object":
        yield Fault("tools.schema", at, "the root of a tool's schema is an object schema")
        return
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(properties, dict):
        yield Fault("tools.schema", (*at, "properties"), "properties are no object")
    if not isinstance(required, list) or not all(isinstance(key, str) for key in required):
        yield Fault("tools.schema", (*at, "required"), "required is no list of names")
    if draft:
        for key in ROOT_UNIONS:
            if key in schema:
                yield Fault("tools.root_union", (*at, key), f"{key} at the root")
        yield from _draft_faults(schema, at)


def _draft_faults(schema: dict[str, Json], at: Path) -> Iterator[Fault]:
    fast, validator = _draft_validators()
    if fast.is_valid(schema):
        return
    for error in validator.iter_errors(schema):
        yield Fault("tools.draft", (*at, *error.absolute_path), "not JSON Schema draft 2020-12")


@cache
def _draft_validators() -> tuple[Any, Any]:
    """One gives the verdict, the other tells the errors; without stubs, and slow to import."""
    jsonschema: Any = importlib.import_module("jsonschema")
    fast: Any = importlib.import_module("jsonschema_rs")
    draft = jsonschema.Draft202012Validator.META_SCHEMA
    return fast.Draft202012Validator(draft), jsonschema.Draft202012Validator(draft)


def strict_faults(schema: Json, at: Path) -> Iterator[Fault]:
    """OpenAI's strict mode: every object closed, every property required, no free maps."""
    if isinstance(schema, list):
        for index, item in enumerate(schema):
            yield from strict_faults(item, (*at, index))
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "object" or "properties" in schema:
        if schema.get("additionalProperties") is not False:
            yield Fault("tools.strict", at, "additionalProperties must be false in strict mode")
        required = {label(key) for key in members(schema.get("required"))}
        missing = set(mapping(schema.get("properties"))) - required
        if missing:
            yield Fault("tools.strict", at, f"strict mode requires {sorted(missing)}")
    for key in ("properties", "$defs"):
        for name, inner in mapping(schema.get(key)).items():
            yield from strict_faults(inner, (*at, key, name))
    for key in ("items", "anyOf"):
        yield from strict_faults(schema.get(key), (*at, key))


def choice_faults(chosen: str | None, declared: list[Definition], at: Path) -> Iterator[Fault]:
    """`chosen`: the tool that a choice names, if it names one."""
    if not declared:
        yield Fault("tools.choice_alone", at, "a tool choice without tools")
    elif chosen is not None and all(tool.name != chosen for tool in declared):
        yield Fault("tools.choice_unknown", at, f"no tool {chosen!r} is declared")


def arguments_faults(arguments: Json, at: Path) -> Iterator[Fault]:
    """Arguments that travel as text must be the text of a JSON object."""
    try:
        parsed = json.loads(arguments, parse_constant=_refuse_constant)
    except (TypeError, ValueError):
        yield Fault("calls.arguments", at, f"{brief(arguments)} is no JSON text")
        return
    if not isinstance(parsed, dict):
        yield Fault("calls.arguments", at, f"{brief(arguments)} is no JSON object")


def _refuse_constant(name: str) -> Json:
    raise ValueError(name)
