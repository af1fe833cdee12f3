"""A body of Converse read into the tree, and said again by the room: also after it was stored."""

from __future__ import annotations

import copy
import json
from dataclasses import fields
from typing import Any

from dragoman import ChatRequest, Options
from dragoman.message import dump, load
from dragoman.protocols.bedrock import BedrockConverse

__all__ = ["ALL", "ISSUER", "PATH", "POINT", "ROOM", "again", "read"]

ROOM = BedrockConverse()
ISSUER = "bedrock-converse"
PATH = "/model/us.anthropic.claude-sonnet-5/converse"
POINT = {"cachePoint": {"type": "default"}}
ALL = {
    "tools", "tool_choice", "response_format", "stream", "model", "system",
    *(f.name for f in fields(Options)),
}  # fmt: skip


def again(req: ChatRequest, kept: Any = ALL) -> Any:
    """The body as the reader found it, but for the fields that are not kept."""
    msgs = [m for m in req.messages if not (m.spelling or "").startswith("top")]
    return ROOM.body_as_read(req, kept, ROOM.messages_as_read(msgs))


def read(body: dict[str, Any], path: str | None = PATH) -> ChatRequest:
    """The request, which says the very body again: also after it was stored."""
    before = copy.deepcopy(body)
    req = ROOM.read_request(body, path)
    assert body == before
    stored = load(json.loads(json.dumps(dump(req))))
    assert isinstance(stored, ChatRequest)
    for one in (req, stored):
        assert json.dumps(again(one), sort_keys=True) == json.dumps(body, sort_keys=True)
    return req
