"""The lines of a file, or of a range of it, with their places; only one is in memory.

A file that is one record is read as one line.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from ..text.json_text import JsonObject
from .compression import broken

MAX_LINE = 2**26  # bytes: 64 MiB
BLOCK = 2**18
_BOM = b"\xef\xbb\xbf"


@dataclass(slots=True)
class Line:
    """One line, without its end.

    Attributes:
        number: Its number in what is read, from 1.
        offset: Its first byte in the (unpacked) file; None for a row of a table.
        data: Its bytes; of a line that is too long only the first.
        size: How many bytes it has.
        too_long: Whether it is longer than the bound; `copy_to` has then been given all of it.
        fault: Why it cannot be read; the line is what is left before that place.
        first: Where the record was first, if it comes from a quarantine.
        goes_on: Whether it is the row of a table that was read, and is no JSON.
        rows: How many rows of a table it stands for, of which none can be read.
        unread: Whether the file cannot be read further, and how much follows is not known.
    """

    number: int
    offset: int | None
    data: bytes
    size: int = 0
    too_long: bool = False
    fault: str = ""
    first: JsonObject | None = None
    goes_on: bool = False
    rows: int = 1
    unread: bool = False


def break_words(what: str, error: object) -> str:
    """Why the rest of a file is not read, for users."""
    return f"the {what} is broken here, and what follows is not read: {error}"


class LineReader:
    """Reads the lines whose first byte is in a range of a file.

    Args:
        file: The unpacked file, at the byte `start`, or one before it if `start` is not 0: a range
            in the middle begins with the first line that begins in it.
        start: The first byte of the range.
        end: The first byte behind it; None for all that follows.
        max_line: How many bytes a line may have.
        spool: Makes the file that takes a line which has more.
        whole: Whether the file is one record, whatever lines it has.
    """

    def __init__(
        self,
        file: BinaryIO,
        start: int,
        end: int | None,
        max_line: int,
        spool: Callable[[], BinaryIO] = io.BytesIO,
        whole: bool = False,
    ) -> None:
        self._file = file
        self._end = end
        self._max_line = max_line
        self._spool = spool
        self._end_of_line = None if whole else b"\n"
        self._block = b""  # what was read last
        self._place = 0  # in the block, of what comes next
        self._fault = ""
        self._at = start  # in the file, the same
        self.overflow: BinaryIO | None = None  # the line that is too long
        if start:
            self._at = start - 1
            self._skip()

    def __iter__(self) -> Iterator[Line]:
        number = 0
        while self._end is None or self._at < self._end:
            offset = self._at
            line = self._next(number + 1, offset)
            if line is None:
                return
            number += 1
            yield line
            self._close_overflow()
            if line.fault:
                return

    def _next(self, number: int, offset: int) -> Line | None:
        """The next line; None at the end of the file."""
        at = self._find_end()
        if 0 <= at <= self._place + self._max_line:
            data = self._block[self._place : at]
            self._place = at + 1
            self._at += len(data) + 1
            return self._line(number, offset, data)
        return self._long(number, offset)

    def _find_end(self) -> int:
        """The place in the block where the line ends; -1 if it goes on."""
        if self._end_of_line is None:
            return -1
        return self._block.find(self._end_of_line, self._place)

    def _line(self, number: int, offset: int, data: bytes, fault: str = "") -> Line:
        if offset == 0:
            data = data.removeprefix(_BOM)
        return Line(number, offset, data, len(data), fault=fault, unread=bool(fault))

    def _long(self, number: int, offset: int) -> Line | None:
        """The line that begins in the rest of this block and goes on in the next."""
        parts: list[bytes] = []
        size = 0
        while True:
            part, ended = self._take()
            size += len(part)
            if self.overflow is not None:
                self.overflow.write(part)
            else:
                parts.append(part)
                if size > self._max_line:
                    self.overflow = self._spool()
                    self.overflow.writelines(parts)
                    parts.clear()
            if ended or not self._fill():
                break
        self._at += size + ended
        if not (size or ended or self._fault):
            return None
        if self.overflow is not None:
            fault = self._fault
            return Line(number, offset, b"", size, True, fault, unread=bool(fault))
        return self._line(number, offset, b"".join(parts), self._fault)

    def _skip(self) -> None:
        """Read to the first byte after the next end of a line."""
        ended = False
        while not ended and (self._place < len(self._block) or self._fill()):
            part, ended = self._take()
            self._at += len(part) + ended

    def _take(self) -> tuple[bytes, bool]:
        """What the block still has of a line, and whether the line ends in it."""
        at = self._find_end()
        ended = at >= 0
        part = self._block[self._place : at] if ended else self._block[self._place :]
        self._place += len(part) + ended
        return part, ended

    def _fill(self) -> bool:
        """Read the next block; False at the end of the file, and where it is broken."""
        self._block, self._place = b"", 0
        if self._fault:
            return False
        try:
            # not `read`: where it raises, it loses what it has collected
            self._block = self._file.read1(BLOCK)  # type: ignore[attr-defined]
        except Exception as error:
            if not broken(error):
                raise
            self._fault = break_words("compressed data", error)
        return bool(self._block)

    def _close_overflow(self) -> None:
        if self.overflow is not None:
            self.overflow.close()
            self.overflow = None
