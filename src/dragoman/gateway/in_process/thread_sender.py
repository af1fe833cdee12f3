"""Sends an exchange's calls in a thread, in the steps of exchange/send_with_fallbacks.py.

All that these steps await is in this file, and blocks: a coroutine comes to its end in one go, and
neither needs nor disturbs an event loop.
"""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine
from threading import Timer
from time import sleep
from typing import Any, Self, TypeVar

from ...errors import ProviderError
from ...transport.call import AsyncStreamReply, HttpCall, StreamReply, Take, Timeouts, Transport
from ...transport.credentials import authorize
from ..exchange.exchange import GatewayExchange
from ..exchange.send_with_fallbacks import Sender, build_stall_error
from ..exchange.target_wire import Upstream

_T = TypeVar("_T")


def run(steps: Coroutine[Any, Any, _T]) -> _T:
    """The result of a coroutine that never waits; or its exception."""
    try:
        steps.send(None)
    except StopIteration as end:
        result: _T = end.value
        return result
    raise AssertionError("a step in a thread has waited for an event loop")


class ThreadSender(Sender):
    """Sends calls over one transport."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def _send(
        self, exchange: GatewayExchange, call: HttpCall, timeouts: Timeouts
    ) -> AsyncStreamReply:
        return BlockingReply(self._transport.stream(call, timeouts))

    async def _authorize(self, call: HttpCall, upstream: Upstream) -> HttpCall:
        return authorize(call, upstream.vendor, upstream.protocol, upstream.key)

    async def aclose(self) -> None:
        """Close nothing: the transport serves other requests, too."""

    async def _sleep(self, seconds: float) -> None:
        sleep(seconds)  # noqa: ASYNC251 - no event loop

    async def _take_turn(self) -> None:
        """Wait for nothing: other requests have threads of their own."""

    async def _in_time(
        self, work: Awaitable[_T], seconds: float, reply: AsyncStreamReply | None = None
    ) -> _T:
        if reply is None:  # the time-outs of the call bound it
            return await work
        is_late = False

        def close() -> None:
            nonlocal is_late
            is_late = True
            run(reply.aclose())

        watch = Timer(seconds, close)
        watch.daemon = True
        watch.start()
        try:
            return await work
        except ProviderError as error:
            if is_late:
                raise build_stall_error(seconds) from error
            raise
        finally:
            watch.cancel()


class BlockingReply:
    """A StreamReply as an AsyncStreamReply: it blocks where others wait.

    Attributes:
        pieces: Its pieces, for one that reads without coroutines.
    """

    def __init__(self, reply: StreamReply) -> None:
        self._reply = reply
        self.pieces = iter(reply)
        self.status = reply.status
        self.headers = reply.headers

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        for piece in self.pieces:
            return piece
        raise StopAsyncIteration

    async def pour(self, take: Take) -> bool:
        """Pass pieces on until no more are wanted; see Pouring."""
        return any(not take(piece) for piece in self.pieces)

    async def read(self) -> bytes:
        """The whole body; see AsyncStreamReply."""
        return b"".join(self.pieces)

    async def aclose(self) -> None:
        """Close the connection, from any thread."""
        self._reply.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
