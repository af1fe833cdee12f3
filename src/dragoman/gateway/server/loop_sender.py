"""Sends an exchange's calls in an event loop: long work runs beside it, and time is bounded."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from ...transport.call import (
    AsyncStreamReply,
    AsyncTransport,
    HttpCall,
    Timeouts,
    choose_transport,
    preload,
)
from ...transport.credentials import aauthorize
from ..exchange.exchange import GatewayExchange
from ..exchange.off_loop import OffLoop, is_long
from ..exchange.send_with_fallbacks import OpenStream, Sender, build_stall_error
from ..exchange.target_wire import Upstream
from .loop_turns import Turns

_T = TypeVar("_T")
_FETCHING = 16  # requests in a worker whose media are fetched at the same time


class LoopSender(Sender):
    """Sends calls over one transport for each name in routes, or over the given one."""

    leaves_long = True

    def __init__(
        self,
        transport: AsyncTransport | None = None,
        off_loop: OffLoop | None = None,
        turns: Turns | None = None,
    ) -> None:
        self._off = off_loop or OffLoop()
        self._turns = turns or Turns()
        self._given = transport
        self._transports: dict[str, AsyncTransport] = {}
        self._fetching: ThreadPoolExecutor | None = None
        self._releasing: dict[asyncio.Task[None], AsyncStreamReply] = {}

    def preload(self, transports: Iterable[str]) -> None:
        """Import what the first call over these transports would import while others wait.

        Raises ConfigError for a transport that is not installed.
        """
        for name in transports:
            preload(self._choose_transport(name))

    async def release(self, begun: OpenStream) -> None:
        """Give the connection back; after a complete answer once the provider has closed it too.

        That runs in a task of its own, as the client has its answer.
        """
        if not begun.relay.over or begun.relay.failed is not None:
            await begun.reply.aclose()
            return
        task = asyncio.create_task(self.read_out(begun))
        self._releasing[task] = begun.reply
        task.add_done_callback(lambda done: self._releasing.pop(done, None))

    async def aclose(self) -> None:
        """Close the connections of this loop."""
        releasing = dict(self._releasing)
        for task in releasing:
            task.cancel()
        for reply in releasing.values():  # a task that had not begun has closed nothing
            await reply.aclose()
        for transport in self._transports.values():
            await transport.aclose()
        if self._fetching is not None:
            self._fetching.shutdown(wait=False, cancel_futures=True)

    def _choose_transport(self, name: str) -> AsyncTransport:
        if self._given is not None:
            return self._given
        found = self._transports.get(name)
        if found is None:
            found = self._transports[name] = choose_transport(name, asynchronous=True)
        return found

    # -- what waits --------------------------------------------------------------------------------

    def _send(
        self, exchange: GatewayExchange, call: HttpCall, timeouts: Timeouts
    ) -> Awaitable[AsyncStreamReply]:
        return self._choose_transport(exchange.route.transport).astream(call, timeouts)

    def _authorize(self, call: HttpCall, upstream: Upstream) -> Awaitable[HttpCall]:
        return aauthorize(call, upstream.vendor, upstream.protocol, upstream.key)

    def _take_turn(self) -> Awaitable[None]:
        return self._turns.wait()

    async def _compute(
        self, exchange: GatewayExchange, work: Callable[[], _T], body: bytes = b""
    ) -> _T:
        if exchange.is_long or is_long(body):
            return await self._off.run(work)
        await self._turns.wait()
        return work()

    async def _compute_long(self, work: Callable[[], _T]) -> _T:
        return await self._off.run_to_end(work)

    async def _compute_apart(self, work: Callable[[], _T]) -> _T:
        if self._fetching is None:  # the loop's default threads resolve the addresses of hosts
            self._fetching = ThreadPoolExecutor(_FETCHING, "dragoman-media")
        return await asyncio.get_running_loop().run_in_executor(self._fetching, work)

    def _sleep(self, seconds: float) -> Awaitable[object]:
        return asyncio.sleep(seconds)

    async def _in_time(
        self, work: Awaitable[_T], seconds: float, reply: AsyncStreamReply | None = None
    ) -> _T:
        return await in_time(work, seconds)


async def in_time(work: Awaitable[_T], seconds: float) -> _T:
    """Wait for the provider. Raises Timeout after so many seconds."""
    try:
        async with asyncio.timeout(seconds):
            return await work
    except TimeoutError as error:
        raise build_stall_error(seconds) from error
