"""A JSON array that arrives in pieces: each element as soon as it is whole."""

from __future__ import annotations

import re

__all__ = ["JSONArray"]

_OUTSIDE = re.compile(rb'[{}\[\]"]')
_INSIDE = re.compile(rb'["\\]')


class JSONArray:
    """The elements of one array, or one object that is no array, as errors are."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []  # of the element that is open
        self._depth = 0
        self._base = 1  # the depth that elements stand at: 0 if the body is an object
        self._string = self._escaped = False

    def feed(self, chunk: bytes) -> list[tuple[str | None, bytes]]:
        """The elements that the bytes complete."""
        made: list[tuple[str | None, bytes]] = []
        start = 0 if self._depth > self._base else -1  # where the open element begins in the chunk
        at = 0
        while (found := self._next(chunk, at)) >= 0:
            at = found + 1
            if chunk[found] in b"{[":
                if self._depth == 0 and chunk[found] == 0x7B:
                    self._base = 0
                if self._depth == self._base and start < 0:
                    start = found
                self._depth += 1
            else:
                self._depth -= 1
                if self._depth == self._base and start >= 0:
                    self._pieces.append(chunk[start:at])
                    made.append((None, b"".join(self._pieces)))
                    self._pieces, start = [], -1
        if start >= 0:
            self._pieces.append(chunk[start:])
        return made

    def flush(self) -> list[tuple[str | None, bytes]]:
        """The element that breaks off."""
        rest, self._pieces = b"".join(self._pieces), []
        return [(None, rest)] if rest.strip() else []

    def _next(self, chunk: bytes, at: int) -> int:
        """Where the next bracket stands that is no part of a text; -1 if there is none."""
        while True:
            if self._escaped and at < len(chunk):
                self._escaped = False
                at += 1
            found = (_INSIDE if self._string else _OUTSIDE).search(chunk, at)
            if found is None:
                return -1
            at = found.end()
            if found[0] == b'"':
                self._string = not self._string
            elif found[0] == b"\\":
                self._escaped = True
            else:
                return found.start()
