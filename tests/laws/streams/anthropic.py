"""Streams of Anthropic Messages, made up in the shape of its API."""

from __future__ import annotations

from typing import Any

from .words import ARGUMENTS, THOUGHTS, WORDS, Event

__all__ = ["streams"]


def streams() -> list[list[Event]]:
    """A whole stream, and some that break off or end in an error."""
    start: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-x",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 7, "cache_read_input_tokens": 10, "output_tokens": 1},
    }

    def block(index: int, begun: Any, deltas: list[Any]) -> list[Any]:
        return [
            {"type": "content_block_start", "index": index, "content_block": begun},
            *({"type": "content_block_delta", "index": index, "delta": d} for d in deltas),
            {"type": "content_block_stop", "index": index},
        ]

    told = [
        {"type": "message_start", "message": start},
        *block(
            0,
            {"type": "thinking", "thinking": "", "signature": ""},
            [
                *({"type": "thinking_delta", "thinking": t} for t in THOUGHTS),
                {"type": "signature_delta", "signature": "EqQB=="},
            ],
        ),
        {"type": "ping"},
        *block(1, {"type": "text", "text": ""}, [{"type": "text_delta", "text": t} for t in WORDS]),
        *block(
            2,
            {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}},
            [{"type": "input_json_delta", "partial_json": t} for t in ("", *ARGUMENTS)],
        ),
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {"output_tokens": 40},
        },
        {"type": "message_stop"},
    ]
    events: list[Event] = [(one["type"], one) for one in told]
    failed = (
        "error",
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    )
    return [events, events[:9], [*events[:9], failed], events[:-4]]
