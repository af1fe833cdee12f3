"""What the tests of reading requests of DashScope share: they go back as they came."""

from __future__ import annotations

import json
from typing import Any

import dragoman
from dragoman import ChatRequest, Options
from dragoman.message import (
    dump,
    load,
)

WIRE = dragoman.wire("dashscope", policy="ignore")
ROOM = WIRE.room
OWN, NOTES = "dashscope", "dashscope (notes)"
EVERY = {"tools", "tool_choice", "response_format", "stream", "model", "system"} | set(
    Options.__dataclass_fields__
)
USER = {"role": "user", "content": "Hi"}
LINK, DOT = "https://example.org/x.png", "data:image/png;base64,iVBORw0KGgo="
MARK = {"type": "ephemeral"}
MULTIMODAL = "/services/aigc/multimodal-generation/generation"
TEXT = "/services/aigc/text-generation/generation"


def said(req: ChatRequest, kept: set[str] = EVERY) -> dict[str, Any]:
    return ROOM.body_as_read(req, kept, ROOM.messages_as_read(req.messages))


def spelled(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def read_body(body: dict[str, Any], headers: dict[str, str] | None = None) -> ChatRequest:
    """The request of a body that goes back as it came, also after it was stored."""
    before = spelled(body)
    req = ROOM.read_request(body, None, headers)
    stored = load(json.loads(json.dumps(dump(req))))
    assert isinstance(stored, ChatRequest)
    assert spelled(said(req)) == spelled(said(stored)) == spelled(body) == before
    return req


def read(*messages: Any, **parameters: Any) -> ChatRequest:
    return read_body({"model": "qwen-max", "input": {"messages": [*messages]},
                      "parameters": parameters})  # fmt: skip


def call(name: str = "look", given: Any = '{"a": 1}', **beside: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": given}, **beside}
