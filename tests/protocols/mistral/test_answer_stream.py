"""Pieces as chunks of a stream of Mistral's: its own decoder, and its SDK, read the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, ChatResponse
from dragoman.codec.answering import StreamEncoder, StreamReport
from dragoman.errors import ProviderError
from dragoman.message import (
    Base64Source,
    Citation,
    Finish,
    ImageBlock,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
    dump,
)
from dragoman.stream.pieces import End, Failed, Meta, Part, Piece, Raw

WIRE = dragoman.wire("mistral", policy="ignore")
STOP = End(Finish("stop", "end_turn"))


def encoded(pieces: Iterable[Piece], model: str | None = None) -> tuple[list[Any], list[str]]:
    """(the payloads, losses)."""
    report = StreamReport("")
    encoder = StreamEncoder(WIRE.room.encoder(report, ChatRequest([], model=model)), report)
    made = [event for piece in pieces for event in encoder.feed(piece)]
    made += encoder.finish()
    assert all(name is None for name, _ in made)
    losses = [f"{loss.code} {loss.field}".strip() for loss in report.losses]
    return [payload for _, payload in made], losses


def decoded(payloads: Iterable[Any]) -> ChatResponse:
    decoder = WIRE.stream_decoder()
    for payload in payloads:
        decoder.feed(payload)
    return decoder.finish()


def known(payloads: Iterable[Any]) -> None:
    """Mistral's own SDK reads every chunk, and every chunk of content in it."""
    models = pytest.importorskip("mistralai.client.models", reason="the extra `mistral` is missing")
    for payload in payloads:
        if payload != "[DONE]":
            read = models.CompletionChunk.model_validate(payload)
            assert "UNKNOWN" not in read.model_dump_json(by_alias=True)


def deltas(payloads: Iterable[Any]) -> list[Any]:
    return [one["delta"] for payload in payloads if payload != "[DONE]"
            for one in payload["choices"]]  # fmt: skip


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def chunk(delta: Any, reason: Any = None, index: int = 0, **more: Any) -> dict[str, Any]:
    choice = {"index": index, "delta": delta, "finish_reason": reason}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 7, "model": "m",
            "choices": [choice], **more}  # fmt: skip


def called(index: int, arguments: Any, **more: Any) -> dict[str, Any]:
    name = "look" if "id" in more else ""
    return {"index": index, "function": {"name": name, "arguments": arguments}, **more}


@pytest.mark.parametrize(
    "events",
    [
        [chunk({"role": "assistant", "content": ""}), chunk({"content": "He"}),
         chunk({"content": "llo"}, "stop", usage={"prompt_tokens": 1, "completion_tokens": 2,
                                                  "total_tokens": 3}, p="ab")],
        [chunk({"content": [{"type": "thinking", "thinking": [text("H")]}]}),
         chunk({"content": [{"type": "thinking", "thinking": [text("m")], "closed": True},
                            text("So")]}), chunk({"content": "."}, "stop")],
        [chunk({"content": [text("a"), {"type": "reference", "reference_ids": [1]}, text("b")]}),
         chunk({"content": ""}, "length")],
        [chunk({"tool_calls": [called(0, '{"x": 1}', id="a"), called(1, "", id="b")]}),
         chunk({"tool_calls": [called(1, "{}")]}, "tool_calls")],
        [chunk({"content": "a"}), chunk({"content": "b"}, index=1), chunk({}, "stop"),
         chunk({}, "length", 1)],
        [chunk({"content": "cut"})],
        [chunk({"content": "a"}), {"object": "error", "message": "slow", "type": "t", "code": "1"}],
        [chunk({"content": "a"}, "error")],
        [chunk({"content": "a", "odd": 1}, "a word of tomorrow", more={"x": 1})],
        [chunk({"content": ""})],
    ],
)  # fmt: skip
def test_a_stream_of_its_own_reads_the_same(events: list[Any]) -> None:
    decoder = WIRE.stream_decoder()
    pieces = [piece for event in events for piece in decoder.feed(event)]
    made, losses = encoded(pieces + decoder.rest())
    assert dump(decoded(made)) == dump(decoder.builder.finish())
    assert losses == []


def test_the_first_chunk_of_another_wire_says_all_that_there_must_be() -> None:
    about = Meta({"created": 9, "store": 1}, id="c1", model="m", issuer="openai-chat")
    pieces: list[Piece] = [about, Part((0, 0), TextBlock("Hi")), STOP, Usage(5, output=7)]
    made, losses = encoded(pieces)
    known(made)
    first = chunk({"role": "assistant", "content": "Hi"})
    assert made[0] == {**first, "created": 9}
    assert made[1]["choices"][0]["finish_reason"] == "stop"
    assert made[1]["usage"] == {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12}
    assert made[2:] == ["[DONE]"]
    assert losses == ["extras.other_provider extras.openai-chat.store"]


def test_what_nobody_told_stays_the_same_from_chunk_to_chunk() -> None:
    pieces: list[Piece] = [Part((0, 0), TextBlock("a")), Meta(id="late", model="late"), STOP]
    made, losses = encoded(pieces, "asked")
    known(made)
    assert [(one["id"], one["model"], one["created"]) for one in made[:-1]] == [
        ("unknown", "asked", 0), ("unknown", "asked", 0)]  # fmt: skip
    assert losses[:3] == ["answer.field id", "answer.field model", "answer.field created"]


def test_calls_go_by_index_and_bear_their_name_first() -> None:
    pieces: list[Piece] = [
        Part((0, 0), ToolUseBlock("a", "", raw_input="{")),
        Part((0, 1), ToolUseBlock("b", "g", {"x": 1})),
        Part((0, 0), ToolUseBlock("", "f", raw_input="}")),
        STOP,
    ]
    made, _ = encoded(pieces)
    known(made)
    resp = decoded(made)
    assert {call.id: (call.name, call.input) for call in resp.calls} == {
        "a": ("f", {}), "b": ("g", {"x": 1})}  # fmt: skip
    # the blocks decide, not what the other wire called it
    assert made[-2]["choices"][0]["finish_reason"] == "tool_calls"


def test_nothing_is_said_between_texts() -> None:
    call = ToolUseBlock("a", "f", {})
    parts: list[Piece] = [Part((0, 0), TextBlock("a")), Part((0, 1), TextBlock("b")),
                          Part((0, 2), call), Part((0, 3), TextBlock("c")), STOP]  # fmt: skip
    assert decoded(encoded(parts)[0]).msg.blocks[0] == TextBlock("abc")
    parts[2] = Part((0, 2), ThinkingBlock("Hm"))
    assert [b.text for b in decoded(encoded(parts)[0]).msg.blocks if isinstance(b, TextBlock)] == [
        "ab", "c"]  # fmt: skip


def test_what_is_sealed_or_has_no_chunk_is_named() -> None:
    parts: list[Piece] = [
        Part((0, 0), ThinkingBlock("Hm", "c2ln")),
        Part((0, 1), TextBlock("Sky", [Citation(url="https://a.example/")])),
        Part((0, 2), RefusalBlock("No.")),
        Part((0, 3), ImageBlock(Base64Source("image/png", "AAAA"))),
        Part((0, 4), RawBlock("gemini", {})),
        Raw("ping", {}), STOP,
    ]  # fmt: skip
    made, losses = encoded(parts, "m")
    known(made)
    assert deltas(made)[:4] == [
        {"role": "assistant", "content": [{"type": "thinking", "thinking": [text("Hm")]}]},
        {"content": "Sky"}, {"content": "No."},
        {"content": [{"type": "image_url", "image_url": "data:image/png;base64,AAAA"}]},
    ]  # fmt: skip
    assert losses.count("answer.unsupported") == 4
    assert "answer.unsupported signature" in losses


def test_an_error_is_told_in_this_wires_words() -> None:
    failed = Failed(ProviderError("slow", status=429, type="rate_limit"))
    made, _ = encoded([Part((0, 0), TextBlock("a")), failed])
    assert made[1:] == [{"object": "error", "message": "slow", "type": "rate_limited",
                         "param": None, "code": "1300"}]  # fmt: skip
    assert decoded(made).status == "error"


def test_an_answer_that_broke_off_has_no_end() -> None:
    made, _ = encoded([Part((0, 0), TextBlock("a"))])
    assert len(made) == 1
    assert decoded(made).status == "interrupted"
