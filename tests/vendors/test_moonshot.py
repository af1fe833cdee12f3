"""Moonshot: media by bytes alone, a search of its own, and Kimi's rules on both wires."""

from __future__ import annotations

import dragoman
from dragoman import Msg
from dragoman.message import (
    Base64Source,
    ImageBlock,
    ServerTool,
    TextBlock,
    ThinkingBlock,
    URLSource,
    VideoBlock,
)
from tests.vendors.asking import LOOK, called, codes, losses, said, wrote

K2, K3 = "kimi-k2.6", "kimi-k3"
FILM = VideoBlock(Base64Source("video/mp4", "AAAA"))


def test_where_it_lives() -> None:
    row = dragoman.wire("moonshot").vendor
    assert row.url() == "https://api.moonshot.ai/v1"
    assert row.regions["cn"] == "https://api.moonshot.cn/v1"
    assert row.url("anthropic") == "https://api.moonshot.ai/anthropic"


def test_media_go_as_bytes_or_as_files_of_its_own() -> None:
    stored = ImageBlock(URLSource("ms://file-1"))
    linked = ImageBlock(URLSource("https://example.com/a.png"))
    out = wrote("moonshot", K2, Msg.user([TextBlock("?"), stored, FILM, linked]))
    content = out.body["messages"][0]["content"]
    assert [part["type"] for part in content] == ["text", "image_url", "video_url", "text"]
    assert content[1]["image_url"]["url"] == "ms://file-1"
    assert losses(out) == [("media.not_fetched", "$.messages[0].content[3].source")]
    assert codes(wrote("moonshot", "kimi-k2-0905-preview", Msg.user([TextBlock("?"), FILM]))) == [
        "block.unsupported"
    ]


def test_blank_text_is_left_out() -> None:
    """400 "text content is empty"."""
    [turn, *_] = said("moonshot", K2, *called(TextBlock("")))[1:]
    assert turn["content"] is None
    image = ImageBlock(Base64Source("image/png", "iVBORw0KGgo="))
    out = wrote("moonshot", K2, Msg.user([TextBlock(""), image]))
    assert [part["type"] for part in out.body["messages"][0]["content"]] == ["image_url"]
    assert codes(out) == ["text.blank"]


def test_its_search_wants_thinking_off() -> None:
    search = ServerTool("web_search")
    still = wrote("moonshot", K2, tools=[search, LOOK], options={"reasoning": "off"})
    assert still.body["tools"][0] == {
        "type": "builtin_function", "function": {"name": "$web_search"},
    }  # fmt: skip
    for model in (K2, K3):
        out = wrote("moonshot", model, tools=[search])
        assert "tools" not in out.body
        assert losses(out) == [("server_tool.unsupported", "$.tools[0]")]


def test_turns_that_call_bring_their_thinking_on_both_wires() -> None:
    asked = {"reasoning": "on", "max_tokens": 9000}
    assert said("moonshot", K3, *called())[1]["reasoning_content"] == ""
    turn = said("moonshot/anthropic", K2, *called(), options=asked)[1]["content"]
    assert turn[0] == {"type": "thinking", "thinking": "", "signature": ""}
    turn = said("moonshot/anthropic", K2, *called(ThinkingBlock("hm")), options=asked)[1]["content"]
    assert turn[0]["thinking"] == "hm"


def test_keys_of_its_own() -> None:
    body = wrote("moonshot", K3, options={"max_tokens": 90, "user": "u1"}).body
    assert (body["max_completion_tokens"], body["safety_identifier"]) == (90, "u1")
    assert said("moonshot", K3, Msg("", "Be.", "developer"), Msg.user("?"))[0]["role"] == "system"
