"""A bound on what httpx2 reads before a body: the answer's headers, and answers of status 1xx."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from .errors import build_broken_error

if TYPE_CHECKING:
    import httpx2

CONNECTED = ("connect_tcp.complete", "start_tls.complete")
_HEAD_BYTES = 2**18  # more than any headers have; httpcore allows 100 KB for one
# bytes that may still come before the end of the headers for which this thread or task waits. Any
# number of answers of status 1xx may come (RFC 9110, 15.2), and httpcore drops them without end
_HEAD: ContextVar[list[int] | None] = ContextVar("head", default=None)


@contextlib.contextmanager
def bounded_head(url: str) -> Iterator[None]:
    """Bound what is read inside of it, an answer's headers. Raises ConnectionFailed beyond it."""
    left = [_HEAD_BYTES]
    before = _HEAD.set(left)
    try:
        yield
    except Exception as error:
        if left[0] < 0:
            reason = "it sends no end of answers of status 1xx"
            raise build_broken_error(url, "answer", reason) from error
        raise
    finally:
        _HEAD.reset(before)


def _count_head_bytes(piece: bytes) -> bytes:
    """Count a piece; beyond the bound return an empty one, which means the end."""
    if (left := _HEAD.get()) is None:
        return piece
    left[0] -= len(piece)
    return piece if left[0] >= 0 else b""


def count_head(stream: Any) -> None:
    """Make a new connection's `read`, a public method of httpcore, count while headers come."""
    usual = stream.read
    if asyncio.iscoroutinefunction(usual):

        async def aread(*given: Any, **named: Any) -> bytes:
            return _count_head_bytes(await usual(*given, **named))

        stream.read = aread
    else:
        stream.read = lambda *given, **named: _count_head_bytes(usual(*given, **named))


async def trace_connection(event: str, info: Mapping[str, Any]) -> None:
    """Make a new connection of any client count; it is used as a trace of httpcore."""
    if event.endswith(CONNECTED):
        count_head(info["return_value"])


class _CountingBackend:
    """A network backend of httpcore whose connections count while headers come.

    A trace could do that, too, but it is called for each step of every request.
    """

    def __init__(self, network: Any) -> None:
        self._network = network

    async def connect_tcp(self, *given: Any, **named: Any) -> Any:
        """Open a new connection."""
        return _with_counted_head(await self._network.connect_tcp(*given, **named))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._network, name)


def _with_counted_head(stream: Any) -> Any:
    """Make a connection count, and the one that TLS builds on it."""
    count_head(stream)
    usual = stream.start_tls

    async def start_tls(*given: Any, **named: Any) -> Any:
        return _with_counted_head(await usual(*given, **named))

    stream.start_tls = start_tls
    return stream


COUNTING: WeakSet[httpx2.AsyncClient] = WeakSet()  # clients whose connections count without a trace


def count_heads(client: httpx2.AsyncClient) -> None:
    """Make all connections of a new client count, if httpx2 is built as 2.16 is."""
    transports = (getattr(client, "_transport", None), *getattr(client, "_mounts", {}).values())
    pools = [getattr(one, "_pool", None) for one in transports if one is not None]
    if not pools or any(getattr(pool, "_network_backend", None) is None for pool in pools):
        return  # then each request is traced
    for pool in pools:
        pool._network_backend = _CountingBackend(pool._network_backend)  # type: ignore[union-attr]
    COUNTING.add(client)
