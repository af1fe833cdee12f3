"""Streams of Chat Completions, made up in the shape of its API."""

from __future__ import annotations

from typing import Any

from .words import ARGUMENTS, THOUGHTS, WORDS, Event

__all__ = ["streams"]


def streams() -> list[list[Event]]:
    """A whole stream, and some that break off or end in an error."""

    def chunk(delta: Any, finish: Any = None, index: int = 0, **more: Any) -> Event:
        choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": finish}
        return None, {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "gpt-x",
            "choices": [choice],
            **more,
        }

    def call(nth: int, text: str, **more: Any) -> Any:
        return {
            "tool_calls": [
                {"index": nth, "function": {"arguments": text, **more.pop("f", {})}, **more}
            ]
        }

    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 5,
        "total_tokens": 14,
        "prompt_tokens_details": {"cached_tokens": 4},
    }
    texts = [
        chunk({"role": "assistant", "content": ""}),
        *(chunk({"reasoning_content": t}) for t in THOUGHTS),
        *(chunk({"content": t}) for t in WORDS),
        *(chunk({"content": t}, index=1) for t in WORDS),
        chunk({}, "stop"),
        chunk({}, "stop", 1),
        (
            None,
            {
                "id": "chatcmpl-1",
                "object": "chat.completion.chunk",
                "created": 1,
                "model": "gpt-x",
                "choices": [],
                "usage": usage,
            },
        ),
        (None, "[DONE]"),
    ]
    calls = [
        chunk(call(0, "", id="call_a", type="function", f={"name": "look"})),
        *(chunk(call(0, t)) for t in ARGUMENTS),
        chunk(call(1, "", id="call_b", type="function", f={"name": "now"})),
        chunk({}, "tool_calls"),
        (None, "[DONE]"),
    ]
    broken = [*texts[:6], (None, {"error": {"message": "overloaded", "code": 502}})]
    return [texts, calls, broken, calls[:4]]
