"""Parts and thinking in Claude's form, which clients of gateways put into a chat body."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import dragoman
from dragoman import Msg
from dragoman.message import (
    Base64Source,
    DocumentBlock,
    FileSource,
    ImageBlock,
    ThinkingBlock,
    URLSource,
)
from tests.each_case import each_case

CHAT = dragoman.wire("openai-chat")
PNG = "iVBORw0KGgo="
PDF = "JVBERi0xLjcK"
TOLD = {"type": "thinking", "thinking": "It may rain.", "signature": "c2ln"}
SEALED = {"type": "redacted_thinking", "data": "c2VhbGVk"}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}


def body(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"model": "claude-opus-5-5", "messages": list(messages)}


def user(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": "Look."}, *parts]}


def first(part: dict[str, Any]) -> Any:
    return CHAT.read_request(body(user(part))).messages[0].blocks[1]


MEDIA: list[tuple[dict[str, Any], Any]] = [
    (IMAGE, ImageBlock(Base64Source("image/png", PNG))),
    ({"type": "image", "source": {"type": "url", "url": "https://a.example/i.png"}},
     ImageBlock(URLSource("https://a.example/i.png"))),
    ({"type": "image", "source": {"type": "file", "file_id": "file_1"}},
     ImageBlock(FileSource("file_1", "anthropic"))),
    ({"type": "document", "title": "Plan", "context": "of May", "citations": {"enabled": True},
      "source": {"type": "base64", "media_type": "application/pdf", "data": PDF}},
     DocumentBlock(Base64Source("application/pdf", PDF), "Plan", context="of May", cite=True)),
    ({"type": "document", "source": {"type": "url", "url": "https://a.example/d.pdf"}},
     DocumentBlock(URLSource("https://a.example/d.pdf"))),
    ({"type": "document",
      "source": {"type": "text", "media_type": "text/plain", "data": "Plain words."}},
     DocumentBlock(Base64Source("text/plain", "UGxhaW4gd29yZHMu"))),
    ({"type": "image_url", "image_url": "https://a.example/i.png"},
     ImageBlock(URLSource("https://a.example/i.png"))),
    ({"type": "image_url", "image_url": f"data:image/png;base64,{PNG}"},
     ImageBlock(Base64Source("image/png", PNG, f"data:image/png;base64,{PNG}"))),
    ({"type": "image_url", "image_url": f"data:application/pdf;base64,{PDF}"},
     DocumentBlock(Base64Source("application/pdf", PDF, f"data:application/pdf;base64,{PDF}"))),
]  # fmt: skip


@pytest.mark.parametrize(("part", "block"), MEDIA)
def test_media_are_blocks(part: dict[str, Any], block: Any) -> None:
    found = first(part)
    assert type(found) is type(block)
    assert (found.source, found.extras) == (block.source, None)
    if type(block) is DocumentBlock:
        assert (found.title, found.context, found.cite) == (block.title, block.context, block.cite)
    marked = first({**part, "cache_control": {"type": "ephemeral"}})
    assert marked.cache is not None


ODD: list[dict[str, Any]] = [
    {"type": "image", "source": {"type": "base64", "data": PNG}},
    {"type": "image", "source": "https://a.example/i.png"},
    {"type": "document", "source": {"type": "content", "content": [{"type": "text"}]}},
    {"type": "document", "source": {"type": "text", "media_type": "text/html", "data": "<p>"}},
    {"type": "image_url", "image_url": None},
]


@pytest.mark.parametrize("part", ODD)
def test_what_is_not_of_the_form_is_kept(part: dict[str, Any]) -> None:
    assert (first(part).type, first(part).data) == ("raw", part)


ASSISTANTS: list[dict[str, Any]] = [
    {"role": "assistant", "content": "Take a coat.", "thinking_blocks": [TOLD, SEALED]},
    {"role": "assistant", "content": "Take a coat.", "thinking_blocks": [TOLD],
     "reasoning_content": "It may rain."},
    {"role": "assistant", "content": "Take a coat.", "thinking_blocks": [TOLD],
     "reasoning_content": "Something else."},
    {"role": "assistant", "content": [TOLD, {"type": "text", "text": "Take a coat."}]},
    {"role": "assistant", "content": None, "thinking_blocks": [TOLD], "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]},
    {"role": "assistant", "content": "", "thinking_blocks": []},
    {"role": "assistant", "content": "A", "thinking_blocks": [{"type": "thinking"}]},
    {"role": "assistant", "content": "A", "thinking_blocks": [
        {"type": "thinking", "thinking": "It may rain.", "signature": None}]},
]  # fmt: skip
BODIES = [
    *(body(user(part)) for part, _ in MEDIA),
    *(body(user(part)) for part in ODD),
    *(body(user({**part, "cache_control": {"type": "ephemeral"}})) for part, _ in MEDIA),
    *(body(user({**part, "note": 1})) for part, _ in MEDIA),
    *(body(user(), entry) for entry in ASSISTANTS),
]


@each_case("data", BODIES)
def test_the_same_wire_says_it_as_it_came(data: dict[str, Any]) -> None:
    before = copy.deepcopy(data)
    assert CHAT.write_request(CHAT.read_request(data)).body == data == before


def test_thinking_blocks_are_thinking_of_their_maker() -> None:
    [_, m] = CHAT.read_request(body(user(), ASSISTANTS[0])).messages
    thought, sealed, _ = m.blocks
    assert thought == ThinkingBlock("It may rain.", "c2ln")
    assert sealed == ThinkingBlock("", redacted="c2VhbGVk")
    assert [block.origin.issuer for block in (thought, sealed) if block.origin] == ["anthropic"] * 2


@pytest.mark.parametrize("entry", [ASSISTANTS[0], ASSISTANTS[1], ASSISTANTS[3], ASSISTANTS[4]])
@pytest.mark.parametrize("target", ["anthropic", "bedrock"])
def test_the_signature_reaches_its_maker(entry: dict[str, Any], target: str) -> None:
    result = {"role": "tool", "tool_call_id": "c1", "content": "grey"}
    data = body(user(), entry, *([result] if "tool_calls" in entry else []))
    model = "anthropic.claude-opus-5-5" if target == "bedrock" else None
    out = dragoman.convert(data, "openai-chat", target, model=model)
    written = dragoman.wire(target).read_request(out.body).messages[1].blocks
    thoughts = [block for block in written if block.type == "thinking"]
    assert thoughts[0].thinking == "It may rain."
    assert thoughts[0].signature == "c2ln"
    assert len([block for block in thoughts if block.thinking]) == 1


@pytest.mark.parametrize(("part", "block"), MEDIA)
def test_media_reach_other_wires(part: dict[str, Any], block: Any) -> None:
    out = dragoman.convert(body(user(part)), "openai-chat", "anthropic")
    again: Any = dragoman.wire("anthropic").read_request(out.body).messages[0].blocks[1]
    assert again.type == block.type
    assert again.source.type == block.source.type
    assert not [loss for loss in out.losses if loss.code.startswith(("raw", "block", "media"))]


def test_an_image_in_a_result() -> None:
    call = ASSISTANTS[4]
    data = body(user(), call, {"role": "tool", "tool_call_id": "c1", "content": [IMAGE]})
    req = CHAT.read_request(data)
    assert CHAT.write_request(req).body == data
    out = dragoman.convert(data, "openai-chat", "anthropic")
    assert out.body["messages"][2]["content"][0]["content"] == [IMAGE]


def test_an_edited_history_has_the_forms_of_its_wire() -> None:
    req = CHAT.read_request(body(user(IMAGE), ASSISTANTS[0]))
    req.messages[0] = Msg("", req.messages[0].content, "user")
    out = CHAT.write_request(req, model="gpt-5.6")
    url = {"url": f"data:image/png;base64,{PNG}"}
    assert out.body["messages"][0]["content"][1] == {"type": "image_url", "image_url": url}
