"""Each field of the official SDKs' requests is a row in the table of its protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from dragoman.protocols.body_fields import FieldTable
from dragoman.vendors import PROTOCOLS, wire

from .surfaces import Surface
from .test_sdk_types import INSTALLED

REQUESTS = [one for one in INSTALLED if one.kind == "request" and one.wire in PROTOCOLS]
HEADERS = {"workspace_id"}  # anthropic 2.14 sends it as one


def missing(surface: Surface, table: FieldTable) -> set[str]:
    """The fields of the SDK's request, and those of its closed objects, that have no row."""
    schema = surface.load()
    closed = [row.path for row in table.rows if row.closed]
    known = {path: set(table.list_keys(path)) for path in ("", *closed)}
    found: set[str] = set()
    for path, keys in known.items():
        fields = schema.get("properties", {}) if not path else _inner(schema, path)
        found |= {f"{path}.{key}".strip(".") for key in fields if key not in keys}
    return found - set(surface.headers) - HEADERS


def _inner(schema: Mapping[str, Any], path: str) -> dict[str, object]:
    """The properties of the object of a field of the body."""
    node = schema["properties"].get(path, {})
    node = next((one for one in node.get("anyOf", ()) if "$ref" in one), node)
    if "$ref" in node:
        node = schema["$defs"][node["$ref"].rpartition("/")[2]]
    properties: dict[str, object] = node.get("properties", {})
    return properties


@pytest.mark.parametrize("surface", REQUESTS, ids=lambda surface: surface.name)
def test_each_field_of_an_official_request_has_a_row(surface: Surface) -> None:
    assert missing(surface, wire(surface.wire).room.body_fields) == set()


def test_a_field_without_a_row_is_found() -> None:
    surface = next(one for one in REQUESTS if one.name == "gemini request")
    table = FieldTable(*wire("gemini").room.body_fields.rows[3:])
    assert missing(surface, table) == {"contents", "systemInstruction"}
