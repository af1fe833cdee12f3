"""Streams of Ollama, made up in the shape of its API."""

from __future__ import annotations

from typing import Any

from .words import THOUGHTS, WORDS, Event

__all__ = ["streams"]


def streams() -> list[list[Event]]:
    """A whole stream, and some that break off or end in an error."""

    def line(**message: Any) -> Event:
        return None, {
            "model": "m",
            "created_at": "2026-01-01T00:00:00Z",
            "message": {"role": "assistant", "content": "", **message},
            "done": False,
        }

    end = {
        "model": "m",
        "created_at": "2026-01-01T00:00:09Z",
        "message": {"role": "assistant", "content": ""},
        "done_reason": "stop",
        "done": True,
        "total_duration": 9,
        "prompt_eval_count": 9,
        "eval_count": 5,
    }
    called = [
        {"id": "call_a", "function": {"index": 0, "name": "look", "arguments": {"city": "北京"}}},
        {"function": {"name": "now", "arguments": {}}},
    ]
    events = [
        *(line(thinking=t) for t in THOUGHTS),
        *(line(content=t) for t in WORDS),
        line(tool_calls=called),
        (None, end),
    ]
    return [events, events[:5], [*events[:5], (None, {"error": "out of memory"})]]
