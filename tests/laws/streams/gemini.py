"""Streams of Gemini, made up in the shape of its API."""

from __future__ import annotations

from typing import Any

from .words import THOUGHTS, WORDS, Event

__all__ = ["streams"]


def streams() -> list[list[Event]]:
    """A whole stream, and some that break off or end in an error."""

    def chunk(*parts: Any, **more: Any) -> Event:
        one = {"content": {"parts": list(parts), "role": "model"}, "index": 0, **more}
        return None, {
            "candidates": [one],
            "modelVersion": "gemini-x",
            "responseId": "r1",
            "usageMetadata": {
                "promptTokenCount": 9,
                "candidatesTokenCount": 5,
                "thoughtsTokenCount": 3,
                "totalTokenCount": 17,
            },
        }

    called = {
        "functionCall": {"name": "look", "args": {"city": "北京", "n": [1, {"x": None}]}},
        "thoughtSignature": "c2ln",
    }
    events = [
        *(chunk({"text": t, "thought": True}) for t in THOUGHTS),
        *(chunk({"text": t}) for t in WORDS),
        chunk(called, {"functionCall": {"id": "f2", "name": "now", "args": {}}}),
        chunk({"text": ""}, finishReason="STOP"),
    ]
    failed = (None, {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}})
    return [events, events[:5], [*events[:5], failed]]
