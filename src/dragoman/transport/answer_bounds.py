"""Wrappers around the replies of any transport: they count bytes and hide the key of the call.

The transports of this folder count what they unpack, by `max_answer_bytes` of the call. A program's
own transport may not know that bound, so its answers are counted here. And of every answer, the key
of its call is removed, because errors and partial answers quote what came.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Self

from ..errors import ConfigError
from ..text.hidden_keys import HiddenKey, keys_in
from ..text.redaction import show
from .call import AsyncStreamReply, HttpCall, Reply, StreamReply
from .errors import read_host, too_large
from .over_httpx2 import ajoin_pieces, join_pieces

MAX_ANSWER_BYTES = 128 * 2**20  # unpacked bytes of a whole body or stream
MAX_EVENT_BYTES = 64 * 2**20  # of one event of a stream


def check_bound(name: str, value: Any) -> None:
    """Raise ConfigError if the value is no number of bytes; None means no bound."""
    if value is not None and (type(value) is not int or value < 1):
        text = f"{name} must be a number of bytes above 0, not {show(value)}"
        hint = "None takes answers of any size"
        raise ConfigError(text, path=f"$.{name}", hint=hint, code="connection.bound")


def check_size(reply: Reply, call: HttpCall) -> Reply:
    """Return the answer. Raises AnswerTooLarge for a body beyond the bound of the call."""
    most = call.max_answer_bytes
    if most is not None and isinstance(reply.body, bytes) and len(reply.body) > most:
        raise too_large(read_host(call.url), most)
    return reply


class WrappedReply:
    """A StreamReply around another one; subclasses change or check its pieces."""

    def __init__(self, reply: StreamReply) -> None:
        self._reply = reply
        self.status: int = reply.status
        self.headers: Mapping[str, str] = reply.headers

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._reply)

    def read(self) -> bytes:
        """Read the whole body; see StreamReply."""
        return join_pieces(self)

    def close(self) -> None:
        """Close the connection; see StreamReply."""
        self._reply.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncWrappedReply:
    """An AsyncStreamReply around another one; subclasses change or check its pieces."""

    def __init__(self, reply: AsyncStreamReply) -> None:
        self._reply = reply
        self.status: int = reply.status
        self.headers: Mapping[str, str] = reply.headers

    def __aiter__(self) -> AsyncIterator[bytes]:
        return aiter(self._reply)

    async def read(self) -> bytes:
        """Read the whole body; see AsyncStreamReply."""
        return await ajoin_pieces(self)

    async def aclose(self) -> None:
        """Close the connection; see AsyncStreamReply."""
        await self._reply.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class CountedReply(WrappedReply):
    """A StreamReply that raises AnswerTooLarge once more has come than the call allows."""

    def __init__(self, reply: StreamReply, call: HttpCall, most: int) -> None:
        super().__init__(reply)
        self._host, self._most = read_host(call.url), most

    def __iter__(self) -> Iterator[bytes]:
        left = self._most
        for piece in self._reply:
            left -= len(piece)
            if left < 0:
                self.close()
                raise too_large(self._host, self._most)
            yield piece


class AsyncCountedReply(AsyncWrappedReply):
    """An AsyncStreamReply that raises AnswerTooLarge once more has come than the call allows."""

    def __init__(self, reply: AsyncStreamReply, call: HttpCall, most: int) -> None:
        super().__init__(reply)
        self._host, self._most = read_host(call.url), most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._most
        async for piece in self._reply:
            left -= len(piece)
            if left < 0:
                await self.aclose()
                raise too_large(self._host, self._most)
            yield piece


def count_reply(reply: StreamReply, call: HttpCall) -> StreamReply:
    """The stream, counted if the call has a bound."""
    most = call.max_answer_bytes
    return reply if most is None else CountedReply(reply, call, most)


def acount_reply(reply: AsyncStreamReply, call: HttpCall) -> AsyncStreamReply:
    """The stream, counted if the call has a bound; for event loops."""
    most = call.max_answer_bytes
    return reply if most is None else AsyncCountedReply(reply, call, most)


# -- the key of a call, which its answer may quote -------------------------------------------------

# frames with a checksum: a text in them cannot be changed
_SUMMED = "application/vnd.amazon.eventstream"


def keyless_reply(reply: Reply, call: HttpCall) -> Reply:
    """Remove the key of its call from an answer."""
    headers, body = reply.headers, reply.body
    for key in keys_in(call.headers):
        headers, body = key.headers(headers), key.data(body)
    return Reply(reply.status, headers, body)


class KeylessReply(WrappedReply):
    """A StreamReply without the key of its call, even if the key is cut between pieces."""

    def __init__(self, reply: StreamReply, key: HiddenKey) -> None:
        super().__init__(reply)
        self._key = key
        self.headers = key.headers(reply.headers)

    def __iter__(self) -> Iterator[bytes]:
        pieces = self._key.pieces()
        for piece in self._reply:
            if data := pieces.feed(piece):
                yield data
        if data := pieces.rest():
            yield data


class AsyncKeylessReply(AsyncWrappedReply):
    """An AsyncStreamReply without the key of its call; see KeylessReply."""

    def __init__(self, reply: AsyncStreamReply, key: HiddenKey) -> None:
        super().__init__(reply)
        self._key = key
        self.headers = key.headers(reply.headers)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        pieces = self._key.pieces()
        async for piece in self._reply:
            if data := pieces.feed(piece):
                yield data
        if data := pieces.rest():
            yield data


def keyless(reply: StreamReply, call: HttpCall) -> StreamReply:
    """The stream without the key of its call."""
    for key in _hidden_in(reply, call):
        reply = KeylessReply(reply, key)
    return reply


def akeyless(reply: AsyncStreamReply, call: HttpCall) -> AsyncStreamReply:
    """The stream without the key of its call, for event loops."""
    for key in _hidden_in(reply, call):
        reply = AsyncKeylessReply(reply, key)
    return reply


def _hidden_in(reply: StreamReply | AsyncStreamReply, call: HttpCall) -> list[HiddenKey]:
    return [] if reply.headers.get("content-type", "") == _SUMMED else keys_in(call.headers)
