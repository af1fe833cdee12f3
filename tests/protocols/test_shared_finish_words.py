"""A host may end its answer with the word of another protocol: it means the same."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import wire
from dragoman.message.ending import classify_ending
from tests.each_case import each_case


def body(protocol: str, word: Any) -> Any:
    """An answer that says "Half" and ends with this word."""
    text = {"type": "text", "text": "Half"}
    said = {"role": "assistant", "content": "Half"}
    choice = {"index": 0, "message": said, "finish_reason": word}
    usage = {"input_tokens": 1, "output_tokens": 1}
    bodies: dict[str, Any] = {
        "openai-chat": {"id": "c", "object": "chat.completion", "created": 1, "model": "m",
                        "choices": [choice]},
        "mistral": {"id": "c", "object": "chat.completion", "created": 1, "model": "m",
                    "choices": [choice], "usage": {}},
        "anthropic": {"id": "m", "type": "message", "role": "assistant", "model": "m",
                      "content": [text], "stop_reason": word, "stop_sequence": None,
                      "usage": usage},
        "bedrock": {"output": {"message": {"role": "assistant", "content": [{"text": "Half"}]}},
                    "stopReason": word, "usage": {"inputTokens": 1, "outputTokens": 1}},
        "gemini": {"candidates": [{"content": {"role": "model", "parts": [{"text": "Half"}]},
                                   "finishReason": word, "index": 0}]},
        "ollama": {"model": "m", "created_at": "2026-11-28T00:00:00Z", "message": said,
                   "done": True, "done_reason": word},
        "cohere": {"id": "c", "message": {**said, "content": [text]}, "finish_reason": word},
        "dashscope": {"output": {"choices": [{"finish_reason": word, "message": said}]},
                      "usage": usage, "request_id": "r"},
    }  # fmt: skip
    return bodies[protocol]


WIRES = ["openai-chat", "mistral", "anthropic", "bedrock", "gemini", "ollama", "cohere",
         "dashscope"]  # fmt: skip
WORDS = [
    ("MAX_TOKENS", "cut"), ("max_tokens", "cut"), ("length", "cut"), ("max_new_tokens", "cut"),
    ("repetition", "cut"), ("model_context_window_exceeded", "cut"), ("end_turn", "complete"),
    ("STOP", "complete"), ("eos_token", "complete"), ("guardrail_intervened", "filtered"),
    ("content-filter", "filtered"), ("SAFETY", "filtered"), ("refusal", "refused"),
    ("MALFORMED_FUNCTION_CALL", "malformed"), ("pause_turn", "paused"),
]  # fmt: skip


@each_case("protocol", WIRES)
@each_case(("word", "ending"), WORDS)
def test_a_word_of_another_protocol(protocol: str, word: str, ending: str) -> None:
    answer = body(protocol, word)
    resp = wire(protocol).read_response(answer)
    assert (classify_ending(resp), resp.finish.raw) == (ending, word)
    written = wire(protocol, policy="refuse").write_response(resp)
    assert written.body == answer  # it goes back as it came


@pytest.mark.parametrize("word", ["ERROR", "aborted", "failed", "cancelled"])
def test_a_word_for_a_failure(word: str) -> None:
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    decoder = wire("openai-chat").stream_decoder()
    for delta, end in (({"content": "Half"}, None), ({}, word)):
        decoder.feed({**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": end}]})
    resp = decoder.finish()
    assert (resp.status, resp.finish.reason) == ("error", "error")


@pytest.mark.parametrize("protocol", ["openai-chat", "mistral"])
def test_a_text_that_says_nothing_is_no_reason(protocol: str) -> None:
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    decoder = wire(protocol).stream_decoder()
    delta = {"role": "assistant", "content": "Half"}
    decoder.feed({**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": "null"}]})
    resp = decoder.finish()
    assert (resp.status, classify_ending(resp)) == ("interrupted", "broken_off")


@pytest.mark.parametrize(
    ("why", "reason"),
    [("length", "length"), ("content-filter", "content_filter"), ("stop", "length")],
)
def test_why_a_response_is_incomplete(why: str, reason: str) -> None:
    text = {"type": "output_text", "text": "Half", "annotations": []}
    item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "incomplete",
            "content": [text]}  # fmt: skip
    answer = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": "incomplete",
        "incomplete_details": {"reason": why},
        "output": [item],
    }
    assert wire("openai-responses").read_response(answer).finish.reason == reason


def test_an_end_of_responses_by_another_name() -> None:
    """earendil-works/pi, openai-codex: some backends end with `response.done`."""
    head = {"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "output": []}
    text = {"type": "output_text", "text": "Hi", "annotations": []}
    item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
            "content": [text]}  # fmt: skip
    decoder = wire("openai-responses").stream_decoder()
    decoder.feed({"type": "response.created", "response": {**head, "status": "in_progress"}})
    done = {**head, "status": "completed", "output": [item]}
    decoder.feed({"type": "response.done", "response": done})
    resp = decoder.finish()
    assert (resp.status, resp.finish.reason, resp.text) == ("complete", "stop", "Hi")


def test_an_end_of_ollama_without_its_mark() -> None:
    """ollama/ollama-vscode pull request 61: `done_reason` without `done`."""
    decoder = wire("ollama").stream_decoder()
    said = {"model": "m", "created_at": "2026-11-28T00:00:00Z"}
    decoder.feed({**said, "message": {"role": "assistant", "content": "Hi"}, "done": False})
    decoder.feed({**said, "message": {"role": "assistant", "content": ""}, "done_reason": "length"})
    assert classify_ending(decoder.finish()) == "cut"


def test_a_prompt_that_is_blocked_behind_the_first_words() -> None:
    decoder = wire("gemini").stream_decoder()
    content = {"role": "model", "parts": [{"text": "Half"}]}
    decoder.feed({"candidates": [{"content": content, "index": 0}]})
    decoder.feed({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})
    resp = decoder.finish()
    assert (classify_ending(resp), resp.finish.raw) == ("filtered", "PROHIBITED_CONTENT")
