"""Calls through httpx2, in threads or event loops; and streams of any client of httpx's family.

One Client serves all threads, one AsyncClient each loop. A forked process opens its own: two that
read from one connection would take each other's answers. A connection on which another thread waits
is shut down before it is closed, because closing alone would not wake that thread. The classes of
replies also serve official SDKs, some of which use `httpx` and some `httpx2`.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import socket
import threading
import time
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
)
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar
from weakref import WeakSet

from ..caches import remember
from ..errors import AnswerTooLarge, ConfigError, ProviderError
from .call import HttpCall, Reply, check_call, with_usual
from .errors import (
    Stage,
    build_broken_error,
    build_closed_error,
    find_reason,
    read_host,
    timed_out,
    too_large,
    whole,
)
from .response_heads import (
    CONNECTED,
    COUNTING,
    bounded_head,
    count_head,
    count_heads,
    trace_connection,
)
from .timeouts import Timeouts

if TYPE_CHECKING:
    import ssl

    import httpx2

_T = TypeVar("_T")
_KEPT = 100  # the most idle connections


class Httpx2Transport:
    """Sends through httpx2. It opens connections on use, and leaves them out of its pickle."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._client: httpx2.Client | None = None
        self._sockets: WeakSet[Any] = WeakSet()  # network streams of the sync client
        self._clients = PerLoop(_async_client, lambda client: client.aclose())
        new_after_fork(self)

    def after_fork(self) -> None:
        """Leave the connections to the parent: close the handles here without a shutdown."""
        self._lock = threading.Lock()  # a thread of the parent may have held it
        streams, self._sockets, self._client = list(self._sockets), WeakSet(), None
        for stream in streams:
            with contextlib.suppress(Exception):  # it may be closed already
                held = stream.get_extra_info("socket")
                if isinstance(held, socket.socket) and (handle := held.detach()) >= 0:
                    os.close(handle)  # a shutdown would end the parent's connection

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()

    def send(self, call: HttpCall, timeouts: Timeouts) -> Reply:
        """Send a call and return the whole answer; see Transport."""
        return read_all(self.stream, call, timeouts)

    def stream(self, call: HttpCall, timeouts: Timeouts) -> HttpxStream:
        """Send a call and return the answer after its headers; see Transport."""
        begun = time.monotonic()
        request = _request(check_call(call), timeouts)
        watch = None if timeouts.total is None else _Watch(timeouts.total)
        request.extensions["trace"] = partial(self._trace_connection, watch)
        try:
            with bounded_head(call.url), faults(call.url, timeouts, begun):
                response = self._sync().send(request, stream=True)
        except BaseException:
            if watch is not None:
                watch.cancel()
            raise
        return HttpxStream(response, call, timeouts, begun, watch)

    def close(self) -> None:
        """Close all connections of threads; calls under way end with an error at once."""
        with self._lock:
            client, self._client = self._client, None
            streams, self._sockets = list(self._sockets), WeakSet()
        for stream in streams:
            _shut(stream)
        if client is not None:
            client.close()

    async def asend(self, call: HttpCall, timeouts: Timeouts) -> Reply:
        """Send a call and return the whole answer; see AsyncTransport."""
        return await aread_all(self.astream, call, timeouts)

    async def astream(self, call: HttpCall, timeouts: Timeouts) -> AsyncHttpxStream:
        """Send a call and return the answer after its headers; see AsyncTransport."""
        begun = time.monotonic()
        request = _request(check_call(call), timeouts)
        client = await self._clients.get()
        if client not in COUNTING:
            request.extensions["trace"] = trace_connection
        with bounded_head(call.url), faults(call.url, timeouts, begun):
            async with asyncio.timeout(timeouts.total):
                response = await client.send(request, stream=True)
        return AsyncHttpxStream(response, call, timeouts, begun)

    async def aclose(self) -> None:
        """Close all connections of this loop."""
        await self._clients.aclose()

    def _sync(self) -> httpx2.Client:
        client = self._client
        if client is None:
            import httpx2

            with self._lock:
                if self._client is None:
                    self._client = httpx2.Client(
                        timeout=None, limits=_limits(), verify=_certificates()
                    )
                client = self._client
        return client

    def _trace_connection(self, watch: _Watch | None, event: str, info: Mapping[str, Any]) -> None:
        """Record every new connection, for `close` in another thread and for the watch."""
        if event.endswith(CONNECTED):
            self._sockets.add(info["return_value"])
            count_head(info["return_value"])
            if watch is not None:
                watch.stream = info["return_value"]


class Forked(Protocol):
    """An object whose connections and locks a forked process must not share."""

    def after_fork(self) -> None:
        """Called in the new process before anything else uses the object."""


_FORKED: WeakSet[Forked] = WeakSet()
_INHERITED: list[object] = []  # kept alive: closing them would affect the parent


def new_after_fork(value: Forked) -> None:
    """Register an object whose `after_fork` is called in every process forked from now on."""
    _FORKED.add(value)


def _renew() -> None:
    for value in list(_FORKED):
        value.after_fork()


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=_renew)


class PerLoop(Generic[_T]):
    """An object for each event loop: created on use, closed with the loop or before."""

    def __init__(self, make: Callable[[], _T], close: Callable[[_T], Awaitable[Any]]) -> None:
        self._make = make
        self._close = close
        self._lock = threading.Lock()
        self._held: dict[Any, tuple[_T, AsyncGenerator[None]]] = {}
        new_after_fork(self)

    def after_fork(self) -> None:
        """Leave the objects of the parent's loops alone: the processes share a selector."""
        _INHERITED.append(self._held)
        self._lock, self._held = threading.Lock(), {}

    async def get(self) -> _T:
        """The object of the running loop."""
        loop = asyncio.get_running_loop()
        held = self._held.get(loop)
        if held is None:
            made = self._make()
            keeper = self._keeper(made)
            with self._lock:
                kept = {one: row for one, row in self._held.items() if not one.is_closed()}
                self._held = {**kept, loop: (made, keeper)}
            await anext(keeper)
            return made
        return held[0]

    async def aclose(self) -> None:
        """Close the object of the running loop, if it has one."""
        with self._lock:
            held = self._held.pop(asyncio.get_running_loop(), None)
        if held is not None:
            await held[1].aclose()

    async def _keeper(self, made: _T) -> AsyncGenerator[None]:
        """Close the object when the loop shuts its generators down, as `asyncio.run` does."""
        try:
            yield
        finally:
            await self._close(made)


def _async_client() -> httpx2.AsyncClient:
    import httpx2

    client = httpx2.AsyncClient(timeout=None, limits=_limits(), verify=_certificates())
    count_heads(client)
    return client


def _certificates() -> ssl.SSLContext:
    return _load_certificates(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@remember(
    "the certificates that clients of httpx2 trust; loading takes 50 ms", entries=2, size=2**21
)
def _load_certificates(_file: str | None, _folder: str | None) -> ssl.SSLContext:
    """The certificates that httpx2 trusts by default; it reads two variables of the environment."""
    import httpx2

    return httpx2.create_ssl_context()


def _limits() -> httpx2.Limits:
    import httpx2

    return httpx2.Limits(max_connections=None, max_keepalive_connections=_KEPT)


def _request(call: HttpCall, timeouts: Timeouts) -> httpx2.Request:
    import httpx2

    try:
        return httpx2.Request(
            call.method,
            call.url,
            headers=with_usual(call),
            content=call.body,
            extensions={"timeout": convert_timeouts(timeouts)},
        )
    except httpx2.InvalidURL as error:
        text = f"this is no URL: {find_reason(error)}"
        raise ConfigError(text, hint="check base_url", code="url.form") from None


def convert_timeouts(timeouts: Timeouts) -> dict[str, float | None]:
    """The four timeouts of httpx; none exceeds the total time of the call."""

    def least(seconds: float | None) -> float | None:
        values = [value for value in (seconds, timeouts.total) if value is not None]
        return min(values, default=None)

    connect, read = least(timeouts.connect), least(timeouts.read)
    return {"connect": connect, "read": read, "write": read, "pool": connect}


@contextlib.contextmanager
def faults(url: str, timeouts: Timeouts, begun: float, stage: Stage = "answer") -> Iterator[None]:
    """Turn exceptions of httpx or httpx2, and the end of the total time, into our errors."""
    try:
        yield
    except Exception as error:
        made = fault(error, url, timeouts, begun, stage)
        if made is None:
            raise
        raise made from (None if isinstance(made, ConfigError) else error)


# exceptions of httpx's family, and of anyio below it, for a connection that is cut
_BREAKS = frozenset(
    {
        "TransportError",
        "StreamError",
        "DecodingError",
        "ClosedResourceError",
        "BrokenResourceError",
        "EndOfStream",
    }
)


def fault(
    error: Exception, url: str, timeouts: Timeouts, begun: float, stage: Stage
) -> ProviderError | ConfigError | None:
    """The typed error for an exception of httpx's family; None for any other."""
    names = {kind.__name__ for kind in type(error).__mro__}
    late = timeouts.total is not None and time.monotonic() - begun >= timeouts.total
    is_cut = bool(names & _BREAKS) or isinstance(error, OSError)
    if isinstance(error, TimeoutError) or (late and is_cut):
        return timed_out(url, stage, timeouts.total, total=True)  # cut by the watch
    if "TimeoutException" in names:
        connecting = names & {"ConnectTimeout", "PoolTimeout"}
        seconds = timeouts.connect if connecting else timeouts.read
        return timed_out(url, "connect" if connecting else stage, seconds)
    if names & {"LocalProtocolError", "UnsupportedProtocol", "InvalidURL"}:
        text = "the request is none that HTTP allows"  # the library would quote a header
        return ConfigError(text, hint="check base_url and headers", code="request.form")
    if names & {"ConnectError", "ProxyError"} and stage == "answer":
        return build_broken_error(url, "connect", find_reason(error))
    if names & {"TransportError", "StreamError", "DecodingError"} or isinstance(error, OSError):
        return build_broken_error(url, stage, find_reason(error))
    if names & {"ClosedResourceError", "BrokenResourceError", "EndOfStream"}:  # of anyio
        return build_broken_error(url, stage, "the connection is closed")
    return None


class _Received:
    """Status, headers and state of an answer that a client of httpx's family receives."""

    def __init__(self, response: Any, call: HttpCall, timeouts: Timeouts, begun: float) -> None:
        self._response = response
        self._url = call.url
        self._most = call.max_answer_bytes
        self._timeouts = timeouts
        self._begun = begun
        self._closed = False
        self.status: int = response.status_code
        self.headers: Mapping[str, str] = {
            name.lower(): text for name, text in response.headers.items()
        }

    def _unpacks(self) -> bool:
        """Whether httpx has to unpack the bytes, or has read them already."""
        packed = self.headers.get("content-encoding", "identity") != "identity"
        return packed or bool(self._response.is_stream_consumed)

    def _deadline(self) -> float | None:
        """The seconds until the end of the total time."""
        total = self._timeouts.total
        return None if total is None else max(0.0, total - (time.monotonic() - self._begun))

    def _build_size_error(self) -> ProviderError:
        return too_large(read_host(self._url), self._most or 0)

    def _translate_error(self, error: Exception) -> BaseException | None:
        if isinstance(error, AnswerTooLarge):
            return None
        if self._closed:
            return build_closed_error(self._url)
        return fault(error, self._url, self._timeouts, self._begun, "body")


class _Watch:
    """Cuts a connection at the end of the total time, even if bytes still come.

    Before the headers have come, `stream` is known only for new connections, because httpcore's
    trace does not name one that it uses again.
    """

    def __init__(self, seconds: float) -> None:
        self.stream: Any = None
        self._timer = threading.Timer(seconds, self._cut)
        self._timer.daemon = True
        self._timer.start()

    def _cut(self) -> None:
        if self.stream is not None:
            _shut(self.stream)

    def cancel(self) -> None:
        """Stop watching: the answer has come, or its caller has left."""
        self._timer.cancel()


class HttpxStream(_Received):
    """A StreamReply over a response of httpx or httpx2."""

    def __init__(
        self,
        response: Any,
        call: HttpCall,
        timeouts: Timeouts,
        begun: float,
        watch: _Watch | None = None,
    ) -> None:
        super().__init__(response, call, timeouts, begun)
        if watch is None and timeouts.total is not None:  # for a client other than ours
            watch = _Watch(max(0.0, timeouts.total - (time.monotonic() - begun)))
        self._watch = watch
        if watch is not None:
            watch.stream = response.extensions.get("network_stream")
        self._reading = threading.Lock()

    def __iter__(self) -> Iterator[bytes]:
        response = self._response
        pieces = response.iter_bytes() if self._unpacks() else response.iter_raw()
        ended = False
        left = math.inf if self._most is None else self._most
        try:
            while True:
                with self._reading:  # a closing thread leaves the rest to this one
                    piece = next(pieces, None)
                if piece is None:
                    break
                left -= len(piece)
                if left < 0:
                    raise self._build_size_error()  # noqa: TRY301 - closes the connection below
                yield piece
            if self._closed or self._deadline() == 0.0:
                raise OSError("closed while it was read")  # noqa: TRY301 - translated below
            ended = True
        except Exception as error:
            made = self._translate_error(error)
            if made is None:
                raise
            raise made from error
        finally:
            if self._watch is not None:
                self._watch.cancel()
            if not ended:
                self._closed = True
                response.close()

    def read(self) -> bytes:
        """Read the whole body; see StreamReply."""
        return join_pieces(self)

    def close(self) -> None:
        """Close the connection, from any thread; see StreamReply."""
        if self._watch is not None:
            self._watch.cancel()
        if self._response.is_closed:
            return
        self._closed = True
        self._cut()
        if self._reading.acquire(blocking=False):
            try:
                with contextlib.suppress(OSError, ValueError):  # ValueError: the generator runs
                    self._response.close()
            finally:
                self._reading.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _cut(self) -> None:
        if (stream := self._response.extensions.get("network_stream")) is not None:
            _shut(stream)


class AsyncHttpxStream(_Received):
    """An AsyncStreamReply over a response of httpx or httpx2."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        response = self._response
        pieces = response.aiter_bytes() if self._unpacks() else response.aiter_raw()
        ended = False
        left = math.inf if self._most is None else self._most
        try:
            async for piece in pieces if self._timeouts.total is None else self._in_time(pieces):
                left -= len(piece)
                if left < 0:
                    raise self._build_size_error()  # noqa: TRY301 - closes the connection below
                yield piece
                if self._closed:
                    break
            if self._closed:
                raise OSError("closed while it was read")  # noqa: TRY301 - translated below
            ended = True
        except Exception as error:
            made = self._translate_error(error)
            if made is None:
                raise
            raise made from error
        finally:
            if not ended:
                await self.aclose()

    async def _in_time(self, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        while True:
            async with asyncio.timeout(self._deadline()):
                piece = await anext(pieces, None)
            if piece is None:
                return
            yield piece

    async def read(self) -> bytes:
        """Read the whole body; see AsyncStreamReply."""
        return await ajoin_pieces(self)

    async def aclose(self) -> None:
        """Close the connection; see AsyncStreamReply."""
        if self._response.is_closed:
            return
        self._closed = True
        await self._response.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def join_pieces(pieces: Iterable[bytes]) -> bytes:
    """The whole body. If it breaks off or is too large, the traceback holds no part of it."""
    parts: list[bytes] = []
    try:
        parts.extend(pieces)
        return b"".join(parts)
    finally:
        parts.clear()


async def ajoin_pieces(pieces: AsyncIterable[bytes]) -> bytes:
    """The whole body, for event loops; see `join_pieces`."""
    parts: list[bytes] = []
    try:
        async for piece in pieces:
            parts.append(piece)  # noqa: PERF401 - cleared on failure
        return b"".join(parts)
    finally:
        parts.clear()


def read_all(
    stream: Callable[[HttpCall, Timeouts], Any], call: HttpCall, timeouts: Timeouts
) -> Reply:
    """The whole answer of a call, through a transport's function that streams."""
    reply = stream(call, timeouts)
    try:
        return Reply(reply.status, reply.headers, reply.read())
    except ProviderError as error:
        if (made := whole(error)) is error:
            raise
        raise made from error
    finally:
        reply.close()


async def aread_all(
    stream: Callable[[HttpCall, Timeouts], Any], call: HttpCall, timeouts: Timeouts
) -> Reply:
    """The whole answer of a call, for event loops; see `read_all`."""
    reply = await stream(call, timeouts)
    try:
        return Reply(reply.status, reply.headers, await reply.read())
    except ProviderError as error:
        if (made := whole(error)) is error:
            raise
        raise made from error
    finally:
        await reply.aclose()


def _shut(stream: Any) -> None:
    """Shut a connection down in both directions, which wakes the thread that reads from it."""
    with contextlib.suppress(Exception):  # it may be closed already
        held = stream.get_extra_info("socket")
        if isinstance(held, socket.socket):
            socket.socket.shutdown(held, socket.SHUT_RDWR)  # TLS's own shutdown would wait
