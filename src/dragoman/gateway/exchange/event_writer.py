"""Events in the framing of an answer to a client: SSE, NDJSON, or one JSON array."""

from __future__ import annotations

from ...stream.framing import Framing
from ...text.json_text import Json, JsonObject, encode_json
from ..surfaces import Surface


class EventWriter:
    """Writes events in one framing.

    Attributes:
        apart: Bytes that must be sent in a piece of their own, after all others.
        begun: Whether the JSON array has elements already, of this writer or of another.
    """

    __slots__ = ("_asked", "_surface", "apart", "begun", "framing")

    def __init__(self, framing: Framing, surface: Surface, asked: JsonObject | None = None) -> None:
        self.framing = framing
        self._asked = asked  # the client's request, for protocols whose answers repeat parts of it
        self.apart = b""
        self.begun = False
        self._surface = surface

    def encode_events(self, events: list[tuple[str | None, Json]]) -> bytes:
        """The bytes of these events."""
        if self.framing == "json-array":
            return b"".join([self._element(payload) for _, payload in events])
        if self.framing == "ndjson":
            return b"".join([encode_json(payload) + b"\n" for _, payload in events])
        parts: list[bytes] = []
        for name, given in events:
            payload = self._complete_event(name, given)
            if name is None and type(payload) is dict and self._surface.stands_alone(payload):
                self.apart = encode_json(payload)
                continue
            if name is not None:
                parts += (b"event: ", name.encode(), b"\n")
            text = payload.encode() if type(payload) is str else encode_json(payload)
            parts += (b"data: ", text, b"\n\n")
        return b"".join(parts)

    def _complete_event(self, name: str | None, payload: Json) -> Json:
        if self._asked is None or name not in self._surface.heads:
            return payload
        return self._surface.completed_event(payload, self._asked)

    def _element(self, payload: Json) -> bytes:
        begun, self.begun = self.begun, True
        return (b",\r\n" if begun else b"[") + encode_json(payload)

    def rest(self) -> bytes:
        """The bytes after the last event: the end of a JSON array."""
        if self.framing != "json-array":
            return b""
        return b"]" if self.begun else b"[]"


def is_error_event(event: tuple[str | None, Json]) -> bool:
    """Whether an event reports an error."""
    name, payload = event
    if name is None:
        return isinstance(payload, dict) and "error" in payload
    return name in ("error", "response.failed")
