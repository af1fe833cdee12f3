"""The time-outs of official SDKs, on the calls that the gateway makes for them.

An SDK gives its time-outs to its HTTP client, which passes them to a transport with each request.
They bound the calls to providers, in addition to the route's own and to `limits.stall`. When a
time-out of the SDK has passed, the exception is that of the SDK's HTTP library, which the SDK
handles: no further target is called.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from threading import Timer
from time import monotonic
from typing import Any

from ...errors import DragomanError, ProviderError
from ...transport.answer_bounds import AsyncWrappedReply, WrappedReply
from ...transport.call import (
    AsyncStreamReply,
    AsyncTransport,
    HttpCall,
    Reply,
    StreamReply,
    Timeouts,
    Transport,
)
from ...transport.over_httpx2 import aread_all, read_all
from ..exchange.convert_stream import RelayStream
from ..exchange.send_with_fallbacks import build_stall_error
from ..server.asgi_client import LINGER

_SOON = 0.001  # seconds: stands for a time-out of 0, which transports do not accept


def find_library(request: Any) -> Any:
    """The HTTP library of the SDK: httpx2 or httpx."""
    return import_module(type(request).__module__.partition(".")[0])


class SdkTimeouts:
    """The time-outs of one request, and how long its provider has been silent.

    `connect` and `read` have the meaning that httpx2 gives them: for the connection, and for the
    time without a byte. `pool` is ignored, as connections are not bounded in number, and sending
    counts as reading.

    Args:
        request: The SDK's request, as an object of its HTTP library.
        stall: Seconds after which a silent stream fails; signs of life do not end a silence.
    """

    def __init__(self, request: Any, stall: float) -> None:
        given: Mapping[str, Any] = request.extensions.get("timeout") or {}
        self._request = request
        self._connect = _seconds(given.get("connect"))
        self._read = _seconds(given.get("read"))
        self.stall = stall
        self._relay: RelayStream | None = None
        self._progress = 0
        self._silent = 0.0

    def watch(self, reply: object, relay: RelayStream) -> None:
        """Begin to watch the answer, as Watch asks for."""
        self._relay, self._progress, self._silent = relay, relay.progress, 0.0

    def leave(self) -> None:
        """Do nothing: the calls themselves have time-outs."""

    def fault(self, error: DragomanError) -> DragomanError:
        """Return the error unchanged, as Watch allows."""
        return error

    def limit_timeouts(self, given: Timeouts) -> Timeouts:
        """These time-outs, or the SDK's where they are shorter; `stall` where `read` is None."""
        read = self.stall if given.read is None else given.read
        return replace(
            given, connect=_least(given.connect, self._connect), read=_least(read, self._read)
        )

    def note_wait(self, seconds: float) -> None:
        """Note how long a piece took. Raises Timeout if only signs of life came for too long."""
        if self._relay is None or self._relay.progress != self._progress:
            self._silent = 0.0
            self._progress = 0 if self._relay is None else self._relay.progress
        self._silent += seconds
        if self._silent >= self.stall:
            raise build_stall_error(self.stall)

    @property
    def linger(self) -> float | None:
        """Seconds to wait for bytes after a complete answer or body; None before its end."""
        relay = self._relay
        ends = relay is not None and (relay.whole or relay.paused)
        return min(self.stall, LINGER) if ends else None

    def translate_error(self, error: ProviderError, given: Timeouts) -> Exception:
        """The SDK's own exception if its time-out has passed; otherwise the error unchanged."""
        over = self._relay is not None and self._relay.whole  # the SDK has the complete answer
        if error.body is not None or over:  # the provider has answered
            return error
        if error.type == "connect_timeout" and _is_first(self._connect, given.connect):
            return self._timeout("ConnectTimeout", error)
        if error.type == "read_timeout":
            if _is_first(self._read, self.stall if given.read is None else given.read):
                return self._timeout("ReadTimeout", error)
            if given.read is None:
                return build_stall_error(self.stall)
        return error

    def _timeout(self, name: str, error: ProviderError) -> Exception:
        kind = getattr(find_library(self._request), name)
        made: Exception = kind(error.message, request=self._request)
        return made


def _seconds(value: object) -> float | None:
    return max(float(value), _SOON) if isinstance(value, (int, float)) else None


def _least(one: float | None, other: float | None) -> float | None:
    return min((value for value in (one, other) if value is not None), default=None)


def _is_first(own: float | None, other: float | None) -> bool:
    return own is not None and (other is None or own <= other)


class Bounded:
    """A Transport for one request, bounded by the SDK's time-outs.

    Beside the errors of a Transport it raises the time-out exceptions of the SDK's library.
    """

    def __init__(self, transport: Transport, patience: SdkTimeouts) -> None:
        self._transport = transport
        self._patience = patience

    def send(self, call: HttpCall, timeouts: Timeouts) -> Reply:
        """Send a call and read the whole answer."""
        return read_all(self.stream, call, timeouts)

    def stream(self, call: HttpCall, timeouts: Timeouts) -> StreamReply:
        """Send a call; returns as soon as the answer begins."""
        try:
            reply = self._transport.stream(call, self._patience.limit_timeouts(timeouts))
        except ProviderError as error:
            if (made := self._patience.translate_error(error, timeouts)) is error:
                raise
            raise made from error
        return _BoundedReply(reply, self._patience, timeouts)

    def close(self) -> None:
        """Close nothing: other requests use the same connections."""


class _BoundedReply(WrappedReply):
    """A StreamReply that fails when a time-out of the SDK has passed."""

    def __init__(self, reply: StreamReply, patience: SdkTimeouts, given: Timeouts) -> None:
        super().__init__(reply)
        self._patience = patience
        self._given = given

    def __iter__(self) -> Iterator[bytes]:
        pieces, patience = iter(self._reply), self._patience
        try:
            while True:
                since, linger = monotonic(), patience.linger
                piece = next(pieces, None) if linger is None else self._last(pieces, linger)
                if piece is None:
                    return
                patience.note_wait(monotonic() - since)
                yield piece
        except ProviderError as error:
            self._reply.close()
            if (made := patience.translate_error(error, self._given)) is error:
                raise
            raise made from error

    def _last(self, pieces: Iterator[bytes], linger: float) -> bytes | None:
        """The next piece after a complete answer, if one comes in time."""
        watch = Timer(linger, self._reply.close)
        watch.daemon = True
        watch.start()
        try:
            return next(pieces, None)
        finally:
            watch.cancel()


class AsyncBounded:
    """An AsyncTransport for one request, bounded by the SDK's time-outs."""

    def __init__(self, transport: AsyncTransport, patience: SdkTimeouts) -> None:
        self._transport = transport
        self._patience = patience

    async def asend(self, call: HttpCall, timeouts: Timeouts) -> Reply:
        """Send a call and read the whole answer."""
        return await aread_all(self.astream, call, timeouts)

    async def astream(self, call: HttpCall, timeouts: Timeouts) -> AsyncStreamReply:
        """Send a call; returns as soon as the answer begins."""
        try:
            reply = await self._transport.astream(call, self._patience.limit_timeouts(timeouts))
        except ProviderError as error:
            if (made := self._patience.translate_error(error, timeouts)) is error:
                raise
            raise made from error
        return _AsyncBoundedReply(reply, self._patience, timeouts)

    async def aclose(self) -> None:
        """Close nothing: other requests use the same connections."""


class _AsyncBoundedReply(AsyncWrappedReply):
    """An AsyncStreamReply that fails when a time-out of the SDK has passed."""

    def __init__(self, reply: AsyncStreamReply, patience: SdkTimeouts, given: Timeouts) -> None:
        super().__init__(reply)
        self._patience = patience
        self._given = given

    async def __aiter__(self) -> AsyncIterator[bytes]:
        pieces, patience = aiter(self._reply), self._patience
        try:
            while True:
                since, linger = monotonic(), patience.linger
                last = linger is not None
                piece = await (self._last(pieces, linger) if last else anext(pieces, None))
                if piece is None:
                    return
                patience.note_wait(monotonic() - since)
                yield piece
        except ProviderError as error:
            await self._reply.aclose()
            if (made := patience.translate_error(error, self._given)) is error:
                raise
            raise made from error

    async def _last(self, pieces: AsyncIterator[bytes], linger: float | None) -> bytes | None:
        """The next piece after a complete answer, if one comes in time."""
        try:
            async with asyncio.timeout(linger):
                return await anext(pieces, None)
        except TimeoutError as error:
            raise build_stall_error(linger or 0.0) from error
