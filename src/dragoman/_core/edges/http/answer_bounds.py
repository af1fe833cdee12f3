"""How much of an answer a client takes, and the count of it for transports that keep none.

The transports of this folder count what they unpack, by `max_answer_bytes` of the call. One of a
program's own may know nothing of it: its answers are counted here.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Self

from ....errors import ConfigError
from ...redaction import shown
from .failing import host_of, too_large
from .over_httpx2 import ajoined, joined
from .transport import AsyncStreamReply, HttpCall, Reply, StreamReply

MAX_ANSWER_BYTES = 128 * 2**20  # of a whole body or a whole stream, unpacked
MAX_EVENT_BYTES = 64 * 2**20  # of one event of a stream


def check_bound(name: str, value: Any) -> None:
    """Raise ConfigError for what is no number of bytes; None is no bound."""
    if value is not None and (type(value) is not int or value < 1):
        text = f"{name} must be a number of bytes above 0, not {shown(value)}"
        hint = "None takes answers of any size"
        raise ConfigError(text, path=f"$.{name}", hint=hint, code="connection.bound")


def check_size(reply: Reply, call: HttpCall) -> Reply:
    """The answer. Raises AnswerTooLarge for a body beyond the bound of the call."""
    most = call.max_answer_bytes
    if most is not None and isinstance(reply.body, bytes) and len(reply.body) > most:
        raise too_large(host_of(call.url), most)
    return reply


class _Counted:
    """Status, headers and count of an answer of another transport's."""

    def __init__(self, reply: Any, call: HttpCall, most: int) -> None:
        self._reply = reply
        self._host = host_of(call.url)
        self._most = most
        self.status: int = reply.status
        self.headers: Mapping[str, str] = reply.headers


class CountedReply(_Counted):
    """A StreamReply that raises AnswerTooLarge once more has come than the call allows."""

    def __iter__(self) -> Iterator[bytes]:
        left = self._most
        for piece in self._reply:
            left -= len(piece)
            if left < 0:
                self.close()
                raise too_large(self._host, self._most)
            yield piece

    def read(self) -> bytes:
        """See StreamReply."""
        return joined(self)

    def close(self) -> None:
        """See StreamReply."""
        self._reply.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncCountedReply(_Counted):
    """The same for a loop."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._most
        async for piece in self._reply:
            left -= len(piece)
            if left < 0:
                await self.aclose()
                raise too_large(self._host, self._most)
            yield piece

    async def read(self) -> bytes:
        """See AsyncStreamReply."""
        return await ajoined(self)

    async def aclose(self) -> None:
        """See AsyncStreamReply."""
        await self._reply.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def counted(reply: StreamReply, call: HttpCall) -> StreamReply:
    """The stream, counted if the call has a bound."""
    most = call.max_answer_bytes
    return reply if most is None else CountedReply(reply, call, most)


def acounted(reply: AsyncStreamReply, call: HttpCall) -> AsyncStreamReply:
    """The same for a loop."""
    most = call.max_answer_bytes
    return reply if most is None else AsyncCountedReply(reply, call, most)
