"""Requests of Mistral's read into the tree: messages, chunks and calls; and said again."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import Msg
from dragoman.message import (
    AudioBlock,
    Base64Source,
    Citation,
    DocumentBlock,
    FileSource,
    ImageBlock,
    Origin,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)
from dragoman.protocols.mistral import Mistral
from tests.each_case import each_case
from tests.protocols.as_read import AsRead

ROOM = Mistral()
read, message = AsRead(ROOM).read, AsRead(ROOM).message
DATA = "data:image/png;base64,iVBORw0KGgo="


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def call(id: str = "a1B2c3D4e", arguments: Any = "{}", **more: Any) -> dict[str, Any]:
    return {"id": id, "function": {"name": "look", "arguments": arguments}, **more}


def test_plain_messages() -> None:
    system = message({"role": "system", "content": "Be kind."})
    assert (system.role, system.content, system.spelling) == ("system", "Be kind.", None)
    assert message({"role": "user", "content": [text("Hi")]}).content == [TextBlock("Hi")]
    assert message({"role": "assistant", "content": "Ho", "tool_calls": None}).content == "Ho"


def test_a_message_that_is_to_go_on_is_named_where_no_wire_can_say_so() -> None:
    m = message({"role": "assistant", "content": "Once upon", "prefix": True})
    assert m.extras == {"mistral": {"prefix": True}}
    req = dragoman.ChatRequest([dragoman.Msg.user("Tell."), m])
    for name in ("openai-chat", "cohere"):
        losses = dragoman.wire(name, policy="ignore").write_request(req, "m").losses
        assert "$.messages[1].extras.mistral.prefix" in [loss.where for loss in losses]
    m = message({"role": "assistant", "content": "Ho", "prefix": False})
    assert (m.spelling, m.extras) == ("unfixed", None)


@each_case("role", ["system", "user", "assistant", "tool"])
@each_case(
    "content",
    [None, "", [], [text("")], [text("a"), text("b")], {}, 7, [None], [{"type": "text"}], ["a"]],
)
def test_every_content_comes_back_as_it_was(role: str, content: Any) -> None:
    message({"role": role, "content": content})
    message({"role": role, "content": content, "tool_calls": [call(type="function")]})
    message({"role": role, "content": content, "prefix": True, "odd": {"x": [1, 1.0, True]}})


@pytest.mark.parametrize(
    "told",
    [
        {"role": "developer", "content": "x"}, {"content": "x"}, "x", None,
        {"role": "assistant"}, {"role": "assistant", "tool_calls": []},
        {"role": "assistant", "content": None, "tool_calls": [], "prefix": None},
        {"role": "tool"}, {"role": "tool", "content": "x", "tool_call_id": None, "name": ""},
        {"role": "user", "content": "x", "name": "Ann"},
    ],
)  # fmt: skip
def test_odd_messages_come_back(told: Any) -> None:
    message(told)


def test_calls_keep_their_words() -> None:
    said = '{"x":  1.0}'
    m = message({"role": "assistant", "content": "", "tool_calls": [
        call("a", said, type="function"), call("b", {"y": 2}, index=1, type="function"),
        call("c", "no JSON", index=7)]})  # fmt: skip
    assert m.content == [
        ToolUseBlock("a", "look", {"x": 1.0}, said),
        ToolUseBlock("b", "look", {"y": 2}),
        ToolUseBlock("c", "look", "no JSON", "no JSON", extras={"mistral": {"index": 7}}),
    ]
    with_text = message({"role": "assistant", "content": "Hm.", "tool_calls": [call()]})
    assert with_text.content == [TextBlock("Hm."), ToolUseBlock("a1B2c3D4e", "look", {}, "{}")]


@pytest.mark.parametrize(
    "told",
    [
        call(type="custom"),
        call(type=None, more=1),
        {"id": "a", "function": {"name": "f", "arguments": "{}", "more": {"x": 1}}},
        {"id": "a", "function": {"name": "f"}},
        {"id": "a", "function": {"name": 1, "arguments": "{}"}},
        {"id": None, "function": {"name": "f", "arguments": "{}"}},
        {"id": "a", "function": None},
        {},
        None,
        "x",
    ],
)
def test_odd_calls_come_back(told: Any) -> None:
    message({"role": "assistant", "content": "", "tool_calls": [call(), told]})


def test_results() -> None:
    told = {"role": "tool", "content": "fine", "tool_call_id": "a", "name": "look"}
    assert message(told).content == [ToolResultBlock("a", "look", "fine")]
    chunks = {"role": "tool", "content": [text("a"), text("b")], "tool_call_id": "a"}
    listed = ToolResultBlock("a", output=[TextBlock("a"), TextBlock("b")])
    assert message(chunks).content == [listed]
    empty = message({"role": "tool", "content": None, "tool_call_id": "a"})
    assert empty.content == [ToolResultBlock("a", output=None)]


def test_thinking_is_the_models_own() -> None:
    chunk = {"type": "thinking", "thinking": [text("Hm. "), text("Yes.")], "closed": True}
    odd = {"type": "thinking", "thinking": [text("By "), {"type": "reference", "x": 1}]}
    told = {"role": "assistant", "content": [chunk, odd, text("So.")]}
    thought, referred, said = read({"model": "m", "messages": [told]}).messages[0].blocks
    assert thought == ThinkingBlock("Hm. Yes.")
    assert thought.origin == Origin("mistral", "m")
    assert referred == ThinkingBlock("By ", extras={"mistral": {"thinking": odd["thinking"]}})
    assert said == TextBlock("So.")


def test_a_reference_supports_the_text_before_it() -> None:
    cited = {"type": "tool_reference", "tool": "web", "title": "T", "url": "https://a.example/"}
    told = [text("It is."), cited, {"type": "reference", "reference_ids": [1]}]
    first, raw, _ = message({"role": "assistant", "content": told}).blocks
    assert first == TextBlock("It is.", [Citation(url="https://a.example/", title="T")])
    assert raw == RawBlock("mistral", cited)
    user = message({"role": "user", "content": told})
    assert user.blocks[0] == TextBlock("It is.")
    assert user.blocks[1] == RawBlock("mistral", cited, by="client")


def test_media() -> None:
    m = message({"role": "user", "content": [
        {"type": "image_url", "image_url": DATA},
        {"type": "image_url", "image_url": {"url": "https://a.example/b.png", "detail": "low"}},
        {"type": "document_url", "document_url": "https://a.example/c.pdf", "document_name": "C"},
        {"type": "file", "file_id": "f1"},
        {"type": "input_audio", "input_audio": "AAAA"},
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
    ]})  # fmt: skip
    picture, far, paper, stored, sound, wave = m.blocks
    assert isinstance(picture, ImageBlock)
    assert isinstance(picture.source, Base64Source)
    assert (picture.source.media_type, picture.source.data) == ("image/png", "iVBORw0KGgo=")
    assert far == ImageBlock(URLSource("https://a.example/b.png"), detail="low")
    assert paper == DocumentBlock(URLSource("https://a.example/c.pdf"), "C")
    assert stored == DocumentBlock(FileSource("f1", "mistral"))
    assert sound == AudioBlock(Base64Source("audio/mpeg", "AAAA"))
    assert wave == AudioBlock(Base64Source("audio/wav", "AAAA"))


@each_case(
    "chunk",
    [
        {"type": "text", "text": "x", "cache": 1},
        {"type": "image_url", "image_url": {"url": DATA}},
        {"type": "image_url", "image_url": {"url": DATA, "detail": None}},
        {"type": "image_url", "image_url": {"url": "DATA:image/jpg;base64,/9j/", "detail": "high"}},
        {"type": "image_url", "image_url": "data:image/JPG; a=b;base64,/9j/"},
        {"type": "image_url", "image_url": {"url": DATA, "odd": 1}},
        {"type": "image_url", "image_url": {"detail": "low"}, "more": {}},
        {"type": "image_url"},
        {"type": "document_url", "document_url": "data:application/PDF;base64,JVBERi0="},
        {"type": "document_url", "document_url": "https://a.example/", "document_name": None},
        {"type": "document_url", "document_url": None},
        {"type": "file", "file_id": "f", "more": 1},
        {"type": "file", "file_id": 1},
        {"type": "input_audio", "input_audio": "https://a.example/b.mp3"},
        {"type": "input_audio", "input_audio": "data:audio/mp3;base64,AAAA"},
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "flac"}},
        {"type": "input_audio", "input_audio": {"data": "AAAA"}},
        {"type": "input_audio", "input_audio": {"data": "data:x;base64,AA", "format": "mp3"}},
        {"type": "thinking", "thinking": "words", "closed": True},
        {"type": "thinking", "thinking": []},
        {"type": "thinking", "thinking": [text("")], "closed": False, "signature": "s"},
        {"type": "thinking", "thinking": [text("a"), text(""), text("bc")], "signature": None},
        {"type": "thinking", "thinking": None},
        {"type": "resource_link", "uri": "x"},
        {"type": ["text"]},
        {},
    ],
)
@each_case("role", ["user", "assistant", "tool"])
def test_every_chunk_comes_back_as_it_was(chunk: Any, role: str) -> None:
    message({"role": role, "content": [chunk]})
    message({"role": role, "content": [text("."), chunk, chunk]})


def test_appended_turns_stand_behind_what_was_read() -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": [text("Hi")]}]}
    req = read(body)
    req.messages.append(Msg.assistant("Ho"))
    assert ROOM.messages_as_read(req.messages[:1]) == body["messages"]


@pytest.mark.parametrize(
    ("body", "path", "ours"),
    [
        ({"messages": [{"role": "user", "content": "Hi"}]}, None, True),
        ({"messages": [{"role": "user", "content": "Hi"}]}, "/v1/chat/completions?x=1", True),
        ({"messages": [{"role": "user", "content": "Hi"}]}, "/v1/messages", False),
        ({"messages": [{"role": "assistant", "content": "", "prefix": True}]}, None, True),
        ({"messages": [{"role": "user", "content": "Hi"}], "random_seed": 1}, None, True),
        ({"messages": [{"role": "user", "content": "Hi"}], "seed": 1}, None, False),
        ({"messages": [{"role": "user", "content": "Hi", "name": "Ann"}]}, None, False),
        ({"messages": [{"role": "user", "content": [{"text": "Hi"}]}]}, None, False),
        ({"messages": [{"role": "user", "content": [{"type": "tool_use"}]}]}, None, False),
        ({"messages": [{"role": "developer", "content": "Hi"}]}, None, False),
        ({"messages": [{"role": "user", "content": "Hi"}],
          "tools": [{"type": "function", "name": "f"}]}, None, False),
        ({"messages": []}, None, False),
        ([], None, False),
    ],
)  # fmt: skip
def test_what_can_be_a_request_of_mistrals(body: Any, path: str | None, ours: bool) -> None:
    assert ROOM.claims(body, path) is ours
