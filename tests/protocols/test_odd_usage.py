"""Figures as some hosts and proxies tell them: twice, elsewhere, or taken back at the end."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dragoman import convert_stream, wire
from dragoman.message import Usage

CHUNK = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}


def figures(usage: Usage) -> tuple[int | None, ...]:
    return usage.input, usage.cache_read, usage.cache_write, usage.output, usage.reasoning


CHAT: dict[str, tuple[dict[str, Any], tuple[int | None, ...]]] = {
    # BerriAI/litellm issue 11789: streams of Claude behind a proxy
    "a zero under the usual name": (
        {"prompt_tokens": 2459, "completion_tokens": 23, "total_tokens": 2482,
         "prompt_tokens_details": {"cached_tokens": 0}, "cache_read_input_tokens": 2455,
         "cache_creation_input_tokens": 0}, (4, 2455, 0, 23, None)),
    # BerriAI/litellm issue 11364
    "both names": (
        {"prompt_tokens": 98805, "completion_tokens": 5120, "total_tokens": 103925,
         "prompt_tokens_details": {"cached_tokens": 66360, "cache_creation_tokens": 32435},
         "cache_read_input_tokens": 66360, "cache_creation_input_tokens": 32435},
        (10, 66360, 32435, 5120, None)),
    "what was written, in the details alone": (
        {"prompt_tokens": 80, "completion_tokens": 20, "total_tokens": 100,
         "prompt_tokens_details": {"cached_tokens": 10, "cache_creation_tokens": 30}},
        (40, 10, 30, 20, None)),
    # Alibaba Cloud, Model Studio, Context cache
    "an explicit cache": (
        {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
         "prompt_tokens_details": {"cached_tokens": 10, "cache_creation_input_tokens": 30,
                                   "cache_type": "ephemeral"}}, (60, 10, 30, 20, None)),
    "numbers with a point": (
        {"prompt_tokens": 100.0, "completion_tokens": 5.0, "total_tokens": 105.0},
        (100, None, None, 5, None)),
}  # fmt: skip


@pytest.mark.parametrize("name", CHAT)
def test_figures_of_chat(name: str) -> None:
    usage, expected = CHAT[name]
    said = {"role": "assistant", "content": "Hi"}
    body = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "usage": usage,
            "choices": [{"index": 0, "message": said, "finish_reason": "stop"}]}  # fmt: skip
    resp = wire("openai-chat").read_response(body)
    assert figures(resp.usage) == expected
    assert wire("openai-chat").write_response(resp).body == body


def test_zeros_at_the_end_take_nothing_back() -> None:
    decoder = wire("openai-chat").stream_decoder()
    told = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
    ended = {"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}
    decoder.feed({**CHUNK, "choices": [ended], "usage": told})
    decoder.feed({**CHUNK, "choices": [], "usage": dict.fromkeys(told, 0)})
    usage = decoder.finish().usage
    assert (usage.input, usage.output, usage.total) == (10, 2, 12)


def test_nor_for_a_client_of_another_wire() -> None:
    told = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
    ended = {"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}
    chunks = [{**CHUNK, "choices": [ended], "usage": told},
              {**CHUNK, "choices": [], "usage": dict.fromkeys(told, 0)}]  # fmt: skip
    stream = convert_stream(chunks, "openai-chat", "anthropic", policy="ignore")
    events = [json.loads(event.data) for event in stream]
    assert events[-2]["usage"] == {"input_tokens": 10, "output_tokens": 2}


def message(start: dict[str, Any], delta: dict[str, Any]) -> Usage:
    """The figures of a message of Claude's whose first and last events tell these."""
    decoder = wire("anthropic").stream_decoder()
    head: dict[str, Any] = {
        "id": "m", "type": "message", "role": "assistant", "model": "m", "content": [],
        "stop_reason": None, "usage": start,
    }  # fmt: skip
    decoder.feed({"type": "message_start", "message": head})
    decoder.feed({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": delta})
    decoder.feed({"type": "message_stop"})
    return decoder.finish().usage


def test_a_delta_of_zeros_leaves_what_the_start_said() -> None:
    start = {"input_tokens": 50, "cache_read_input_tokens": 10, "output_tokens": 1}
    delta = {"input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 4}
    assert figures(message(start, delta)) == (50, 10, None, 4, None)


def test_a_delta_that_splits_the_prompt_counts_it_once() -> None:
    """maximhq/bifrost pull requests 5355 and 6598: the start tells the whole prompt."""
    start = {"input_tokens": 8834, "output_tokens": 0}
    delta = {"input_tokens": 18, "output_tokens": 426, "cache_creation_input_tokens": 0,
             "cache_read_input_tokens": 8831}  # fmt: skip
    assert figures(message(start, delta)) == (18, 8831, 0, 426, None)
    cached = {**delta, "input_tokens": 0, "cache_read_input_tokens": 8834}
    assert figures(message(start, cached)) == (0, 8834, 0, 426, None)


@pytest.mark.parametrize(("total", "output"), [(679, 664), (1279, 1264), (None, 1264)])
def test_thoughts_inside_of_the_candidates(total: int | None, output: int) -> None:
    figures = {"promptTokenCount": 15, "candidatesTokenCount": 664, "thoughtsTokenCount": 600}
    usage = figures if total is None else {**figures, "totalTokenCount": total}
    content = {"role": "model", "parts": [{"text": "Hi"}]}
    candidate = {"content": content, "finishReason": "STOP", "index": 0}
    body = {"candidates": [candidate], "usageMetadata": usage}
    resp = wire("gemini").read_response(body)
    assert (resp.usage.output, resp.usage.reasoning) == (output, 600)
    assert wire("gemini").write_response(resp).body == body
