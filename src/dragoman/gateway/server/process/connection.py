"""ClientConnection: uvicorn's HTTP/1.1 with bounds on what a client may send, and how slowly.

httptools has no bound for a request's head, and uvicorn none for the time it takes: one client
could fill the memory, and many could hold all sockets with a byte a minute. Also, httptools and
uvicorn together lose the body of a request that asks for HTTP/2 (`Upgrade: h2c`), as Java's
HttpClient does: a server that stays with HTTP/1.1 must read it (RFC 9110, 7.8).
"""

from __future__ import annotations

from asyncio import TimerHandle, Transport
from functools import partial
from http import HTTPStatus
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from ..asgi_client import WRITE

HEAD_BYTES = 64 * 2**10  # of the first line and all headers
HEAD_FIELDS = 200
HEAD_SECONDS = 15.0  # until a head is complete, from the beginning of the connection
BODY_SECONDS = 60.0  # without a byte of a body that the gateway waits for
LEFT_BYTES = 2**20  # of a body that may follow the answer which refuses it


class _HeadTooLarge(Exception):
    """Stops the parser; the client gets status 431."""


def _write_chunk(cycle: RequestResponseCycle, data: bytes) -> bool:
    """Write a piece of a chunked body as `cycle.send` does, if that need not wait.

    `send` is a coroutine that takes a message apart: for a text of a few letters that is more work
    than writing it.
    """
    if cycle.flow.write_paused or cycle.disconnected or cycle.response_complete:
        return False
    if not cycle.chunked_encoding:  # also while the answer has not begun
        return False
    cycle.transport.write(b"%x\r\n%b\r\n" % (len(data), data))
    return True


class _WrongHost(Exception):
    """Stops the parser; the client gets status 400."""


class ClientConnection(HttpToolsProtocol):
    """One connection of a client.

    A head that is too large gets status 431, and one that takes too long status 408. If a body
    stops coming, the connection is closed, and the app learns that the client has disconnected. A
    head of HTTP/1.1 without exactly one `Host` gets status 400.
    """

    head_bytes = HEAD_BYTES
    head_fields = HEAD_FIELDS
    head_seconds = HEAD_SECONDS
    body_seconds = BODY_SECONDS

    def __init__(self, *args: Any, **extra: Any) -> None:
        super().__init__(*args, **extra)
        self._in_head = True
        self._is_first_piece = True
        self._in_body = False
        self._head = 0  # bytes of the fields so far
        self._unread = 0  # bytes of a head that is not complete
        self._left_over = 0  # bytes of a body after its answer
        self._last = 0.0
        self._timer: TimerHandle | None = None
        self._is_told_again = False

    # -- asyncio ----------------------------------------------------------------------------------

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """A client has connected, and has to send a head in time."""
        super().connection_made(transport)
        self._wait(self.head_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is closed."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A piece of a request, or several requests."""
        self._last = self.loop.time()
        self._unset_keepalive_if_required()
        piece = data
        while piece:
            try:
                self.parser.feed_data(piece)
                break
            except httptools.HttpParserUpgrade as upgrade:
                piece = piece[upgrade.args[0] :]
                self._stay()
            except httptools.HttpParserError:
                self.send_400_response("Invalid HTTP request received.")
                break
        if self.transport.is_closing():
            return
        if self._in_head:
            # the first piece may hold the end of another request
            self._unread += 0 if self._is_first_piece else len(data)
            self._is_first_piece = False
            if self._unread > self.head_bytes:
                self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        elif self._in_body and self._timer is None:
            self._wait(self.body_seconds)

    def _stay(self) -> None:
        """Continue with HTTP/1.1 after a head that offered another protocol.

        The parser has left the body to that protocol. A new parser reads it, after a short head
        with the length of the body and without the offer.
        """
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn does
        if framing := self._framing():
            self._is_told_again = True
            self.parser.feed_data(b"POST / HTTP/1.1\r\n%s\r\n\r\n" % framing)
            self._is_told_again = False

    def _framing(self) -> bytes:
        """The header with the length of the body; empty if there is no body."""
        for name, value in self.headers:
            if name == b"transfer-encoding" or (name == b"content-length" and value.strip(b"0")):
                return b"%s: %s" % (name, value)
        return b""

    # -- httptools --------------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        """A head begins."""
        if self._is_told_again:
            return
        super().on_message_begin()
        self._in_head = self._is_first_piece = True
        self._head = self._unread = 0
        if self._timer is None:
            self._wait(self.head_seconds)

    def on_url(self, url: bytes) -> None:
        """A piece of the address."""
        if self._is_told_again:
            return
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A field of the head."""
        if self._is_told_again:
            return
        self._count(len(name) + len(value))
        if len(self.headers) >= self.head_fields:
            raise _HeadTooLarge
        super().on_header(name, value)

    def _count(self, size: int) -> None:
        self._head += size
        if self._head > self.head_bytes:
            raise _HeadTooLarge

    def on_headers_complete(self) -> None:
        """The head is complete."""
        if self._is_told_again:
            return
        self._stop()
        hosts = sum(name == b"host" for name, _ in self.headers)
        if hosts > 1 or (not hosts and self.parser.get_http_version() != "1.0"):
            # RFC 9112, 3.2: a proxy in front of the gateway may have used the other value
            raise _WrongHost
        self._left_over = 0
        self._in_head, self._in_body = False, True
        super().on_headers_complete()
        self.scope["extensions"] = {WRITE: partial(_write_chunk, self.cycle)}  # type: ignore[dict-item]

    def on_body(self, body: bytes) -> None:
        """A piece of the body; after the answer that refuses it, up to a bound."""
        if not self._is_told_again and self.cycle.response_complete:
            self._left_over += len(body)
            if self._left_over > LEFT_BYTES:
                self.transport.close()
                return
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The body is complete; the time-out of idle connections applies until the next head."""
        if self.parser.should_upgrade() and self._framing():
            return  # the body is still to come: see `_stay`
        self._stop()
        self._in_body = False
        super().on_message_complete()

    # -- refusals ---------------------------------------------------------------------------------

    def send_400_response(self, msg: str) -> None:
        """Answer what the parser refuses: bytes that are no HTTP, and heads that are too large."""
        too_large = self._in_head and (
            self._head > self.head_bytes or len(self.headers or ()) >= self.head_fields
        )
        if too_large:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        else:
            super().send_400_response(msg)

    def _refuse(self, status: HTTPStatus) -> None:
        # only before a head is complete, so that its answer has not begun; but the answer to an
        # earlier request on this connection may have
        if self.cycle is None or self.cycle.response_complete:
            head = f"HTTP/1.1 {status.value} {status.phrase}\r\n"
            self.transport.write(
                f"{head}content-length: 0\r\nconnection: close\r\n\r\n".encode("ascii")
            )
        self.transport.close()

    # -- time -------------------------------------------------------------------------------------

    def _wait(self, seconds: float) -> None:
        self._timer = self.loop.call_later(seconds, self._look)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        """Act on the timer: a head took too long, or the last byte of a body is long ago."""
        self._timer = None
        if self.transport.is_closing():
            return
        if self._in_head:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT)
        elif self._in_body:
            left = self._last + self.body_seconds - self.loop.time()
            if self.flow.read_paused:  # the app has not taken what came
                self._wait(self.body_seconds)
            elif left > 0:
                self._wait(left)
            else:
                self.transport.close()
