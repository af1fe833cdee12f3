"""Streams of Mistral, made up in the shape of its API."""

from __future__ import annotations

from typing import Any

from .words import ARGUMENTS, THOUGHTS, WORDS, Event

__all__ = ["streams"]


def streams() -> list[list[Event]]:
    """A whole stream, and some that break off or end in an error."""

    def chunk(finish: Any = None, **delta: Any) -> Event:
        return None, {
            "id": "m1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "mistral-x",
            "p": "ab",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
            "usage": finish and {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14},
        }

    def thinking(text: str) -> Any:
        return [{"type": "thinking", "thinking": [{"type": "text", "text": text}]}]

    called = [
        {
            "id": "abcdefghi",
            "index": 0,
            "function": {"name": "look", "arguments": "".join(ARGUMENTS)},
        }
    ]
    events = [
        chunk(role="assistant", content=""),
        *(chunk(content=thinking(t)) for t in THOUGHTS),
        *(chunk(content=t) for t in WORDS),
        chunk("tool_calls", content="", tool_calls=called),
        (None, "[DONE]"),
    ]
    return [
        events,
        events[:5],
        [*events[:5], (None, {"object": "error", "message": "x", "code": "3505"})],
    ]
