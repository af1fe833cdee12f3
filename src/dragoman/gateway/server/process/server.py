"""The gateway as a process: its socket, its signals and its workers, over uvicorn.

    SIGTERM  nothing new is taken, what is under way ends, at most for the grace time; exit code 0
    SIGINT   the same; exit code 130; a second one ends at once
    SIGHUP   the configuration is read again; requests under way keep the old one

With several workers all of them take from one socket. A signal to the parent reaches all; a worker
that dies is replaced and loses its own requests alone. The app is made anew in each worker, from
the Config that the parent has read.
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

GRACE = 30  # seconds for what is under way when the gateway ends
BACKLOG = 2048  # connections that wait to be taken
KEEP_ALIVE = 75  # seconds of an idle connection: longer than clients keep theirs (openai: 5)
_ANSWERS = 10  # seconds in which a worker answers its parent


def serve(
    source: ConfigSource,
    *,
    grace: int = GRACE,
    app: str = "dragoman.gateway.server.asgi:app",
    ready: Callable[[str], object] = print,
) -> int:
    """Run the gateway until a signal ends it; the exit code: 0, 130 interrupted, 1 failed.

    `ready` gets the line with the URL, once, when connections are taken. `app` names the function
    that makes an ASGI app of a Config. Raises ConfigError, before anything is bound, for a
    configuration that is wrong or may not listen there.
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
    except SystemExit:  # the app did not start, and uvicorn has logged why
        return 1
    return server.exit_code


def _bind_socket(host: str, port: int) -> socket.socket:
    """A socket of this address. Raises ConfigError."""
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
    """A folder in which workers sum up their metrics, as long as the gateway runs."""
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
