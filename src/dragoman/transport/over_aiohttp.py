"""Calls through aiohttp, in an event loop: a seventh of what httpx2 costs per call.

Each loop has one session, which is closed with it. aiohttp does not retry our calls by itself,
because a POST is not idempotent.
"""

from __future__ import annotations

import asyncio
import math
import time
from base64 import b64encode
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import unquote, urlsplit, urlunsplit

from ..caches import remember
from ..errors import AnswerTooLarge, ConfigError, ProviderError
from .call import HttpCall, Reply, Take, apour, check_call, with_usual
from .errors import (
    Stage,
    build_broken_error,
    build_closed_error,
    find_reason,
    read_host,
    timed_out,
    too_large,
)
from .over_httpx2 import PerLoop, ajoin_pieces, aread_all
from .timeouts import Timeouts

if TYPE_CHECKING:
    import aiohttp

_CUT = "the connection was closed before the end"
_INTERIM = 100  # the most answers of status 1xx before the final one
_LONGEST_LINE = 65536  # bytes of a header; some proxies exceed aiohttp's 8190


class AiohttpTransport:
    """Sends through aiohttp. It opens connections on use, and leaves them out of its pickle."""

    def __init__(self) -> None:
        self._sessions = PerLoop(_session, lambda session: session.close())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()

    async def asend(self, call: HttpCall, timeouts: Timeouts) -> Reply:
        """Send a call and return the whole answer; see AsyncTransport."""
        return await aread_all(self.astream, call, timeouts)

    async def astream(self, call: HttpCall, timeouts: Timeouts) -> AiohttpStream:
        """Send a call and return the answer after its headers; see AsyncTransport."""
        import aiohttp
        from yarl import URL

        begun = time.monotonic()
        check_call(call)
        session = await self._sessions.get()
        limits = aiohttp.ClientTimeout(
            total=timeouts.total, connect=timeouts.connect, sock_read=timeouts.read
        )
        try:
            url = URL(call.url, encoded=True)
            proxy, told = find_proxy(url.scheme, url.host or "")
            headers = with_usual(call)
            to_proxy = {"proxy-authorization": told} if told else {}
            if url.scheme == "http":  # the proxy reads the request itself
                headers.update(to_proxy)
            response = await session.request(
                call.method,
                url,
                data=call.body or None,
                headers=headers,
                timeout=limits,
                allow_redirects=False,
                proxy=proxy,
                proxy_headers=to_proxy or None,
            )
        except Exception as error:
            made = fault(error, call.url, timeouts, begun, "answer")
            if made is None:
                raise
            raise made from (None if isinstance(made, ConfigError) else error)
        return AiohttpStream(response, call, timeouts, begun)

    async def aclose(self) -> None:
        """Close all connections of this loop."""
        await self._sessions.aclose()


def _session() -> aiohttp.ClientSession:
    import aiohttp

    return aiohttp.ClientSession(
        response_class=_answer_class(),
        connector=aiohttp.TCPConnector(limit=0),
        cookie_jar=aiohttp.DummyCookieJar(),
        max_line_size=_LONGEST_LINE,
        max_field_size=_LONGEST_LINE,
    )


def _answer_class() -> type[aiohttp.ClientResponse]:
    """Aiohttp's response class with a limit on answers of status 1xx before the final one.

    Any number may come (RFC 9110, 15.2), and aiohttp drops them one by one without end.
    """
    import aiohttp

    class Answer(aiohttp.ClientResponse):
        async def start(self, connection: Any) -> aiohttp.ClientResponse:
            protocol, left = connection.protocol, _INTERIM
            usual = protocol.read

            async def read() -> Any:
                nonlocal left
                left -= 1
                if left < 0:
                    raise aiohttp.ClientPayloadError("it sends no end of answers of status 1xx")
                return await usual()

            protocol.read = read
            try:
                return await super().start(connection)
            finally:
                del protocol.read

    return Answer


@remember("the proxy of each host", entries=64, size=2**12)
def find_proxy(scheme: str, host: str) -> tuple[str | None, str | None]:
    """The proxy that the environment names for a host, and its authorization header.

    aiohttp's own `trust_env` looks it up for every call, which costs more than the call, and also
    takes credentials from a .netrc.
    """
    from urllib.request import getproxies, proxy_bypass

    proxies = getproxies()
    found = proxies.get(scheme) or proxies.get("all")
    if not found or proxy_bypass(host):
        return None, None
    parts = urlsplit(found if "://" in found else f"http://{found}")
    told = None
    if parts.username is not None:
        words = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        told = f"Basic {b64encode(words).decode()}"
    netloc = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=netloc)), told


def fault(
    error: Exception, url: str, timeouts: Timeouts, begun: float, stage: Stage
) -> ProviderError | ConfigError | None:
    """The typed error of what aiohttp raised; None for anything else."""
    import aiohttp

    if isinstance(error, TimeoutError):
        if isinstance(error, aiohttp.ConnectionTimeoutError):
            return timed_out(url, "connect", timeouts.connect)
        late = timeouts.total is not None and time.monotonic() - begun >= timeouts.total
        if late or not isinstance(error, aiohttp.ServerTimeoutError):
            return timed_out(url, stage, timeouts.total, total=True)
        return timed_out(url, stage, timeouts.read)
    if isinstance(error, aiohttp.InvalidURL):
        return ConfigError("this is no URL", hint="check base_url", code="url.form")
    if isinstance(error, (aiohttp.ClientConnectorError, aiohttp.ClientProxyConnectionError)):
        return build_broken_error(url, "connect", find_reason(error))
    if isinstance(error, (aiohttp.ClientError, OSError)):
        return build_broken_error(url, stage, find_reason(error))
    return None


class AiohttpStream:
    """An AsyncStreamReply over aiohttp's response."""

    def __init__(self, response: Any, call: HttpCall, timeouts: Timeouts, begun: float) -> None:
        self._response = response
        self._url = call.url
        self._most = call.max_answer_bytes
        self._timeouts = timeouts
        self._begun = begun
        self._closed = False
        self._pieces: AsyncIterator[bytes] | None = None
        self._poured = False  # whether it was poured to the end
        self._taken = 0  # bytes that were poured
        self.status: int = response.status
        self.headers: Mapping[str, str] = {
            name.lower(): text for name, text in response.headers.items()
        }

    async def __aiter__(self) -> AsyncIterator[bytes]:
        content = self._response.content
        left = math.inf if self._most is None else self._most
        try:
            while piece := await content.readany():
                left -= len(piece)
                if left < 0:
                    raise self._build_size_error()  # noqa: TRY301 - closes the connection below
                yield piece
            if self._closed:
                raise OSError("closed while it was read")  # noqa: TRY301 - translated below
        except Exception as error:
            made = self._translate_error(error)
            if made is None:
                raise
            raise made from error
        finally:
            self._response.close()  # no effect after the end: the connection is in the pool

    async def pour(self, take: Take) -> bool:
        """Pour the pieces from the socket; see Pouring."""
        if self._timeouts.read is not None or self._timeouts.total is not None:
            if self._pieces is None:  # aiohttp times only tasks that wait
                self._pieces = aiter(self)
            return await apour(self._pieces, take)
        if self._poured:
            return False
        if self._most is not None:
            take = self._count_taken(take)
        response = self._response
        pump = _Pump(response.content, take)
        more = False
        try:
            more = await pump.run(response.connection)
            if not more and self._closed:
                raise OSError("closed while it was read")  # noqa: TRY301 - translated below
        except Exception as error:
            made = self._translate_error(error)
            if made is None:
                raise
            raise made from error
        finally:
            pump.stop()
            if not more:
                self._poured = True
                response.close()
        return more

    async def read(self) -> bytes:
        """Read the whole body; see AsyncStreamReply."""
        if self._most is not None and not self._is_within(self._most):
            return await ajoin_pieces(self)
        try:
            body: bytes = await self._response.read()
        except Exception as error:
            made = self._translate_error(error)
            if made is None:
                raise
            raise made from error
        return body

    async def aclose(self) -> None:
        """Close the connection; see AsyncStreamReply."""
        if not self._response.closed:
            self._closed = True
            self._response.close()  # ends the transport, and with it a task that reads

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _is_within(self, most: int) -> bool:
        """Whether the body has a declared length within the bound, and is not compressed."""
        length = self.headers.get("content-length", "")
        packed = self.headers.get("content-encoding", "identity") != "identity"
        return not packed and length.isdecimal() and int(length) <= most

    def _count_taken(self, take: Take) -> Take:
        """Wrap `take` so that it raises AnswerTooLarge beyond the bound."""

        def taking(piece: bytes) -> bool:
            self._taken += len(piece)
            if self._most is not None and self._taken > self._most:
                raise self._build_size_error()
            return take(piece)

        return taking

    def _build_size_error(self) -> ProviderError:
        return too_large(read_host(self._url), self._most or 0)

    def _translate_error(self, error: Exception) -> BaseException | None:
        if isinstance(error, AnswerTooLarge):
            return None
        if self._closed:
            return build_closed_error(self._url)
        return fault(error, self._url, self._timeouts, self._begun, "body")


class _Pump(asyncio.Protocol):
    """Replaces aiohttp's protocol on a connection while an answer is poured.

    Data still goes to aiohttp's protocol first, which parses it. The pieces are then passed on at
    once, without a future and a task switch for each. aiohttp's bounds hold: pieces that are not
    taken fill its buffer, and then it stops reading.
    """

    def __init__(self, content: aiohttp.StreamReader, take: Take) -> None:
        self._content = content
        self._take = take
        self._seen = -1  # total bytes at the last read
        self._over: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._transport: asyncio.Transport | None = None
        self._behind: Any = None  # aiohttp's protocol

    async def run(self, connection: aiohttp.connector.Connection | None) -> bool:
        """Pass pieces on until no more is wanted, or all has come; return whether more may come."""
        self._pour()
        if not self._over.done():
            if connection is None or connection.transport is None:
                raise ConnectionError(_CUT)
            self._transport, self._behind = connection.transport, connection.protocol
            self._transport.set_protocol(self)
        return await self._over

    def stop(self) -> None:
        """Give the connection back to aiohttp's protocol."""
        transport, self._transport = self._transport, None
        if transport is not None:
            transport.set_protocol(self._behind)

    def data_received(self, data: bytes) -> None:
        """Handle a piece of data."""
        self._behind.data_received(data)
        if not self._over.done():
            self._pour()

    def eof_received(self) -> bool | None:
        """Handle the end of the data."""
        is_kept: bool | None = self._behind.eof_received()
        return is_kept

    def connection_lost(self, exc: Exception | None) -> None:
        """Handle the end of the connection, which also ends a body without a length."""
        self._behind.connection_lost(exc)
        if not self._over.done():
            self._pour()
        if not self._over.done():
            self._end(exc or ConnectionError(_CUT))

    def pause_writing(self) -> None:
        """Handle that the provider accepts no more of the request for now."""
        self._behind.pause_writing()

    def resume_writing(self) -> None:
        """Handle that the provider accepts more of the request."""
        self._behind.resume_writing()

    def _pour(self) -> None:
        content = self._content
        try:
            while self._seen != content.total_bytes:  # reading may resume the transport
                self._seen = content.total_bytes
                piece = content.read_nowait()
                if piece and not self._take(piece):
                    self._end(True)
                    return
        except Exception as error:  # noqa: BLE001 - `run` raises it
            self._end(error)
            return
        if (fault := content.exception()) is not None:
            self._end(fault)
        elif content.at_eof():
            self._end(False)

    def _end(self, told: bool | BaseException) -> None:
        self.stop()
        if isinstance(told, BaseException):
            self._over.set_exception(told)
        else:
            self._over.set_result(told)
