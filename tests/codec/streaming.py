"""A recorded stream of Chat Completions for the tests of streams, in every form it may come in."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["BODY", "CHUNKS", "FAILED", "chunk", "sse"]


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"id": "a1", "object": "chat.completion.chunk", "created": 7, "model": "m-1",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}  # fmt: skip


def _call(said: str, **first: Any) -> dict[str, Any]:
    name = first.pop("name", None)
    function = {"arguments": said} if name is None else {"name": name, "arguments": said}
    return chunk(tool_calls=[{"index": 0, **first, "function": function}])


CHUNKS: list[dict[str, Any]] = [
    chunk(role="assistant", content=""), chunk(reasoning_content="Hm"),
    chunk(reasoning_content="."), chunk(content="Let me "), chunk(content="look."),
    _call("", id="c1", type="function", name="look_up"), _call('{"city": "Sama'),
    _call('rkand"}'), chunk(finish="tool_calls"),
    {"id": "a1", "object": "chat.completion.chunk", "created": 7, "model": "m-1", "choices": [],
     "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}},
]  # fmt: skip
FAILED = {"error": {"message": "overloaded", "type": "server_error", "code": 503}}


def sse(chunks: list[dict[str, Any]]) -> bytes:
    """The body as the server sends it."""
    events = [json.dumps(one) for one in chunks] + ["[DONE]"]
    return "".join(f"data: {event}\n\n" for event in events).encode()


BODY = sse(CHUNKS)
