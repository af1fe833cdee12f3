"""Text without a UTF-8 form: it is healed where it comes in, and named where it goes out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dragoman
from dragoman import ChatRequest, InvalidMessage, Msg
from dragoman.message import Origin, TextBlock, ToolResultBlock, ToolUseBlock, dump, load
from dragoman.message.blocks import HEALED
from dragoman.message.check import heal

HALF = "half \ud83d"
WHOLE = "half \ufffd"


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (HALF, "content"),
        ([{"type": "text", "text": HALF}], "content[0].text"),
        ([TextBlock("ok"), TextBlock(HALF)], "content[1].text"),
        ([ToolUseBlock(HALF, "f")], "content[0].id"),
        ([ToolUseBlock("a", "f", {"n": [HALF]})], "content[0].input.n[0]"),
        ([ToolUseBlock("a", "f", {HALF: 1})], "content[0].input.half ?"),
        ([ToolResultBlock("a", "f", HALF)], "content[0].output"),
        ([ToolResultBlock("a", "f", [TextBlock(HALF)])], "content[0].output[0].text"),
        ([{"type": "text", "text": "x", "odd": HALF}], "content[0].odd"),
    ],
)
def test_content_is_healed_and_the_place_is_kept(content: Any, where: str) -> None:
    msg = Msg("", content, "user")
    assert (msg.extras or {})[HEALED] == {"healed": [where]}
    stored = dump(msg)
    assert "\\ud83d" not in repr(stored)
    assert load(stored) == msg


def test_names_and_extras_are_healed_too() -> None:
    msg = Msg(HALF, "ok", "user", extras={"openai-chat": {HALF: HALF}})
    assert msg.name == WHOLE
    assert msg.extras == {
        "openai-chat": {WHOLE: WHOLE},
        HEALED: {"healed": ["name", "extras.openai-chat.half ?", "extras.openai-chat.half ?"]},
    }


def test_what_was_stored_by_others_is_healed_as_well() -> None:
    given = {"name": "", "role": "user", "content": HALF, "extras": {"own": {"k": [HALF]}}}
    msg = Msg.from_dict(given)
    assert msg.content == WHOLE
    assert msg.extras == {
        "own": {"k": [WHOLE]}, HEALED: {"healed": ["content", "extras.own.k[0]"]},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"content": [TextBlock(HALF), 7]}, "$.content[1]"),
        ({"name": HALF, "content": 7}, "$.content"),
        ({"name": HALF, "extras": {"own": 1}}, "$.extras.own"),
    ],
)
def test_what_cannot_be_healed_is_refused_with_its_path(fields: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidMessage) as caught:
        Msg(**fields)
    assert caught.value.path == path


def test_what_the_caller_gave_is_not_touched() -> None:
    block = TextBlock(HALF)
    blocks = [block]
    msg = Msg("", blocks, "user")
    assert (block.text, blocks) == (HALF, [block])
    assert msg.text == WHOLE


def test_two_halves_that_belong_together_are_joined() -> None:
    assert Msg("", "\ud83d\ude00 \ude00", "user").content == "\U0001f600 \ufffd"


def test_a_request_names_what_was_healed_in_its_own_texts() -> None:
    request = ChatRequest([Msg.user(HALF)], system=HALF)
    out = dragoman.wire("openai-chat", policy="ignore").write_request(request, "gpt-4.1")
    assert [m["content"] for m in out.body["messages"]] == [WHOLE, WHOLE]
    assert [(loss.kind, loss.code, loss.where) for loss in out.losses] == [
        ("repaired", "text.surrogate", "$.system"),
        ("repaired", "text.surrogate", "$.messages[0].content"),
    ]


def test_what_was_healed_is_noted_beside_the_fields_of_others() -> None:
    request = ChatRequest([Msg("", "x")], memories=HALF, extras={"own": {"k": 1}})
    assert request.extras == {"own": {"k": 1}, HEALED: {"healed": ["memories"]}}


def test_what_is_whole_stays_itself_however_deep() -> None:
    found: list[str] = []
    block = ToolUseBlock("c", "f", {"小": ["明", {"a": ("b", 1)}]}, origin=Origin("p"))
    values: list[Any] = ["x", "小明", 7, None, ["x", ["小"]], ("x",), {"a": {"小": []}}, block]
    for value in [*values, values]:
        assert heal(value, "$", found) is value
    assert found == []


JSON = st.recursive(
    st.text() | st.integers() | st.none(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_what_is_whole_stays_the_very_value(value: Any) -> None:
    found: list[str] = []
    assert heal(value, "$", found) is value
    assert found == []


@given(st.text(st.characters(min_codepoint=0xD700, max_codepoint=0xE100)))
def test_whatever_was_healed_has_a_utf8_form(text: str) -> None:
    found: list[str] = []
    heal(text, "$", found).encode("utf-8")
