"""Read the bytes of a stream as events: server-sent events, JSON lines, JSON arrays, AWS frames.

Reference: WHATWG HTML, "Server-sent events", 9.2.6. Beyond it: at the end of the stream an event
counts without its blank line, and a body that has no events, such as an error in JSON or the page
of a proxy, is one event.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from ...errors import ConfigError
from .aws import AWSEventStream

_FIELDS = frozenset({b"", b"data", b"event", b"id", b"retry"})  # a comment has no name


class _Lines:
    """Bytes as lines that end with LF, CRLF or CR; what is not ended yet is kept in pieces."""

    __slots__ = ("_after_cr", "_begun", "_open")

    def __init__(self) -> None:
        self._open: list[bytes] = []
        self._after_cr = False
        self._begun = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that the bytes complete."""
        if self._after_cr and chunk:
            self._after_cr = False
            if chunk[:1] == b"\n":
                chunk = chunk[1:]
        if b"\r" in chunk:
            self._after_cr = chunk[-1:] == b"\r"
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if b"\n" not in chunk:
            if chunk:
                self._open.append(chunk)
            return []
        if self._open:
            self._open.append(chunk)
            chunk = b"".join(self._open)
        lines = chunk.split(b"\n")
        last = lines.pop()
        self._open = [last] if last else []
        return lines if self._begun else self._strip_mark(lines)

    def rest(self) -> list[bytes]:
        """The last line, if nothing ends it."""
        last = b"".join(self._open)
        self._open = []
        return self._strip_mark([last]) if last else []

    def _strip_mark(self, lines: list[bytes]) -> list[bytes]:
        """The lines without the byte order mark that the first of all may begin with."""
        if not self._begun:
            self._begun = True
            lines[0] = lines[0].removeprefix(b"\xef\xbb\xbf")
        return lines


_D, _E = b"de"  # how the two kinds of line begin that matter


class ServerSent:
    """Server-sent events: `event:` and `data:` lines, closed by a blank one."""

    __slots__ = ("_data", "_lines", "_name", "_plain", "_seen")

    def __init__(self) -> None:
        self._lines = _Lines()
        self._name: str | None = None
        self._data: list[bytes] = []
        self._plain: list[bytes] = []  # of a body that is no stream of events
        self._seen = False

    def feed(self, chunk: bytes) -> list[tuple[str | None, bytes]]:
        """The events that the bytes complete."""
        return self._read(self._lines.feed(chunk))

    def flush(self) -> list[tuple[str | None, bytes]]:
        """The event that nothing closed, or the body that is no stream."""
        events = self._read([*self._lines.rest(), b""])
        if self._plain and not self._seen:
            events.append((None, b"\n".join(self._plain)))
        self._plain = []
        return events

    def _read(self, lines: list[bytes]) -> list[tuple[str | None, bytes]]:
        events: list[tuple[str | None, bytes]] = []
        data = self._data
        for line in lines:
            if not line:
                if data:
                    events.append((self._name, data[0] if len(data) == 1 else b"\n".join(data)))
                    data.clear()
                self._name = None
            elif line[0] == _D and line[:5] == b"data:":
                data.append(line[6:] if line[5:6] == b" " else line[5:])
            elif line[0] == _E and line[:6] == b"event:":
                self._name = line[6:].strip().decode("utf-8", "replace") or None
            elif not (self._seen or events) and (self._plain or not _is_field(line)):
                self._plain.append(line)
        self._seen = self._seen or bool(events)
        return events


def _is_field(line: bytes) -> bool:
    return line.partition(b":")[0] in _FIELDS


class NDJSON:
    """One JSON value on each line."""

    __slots__ = ("_lines",)

    def __init__(self) -> None:
        self._lines = _Lines()

    def feed(self, chunk: bytes) -> list[tuple[str | None, bytes]]:
        """The values that the bytes complete."""
        return [(None, line) for line in self._lines.feed(chunk) if line.strip()]

    def flush(self) -> list[tuple[str | None, bytes]]:
        """The last value, if no line end follows it."""
        return [(None, line) for line in self._lines.rest() if line.strip()]


_OUTSIDE = re.compile(rb'[{}\[\]"]')
_INSIDE = re.compile(rb'["\\]')


class JSONArray:
    """The elements of one array, or one object that is no array, as errors are.

    In the bytes of the last `feed`: `end` is the index after the last element that they complete,
    `closed` the one after the bracket that closes the array; 0 if there is none.
    """

    def __init__(self) -> None:
        self.end = self.closed = 0
        self._pieces: list[bytes] = []  # of the element that is open
        self._depth = 0
        self._base = 1  # the depth of the elements: 0 if the body is an object
        self._string = self._escaped = False

    def feed(self, chunk: bytes) -> list[tuple[str | None, bytes]]:
        """The elements that the bytes complete."""
        events: list[tuple[str | None, bytes]] = []
        start = 0 if self._depth > self._base else -1  # where the open element begins in the chunk
        index = self.end = self.closed = 0
        while (match := self._next(chunk, index)) >= 0:
            index = match + 1
            if chunk[match] in b"{[":
                if self._depth == 0 and chunk[match] == 0x7B:
                    self._base = 0
                if self._depth == self._base and start < 0:
                    start = match
                self._depth += 1
            else:
                self._depth -= 1
                if self._depth == self._base and start >= 0:
                    self._pieces.append(chunk[start:index])
                    events.append((None, b"".join(self._pieces)))
                    self._pieces, start = [], -1
                    self.end = index
                if self._depth <= 0 and not self.closed:
                    self.closed = index
        if start >= 0:
            self._pieces.append(chunk[start:])
        return events

    def flush(self) -> list[tuple[str | None, bytes]]:
        """The element that breaks off."""
        remaining, self._pieces = b"".join(self._pieces), []
        return [(None, remaining)] if remaining.strip() else []

    def _next(self, chunk: bytes, index: int) -> int:
        """The index of the next bracket that is no part of a text; -1 if there is none."""
        while True:
            if self._escaped and index < len(chunk):
                self._escaped = False
                index += 1
            match = (_INSIDE if self._string else _OUTSIDE).search(chunk, index)
            if match is None:
                return -1
            index = match.end()
            if match[0] == b'"':
                self._string = not self._string
            elif match[0] == b"\\":
                self._escaped = True
            else:
                return match.start()


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

    An event that ends without a blank line is given by `flush`; bytes that are no UTF-8 become
    U+FFFD.

    Args:
        framing: How the body separates the events.

    Raises:
        ConfigError: `framing` is unknown.
    """

    __slots__ = ("_frames", "_open")

    def __init__(self, framing: Framing = "sse") -> None:
        events = _FRAMINGS.get(framing)
        if events is None:
            raise ConfigError(f"unknown framing {framing!r}", hint=f"one of {', '.join(_FRAMINGS)}")
        self._frames = events()
        # what else it may be yet, by its first byte
        self._open: dict[bytes, Callable[[], _Frames]] = _OTHERS.get(framing, {})

    def frames(self, chunk: bytes) -> list[Frame]:
        """Read the next bytes of a stream, and leave the data of events as bytes.

        Args:
            chunk: The bytes, cut anywhere.

        Returns:
            The events that they complete.

        Raises:
            ReadError: A frame of AWS is broken.
        """
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
        """Read the next bytes of a stream.

        Args:
            chunk: The bytes, cut anywhere.

        Returns:
            The events that they complete.

        Raises:
            ReadError: A frame of AWS is broken.
        """
        return _events(self.frames(bytes(chunk)))

    def flush(self) -> list[ServerEvent]:
        """The events that the end of the stream completes."""
        return _events(self.rest())


def _events(frames: list[Frame]) -> list[ServerEvent]:
    return [ServerEvent(name, data.decode("utf-8", "replace")) for name, data in frames]
