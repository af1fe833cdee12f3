"""The objects of official SDKs say what the wire said: same JSON, same answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import dragoman
from dragoman import ReadError
from dragoman.codec.sdk_objects import plain
from dragoman.message import ThinkingBlock, ToolUseBlock

CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at": "x"}'}}
CHAT = {
    "id": "a1", "object": "chat.completion", "created": 7, "model": "m-1",
    "choices": [{
        "index": 0, "finish_reason": "tool_calls", "logprobs": None,
        "message": {"role": "assistant", "content": "Let me look.", "refusal": None,
                    "reasoning_content": "Where?", "tool_calls": [CALL]},
    }],
    "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13,
              "prompt_tokens_details": {"cached_tokens": 5}},
}  # fmt: skip
CHUNK = {
    "id": "a1", "object": "chat.completion.chunk", "created": 7, "model": "m-1",
    "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hi"},
                 "finish_reason": None, "logprobs": None}],
}  # fmt: skip
RESPONSES = {
    "id": "resp_1", "object": "response", "created_at": 7, "status": "completed", "model": "m-1",
    "error": None, "incomplete_details": None,
    "output": [
        {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}],
         "encrypted_content": "c2VhbGVk"},
        {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
         "content": [{"type": "output_text", "text": "Hi", "annotations": [], "logprobs": []}]},
        {"id": "fc_1", "type": "function_call", "call_id": "c1", "name": "look",
         "arguments": '{"at": "x"}', "status": "completed"},
    ],
    "usage": {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 0},
              "output_tokens": 4, "output_tokens_details": {"reasoning_tokens": 2},
              "total_tokens": 13},
}  # fmt: skip
ANTHROPIC = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "m-1",
    "content": [
        {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "c2VhbGVk"},
        {"type": "text", "text": "Hi", "citations": None},
        {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": "x"}},
    ],
    "stop_reason": "tool_use", "stop_sequence": None,
    "usage": {"input_tokens": 9, "cache_read_input_tokens": 5, "output_tokens": 4},
}  # fmt: skip
GEMINI = {
    "candidates": [{
        "content": {"role": "model", "parts": [
            {"text": "Hm.", "thought": True},
            {"text": "Hi", "thoughtSignature": "+//+Pw=="},
            {"functionCall": {"name": "look", "args": {"at": "x"}}},
            {"inlineData": {"mimeType": "image/png", "data": "+/+/"}},
        ]},
        "finishReason": "STOP", "index": 0,
    }],
    "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 4, "totalTokenCount": 13},
    "modelVersion": "m-1", "responseId": "r1", "createTime": "2026-01-02T03:04:05.123456Z",
}  # fmt: skip
OLLAMA = {
    "model": "m-1", "created_at": "2026-01-02T03:04:05.123456789Z", "done": True,
    "done_reason": "stop", "eval_count": 4, "prompt_eval_count": 9, "total_duration": 5,
    "message": {"role": "assistant", "content": "Hi", "thinking": "Hm.",
                "tool_calls": [{"function": {"name": "look", "arguments": {"at": "x"}}}]},
}  # fmt: skip
MISTRAL = {
    "id": "a1", "object": "chat.completion", "created": 7, "model": "m-1",
    "choices": [{
        "index": 0, "finish_reason": "tool_calls",
        "message": {
            "role": "assistant", "prefix": False,
            "content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
                        {"type": "text", "text": "Hi"}],
            "tool_calls": [{"id": "c1", "index": 0,
                            "function": {"name": "look", "arguments": '{"at": "x"}'}}]},
    }],
    "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13},
}  # fmt: skip
COHERE = {
    "id": "a1", "finish_reason": "TOOL_CALL",
    "message": {
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Hi"}],
        "tool_calls": [{"id": "c1", "type": "function",
                        "function": {"name": "look", "arguments": '{"at": "x"}'}}],
        "citations": [{"start": 0, "end": 2, "text": "Hi", "content_index": 1, "sources": [
            {"type": "document", "id": "d", "document": {"text": "Hi"}}]}],
    },
    "usage": {"tokens": {"input_tokens": 9, "output_tokens": 4}, "cached_tokens": 0},
}  # fmt: skip
DASHSCOPE = {
    "request_id": "r1",
    "output": {"choices": [{"finish_reason": "tool_calls", "message": {
        "role": "assistant", "content": "Hi", "reasoning_content": "Hm.", "tool_calls": [CALL],
    }}]},
    "usage": {"input_tokens": 9, "output_tokens": 4, "total_tokens": 13},
}  # fmt: skip


def _openai_chat(body: Any) -> Any:
    from openai.types.chat import ChatCompletion

    return ChatCompletion.construct(**body)


def _openai_responses(body: Any) -> Any:
    from openai.types.responses import Response

    return Response.construct(**body)


def _anthropic(body: Any) -> Any:
    from anthropic.types import Message

    return Message.construct(**body)


def _gemini(body: Any) -> Any:
    from google.genai.types import GenerateContentResponse

    return GenerateContentResponse.model_validate(body)


def _ollama(body: Any) -> Any:
    from ollama import ChatResponse

    return ChatResponse.model_validate(body)


def _mistral(body: Any) -> Any:
    from mistralai.client.models import ChatCompletionResponse

    return ChatCompletionResponse.model_validate(body)


def _cohere(body: Any) -> Any:
    from cohere.core.unchecked_base_model import construct_type
    from cohere.v2.types.v2chat_response import V2ChatResponse

    return construct_type(type_=V2ChatResponse, object_=body)


def _dashscope(body: Any) -> Any:
    from dashscope.api_entities.dashscope_response import (
        DashScopeAPIResponse,
        GenerationResponse,
    )

    said = DashScopeAPIResponse(status_code=200, headers={"x-request-id": "r1"}, **body)
    return GenerationResponse.from_api_response(said)


ANSWERS: dict[str, tuple[str, Callable[[Any], Any], Any]] = {
    "openai-chat": ("openai", _openai_chat, CHAT),
    "openai-responses": ("openai", _openai_responses, RESPONSES),
    "anthropic": ("anthropic", _anthropic, ANTHROPIC),
    "gemini": ("google.genai", _gemini, GEMINI),
    "ollama": ("ollama", _ollama, OLLAMA),
    "mistral": ("mistralai", _mistral, MISTRAL),
    "cohere": ("cohere", _cohere, COHERE),
    "dashscope": ("dashscope", _dashscope, DASHSCOPE),
}


@pytest.mark.parametrize("wire", ANSWERS)
def test_an_object_is_the_json_that_came(wire: str) -> None:
    module, made, body = ANSWERS[wire]
    pytest.importorskip(module)
    assert plain(made(body)) == body


@pytest.mark.parametrize("wire", ANSWERS)
def test_json_text_and_object_are_one_answer(wire: str) -> None:
    module, made, body = ANSWERS[wire]
    pytest.importorskip(module)
    bound = dragoman.wire(wire)
    read = bound.read_response(body)
    assert read.status == "complete"
    assert [call.name for call in read.calls] == ["look"]
    assert [call.input for call in read.calls] == [{"at": "x"}]
    assert read.text in ("Hi", "Let me look.")
    assert any(isinstance(block, ThinkingBlock) for block in read.msg.blocks)
    assert bound.read_response(json.dumps(body)) == read
    assert bound.read_response(json.dumps(body).encode()) == read
    assert bound.read_response(made(body)) == read


def test_a_boto3_answer_is_plain_but_for_its_bytes() -> None:
    said = {"text": "Hm.", "signature": "c2ln"}
    body = {
        "output": {"message": {"role": "assistant", "content": [
            {"reasoningContent": {"reasoningText": said}},
            {"reasoningContent": {"redactedContent": b"\xfb\xff\xbf"}},
            {"text": "Hi"},
            {"toolUse": {"toolUseId": "c1", "name": "look", "input": {"at": "x"}}},
        ]}},
        "stopReason": "tool_use",
        "usage": {"inputTokens": 9, "outputTokens": 4, "totalTokens": 13},
        "metrics": {"latencyMs": 5},
    }  # fmt: skip
    wired = json.loads(json.dumps(body, default=lambda _: "+/+/"))
    wire = dragoman.wire("bedrock-converse")
    read = wire.read_response(body)
    assert [type(block) for block in read.msg.blocks][-1] is ToolUseBlock
    assert read == wire.read_response(wired) == wire.read_response(json.dumps(wired))


@pytest.mark.parametrize("chunk", ["openai", "mistralai"])
def test_a_chunk_is_the_event_without_what_an_sdk_puts_around_it(chunk: str) -> None:
    pytest.importorskip(chunk)
    body = json.loads(json.dumps(CHUNK))
    if chunk == "openai":
        from openai.types.chat import ChatCompletionChunk

        assert plain(ChatCompletionChunk.construct(**body)) == CHUNK
        return
    from mistralai.client.models import CompletionChunk, CompletionEvent

    del body["choices"][0]["logprobs"]
    assert plain(CompletionEvent(data=CompletionChunk.model_validate(body))) == body


def test_an_error_of_dashscope_keeps_its_status() -> None:
    pytest.importorskip("dashscope")
    from dashscope.api_entities.dashscope_response import (
        DashScopeAPIResponse,
        GenerationResponse,
    )

    failed = DashScopeAPIResponse(400, "r1", "InvalidParameter", "no such model")
    assert plain(GenerationResponse.from_api_response(failed)) == {
        "status_code": 400, "request_id": "r1", "code": "InvalidParameter",
        "message": "no such model",
    }  # fmt: skip


@pytest.mark.parametrize("raw", [None, 7, 1.5, object(), ("a", "b")])
def test_what_is_no_answer_is_refused(raw: Any) -> None:
    with pytest.raises(ReadError, match=r"is no answer \(give the parsed JSON"):
        plain(raw)
