"""Bodies of requests for the tests of their reader, and the room read and said again."""

from __future__ import annotations

from typing import Any

import dragoman
from dragoman.message import ChatRequest, Options

__all__ = ["ALL", "FIELD", "HI", "PATH", "ROOM", "SCHEMA", "call", "content", "read", "result",
           "said"]  # fmt: skip

ROOM = dragoman.wire("gemini").room
PATH = "/v1beta/models/gemini-x:generateContent"
ALL = {"tools", "tool_choice", "response_format", "stream", "model", "system",
       *Options.__dataclass_fields__}  # fmt: skip
FIELD = "functionDeclarations"
HI = {"role": "user", "parts": [{"text": "Hi"}]}
SCHEMA = {"type": "OBJECT", "properties": {"type": {"type": "STRING", "enum": ["OBJECT"]},
                                           "many": {"type": "ARRAY", "items": {"type": 3}}},
          "anyOf": [{"type": "NULL"}, {"$ref": "x"}], "required": ["type"]}  # fmt: skip


def read(body: dict[str, Any], path: str | None = PATH) -> ChatRequest:
    """The request that a body makes."""
    return ROOM.read_request(body, path)


def said(req: ChatRequest) -> dict[str, Any]:
    """The body as it was read."""
    msgs = [m for m in req.messages if not (m.spelling or "").startswith("top")]
    return ROOM.body_as_read(req, ALL, ROOM.messages_as_read(msgs))


def content(*parts: Any, role: str = "user") -> dict[str, Any]:
    """A body with one content."""
    return {"contents": [{"role": role, "parts": list(parts)}]}


def call(**fields: Any) -> dict[str, Any]:
    """A part with a call."""
    return {"functionCall": fields}


def result(**fields: Any) -> dict[str, Any]:
    """A part with a result."""
    return {"functionResponse": fields}
