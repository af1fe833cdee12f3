"""Calls through aiohttp, in a loop: a seventh of what httpx2 costs per call.

One session serves each loop and is closed with it. aiohttp tries no call of ours again by itself:
a POST is not idempotent.
"""

from __future__ import annotations

import asyncio
import time
from base64 import b64encode
from collections.abc import AsyncIterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import unquote, urlsplit, urlunsplit
from weakref import WeakKeyDictionary

from ....errors import ConfigError, ProviderError
from .failing import Stage, broken, closed, reason_of, timed_out
from .over_httpx2 import aread_all, kept
from .transport import HttpCall, Reply, Timeouts, checked, with_usual

if TYPE_CHECKING:
    import aiohttp

_LONGEST_LINE = 65536  # of a header; aiohttp's own 8190 is less than some proxies send


class AiohttpTransport:
    """Sends through aiohttp. Holds no connection before the first call, and none in a pickle."""

    def __init__(self) -> None:
        self._sessions: WeakKeyDictionary[Any, tuple[Any, Any]] = WeakKeyDictionary()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()

    async def asend(self, call: HttpCall, timeouts: Timeouts) -> Reply:
        """The whole answer; see AsyncTransport."""
        return await aread_all(self.astream, call, timeouts)

    async def astream(self, call: HttpCall, timeouts: Timeouts) -> AiohttpStream:
        """The answer as soon as its status and headers are there; see AsyncTransport."""
        import aiohttp
        from yarl import URL

        begun = time.monotonic()
        checked(call)
        session = await self._of_loop()
        limits = aiohttp.ClientTimeout(
            total=timeouts.total, connect=timeouts.connect, sock_read=timeouts.read
        )
        try:
            url = URL(call.url, encoded=True)
            proxy, told = proxy_of(url.scheme, url.host or "")
            headers = with_usual(call)
            if told is not None and url.scheme == "http":  # the proxy reads the request itself
                headers.update(told)
            response = await session.request(
                call.method, url, data=call.body or None, headers=headers, timeout=limits,
                allow_redirects=False, proxy=proxy, proxy_headers=told,
            )  # fmt: skip
        except Exception as error:
            made = fault(error, call.url, timeouts, begun, "answer")
            if made is None:
                raise
            raise made from (None if isinstance(made, ConfigError) else error)
        return AiohttpStream(response, call.url, timeouts, begun)

    async def aclose(self) -> None:
        """Close all connections of this loop."""
        if (held := self._sessions.pop(asyncio.get_running_loop(), None)) is not None:
            await held[1].aclose()

    async def _of_loop(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        held = self._sessions.get(loop)
        if held is None:
            import aiohttp

            session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                cookie_jar=aiohttp.DummyCookieJar(),
                max_line_size=_LONGEST_LINE,
                max_field_size=_LONGEST_LINE,
            )
            held = self._sessions[loop] = session, kept(session.close)
            await anext(held[1])
        session_of_loop: aiohttp.ClientSession = held[0]
        return session_of_loop


@lru_cache(maxsize=64)
def proxy_of(scheme: str, host: str) -> tuple[str | None, Mapping[str, str] | None]:
    """The proxy that the environment names for a host, and the headers that tell it who calls.

    aiohttp's own `trust_env` looks it up for every call, which costs more than the call, and takes
    credentials of a .netrc along.
    """
    from urllib.request import getproxies, proxy_bypass

    proxies = getproxies()
    found = proxies.get(scheme) or proxies.get("all")
    if not found or proxy_bypass(host):
        return None, None
    parts = urlsplit(found if "://" in found else f"http://{found}")
    headers = None
    if parts.username is not None:
        told = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        headers = {"proxy-authorization": f"Basic {b64encode(told).decode()}"}
    netloc = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=netloc)), headers


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
        return broken(url, "connect", reason_of(error))
    if isinstance(error, (aiohttp.ClientError, OSError)):
        return broken(url, stage, reason_of(error))
    return None


class AiohttpStream:
    """An AsyncStreamReply over aiohttp's response."""

    def __init__(self, response: Any, url: str, timeouts: Timeouts, begun: float) -> None:
        self._response = response
        self._url = url
        self._timeouts = timeouts
        self._begun = begun
        self._closed = False
        self.status: int = response.status
        self.headers: Mapping[str, str] = {
            name.lower(): text for name, text in response.headers.items()
        }

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self._response.content.iter_any():
                yield piece
            if self._closed:
                raise OSError("closed while it was read")  # noqa: TRY301 - told below
        except Exception as error:
            made = self._told(error)
            if made is None:
                raise
            raise made from error
        finally:
            self._response.close()  # one that was read to its end has given its connection back

    async def read(self) -> bytes:
        """The whole body; see AsyncStreamReply."""
        try:
            body: bytes = await self._response.read()
        except Exception as error:
            made = self._told(error)
            if made is None:
                raise
            raise made from error
        return body

    async def aclose(self) -> None:
        """Close the connection; see AsyncStreamReply."""
        if not self._response.closed:
            self._closed = True
            self._response.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _told(self, error: Exception) -> BaseException | None:
        if self._closed:
            return closed(self._url)
        return fault(error, self._url, self._timeouts, self._begun, "body")
