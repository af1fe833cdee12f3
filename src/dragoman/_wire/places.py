"""Where the nodes of a request stand in the body that it was read from: asked for by losses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any

from ..jsontext import JsonObject
from ..losses import Field
from ..message import ChatRequest, Msg, ResponseFormat, ToolChoice
from ..room import Room

__all__ = ["Places"]

_WORDS: dict[type[Any], tuple[str, ...]] = {
    ToolChoice: ("mode", "name", "allowed", "parallel"),
    ResponseFormat: ("kind", "name", "schema", "description", "strict"),
}


_FIELDS = attrgetter("tools", "tool_choice", "options", "response_format", "system", "model",
                     "stream", "extras")  # fmt: skip


class Places:
    """Where the nodes of a request stand in the body that it was read from.

    Whoever has the request may edit its fields, so they are kept as they are now.
    """

    __slots__ = ("body", "fields", "messages", "room")

    def __init__(
        self, room: Room, request: ChatRequest, body: JsonObject, messages: Sequence[Msg]
    ) -> None:
        self.room = room
        self.body = body
        self.messages = messages
        # not the request itself, which holds this: a circle is freed late
        self.fields = _FIELDS(request)

    def __call__(self) -> Iterator[tuple[str, object]]:
        tools, choice, options, form, system, model, stream, extras = self.fields
        read = ChatRequest(
            list(self.messages), system=system, tools=tools, tool_choice=choice, options=options,
            response_format=form, model=model, stream=stream,
        )  # fmt: skip
        read.extras = extras  # whatever the body said
        later: list[tuple[str, object]] = []
        for path, node in self.room.places(read, self.body):
            yield path, node
            # a word of the wire's says several of our fields
            if type(node) in _WORDS:
                later += [(path, Field(node, name)) for name in _WORDS[type(node)]]
        yield from later
