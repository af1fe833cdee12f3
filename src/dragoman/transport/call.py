"""What a transport sends and returns: (method, URL, headers, bytes), (status, headers, bytes).

The layers above know no HTTP library. A transport returns every answer of a server as it is, also
one with an error status. If no answer comes it raises Timeout or ConnectionFailed or, after status
and headers of a stream, StreamBroken.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, Protocol, Self, TypeAlias, overload, runtime_checkable
from urllib.parse import urlsplit, urlunsplit

from ..caches import remember
from ..errors import ConfigError
from ..text.redaction import show
from .timeouts import Timeouts as Timeouts  # noqa: PLC0414  # its place before 0.1.0

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, 5.6.2: a header's name
_NO_HOST = re.compile(r"[^\w.:%~-]")  # invalid in a host's name; colons are for IPv6


# values that are secret, or may be
_OPEN_HEADERS = frozenset(
    {
        "accept",
        "accept-encoding",
        "content-type",
        "content-length",
        "host",
        "user-agent",
        "anthropic-version",
        "anthropic-beta",
        "x-dashscope-sse",
    }
)


@dataclass(slots=True, repr=False)
class HttpCall:
    """One request. Neither its repr nor its pickle contains anything that may be a key.

    Args:
        method: The method of HTTP.
        url: The URL.
        headers: The headers, credentials included.
        body: The body.
        max_answer_bytes: A transport raises AnswerTooLarge for an answer with more unpacked bytes;
            None: no bound.
    """

    method: str
    url: str
    headers: dict[str, str]
    body: bytes
    max_answer_bytes: int | None = None

    def __repr__(self) -> str:
        """The address without its query, the names of the headers, and the length of the body."""
        names = ", ".join(sorted(self.headers))
        return (
            f"HttpCall({self.method} {plain_url(self.url)}, headers: {names},"
            f" {len(self.body)} bytes)"
        )

    def __getstate__(self) -> tuple[str, str, dict[str, str], bytes, int | None]:
        headers = {
            name: text for name, text in self.headers.items() if name.lower() in _OPEN_HEADERS
        }
        return self.method, self.url, headers, self.body, self.max_answer_bytes

    def __setstate__(self, state: tuple[str, str, dict[str, str], bytes, int | None]) -> None:
        self.method, self.url, self.headers, self.body, self.max_answer_bytes = state


@dataclass(slots=True)
class Reply:
    """A whole answer.

    Attributes:
        status: The HTTP status.
        headers: The headers; their names are in lower case.
        body: The unpacked body.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes


class StreamReply(Protocol):
    """An answer that comes in pieces and is read once. However it is left, it is closed."""

    status: int
    headers: Mapping[str, str]

    def __iter__(self) -> Iterator[bytes]: ...

    def read(self) -> bytes:
        """The whole body.

        Raises:
            StreamBroken: It breaks off.
        """

    def close(self) -> None:
        """Close the connection, from any thread; a thread that reads gets StreamBroken at once."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


class AsyncStreamReply(Protocol):
    """An answer that comes in pieces to an event loop; see StreamReply."""

    status: int
    headers: Mapping[str, str]

    def __aiter__(self) -> AsyncIterator[bytes]: ...

    async def read(self) -> bytes:
        """The whole body.

        Raises:
            StreamBroken: It breaks off.
        """

    async def aclose(self) -> None:
        """Close the connection; a task that reads gets StreamBroken at once."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *_: object) -> None: ...


# gets a piece of an answer; returns whether it wants another
Take: TypeAlias = Callable[[bytes], bool]


@runtime_checkable
class Pouring(Protocol):
    """An answer whose pieces can be taken as they come from the socket, without waking a task."""

    async def pour(self, take: Take) -> bool:
        """Pass each piece to `take` until it wants no more; return whether there may be more.

        Raises what iterating raises, and whatever `take` raises.
        """


async def apour(pieces: AsyncIterator[bytes], take: Take) -> bool:
    """Pour the pieces of an answer that can only be iterated; see `Pouring.pour`."""
    async for piece in pieces:
        if not take(piece):
            return True
    return False


@runtime_checkable
class Transport(Protocol):
    """Sends calls and waits. Thread-safe; `close` ends the calls under way."""

    def send(self, call: HttpCall, timeouts: Timeouts) -> Reply:
        """Send a call and return the whole answer.

        Args:
            call: The request.
            timeouts: When to give up.

        Raises:
            Timeout: A timeout is over.
            ConnectionFailed: There is no connection, or it broke.
            ConfigError: The call is none that can be sent.
        """

    def stream(self, call: HttpCall, timeouts: Timeouts) -> StreamReply:
        """Send a call and return the answer once its status and headers have come.

        Args:
            call: The request.
            timeouts: When to give up.

        Raises:
            Timeout: A timeout is over.
            ConnectionFailed: There is no connection, or it broke.
            ConfigError: The call is none that can be sent.
        """

    def close(self) -> None:
        """Close all connections; a later call opens new ones."""


@runtime_checkable
class AsyncTransport(Protocol):
    """Sends calls from event loops; a connection belongs to the loop in which it was opened."""

    async def asend(self, call: HttpCall, timeouts: Timeouts) -> Reply:
        """Send a call and return the whole answer.

        Args:
            call: The request.
            timeouts: When to give up.

        Raises:
            Timeout: A timeout is over.
            ConnectionFailed: There is no connection, or it broke.
            ConfigError: The call is none that can be sent.
        """

    async def astream(self, call: HttpCall, timeouts: Timeouts) -> AsyncStreamReply:
        """Send a call and return the answer once its status and headers have come.

        Args:
            call: The request.
            timeouts: When to give up.

        Raises:
            Timeout: A timeout is over.
            ConnectionFailed: There is no connection, or it broke.
            ConfigError: The call is none that can be sent.
        """

    async def aclose(self) -> None:
        """Close all connections of this loop; a later call opens new ones."""


@overload
def choose_transport(
    value: str | Transport | AsyncTransport | None, *, asynchronous: Literal[False]
) -> Transport: ...
@overload
def choose_transport(
    value: str | Transport | AsyncTransport | None, *, asynchronous: Literal[True]
) -> AsyncTransport: ...
def choose_transport(
    value: str | Transport | AsyncTransport | None, *, asynchronous: bool
) -> Transport | AsyncTransport:
    """A transport by name, `httpx2` (also for None) or `aiohttp`, or the given object.

    Raises ConfigError for another name, for a library that is not installed, and for a transport
    that cannot be used this way: aiohttp works only in event loops.
    """
    if value is None or value == "httpx2":
        plain: Transport = _build_transport("httpx2", "http", "Httpx2Transport")
        return plain
    if value == "aiohttp":
        if not asynchronous:
            text = "the transport aiohttp serves asynchronous calls alone"
            hint = 'use AsyncLLM, or transport="httpx2"'
            raise ConfigError(text, hint=hint, code="transport.kind")
        fast: AsyncTransport = _build_transport("aiohttp", "fast", "AiohttpTransport")
        return fast
    if isinstance(value, str):
        text = f"unknown transport {show(value)}"
        raise ConfigError(text, hint="known: httpx2, aiohttp", code="transport.name")
    kind = AsyncTransport if asynchronous else Transport
    if not isinstance(value, kind):
        methods = "asend, astream and aclose" if asynchronous else "send, stream and close"
        text = f"{type(value).__name__} is no transport for this kind of call"
        raise ConfigError(text, hint=f"it needs {methods}", code="transport.kind")
    return value


def _build_transport(library: str, extra: str, kind: str) -> Any:
    if find_spec(library) is None:
        text = f"sending needs the package {library}"
        raise ConfigError(text, hint=f'pip install "dragoman[{extra}]"', code="transport.missing")
    return getattr(import_module(f".over_{library}", __package__), kind)()


def preload(transport: object) -> None:
    """Import what the first call of one of our transports would import, which takes 0.3 s."""
    library = type(transport).__module__.rpartition(".over_")[2]
    if library in ("httpx2", "aiohttp"):
        import_module(library)
        usual_headers()


def plain_url(url: str) -> str:
    """The URL without parts that may be secret: user, password, query and fragment."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "<no URL>"
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def check_call(call: HttpCall) -> HttpCall:
    """Return the call. Raises ConfigError, without the value, for a header that HTTP forbids."""
    check_headers(call.headers)
    if not is_address(call.url):
        text = f"{show(plain_url(call.url))} is no address of an HTTP server"
        hint = "give base_url with https:// or http://, such as http://localhost:8000/v1"
        raise ConfigError(text, hint=hint, code="url.scheme")
    return call


def check_headers(headers: Mapping[str, str], path: str = "") -> None:
    """Raise ConfigError, without the value, for a header that HTTP does not allow."""
    for name, value in headers.items():
        if not (isinstance(name, str) and _TOKEN.fullmatch(name)):
            text = f"{show(name)} is no name of a header"
            hint = "letters, digits and dashes"
            raise ConfigError(text, path=path, hint=hint, code="header.name")
        if not (isinstance(value, str) and value.isascii() and value.isprintable()):
            text = f"the header {show(name)} holds what HTTP does not allow"
            hint = "a header is one line of ASCII; look for a line break behind a key"
            at = f"{path}.{name}" if path else ""
            raise ConfigError(text, path=at, hint=hint, code="header.value")


def is_address(url: str) -> bool:
    """Whether a call can go to this URL: http or https, a host, and a valid port."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:  # for an invalid IPv6 address or port
        return False
    host = parts.hostname or ""
    plain = bool(host) and not _NO_HOST.search(host) and url.isprintable() and " " not in url
    return parts.scheme in ("https", "http") and port != 0 and plain


@remember("the headers of every call", entries=1)
def usual_headers() -> tuple[tuple[str, str], ...]:
    """The headers of every call of this package."""
    from importlib.metadata import version

    return (
        ("accept", "*/*"),
        ("accept-encoding", "gzip, deflate"),
        ("user-agent", f"dragoman/{version('dragoman')}"),
    )


def with_usual(call: HttpCall) -> dict[str, str]:
    """The headers of a call, together with those of every call."""
    given = {name.lower() for name in call.headers}
    usual = {name: text for name, text in usual_headers() if name not in given}
    return {**usual, **call.headers}
