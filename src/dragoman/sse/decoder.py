"""Decoder: one door to all framings.

Where server-sent events are awaited, a body that begins with a bracket is a JSON array: some
hosts stream one unless they are asked for events. No line of an event stream begins so. Where
frames of AWS are awaited, an error may come as JSON: no frame begins with a bracket.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from ..errors import ConfigError
from .array import JSONArray
from .aws import AWSEventStream
from .lines import NDJSON, ServerSent

__all__ = ["Decoder", "Frame", "Framing", "ServerEvent"]

Framing: TypeAlias = Literal["sse", "ndjson", "json-array", "aws-eventstream"]
Frame: TypeAlias = tuple[str | None, bytes]  # the event's name, if the framing gives one; its data
_BEFORE = b"\xef\xbb\xbf \t\r\n"  # a byte order mark and blanks, which say nothing yet


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event: its name, if the framing gives one, and its data as text."""

    event: str | None
    data: str


class _Frames(Protocol):
    def feed(self, chunk: bytes) -> list[Frame]: ...

    def flush(self) -> list[Frame]: ...


_FRAMINGS: dict[str, Callable[[], _Frames]] = {
    "sse": ServerSent,
    "ndjson": NDJSON,
    "json-array": JSONArray,
    "aws-eventstream": AWSEventStream,
}


_OTHERS: dict[str, dict[bytes, Callable[[], _Frames]]] = {
    "sse": {b"[": JSONArray},
    "aws-eventstream": {b"{": ServerSent, b"<": ServerSent},
}


class Decoder:
    r"""Turns the bytes of a stream into events, whatever the cuts.

    >>> decoder = Decoder()
    >>> decoder.feed(b'event: ping\ndata: {"a"'), decoder.feed(b": 1}\n\n")
    ([], [ServerEvent(event='ping', data='{"a": 1}')])

    Raises ReadError for AWS frames that are broken, ConfigError for an unknown framing. What ends
    without a blank line is given by `flush`; bytes that are no UTF-8 become U+FFFD.
    """

    __slots__ = ("_frames", "_open")

    def __init__(self, framing: Framing = "sse") -> None:
        made = _FRAMINGS.get(framing)
        if made is None:
            raise ConfigError(f"unknown framing {framing!r}", hint=f"one of {', '.join(_FRAMINGS)}")
        self._frames = made()
        # what else it may be yet, by its first byte
        self._open: dict[bytes, Callable[[], _Frames]] = _OTHERS.get(framing, {})

    def frames(self, chunk: bytes) -> list[Frame]:
        """The events that these bytes complete, their data as bytes."""
        if self._open and (begun := chunk.lstrip(_BEFORE)):
            other = self._open.get(begun[:1])
            self._open = {}
            if other is not None:
                self._frames = other()
        return self._frames.feed(chunk)

    def rest(self) -> list[Frame]:
        """The events that the end of the stream completes, their data as bytes."""
        return self._frames.flush()

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        """The events that these bytes complete."""
        return [ServerEvent(name, data.decode("utf-8", "replace"))
                for name, data in self.frames(bytes(chunk))]  # fmt: skip

    def flush(self) -> list[ServerEvent]:
        """The events that the end of the stream completes."""
        return [ServerEvent(name, data.decode("utf-8", "replace"))
                for name, data in self._frames.flush()]  # fmt: skip
