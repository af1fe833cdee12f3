"""Streams of DashScope, made up in the shape of its API."""

from __future__ import annotations

from typing import Any

from .words import ARGUMENTS, THOUGHTS, WORDS, Event

__all__ = ["streams"]


def streams() -> list[list[Event]]:
    """A whole stream, and some that break off or end in an error."""

    def chunk(finish: str = "null", **message: Any) -> Event:
        one = {"message": {"role": "assistant", "content": "", **message}, "finish_reason": finish}
        return "result", {
            "output": {"choices": [one]},
            "request_id": "q1",
            "usage": {"input_tokens": 9, "output_tokens": 5, "total_tokens": 14},
        }

    def call(text: str, id: str = "", **more: Any) -> Any:
        return [{"index": 0, "id": id, "type": "function", "function": {"arguments": text, **more}}]

    events = [
        *(chunk(reasoning_content=t) for t in THOUGHTS),
        *(chunk(content=t) for t in WORDS),
        chunk(tool_calls=call("", "call_a", name="look")),
        *(chunk(tool_calls=call(t)) for t in ARGUMENTS),
        chunk("tool_calls"),
    ]
    failed = ("error", {"code": "Throttling", "message": "slow down", "request_id": "q1"})
    return [events, events[:5], [*events[:5], failed]]
