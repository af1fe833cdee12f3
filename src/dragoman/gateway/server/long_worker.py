"""What runs in the process for long requests: exchanges of `App`, driven over a pair of sockets.

    python -m dragoman.gateway.server.long_worker DESCRIPTOR

`LongProcess` starts it. It ends when the other end of its connection is closed, so also if the
worker beside it was killed.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import MutableMapping
from contextlib import suppress
from typing import Any

from ...errors import DragomanError, ProviderError
from ...losses.loss import Loss, load_loss, locate_losses
from ..config.config_values import ClientKey
from ..exchange.refusals import write_refusal
from ..surfaces import ClientRequest, match_request
from ..telemetry.observed_exchange import ExchangeRecord
from .asgi import App, answer_request, preload
from .asgi_client import Client
from .long_frames import PART, WINDOW, Frame, FrameKind, encode_frame, encode_value, read_frame

_log = logging.getLogger("dragoman.gateway")

_END = 1.0  # seconds for what is under way when the other end has gone
_PLACED = 200  # losses whose places are computed, for recordings


class _FramedExchange:
    """One exchange: the client's side in ASGI, over frames."""

    def __init__(self, app: App, number: int, writer: asyncio.StreamWriter, opened: Any) -> None:
        request: ClientRequest
        key: ClientKey | None
        record: ExchangeRecord
        request, key, record = opened
        self.parts: list[bytes] = []
        self.task: asyncio.Task[None] | None = None
        self._app, self._number, self._writer = app, number, writer
        self._request, self._key, self._record = request, key, record
        self._loop = asyncio.get_running_loop()
        self._left = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._under_way = 0  # bytes that have not reached the client
        self._budget: asyncio.Future[DragomanError | None] | None = None
        self._is_complete = False

    def leave(self) -> None:
        """The client has left."""
        self._left.set()
        self._has_room.set()
        if self._budget is not None and not self._budget.done():
            self._budget.cancel()

    def note_taken(self, size: int) -> None:
        """So many bytes have reached the client."""
        self._under_way -= size
        if self._under_way < WINDOW:
            self._has_room.set()

    def answer_spend(self, error: DragomanError | None) -> None:
        """What the other process says to a body that counts towards a budget."""
        if self._budget is not None and not self._budget.done():
            self._budget.set_result(error)

    async def run(self) -> None:
        """Answer the request, and send what was noted of it."""
        request, record = self._request, self._record
        request.body = b"".join(self.parts)
        self.parts.clear()
        client = Client(self._receive, self._send, record, self._write)
        try:
            await answer_request(self._app, request, self._key, record, client, self._spend)
        except Exception:  # noqa: BLE001 - as a server does, and the client must hear of it
            _log.exception("a long request ended with a fault of the gateway")
            if not client.started:
                surface, _ = match_request(request)
                fault = ProviderError(
                    "the gateway has failed", status=500, type="api_error", code="gateway.fault"
                )
                await client.answer(write_refusal(surface, fault, record))
        request.body = b""
        kind = FrameKind.DONE if self._is_complete else FrameKind.BROKEN
        placed = _PLACED if record.kept is not None else 0
        sent = await self._app.off_loop.run(_encode_end, self._number, record, kind, placed)
        self._writer.write(sent)
        await self._writer.drain()

    async def _receive(self) -> MutableMapping[str, Any]:
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            head = (message["status"], message["headers"])
            self._writer.write(encode_value(self._number, FrameKind.HEAD, head))
            return
        data = message["body"]
        for at in range(0, len(data), PART):
            await self._has_room.wait()
            self._put(data[at : at + PART])
        await self._writer.drain()
        self._is_complete = not message.get("more_body", False)

    def _write(self, data: bytes) -> bool:
        """Write a piece at once; False if the client reads slowly."""
        if len(data) > PART or not self._has_room.is_set():
            return False
        self._put(data)
        return True

    def _put(self, data: bytes) -> None:
        if self._left.is_set():
            return
        self._under_way += len(data)
        if self._under_way >= WINDOW:
            self._has_room.clear()
        self._writer.write(encode_frame(self._number, FrameKind.PIECE, data))

    def _spend(self, _: ClientKey | None, size: int, values: int) -> None:
        """Count a body towards the budget of its key, from another thread than the loop's.

        Raises what `RateLimits.spend` raises.
        """
        asked = asyncio.run_coroutine_threadsafe(self._ask_budget(size, values), self._loop)
        if (error := asked.result()) is not None:
            raise error

    async def _ask_budget(self, size: int, values: int) -> DragomanError | None:
        self._budget = self._loop.create_future()
        self._writer.write(encode_value(self._number, FrameKind.SPEND, (size, values)))
        return await self._budget


def _encode_end(number: int, record: ExchangeRecord, kind: FrameKind, placed: int) -> bytes:
    """The last frame of an exchange; the first `placed` losses with their places."""
    losses = record.losses
    locate_losses(losses[:placed])
    record.losses = [*losses[:placed], *(_without_place(loss) for loss in losses[placed:])]
    return encode_value(number, kind, record)


def _without_place(loss: Loss) -> Loss:
    """A loss as logs and metrics count it: a place takes a walk through the request."""
    return load_loss(
        {
            "code": loss.code,
            "kind": loss.kind,
            "where": "$",
            "field": loss.field,
            "target": loss.target,
        }
    )


async def serve(connection: socket.socket) -> None:
    """Answer the requests that come over a connection, until it is closed."""
    reader, writer = await asyncio.open_connection(sock=connection)
    exchanges: dict[int, _FramedExchange] = {}
    try:
        app = App((await read_frame(reader)).value, ())
        preload(app)
        gc.collect()
        gc.freeze()
        writer.write(encode_frame(0, FrameKind.READY))
        with suppress(OSError, EOFError):
            while True:
                _handle_frame(await read_frame(reader), app, writer, exchanges)
        for exchange in exchanges.values():
            exchange.leave()
        if tasks := {one.task for one in exchanges.values() if one.task is not None}:
            await asyncio.wait(tasks, timeout=_END)
        await app.aclose()
    finally:
        writer.close()


def _handle_frame(
    frame: Frame, app: App, writer: asyncio.StreamWriter, exchanges: dict[int, _FramedExchange]
) -> None:
    if frame.kind is FrameKind.OPEN:
        exchanges[frame.exchange] = _FramedExchange(app, frame.exchange, writer, frame.value)
        return
    exchange = exchanges.get(frame.exchange)
    if exchange is None:  # it has ended
        return
    if frame.kind is FrameKind.BODY:
        exchange.parts.append(frame.data)
    elif frame.kind is FrameKind.BODY_END:
        exchange.task = asyncio.ensure_future(exchange.run())
        exchange.task.add_done_callback(lambda _: exchanges.pop(frame.exchange, None))
    elif frame.kind is FrameKind.TAKEN:
        exchange.note_taken(frame.value)
    elif frame.kind is FrameKind.SPENT:
        exchange.answer_spend(frame.value)
    elif exchange.task is None:  # the client has left before its body was complete
        del exchanges[frame.exchange]
    else:
        exchange.leave()


def main() -> None:
    """Run in the new process."""
    from .process.serving import log_to_stderr

    for number in (signal.SIGINT, signal.SIGTERM):  # the worker decides when to end
        signal.signal(number, signal.SIG_IGN)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    log_to_stderr()
    with suppress(OSError, EOFError):  # the worker has ended before this process was ready
        asyncio.run(serve(socket.socket(fileno=int(sys.argv[1]))))
    os._exit(0)  # without waiting for a thread that still reads a request


if __name__ == "__main__":
    main()
