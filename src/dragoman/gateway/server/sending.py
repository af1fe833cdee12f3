"""Sends an exchange's calls in an event loop, to the first target that answers, with retries.

If an error comes before an answer has begun, the next target is called; so it is if the first event
of a stream is an error.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import NamedTuple, Protocol, TypeVar

from ...errors import DragomanError, ProviderError, ReadError, StreamBroken, Timeout
from ...transport.call import (
    AsyncStreamReply,
    AsyncTransport,
    HttpCall,
    Pouring,
    Take,
    Timeouts,
    apour,
    choose_transport,
    preload,
)
from ...transport.credentials import aauthorize
from ...transport.errors import whole
from ...transport.retries import acalling
from ..bodies import unreadable
from ..exchange.gateway_exchange import GatewayExchange
from ..exchange.off_loop import OffLoop, is_long
from ..exchange.passing import answer_too_large
from ..exchange.relay import RelayStream
from ..surfaces import ClientAnswer
from .turns import Turns

_T = TypeVar("_T")
LEFT_SECONDS, LEFT_BYTES = 1.0, 2**16  # bounds for what is read after the end of an answer

_FETCHING = 16  # requests in a worker whose media are fetched at the same time


class Watch(Protocol):
    """Follows the progress of a stream."""

    def watch(self, reply: AsyncStreamReply, relay: RelayStream) -> None:
        """The provider has begun to answer."""

    def fault(self, error: DragomanError) -> DragomanError:
        """The error to report."""


class Begun(NamedTuple):
    """A stream whose first bytes for the client have come.

    Attributes:
        reply: The provider's answer.
        pour: Gives further bytes of the provider, as Pouring defines it.
        relay: Turns them into bytes for the client.
        first: The first bytes for the client.
    """

    reply: AsyncStreamReply
    pour: Callable[[Take], Awaitable[bool]]
    relay: RelayStream
    first: bytes

    async def pieces(self) -> AsyncIterator[bytes]:
        """Further bytes of the provider, piece by piece."""
        taken: list[bytes] = []

        def take(piece: bytes) -> bool:
            taken.append(piece)
            return False

        while await self.pour(take):
            yield taken.pop()


class Sender:
    """Sends calls over one transport for each name in routes, or over the given one."""

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
        self._leaving: set[asyncio.Task[None]] = set()

    def preload(self, transports: Iterable[str]) -> None:
        """Import what the first call over these transports would import while others wait.

        Raises ConfigError for a transport that is not installed.
        """
        for name in transports:
            preload(self._choose_transport(name))

    async def whole(self, exchange: GatewayExchange) -> ClientAnswer:
        """The whole answer. Raises DragomanError if no target gives one."""

        async def attempt(left: Timeouts) -> ClientAnswer:
            call = await self._prepare_call(exchange)
            reply = await self._transport(exchange).astream(call, left)
            body = await _body(reply, exchange)
            if exchange.is_failure(reply.status):
                raise exchange.read_failure(reply.status, reply.headers, body)
            exchange.keep(body)
            if exchange.is_long or is_long(body):
                return await self._off.run(exchange.whole, reply.status, reply.headers, body)
            await self._turns.wait()
            return exchange.whole(reply.status, reply.headers, body)

        try:
            return await _first(exchange, attempt)
        except DragomanError as error:
            failed = error
            if (tokens := await self._in_thread(lambda: exchange.local_count(failed))) is None:
                raise
            return exchange.answer_count(tokens)

    async def stream(self, exchange: GatewayExchange, line: Watch) -> Begun:
        """A stream that has begun. Raises DragomanError if no target begins one."""

        async def attempt(left: Timeouts) -> Begun:
            call, stall = await self._prepare_call(exchange), exchange.gateway.config.limits.stall
            transport = self._transport(exchange)
            # `line` bounds the time between the pieces of an answer
            reply = await in_time(transport.astream(call, replace(left, read=None)), stall)
            try:
                return await _begin_stream(exchange, line, reply, self._turns)
            except ReadError as error:
                await reply.aclose()
                raise unreadable(error) from error
            except BaseException as error:
                await reply.aclose()
                if isinstance(error, DragomanError) and (told := line.fault(error)) is not error:
                    raise told from error
                raise

        return await _first(exchange, attempt)

    async def passing(self, exchange: GatewayExchange) -> AsyncStreamReply:
        """The answer at an unknown path, as soon as it begins. Raises DragomanError."""

        async def attempt(left: Timeouts) -> AsyncStreamReply:
            call, stall = await self._prepare_call(exchange), exchange.gateway.config.limits.stall
            transport = self._transport(exchange)
            reply = await in_time(transport.astream(call, replace(left, read=None)), stall)
            if exchange.is_failure(reply.status):
                body = await in_time(_body(reply, exchange), stall)
                raise exchange.read_failure(reply.status, reply.headers, body)
            return reply

        return await _first(exchange, attempt)

    async def leave(self, begun: Begun) -> None:
        """Give the connection back; after a complete answer once the provider has closed it too.

        The provider mostly does so at once, and the connection then serves another call. That runs
        in a task of its own, as the client has its answer.
        """
        if not begun.relay.over or begun.relay.failed is not None:
            await begun.reply.aclose()
            return
        task = asyncio.create_task(read_out(begun))
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def aclose(self) -> None:
        """Close the connections of this loop."""
        for task in self._leaving:
            task.cancel()
        for transport in self._transports.values():
            await transport.aclose()
        if self._fetching is not None:
            self._fetching.shutdown(wait=False, cancel_futures=True)

    async def _prepare_call(self, exchange: GatewayExchange) -> HttpCall:
        """The call with its key; writing that waits, for media or counts, runs in a thread."""
        if not exchange.waits and exchange.is_long:
            call = await self._off.run(exchange.call)
        elif not exchange.waits:
            await self._turns.wait()
            call = exchange.call()
        else:  # not in the loop's default threads, which resolve the addresses of other hosts
            call = await self._in_thread(exchange.call)
        upstream = exchange.upstream
        if not upstream.keyless:
            call = await aauthorize(call, upstream.vendor, upstream.protocol, upstream.key)
        exchange.record.attempts += 1
        await self._turns.wait()  # a connection may have to be opened
        return call

    async def _in_thread(self, work: Callable[[], _T]) -> _T:
        if self._fetching is None:
            self._fetching = ThreadPoolExecutor(_FETCHING, "dragoman-media")
        return await asyncio.get_running_loop().run_in_executor(self._fetching, work)

    def _transport(self, exchange: GatewayExchange) -> AsyncTransport:
        return self._choose_transport(exchange.route.transport)

    def _choose_transport(self, name: str) -> AsyncTransport:
        if self._given is not None:
            return self._given
        found = self._transports.get(name)
        if found is None:
            found = self._transports[name] = choose_transport(name, asynchronous=True)
        return found


def build_stall_error(seconds: float) -> ProviderError:
    """The error for a provider that was silent for too long."""
    text = f"the provider sent nothing for {seconds:g} seconds"
    return Timeout(text, status=504, type="timeout_error", code="upstream.stalled")


async def in_time(work: Awaitable[_T], seconds: float) -> _T:
    """Wait for the provider. Raises Timeout after so many seconds."""
    try:
        async with asyncio.timeout(seconds):
            return await work
    except TimeoutError as error:
        raise build_stall_error(seconds) from error


async def _body(reply: AsyncStreamReply, exchange: GatewayExchange) -> bytes:
    """A whole body. Raises ProviderError for one that breaks off, or is larger than the bound."""
    most = exchange.gateway.config.limits.answer
    parts: list[bytes] = []
    try:
        async for part in reply:
            parts.append(part)
            most -= len(part)
            if most < 0:
                parts.clear()  # otherwise the error's traceback would keep them in memory
                raise unreadable(answer_too_large(exchange.gateway.config.limits.answer))
    except StreamBroken as error:  # no part of the answer has reached the client
        raise whole(error) from error
    else:
        return b"".join(parts)
    finally:
        parts.clear()  # so that the traceback of a refusal keeps no body
        await reply.aclose()


async def _begin_stream(
    exchange: GatewayExchange, line: Watch, reply: AsyncStreamReply, turns: Turns
) -> Begun:
    if exchange.is_failure(reply.status):
        body = await in_time(_body(reply, exchange), exchange.gateway.config.limits.stall)
        raise exchange.read_failure(reply.status, reply.headers, body)
    await turns.wait()
    relay = exchange.stream()
    line.watch(reply, relay)
    is_kept = exchange.record.kept is not None
    if isinstance(reply, Pouring) and not is_kept:
        pour: Callable[[Take], Awaitable[bool]] = reply.pour
    else:
        pour = partial(apour, aiter(_keep_chunks(reply, exchange) if is_kept else reply))
    data = b""

    def take(chunk: bytes) -> bool:
        nonlocal data
        data = relay.feed(chunk)
        return not data and not relay.over

    await pour(take)
    if not data and (relay.failed is None or relay.begun):
        data = relay.finish()
    if relay.failed is not None and not relay.begun:
        raise relay.failed
    return Begun(reply, pour, relay, data)


async def read_out(begun: Begun) -> None:
    """Read the bytes after the end of an answer, within bounds, and close."""
    left = LEFT_BYTES

    def take(chunk: bytes) -> bool:
        nonlocal left
        left -= len(chunk)
        return left >= 0

    try:
        async with asyncio.timeout(LEFT_SECONDS):
            await begun.pour(take)
    except (TimeoutError, ProviderError):  # the client has its answer already
        pass
    finally:
        await begun.reply.aclose()


async def _keep_chunks(reply: AsyncStreamReply, exchange: GatewayExchange) -> AsyncIterator[bytes]:
    async for chunk in reply:
        exchange.keep(chunk)
        yield chunk


async def _first(exchange: GatewayExchange, attempt: Callable[[Timeouts], Awaitable[_T]]) -> _T:
    """The result of the first target that does not fail temporarily."""
    while True:
        try:
            return await acalling(exchange.retries, exchange.route.timeouts, attempt)
        except DragomanError as error:
            exchange.go_on(error)
