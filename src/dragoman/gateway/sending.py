"""Sending an exchange's calls in a loop: to the first target that answers, each as often as asked.

Errors before an answer has begun go to the next target; so does one that a provider tells as the
first event of a stream.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple, Protocol, TypeVar

from .._core.edges.http.credentials import aauthorized
from .._core.edges.http.retries import PASSING, acalling
from .._core.edges.http.transport import (
    AsyncStreamReply,
    AsyncTransport,
    HttpCall,
    Pouring,
    Take,
    Timeouts,
    poured,
    transport_of,
)
from ..errors import DragomanError, ProviderError, ReadError, Timeout
from .exchange import Exchange, unreadable
from .relay import AnswerStream
from .surface import Answer

_T = TypeVar("_T")


class Watch(Protocol):
    """Is told how a stream gets on."""

    def watch(self, reply: AsyncStreamReply, relay: AnswerStream) -> None:
        """The provider has begun to answer."""

    def fault(self, error: DragomanError) -> DragomanError:
        """The error as it is told."""


class Begun(NamedTuple):
    """A stream of which the first bytes for the client are there.

    What follows is in `chunks`, or comes by `pour` (see Pouring): one of both.
    """

    reply: AsyncStreamReply
    chunks: AsyncIterator[bytes]
    pour: Callable[[Take], Awaitable[bool]]
    relay: AnswerStream
    first: bytes


class Sender:
    """Sends calls over one transport for each name, or over the one that is given."""

    def __init__(self, transport: AsyncTransport | None = None) -> None:
        self._given = transport
        self._transports: dict[str, AsyncTransport] = {}

    async def whole(self, exchange: Exchange) -> Answer:
        """The whole answer. Raises DragomanError where no target gives one."""

        async def attempt(left: Timeouts) -> Answer:
            call = await _signed(exchange)
            reply = await self._transport(exchange).asend(call, left)
            if exchange.is_failure(reply.status):
                raise exchange.failed(reply.status, reply.headers, reply.body)
            exchange.keep(reply.body)
            return exchange.whole(reply.status, reply.headers, reply.body)

        try:
            return await _first(exchange, attempt)
        except DragomanError:
            if (tokens := exchange.local_count()) is None:
                raise
            return exchange.counted(tokens)

    async def stream(self, exchange: Exchange, line: Watch) -> Begun:
        """A stream that has begun. Raises DragomanError where no target begins one."""

        async def attempt(left: Timeouts) -> Begun:
            call, stall = await _signed(exchange), exchange.gateway.config.limits.stall
            transport = self._transport(exchange)
            # the pieces of an answer are watched by the line
            reply = await _in_time(transport.astream(call, replace(left, read=None)), stall)
            try:
                return await _begun(exchange, line, reply)
            except ReadError as error:
                await reply.aclose()
                raise unreadable(error) from error
            except BaseException as error:
                await reply.aclose()
                if isinstance(error, DragomanError) and (told := line.fault(error)) is not error:
                    raise told from error
                raise

        return await _first(exchange, attempt)

    async def aclose(self) -> None:
        """Close the connections of this loop."""
        for transport in self._transports.values():
            await transport.aclose()

    def _transport(self, exchange: Exchange) -> AsyncTransport:
        if self._given is not None:
            return self._given
        name = exchange.route.transport
        found = self._transports.get(name)
        if found is None:
            found = self._transports[name] = transport_of(name, asynchronous=True)
        return found


def stalled(seconds: float) -> ProviderError:
    """The error of a provider that fell silent."""
    text = f"the provider sent nothing for {seconds:g} seconds"
    return Timeout(text, status=504, type="timeout_error", code="upstream.stalled")


async def _in_time(work: Awaitable[_T], seconds: float) -> _T:
    """What the provider gives. Raises Timeout if that takes too long."""
    try:
        async with asyncio.timeout(seconds):
            return await work
    except TimeoutError as error:
        raise stalled(seconds) from error


async def _begun(exchange: Exchange, line: Watch, reply: AsyncStreamReply) -> Begun:
    if exchange.is_failure(reply.status):
        body = await _in_time(reply.read(), exchange.gateway.config.limits.stall)
        raise exchange.failed(reply.status, reply.headers, body)
    relay = exchange.stream()
    line.watch(reply, relay)
    is_kept = exchange.record.kept is not None
    chunks = aiter(_kept(reply, exchange) if is_kept else reply)
    pour = reply.pour if isinstance(reply, Pouring) and not is_kept else partial(poured, chunks)
    data = b""

    def take(chunk: bytes) -> bool:
        nonlocal data
        data = relay.feed(chunk)
        return not data and (relay.failed is None or relay.begun)

    if not await pour(take):
        data = relay.finish()
    if relay.failed is not None and not relay.begun:
        raise relay.failed
    return Begun(reply, chunks, pour, relay, data)


async def _kept(reply: AsyncStreamReply, exchange: Exchange) -> AsyncIterator[bytes]:
    async for chunk in reply:
        exchange.keep(chunk)
        yield chunk


async def _first(exchange: Exchange, attempt: Callable[[Timeouts], Awaitable[_T]]) -> _T:
    """What the first target gives that does not fail in passing."""
    route, record = exchange.route, exchange.record

    async def counted(left: Timeouts) -> _T:
        record.attempts += 1
        return await attempt(left)

    while True:
        try:
            return await acalling(route.retries, route.timeouts, counted)
        except ProviderError as error:
            if error.kind not in PASSING or not exchange.next_target():
                raise


async def _signed(exchange: Exchange) -> HttpCall:
    if exchange.route.fetch is None:
        call = exchange.call()
    else:  # media of the web are waited for
        call = await asyncio.to_thread(exchange.call)
    upstream = exchange.upstream
    if upstream.keyless:
        return call
    return await aauthorized(call, upstream.vendor, upstream.protocol, upstream.key)
