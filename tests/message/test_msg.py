"""Msg: how it is made, read, compared, shown, copied and pickled."""

from __future__ import annotations

import copy
import pickle
from enum import Enum
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from dragoman.message import (
    CacheHint,
    ImageBlock,
    Msg,
    Origin,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)

CALL = ToolUseBlock("c1", "look", {"at": "it"})


class Agent(str, Enum):  # noqa: UP042 - a StrEnum would show its value of itself
    BOB = "Bob"


def test_agentscopes_positional_order() -> None:
    msg = Msg("Tony", "Hi.", "assistant", {"k": 1}, "2026-01-01 00:00:00.000")
    assert (msg.name, msg.content, msg.role) == ("Tony", "Hi.", "assistant")
    assert msg.metadata == {"k": 1}
    assert msg.timestamp == "2026-01-01 00:00:00.000"


def test_everything_has_a_default() -> None:
    msg = Msg()
    assert (msg.name, msg.content, msg.role, msg.metadata) == ("", "", "user", {})
    assert (msg.timestamp, msg.cache, msg.extras, msg.spelling, msg.origin) == (None,) * 5


@pytest.mark.parametrize("role", ["system", "developer", "user", "assistant", "tool"])
def test_every_role_is_taken(role: str) -> None:
    assert Msg("", "x", role).role == role


@pytest.mark.parametrize("metadata", [None, {}])
def test_metadata_is_a_dict_of_its_own(metadata: dict[str, Any] | None) -> None:
    first, second = Msg(metadata=metadata), Msg(metadata=metadata)
    first.metadata["k"] = 1
    assert first.metadata == {"k": 1}
    assert second.metadata == {}
    first.metadata = None
    assert first.metadata == {}


def test_short_constructors() -> None:
    assert Msg.user("Hi.") == Msg("", "Hi.", "user")
    assert Msg.system("Be.", name="s") == Msg("s", "Be.", "system")
    assert Msg.system("Be.") == Msg("", "Be.", "system")
    assert Msg.assistant([CALL], name="F").calls == [CALL]
    assert Msg.assistant("Hi.") == Msg("", "Hi.", "assistant")
    assert Msg.tool("c1", "there") == Msg("", [ToolResultBlock("c1", "", "there")], "tool")
    for made in (
        Msg.user("x", timestamp="now"),
        Msg.system("x", timestamp="now"),
        Msg.assistant("x", timestamp="now"),
        Msg.tool("c1", "x", timestamp="now"),
    ):
        assert made.timestamp == "now"
    result = Msg.tool("c1", "there", name="look", is_error=True)
    assert result.role == "tool"
    assert result.content == [ToolResultBlock("c1", "look", "there", is_error=True)]


def test_a_list_without_dicts_stays_the_very_list() -> None:
    blocks: list[Any] = [TextBlock("a"), CALL]
    assert Msg("", blocks, "assistant").content is blocks


def test_dicts_become_blocks_in_a_new_list() -> None:
    given: list[Any] = [{"type": "text", "text": "a"}, CALL]
    msg = Msg("", given, "assistant")
    assert msg.content == [TextBlock("a"), CALL]
    assert msg.content[1] is CALL
    assert given[0] == {"type": "text", "text": "a"}


@pytest.mark.parametrize("value", [Agent.BOB, type("Own", (str,), {})("Bob")])
def test_subclasses_of_str_become_plain_text(value: str) -> None:
    msg = Msg(value, value, "user")
    assert (type(msg.name), type(msg.content)) == (str, str)
    assert (msg.name, msg.content) == ("Bob", "Bob")


def test_text_of_text_blocks_alone() -> None:
    blocks: list[Any] = [TextBlock("a"), ThinkingBlock("no"), TextBlock("b")]
    msg = Msg("", blocks, "assistant")
    assert msg.get_text_content() == "a\nb"
    assert msg.get_text_content("") == "ab"
    assert Msg("", [CALL], "assistant").get_text_content() is None
    assert Msg("", [CALL], "assistant").text == ""
    assert Msg("", "").get_text_content() == ""
    assert Msg("", "a", "assistant").calls == []


def test_blocks_by_type() -> None:
    text, thought = TextBlock("a"), ThinkingBlock("b")
    msg = Msg("", [text, thought, CALL], "assistant")
    assert msg.get_content_blocks() is msg.content
    assert msg.get_content_blocks("text") == [text]
    assert msg.get_content_blocks(["thinking", "tool_use"]) == [thought, CALL]
    assert msg.get_content_blocks("image") == []
    assert Msg("", "a").get_content_blocks("text") == [text]
    assert msg.has_content_blocks()
    assert msg.has_content_blocks({"image", "tool_use"})
    assert not msg.has_content_blocks("image")
    assert not Msg("", []).has_content_blocks()


def test_equal_by_content() -> None:
    msg = Msg("a", "x", "user", {"k": 1}, "now", id="1", spelling="s", origin=Origin("openai"))
    assert msg == Msg("a", "x", "user")
    assert msg == Msg("a", [TextBlock("x")], "user")
    assert Msg("a", "", "user") == Msg("a", [TextBlock("")], "user")


@pytest.mark.parametrize(
    "other",
    [
        Msg("b", "x", "user"),
        Msg("a", "y", "user"),
        Msg("a", "x", "assistant"),
        Msg("a", "x", "user", cache=CacheHint()),
        Msg("a", "x", "user", extras={"openai": {"k": 1}}),
        Msg("a", [TextBlock("x", cache=CacheHint())], "user"),
        Msg("a", [TextBlock("x"), TextBlock("")], "user"),
        Msg("a", [ThinkingBlock("x")], "user"),
        "x",
        None,
    ],
)
def test_not_equal(other: object) -> None:
    assert Msg("a", "x", "user") != other


def test_blocks_are_equal_whoever_made_them() -> None:
    ours = TextBlock("x", spelling="part", origin=Origin("anthropic"))
    assert ours == TextBlock("x")
    assert TextBlock("x", extras={"a": {}}) != TextBlock("x")


def test_a_message_has_no_hash() -> None:
    with pytest.raises(TypeError):
        hash(Msg())


def test_repr_is_short_and_holds_no_base64() -> None:
    data = "QUJD" * 5_000
    image = ImageBlock(URLSource(f"data:image/png;base64,{data}"))
    for msg in (Msg("a", [image] * 50), Msg("a", "x" * 10_000)):
        assert len(repr(msg)) < 400
        assert "QUJD" * 40 not in repr(msg)
    assert repr(Msg("a", "x")) == "Msg('a', 'x', 'user')"


WHOLE = Msg(
    "a", [TextBlock("x"), CALL], "assistant", {"k": [1]}, "now", id="m1", cache=CacheHint("1h"),
    extras={"openai": {"k": 1}}, spelling="list", origin=Origin("openai", "gpt-5.6"),
)  # fmt: skip
SLOTS = ("name", "content", "role", "metadata", "timestamp", "id", "cache", "extras", "spelling",
         "origin")  # fmt: skip


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_and_pickles_keep_everything(way: Any) -> None:
    made = way(WHOLE)
    assert made == WHOLE
    for slot in SLOTS:
        assert getattr(made, slot) == getattr(WHOLE, slot), slot


def test_a_deep_copy_shares_nothing() -> None:
    made = copy.deepcopy(WHOLE)
    made.metadata["k"].append(2)
    made.content.append(TextBlock("more"))  # type: ignore[union-attr]  # it is a list
    assert WHOLE.metadata == {"k": [1]}
    assert len(WHOLE.content) == 2


def test_trusted_takes_over_what_is_not_said() -> None:
    made = Msg.create_unchecked("b", "y", "user", WHOLE)
    assert (made.name, made.content, made.role) == ("b", "y", "user")
    assert (made.id, made.timestamp, made.cache, made.extras) == ("m1", "now", WHOLE.cache,
                                                                 WHOLE.extras)  # fmt: skip
    assert (made.metadata, made.origin) == (WHOLE.metadata, WHOLE.origin)
    assert made.spelling is None, "the spelling was that of other content"
    bare = Msg.create_unchecked("b", "y", "user")
    assert (bare.timestamp, bare.cache, bare.extras, bare.origin) == (None,) * 4


def test_a_model_of_pydantic_holds_messages() -> None:
    class Chat(BaseModel):
        msgs: list[Msg]

    chat = Chat(msgs=[Msg.user("Hi", "Tony"), Msg.tool("c", "18 degrees", "warmth")])
    assert Chat.model_validate_json(chat.model_dump_json()) == chat
    assert Chat.model_validate(chat.model_dump()) == chat
    assert chat.msgs[0] is Chat(msgs=chat.msgs).msgs[0]
    schema = Chat.model_json_schema()["properties"]["msgs"]["items"]
    assert schema["required"] == ["name", "role", "content"]
    with pytest.raises(ValidationError, match="content is missing"):
        Chat.model_validate({"msgs": [{"name": "", "role": "user"}]})
