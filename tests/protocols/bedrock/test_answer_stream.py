"""Pieces as events of ConverseStream: one open block at a time, its own decoder reads the same."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest

import dragoman
from dragoman import ChatResponse
from dragoman.codec.answering import StreamEncoder, StreamReport
from dragoman.errors import ProviderError
from dragoman.message import (
    Base64Source,
    Citation,
    Finish,
    ImageBlock,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
    dump,
)
from dragoman.message.blocks import ContentBlock
from dragoman.stream.pieces import End, Failed, Meta, Part, Piece, Raw

WIRE = dragoman.wire("bedrock-converse", policy="ignore")
ISSUER = "bedrock-converse"
WEB = {"location": {"web": {"url": "https://a.example/", "domain": "a.example"}}}
BEGUN = ("messageStart", {"role": "assistant"})
Event = tuple[str, Any]


def encoded(pieces: Iterable[Piece]) -> tuple[list[Any], list[str]]:
    """(events, losses)."""
    report = StreamReport("")
    encoder = StreamEncoder(WIRE.room.encoder(report), report)
    made = [event for piece in pieces for event in encoder.feed(piece)]
    made += encoder.finish()
    return made, [f"{loss.code} {loss.field}".strip() for loss in report.losses]


def decoded(events: Iterable[tuple[str | None, Any]]) -> ChatResponse:
    decoder = WIRE.stream_decoder()
    for name, payload in events:
        decoder.feed(payload, name)
    return decoder.finish()


def delta(index: int, **said: Any) -> Event:
    return "contentBlockDelta", {"contentBlockIndex": index, "delta": said}


def start(index: int, **begun: Any) -> Event:
    return "contentBlockStart", {"contentBlockIndex": index, "start": begun}


def stop(index: int) -> Event:
    return "contentBlockStop", {"contentBlockIndex": index}


@cache
def _events() -> Any:
    loaders = pytest.importorskip("botocore.loaders", reason="the extra `bedrock` is missing")
    model = pytest.importorskip("botocore.model")
    loaded = loaders.Loader().load_service_model("bedrock-runtime", "service-2")
    return model.ServiceModel(loaded, "bedrock-runtime").shape_for("ConverseStreamOutput").members


def known(events: Iterable[Event]) -> None:
    """AWS's own service model has every event, with all that it must have and nothing else."""
    validate = pytest.importorskip("botocore.validate")
    for name, payload in events:
        shape = _events()[name]
        found = validate.ParamValidator().validate(payload, shape)
        assert not found.has_errors(), found.generate_report()
        assert payload.keys() <= shape.members.keys()


def foreign(*blocks: ContentBlock) -> tuple[list[Any], list[str]]:
    """The events of another wire's blocks, without the frame around them."""
    pieces: list[Piece] = [Part((0, i), block) for i, block in enumerate(blocks)]
    made, losses = encoded([*pieces, End(Finish("stop", "stop")), Usage(1, output=2)])
    known(made)
    assert (made[0], made[-2][0], made[-1][0]) == (BEGUN, "messageStop", "metadata")
    assert losses.pop() == "answer.field metrics"
    return made[1:-2], losses


STREAM: list[Event] = [
    BEGUN,
    delta(0, reasoningContent={"text": "Hm"}),
    delta(0, reasoningContent={"signature": "c2ln"}),
    stop(0),
    delta(1, reasoningContent={"redactedContent": b64encode(b"seal").decode()}),
    stop(1),
    delta(2, text="It "),
    delta(2, text="is."),
    delta(2, citation=WEB),
    stop(2),
    start(3, toolUse={"toolUseId": "s", "name": "g", "type": "server_tool_use"}),
    delta(3, toolUse={"input": '{"q": 1}'}),
    stop(3),
    start(4, toolResult={"toolUseId": "s", "type": "g_result", "status": "success"}),
    delta(4, toolResult=[{"text": "found"}]),
    stop(4),
    start(5, toolUse={"toolUseId": "t", "name": "look", "type": "tool_use"}),
    delta(5, toolUse={"input": '{"at": "s'}),
    delta(5, toolUse={"input": 'ky"}'}),
    stop(5),
    start(6, toolUse={"toolUseId": "u", "name": "look"}),
    stop(6),
    start(7, image={"format": "png"}),
    delta(7, image={"source": {"bytes": "AAAA"}}),
    stop(7),
    ("messageStop", {"stopReason": "tool_use", "additionalModelResponseFields": {"a": 1}}),
    ("metadata", {"usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3, "odd": 0},
                  "metrics": {"latencyMs": 4}, "trace": {}}),
]  # fmt: skip


def test_a_stream_of_its_own_is_the_same_again() -> None:
    decoder = WIRE.stream_decoder()
    pieces = [piece for name, payload in STREAM for piece in decoder.feed(payload, name)]
    pieces += decoder.rest()
    made, losses = encoded(pieces)
    assert made == STREAM
    assert losses == []
    assert dump(decoded(made)) == dump(decoder.builder.finish())


@pytest.mark.parametrize(
    "events",
    [
        [BEGUN, delta(0, text=""), stop(0), ("messageStop", {"stopReason": "end_turn"})],
        [BEGUN, delta(0, text="cut")],
        [BEGUN, start(0, toolUse={"toolUseId": "t", "name": "f"}),
         delta(0, toolUse={"input": "{"})],
        [BEGUN, delta(0, text="a"), ("throttlingException", {"message": "slow"})],
        [BEGUN, start(0, toolUse={"toolUseId": "s", "name": "g", "type": "server_tool_use"}),
         delta(0, toolUse={"input": '{"broken'}), ("messageStop", {"stopReason": "max_tokens"})],
        [BEGUN, delta(0, reasoningContent={"text": "a", "more": 1}), stop(0)],
        [BEGUN, ("messageStop", {"stopReason": "tomorrow's word"}), ("metadata", {"usage": None})],
        [delta(0, text="no frame"), ("messageStop", {"stopReason": "end_turn"})],
        [BEGUN, delta(0, text="a"), ("metadata", {"$metadata": {"requestId": "r"}})],
    ],
)  # fmt: skip
def test_streams_that_break_off_or_are_odd_read_the_same(events: list[Event]) -> None:
    decoder = WIRE.stream_decoder()
    pieces = [piece for name, payload in events for piece in decoder.feed(payload, name)]
    made, _ = encoded(pieces + decoder.rest())
    assert dump(decoded(made)) == dump(decoder.builder.finish())


def test_blocks_that_come_interleaved_are_told_one_by_one() -> None:
    pieces: list[Piece] = [
        Part((0, 0), TextBlock("Let me ")),
        Part((0, 1), ToolUseBlock("a", "f", raw_input='{"x"')),
        Part((0, 2), ToolUseBlock("b", "g", raw_input="{")),
        Part((0, 1), ToolUseBlock("", "", raw_input=": 1}")),
        Part((0, 2), ToolUseBlock("", "", raw_input="}")),
        End(Finish("stop", "stop")),
    ]
    made, _ = encoded(pieces)
    known(made)
    assert [name for name, _ in made].count("contentBlockStop") == 3
    resp = decoded(made)
    assert [(call.id, call.input) for call in resp.calls] == [("a", {"x": 1}), ("b", {})]
    # the blocks decide, not what the other wire called it
    assert made[-2] == ("messageStop", {"stopReason": "tool_use"})


def test_what_only_a_signed_block_may_carry_stays_away() -> None:
    mine = ThinkingBlock("Ha", "c2ln", origin=Origin(ISSUER))
    made, losses = foreign(ThinkingBlock("Hm", "eA=="), ThinkingBlock("", redacted="x"), mine)
    assert made == [
        delta(0, reasoningContent={"text": "Hm"}), stop(0),
        delta(1, reasoningContent={"text": "Ha"}), delta(1, reasoningContent={"signature": "c2ln"}),
        stop(1),
    ]  # fmt: skip
    assert losses == ["answer.unsupported signature", "answer.unsupported redacted"]


def test_citations_refusals_and_images() -> None:
    cited = TextBlock("Sky", [Citation(0, 3, "https://a.example/", "T")])
    picture = ImageBlock(Base64Source("image/png", "AAAA"))
    made, losses = foreign(cited, RefusalBlock("No."), picture, RawBlock("gemini", {"x": 1}))
    assert made == [
        delta(0, text="Sky"), delta(0, citation={"title": "T", **WEB}), stop(0),
        delta(1, text="No."), stop(1),
        start(2, image={"format": "png"}), delta(2, image={"source": {"bytes": "AAAA"}}), stop(2),
    ]  # fmt: skip
    assert losses == [
        "answer.unsupported start", "answer.unsupported end", "answer.unsupported",
         "answer.unsupported",
        "answer.finish finish",
    ]  # fmt: skip


def test_objects_are_told_as_text() -> None:
    made, _ = foreign(ToolUseBlock("a", "f", {"x": [1]}), ToolUseBlock("", "g"))
    assert made[:3] == [
        start(0, toolUse={"toolUseId": "a", "name": "f"}),
        delta(0, toolUse={"input": '{"x": [1]}'}),
        stop(0),
    ]
    assert made[3][1]["start"]["toolUse"]["toolUseId"].startswith("call_")


def test_fields_and_candidates_of_others_are_named_once() -> None:
    made, losses = encoded([
        Meta({"created": 7}, id="c1", model="m", issuer="openai-chat"),
        Meta({"created": 7}, id="c1", issuer="openai-chat"),
        Part((0, 0), TextBlock("a")), Part((1, 0), TextBlock("b")), Part((1, 0), TextBlock("c")),
        Raw("ping", {}), End(Finish("stop", "stop")), End(Finish("stop", "stop"), 1),
    ])  # fmt: skip
    known(made)
    assert decoded(made).text == "a"
    assert losses == [
        "answer.unsupported id", "answer.unsupported model",
         "extras.other_provider extras.openai-chat.created",
        "answer.candidates", "answer.unsupported", "answer.field input",
        "answer.field output", "answer.field metrics",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("error", "event"),
    [
        (ProviderError("slow", status=429), "throttlingException"),
        (ProviderError("slow", type="overloaded_error"), "serviceUnavailableException"),
        (ProviderError("slow", status=418), "internalServerException"),
    ],
)
def test_an_error_is_an_exception_of_this_wire(error: ProviderError, event: str) -> None:
    made, _ = encoded([Part((0, 0), TextBlock("a")), Failed(error)])
    known(made)
    assert made == [BEGUN, delta(0, text="a"), stop(0), (event, {"message": "slow"})]
    assert decoded(made).status == "error"


def test_an_answer_that_broke_off_has_no_end() -> None:
    made, losses = encoded([Part((0, 0), TextBlock("a"))])
    assert made == [BEGUN, delta(0, text="a"), stop(0)]
    assert decoded(made).status == "interrupted"
    assert losses == []
