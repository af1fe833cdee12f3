"""Media in answers: written, told as their text, or named as lost, wherever they came from."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman import ChatResponse, Msg
from dragoman.message import (
    AudioBlock,
    Base64Source,
    Candidate,
    DocumentBlock,
    FileSource,
    FramesSource,
    ImageBlock,
    LocalSource,
    TextBlock,
    TextSource,
    URLSource,
    VideoBlock,
)
from tests.each_case import each_case

MARK = "TUFSS01BUks0"  # base64 itself
SOURCES: list[Any] = [
    URLSource(f"https://example.com/{MARK}.png"), URLSource(f"s3://bucket/{MARK}.png"),
    Base64Source("image/png", MARK), Base64Source("application/x-odd", MARK),
    FileSource(MARK, "somebody"), TextSource([MARK]), TextSource([MARK, MARK], "shelf"),
    FramesSource([f"https://example.com/{MARK}.png"]), LocalSource(f"/tmp/{MARK}.png"),
]  # fmt: skip
KINDS = [ImageBlock, AudioBlock, VideoBlock, DocumentBlock]


@each_case("name", dragoman.wires())
def test_a_medium_of_an_answer_is_written_or_named(name: str) -> None:
    wire = dragoman.wire(name, policy="ignore")
    silent = []
    for kind in KINDS:
        for source in SOURCES:
            msg = Msg("", [kind(source), TextBlock("There.")], "assistant")
            made = wire.write_response(ChatResponse([Candidate(msg)]))
            named = any(".content[0]" in loss.where for loss in made.losses)
            if MARK not in json.dumps(made.body) and not named:
                silent.append((kind.__name__, source.type))
    assert silent == []


@pytest.mark.parametrize(
    "source",
    [
        {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://b/a.png"}}}},
        {"video": {"format": "mkv", "source": {"s3Location": {"uri": "https://x/a.mkv"}}}},
        {"document": {"name": "A", "source": {"content": [{"text": "Words."}]}}},
        {"document": {"name": "A", "format": "txt", "source": {"text": "Words."}}},
        {"searchResult": {"source": "s", "title": "t", "content": [{"text": "Found."}],
                          "citations": {"enabled": True}}},
    ],
)  # fmt: skip
def test_what_bedrock_said_comes_back(source: dict[str, Any]) -> None:
    body = {"output": {"message": {"role": "assistant", "content": [source]}},
            "stopReason": "end_turn", "metrics": {"latencyMs": 1},
            "usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}}  # fmt: skip
    wire = dragoman.wire("bedrock-converse")
    resp = wire.read_response(json.loads(json.dumps(body)))
    made = wire.write_response(resp)
    assert made.body == body
    assert not made.losses


@pytest.mark.parametrize("target", ["gemini", "gemini-interactions", "bedrock-converse"])
def test_a_document_that_is_its_text_is_told(target: str) -> None:
    msg = Msg("", [DocumentBlock(TextSource(["One.", "Two."]))], "assistant")
    made = dragoman.wire(target, policy="ignore").write_response(ChatResponse([Candidate(msg)]))
    assert "One.\n\nTwo." in json.dumps(made.body).replace("\\n", "\n")
    assert [loss.did for loss in made.losses if ".content[0]" in loss.where] == ["said as text"]
