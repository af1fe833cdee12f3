"""A request of which nothing is left says why: what was not understood, and where that stands."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, WriteError


def chat(said: Any) -> dict[str, Any]:
    return {"model": "m", "messages": said}


SHAPE = {"type": "text", "text": "Hi"}
# source, body, where
ODD: list[tuple[str, Any, str]] = [
    ("openai-chat", chat([{"role": "USER", "content": "Hi"}]), "$.messages[0]"),
    ("openai-chat", chat([{"role": "user", "content": SHAPE}]), "$.messages[0].content"),
    ("openai-chat", chat([{"role": "user", "content": [{"type": "image_url", "image_url": 5}]}]),
     "$.messages[0].content[0]"),
    ("openai-chat", chat("Hi"), "$.messages"),
    ("anthropic", {"max_tokens": 9, **chat([{"role": "user", "content": SHAPE}])},
     "$.messages[0].content"),
    ("openai-responses", {"model": "m", "input": {"role": "user"}}, "$.input"),
    ("openai-responses", {"model": "m", "input": [{"type": "letter"}]}, "$.input[0]"),
    ("gemini", {"contents": [{"role": "user", "parts": [{"smell": 1}]}]},
     "$.contents[0].parts[0]"),
    ("dashscope", {"model": "m", "input": {"messages": [{"role": "X", "content": "Hi"}]}},
     "$.input.messages[0]"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "body", "where"), ODD)
def test_what_was_not_understood_is_named(source: str, body: Any, where: str) -> None:
    with pytest.raises(WriteError) as caught:
        dragoman.convert(body, source, "cohere", policy="ignore")
    error = caught.value
    assert (error.code, error.path) == ("messages.empty", where)
    assert "what stands here is no" in error.message
    if where.count("[") or "content" in where:
        assert where in {loss.where for loss in error.losses}


EMPTY: list[tuple[str, Any, str]] = [
    ("openai-chat", chat([]), "$.messages"),
    ("openai-responses", {"model": "m", "input": []}, "$.input"),
    ("gemini", {"contents": []}, "$.contents"),
    ("dashscope", {"model": "m", "input": {"messages": []}}, "$.input.messages"),
]


@pytest.mark.parametrize(("source", "body", "where"), EMPTY)
def test_where_the_messages_would_stand(source: str, body: Any, where: str) -> None:
    for target in ("cohere", "anthropic"):
        with pytest.raises(WriteError) as caught:
            dragoman.convert(body, source, target, policy="ignore")
        assert (caught.value.path, caught.value.hint) == (where, "add a user message")


def test_a_request_of_ones_own() -> None:
    with pytest.raises(WriteError) as caught:
        dragoman.wire("anthropic").write_request(ChatRequest([Msg("", "", "user")]))
    assert caught.value.path == "$.messages"
    assert "message.empty" in {loss.code for loss in caught.value.losses}


def test_any_refusal_carries_what_was_lost_before() -> None:
    body = {"contents": [{"role": "user", "parts": [{"text": "Hi"}, {"smell": 1}]}]}
    with pytest.raises(WriteError) as caught:
        dragoman.convert(body, "gemini", "openai", model="gpt-5-pro", policy="ignore")
    assert caught.value.code == "model.endpoint"
    assert "raw.other_provider" in {loss.code for loss in caught.value.losses}
