"""Sending an exchange's calls in a loop: to the first target that answers, each as often as asked.

Errors before an answer has begun go to the next target; so does one that a provider tells as the
first event of a stream.
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
from ..exchange.exchange import GatewayExchange
from ..exchange.off_loop import OffLoop, is_long
from ..exchange.passing import answer_too_large
from ..exchange.relay import RelayStream
from ..surfaces import ClientAnswer
from .turns import Turns

_T = TypeVar("_T")
LEFT_SECONDS, LEFT_BYTES = 1.0, 2**16  # of what a provider may send behind the end of its answer

_FETCHING = 16  # requests whose media are fetched at once, in a worker


class Watch(Protocol):
    """Is told how a stream gets on."""

    def watch(self, reply: AsyncStreamReply, relay: RelayStream) -> None:
        """The provider has begun to answer."""

    def fault(self, error: DragomanError) -> DragomanError:
        """The error as it is told."""


class Begun(NamedTuple):
    """A stream of which the first bytes for the client are there; `pour` gives the provider's.

    See Pouring.
    """

    reply: AsyncStreamReply
    pour: Callable[[Take], Awaitable[bool]]
    relay: RelayStream
    first: bytes

    async def pieces(self) -> AsyncIterator[bytes]:
        """What the provider sends further, piece by piece."""
        taken: list[bytes] = []

        def take(piece: bytes) -> bool:
            taken.append(piece)
            return False

        while await self.pour(take):
            yield taken.pop()


class Sender:
    """Sends calls over one transport for each name, or over the one that is given."""

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
        """The whole answer. Raises DragomanError where no target gives one."""

        async def attempt(left: Timeouts) -> ClientAnswer:
            call = await self._sign_call(exchange)
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
        """A stream that has begun. Raises DragomanError where no target begins one."""

        async def attempt(left: Timeouts) -> Begun:
            call, stall = await self._sign_call(exchange), exchange.gateway.config.limits.stall
            transport = self._transport(exchange)
            # the pieces of an answer are watched by the line
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
        """The answer at a path that is not known here, as it begins. Raises DragomanError."""

        async def attempt(left: Timeouts) -> AsyncStreamReply:
            call, stall = await self._sign_call(exchange), exchange.gateway.config.limits.stall
            transport = self._transport(exchange)
            reply = await in_time(transport.astream(call, replace(left, read=None)), stall)
            if exchange.is_failure(reply.status):
                body = await in_time(_body(reply, exchange), stall)
                raise exchange.read_failure(reply.status, reply.headers, body)
            return reply

        return await _first(exchange, attempt)

    async def leave(self, begun: Begun) -> None:
        """Give the connection back; behind a whole answer once the provider has closed it too.

        That mostly follows at once, and the connection then serves another call. Nobody waits for
        it: the client has its answer.
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

    async def _sign_call(self, exchange: GatewayExchange) -> HttpCall:
        """The call with its key; what waits to be written, for media or counts, has a thread."""
        if not exchange.waits and exchange.is_long:
            call = await self._off.run(exchange.call)
        elif not exchange.waits:
            await self._turns.wait()
            call = exchange.call()
        else:  # not one of the loop's own threads, which find the addresses of other hosts
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
    """The error of a provider that fell silent."""
    text = f"the provider sent nothing for {seconds:g} seconds"
    return Timeout(text, status=504, type="timeout_error", code="upstream.stalled")


async def in_time(work: Awaitable[_T], seconds: float) -> _T:
    """What the provider gives. Raises Timeout if that takes too long."""
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
                parts.clear()  # which an error keeps as long as somebody has it
                raise unreadable(answer_too_large(exchange.gateway.config.limits.answer))
    except StreamBroken as error:  # of which nobody has seen anything
        raise whole(error) from error
    else:
        return b"".join(parts)
    finally:
        parts.clear()  # of a body that is refused, nothing stays in the traceback
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
    """Read what stands behind the end of an answer, for a short time, and close."""
    left = LEFT_BYTES

    def take(chunk: bytes) -> bool:
        nonlocal left
        left -= len(chunk)
        return left >= 0

    try:
        async with asyncio.timeout(LEFT_SECONDS):
            await begun.pour(take)
    except (TimeoutError, ProviderError):  # which the client need not know
        pass
    finally:
        await begun.reply.aclose()


async def _keep_chunks(reply: AsyncStreamReply, exchange: GatewayExchange) -> AsyncIterator[bytes]:
    async for chunk in reply:
        exchange.keep(chunk)
        yield chunk


async def _first(exchange: GatewayExchange, attempt: Callable[[Timeouts], Awaitable[_T]]) -> _T:
    """What the first target gives that does not fail in passing."""
    while True:
        try:
            return await acalling(exchange.retries, exchange.route.timeouts, attempt)
        except DragomanError as error:
            exchange.go_on(error)
