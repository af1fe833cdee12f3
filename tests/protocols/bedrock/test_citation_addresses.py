"""An address that a citation names may be anything: what cannot be parsed has no domain."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman.message import Candidate, ChatResponse, Citation, Msg, TextBlock
from tests.each_case import each_case

ODD = [
    "http://[half",
    "https://[::1",
    "http://[v1.x]/",
    "https://a]b[/c",
    "://",
    "http://\u2100.com",
]


@each_case("url", ODD)
@each_case("vendor", dragoman.wires())
def test_an_address_that_cannot_be_parsed_breaks_no_answer(vendor: str, url: str) -> None:
    wire = dragoman.wire(vendor, policy="ignore")
    msg = Msg("", [TextBlock("It is so.", [Citation(url=url, title="a page")])], "assistant")
    body: Any = wire.write_response(ChatResponse([Candidate(msg)], model="m")).body
    assert body
    if "bedrock" in vendor:
        assert url in str(body)


@pytest.mark.parametrize("url", ODD)
def test_a_stream_to_bedrock_goes_on_behind_one(url: str) -> None:
    citation = {"type": "web_search_result_location", "url": url, "title": "a page",
                "encrypted_index": "x", "cited_text": "so"}  # fmt: skip
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant",
         "model": "claude-opus-5-5", "content": [], "usage": {"input_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0,
         "delta": {"type": "text_delta", "text": "It is so."}},
        {"type": "content_block_delta", "index": 0,
         "delta": {"type": "citations_delta", "citation": citation}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"},
         "usage": {"output_tokens": 4}},
        {"type": "message_stop"},
    ]  # fmt: skip
    said = list(dragoman.convert_stream(events, "anthropic", "bedrock", policy="ignore"))
    assert url in str([event.data for event in said])
