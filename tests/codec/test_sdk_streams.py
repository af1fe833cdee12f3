"""Streams as official SDKs hand them out: their objects make the answer that the events make."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

import dragoman
from dragoman import Formatter
from dragoman.message import ToolUseBlock

from .streaming import CHUNKS
from .test_sdk_objects import DASHSCOPE, GEMINI, OLLAMA, RESPONSES

ANTHROPIC: list[dict[str, Any]] = [
    {"type": "message_start", "message": {
        "id": "m1", "type": "message", "role": "assistant", "model": "m-1", "content": [],
        "stop_reason": None, "stop_sequence": None,
        "usage": {"input_tokens": 9, "output_tokens": 1}}},
    {"type": "content_block_start", "index": 0,
     "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
    {"type": "content_block_delta", "index": 0,
     "delta": {"type": "thinking_delta", "thinking": "Hm."}},
    {"type": "content_block_delta", "index": 0,
     "delta": {"type": "signature_delta", "signature": "c2ln"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1,
     "content_block": {"type": "tool_use", "id": "c1", "name": "look", "input": {}}},
    {"type": "content_block_delta", "index": 1,
     "delta": {"type": "input_json_delta", "partial_json": '{"at"'}},
    {"type": "content_block_delta", "index": 1,
     "delta": {"type": "input_json_delta", "partial_json": ': "x"}'}},
    {"type": "content_block_stop", "index": 1},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": None},
     "usage": {"output_tokens": 4}},
    {"type": "message_stop"},
]  # fmt: skip
BEDROCK: list[dict[str, Any]] = [
    {"messageStart": {"role": "assistant"}},
    {"contentBlockDelta": {"contentBlockIndex": 0,
                           "delta": {"reasoningContent": {"redactedContent": b"\xfb\xff\xbf"}}}},
    {"contentBlockStop": {"contentBlockIndex": 0}},
    {"contentBlockStart": {"contentBlockIndex": 1,
                           "start": {"toolUse": {"toolUseId": "c1", "name": "look"}}}},
    {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolUse": {"input": '{"at"'}}}},
    {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolUse": {"input": ': "x"}'}}}},
    {"contentBlockStop": {"contentBlockIndex": 1}},
    {"messageStop": {"stopReason": "tool_use"}},
    {"metadata": {"usage": {"inputTokens": 9, "outputTokens": 4, "totalTokens": 13},
                  "metrics": {"latencyMs": 5}}},
]  # fmt: skip


def _responses() -> list[dict[str, Any]]:
    """Events of a Responses stream: begun, items, done."""
    begun = {**RESPONSES, "status": "in_progress", "output": [], "usage": None}
    events: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
    body: Any = RESPONSES
    for at, item in enumerate(body["output"]):
        first = {**item, "arguments": ""} if "arguments" in item else item
        events.append({"type": "response.output_item.added", "output_index": at, "item": first})
        events.append({"type": "response.output_item.done", "output_index": at, "item": item})
    events.append({"type": "response.completed", "response": RESPONSES})
    return [{**event, "sequence_number": n} for n, event in enumerate(events)]


def _gemini() -> list[dict[str, Any]]:
    body: Any = GEMINI
    [candidate] = body["candidates"]
    rest = {"modelVersion": "m-1", "responseId": "r1"}
    parts = candidate["content"]["parts"]
    chunks: list[Any] = [
        {"candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}}], **rest}
        for part in parts
    ]
    chunks[-1]["candidates"][0]["finishReason"] = "STOP"
    return chunks


def _ollama() -> list[dict[str, Any]]:
    body: Any = OLLAMA
    head = {"model": "m-1", "created_at": body["created_at"], "done": False}
    said = body["message"]
    return [
        {**head, "message": {"role": "assistant", "content": "", "thinking": "Hm."}},
        {**head, "message": {"role": "assistant", "content": "Hi"}},
        {**head, "message": {"role": "assistant", "content": "",
                             "tool_calls": said["tool_calls"]}},
        {**body, "message": {"role": "assistant", "content": ""}},
    ]  # fmt: skip


def _mistral() -> list[dict[str, Any]]:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    call = {"id": "c1", "index": 0, "function": {"name": "look", "arguments": '{"at": "x"}'}}
    deltas: list[Any] = [{"role": "assistant", "content": [thinking]}, {"content": "Hi"},
                         {"content": "", "tool_calls": [call]}]  # fmt: skip
    return [
        {"id": "a1", "object": "chat.completion.chunk", "created": 7, "model": "m-1",
         "choices": [{"index": 0, "delta": delta,
                      "finish_reason": "tool_calls" if delta is deltas[-1] else None}]}
        for delta in deltas
    ]  # fmt: skip


def _cohere() -> list[dict[str, Any]]:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": ""}}
    told: list[tuple[str, Any]] = [
        ("content-start", {"content": {"type": "thinking", "thinking": ""}}),
        ("content-delta", {"content": {"thinking": "Hm."}}),
        ("content-end", None),
        ("content-start", {"content": {"type": "text", "text": ""}}),
        ("content-delta", {"content": {"text": "Hi"}}),
        ("content-end", None),
        ("tool-call-start", {"tool_calls": call}),
        ("tool-call-delta", {"tool_calls": {"function": {"arguments": '{"at": "x"}'}}}),
        ("tool-call-end", None),
    ]
    places = [0, 0, 0, 1, 1, 1, 0, 0, 0]
    middle = [
        {"type": kind, "index": at, **({} if message is None else {"delta": {"message": message}})}
        for (kind, message), at in zip(told, places, strict=True)
    ]
    start = {"type": "message-start", "id": "a1", "delta": {"message": {"role": "assistant"}}}
    return [start, *middle, {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}}]


def _cohered(event: Any) -> Any:
    from cohere.core.unchecked_base_model import construct_type
    from cohere.v2.types.v2chat_stream_response import V2ChatStreamResponse

    union: Any = V2ChatStreamResponse
    return construct_type(type_=union, object_=event)


def _built(module: str, name: str) -> Callable[[Any], Any]:
    """How an SDK of Stainless makes its events, without checking them."""

    def made(event: Any) -> Any:
        types = importlib.import_module(f"{module}.types{'.responses' * (module == 'openai')}")
        models = importlib.import_module(f"{module}._models")
        return models.construct_type(type_=getattr(types, name), value=event)

    return made


def _chunk(event: Any) -> Any:
    from openai.types.chat import ChatCompletionChunk

    return ChatCompletionChunk.construct(**event)


def _content(event: Any) -> Any:
    from google.genai.types import GenerateContentResponse

    return GenerateContentResponse.model_validate(event)


def _line(event: Any) -> Any:
    from ollama import ChatResponse

    return ChatResponse.model_validate(event)


def _completion(event: Any) -> Any:
    from mistralai.client.models import CompletionChunk, CompletionEvent

    return CompletionEvent(data=CompletionChunk.model_validate(event))


def _generation(event: Any) -> Any:
    from dashscope.api_entities.dashscope_response import (
        DashScopeAPIResponse,
        GenerationResponse,
    )

    return GenerationResponse.from_api_response(DashScopeAPIResponse(200, **event))


STREAMS: dict[str, tuple[str, Callable[[Any], Any], Callable[[], list[Any]]]] = {
    "openai-chat": ("openai", _chunk, lambda: CHUNKS),
    "openai-responses": ("openai", _built("openai", "ResponseStreamEvent"), _responses),
    "anthropic": ("anthropic", _built("anthropic", "RawMessageStreamEvent"), lambda: ANTHROPIC),
    "gemini": ("google.genai", _content, _gemini),
    "ollama": ("ollama", _line, _ollama),
    "mistral": ("mistralai", _completion, _mistral),
    "cohere": ("cohere", _cohered, _cohere),
    "dashscope": ("dashscope", _generation, lambda: [DASHSCOPE]),
    "bedrock-converse": ("json", lambda event: event, lambda: BEDROCK),
}


@pytest.mark.parametrize("wire", STREAMS)
def test_the_objects_of_a_stream_are_its_events(wire: str) -> None:
    module, made, events = STREAMS[wire]
    pytest.importorskip(module)
    bound = dragoman.wire(wire)
    plain, objects = bound.read_stream(events()), bound.read_stream([made(e) for e in events()])
    told = [(event.type, event.key, event.text) for event in plain]
    assert told == [(event.type, event.key, event.text) for event in objects]
    assert objects.response == plain.response
    assert (plain.response.status, plain.response.finish.reason) == ("complete", "tool_calls")
    [call] = plain.response.calls
    assert call.name in ("look", "look_up")
    msg = Formatter(wire).parse_stream_sync(made(event) for event in events())
    assert msg == plain.response.msg
    assert type(msg.blocks[-1]) is ToolUseBlock or wire == "gemini"


def test_bytes_in_boto3_events_are_base64_as_on_the_wire() -> None:
    stream = dragoman.wire("bedrock").read_stream(BEDROCK)
    list(stream)
    block = stream.response.msg.blocks[0]
    assert block["redacted"] == "+/+/"
