"""A body read into the tree, and said again by its room: also after it was stored."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, fields
from typing import Any

from dragoman import ChatRequest, Msg, Options
from dragoman.message import dump, load

__all__ = ["ALL", "AsRead"]

ALL = {
    "tools", "tool_choice", "response_format", "stream", "model", "system",
    *(f.name for f in fields(Options)),
}  # fmt: skip


@dataclass(frozen=True)
class AsRead:
    """Reads bodies by one room."""

    room: Any

    def again(self, req: ChatRequest, kept: Any = ALL) -> Any:
        """The body as the reader found it, but for the fields that are not kept."""
        return self.room.body_as_read(req, kept, self.room.messages_as_read(req.messages))

    def read(self, body: dict[str, Any]) -> ChatRequest:
        """The request, which says the very body again: also after it was stored."""
        before = copy.deepcopy(body)
        req: ChatRequest = self.room.read_request(body)
        assert body == before
        stored = load(json.loads(json.dumps(dump(req))))
        assert isinstance(stored, ChatRequest)
        for one in (req, stored):
            assert json.dumps(self.again(one), sort_keys=True) == json.dumps(body, sort_keys=True)
        return req

    def message(self, told: Any) -> Msg:
        """The message that this entry of `messages` makes."""
        return self.read({"model": "m", "messages": [told]}).messages[0]
