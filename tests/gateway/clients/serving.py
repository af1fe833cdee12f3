"""A gateway for tests: over a server on loopback, or inside of the client's process.

Its configuration changes from test to test; what holds sockets stays, for a client takes longer to
make than a test to run.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import httpx2
import uvicorn

from dragoman.gateway import http_client, http_transport
from dragoman.gateway.config.config_values import Config, config_for
from dragoman.gateway.server.asgi import App
from dragoman.gateway.server.process.connection import ClientConnection
from dragoman.gateway.telemetry.observed_exchange import ExchangeRecord
from dragoman.transport.call import choose_transport

from .talk import Door


class Records:
    """An observer that keeps what it is told; in the order in which exchanges ended."""

    def __init__(self) -> None:
        self.ended_ones: list[ExchangeRecord] = []

    def on_begin(self, record: ExchangeRecord) -> None:
        """See Observer."""

    def on_end(self, record: ExchangeRecord) -> None:
        """See Observer."""
        self.ended_ones.append(record)


class Served:
    """A server with one gateway: `app.reload(config)` puts another configuration in its place."""

    def __init__(self, app: App, port: int, records: Records) -> None:
        self.app = app
        self.records = records.ended_ones
        self.url = f"http://127.0.0.1:{port}"
        self._newer, self._older = httpx2.Client(timeout=60), httpx.HTTPTransport()
        self._calls = choose_transport("httpx2", asynchronous=False)

    def door(self, config: Config) -> Door:
        """The way in over a socket, with this configuration from now on."""
        self.app.reload(config)
        return Door(self.url, self._newer, self._older)

    def inner_door(self, config: Config) -> Door:
        """The way in without a socket."""
        client = http_client(config, transport=self._calls)
        return Door("http://gateway.test", client, http_transport(config, transport=self._calls))

    def close(self) -> None:
        """Close the connections."""
        self._newer.close()
        self._older.close()
        self._calls.close()


@contextmanager
def served() -> Iterator[Served]:
    """A running server; it ends with the block."""
    records = Records()
    app = App(config_for("ollama/nobody"), (records,))
    listener = socket.create_server(("127.0.0.1", 0))
    settings = uvicorn.Config(
        app, http=ClientConnection, ws="none", log_level="critical", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(settings)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])), daemon=True)
    thread.start()
    try:
        while not server.started:
            if not thread.is_alive():
                raise RuntimeError("the server has not started")
            thread.join(0.005)
        gateway = Served(app, listener.getsockname()[1], records)
        yield gateway
        gateway.close()
    finally:
        server.should_exit = True
        thread.join(60)
        listener.close()
