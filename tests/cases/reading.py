"""What the cases of reading share: one answer or stream of one wire, and what was read of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import dragoman
from dragoman.message import ChatResponse
from dragoman.stream.pieces import Piece


def streamed(wire: str, events: Iterable[Any], **options: Any) -> ChatResponse:
    """The answer that the events make: each a payload, or (event, payload)."""
    decoder = dragoman.wire(wire).stream_decoder(**options)
    for one in events:
        event, payload = one if isinstance(one, tuple) else (None, one)
        made: list[Piece] = decoder.feed(payload, event)
        assert isinstance(made, list)
    return decoder.finish()


def whole(wire: str, body: Mapping[str, Any], **options: Any) -> ChatResponse:
    """The answer that the body holds."""
    return dragoman.wire(wire).read_response(body, **options)


def chunk(delta: Mapping[str, Any], reason: str | None = None, **more: Any) -> dict[str, Any]:
    """One event of Chat Completions."""
    choice = {"index": 0, "delta": delta, "finish_reason": reason, **more}
    return {"id": "c1", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}


def said(message: Mapping[str, Any], reason: str = "stop", **more: Any) -> dict[str, Any]:
    """One whole answer of Chat Completions."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}
    return {"id": "c1", "object": "chat.completion", "model": "m", "choices": [choice], **more}


def fragment(index: int | None, id: str | None, name: str | None, text: str) -> dict[str, Any]:
    """A delta with a piece of one call; what is None is not there."""
    function = {"arguments": text} | ({} if name is None else {"name": name})
    call: dict[str, Any] = {"function": function}
    if index is not None:
        call["index"] = index
    if id is not None:
        call["id"] = id
    return {"tool_calls": [call]}
