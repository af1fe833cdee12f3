"""Calls through aiohttp, in a loop: a seventh of what httpx2 costs per call.

One session serves each loop and is closed with it. aiohttp tries no call of ours again by itself:
a POST is not idempotent.
"""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import unquote, urlsplit, urlunsplit

from ....errors import ConfigError, ProviderError
from ...caches import remember
from .failing import Stage, broken, closed, reason_of, timed_out
from .over_httpx2 import PerLoop, aread_all
from .transport import HttpCall, Reply, Timeouts, checked, with_usual

if TYPE_CHECKING:
    import aiohttp

_LONGEST_LINE = 65536  # of a header; aiohttp's own 8190 is less than some proxies send


class AiohttpTransport:
    """Sends through aiohttp. Holds no connection before the first call, and none in a pickle."""

    def __init__(self) -> None:
        self._sessions = PerLoop(_session, lambda session: session.close())

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
        session = await self._sessions.get()
        limits = aiohttp.ClientTimeout(
            total=timeouts.total, connect=timeouts.connect, sock_read=timeouts.read
        )
        try:
            url = URL(call.url, encoded=True)
            proxy, told = proxy_of(url.scheme, url.host or "")
            headers = with_usual(call)
            to_proxy = {"proxy-authorization": told} if told else {}
            if url.scheme == "http":  # the proxy reads the request itself
                headers.update(to_proxy)
            response = await session.request(
                call.method, url, data=call.body or None, headers=headers, timeout=limits,
                allow_redirects=False, proxy=proxy, proxy_headers=to_proxy or None,
            )  # fmt: skip
        except Exception as error:
            made = fault(error, call.url, timeouts, begun, "answer")
            if made is None:
                raise
            raise made from (None if isinstance(made, ConfigError) else error)
        return AiohttpStream(response, call.url, timeouts, begun)

    async def aclose(self) -> None:
        """Close all connections of this loop."""
        await self._sessions.aclose()


def _session() -> aiohttp.ClientSession:
    import aiohttp

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0),
        cookie_jar=aiohttp.DummyCookieJar(),
        max_line_size=_LONGEST_LINE,
        max_field_size=_LONGEST_LINE,
    )


@remember("the proxy of each host", entries=64, size=2**12)
def proxy_of(scheme: str, host: str) -> tuple[str | None, str | None]:
    """The proxy that the environment names for a host, and how it is told who calls.

    aiohttp's own `trust_env` looks it up for every call, which costs more than the call, and takes
    credentials of a .netrc along.
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
        content = self._response.content
        try:
            while piece := await content.readany():
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
