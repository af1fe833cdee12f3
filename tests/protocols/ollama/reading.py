"""What the tests of reading requests of /api/chat share: they go back as they came."""

from __future__ import annotations

import json
from typing import Any

import dragoman
from dragoman import ChatRequest, Options
from dragoman.message import (
    dump,
    load,
)

WIRE = dragoman.wire("ollama", policy="ignore")
ROOM = WIRE.room
FIELDS = {"tools", "tool_choice", "response_format", "stream", "model", "system"}
EVERY = FIELDS | set(Options.__dataclass_fields__)
DOT, JPEG, BELL = "iVBORw0KGgo=", "/9j/4AAQ", "SUQzBAAAAAAAAA=="
WEBP, WAVE = "UklGRiQAAABXRUJQ", "UklGRiQAAABXQVZF"
LOOK = {"function": {"name": "look", "arguments": {"city": "Oslo"}}}
USER = {"role": "user", "content": "Hi"}


def said(req: ChatRequest, kept: set[str] = EVERY) -> dict[str, Any]:
    return ROOM.body_as_read(req, kept, ROOM.messages_as_read(req.messages))


def spelled(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def read(*messages: Any, **fields: Any) -> ChatRequest:
    """The request of a body that goes back as it came, also after it was stored."""
    body = {"model": "qwen3", "messages": list(messages), **fields}
    return read_body(body)


def read_body(body: dict[str, Any]) -> ChatRequest:
    before = spelled(body)
    req = ROOM.read_request(body)
    stored = load(json.loads(json.dumps(dump(req))))
    assert isinstance(stored, ChatRequest)
    assert spelled(said(req)) == spelled(said(stored)) == spelled(body) == before
    return req
