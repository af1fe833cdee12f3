"""Pieces as chunks of streamGenerateContent: its own come back the same, others' are complete."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

import dragoman
from dragoman.codec.answering import StreamEncoder, StreamReport
from dragoman.errors import ProviderError
from dragoman.losses import Report
from dragoman.message import (
    ChatResponse,
    Citation,
    Finish,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)
from dragoman.stream.pieces import End, Failed, Meta, Part, Piece, Raw
from tests.each_case import each_case
from tests.protocols.gemini.answers import body, called, chunk, streamed, text

ROOM = dragoman.wire("gemini").room
STOP = End(Finish("stop", "stop"))


def encoded(pieces: Iterable[Piece]) -> tuple[list[Any], list[tuple[str, str]]]:
    report = StreamReport("gemini")
    encoder = StreamEncoder(ROOM.encoder(report), report)
    events = [event for piece in pieces for event in encoder.feed(piece)]
    events += encoder.finish()
    assert all(name is None for name, _ in events)
    return [json.loads(json.dumps(told)) for _, told in events], [
        (loss.code, loss.field) for loss in report.losses
    ]


def parts(chunks: list[Any]) -> list[Any]:
    """What the parts say: the last chunk of an answer has an empty one."""
    return [
        part
        for told in chunks
        for one in told.get("candidates", ())
        for part in one.get("content", {}).get("parts", ())
        if part != text("")
    ]


GROUNDED = {"groundingChunks": [{"web": {"uri": "https://a.example", "title": "A"}}],
            "groundingSupports": [{"segment": {"endIndex": 4, "text": "Sama"},
                                   "groundingChunkIndices": [0]}]}  # fmt: skip
SPENT = {"promptTokenCount": 9, "candidatesTokenCount": 3, "totalTokenCount": 12,
         "trafficType": "ON_DEMAND"}  # fmt: skip
STREAMS: list[list[Any]] = [
    [chunk(text("Sama")), chunk(text("rkand")), body(text("")) | {"usageMetadata": SPENT}],
    [body(text("Samarkand"))],
    [body(text("a"), text("b"), text("hm", thought=True))],
    [chunk(text("a"), text("b")), chunk(text("c")), body(text(""))],
    [chunk(text("hm", thought=True)), chunk(text("a")), body(text("", thoughtSignature="c2ln"))],
    [chunk(called(name="look", args={"a": 1}) | {"thoughtSignature": "c2ln"}),
     chunk(called(id="k1", name="look", args={})), body(text("and"))],
    [chunk(called(name="look", willContinue=True)),
     chunk(called(partialArgs=[{"jsonPath": "$.a", "stringValue": "x"}], willContinue=True)),
     chunk(called()), chunk(called(name="look")), body()],
    [body({"executableCode": {"code": "1"}}), chunk({"codeExecutionResult": {"output": "1"}}),
     body(text("done"))],
    [chunk({"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}), body()],
    [chunk(text("Samarkand"), groundingMetadata=GROUNDED), chunk(text(" is old.")),
     body(text(""), finishMessage="Because.", safetyRatings=[{"category": "A"}])],
    [chunk(text("a"), logprobsResult={"chosenCandidates": [{"token": "a"}]}),
     body(text("b"), logprobsResult={"chosenCandidates": [{"token": "b"}]})],
    [chunk(text("x"), index=1), chunk(text("a"), index=0), chunk(text("y"), index=1),
     body(index=0), body(index=1)],
    [chunk(text("Sama")), chunk(text("rk"))],
    [chunk(text("Sama")), {"error": {"code": 503, "message": "Busy.", "status": "UNAVAILABLE"}}],
    [{"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 4}}],
    [{"promptFeedback": {"blockReason": "A_NEW_REASON"}}],
    [{"candidates": [{"content": {"role": "model"}, "finishReason": "MAX_TOKENS", "index": 0}]}],
    [{"candidates": [{"content": {"parts": [text("a")]}}], "createTime": "t"}, body(text("b"))],
    [chunk(text("a")), body(reason=1)],
]  # fmt: skip


@each_case("chunks", STREAMS, ids=lambda told: json.dumps(told)[:60])
def test_a_stream_of_this_wire_comes_back_the_same(chunks: list[Any]) -> None:
    decoder = dragoman.wire("gemini").stream_decoder()
    pieces = [piece for one in chunks for piece in decoder.feed(one)] + decoder.rest()
    out, lost = encoded(pieces)
    again = streamed(*out)
    assert again == decoder.builder.finish()
    assert lost == []


OTHERS: list[Piece] = [
    Meta(model="m", issuer="openai-chat"),
    Meta(id="r1", issuer="openai-chat"),
    Meta({"created": 5}, issuer="openai-chat"),
    Part((0, 0), ThinkingBlock("h")),
    Part((0, 0), ThinkingBlock("m")),
    Part((0, 1), TextBlock("Sama")),
    Part((0, 1), TextBlock("rkand")),
    Part((0, 2, 0), ToolUseBlock("c1", "look", raw_input='{"at"')),
    Part((0, 2, 1), ToolUseBlock("c2", "see", raw_input="")),
    Part((0, 2, 0), ToolUseBlock("", "", raw_input=": [1, 1.0]}")),
    Part((0, 2, 1), ToolUseBlock("", "", raw_input="{}")),
    End(Finish("tool_calls", "tool_calls")),
    Usage(5, 4, None, 7, 2, total=16),
]


def test_a_stream_of_another_wire_is_complete() -> None:
    out, lost = encoded(OTHERS)
    assert parts(out) == [
        text("h", thought=True), text("m", thought=True), text("Sama"), text("rkand"),
        called(id="c1", name="look", args={"at": [1, 1.0]}), called(id="c2", name="see", args={}),
    ]  # fmt: skip
    assert all(told["modelVersion"] == "m" and told["responseId"] == "r1" for told in out)
    assert all(told["candidates"][0]["index"] == 0 for told in out)
    # without a part in it, chats of google-genai would forget the whole turn
    last = {"content": {"parts": [text("")], "role": "model"}, "finishReason": "STOP", "index": 0}
    assert out[-1]["candidates"] == [last]
    assert out[-1]["usageMetadata"] == {
        "promptTokenCount": 9, "cachedContentTokenCount": 4, "candidatesTokenCount": 5,
        "thoughtsTokenCount": 2, "totalTokenCount": 16,
    }  # fmt: skip
    assert all("usageMetadata" not in told for told in out[:-1])
    assert lost == [("extras.other_provider", "extras.openai-chat.created")]


def test_text_goes_out_at_once_and_calls_when_the_answer_has_ended() -> None:
    encoder = ROOM.encoder(Report())
    made = [len(encoder.feed(piece)) for piece in OTHERS]
    assert made[3:8] == [1, 1, 1, 1, 0]
    assert sum(made[:-2]) == 4
    assert made[-2:] == [2, 0]


def test_calls_wait_for_the_end_in_their_order_and_none_goes_out_before_an_error() -> None:
    pieces: list[Piece] = [
        Part((0, 0), ToolUseBlock("c1", "look", raw_input="{}")), Part((0, 1), TextBlock("So.")),
    ]  # fmt: skip
    out, lost = encoded([*pieces, STOP])
    assert parts(out) == [called(id="c1", name="look", args={}), {"text": "So."}]
    assert lost == []
    out, lost = encoded([*pieces, Failed(ProviderError("busy", status=503))])
    assert [*out[0]] == ["error"]
    assert lost == [("answer.unsupported", "")]


def test_several_candidates() -> None:
    out, _ = encoded([
        Part((0, 0), TextBlock("a")), Part((1, 0), TextBlock("x")), Part((0, 0), TextBlock("b")),
        STOP, End(Finish("length"), 1),
    ])  # fmt: skip
    resp = streamed(*out)
    assert [(one.msg.text, one.finish.reason) for one in resp.candidates] == [
        ("ab", "stop"), ("x", "length"),
    ]  # fmt: skip


def test_what_has_no_place_is_named_once() -> None:
    out, lost = encoded([
        Part((0, 0), ThinkingBlock("hm")), Part((0, 0), ThinkingBlock("", signature="a")),
        Part((0, 0), ThinkingBlock("", signature="b")),
        Part((0, 1), TextBlock("Look.")), Part((0, 2), RawBlock("anthropic", {"a": 1})),
        Part((0, 3), TextBlock("So")), Part((0, 3), TextBlock(".")),
        Raw("ping", {}), STOP,
    ])  # fmt: skip
    assert [part["text"] for part in parts(out)] == ["hm", "Look.", "So", "."]
    assert lost == [
        ("answer.unsupported", "signature"),
        ("answer.unsupported", ""),
        ("answer.unsupported", ""),
    ]
    assert streamed(*out).text == "Look.So."


def test_a_refusal_is_text_that_ended_so() -> None:
    out, lost = encoded([Part((0, 0), RefusalBlock("No")), Part((0, 0), RefusalBlock(".")), STOP])
    resp = streamed(*out)
    assert (resp.text, resp.finish.reason) == ("No.", "content_filter")
    assert ("answer.finish", "finish") in lost


def test_citations_stand_in_the_last_chunk() -> None:
    cites = [Citation(3, 5, "https://a.example", "A"), Citation(url="https://b.example")]
    out, lost = encoded([
        Part((0, 0), TextBlock("Né ")), Part((0, 0), TextBlock("là")),
        Part((0, 1), TextBlock(" or not")), Part((0, 0), TextBlock("", cites)), STOP,
    ])  # fmt: skip
    assert lost == []
    supports = out[-1]["candidates"][0]["groundingMetadata"]["groundingSupports"]
    assert [one["segment"] for one in supports] == [
        {"startIndex": 4, "endIndex": 7, "text": "là"}, {"endIndex": 7, "text": "Né là"},
    ]  # fmt: skip
    [block] = streamed(*out).msg.blocks
    assert isinstance(block, TextBlock)
    assert block.citations == [cites[0], Citation(0, 5, "https://b.example")]


def test_half_of_a_call_ends_short() -> None:
    out, lost = encoded([
        Part((0, 0), ToolUseBlock("c1", "look", raw_input='{"at": "Sam')),
        End(Finish("tool_calls", "tool_calls")),
    ])  # fmt: skip
    resp = streamed(*out)
    assert (resp.status, resp.calls) == ("truncated", [])
    assert lost == [("answer.unsupported", "input"), ("answer.finish", "finish")]


def test_a_call_of_another_wire_that_the_answer_broke_off_in_is_named() -> None:
    out, lost = encoded([Part((0, 0), ToolUseBlock("c1", "look", raw_input='{"at": "Sam'))])
    assert out == []
    assert lost == [("answer.unsupported", "")]


def test_a_call_that_the_answer_broke_off_in_goes_on() -> None:
    decoder = dragoman.wire("gemini").stream_decoder()
    piece = {"jsonPath": "$.at", "stringValue": "Sam", "willContinue": True}
    arriving = called(id="c1", name="look", partialArgs=[piece], willContinue=True)
    out, lost = encoded(decoder.feed(chunk(arriving)))
    assert parts(out) == [called(id="c1", name="look", willContinue=True)]
    assert lost == [("answer.unsupported", "input")]
    resp = streamed(*out)
    assert (resp.status, resp.calls, len(resp.msg.calls)) == ("interrupted", [], 1)


def test_a_stream_that_broke_off_says_no_end() -> None:
    out, _ = encoded([Part((0, 0), TextBlock("Sama")), Usage(3)])
    assert "finishReason" not in json.dumps(out)
    resp = streamed(*out)
    assert (resp.status, resp.text, resp.usage.input) == ("interrupted", "Sama", 3)


def test_an_error_is_said_as_this_wire_says_it() -> None:
    error = ProviderError("Slow down.", status=429, body={"error": {"message": "Slow down."}})
    out, _ = encoded([Part((0, 0), TextBlock("Sama")), Failed(error)])
    assert out[-1] == {
        "error": {"code": 429, "message": "Slow down.", "status": "RESOURCE_EXHAUSTED"}
    }
    assert (streamed(*out).status, streamed(*out).text) == ("error", "Sama")


def test_a_call_without_an_id_goes_out_without_one() -> None:
    out, _ = encoded([Part((0, 0), ToolUseBlock("", "look", {"a": 1})), STOP])
    assert parts(out) == [called(name="look", args={"a": 1})]


def test_the_sdk_takes_every_chunk() -> None:
    types = pytest.importorskip("google.genai.types")
    out, _ = encoded(OTHERS)
    made = [types.GenerateContentResponse.model_validate(told) for told in out]
    said = [part for one in made[:-1] for part in one.candidates[0].content.parts]
    assert "".join(part.text for part in said if part.text and not part.thought) == "Samarkand"
    assert [part.function_call.name for part in said if part.function_call] == ["look", "see"]
    assert made[-1].usage_metadata.total_token_count == 16


def test_whole_and_streamed_answers_of_another_wire_say_the_same() -> None:
    whole = dragoman.stream.builder.build(OTHERS)
    assert isinstance(whole, ChatResponse)
    made = ROOM.write_response(whole, Report())
    one = dragoman.wire("gemini").read_response(made)
    two = streamed(*encoded(OTHERS)[0])
    assert (one.msg.blocks, one.finish, one.usage) == (two.msg.blocks, two.finish, two.usage)
