"""Calls as some hosts stream them: an empty object first, a name in pieces, a call of nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dragoman import convert_stream, wire
from dragoman.message import ChatResponse, ToolUseBlock

HEAD = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
END = {**HEAD, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}


def piece(index: int, id: str | None, name: str | None, arguments: Any) -> dict[str, Any]:
    """A chunk with one fragment of a call."""
    function = {"name": name, "arguments": arguments}
    entry = {"index": index, "id": id, "type": "function", "function": function}
    delta = {"tool_calls": [entry]}
    return {**HEAD, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}


# openai/openai-agents-js pull request 712: Bedrock behind a proxy; and run together in one text
EMPTY_FIRST = [
    [piece(0, "a", "look", "{}"), piece(0, None, None, '{"x":1}')],
    [piece(0, "a", "look", ""), piece(0, None, None, "{}"), piece(0, None, None, '{"x":'),
     piece(0, None, None, "1}")],
    [piece(0, "a", "look", '{}{"x":1}')],
]  # fmt: skip


def read(chunks: list[dict[str, Any]]) -> ChatResponse:
    decoder = wire("openai-chat").stream_decoder()
    for chunk in [*chunks, END]:
        decoder.feed(chunk)
    return decoder.finish()


def told(calls: list[ToolUseBlock]) -> list[tuple[str, str, Any]]:
    return [(call.id, call.name, call.input) for call in calls]


def converted(chunks: list[dict[str, Any]], target: str) -> ChatResponse:
    """The answer as a client of another wire reads it."""
    decoder = wire(target).stream_decoder()
    for event in convert_stream([*chunks, END], "openai-chat", target, policy="ignore"):
        if event.data != "[DONE]":
            decoder.feed(json.loads(event.data), event.event)
    return decoder.finish()


@pytest.mark.parametrize("chunks", EMPTY_FIRST, ids=str)
def test_an_empty_object_before_the_arguments_is_none(chunks: list[dict[str, Any]]) -> None:
    assert told(read(chunks).msg.calls) == [("a", "look", {"x": 1})]


@pytest.mark.parametrize("target", ["anthropic", "openai-responses", "gemini", "ollama"])
@pytest.mark.parametrize("chunks", EMPTY_FIRST[:2], ids=str)
def test_a_client_gets_one_call(chunks: list[dict[str, Any]], target: str) -> None:
    calls = converted(chunks, target).msg.calls
    assert [(call.name, call.input) for call in calls] == [("look", {"x": 1})]


@pytest.mark.parametrize("target", ["anthropic", "openai-responses", "gemini", "ollama"])
def test_a_call_without_arguments_stays_one(target: str) -> None:
    chunks = [piece(0, "a", "look", "{}"), piece(1, "b", "list", "{}")]
    calls = converted(chunks, target).msg.calls
    assert [(call.name, call.input) for call in calls] == [("look", {}), ("list", {})]


@pytest.mark.parametrize(
    "names",
    [("edit_ex", "isting_file"), ("edit_existing_file",) * 2, ("edit", "edit_existing_file")],
)
def test_a_name_in_pieces(names: tuple[str, str]) -> None:
    chunks = [piece(0, "a", names[0], ""), piece(0, None, names[1], '{"x":1}')]
    assert told(read(chunks).msg.calls) == [("a", "edit_existing_file", {"x": 1})]


def test_a_client_that_was_told_half_a_name_is_a_loss() -> None:
    chunks = [piece(0, "a", "edit_ex", ""), piece(0, None, "isting_file", '{"x":1}'), END]
    stream = convert_stream(chunks, "openai-chat", "anthropic", policy="ignore")
    assert [*stream]
    assert "what came too late" in [loss.what for loss in stream.losses]


@pytest.mark.parametrize("empty", [("", "", ""), (None, None, None), (None, "", " ")])
def test_a_call_of_nothing_is_none(empty: tuple[Any, Any, Any]) -> None:
    chunks = [piece(0, "a", "look", "{}"), piece(1, *empty)]
    assert told(read(chunks).msg.calls) == [("a", "look", {})]
    assert len(converted(chunks, "anthropic").msg.calls) == 1


@pytest.mark.parametrize("arguments", [{}, None, '""', '"{}"'])
def test_no_arguments_however_they_are_spelled(arguments: Any) -> None:
    assert told(read([piece(0, "a", "look", arguments)]).msg.calls) == [("a", "look", {})]
    function = {"name": "look", "arguments": arguments}
    call = {"id": "a", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    body = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice],
            "usage": {}}  # fmt: skip
    resp = wire("openai-chat").read_response(body)
    assert (resp.status, told(resp.msg.calls)) == ("complete", [("a", "look", {})])
    assert wire("openai-chat").write_response(resp).body == body


@pytest.mark.parametrize("streams", [False, True])
def test_a_number_is_an_id(streams: bool) -> None:
    entry = {"id": 7, "type": "function", "function": {"name": "look", "arguments": "{}"}}
    if streams:
        chunk = {**HEAD, "choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, **entry}]},
                                      "finish_reason": None}]}  # fmt: skip
        assert told(read([chunk]).msg.calls) == [("7", "look", {})]
        return
    message = {"role": "assistant", "content": None, "tool_calls": [entry]}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    body = {**HEAD, "object": "chat.completion", "choices": [choice], "usage": {}}
    target = wire("openai-chat", policy="ignore")
    resp = target.read_response(body)
    assert told(resp.msg.calls) == [("7", "look", {})]
    assert target.write_response(resp).body == body
