"""A part of the bodies of the installed SDKs; `make sdk-types` runs all, of more SDKs."""

from __future__ import annotations

from typing import Any

from tests.each_case import each_case

from .bodies import Maker, Types
from .known import fits, is_known
from .surfaces import SURFACES, Surface
from .trying import is_named, is_said, judge

EVERY = 13  # a prime: every surface's neighbours are another part of it


# `make sdk-types` installs these SDKs, which no other test needs
ELSEWHERE = ("groq", "together", "cerebras", "openrouter", "volcengine")
INSTALLED = [surface for surface in SURFACES if surface.wire not in ELSEWHERE]


def test_the_sdks_of_all_protocols_are_here() -> None:
    assert len(INSTALLED) == 20
    for surface in INSTALLED:
        assert surface.load()


@each_case("surface", INSTALLED, ids=lambda surface: surface.name)
def test_what_the_types_allow_comes_back_and_is_silent_nowhere(surface: Surface) -> None:
    count, found = judge(surface, EVERY)
    assert count
    assert {what: places for what, places in found.items()
            if not is_known(surface.name, what)} == {}  # fmt: skip


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


def test_a_number_has_to_stand_by_itself() -> None:
    assert is_said(40001, '{"n": 40001}')
    assert not is_said(40001, '{"n": 140001, "m": 400010, "k": 1.40001}')


def test_a_loss_names_a_field_by_a_whole_word_and_not_by_what_every_message_has() -> None:
    path = "$.choices[0].message.content[0].text"
    assert not is_named(path, "$.candidates[0].msg.content[0].extras.mistral.context other")
    assert not is_named(path, "$.candidates[0].msg.content[0].start the content")
    assert is_named(path, "$.candidates[0].msg.content[0].text a text")
    assert is_named("$.choices[0].logprobs.content[0].token", "$ logprobs of tokens")
    assert is_named("$.output[0].annotations[0].file_id", "$.content[0].citations[0] a citation")
    assert not is_named("$.output[0].annotations[0].file_id", "$.content[0].citations[0].start x")


def test_an_entry_of_what_is_known_speaks_of_one_thing() -> None:
    assert fits("lost $.parts", "lost $.parts")
    assert not fits("lost $.parts", "lost $.parts[].text")
    assert fits("silent $.schema....", "silent $.schema.pattern -> gemini")
