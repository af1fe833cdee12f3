"""LongProcess: the process beside a worker that answers long requests, so that no stream waits.

All threads of a process share one interpreter, and a garbage collector that stops it. However short
the turns of a thread that reads a long request are, each of 64 streams waits for many of them. So
the whole exchange of a long request takes place in a process of its own: `long_worker` is what runs
there. It is started when a long request comes while other requests are under way, ends with this
process, and has a lower priority. A long request that comes alone, and those of a gateway that
cannot start it, are answered in a thread.

What clients may do is decided here, where all their requests come: keys, rates, budgets.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import socket
import subprocess
import sys
from collections import deque
from contextlib import suppress
from dataclasses import fields
from typing import Any

from ...errors import DragomanError, Overloaded
from ..config.config_values import ClientKey, Config
from ..surfaces import ClientRequest
from ..telemetry.observed_exchange import ExchangeRecord
from .asgi_client import Client, ClientLeft
from .long_frames import PART, WINDOW, Frame, FrameKind, encode_frame, encode_value, read_frame
from .rate_limits import RateLimits

_log = logging.getLogger("dragoman.gateway")

_NICER = 5  # so that streams come first where processors are scarce
_START = 60.0  # seconds in which the process must be ready
_END = 5.0  # seconds for the record of an exchange whose client has left, and for the process's end
# what this process knows itself of an exchange
_OWN = frozenset({"id", "begun", "first_byte", "ended", "client_left"})
_NOTED = [one.name for one in fields(ExchangeRecord) if one.name not in _OWN]


class LongProcess:
    """Starts the process for long requests, and starts it again after it has died.

    Args:
        config: The configuration of the gateway.
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self._starting: asyncio.Future[None] | None = None
        self._link: _Link | None = None
        self._retired: set[_Link] = set()
        self._fails = False  # whether it cannot be started

    @property
    def pid(self) -> int | None:
        """The id of the process; None if none is ready."""
        link = self._ready_link()
        return None if link is None else link.process.pid

    def start(self) -> None:
        """Start the process, unless that is under way."""
        if self._starting is None:
            self._starting = asyncio.ensure_future(self._start())

    async def wait_until_ready(self) -> None:
        """Wait until the process that is being started is ready, or cannot be had."""
        if self._starting is not None:
            await asyncio.shield(self._starting)

    def renew(self, config: Config) -> None:
        """Answer further requests by another configuration; those under way keep theirs."""
        self._config, self._fails = config, False
        link, self._link = self._link, None
        if link is not None:
            self._retire_link(link)
            self.start()

    async def answer(
        self,
        request: ClientRequest,
        parts: list[bytes],
        key: ClientKey | None,
        record: ExchangeRecord,
        client: Client,
        bounds: RateLimits,
        is_alone: bool = False,
    ) -> bool:
        """Answer a request whose body came in these parts; False if no process does that.

        Args:
            request: The request, without its body.
            parts: The body.
            key: The client's key, which was checked.
            record: What is noted of the exchange.
            client: The connection to the client.
            bounds: Counts the body towards the budget of the key.
            is_alone: Whether it disturbs nobody: then no process is started for it.

        Raises:
            ClientLeft: The client has disconnected.
            Overloaded: The process has died before a part of the answer came.
        """
        link = self._ready_link()
        if link is None and not self._fails and not is_alone:
            self.start()
            await client.watch_client(self.wait_until_ready())
            link = self._ready_link()
        if link is None:
            return False
        exchange = link.open(key, record, client, bounds)
        try:
            await client.watch_client(exchange.run(request, parts))
        except ClientLeft:
            await exchange.leave()
            raise
        finally:
            link.close(exchange)
        return True

    async def aclose(self) -> None:
        """End the process."""
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait({self._starting})
        for link in (self._link, *self._retired):
            if link is not None:
                await link.aclose()

    def _ready_link(self) -> _Link | None:
        link = self._link
        return None if link is None or link.is_lost else link

    def _retire_link(self, link: _Link) -> None:
        self._retired = {one for one in self._retired if not one.is_lost} | {link}
        link.retire()

    async def _start(self) -> None:
        try:
            while True:
                config = self._config
                link = await _start_process(config)
                if config is self._config:
                    self._link = link
                    return
                self._retire_link(link)  # the configuration was read again meanwhile
        except (OSError, EOFError, pickle.PicklingError, TypeError, AttributeError) as error:
            _log.error("no process for long requests could be started: %r", error)
            self._fails = True
        finally:
            self._starting = None


async def _start_process(config: Config) -> _Link:
    """Start a process and wait until it is ready. Raises OSError, EOFError, TimeoutError."""
    sent = encode_value(0, FrameKind.CONFIG, config)
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            process = await asyncio.to_thread(_spawn, theirs)
        except BaseException:
            ours.close()
            raise
    reader, writer = await asyncio.open_connection(sock=ours)
    try:
        writer.write(sent)
        async with asyncio.timeout(_START):
            await read_frame(reader)
    except BaseException:
        writer.close()
        process.kill()
        await asyncio.to_thread(process.wait)
        raise
    return _Link(process, reader, writer)


def _spawn(connection: socket.socket) -> subprocess.Popen[bytes]:
    descriptor = connection.fileno()
    # with -P, no module of the current folder takes the place of another
    command = [sys.executable, "-P", "-m", "dragoman.gateway.server.long_worker", str(descriptor)]
    paths = os.pathsep.join(path for path in sys.path if path)
    process = subprocess.Popen(  # noqa: S603 - this program's own interpreter and module
        command,
        env={**os.environ, "PYTHONPATH": paths},
        pass_fds=[descriptor],
        start_new_session=True,  # Ctrl-C in a terminal is for the worker, which decides when to end
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    with suppress(OSError):  # it has ended, or priorities cannot be changed here
        os.setpriority(os.PRIO_PROCESS, process.pid, os.getpriority(os.PRIO_PROCESS, 0) + _NICER)
    return process


def _end_process(process: subprocess.Popen[bytes]) -> None:
    """Wait for the end of a process whose connection is closed; kill it if it takes too long."""
    try:
        process.wait(_END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class _Link:
    """The connection to a process that is ready.

    Attributes:
        is_lost: Whether the process has gone.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self.process = process
        self.is_lost = False
        self._writer = writer
        self._exchanges: dict[int, _Exchange] = {}
        self._numbers = 0
        self._is_retired = False
        self._reading = asyncio.ensure_future(self._read(reader))

    def open(
        self, key: ClientKey | None, record: ExchangeRecord, client: Client, bounds: RateLimits
    ) -> _Exchange:
        """An exchange over this connection."""
        self._numbers = self._numbers % (2**32 - 1) + 1
        exchange = _Exchange(self, self._numbers, key, record, client, bounds)
        self._exchanges[exchange.number] = exchange
        if self.is_lost:  # since it was chosen
            exchange.take(None)
        return exchange

    def close(self, exchange: _Exchange) -> None:
        """Forget an exchange that has ended, or whose client has left."""
        self._exchanges.pop(exchange.number, None)
        exchange.send_left()
        if self._is_retired:
            self.retire()

    def retire(self) -> None:
        """End the process once its exchanges have ended."""
        self._is_retired = True
        if not self._exchanges:
            self._writer.close()

    def write(self, data: bytes) -> None:
        """Write a frame, if the process is there."""
        if not self.is_lost and not self._writer.is_closing():
            self._writer.write(data)

    async def drain(self) -> None:
        """Wait while the process reads slowly."""
        with suppress(OSError):  # that it has gone is noticed where its frames are read
            await self._writer.drain()

    async def aclose(self) -> None:
        """End the process."""
        self._writer.close()
        await asyncio.wait({self._reading}, timeout=_END)
        if not self._reading.done():
            self.process.kill()
            await self._reading

    async def _read(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                frame = await read_frame(reader)
                exchange = self._exchanges.get(frame.exchange)
                if exchange is not None:
                    exchange.take(frame)
        except (OSError, EOFError):
            self.is_lost = True
        for exchange in self._exchanges.values():
            exchange.take(None)
        self._writer.close()
        await asyncio.to_thread(_end_process, self.process)
        if self._exchanges or self.process.returncode:
            code = self.process.returncode
            _log.error("the process for long requests has ended (exit code %s)", code)


class _Exchange:
    """One exchange in the process, as this side sees it."""

    def __init__(
        self,
        link: _Link,
        number: int,
        key: ClientKey | None,
        record: ExchangeRecord,
        client: Client,
        bounds: RateLimits,
    ) -> None:
        self.number = number
        self._link = link
        self._key, self._record, self._client, self._bounds = key, record, client, bounds
        self._frames: deque[Frame | None] = deque()
        self._has_come = asyncio.Event()
        self._taken = 0  # bytes that the client has got, and the process does not know of
        self._is_over = False

    def take(self, frame: Frame | None) -> None:
        """Take a frame of the process; None if it has died."""
        self._frames.append(frame)
        self._has_come.set()

    async def run(self, request: ClientRequest, parts: list[bytes]) -> None:
        """Pass on the request, then its answer. Raises Overloaded if the process has died."""
        link, number = self._link, self.number
        link.write(encode_value(number, FrameKind.OPEN, (request, self._key, self._record)))
        parts.reverse()
        while parts:
            part = parts.pop()
            for at in range(0, len(part), PART):
                link.write(encode_frame(number, FrameKind.BODY, part[at : at + PART]))
                await link.drain()
        link.write(encode_frame(number, FrameKind.BODY_END))
        while not self._is_over:
            await self._pass_on(await self._next())

    async def leave(self) -> None:
        """Have the exchange ended, as its client has left, and wait for what was noted of it."""
        self.send_left()
        with suppress(TimeoutError, DragomanError):
            async with asyncio.timeout(_END):
                while not self._is_over:
                    frame = await self._next()
                    if frame.kind in (FrameKind.DONE, FrameKind.BROKEN):
                        self._note_end(frame)

    def send_left(self) -> None:
        """Tell the process that nobody waits for more, unless it has ended the exchange."""
        if not self._is_over:
            self._link.write(encode_frame(self.number, FrameKind.LEFT))

    async def _next(self) -> Frame:
        while not self._frames:
            self._has_come.clear()
            await self._has_come.wait()
        frame = self._frames.popleft()
        if frame is None:
            self._is_over = True
            raise Overloaded(
                "the process for long requests has ended",
                status=503,
                type="overloaded_error",
                code="gateway.long_process",
                hint="send the request again",
                retry_after=1.0,
            )
        return frame

    async def _pass_on(self, frame: Frame) -> None:
        client = self._client
        if frame.kind is FrameKind.PIECE:
            if not client.try_send(frame.data):
                await client.send(frame.data)
            self._taken += len(frame.data)
            if self._taken >= WINDOW // 4:
                self._link.write(encode_value(self.number, FrameKind.TAKEN, self._taken))
                self._taken = 0
        elif frame.kind is FrameKind.HEAD:
            status, headers = frame.value
            await client.begin(status, headers)
        elif frame.kind is FrameKind.SPEND:
            self._link.write(encode_value(self.number, FrameKind.SPENT, self._spend(*frame.value)))
        else:
            self._note_end(frame)
            if frame.kind is FrameKind.DONE:
                await client.send(b"", more=False)

    def _spend(self, size: int, values: int) -> DragomanError | None:
        try:
            self._bounds.spend(self._key, size, values)
        except DragomanError as error:
            return error
        return None

    def _note_end(self, frame: Frame) -> None:
        self._is_over = True
        noted: Any = frame.value
        for name in _NOTED:
            setattr(self._record, name, getattr(noted, name))
