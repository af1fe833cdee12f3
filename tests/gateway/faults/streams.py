"""What providers of the tests say when they are well: Hello, and a call of a tool."""

from __future__ import annotations

import json
from typing import Any


def _chunk(delta: dict[str, Any], reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    chunk = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "up"}
    return b"data: " + json.dumps({**chunk, "choices": [choice]}).encode() + b"\n\n"


def _call(arguments: str, **begin: Any) -> bytes:
    function = {"arguments": arguments, **begin.pop("function", {})}
    return _chunk({"tool_calls": [{"index": 0, "function": function, **begin}]})


CHAT_EVENTS = [
    _chunk({"role": "assistant", "content": "Hel"}),
    _chunk({"content": "lo"}),
    _call('{"city": ', id="call_1", type="function", function={"name": "weather"}),
    _call('"Samarkand"}'),
    _chunk({}, "tool_calls"),
    (
        b'data: {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "up",'
        b' "choices": [], "usage":'
        b' {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}}\n\n'
    ),
    b"data: [DONE]\n\n",
]

_SAID = [{"type": "output_text", "text": "Hello", "annotations": []}]
_WHOLE: dict[str, Any] = {
    "openai-chat": {
        "id": "c1", "object": "chat.completion", "created": 1, "model": "up",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello"},
                     "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
    },
    "openai-responses": {
        "id": "resp_1", "object": "response", "created_at": 1, "status": "completed",
        "model": "up", "error": None, "incomplete_details": None, "output": [
            {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
             "content": _SAID}],
        "usage": {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5},
    },
    "anthropic": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "up",
        "content": [{"type": "text", "text": "Hello"}], "stop_reason": "end_turn",
        "stop_sequence": None, "usage": {"input_tokens": 3, "output_tokens": 2},
    },
    "gemini": {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "Hello"}]},
                        "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2, "totalTokenCount": 5},
        "modelVersion": "up",
    },
    "gemini-interactions": {
        "id": "int_1", "object": "interaction", "status": "completed", "model": "up",
        "steps": [{"type": "model_output", "content": [{"type": "text", "text": "Hello"}]}],
        "usage": {"total_input_tokens": 3, "total_output_tokens": 2, "total_tokens": 5},
    },
    "ollama": {
        "model": "up", "created_at": "2026-11-24T00:00:00Z", "done": True, "done_reason": "stop",
        "message": {"role": "assistant", "content": "Hello"}, "prompt_eval_count": 3,
        "eval_count": 2,
    },
}  # fmt: skip
WHOLE = {name: json.dumps(value).encode() for name, value in _WHOLE.items()}
