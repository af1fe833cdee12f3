"""What the writer is handed and nobody else looks at: own fields, spellings, what has no place."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.capabilities import Facts
from dragoman.errors import WriteError
from dragoman.formatter import Formatter
from dragoman.history.passes.survey import TOOL, USER, RoledHistory
from dragoman.losses import Report
from dragoman.message import (
    Base64Source,
    ContentBlock,
    DocumentBlock,
    ImageBlock,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from dragoman.protocols.ollama import Dialect, Ollama

WIRE = dragoman.wire("ollama", policy="ignore")
OWN: Any = {"ollama": {"x": 1}}
CALL = ToolUseBlock("c", "f", {})


def wrote(*msgs: Msg) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = WIRE.write_request(ChatRequest([*msgs]), "qwen3").body[
        "messages"
    ]
    return listed


def test_own_fields_go_back_where_they_stood() -> None:
    call = ToolUseBlock("c", "f", {}, extras={"ollama": {"function": {"index": 1}, "x": 2}})
    said = Msg.assistant([TextBlock("a"), call], extras={"ollama": {"mood": "calm"}})
    alone = ToolUseBlock("d", "f", {}, extras=OWN)
    results = [ToolResultBlock("c", "f", "r", extras=OWN)]
    user = Msg("", "Hi", "user", extras={**OWN, "other": {"y": 1}})
    function = {"name": "f", "arguments": {}}
    assert wrote(user, said, Msg("", results, "tool"), Msg.assistant([alone])) == [
        {"role": "user", "content": "Hi", "x": 1},
        {"role": "assistant", "content": "a", "mood": "calm", "tool_calls": [
            {"id": "c", "type": "function", "function": {**function, "index": 1}, "x": 2}]},
        {"role": "tool", "tool_call_id": "c", "content": "r", "tool_name": "f", "x": 1},
        {"role": "assistant", "content": "",
         "tool_calls": [{"id": "d", "type": "function", "function": function, "x": 1}]},
    ]  # fmt: skip


def test_own_fields_go_along_in_a_plain_list() -> None:
    out = Formatter("ollama", policy="ignore").write([Msg("", "Hi", "user", extras=OWN)])
    assert out.messages == [{"role": "user", "content": "Hi", "x": 1}]


@pytest.mark.parametrize(("tags", "said"), [
    ("leading", {"content": "<think>hm</think>Hi"}), ("", {"content": "Hi", "thinking": "hm"}),
])  # fmt: skip
def test_thinking_that_stood_in_tags_goes_back_in_them(tags: Any, said: dict[str, str]) -> None:
    spelled = ThinkingBlock("hm", origin=Origin("ollama"))
    spelled.spelling = "<think>|</think>"
    seated = RoledHistory([Msg.assistant([spelled, TextBlock("Hi")])], [2], unusual=[0])
    made = Ollama(Dialect(think_tags=tags)).messages(seated, WIRE.can(), Report())
    assert made == [{"role": "assistant", **said}]


@pytest.mark.parametrize(("bullets", "text"), [(True, "- a\n- b"), (False, "a\nb")])
def test_several_texts_of_a_result(bullets: bool, text: str) -> None:
    result = ToolResultBlock("c", "f", [TextBlock("a"), TextBlock("b")])
    seated = RoledHistory([Msg("", [result], "tool")], [TOOL], unusual=[0])
    [made] = Ollama(Dialect(bullets=bullets)).messages(seated, WIRE.can(), Report())
    assert made["content"] == text
    assert "images" not in made


def test_several_thoughts_are_lines() -> None:
    said = wrote(Msg.user("?"), Msg.assistant([ThinkingBlock("a"), ThinkingBlock("b"), CALL]))
    assert (said[1]["thinking"], said[1]["content"]) == ("a\nb", "")


@pytest.mark.parametrize(("no_text", "text"), [("null", None), ("empty", "")])
def test_a_message_without_text(no_text: Any, text: str | None) -> None:
    image = ImageBlock(Base64Source("image/png", "iVBORw0KGgo="))
    seated = RoledHistory([Msg.user([image]), Msg.assistant([CALL])], [USER, 2], unusual=[0])
    made = Ollama(Dialect(no_text=no_text)).messages(seated, WIRE.can(), Report())
    assert [one["content"] for one in made] == [text, text]


KINDS = frozenset({"text", "image", "audio", "video", "document", "refusal", "raw"})
ALL = {kind: frozenset({"base64", "url"}) for kind in ("image", "audio", "video", "document")}
FILM = VideoBlock(Base64Source("video/mp4", "AAAA"))
PAGE = DocumentBlock(Base64Source("application/pdf", "AAAA"))
WEB = ImageBlock(URLSource("https://example.org/a.png"))
ODD = RawBlock("ollama", {"a": 1})


@pytest.mark.parametrize(
    ("blocks", "said"),
    [
        ([FILM], "video in this role"),
        ([PAGE], "document in this role"),
        ([ODD], "raw in this role"),
        ([WEB], "image from a url source"),
        ([RefusalBlock("no")], "refusal in this role"),
        ([ToolResultBlock("c", "f", [TextBlock("x"), FILM])], "video inside a tool result"),
        ([ToolResultBlock("c", "f", [PAGE])], "document inside a tool result"),
        ([ToolResultBlock("c", "f", [ODD])], "raw inside a tool result"),
        ([ToolResultBlock("c", "f", [WEB])], "image from a url source"),
    ],
)
def test_a_fact_that_promises_what_the_wire_has_no_place_for(
    blocks: list[ContentBlock], said: str
) -> None:
    """Capabilities can be overridden; then the writer says what cannot be."""
    can: Any = {"user": KINDS, "assistant": KINDS, "result": KINDS, "sources": ALL,
           "schemes": frozenset({"https"}), "reads": frozenset({"ollama"})}  # fmt: skip
    wire = dragoman.wire("ollama", policy="ignore", facts=Facts(always=can))
    msgs = [Msg.assistant([CALL]), Msg("", blocks, "tool")]
    if not isinstance(blocks[0], ToolResultBlock):
        role: Any = "assistant" if isinstance(blocks[0], RefusalBlock) else "user"
        msgs = [Msg.user("?"), Msg("", blocks, role)]
    with pytest.raises(WriteError, match=f"^{said}$") as caught:
        wire.write_request(ChatRequest(msgs), "m")
    assert caught.value.code == "placement.unsupported"


@pytest.mark.parametrize(("block", "seat", "said"), [
    (ToolResultBlock("c", "f", "x"), USER, "tool_result in this role"),
    (TextBlock("x"), TOOL, "text at the tools' seat"),
])  # fmt: skip
def test_a_block_at_a_seat_of_others(block: ContentBlock, seat: int, said: str) -> None:
    seated = RoledHistory([Msg("", [block, TextBlock("y")], "user")], [seat], unusual=[0])
    with pytest.raises(WriteError, match=f"^{said}$") as caught:
        Ollama(Dialect()).messages(seated, WIRE.can(), Report())
    assert caught.value.code == "placement.unsupported"
