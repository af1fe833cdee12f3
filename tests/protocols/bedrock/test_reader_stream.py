"""Streams of Converse: events by name, wrapped or bare, and what AWS's own SDK makes of them."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest

import dragoman
from dragoman import ChatResponse
from dragoman.message import (
    Base64Source,
    Citation,
    ImageBlock,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)
from dragoman.message.blocks import name_answers

ISSUER = "bedrock-converse"
Event = tuple[str, dict[str, Any]]
START: Event = ("messageStart", {"role": "assistant"})
MEASURED: Event = ("metadata", {
    "usage": {"inputTokens": 5, "outputTokens": 7, "totalTokens": 12}, "metrics": {"latencyMs": 9},
})  # fmt: skip


def begun(index: int, **start: Any) -> Event:
    return "contentBlockStart", {"contentBlockIndex": index, "start": start}


def delta(index: int, **said: Any) -> Event:
    return "contentBlockDelta", {"contentBlockIndex": index, "delta": said}


def stop(index: int) -> Event:
    return "contentBlockStop", {"contentBlockIndex": index}


def ended(reason: str = "end_turn") -> Event:
    return "messageStop", {"stopReason": reason}


def argued(index: int, text: str) -> Event:
    return delta(index, toolUse={"input": text})


CALL = {"toolUseId": "t1", "name": "look", "type": "tool_use"}
SEARCH = {"toolUseId": "s1", "name": "nova_code_interpreter", "type": "server_tool_use"}
FOUND = {"toolUseId": "s1", "type": "nova_code_interpreter_result", "status": "success"}
SOURCE = {
    "title": "Book",
    "sourceContent": [{"text": "sky"}],
    "location": {"documentChar": {"documentIndex": 0, "start": 0, "end": 3}},
}
STREAM: list[Event] = [
    START,
    delta(0, reasoningContent={"text": "Sky"}), delta(0, reasoningContent={"text": "?"}),
    delta(0, reasoningContent={"signature": "c2ln"}), stop(0),
    delta(1, reasoningContent={"redactedContent": base64.b64encode(b"c2Vh").decode()}),
    delta(1, reasoningContent={"redactedContent": base64.b64encode(b"bGVk").decode()}), stop(1),
    begun(2, toolUse=SEARCH), argued(2, '{"snippet"'), argued(2, ': "1+1"}'), stop(2),
    begun(3, toolResult=FOUND), delta(3, toolResult=[{"json": {"stdOut": "2"}}]),
    delta(3, toolResult=[{"text": "done"}]), stop(3),
    delta(4, text="It "), delta(4, text=""), delta(4, text="is."), stop(4),
    delta(5, citation=SOURCE), delta(5, text="Blue"), delta(5, text="."), stop(5),
    begun(6, toolUse=CALL), argued(6, ""), argued(6, '{"at":'), argued(6, ' "sky"}'), stop(6),
    ended("tool_use"), MEASURED,
]  # fmt: skip


def named(event: Event) -> tuple[Any, str | None]:
    """As the frames of HTTP have it, with their padding."""
    return {**event[1], "p": "abc"}, event[0]


def wrapped(event: Event) -> tuple[Any, str | None]:
    """As the SDKs give it."""
    return {event[0]: event[1]}, None


def bare(event: Event) -> tuple[Any, str | None]:
    """As recorders that lose names have it."""
    return event[1], None


def parsed(event: Event) -> tuple[Any, str | None]:
    """As botocore parses the frame: bytes are decoded."""
    parsers = pytest.importorskip("botocore.parsers", reason="the extra `bedrock` is missing")
    loaders = pytest.importorskip("botocore.loaders")
    model = pytest.importorskip("botocore.model")
    loaded = loaders.Loader().load_service_model("bedrock-runtime", "service-2")
    operation = model.ServiceModel(loaded, "bedrock-runtime").operation_model("ConverseStream")
    frame = {"headers": {":event-type": event[0], ":message-type": "event"}, "status_code": 200,
             "body": json.dumps(event[1]).encode()}  # fmt: skip
    shape = operation.output_shape.members["stream"]
    return parsers.EventStreamJSONParser().parse(frame, shape), None


def read(events: Iterable[Event], how: Callable[[Event], Any] = named) -> ChatResponse:
    decoder = dragoman.wire("bedrock-converse").stream_decoder()
    for event in events:
        decoder.feed(*how(event))
    return decoder.finish()


@pytest.mark.parametrize("how", [named, wrapped, bare, parsed])
def test_events_are_the_same_however_they_are_named(how: Callable[[Event], Any]) -> None:
    resp = read(STREAM, how)
    assert resp.msg.blocks == [
        ThinkingBlock("Sky?", "c2ln"),
        ThinkingBlock("", redacted="c2VhbGVk"),
        RawBlock(ISSUER, {"toolUse": {**SEARCH, "input": {"snippet": "1+1"}}}, "call", "s1"),
        RawBlock(ISSUER, {"toolResult": {**FOUND, "content": [
            {"json": {"stdOut": "2"}}, {"text": "done"}]}}, "result", "s1"),
        TextBlock("It is."),
        TextBlock("Blue.", [Citation(title="Book", quote="sky")],
                  extras={ISSUER: {"citations": [SOURCE]}}),
        ToolUseBlock("t1", "look", {"at": "sky"}, '{"at": "sky"}'),
    ]  # fmt: skip
    assert (resp.status, resp.finish.raw) == ("complete", "tool_use")
    assert resp.usage == Usage(5, output=7, total=12)
    assert resp.extras == {ISSUER: {"metrics": {"latencyMs": 9}}}


def test_the_whole_answer_reads_the_same() -> None:
    content = [
        {"reasoningContent": {"reasoningText": {"text": "Sky?", "signature": "c2ln"}}},
        {"citationsContent": {"content": [{"text": "Blue."}], "citations": [SOURCE]}},
        {"toolUse": {**SEARCH, "input": {"snippet": "1+1"}}},
    ]
    body = {"output": {"message": {"role": "assistant", "content": content}}}
    whole = dragoman.wire("bedrock-converse").read_response(body).msg.blocks
    streamed = read(STREAM).msg.blocks
    assert whole == [streamed[0], streamed[5], streamed[2]]


@pytest.mark.parametrize("pieces", [[], [""], ["{}"]])
def test_a_call_without_arguments_has_none(pieces: list[str]) -> None:
    told = [argued(0, piece) for piece in pieces]
    resp = read([START, begun(0, toolUse=CALL), *told, stop(0), ended("tool_use")])
    assert [call.input for call in resp.calls] == [{}]


def test_another_kind_at_the_same_index_is_another_block() -> None:
    resp = read([delta(0, reasoningContent={"text": "Hm"}), delta(0, text="A"), delta(1, text="B"),
                 ended()])  # fmt: skip
    assert resp.msg.blocks == [ThinkingBlock("Hm"), TextBlock("A"), TextBlock("B")]


def test_an_image_may_come_in_pieces() -> None:
    cut = [base64.b64encode(part).decode() for part in (b"\x89PN", b"G")]
    told = [delta(0, image={"source": {"bytes": part}}) for part in cut]
    resp = read([START, begun(0, image={"format": "png"}), *told, stop(0), ended()])
    data = base64.b64encode(b"\x89PNG").decode()
    assert resp.msg.blocks == [ImageBlock(Base64Source("image/png", data))]


def test_usage_comes_behind_the_end_and_without_an_end_it_is_interrupted() -> None:
    assert read([START, delta(0, text="A"), ended(), MEASURED]).usage.output == 7
    broken = read([START, begun(0, toolUse=CALL), argued(0, '{"at')])
    assert broken.status == "interrupted"
    assert broken.calls == []
    assert [call.unfinished for call in broken.msg.calls] == [True]


def test_input_of_a_server_tool_that_breaks_off_is_kept_as_text() -> None:
    (block,) = read([START, begun(0, toolUse=SEARCH), argued(0, '{"sn')]).msg.blocks
    assert isinstance(block, RawBlock)
    assert block.data == {"toolUse": {**SEARCH, "input": {}}}
    assert block.extras == {name_answers(ISSUER): {"input": '{"sn'}}


@pytest.mark.parametrize("how", [named, wrapped])
def test_an_exception_in_a_stream_is_an_error_with_what_came_before(
    how: Callable[[Event], Any],
) -> None:
    told = {"message": "The model failed", "originalStatusCode": 500}
    resp = read([START, delta(0, text="A"), ("modelStreamErrorException", told)], how)
    assert (resp.status, resp.text) == ("error", "A")
    assert resp.error is not None
    assert (resp.error.status, resp.error.type) == (424, "modelStreamErrorException")
    assert resp.error.message == "The model failed"


def test_an_event_that_nobody_knows_is_kept() -> None:
    odd = ("somethingNew", {"a": 1})
    lost = argued(4, "{}")
    resp = read([START, odd, lost, delta(0, text="A"), ended()], wrapped)
    assert resp.text == "A"
    assert resp.extras == {ISSUER: {"events": [
        {"event": None, "payload": {"somethingNew": {"a": 1}}},
        {"event": None, "payload": {lost[0]: lost[1]}},
    ]}}  # fmt: skip
