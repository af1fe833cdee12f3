"""A part of the bodies of the installed SDKs; `make sdk-types` runs all, of more SDKs."""

from __future__ import annotations

from typing import Any

import pytest

from .bodies import Maker, Types
from .known import KNOWN
from .surfaces import SURFACES, Surface
from .trying import judge

EVERY = 13  # a prime: every surface's neighbours are another part of it


# `make sdk-types` installs these SDKs, which no other test needs
ELSEWHERE = ("groq", "together", "cerebras", "openrouter", "volcengine")
INSTALLED = [surface for surface in SURFACES if surface.wire not in ELSEWHERE]


def test_the_sdks_of_all_protocols_are_here() -> None:
    assert len(INSTALLED) == 20
    for surface in INSTALLED:
        assert surface.load()


@pytest.mark.parametrize("surface", INSTALLED, ids=lambda surface: surface.name)
def test_what_the_types_allow_comes_back_and_is_silent_nowhere(surface: Surface) -> None:
    known = [what for name, what, _ in KNOWN if name == surface.name]
    count, found = judge(surface, EVERY)
    assert count
    assert {what: places for what, places in found.items()
            if not any(what.startswith(one) for one in known)} == {}  # fmt: skip


SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["items"],
    "properties": {
        "items": {"type": "array", "items": {"anyOf": [
            {"$ref": "#/$defs/Text"}, {"$ref": "#/$defs/Group"}]}},
        "note": {"anyOf": [{"type": "null"}, {"type": "string"}]},
    },
    "$defs": {
        "Text": {"type": "object", "required": ["type"], "properties": {
            "type": {"const": "text"}, "text": {"type": "string"}, "size": {"type": "integer"}}},
        "Group": {"type": "object", "required": ["items"], "properties": {
            "items": {"type": "array", "items": {"$ref": "#/$defs/Text"}}}},
    },
}  # fmt: skip


def test_a_body_for_each_place() -> None:
    types = Types(SCHEMA)
    places = [(edge.parent, edge.key, edge.kind) for edge in types.edges()]
    assert places == [
        ("ROOT", "items", "Text"), ("ROOT", "items", "Group"), ("Group", "items", "Text"),
    ]  # fmt: skip
    maker = Maker(types, {})
    made = [maker.body(edge) for edge in types.edges()]
    inner = {"type": "text", "text": "Planted1x", "size": 40002}
    assert [body.value for body in made] == [
        {"items": [inner]}, {"items": [{"items": [{"type": "text"}]}]},
        {"items": [{"items": [inner]}]},
    ]  # fmt: skip
    assert made[2].planted == {
        "$.items[0].items[0].text": "Planted1x", "$.items[0].items[0].size": 40002,
    }  # fmt: skip
