"""Forwarding over the same wire: the model's name changed in place, all other bytes as they are.

And what is seen of an answer that passes: whether an event is whole, whether the stream has ended,
and how much was used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .._core.exchange.wire import Wire
from .._core.jsontext import encoded, loads
from .._core.stream.builder import Builder
from ..errors import ReadError
from ..sse import Framing
from .surface import Surface
from .surface.base import MODEL

_KEY = b'"model"'
_HIDDEN = re.compile(rb"\\u00(?:6[dfDF45cC])")  # a letter of it as an escape
_SHORT_KEY = re.compile(rb'("(?:[^"\\]|\\.){0,40}")[ \t\r\n]*:', re.DOTALL)
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)

_NEAR = 32  # how many elements in a row may have been left out

# what belongs to one connection, or to the client's own relation to the gateway
_HOP = frozenset({
    "connection", "content-length", "expect", "host", "keep-alive", "proxy-authenticate",
    "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
})  # fmt: skip
_OURS = frozenset({
    "accept-encoding", "api-key", "authorization", "cf-connecting-ip", "client-ip",
    "content-encoding", "cookie", "fastly-client-ip", "fly-client-ip", "forwarded",
    "openai-organization", "openai-project", "origin", "referer", "true-client-ip", "via",
    "x-api-key", "x-client-ip", "x-cluster-client-ip", "x-goog-api-key", "x-goog-user-project",
    "x-original-forwarded-for", "x-real-ip",
})  # fmt: skip
_THEIRS = frozenset({
    "alt-svc", "anthropic-organization-id", "content-encoding", "date", "openai-organization",
    "openai-project", "server", "set-cookie", "strict-transport-security",
})  # fmt: skip


def request_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The client's headers that go on to the provider: no keys, no cookies, no addresses.

    Nor what no server may be sent: a client may have sent more than ASCII.
    """
    hop = _hop(headers)
    return {
        name: text for name, text in headers.items()
        if text.isascii() and text.isprintable()
        and not (name in hop or name in _OURS or name.startswith(("x-forwarded-", "sec-")))
    }  # fmt: skip


def answer_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The provider's headers that go on to the client."""
    hop = _hop(headers)
    return {
        name: text for name, text in headers.items()
        if not (name in hop or name in _THEIRS or name.startswith(("access-control-", "cf-")))
    }  # fmt: skip


def _hop(headers: Mapping[str, str]) -> frozenset[str]:
    """The headers of this one connection, with those that it names itself (RFC 9110, 7.6.1)."""
    named = headers.get("connection", "").lower()
    if named in ("", "close", "keep-alive"):
        return _HOP
    return _HOP.union(one.strip() for one in named.split(","))


def with_model(body: bytes, asked: str, model: str) -> bytes:
    r"""The body with `model` in the place of every top-level `model`; the last says `asked`.

    Raises ReadError where such a key is spelled in a way that hides it (`"\u006dodel"`): of two
    keys each parser takes another, and the provider must not get a model that nobody has judged.
    """
    hidden = _HIDDEN.search(body) is not None
    fault = ReadError("the key of the model is spelled with escapes", path="$.model",
                      hint='write "model"', code="model.spelling")  # fmt: skip
    if asked == model and not hidden and body.count(_KEY) == 1:
        return body
    found = list(MODEL.finditer(body))
    if hidden or len(found) > 1:
        tops = set(_top_level(body))
        found = [match for match in found if match.start() in tops]
        if hidden and any(_is_hidden(body, at) for at in tops):
            raise fault
    if not found:
        raise fault
    parts, at = [], 0
    for match in found:
        if loads(match[1]) == model:
            continue  # however it is spelled
        parts += [body[at : match.start(1)], encoded(model)]
        at = match.end(1)
    return b"".join([*parts, body[at:]])


def _is_hidden(body: bytes, at: int) -> bool:
    """Whether the text that begins here is the key "model", spelled with escapes."""
    match = _SHORT_KEY.match(body, at)
    return match is not None and b"\\" in match[1] and bool(loads(match[1]) == "model")


def in_order_of(sent: Any, body: Any) -> Any:
    """The same JSON with all keys in the order in which the client sent them, and others behind.

    A message that is as it came is spelled as it came, so that a provider's cache knows it again.
    """
    if isinstance(sent, dict) and isinstance(body, dict):
        kept = {key: in_order_of(sent[key], body[key]) for key in sent if key in body}
        return {**kept, **{key: value for key, value in body.items() if key not in kept}}
    if not (isinstance(sent, list) and isinstance(body, list)):
        return body
    made: list[Any] = []
    at = 0
    for one in body:
        near = range(at, min(at + _NEAR, len(sent)))
        found = next((nth for nth in near if sent[nth] == one), None)
        at = at if found is None else found + 1
        made.append(one if found is None else in_order_of(sent[found], one))
    return made


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


def event_too_large(most: int) -> ReadError:
    """The fault of an event beyond the bound, which nobody keeps to its end."""
    text = f"an event of the provider's is larger than {most} bytes"
    return ReadError(text, hint="raise limits.event", code="stream.event_size")


class Passing:
    """A stream that passes untouched: whole events go on, the beginning of one waits for its end.

    So a provider that breaks off leaves no half of an event behind, and no event that tells of it
    is torn. `ended`: the event came that ends a stream, which is in `last`. A JSON array is cut
    between its elements by nobody: it is held to its end.
    """

    __slots__ = ("_event_end", "_first", "_held", "_last", "_line_ends", "_mark", "_most", "_size",
                 "_surface", "_tail", "ended", "events", "last")  # fmt: skip

    def __init__(self, surface: Surface, framing: Framing, most: int) -> None:
        self.ended = False
        self.last = b""
        self.events = 0
        self._line_ends = framing == "ndjson"
        self._event_end = b"\n" if self._line_ends else b"\n\n"
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
        if not self._held and chunk.endswith(self._event_end):  # as nearly always
            self._look(chunk)
            return chunk
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

    def told(self, wire: Wire) -> Builder:
        """What the events that may tell of usage have told."""
        decoder = wire.stream_decoder()
        decoder.framing = "ndjson" if self._line_ends else "sse"
        for data in (self._first, self._last):
            if data is not None:
                decoder.feed_bytes(data)
        decoder.rest()
        return decoder.builder

    def _border(self, chunk: bytes) -> int:
        """Behind the last event that ends in the chunk; 0 if none does."""
        if self._line_ends:
            return chunk.rfind(b"\n") + 1
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
            raise event_too_large(self._most)
        self._held.append(data)
        self._tail = (self._tail + data)[-3:]

    def _look(self, whole: bytes) -> None:
        """See in whole events whether they end the stream, and what they tell of usage."""
        self.events += whole.count(self._event_end)
        if not self.ended and self._surface.ends(whole):
            self.ended, self.last = True, whole
        if self._mark in whole:
            if self._first is None:
                self._first = whole
            else:
                self._last = whole
