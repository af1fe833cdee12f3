"""A picture that is a thought is a draft of the one that the model answers with."""

from __future__ import annotations

from typing import Any

import dragoman
from dragoman.message import ImageBlock, RawBlock

DATA = {"mimeType": "image/png", "data": "iVBORw0KGgo="}
DRAFT = {"inlineData": DATA, "thought": True}
BODY: dict[str, Any] = {"candidates": [{"index": 0, "finishReason": "STOP", "content": {
    "role": "model", "parts": [DRAFT, {"inlineData": DATA}]}}], "modelVersion": "m",
    "responseId": "r"}  # fmt: skip


def test_a_draft_is_no_answer() -> None:
    wire = dragoman.wire("gemini", policy="ignore")
    resp = wire.read_response(BODY)
    draft, picture = resp.msg.blocks
    assert isinstance(draft, RawBlock)
    assert isinstance(picture, ImageBlock)
    assert wire.write_response(resp).body == BODY
    decoder = wire.stream_decoder()
    decoder.feed(BODY)
    assert [type(block) for block in decoder.finish().msg.blocks] == [RawBlock, ImageBlock]


def test_clients_of_other_wires_do_not_get_it() -> None:
    out = dragoman.convert(BODY, "gemini", "openrouter", "response", policy="ignore")
    assert len(out.body["choices"][0]["message"]["images"]) == 1
    assert "answer.unsupported" in {loss.code for loss in out.losses}


def test_it_goes_back_to_its_own_host() -> None:
    wire = dragoman.wire("gemini", policy="ignore")
    body = {"contents": [{"role": "user", "parts": [{"text": "Draw."}]},
                         BODY["candidates"][0]["content"]]}  # fmt: skip
    req = wire.read_request(body, "/v1beta/models/gemini-3.5-flash-image:generateContent")
    assert wire.write_request(req).body == body
