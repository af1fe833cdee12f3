"""A body of Cohere's read into the tree, and said again by the room: also after it was stored."""

from __future__ import annotations

import copy
import json
from dataclasses import fields
from typing import Any

from dragoman import ChatRequest, Msg, Options
from dragoman.message import dump, load
from dragoman.protocols.cohere import Cohere

__all__ = ["ALL", "ROOM", "again", "message", "read"]

ROOM = Cohere()
ALL = {
    "tools", "tool_choice", "response_format", "stream", "model", "system",
    *(f.name for f in fields(Options)),
}  # fmt: skip


def again(req: ChatRequest, kept: Any = ALL) -> Any:
    """The body as the reader found it, but for the fields that are not kept."""
    return ROOM.body_as_read(req, kept, ROOM.messages_as_read(req.messages))


def read(body: dict[str, Any]) -> ChatRequest:
    """The request, which says the very body again: also after it was stored."""
    before = copy.deepcopy(body)
    req = ROOM.read_request(body)
    assert body == before
    stored = load(json.loads(json.dumps(dump(req))))
    assert isinstance(stored, ChatRequest)
    for one in (req, stored):
        assert json.dumps(again(one), sort_keys=True) == json.dumps(body, sort_keys=True)
    return req


def message(told: Any) -> Msg:
    """The message that this entry of `messages` makes."""
    return read({"model": "m", "messages": [told]}).messages[0]
