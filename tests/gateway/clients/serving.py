"""A gateway for tests: over a server on loopback, whose configuration changes from test to test."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from dragoman.gateway.asgi import App
from dragoman.gateway.config import Config, config_for

from .talk import Door


class Served:
    """A server with one gateway: `app.reload(config)` puts another configuration in its place."""

    def __init__(self, app: App, port: int) -> None:
        self.app = app
        self.url = f"http://127.0.0.1:{port}"

    def door(self, config: Config) -> Door:
        """The way in, with this configuration from now on."""
        self.app.reload(config)
        return Door(self.url)


@contextmanager
def served() -> Iterator[Served]:
    """A running server; it ends with the block."""
    app = App(config_for("ollama/nobody"))
    listener = socket.create_server(("127.0.0.1", 0))
    settings = uvicorn.Config(app, ws="none", log_level="critical", timeout_graceful_shutdown=1)
    server = uvicorn.Server(settings)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])), daemon=True)
    thread.start()
    try:
        while not server.started:
            if not thread.is_alive():
                raise RuntimeError("the server has not started")
            thread.join(0.005)
        yield Served(app, listener.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()


def in_process(config: Config) -> Door:
    """The way in without a server."""
    from dragoman.gateway import http_client, http_transport

    return Door(
        "http://gateway.test",
        httpx2=lambda: http_client(config),
        transport=lambda: http_transport(config),
    )
