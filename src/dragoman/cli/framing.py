"""A stream's events as text, in the framing that its protocol has."""

from __future__ import annotations

from collections.abc import Iterable

from ..jsontext import Json, JsonObject, arguments
from ..sse import Framing

__all__ = ["Event", "framed", "plain_event"]

Event = tuple[str | None, Json]  # its name, if it has one, and its data: JSON, or text as it is


def framed(events: Iterable[Event], framing: Framing) -> str:
    r"""The body of the stream.

    Frames of AWS are bytes; such a stream becomes JSON lines with names, as `dragoman read` takes
    them.

    >>> framed([("ping", {"a": 1}), (None, "[DONE]")], "sse")
    'event: ping\ndata: {"a": 1}\n\ndata: [DONE]\n\n'
    """
    match framing:
        case "sse":
            return "".join(_server_sent(name, _text(data)) for name, data in events)
        case "ndjson":
            return "".join(f"{_text(data)}\n" for _, data in events)
        case "json-array":
            return f"[{','.join(_text(data) for _, data in events)}]\n"
        case "aws-eventstream":
            return "".join(f"{arguments(plain_event(one))}\n" for one in events)


def plain_event(event: Event) -> JsonObject:
    """The event as an object."""
    name, data = event
    return {"event": name, "data": data}


def _text(data: Json) -> str:
    return data if isinstance(data, str) else arguments(data)


def _server_sent(name: str | None, text: str) -> str:
    head = f"event: {name}\n" if name is not None else ""
    return head + "".join(f"data: {line}\n" for line in text.split("\n")) + "\n"
