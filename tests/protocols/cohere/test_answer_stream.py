"""Pieces as events of Cohere's stream: its own decoder, and its SDK, read the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

import dragoman
from dragoman import ChatResponse
from dragoman.codec.answering import StreamEncoder, StreamReport
from dragoman.errors import ProviderError
from dragoman.losses import Report
from dragoman.message import (
    Citation,
    Finish,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
    dump,
)
from dragoman.stream.pieces import End, Failed, Meta, Part, Piece, Raw
from tests.laws.streams.cohere import citation, ended, event, item, streams

from .sdk import streamed

WIRE = dragoman.wire("cohere", policy="ignore")
STOP = End(Finish("stop", "end_turn"))


def encoded(*pieces: Piece) -> tuple[list[Any], list[str]]:
    """(the events, losses)."""
    report = StreamReport("")
    encoder = StreamEncoder(WIRE.room.encoder(report), report)
    made = [event for piece in pieces for event in encoder.feed(piece)]
    made += encoder.finish()
    assert all(name == payload["type"] for name, payload in made if name is not None)
    read = streamed(made)
    assert [one.type for one in read] == [name for name, _ in made if name is not None]
    return made, [f"{loss.code} {loss.field}".strip() for loss in report.losses]


def decoded(events: Iterable[Any]) -> ChatResponse:
    decoder = WIRE.stream_decoder()
    for name, payload in events:
        decoder.feed(payload, name)
    return decoder.finish()


def kinds(events: Iterable[Any]) -> list[str | None]:
    return [name for name, _ in events]


@pytest.mark.parametrize("nth", range(len(streams())))
def test_its_own_stream_says_the_same_again(nth: int) -> None:
    told = streams()[nth]
    decoder = WIRE.stream_decoder()
    pieces = [piece for name, payload in told for piece in decoder.feed(payload, name)]
    made, losses = encoded(*pieces, *decoder.rest())
    assert losses == []
    assert dump(decoded(made)) == dump(decoder.builder.finish())
    if nth < 2:
        assert made == told


def test_anothers_answer() -> None:
    made, losses = encoded(
        Meta(id="x1", model="claude", issuer="anthropic"),
        Part((0, 0), ThinkingBlock("hm")),
        Part((0, 1), TextBlock("Ye")),
        Part((0, 1), TextBlock("s.", [Citation(0, 4, "https://e.com")])),
        Part((0, 2), ToolUseBlock("t1", "look", raw_input='{"a"')),
        Part((0, 2), ToolUseBlock("", "", raw_input=": 1}")),
        Usage(4, 3, None, 2),
        End(Finish("tool_calls", "tool_use")),
    )
    assert kinds(made) == [
        "message-start", "content-start", "content-delta", "content-end", "content-start",
        "content-delta", "content-delta", "citation-start", "citation-end", "content-end",
        "tool-call-start", "tool-call-delta", "tool-call-delta", "tool-call-end", "message-end",
        None,
    ]  # fmt: skip
    assert made[-2][1]["delta"] == {
        "finish_reason": "TOOL_CALL",
        "usage": {"tokens": {"input_tokens": 7, "output_tokens": 2}, "cached_tokens": 3},
    }
    assert made[-1] == (None, "[DONE]")
    resp = decoded(made)
    assert (resp.text, resp.id, resp.calls[0].input) == ("Yes.", "x1", {"a": 1})
    assert losses == ["answer.unsupported model"]


def test_two_citations_that_say_the_same_are_two() -> None:
    text = item(0, "text", ("Samarkand",))
    cited = [event("citation-start", nth, citations=citation()) for nth in range(2)]
    cited = [(name, {**body, "delta": {"message": {"citations": _first(body)}}})
             for name, body in cited]  # fmt: skip
    told = [*text[:2], cited[0], event("citation-end", 0), cited[1], event("citation-end", 1),
            text[2], ended("COMPLETE")]  # fmt: skip
    decoder, encoder = WIRE.stream_decoder(), WIRE.room.encoder(Report())
    made = [one for name, body in told for piece in decoder.feed(body, name)
            for one in encoder.feed(piece)]  # fmt: skip
    assert [*made, *encoder.finish()][1:-1] == told


def _first(body: dict[str, Any]) -> dict[str, Any]:
    """The citation, about the first item."""
    cited = dict(body["delta"]["message"]["citations"])
    del cited["content_index"]
    return cited


def test_interleaved_blocks_come_one_by_one() -> None:
    made, _ = encoded(
        Meta(id="x1"),
        Part((0, 0), ToolUseBlock("a", "one", raw_input='{"x"')),
        Part((0, 1), ToolUseBlock("b", "two", raw_input="{}")),
        Part((0, 0), ToolUseBlock("", "", raw_input=": 1}")),
        Usage(1, output=1),
        End(Finish("tool_calls")),
    )
    calls = decoded(made).calls
    assert [(call.id, call.input) for call in calls] == [("a", {"x": 1}), ("b", {})]
    indexes = [body["index"] for name, body in made if name and name.startswith("tool-call")]
    assert indexes == sorted(indexes)


def test_what_cannot_be_said_is_named() -> None:
    _, losses = encoded(
        Meta({"service_tier": "x"}, issuer="anthropic"),
        Part((0, 0), ThinkingBlock("hm", signature="s")),
        Part((0, 1), RefusalBlock("No.")),
        Part((0, 2), RawBlock("anthropic", {"type": "x"})),
        Part((1, 0), TextBlock("other")),
        Raw("ping", {}),
        Usage(1, 0, 5, 1),
        STOP,
    )
    assert sorted(losses) == sorted([
        "extras.other_provider extras.anthropic.service_tier", "answer.unsupported signature",
        "answer.unsupported", "answer.unsupported", "answer.candidates", "answer.unsupported",
        "answer.field id",
        "answer.usage cache_write", "answer.finish finish",
    ])  # fmt: skip


def test_an_error_is_the_last_event() -> None:
    made, _ = encoded(Meta(id="x1"), Part((0, 0), TextBlock("Hi")),
                      Failed(ProviderError("overloaded", type="busy")))  # fmt: skip
    assert made[-2][1]["delta"]["finish_reason"] == "ERROR"
    resp = decoded(made)
    assert resp.status == "error"
    assert resp.error is not None
    assert (resp.text, resp.error.message, resp.error.type) == ("Hi", "overloaded", "")


def test_a_stream_that_broke_off_has_no_end() -> None:
    made, _ = encoded(Meta(id="x1"), Part((0, 0), TextBlock("Hi")))
    assert kinds(made) == ["message-start", "content-start", "content-delta", "content-end"]
    assert decoded(made).status == "interrupted"
