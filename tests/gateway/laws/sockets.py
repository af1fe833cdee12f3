"""A gateway and an upstream on real sockets, each in a thread; clients are plain sockets."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic

import uvicorn

from dragoman.gateway import App
from dragoman.gateway.config.config_values import Config, Envelopes, Route, Target
from dragoman.gateway.server.process.connection import ClientConnection

__all__ = ["LONG", "Upstream", "connected", "gateway", "read_until", "upstream"]

LONG = 120.0  # seconds after which a test is given up, however slow the machine is

_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
_START: dict[str, object] = {"type": "message_start", "message": {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "m1", "content": [],
    "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 9, "output_tokens": 1},
}}  # fmt: skip


def _event(data: dict[str, object]) -> bytes:
    body = f"event: {data['type']}\ndata: {json.dumps(data)}\n\n".encode()
    return b"%x\r\n%s\r\n" % (len(body), body)


def piece(text: str) -> bytes:
    """One event with a text."""
    delta = {"type": "text_delta", "text": text}
    return _event({"type": "content_block_delta", "index": 0, "delta": delta})


BEGIN = _event(_START) + _event(
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
)
END = (
    _event({"type": "content_block_stop", "index": 0})
    + _event({"type": "message_delta", "usage": {"output_tokens": 5},
              "delta": {"stop_reason": "end_turn", "stop_sequence": None}})
    + _event({"type": "message_stop"}) + b"0\r\n\r\n"
)  # fmt: skip


@dataclass
class Upstream:
    """Speaks Messages: `first`, then `text` as often as told."""

    first: str = "first"
    text: str = "more"
    times: int = 3
    breaks: bool = False  # behind the first text
    waits: bool = True  # there, until the gateway has closed
    url: str = ""
    sent: int = 0  # texts
    closed: threading.Event = field(default_factory=threading.Event)  # by the gateway
    closed_at: float = 0.0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line[15:]) for line in head.lower().split(b"\r\n")
                      if line.startswith(b"content-length:"))  # fmt: skip
        await reader.readexactly(length)
        gone = asyncio.ensure_future(reader.read(1))
        gone.add_done_callback(self._gone)
        try:
            writer.write(_HEAD + BEGIN + piece(self.first))
            self.sent = 1
            await writer.drain()
            if self.breaks:
                writer.transport.abort()
                return
            if self.waits:
                await gone
            for _ in range(self.times):
                if gone.done():
                    return
                writer.write(piece(self.text))
                await writer.drain()
                self.sent += 1
            writer.write(END)
            await writer.drain()
        except ConnectionError:
            self._gone(gone)
        finally:
            writer.close()

    def _gone(self, _: object) -> None:
        if not self.closed.is_set():
            self.closed_at = monotonic()
            self.closed.set()


@contextmanager
def upstream(made: Upstream) -> Iterator[Upstream]:
    """The upstream, served in a thread of its own."""
    loop, ready = asyncio.new_event_loop(), threading.Event()

    def run() -> None:
        asyncio.set_event_loop(loop)
        server = loop.run_until_complete(asyncio.start_server(made.serve, "127.0.0.1", 0))
        made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        ready.set()
        loop.run_forever()
        server.close()
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert ready.wait(LONG)
    try:
        yield made
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(LONG)


@contextmanager
def gateway(url: str) -> Iterator[int]:
    """The port of a gateway, in a thread, whose only target is Anthropic's API at this URL."""
    target = Target("anthropic/claude-opus-5-5", base_url=url, secret="none")
    config = Config(routes=(Route(target),), envelopes=Envelopes(keys=(bytes(32),)))
    settings = uvicorn.Config(
        App(config, ()), port=0, log_level="error", http=ClientConnection, ws="none"
    )
    server = uvicorn.Server(settings)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    end = monotonic() + LONG
    while not server.started:
        assert monotonic() < end, "the gateway does not start"
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(LONG)


@contextmanager
def connected(port: int, path: str, body: object, buffer: int = 0) -> Iterator[socket.socket]:
    """A client that has asked; `buffer`: so many bytes it takes before it reads."""
    client = socket.socket()
    if buffer:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    client.settimeout(LONG)
    client.connect(("127.0.0.1", port))
    data = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(data)}\r\n\r\n"
    with client:
        client.sendall(head.encode() + data)
        yield client


def read_until(client: socket.socket, mark: bytes) -> bytes:
    """What the client reads until this has come, or the connection is closed."""
    data, seen = bytearray(), 0
    while data.find(mark, max(0, seen - len(mark))) < 0 and (part := client.recv(1 << 20)):
        seen = len(data)
        data += part
    return bytes(data)
