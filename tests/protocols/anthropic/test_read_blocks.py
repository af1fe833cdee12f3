"""Blocks and messages of requests that are read: what they mean, where whose fields end up."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman.message import (
    Base64Source,
    DocumentBlock,
    FileSource,
    ImageBlock,
    Msg,
    Origin,
    RawBlock,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
    URLSource,
)
from dragoman.message.blocks import TEXTS
from tests.each_case import each_case
from tests.protocols.anthropic.bodies import MARK, body, result, spoken, user

ROOM = dragoman.wire("anthropic").room
TEXT = {"type": "text", "text": "a"}
FOUND = {"type": "search_result", "source": "s", "title": "t", "content": [TEXT, TEXT]}
CHUNKS = {"type": "document", "source": {"type": "content", "content": [TEXT]}}


def read(told: dict[str, Any]) -> list[Msg]:
    req = ROOM.read_request(told)
    assert ROOM.messages_as_read(req.messages) == told["messages"]
    return list(req.messages)


def block(told: Any) -> Any:
    return read(user(told))[0].blocks[0]


@pytest.mark.parametrize(("told", "made"), [
    (FOUND, DocumentBlock(TextSource(["a", "a"], "s"), "t")),
    ({**FOUND, "citations": {"enabled": True}, "more": 1},
     DocumentBlock(TextSource(["a", "a"], "s"), "t", cite=True, extras={"anthropic": {"more": 1}})),
    (CHUNKS, DocumentBlock(TextSource(["a"]))),
    ({**CHUNKS, "title": None, "context": "C", "citations": {"enabled": False}},
     DocumentBlock(TextSource(["a"]), context="C", cite=False,
                   extras={"anthropic": {"title": None}})),
])  # fmt: skip
def test_a_document_in_passages(told: dict[str, Any], made: DocumentBlock) -> None:
    assert block(told) == made
    (found,) = block({"type": "tool_result", "tool_use_id": "t", "content": [told]}).output
    assert found == made


MARKED = {**TEXT, "cache_control": MARK}


@each_case(("told", "worded"), [
    ({**FOUND, "content": [MARKED]}, True), ({**FOUND, "title": None}, True),
    ({**FOUND, "source": 1}, True),
    ({**CHUNKS, "source": {"type": "content", "content": [MARKED]}}, True),
    ({**FOUND, "content": []}, False), ({**FOUND, "content": [TEXT, {"type": "image"}]}, False),
    ({**FOUND, "content": ["a"]}, False), ({**FOUND, "content": None}, False),
    ({**FOUND, "content": 5}, False),
    ({**CHUNKS, "source": {"type": "content", "content": [{"type": "image"}]}}, False),
    ({**CHUNKS, "source": None}, False),
    ({"type": "song", "source": {"content": [TEXT]}}, False),
    ({"type": "song", "content": [TEXT]}, False),
])  # fmt: skip
@each_case("inner", [True, False])
def test_what_is_nothing_but_texts_can_be_told_elsewhere(
    told: dict[str, Any], worded: bool, inner: bool
) -> None:
    made = block({"type": "tool_result", "tool_use_id": "t", "content": [told]} if inner else told)
    found = made.output[0] if inner else made
    assert type(found) is RawBlock
    assert (found.data, found.spelling) == (told, TEXTS if worded else None)


@pytest.mark.parametrize(("told", "by"), [
    (5, "client"), ({"type": "tool_use", "id": 5}, "client"), ({"type": "tool_result"}, "client"),
    ({"type": "text"}, "server"), ({"type": ["text"], "text": "a"}, "server"),
])  # fmt: skip
def test_who_says_what_nobody_models(told: Any, by: str) -> None:
    made = block(told)
    assert type(made) is RawBlock
    assert (made.data, made.by) == (told, by)


def test_a_block_inside_a_result_is_the_clients() -> None:
    call = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    made = read(result(content=[7, call, TEXT, {**TEXT, "x": 1}]))[0].blocks[0]
    assert isinstance(made, ToolResultBlock)
    assert made.output == [
        RawBlock("anthropic", 7, by="client"), RawBlock("anthropic", call, by="client"),
        TextBlock("a"), TextBlock("a", extras={"anthropic": {"x": 1}})]  # fmt: skip


@pytest.mark.parametrize(("fields", "spelling"), [
    ({"content": None, "is_error": False}, "null false"), ({"is_error": False}, "false"),
    ({"content": None}, "null"), ({"content": "x", "is_error": True}, None), ({}, None),
    ({"content": None, "is_error": True}, "null"),
])  # fmt: skip
def test_how_a_result_was_spelled(fields: dict[str, Any], spelling: str | None) -> None:
    made = read(result(**fields))[0].blocks[0]
    assert isinstance(made, ToolResultBlock)
    assert (made.spelling, made.extras) == (spelling, None)
    assert made.is_error is bool(fields.get("is_error"))


PNG = {"type": "base64", "media_type": "image/png", "data": "iVBO"}
TXT = {"type": "text", "media_type": "text/plain", "data": "x"}


@pytest.mark.parametrize(("told", "made"), [
    ({"type": "image", "source": PNG}, ImageBlock(Base64Source("image/png", "iVBO"))),
    ({"type": "image", "source": {"type": "url", "url": "https://h/a", "x": 1}, "title": "T"},
     ImageBlock(URLSource("https://h/a"),
                extras={"anthropic": {"title": "T", "source": {"x": 1}}})),
    ({"type": "image", "source": {"type": "file", "file_id": "f"}},
     ImageBlock(FileSource("f", "anthropic"))),
    ({"type": "document", "source": {"type": "file", "file_id": "f"}},
     DocumentBlock(FileSource("f", "anthropic"))),
    *(({"type": "image", "source": odd}, RawBlock("anthropic", {"type": "image", "source": odd}))
      for odd in ({"type": "odd", "url": "u"}, {"type": "odd", "file_id": "f"},
                  {"type": "content", "content": "x"}, {"type": "url"}, {"type": "file"})),
    ({"type": "image", "source": TXT}, RawBlock("anthropic", {"type": "image", "source": TXT})),
    ({"type": "document", "source": TXT, "title": "T"},
     DocumentBlock(Base64Source("text/plain", "eA=="), title="T", spelling="text")),
    ({"type": "document", "source": {**TXT, "y": 2}, "title": 3},
     DocumentBlock(Base64Source("text/plain", "eA=="), spelling="text",
                   extras={"anthropic": {"title": 3, "source": {"y": 2}}})),
    ({"type": "document", "source": {"type": "content", "content": "x"}},
     DocumentBlock(Base64Source("text/plain", "eA=="), spelling="content")),
    ({"type": "document"}, RawBlock("anthropic", {"type": "document"})),
])  # fmt: skip
def test_media(told: dict[str, Any], made: Any) -> None:
    found = block(told)
    assert found == made
    assert (found.spelling, found.extras) == (made.spelling, made.extras)
    assert getattr(found, "title", None) == getattr(made, "title", None)
    if isinstance(getattr(found, "source", None), FileSource):
        assert found.source.issuer == "anthropic"


def test_thinking_of_a_request() -> None:
    sealed = {"type": "redacted_thinking", "data": "c2VhbA=="}
    null = {"type": "thinking", "thinking": "hm", "signature": None}
    odd = {"type": "thinking", "thinking": "hm", "signature": 4}
    first, second, third, fourth = read(spoken(sealed, null, odd, {**null, "signature": "c2ln"})
                                        )[1].blocks  # fmt: skip
    assert first == ThinkingBlock("", redacted="c2VhbA==")
    assert first.origin == fourth.origin == Origin("anthropic", "claude-opus-5-5")
    assert (second.spelling, second.extras) == ("null", None)
    assert (third.spelling, third.extras) == (None, {"anthropic": {"signature": 4}})
    assert second.origin is third.origin is None


@pytest.mark.parametrize(("told", "content", "spelling", "extras"), [
    ({"role": "user", "content": "x"}, "x", None, None),
    ({"role": "user", "content": "x", "id": 1}, "x", None, {"anthropic": {"id": 1}}),
    ({"role": "user"}, [], "absent", None),
    ({"role": "user", "content": None}, [], "null", None),
    ({"role": "user", "content": None, "id": 1}, [], "null", {"anthropic": {"id": 1}}),
    ({"role": "user", "content": 5}, [], "absent", {"anthropic": {"content": 5}}),
])  # fmt: skip
def test_messages(told: dict[str, Any], content: Any, spelling: str | None, extras: Any) -> None:
    [m] = read(body(told))
    assert (m.name, m.role, m.blocks or m.content or []) == (
        "", "user", [TextBlock(content)] if isinstance(content, str) else content)  # fmt: skip
    assert (m.spelling, m.extras) == (spelling, extras)


@pytest.mark.parametrize("told", ["Hi", {"role": "wizard", "content": "x"}])
def test_what_is_no_message(told: Any) -> None:
    [m] = read(body(told))
    assert (m.name, m.role) == ("", "user")
    assert m.blocks == [RawBlock("anthropic", told, "message", by="client")]
    assert m.blocks[0].by == "client"  # type: ignore[union-attr]


@pytest.mark.parametrize("system", [
    "Be kind.", [{**TEXT, "cache_control": MARK, "x": 1}, FOUND], [],
])  # fmt: skip
def test_the_prompt_at_the_top(system: Any) -> None:
    told = body(system=system)
    req = ROOM.read_request(told)
    top = req.messages[0]
    assert (top.name, top.role) == ("", "system")
    inline = ROOM.messages_as_read(req.messages[1:])
    assert ROOM.body_as_read(req, {"model", "max_tokens", "system"}, inline) == told
