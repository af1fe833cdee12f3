"""Requests over this wire that are read, and said again as they were, for its tests."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import fields
from typing import Any

from dragoman import ChatRequest, Msg, Options, message

from .writing import wire

__all__ = ["ALL", "CALL", "PIXEL", "RESULT", "SAID", "THOUGHT", "USER", "again", "msgs", "read",
           "same"]  # fmt: skip

ALL = {"tools", "tool_choice", "response_format", "stream", "model", "system",
       *(f.name for f in fields(Options))}  # fmt: skip
USER = {"role": "user", "content": "Hi"}
PIXEL = "data:image/png;base64,iVBORw0KGgo="
CALL = {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": '{"at": 1}'}
RESULT = {"type": "function_call_output", "call_id": "call_1", "output": "A cat."}
THOUGHT = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}],
           "encrypted_content": "gAAA"}  # fmt: skip
SAID = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
        "content": [{"type": "output_text", "text": "Yes.", "annotations": []}]}  # fmt: skip


def read(body: dict[str, Any], **switches: Any) -> ChatRequest:
    """The request; the body stays as it was."""
    before = deepcopy(body)
    req = wire(**switches).room.read_request(body)
    assert body == before
    return req


def again(req: ChatRequest, **switches: Any) -> dict[str, Any]:
    """The body as it was read."""
    room = wire(**switches).room
    listed = [m for m in req.messages if not (m.spelling or "").startswith("top")]
    return room.body_as_read(req, ALL, room.messages_as_read(listed))


def same(body: dict[str, Any], **switches: Any) -> ChatRequest:
    """The request, after its body was said again, also of a stored one."""
    req = read(body, **switches)
    assert _text(again(req, **switches)) == _text(body)
    stored = message.load(json.loads(json.dumps(message.dump(req))))
    assert isinstance(stored, ChatRequest)
    assert _text(again(stored, **switches)) == _text(body)
    return req


def _text(body: Any) -> str:
    return json.dumps(body, sort_keys=True)  # 1, 1.0 and true are three values


def msgs(*items: Any, **switches: Any) -> list[Msg]:
    """What the items of an input become."""
    return same({"model": "gpt-5.6", "input": list(items)}, **switches).messages
