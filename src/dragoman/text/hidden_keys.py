r"""HiddenKey: removes a key from texts, bytes and errors, because a provider may quote it.

JSON may write a letter as an escape (`\u0073k-...`, `\/`), which a reader decodes to the same key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from ..errors import DragomanError
from .json_pieces import PIECE, holds

INSTEAD = "<secret>"
SHORTEST = 16  # characters; a shorter key may be an ordinary word
_ESCAPE = 8  # the most bytes of an escaped letter, in JSON within JSON
_SPELLED = (b"\\u00", b"\\/", b"\\U00")  # letters as escapes
_TEXTS = ("message", "path", "hint", "code", "type", "request_id")
_CREDENTIALS = ("authorization", "x-api-key", "api-key", "x-goog-api-key")


class HiddenKey:
    """One key to hide. An empty key, or one like an ordinary word, is never removed."""

    def __init__(self, key: str) -> None:
        self.key = key if len(key) >= SHORTEST else ""
        self.raw = self.key.encode("utf-8", "surrogatepass")

    def __bool__(self) -> bool:
        return bool(self.key)

    def __repr__(self) -> str:
        return "HiddenKey()"

    @cached_property
    def _escaped_pattern(self) -> re.Pattern[bytes]:
        """A pattern of the key in which each letter is plain or an escape of JSON."""
        letters = [
            rb"(?:%b|\\+(?:%b|(?i:u%04x)))" % (re.escape(sign), re.escape(sign), ord(letter))
            for letter in self.key
            for sign in (letter.encode(),)
        ]
        # match only at the first backslash of a run: trying each one takes the square of its length
        letters[0] = letters[0].replace(rb"\\+", rb"(?<!\\)\\+", 1)
        return re.compile(b"".join(letters))

    def data(self, data: bytes) -> bytes:
        """The bytes without the key, in any spelling of JSON."""
        if not self.raw:
            return data
        if holds(data, (self.raw,)):
            data = data.replace(self.raw, INSTEAD.encode())
        if holds(data, _SPELLED):
            data = self._hide_escaped(data)
        return data

    def _hide_escaped(self, data: bytes) -> bytes:
        """The bytes without the key in escapes; searched in pieces, see json_pieces."""
        parts: list[bytes] = []
        at = begin = 0
        while at < len(data):
            end = at + PIECE + len(self.raw) * _ESCAPE
            if (match := self._escaped_pattern.search(data, at, end)) is None:
                # a run of backslashes is not cut, since the key may begin with it
                at += len(data[at : at + PIECE].rstrip(b"\\")) or PIECE
            else:
                parts += (data[begin : match.start()], INSTEAD.encode())
                at = begin = match.end()
        return b"".join((*parts, data[begin:])) if parts else data

    def text(self, text: str) -> str:
        """The text without the key."""
        return text.replace(self.key, INSTEAD) if self.key and self.key in text else text

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Headers without the key."""
        return {name: self.text(value) for name, value in headers.items()}

    def pieces(self) -> Pieces:
        """An object that removes the key from bytes that come in pieces."""
        return Pieces(self)

    def count_held(self, data: bytes) -> int:
        """How many bytes at the end may be the beginning of the key, to be held back."""
        tail = data[-len(self.raw) * _ESCAPE :]
        if b"\\" in tail:
            return self._held_escaped(tail)
        return next(
            (
                size
                for size in range(min(len(self.raw) - 1, len(data)), 0, -1)
                if data.endswith(self.raw[:size])
            ),
            0,
        )

    def _held_escaped(self, tail: bytes) -> int:
        """`count_held` for keys whose letters may be escapes of JSON."""
        begins = (self.raw[:1], b"\\")
        return next(
            (
                len(tail) - at
                for at in range(len(tail))
                if tail[at : at + 1] in begins and self._may_go_on(tail[at:])
            ),
            0,
        )

    def _may_go_on(self, text: bytes) -> bool:
        """Whether the text is the beginning of the key, with any letter as an escape."""
        at = 0
        for letter in self.key:
            begun = at
            while text[at : at + 1] == b"\\":
                at += 1
            plain, code = letter.encode(), b"u%04x" % ord(letter)
            if text.startswith(plain, at):
                at += len(plain)
            elif at > begun and code.startswith(text[at : at + len(code)].lower()):
                at += len(code)
            else:
                return at >= len(text)
            if at >= len(text):
                return True
        return False  # a whole key has been removed already

    def error(self, error: DragomanError) -> None:
        """Remove the key, in place, from an error and from everything in it."""
        if not self.key:
            return
        for name in _TEXTS:
            value = getattr(error, name, None)
            if isinstance(value, str) and self.key in value:
                setattr(error, name, self.text(value))
        error.args = tuple(self.text(one) if isinstance(one, str) else one for one in error.args)
        if (body := getattr(error, "body", None)) is not None:
            error.body = self._value(body)  # type: ignore[attr-defined]
        below = error.__cause__ or error.__context__
        while below is not None:
            if self.key in str(below) or self.key in repr(below):  # a library's text
                error.__cause__, error.__suppress_context__ = None, True
                return
            below = below.__cause__ or below.__context__

    def _value(self, value: Any) -> Any:
        """A value of JSON without the key."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, bytes):
            return self.data(value)
        if isinstance(value, list):
            return [self._value(one) for one in value]
        if isinstance(value, dict):
            return {self._value(name): self._value(one) for name, one in value.items()}
        return value


class Pieces:
    """Removes a key from bytes that come in pieces, wherever they are cut."""

    __slots__ = ("_key", "_late")

    def __init__(self, key: HiddenKey) -> None:
        self._key = key
        self._late = b""

    def feed(self, piece: bytes) -> bytes:
        """The bytes that can be passed on; a possible beginning of the key is held back."""
        if not self._key:
            return piece
        data = self._key.data(self._late + piece)
        size = self._key.count_held(data)
        self._late = data[len(data) - size :]
        return data[: len(data) - size]

    def rest(self) -> bytes:
        """The bytes still held back at the end."""
        late, self._late = self._late, b""
        return late


def keys_in(headers: Mapping[str, str]) -> list[HiddenKey]:
    """The keys in the headers of a call; none for values that are no keys."""
    found = [
        HiddenKey(value.rpartition(" ")[2])
        for name, value in headers.items()
        if name.lower() in _CREDENTIALS
    ]
    return [key for key in found if key]


class without_keys:  # noqa: N801 - used after `with`
    """Remove the keys in a call's headers from any error with which the block ends."""

    __slots__ = ("_headers",)

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = headers

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, DragomanError):
            for key in keys_in(self._headers):
                key.error(error)
