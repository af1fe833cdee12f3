"""The client's side in ASGI: its body, the answer, its disconnection, and signs of life."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Awaitable, Callable, MutableMapping
from importlib.util import find_spec
from time import monotonic
from typing import Any, TypeAlias, TypeVar

from ...errors import DragomanError, ProviderError, ReadError
from ...transport.call import AsyncStreamReply
from ..exchange.convert_stream import RelayStream
from ..exchange.exchange import GatewayExchange
from ..exchange.send_with_fallbacks import build_stall_error
from ..surfaces import ClientAnswer, ClientRequest
from ..telemetry.observed_exchange import ExchangeRecord

Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]

LINGER = 5.0  # seconds of silence after a complete answer, after which nothing more is expected
# a server's function that writes a part of a body at once, among the extensions of the scope (ASGI
# 3.0, "Extensions"); it returns False, and writes nothing, if writing would have to wait
WRITE = "dragoman.write"
_T = TypeVar("_T")
Write: TypeAlias = Callable[[bytes], bool]

_PACKED, _UNPACKED = 2**16, 2**20  # bytes to inflate in one step, and bytes of its result
_UNZIPPED = {"gzip": 31, "x-gzip": 31, "deflate": 15}
_ZSTD_PIECE = (
    2**10
)  # bytes to unpack in one step: four can be a block of 128 KiB (RFC 8878, 3.1.1.2)
_ZSTD_WINDOW = 2**23  # bytes that a decoder should have for it (RFC 8878, 3.1.1.1.2)


class ClientLeft(BaseException):
    """The client has closed its connection."""


class Client:
    """The connection to a client: its body, the answer, and its disconnection."""

    __slots__ = (
        "_left",
        "_receive",
        "_send",
        "_write",
        "record",
        "sending",
        "signing",
        "since",
        "started",
    )

    def __init__(
        self, receive: Receive, send: Send, record: ExchangeRecord, write: Write | None = None
    ) -> None:
        self._receive = receive
        self._send = send
        self._write = write
        self._left = False
        self.record = record
        self.since = monotonic()
        self.started = False
        self.sending = False  # whether a part is being sent, which waits for slow clients
        self.signing: asyncio.Future[None] | None = None

    async def body(self, request: ClientRequest, most: int) -> list[bytes]:
        """Read the whole body, in parts: to join many would hold up other streams.

        Raises ProviderError for one beyond the bound.
        """
        length = request.headers.get("content-length", "")
        if length.isdigit() and int(length) > most:
            raise too_large(most)
        parts: list[bytes] = []
        size = 0
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientLeft
            part = message.get("body", b"")
            size += len(part)
            if size > most:
                parts.clear()  # otherwise the error's traceback would keep them in memory
                raise too_large(most)
            parts.append(part)
            if not message.get("more_body"):
                return parts

    async def watch_client(self, work: Awaitable[_T]) -> _T:
        """Wait for the work. Raises ClientLeft as soon as the client disconnects."""
        task = asyncio.current_task()
        assert task is not None  # coroutines run in tasks
        watch = asyncio.ensure_future(self._wait_for_disconnect(task))
        try:
            return await work
        except asyncio.CancelledError:
            if not self._left:
                raise
            task.uncancel()
            raise ClientLeft from None
        finally:
            watch.cancel()

    async def _wait_for_disconnect(self, task: asyncio.Task[Any]) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._left = True
        task.cancel()

    async def answer(self, answer: ClientAnswer, head: bool = False) -> None:
        """Send a whole answer; nothing, if another answer has begun."""
        if self.started:
            return
        headers = dict(answer.headers)
        if not head or answer.body:  # else keep the length of the body that a GET would have
            headers["content-length"] = str(len(answer.body))
        await self.start(answer.status, headers)
        await self.send(b"" if head else answer.body, more=False)

    async def start(self, status: int, headers: dict[str, str]) -> None:
        """Send status and headers, once."""
        if self.started:
            return
        pairs = [(name.encode("latin-1"), header_value(text)) for name, text in headers.items()]
        pairs.append((b"x-dragoman-id", self.record.id.encode()))
        await self.begin(status, pairs)

    async def begin(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        """Send status and headers as ASGI has them."""
        self.started = True
        self.record.status = status
        self.record.first_byte = monotonic() - self.since
        await self._send({"type": "http.response.start", "status": status, "headers": headers})

    async def send_keep_alive(self, message: MutableMapping[str, Any]) -> None:
        """Send a sign of life, which is not counted as a part of the answer."""
        await self._send(message)

    async def send(self, data: bytes, more: bool = True) -> None:
        """Send a part of the body; waits while the client reads slowly."""
        if self.signing is not None:
            await self.signing
            self.signing = None
        if not data and more:
            return
        self.record.bytes_out += len(data)
        if (kept := self.record.kept) is not None:
            kept.keep_answer(data)
        self.sending = True
        await self._send({"type": "http.response.body", "body": data, "more_body": more})
        self.sending = False

    def try_send(self, data: bytes) -> bool:
        """Send a part of the body at once; False, and nothing is sent, if that might wait."""
        if self._write is None or self.signing is not None or not self._write(data):
            return False
        record = self.record
        record.bytes_out += len(data)
        if record.kept is not None:
            record.kept.keep_answer(data)
        return True


def header_value(text: str) -> bytes:
    """The value of a header, without signs that could begin another header."""
    plain = text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
    return plain.encode("latin-1", "replace")


class StreamWatch:
    """Keeps both sides of a stream alive: signs of life for the client, a bound for the provider.

    A timer compares counters from time to time, so that single events cost nothing.
    """

    def __init__(self, exchange: GatewayExchange, client: Client) -> None:
        limits = exchange.gateway.config.limits
        self._exchange = exchange
        self._client = client
        self._signs = bool(exchange.surface.sign_of_life) and exchange.framing == "sse"
        self._pause, self._stall = limits.keep_alive, limits.stall
        self._period = max(0.01, min(self._pause, self._stall) / 4)
        self._reply: AsyncStreamReply | None = None
        self._relay: RelayStream | None = None
        now = monotonic()
        self._came, self._came_at = 0, now  # pieces of the provider, without signs of life
        self._went, self._went_at = 0, now  # bytes to the client
        self._stalled = False
        self._closing: asyncio.Future[None] | None = None
        self._loop = asyncio.get_running_loop()
        self._work: set[asyncio.Future[None]] = set()
        self._timer = self._loop.call_later(self._period, self._look)

    def watch(self, reply: AsyncStreamReply, relay: RelayStream) -> None:
        """Begin to watch the provider's answer."""
        self._reply, self._relay = reply, relay
        self._came, self._came_at = relay.progress, monotonic()

    def leave(self) -> None:
        """Watch no answer until the next one begins."""
        self._reply, self._stalled = None, False

    def relay(self) -> RelayStream:
        """The relay of the answer; a new one if no answer began."""
        return self._relay if self._relay is not None else self._exchange.open_relay()

    def fault(self, error: DragomanError) -> DragomanError:
        """The error to report: if the provider was silent for too long, the time-out instead."""
        if not self._stalled:
            return error
        self._stalled = False  # errors of the next target are reported as they are
        return build_stall_error(self._stall)

    def close(self) -> None:
        """Stop the timer."""
        self._timer.cancel()

    def _look(self) -> None:
        now = monotonic()
        client = self._client
        if client.sending:  # the provider waits for the client
            self._came_at = now
        elif self._relay is not None and self._relay.progress != self._came:
            self._came, self._came_at = self._relay.progress, now
        if client.record.bytes_out != self._went:
            self._went, self._went_at = client.record.bytes_out, now
        relay = self._relay  # once it has a reason for the end, only a last event may follow
        ends = relay is not None and (relay.whole or relay.paused)
        patience = min(self._stall, LINGER) if ends else self._stall
        if self._reply is not None and now - self._came_at >= patience:
            self._stalled = True
            self._closing = self._begin(self._reply.aclose())
            self._reply = None  # until another target answers
        if self._signs and now - self._went_at >= self._pause and not client.sending:
            self._went_at = now
            if client.signing is None or client.signing.done():
                client.signing = self._begin(self._sign_life())
        self._timer = self._loop.call_later(self._period, self._look)

    def _begin(self, work: Any) -> asyncio.Future[None]:
        task = self._loop.create_task(work)
        self._work.add(task)
        task.add_done_callback(self._work.discard)
        return task

    async def _sign_life(self) -> None:
        client = self._client
        if not client.started:
            kind = {"content-type": "text/event-stream", "cache-control": "no-cache"}
            await client.start(200, {**kind, **self._exchange.headers()})
        events = 0 if self._relay is None else self._relay.events
        keep_alive = self._exchange.surface.build_keep_alive(events)
        await client.send_keep_alive(
            {"type": "http.response.body", "body": keep_alive, "more_body": True}
        )


def is_packed(request: ClientRequest) -> bool:
    """Whether a header says that the body is compressed."""
    return request.headers.get("content-encoding", "identity").lower() not in ("", "identity")


def unzip_body(body: bytes, request: ClientRequest, most: int) -> bytes:
    """The body, inflated if its header says that it is compressed."""
    if not is_packed(request):
        return body
    coding = request.headers["content-encoding"].lower()
    if coding == "zstd" and find_spec("zstandard") is not None:
        return _unpack_zstd(body, most)
    if coding not in _UNZIPPED:
        raise ProviderError(
            f"bodies packed as {coding[:40]!r} are not read",
            status=415,
            type="invalid_request_error",
            hint="gzip, deflate, zstd (with the extra gateway), or none",
        )
    unpack, parts, left = zlib.decompressobj(_UNZIPPED[coding]), list[bytes](), most
    try:
        for at in range(0, len(body), _PACKED):  # in pieces, so that other threads can run
            piece = body[at : at + _PACKED]
            while piece:
                parts.append(unpack.decompress(piece, _UNPACKED))
                left -= len(parts[-1])
                if left < 0:
                    parts.clear()
                    raise too_large(most)
                piece = unpack.unconsumed_tail
    except zlib.error as error:
        raise ReadError(f"the body is not packed as {coding}", code="body.packing") from error
    if not unpack.eof or unpack.unused_data:
        text = f"the body is not one piece that is packed as {coding}"
        raise ReadError(text, code="body.packing")
    return b"".join(parts)


def _unpack_zstd(body: bytes, most: int) -> bytes:
    from zstandard import ZstdDecompressor, ZstdError  # of the extra `gateway`

    parts, left, rest = list[bytes](), most, memoryview(body)
    unpack = ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()
    try:
        while rest and not unpack.eof:
            parts.append(unpack.decompress(rest[:_ZSTD_PIECE]))
            rest = rest[_ZSTD_PIECE:]
            left -= len(parts[-1])
            if left < 0:
                parts.clear()
                raise too_large(most)
    except ZstdError as error:
        raise ReadError("the body is not packed as zstd", code="body.packing") from error
    if rest or not unpack.eof or unpack.unused_data:
        raise ReadError("the body is not one piece that is packed as zstd", code="body.packing")
    return b"".join(parts)


def too_large(most: int) -> ProviderError:
    """The error for a request with more bytes than allowed."""
    text = f"a request may have {most} bytes"
    return ProviderError(
        text,
        status=413,
        type="request_too_large",
        code="body.size",
        hint="send less, or raise limits.body",
    )
