"""A network backend for httpcore2 that connects to checked addresses only, until a deadline.

The HTTP library uses the name of the host for its header, for SNI and for the certificate; no name
is resolved here.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Sequence
from time import monotonic
from typing import Any

import httpcore2


class PinnedBackend(httpcore2.NetworkBackend):
    """Connects to the first of `addresses` that answers; everything ends at `deadline`."""

    def __init__(self, addresses: Sequence[str], deadline: float) -> None:
        self._addresses = addresses
        self._deadline = deadline
        self._inner = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        """Connect to a checked address, whatever `host` resolves to at this time."""
        failed: Exception | None = None
        for address in self._addresses:
            try:
                stream = self._inner.connect_tcp(
                    address, port, _compute_remaining(self._deadline), local_address, socket_options
                )
            except httpcore2.ConnectError as error:
                failed = error
            else:
                return _DeadlineStream(stream, self._deadline)
        raise failed or httpcore2.ConnectError("no address")


class _DeadlineStream(httpcore2.NetworkStream):
    """A stream whose every step may take the time left until the deadline."""

    def __init__(self, inner: httpcore2.NetworkStream, deadline: float) -> None:
        self._inner = inner
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _compute_remaining(self._deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _compute_remaining(self._deadline))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        stream = self._inner.start_tls(
            ssl_context, server_hostname, _compute_remaining(self._deadline)
        )
        return _DeadlineStream(stream, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def _compute_remaining(deadline: float) -> float:
    left = deadline - monotonic()
    if left <= 0:
        raise httpcore2.ReadTimeout("the deadline has passed")
    return left
