"""Requests and answers of our own making that the tests of several commands convert."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["ANSWER", "CLAUDE", "EVENTS", "NAMED", "PLAIN", "lines", "sse"]

PLAIN: dict[str, Any] = {
    "model": "m-1",
    "max_tokens": 9,
    "messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "Hi, 你好"}],
}
NAMED: dict[str, Any] = {
    "model": "m-1",
    "logit_bias": {"5": 1},
    "messages": [
        {"role": "user", "name": "Bob", "content": [
            {"type": "text", "text": "Who speaks?"},
            {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
        ]},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "call_1", "type": "function",
             "function": {"name": "look", "arguments": '{"at": 1}'}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "a cat"},
        {"role": "user", "content": "Thanks"},
    ],
}  # fmt: skip
CLAUDE: dict[str, Any] = {
    "model": "claude-opus-5-5",
    "max_tokens": 9,
    "system": "S",
    "messages": [{"role": "user", "content": "Hi, 你好"}],
}
ANSWER: dict[str, Any] = {
    "id": "a1", "object": "chat.completion", "created": 1, "model": "m-1",
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": "Hello."}}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
}  # fmt: skip
EVENTS: list[dict[str, Any]] = [
    {"id": "a1", "model": "m-1", "choices": [{"index": 0, "delta": {"content": "Hel"}}]},
    {"id": "a1", "model": "m-1", "choices": [{"index": 0, "delta": {"content": "lo."}}]},
    {"id": "a1", "model": "m-1",
     "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
]  # fmt: skip


def lines(*values: Any) -> str:
    """JSON lines; a text stands as it is."""
    return "".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in values)


def sse(events: list[dict[str, Any]]) -> str:
    """A stream of server-sent events."""
    return "".join(f"data: {json.dumps(one)}\n\n" for one in events) + "data: [DONE]\n\n"
