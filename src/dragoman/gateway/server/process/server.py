"""The gateway as a process: its socket, its signals and its workers, over uvicorn.

    SIGTERM  takes no new requests, ends when those under way have ended, at most after the grace
             time; exit code 0
    SIGINT   like SIGTERM, with exit code 130; a second one ends at once
    SIGHUP   reads the configuration again; requests under way keep the old one

Several workers share one socket. The parent passes a signal on to all of them; a worker that dies
is replaced, and only its own requests are lost. Each worker makes its own app, from the Config that
the parent has read.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from tempfile import TemporaryDirectory

import uvicorn

from ....errors import ConfigError
from .connection import ClientConnection
from .exposure import client_url, refuse_exposed
from .serving import (
    AppMaker,
    ConfigSource,
    OneServer,
    add_sealing_key,
    local_sealing_key,
    log_to_stderr,
    warn_of_keys,
)

GRACE = 30  # seconds for requests under way when the gateway ends
BACKLOG = 2048  # connections that wait to be accepted
KEEP_ALIVE = 75  # seconds of an idle connection: longer than clients keep theirs (openai: 5)
_ANSWERS = 10  # seconds in which a worker has to answer its parent


def serve(
    source: ConfigSource,
    *,
    grace: int = GRACE,
    app: str = "dragoman.gateway.server.asgi:serving_app",
    ready: Callable[[str], object] = print,
) -> int:
    """Run the gateway until a signal ends it.

    Args:
        source: Where the configuration comes from.
        grace: Seconds for requests under way after a signal.
        app: The function that makes an ASGI app of a Config, as `module:name`.
        ready: Gets the line with the URL, once, when connections are accepted.

    Returns:
        The exit code: 0, 130 if interrupted, 1 if it failed.

    Raises:
        ConfigError: The configuration is wrong or may not listen at its address.
    """
    log_to_stderr()
    config = source.read()
    refuse_exposed(config)
    warn_of_keys(config)
    with _bind_socket(config.host, config.port) as listener:
        line = f"Dragoman gateway on {client_url(config.host, listener.getsockname()[1])}"
        local = () if config.envelopes.keys else (local_sealing_key(),)
        settings = _uvicorn(AppMaker(app, source, add_sealing_key(config, local), local), grace)
        if config.workers == 1:
            return _serve_until_exit(OneServer(settings, announce=partial(ready, line)), listener)
        with _metrics_folder():
            from .workers import Workers

            workers = Workers(settings, [listener], partial(ready, line))
            workers.run()
            return workers.exit_code


def _serve_until_exit(server: OneServer, listener: socket.socket) -> int:
    try:
        server.run(sockets=[listener])
    except SystemExit:  # the app did not start, which uvicorn has logged
        return 1
    return server.exit_code


def _bind_socket(host: str, port: int) -> socket.socket:
    """A listening socket at this address. Raises ConfigError."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        # IPv4 first: a name such as localhost has both, and most clients write 127.0.0.1
        family, kind, proto, _, address = min(found, key=lambda one: one[0])
        listener = socket.socket(family, kind, proto)
        try:
            if os.name == "posix":  # elsewhere it would let two servers have one port
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        text = f"cannot listen on {host}, port {port}: {error.strerror or error}"
        hint = "choose another --port; 0 takes a free one"
        raise ConfigError(text, hint=hint, code="gateway.address") from error
    listener.set_inheritable(True)
    return listener


@contextmanager
def _metrics_folder() -> Iterator[None]:
    """A folder in which workers add up their metrics, as long as the gateway runs."""
    name = "PROMETHEUS_MULTIPROC_DIR"  # of prometheus_client
    if os.environ.get(name):
        yield
        return
    with TemporaryDirectory(prefix="dragoman-metrics-") as folder:
        os.environ[name] = folder
        try:
            yield
        finally:
            del os.environ[name]


def _uvicorn(made: AppMaker, grace: int) -> uvicorn.Config:
    return uvicorn.Config(
        made,
        factory=True,
        interface="asgi3",
        lifespan="on",
        http=ClientConnection,
        ws="none",  # a WebSocket's upgrade is a GET to the app
        log_config=None,
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        workers=made.config.workers,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=grace,
        timeout_worker_healthcheck=_ANSWERS,
    )
