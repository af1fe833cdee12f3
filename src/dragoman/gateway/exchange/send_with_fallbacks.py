"""Sends an exchange's calls to the first target that answers, with retries.

If an error comes before an answer has begun, the next target is called; so it is if the first event
of a stream is an error.

The steps are the same for the server, for asynchronous SDKs and for SDKs in threads. They are
coroutines, and a subclass of Sender says how they wait: an event loop awaits, a thread blocks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any, Protocol, TypeAlias, TypeVar

from ...errors import DragomanError, ProviderError, ReadError, StreamBroken, Timeout
from ...transport.call import AsyncStreamReply, HttpCall, Pouring, Take, Timeouts, apour
from ...transport.errors import whole
from ...transport.retries import acalling
from ..bodies import unreadable
from ..surfaces import ClientAnswer
from .answer_parts import AnswerParts
from .beginning import broken_off
from .convert_stream import RelayStream
from .exchange import GatewayExchange
from .forward_bytes import answer_too_large
from .off_loop import LARGE
from .target_wire import Upstream

_T = TypeVar("_T")
Pour: TypeAlias = Callable[[Take], Coroutine[Any, Any, bool]]

_LEFT_SECONDS, _LEFT_BYTES = 1.0, 2**16  # bounds for what is read after the end of an answer


class Watch(Protocol):
    """Follows the progress of a stream."""

    def watch(self, reply: AsyncStreamReply, relay: RelayStream) -> None:
        """The provider has begun to answer, or to go on with its answer."""

    def leave(self) -> None:
        """The provider has paused; another call brings the rest of its answer."""

    def fault(self, error: DragomanError) -> DragomanError:
        """The error to report."""


class OpenStream:
    """A stream whose first bytes for the client have come; see `Sender.go_on` for what follows.

    Attributes:
        reply: The provider's answer, or the newest body of it.
        pour: Gives further bytes of the provider, as Pouring defines it.
        relay: Turns them into bytes for the client.
        first: The first bytes for the client of this body.
        line: Follows the progress.
        closed: Whether nobody reads on.
    """

    __slots__ = ("_left", "_since", "closed", "first", "line", "pour", "relay", "reply")

    def __init__(
        self,
        reply: AsyncStreamReply,
        pour: Pour,
        relay: RelayStream,
        first: bytes,
        line: Watch,
        left: Timeouts,
        since: float,
    ) -> None:
        self.reply, self.pour, self.relay, self.first = reply, pour, relay, first
        self.line = line
        self.closed = False
        self._left, self._since = left, since  # the timeouts for all bodies

    def remaining(self) -> Timeouts:
        """What is left of the timeouts. Raises Timeout if the total time is over."""
        return self._left.remaining(self._since)

    async def aclose(self) -> None:
        """Close the connection to the provider, also while another is being opened."""
        self.closed = True
        await self.reply.aclose()


class Sender(ABC):
    """Sends calls; a subclass has the transports, and says how to wait.

    Attributes:
        leaves_long: Whether long events of streams are read apart, as others would have to wait.
    """

    leaves_long = False

    async def fetch_answer(self, exchange: GatewayExchange) -> ClientAnswer:
        """The whole answer. Raises DragomanError if no target gives one."""
        parts = AnswerParts(exchange)

        async def attempt(left: Timeouts) -> ClientAnswer | HttpCall:
            parts.begin(left)
            return await ask(await self._prepare_call(exchange), left)

        async def ask(call: HttpCall, left: Timeouts) -> ClientAnswer | HttpCall:
            reply = await self._send(exchange, call, left)
            body = await _read_body(reply, exchange, parts.size)
            if exchange.is_failure(reply.status):
                raise exchange.read_failure(reply.status, reply.headers, body)
            exchange.keep(body)
            read = partial(parts.convert, reply.status, reply.headers, body)
            return await self._compute(exchange, read, body)

        async def ask_rest(call: HttpCall, left: Timeouts) -> ClientAnswer | HttpCall:
            return await ask(await self._sign_call(exchange, exchange.keep_call(call)), left)

        async def ask_all() -> ClientAnswer:
            answer = await self._call_targets(exchange, attempt)
            while isinstance(answer, HttpCall):
                try:
                    answer = await acalling(
                        exchange.retries, parts.remaining(), partial(ask_rest, answer), self._sleep
                    )
                except DragomanError as error:  # the next target begins the answer anew
                    exchange.go_on(error)
                    answer = await self._call_targets(exchange, attempt)
            return answer

        try:
            return await ask_all()
        except DragomanError as error:
            tokens = await self._compute_apart(partial(exchange.local_count, error))
            if tokens is None:
                raise
            return exchange.answer_count(tokens)

    async def open_stream(self, exchange: GatewayExchange, line: Watch) -> OpenStream:
        """A stream that has begun. Raises DragomanError if no target begins one."""

        async def attempt(left: Timeouts) -> OpenStream:
            since = monotonic()

            async def begin(reply: AsyncStreamReply) -> OpenStream:
                relay = exchange.open_relay()
                relay.leaves_long = self.leaves_long
                line.watch(reply, relay)
                pour = _find_pour(exchange, reply)
                first = await self._begin_stream(relay, pour)
                return OpenStream(reply, pour, relay, first, line, left, since)

            call = await self._prepare_call(exchange)
            return await self._open_body(exchange, call, left, line, begin)

        return await self._call_targets(exchange, attempt)

    async def go_on(self, exchange: GatewayExchange, begun: OpenStream, cut: bool = False) -> bool:
        """Open the next body, if the provider has paused the answer at the end of the last one.

        Its first bytes for the client are then `begun.first`. The call for it is repeated as long
        as no part of the answer has come.

        Args:
            exchange: The exchange.
            begun: The stream, which was read to the end of a body.
            cut: Whether an error ended that body.

        Returns:
            False if the answer has no further body.

        Raises:
            DragomanError: The next body cannot be had.
        """
        relay, line = begun.relay, begun.line
        if relay.ends_long:
            await self._compute_long(partial(relay.end_body, cut))
        else:
            relay.end_body(cut)
        if not relay.paused:
            return False
        is_over = relay.over
        body = await self._compute(exchange, relay.following)
        if body is None:
            return False
        line.leave()
        await (self.read_out(begun) if is_over else begun.reply.aclose())
        size = len(exchange.request.body)
        write = partial(exchange.upstream.written_call, body.written, size)
        call = exchange.keep_call(await self._compute(exchange, write))

        async def begin(reply: AsyncStreamReply) -> bytes:
            begun.reply = reply
            _check_open(begun)
            line.watch(reply, relay)
            body.begin()
            begun.pour = _find_pour(exchange, reply)
            await begun.pour(body.take)
            return body.finish()

        async def attempt(left: Timeouts) -> bytes:
            _check_open(begun)
            signed = await self._sign_call(exchange, call)
            return await self._open_body(exchange, signed, left, line, begin)

        held = await acalling(exchange.retries, begun.remaining(), attempt, self._sleep)
        begin_body = partial(relay.begin_body, held)
        is_long = len(held) > LARGE
        begun.first = await self._compute_long(begin_body) if is_long else begin_body()
        return True

    async def pass_through(self, exchange: GatewayExchange) -> AsyncStreamReply:
        """The answer at an unknown path, as soon as it begins. Raises DragomanError."""

        async def attempt(left: Timeouts) -> AsyncStreamReply:
            reply = await self._begin_answer(exchange, await self._prepare_call(exchange), left)
            await self._check_status(exchange, reply)
            return reply

        return await self._call_targets(exchange, attempt)

    async def read_long(self, relay: RelayStream) -> bytes:
        """The bytes for the client of the chunk that the relay has left."""
        return await self._compute_long(relay.read_long)

    async def finish(self, relay: RelayStream) -> bytes:
        """The last bytes for the client."""
        return await self._compute_long(relay.finish) if relay.ends_long else relay.finish()

    async def note_end(self, exchange: GatewayExchange, relay: RelayStream) -> None:
        """Copy into the record how a stream ended."""
        if relay.ends_long:
            await self._compute_long(partial(exchange.note_stream_end, relay))
        else:
            exchange.note_stream_end(relay)

    async def read_out(self, begun: OpenStream) -> None:
        """Read the bytes after the end of an answer, within bounds, and close.

        A provider mostly ends its answer at once, and the connection then serves another call.
        """
        left = _LEFT_BYTES

        def take(chunk: bytes) -> bool:
            nonlocal left
            left -= len(chunk)
            return left >= 0

        try:
            await self._in_time(begun.pour(take), _LEFT_SECONDS, begun.reply)
        except ProviderError:  # the client has its answer already
            pass
        finally:
            await begun.reply.aclose()

    @abstractmethod
    async def aclose(self) -> None:
        """Close what this sender has opened."""

    # -- the steps of an attempt -------------------------------------------------------------------

    async def _call_targets(
        self, exchange: GatewayExchange, attempt: Callable[[Timeouts], Awaitable[_T]]
    ) -> _T:
        """The result of the first target that does not fail temporarily."""
        while True:
            try:
                timeouts = exchange.route.timeouts
                begun = await acalling(exchange.retries, timeouts, attempt, self._sleep)
            except DragomanError as error:
                exchange.go_on(error)
            else:
                exchange.choice.note_answer()
                return begun

    async def _prepare_call(self, exchange: GatewayExchange) -> HttpCall:
        """The call with its key."""
        if exchange.waits:
            call = await self._compute_apart(exchange.call)
        else:
            call = await self._compute(exchange, exchange.call)
        return await self._sign_call(exchange, call)

    async def _sign_call(self, exchange: GatewayExchange, call: HttpCall) -> HttpCall:
        """The call with its key, once it may be sent."""
        if not exchange.upstream.keyless:
            call = await self._authorize(call, exchange.upstream)
        exchange.record.attempts += 1
        await self._take_turn()  # a connection may have to be opened
        return call

    async def _open_body(
        self,
        exchange: GatewayExchange,
        call: HttpCall,
        left: Timeouts,
        line: Watch,
        begin: Callable[[AsyncStreamReply], Awaitable[_T]],
    ) -> _T:
        """Send the call of a stream; the result of `begin`, which reads the beginning of it."""
        reply = await self._begin_answer(exchange, call, left)
        try:
            await self._check_status(exchange, reply)
            await self._take_turn()
            return await begin(reply)
        except ReadError as error:
            await reply.aclose()
            raise unreadable(error) from error
        except BaseException as error:
            await reply.aclose()
            if isinstance(error, DragomanError) and (told := line.fault(error)) is not error:
                raise told from error
            raise

    async def _begin_answer(
        self, exchange: GatewayExchange, call: HttpCall, left: Timeouts
    ) -> AsyncStreamReply:
        """The answer as soon as it begins."""
        # another bound is for the time between the pieces of an answer
        begin = self._send(exchange, call, replace(left, read=None))
        return await self._in_time(begin, exchange.gateway.config.limits.stall)

    async def _check_status(self, exchange: GatewayExchange, reply: AsyncStreamReply) -> None:
        """Raise ProviderError for an answer with a failure status."""
        if exchange.is_failure(reply.status):
            stall = exchange.gateway.config.limits.stall
            body = await self._in_time(_read_body(reply, exchange), stall, reply)
            raise exchange.read_failure(reply.status, reply.headers, body)

    async def _begin_stream(self, relay: RelayStream, pour: Pour) -> bytes:
        """The first bytes for the client. Raises ProviderError if the stream has none."""
        data = b""

        def take(chunk: bytes) -> bool:
            nonlocal data
            data = relay.feed(chunk)
            return not data and not relay.halted

        while not data and not relay.over and await pour(take):
            if relay.long:
                data = await self.read_long(relay)
        if not data:
            relay.end_body()
        if not data and not relay.paused and (relay.failed is None or relay.begun):
            data = await self.finish(relay)
        if relay.failed is not None and not relay.begun:
            raise relay.failed
        return data

    # -- what waits --------------------------------------------------------------------------------

    @abstractmethod
    def _send(
        self, exchange: GatewayExchange, call: HttpCall, timeouts: Timeouts
    ) -> Awaitable[AsyncStreamReply]: ...

    @abstractmethod
    def _authorize(self, call: HttpCall, upstream: Upstream) -> Awaitable[HttpCall]: ...

    @abstractmethod
    def _sleep(self, seconds: float) -> Awaitable[object]: ...

    @abstractmethod
    def _take_turn(self) -> Awaitable[None]:
        """Wait until a step that takes milliseconds may run."""

    @abstractmethod
    async def _in_time(
        self, work: Awaitable[_T], seconds: float, reply: AsyncStreamReply | None = None
    ) -> _T:
        """Wait for a call to be answered, or for the rest of `reply`; else raise Timeout."""

    async def _compute(
        self, exchange: GatewayExchange, work: Callable[[], _T], body: bytes = b""
    ) -> _T:
        """Do work on the request, or on the body of its answer."""
        return work()

    async def _compute_long(self, work: Callable[[], _T]) -> _T:
        """Do work that takes long; it has ended, even if this is cancelled."""
        return work()

    async def _compute_apart(self, work: Callable[[], _T]) -> _T:
        """Do work that waits for media or counts."""
        return work()


def build_stall_error(seconds: float) -> ProviderError:
    """The error for a provider that was silent for too long."""
    text = f"the provider sent nothing for {seconds:g} seconds"
    return Timeout(text, status=504, type="timeout_error", code="upstream.stalled")


async def _read_body(reply: AsyncStreamReply, exchange: GatewayExchange, earlier: int = 0) -> bytes:
    """A whole body. Raises ProviderError for one that breaks off, or is larger than the bound.

    `earlier` are the bytes of the same answer that have come before.
    """
    most = exchange.gateway.config.limits.answer - earlier
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


def _find_pour(exchange: GatewayExchange, reply: AsyncStreamReply) -> Pour:
    """What gives the pieces of a body, and adds them to the recording."""
    pour: Pour = reply.pour if isinstance(reply, Pouring) else partial(apour, aiter(reply))
    return pour if exchange.record.kept is None else _keep_pieces(pour, exchange)


def _check_open(begun: OpenStream) -> None:
    if begun.closed:
        raise broken_off()


def _keep_pieces(pour: Pour, exchange: GatewayExchange) -> Pour:
    """Add all pieces to the recording."""

    async def pour_and_keep(take: Take) -> bool:
        def keep(chunk: bytes) -> bool:
            exchange.keep(chunk)
            return take(chunk)

        return await pour(keep)

    return pour_and_keep
