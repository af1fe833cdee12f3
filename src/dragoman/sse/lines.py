"""Framings made of lines: server-sent events and JSON lines.

Reference: WHATWG HTML, "Server-sent events", 9.2.6. Beyond it: an event without a blank line
behind it counts at the end of the stream, and a body that has no events, such as an error in JSON
or the page of a proxy, is one event.
"""

from __future__ import annotations

__all__ = ["NDJSON", "ServerSent"]


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
        return lines if self._begun else self._unmarked(lines)

    def rest(self) -> list[bytes]:
        """The last line, if nothing ends it."""
        last = b"".join(self._open)
        self._open = []
        return self._unmarked([last]) if last else []

    def _unmarked(self, lines: list[bytes]) -> list[bytes]:
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
        made = self._read([*self._lines.rest(), b""])
        if self._plain and not self._seen:
            made.append((None, b"\n".join(self._plain)))
        self._plain = []
        return made

    def _read(self, lines: list[bytes]) -> list[tuple[str | None, bytes]]:
        made: list[tuple[str | None, bytes]] = []
        data = self._data
        for line in lines:
            if not line:
                if data:
                    made.append((self._name, data[0] if len(data) == 1 else b"\n".join(data)))
                    data.clear()
                self._name = None
            elif line[0] == _D and line[:5] == b"data:":
                data.append(line[6:] if line[5:6] == b" " else line[5:])
            elif line[0] == _E and line[:6] == b"event:":
                self._name = line[6:].strip().decode("utf-8", "replace") or None
            elif not (self._seen or made) and (self._plain or not _is_field(line)):
                self._plain.append(line)
        self._seen = self._seen or bool(made)
        return made


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
