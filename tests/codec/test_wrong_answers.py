"""Errors on the way: what a proxy answers in place of the provider, and what is no body."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import Any

import pytest

import dragoman
from dragoman import Formatter, ProviderError, ReadError
from dragoman.message.ending import classify_ending
from dragoman.vendors import PROTOCOLS
from tests.each_case import each_case

PAGE = "<html>Bad gateway</html>"


@each_case("wire", PROTOCOLS)
@each_case("body", [PAGE, PAGE.encode(), "", b"\xff", "{}", {"odd": 1}, []])
def test_an_answer_with_the_status_of_an_error_is_one(wire: str, body: Any) -> None:
    with pytest.raises(ProviderError) as raised:
        dragoman.wire(wire).read_response(body, status=502)
    assert raised.value.status == 502
    for status in (None, 200):
        with pytest.raises(ReadError):
            dragoman.wire(wire).read_response(body, status=status)


def test_the_page_of_a_proxy_is_the_message() -> None:
    with pytest.raises(ProviderError, match="Bad gateway") as raised:
        dragoman.wire("gemini").read_response(PAGE.encode(), status=502)
    assert raised.value.body == PAGE


def test_an_event_that_is_an_error_may_say_so_in_plain_words() -> None:
    stream = dragoman.wire("anthropic").read_stream([b"event: error\ndata: upstream timed out\n\n"])
    assert [event.type for event in stream] == ["finish"]
    assert stream.response.status == "error"
    assert stream.error is not None
    assert stream.error.message == "upstream timed out"


def test_events_without_a_blank_line_between_them_are_events() -> None:
    told = [
        {"output": {"choices": [{"message": {"role": "assistant", "content": text},
                                 "finish_reason": reason}]}, "request_id": "r"}
        for text, reason in (("It rains ", "null"), ("and snows.", "null"), ("", "stop"))
    ]  # fmt: skip
    lines = [f"id:{n}\nevent:result\ndata:{json.dumps(one)}" for n, one in enumerate(told)]
    stream = dragoman.wire("dashscope").read_stream(["\n".join(lines).encode()])
    assert [event.type for event in stream][-1] == "finish"
    assert (stream.response.status, stream.response.text) == ("complete", "It rains and snows.")
    assert stream.response.extras is None


def test_an_error_behind_an_event_without_a_blank_line_is_of_the_last_alone() -> None:
    said = {"output": {"choices": [{"message": {"role": "assistant", "content": "Half"},
                                    "finish_reason": "null"}]}, "request_id": "r"}  # fmt: skip
    told = {"code": "Throttling", "message": "slow down", "request_id": "r"}
    body = f"event:result\ndata:{json.dumps(said)}\nevent:error\ndata:{json.dumps(told)}\n\n"
    stream = dragoman.wire("dashscope").read_stream([body.encode()])
    assert list(stream)
    assert (stream.response.status, stream.response.text) == ("error", "Half")
    assert stream.error is not None
    assert stream.error.message == "slow down"


def test_a_page_in_place_of_a_stream_is_kept() -> None:
    for wire in PROTOCOLS:
        stream = dragoman.wire(wire).read_stream([PAGE[:9].encode(), PAGE[9:].encode()])
        assert [event.type for event in stream] == ["finish"]
        assert PAGE in str(stream.response.extras), wire


def test_a_buffer_that_is_filled_again_changes_nothing() -> None:
    decoder = dragoman.wire("ollama").stream_decoder()
    body = b'{"message": {"role": "assistant", "content": "Hi"}, "done": true}'
    buffer = bytearray(4)
    for at in range(0, len(body), 4):
        piece = body[at : at + 4]
        buffer[: len(piece)] = piece
        decoder.feed_bytes(memoryview(buffer)[: len(piece)])  # type: ignore[arg-type]  # a buffer
    assert decoder.finish().text == "Hi"


@pytest.mark.parametrize("chunk", ["text", None, 3, {}])
def test_what_is_no_bytes_is_refused(chunk: Any) -> None:
    with pytest.raises(ReadError, match="no bytes"):
        dragoman.wire("openai-chat").stream_decoder().feed_bytes(chunk)


FIGURES = {"input_tokens": 3, "output_tokens": 1}
SAID = {"role": "assistant", "content": "Hi"}
BODIES: dict[str, dict[str, Any]] = {
    "openai-chat": {"id": "1", "object": "chat.completion", "created": 7, "model": "m",
                    "choices": [{"index": 0, "message": SAID, "finish_reason": "stop"}]},
    "openai-responses": {"id": "1", "object": "response", "status": "completed", "model": "m",
                         "output": [{"type": "message", "role": "assistant", "content": [
                             {"type": "output_text", "text": "Hi"}]}], "usage": FIGURES},
    "anthropic": {"id": "1", "type": "message", "role": "assistant", "model": "m",
                  "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn",
                  "usage": FIGURES},
    "gemini": {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}]},
                               "finishReason": "STOP"}], "modelVersion": "m"},
    "dashscope": {"output": {"choices": [{"message": SAID, "finish_reason": "stop"}]},
                  "usage": FIGURES, "request_id": "1"},
    "bedrock-converse": {"output": {"message": {"role": "assistant", "content": [{"text": "Hi"}]}},
                         "stopReason": "end_turn", "usage": {"inputTokens": 3}},
    "ollama": {"model": "m", "message": SAID, "done": True, "done_reason": "stop"},
}  # fmt: skip


@each_case("wire", PROTOCOLS)
@each_case("sender", BODIES)
def test_the_answer_of_another_wire_is_none(sender: str, wire: str) -> None:
    like = {sender, "mistral" if sender == "openai-chat" else sender}  # one speaks as the other
    body = BODIES[sender]
    if wire in like:
        assert dragoman.wire(wire).read_response(body).text == "Hi"
        return
    forms: list[Any] = [body, json.dumps(body), MappingProxyType(body)]
    for sent in forms:
        with pytest.raises((ReadError, ProviderError)):
            dragoman.wire(wire).read_response(sent)
        with pytest.raises((ReadError, ProviderError)):
            Formatter(wire).parse_response(sent)


def test_an_answer_that_has_not_come_yet_is_one() -> None:
    body: dict[str, Any] = {
        "id": "1",
        "object": "response",
        "status": "queued",
        "output": [],
        "usage": None,
    }
    assert dragoman.wire("openai-responses").read_response(body).status == "interrupted"


@each_case("wire", PROTOCOLS)
@each_case("odd", [None, {}, [], 3, "x"])
def test_no_shape_is_too_odd_to_be_judged(wire: str, odd: Any) -> None:
    keys = ("type", "object", "output", "choices", "candidates", "message", "done", "content")
    for body in ({key: odd} for key in keys):
        assert dragoman.wire(wire).room.answers(body) in (True, False)


FAILED: dict[str, Any] = {
    "id": "resp_1", "object": "response", "model": "m", "status": "failed", "service_tier": "flex",
    "error": {"code": "server_error", "message": "boom"},
    "output": [{"type": "message", "id": "m1", "role": "assistant", "status": "incomplete",
                "content": [{"type": "output_text", "text": "Half", "annotations": []}]}],
    "usage": {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5},
}  # fmt: skip


@pytest.mark.parametrize("target", ["openai-chat", "anthropic", "dashscope", "ollama"])
def test_what_an_error_in_place_of_an_answer_leaves_out_is_named(target: str) -> None:
    out = dragoman.convert(FAILED, "openai-responses", target, "response", policy="ignore")
    assert "boom" in json.dumps(out.body)
    assert "5" not in json.dumps(out.body)
    lost = {loss.where: loss.code for loss in out.losses if loss.kind == "dropped"}
    assert lost == {
        "$.candidates[0]": "answer.unsupported",
        "$.extras.openai-responses.service_tier": "extras.other_provider",
        "$.usage.input": "answer.usage",
        "$.usage.output": "answer.usage",
        "$.usage.total": "answer.usage",
        "$.id": "answer.unsupported",
        "$.model": "answer.unsupported",
    }


@pytest.mark.parametrize("target", PROTOCOLS)
def test_a_response_that_failed_with_half_a_text_is_no_answer_elsewhere(target: str) -> None:
    out = dragoman.convert(FAILED, "openai-responses", target, "response", policy="ignore")
    try:
        resp = dragoman.wire(target).read_response(out.body)
    except ProviderError as error:
        assert error.message == "boom"  # noqa: PT017 - a wire whose answers cannot fail
    else:
        assert classify_ending(resp) == "failed"
