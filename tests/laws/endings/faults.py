"""Streams that are spoilt: what comes in place of one, and what must become of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dragoman import ProviderError, wire
from dragoman.stream.pieces import Failed
from dragoman.testing.answers import error_body
from tests.laws.encoding import encoded

from .ended import Event, end_of, without_end

__all__ = ["KINDS", "Case", "cases", "framing_of"]

KINDS = ("whole", "cut", "no end", "empty", "page", "other JSON", "error 200", "error within")
PAGE = b"<!DOCTYPE html><html><head><title>502</title></head><body>Bad gateway</body></html>"
_TYPES = {"sse": "text/event-stream", "ndjson": "application/x-ndjson",
          "json-array": "application/json",
          "aws-eventstream": "application/vnd.amazon.eventstream"}  # fmt: skip
BOOM = ProviderError("The engine is overloaded.", status=503, type="overloaded_error")


@dataclass(frozen=True, slots=True)
class Case:
    """One body: `events` are those that a reader can see, `ended` whether they hold the end."""

    wire: str
    name: str
    kind: str
    body: bytes
    content_type: str
    events: tuple[Event, ...]
    end: str

    @property
    def id(self) -> str:
        return f"{self.wire}: {self.name}: {self.kind}"


def framing_of(name: str) -> str:
    """How streams of a wire are framed."""
    return str(wire(name).room.framing)


def cases(name: str, stream: str, events: Sequence[Event], cuts: Sequence[int]) -> Iterator[Case]:
    """The cases of one stream; `cuts` are the numbers of events behind which it is cut."""
    framing = framing_of(name)
    kind_of_body = _TYPES[framing]

    def sent(kind: str, some: Sequence[Event], more: bytes = b"", end: str = "") -> Case:
        body = encoded(some, framing) + more
        end = end or end_of(name, some)
        return Case(name, stream, kind, body, kind_of_body, tuple(some), end)

    yield sent("whole", events)
    for count in cuts:
        yield sent("cut", events[:count])
    open_events = without_end(name, events)
    yield sent("no end", open_events)
    for kind, body, content_type in (
        ("empty", b"", kind_of_body), ("page", PAGE, "text/html; charset=utf-8"),
        ("page", PAGE, kind_of_body), ("other JSON", b'{"ok": true}', "application/json"),
    ):  # fmt: skip
        yield Case(name, stream, kind, body, content_type, (), "none")
    told = _bytes(error_body(BOOM, wire(name)))
    yield Case(name, stream, "error 200", told, "application/json", (), "failed")
    middle = open_events[: max(1, len(open_events) // 2)]
    failing = _error_events(name)
    yield sent("error within", [*middle, *failing], end="failed")


def _error_events(name: str) -> list[Event]:
    encoder = wire(name, policy="ignore").stream_encoder()
    events: list[Any] = [*encoder.feed(Failed(BOOM)), *encoder.finish()]
    return [(event, data) for event, data in events if data != "[DONE]"]


def _bytes(value: Any) -> bytes:
    return json.dumps(value).encode()
