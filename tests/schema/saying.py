"""What the tests of schemas share: a schema in a dialect, one property of it, and its changes."""

from __future__ import annotations

import copy
from typing import Any

import jsonschema
import pytest

from dragoman.schema import DIALECTS, LoweredSchema, lower_schema

__all__ = ["EVERY", "JUDGE", "changed", "prop", "says"]

EVERY = pytest.mark.parametrize("name", DIALECTS)
JUDGE = jsonschema.Draft202012Validator


def says(name: str, schema: dict[str, Any]) -> LoweredSchema:
    """The schema in a dialect; the caller's object must be untouched."""
    before = copy.deepcopy(schema)
    made = lower_schema(schema, DIALECTS[name])
    assert schema == before
    return made


def prop(name: str, schema: Any) -> tuple[Any, str]:
    """One property in a dialect, and the verdict."""
    made = says(name, {"type": "object", "properties": {"p": schema}, "required": ["p"]})
    return made.schema["properties"]["p"], made.verdict


def changed(made: LoweredSchema) -> list[tuple[str, str, str]]:
    """Where each change is, what became of it, and its verdict."""
    return [(change.where, change.did, change.verdict) for change in made.changes]
