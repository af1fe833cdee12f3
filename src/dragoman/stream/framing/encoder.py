"""Write events as the bytes of a stream, in every framing that `Decoder` reads.

Reference: WHATWG HTML, "Server-sent events", 9.2.6; AWS, "Event stream encoding". Knows no
protocol: the payloads of events are not looked at.
"""

from __future__ import annotations

import re
import struct
from base64 import b64encode
from collections.abc import Iterable
from typing import Any
from zlib import crc32

from ...errors import ConfigError, ReadError
from ...text.json_text import Json, loads
from ...text.json_text import arguments as spell
from .decoder import Framing, ServerEvent

CONTENT_TYPES: dict[str, str] = {
    "sse": "text/event-stream",
    "ndjson": "application/x-ndjson",
    "json-array": "application/json",
    "aws-eventstream": "application/vnd.amazon.eventstream",
}


_BREAKS = re.compile(r"\r\n|\r|\n")
_TEXT = 7  # the type of a header's value


class Encoder:
    r"""Turns events into bytes, one after the other: what a gateway writes to its client.

    An event is a ServerEvent, or (name, payload) with the payload as JSON or as its text.

    >>> encoder = Encoder()
    >>> encoder.feed(("ping", {"a": 1})) + encoder.finish()
    b'event: ping\ndata: {"a": 1}\n\n'

    Names are for "sse" and "aws-eventstream"; the others have no place for them. In frames of AWS
    an event that names itself (`type`) is a model's own, so it goes in InvokeModel's wrapping.

    Args:
        framing: How the body separates the events.

    Raises:
        ConfigError: `framing` is unknown.
    """

    __slots__ = ("_begun", "framing")

    def __init__(self, framing: Framing = "sse") -> None:
        if framing not in CONTENT_TYPES:
            hint = f"one of {', '.join(CONTENT_TYPES)}"
            raise ConfigError(f"unknown framing {framing!r}", hint=hint)
        self.framing = framing
        self._begun = False

    def feed(self, event: ServerEvent | tuple[str | None, Json]) -> bytes:
        """Encode one event.

        Args:
            event: A ServerEvent, or (name, payload) with the payload as JSON or as its text.

        Returns:
            Its bytes.
        """
        if isinstance(event, tuple):
            name, payload = event
            text = payload if isinstance(payload, str) else spell(payload)
        else:
            name, text = event.event, event.data
        if self.framing == "sse":
            return _encode_sse(name, text)
        if self.framing == "aws-eventstream":
            return _encode_frame(name, text)
        # in JSON a line break can only be white space between values, so a blank replaces it
        line = _bytes(_BREAKS.sub(" ", text))
        if self.framing == "ndjson":
            return line + b"\n"
        begun, self._begun = self._begun, True
        return (b",\r\n" if begun else b"[") + line

    def finish(self) -> bytes:
        """Encode the end of the stream: the bracket of a JSON array, else nothing."""
        if self.framing != "json-array":
            return b""
        return b"]" if self._begun else b"[]"


def encode(
    events: Iterable[ServerEvent | tuple[str | None, Json]], framing: Framing = "sse"
) -> bytes:
    """Encode a whole stream at once; `Encoder` does it piece by piece.

    Args:
        events: Each a ServerEvent, or (name, payload) with the payload as JSON or as its text.
        framing: How the body separates the events.

    Returns:
        The bytes of the body.

    Raises:
        ConfigError: `framing` is unknown.
    """
    encoder = Encoder(framing)
    return b"".join([*map(encoder.feed, events), encoder.finish()])


def _bytes(text: str) -> bytes:
    """UTF-8. Half of a character, which has none, is spelled as JSON spells it."""
    return text.encode("utf-8", "backslashreplace")


def _encode_sse(name: str | None, text: str) -> bytes:
    lines = [] if name is None else [f"event: {_BREAKS.sub(' ', name)}"]
    lines += [f"data: {line}" for line in _BREAKS.split(text)]
    return _bytes("\n".join([*lines, "", ""]))


def _encode_frame(name: str | None, text: str) -> bytes:
    """One frame: an event by its name, an exception, or a chunk of what a model streams."""
    data = _bytes(text)
    kind, event = "event", name
    if name is not None and name.endswith("Exception"):
        kind = "exception"
    elif name is None or _names_itself(text):
        event = "chunk"
        data = _bytes(spell({"bytes": b64encode(data).decode()}))
    return _frame(
        {f":{kind}-type": event or "", ":content-type": "application/json", ":message-type": kind},
        data,
    )


def _names_itself(text: str) -> bool:
    try:
        value: Any = loads(text)
    except ReadError:
        return False
    return isinstance(value, dict) and isinstance(value.get("type"), str)


def _frame(headers: dict[str, str], payload: bytes) -> bytes:
    """Lengths, their CRC, headers (each its name and a text), the payload, the CRC of it all."""
    head = bytearray()
    for key, value in headers.items():
        name, text = key.encode(), _bytes(value)
        head += struct.pack(">B", len(name)) + name
        head += struct.pack(">BH", _TEXT, len(text)) + text
    lengths = struct.pack(">II", 16 + len(head) + len(payload), len(head))
    begun = b"".join([lengths, struct.pack(">I", crc32(lengths)), head, payload])
    return begun + struct.pack(">I", crc32(begun))
