"""Forwarding over the same wire: the model's name changed in place, all other bytes as they are.

And what is seen of an answer that passes: whether an event is whole, whether the stream has ended,
and how much was used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from .._core.exchange.wire import Wire
from .._core.jsontext import encoded
from ..errors import ReadError
from ..message import Usage
from ..sse import Framing
from .surface import Surface

# In JSON a quote inside of a text has a backslash before it, so this is a key, at some depth
_MODEL = re.compile(rb'"model"[ \t\r\n]*:[ \t\r\n]*("(?:[^"\\]|\\.)*")')
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)

# what belongs to one connection, or to the client's own relation to the gateway
_HOP = frozenset({
    "connection", "content-length", "expect", "host", "keep-alive", "proxy-authenticate",
    "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
})  # fmt: skip
_OURS = frozenset({
    "accept-encoding", "api-key", "authorization", "content-encoding", "cookie", "forwarded",
    "origin", "referer", "via", "x-api-key", "x-goog-api-key", "x-real-ip",
})  # fmt: skip
_THEIRS = frozenset({
    "alt-svc", "anthropic-organization-id", "content-encoding", "date", "openai-organization",
    "openai-project", "server", "set-cookie", "strict-transport-security",
})  # fmt: skip


def request_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The client's headers that go on to the provider: no keys, no cookies, no addresses."""
    return {
        name: text for name, text in headers.items()
        if not (name in _HOP or name in _OURS or name.startswith(("x-forwarded-", "sec-")))
    }  # fmt: skip


def answer_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The provider's headers that go on to the client."""
    return {
        name: text for name, text in headers.items()
        if not (name in _HOP or name in _THEIRS or name.startswith(("access-control-", "cf-")))
    }  # fmt: skip


def with_model(body: bytes, asked: str, model: str) -> bytes:
    r"""The body with `model` in the place of the top-level `model`, which says `asked`.

    Raises ReadError where the key is spelled in a way that hides it (`"\u006dodel"`).
    """
    if asked == model:
        return body
    found = list(_MODEL.finditer(body))
    if len(found) > 1:
        tops = set(_top_level(body))
        found = [match for match in found if match.start() in tops]
    if not found:
        raise ReadError("the key of the model is spelled with escapes", path="$.model",
                        hint='write "model"', code="model.spelling")  # fmt: skip
    parts, at = [], 0
    for match in found:
        parts += [body[at : match.start(1)], encoded(model)]
        at = match.end(1)
    return b"".join([*parts, body[at:]])


def _top_level(body: bytes) -> Iterator[int]:
    """Where texts begin that stand in the outermost object."""
    depth = 0
    for match in _TOKENS.finditer(body):
        sign = body[match.start()]
        if sign in b"{[":
            depth += 1
        elif sign in b"}]":
            depth -= 1
        elif depth == 1:
            yield match.start()


class Passing:
    """A stream that passes untouched: whole events go on, the beginning of one waits for its end.

    So a provider that breaks off leaves no half of an event behind, and no event that tells of it
    is torn. `ended`: the event came that ends a stream. A JSON array is cut between its elements
    by nobody, so it is not for this.
    """

    __slots__ = ("_first", "_held", "_last", "_line_ends", "_mark", "_most", "_size",
                 "_surface", "_tail", "ended", "events")  # fmt: skip

    def __init__(self, surface: Surface, framing: Framing, most: int) -> None:
        self.ended = False
        self.events = 0
        self._line_ends = framing == "ndjson"
        self._surface = surface
        self._tail = b""  # the last three bytes that are held
        self._mark = surface.usage_mark
        self._held: list[bytes] = []
        self._size = 0
        self._most = most
        self._first: bytes | None = None
        self._last: bytes | None = None

    def feed(self, chunk: bytes) -> bytes:
        """The bytes that go on now. Raises ReadError for an event beyond the bound."""
        cut = self._border(chunk)
        if cut == 0:
            self._hold(chunk)
            return b""
        if self._held:
            self._held.append(chunk[:cut])
            whole = b"".join(self._held)
            self._held.clear()
            self._size, self._tail = 0, b""
        else:
            whole = chunk if cut == len(chunk) else chunk[:cut]
        if cut < len(chunk):
            self._hold(chunk[cut:])
        self._look(whole)
        return whole

    def rest(self) -> bytes:
        """What is left at a regular end: an event that nothing closes counts as one."""
        whole = b"".join(self._held)
        self._held.clear()
        if whole:
            self._look(whole)
        return whole

    def usage(self, wire: Wire) -> Usage:
        """What the events tell of how much was used."""
        decoder = wire.stream_decoder()
        decoder.framing = "ndjson" if self._line_ends else "sse"
        for data in (self._first, self._last):
            if data is not None:
                decoder.feed_bytes(data)
        decoder.rest()
        return decoder.usage

    def _border(self, chunk: bytes) -> int:
        """Behind the last event that ends in the chunk; 0 if none does."""
        if self._line_ends:
            return chunk.rfind(b"\n") + 1
        if chunk.endswith(b"\n\n"):
            return len(chunk)
        at = chunk.rfind(b"\n\n") + 2
        if b"\r" in chunk:
            at = max(at, chunk.rfind(b"\r\n\r\n") + 4 if b"\r\n\r\n" in chunk else 0)
        if at >= 2:
            return at
        before = self._tail
        seam = before + chunk[:3]
        for border in (b"\n\n", b"\r\n\r\n"):
            found = seam.find(border)
            if found >= 0 and found + len(border) > len(before):
                return found + len(border) - len(before)
        return 0

    def _hold(self, data: bytes) -> None:
        self._size += len(data)
        if self._size > self._most:
            text = f"an event of the provider's is larger than {self._most} bytes"
            raise ReadError(text, hint="raise limits.event", code="stream.event_size")
        self._held.append(data)
        self._tail = (self._tail + data)[-3:]

    def _look(self, whole: bytes) -> None:
        """See in whole events whether they end the stream, and what they tell of usage."""
        self.events += whole.count(b"\n" if self._line_ends else b"\n\n")
        self.ended = self.ended or self._surface.ends(whole)
        if self._mark in whole:
            if self._first is None:
                self._first = whole
            else:
                self._last = whole
