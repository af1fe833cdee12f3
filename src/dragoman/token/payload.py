"""A few bytes out of a medium, wherever they stand in its base64, without decoding all of it."""

from __future__ import annotations

import binascii
from typing import Any

__all__ = ["Payload"]

_HEADER = 200  # a data URI's media type and parameters end long before this


class Payload:
    """The bytes of a medium: a data URI, bare base64 or bytes; `size` is 0 if it is none of them.

    Base64 broken into lines is read as far as its first line goes.
    """

    def __init__(self, payload: Any) -> None:
        self._raw = payload if isinstance(payload, bytes) else None
        self._text = payload if isinstance(payload, str) else ""
        self._start = 0
        if self._text[:5].lower() == "data:":
            comma = self._text.find(",", 0, _HEADER)
            self._start = comma + 1 if comma >= 0 else len(self._text)
        self.size = self._size()

    def _size(self) -> int:
        if self._raw is not None:
            return len(self._raw)
        padding = self._text[-2:].count("=")
        return max(0, (len(self._text) - self._start) * 3 // 4 - padding)

    def read(self, offset: int, length: int) -> bytes:
        """Bytes from `offset`, fewer at the end or where there is no base64."""
        if self._raw is not None:
            return self._raw[offset : offset + length]
        first = offset // 3
        last = -(-(offset + length) // 3)
        quanta = self._text[self._start + first * 4 : self._start + last * 4]
        quanta = quanta.partition("\n")[0].rstrip("=\r")
        if len(quanta) % 4 == 1:
            quanta = quanta[:-1]
        try:
            found = binascii.a2b_base64(quanta + "=" * (-len(quanta) % 4))
        except ValueError:
            return b""
        skip = offset - first * 3
        return found[skip : skip + length]
