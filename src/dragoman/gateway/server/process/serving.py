"""A serving process of the gateway: its configuration, its app, its server, its log."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn

from ....errors import DragomanError
from ...config.config_values import Config, with_upstream
from ...config.read_toml import load
from ...config.targets import unset_key
from .exposure import Exposed, refuse_exposed

_log = logging.getLogger("dragoman.gateway")

INTERRUPTED = 130  # the exit code after SIGINT

_WAITING = 2048  # the most connections that are accepted at the end
_LAST_SECONDS = 0.1  # in which what connections have sent already is read

_OF_THE_START = ("host", "port", "workers", "record", "spans")  # fields that no reload changes
_KEPT = "the configuration is kept as it was, for the new one is wrong"


@dataclass(frozen=True, slots=True)
class ConfigSource:
    """The origin of a Config, so that it can be read again.

    Attributes:
        origin: A file, or a Config itself.
        changes: Fields of Config that the command line overrides.
        upstream: The base URL to use for every target; empty for the configured ones.
    """

    origin: Path | Config
    changes: Mapping[str, Any] = field(default_factory=dict)
    upstream: str = ""

    def read(self) -> Config:
        """Read the Config. Raises ConfigError."""
        config = load(self.origin) if isinstance(self.origin, Path) else self.origin
        if self.upstream:
            config = with_upstream(config, self.upstream)
        return replace(config, **self.changes)


def local_sealing_key() -> bytes:
    """The sealing key of this machine, for a gateway that has none in its configuration."""
    from ...exchange.cipher import local_key

    return local_key()


def add_sealing_key(config: Config, local: tuple[bytes, ...]) -> Config:
    """The configuration; without sealing keys, it gets the machine's own, equal in all workers."""
    if config.envelopes.keys:
        return config
    return replace(
        config, envelopes=replace(config.envelopes, keys=local or (local_sealing_key(),))
    )


@dataclass(frozen=True, slots=True)
class AppMaker:
    """Makes the app of a worker. It is pickled on its way there."""

    app: str
    source: ConfigSource
    config: Config
    local: tuple[bytes, ...] = field(repr=False)

    def __call__(self) -> Exposed:
        """Make the app, in the process that serves it."""
        module, _, name = self.app.partition(":")
        return Exposed(getattr(import_module(module), name), self.config)

    def again(self) -> AppMaker | None:
        """A maker with the configuration read again; None, with a log line, if it is wrong."""
        try:
            config = self.source.read()
            refuse_exposed(replace(config, host=self.config.host))
        except DragomanError as error:
            _log.error("%s: %s", _KEPT, error)
            return None
        kept = {name: getattr(self.config, name) for name in _OF_THE_START}
        for name, value in kept.items():
            if getattr(config, name) != value:
                _log.warning("server.%s is taken at the next start, not by a reload", name)
        config = replace(config, **kept)
        warn_of_keys(config)
        return replace(self, config=add_sealing_key(config, self.local))


def warn_of_keys(config: Config) -> None:
    """Warn of targets without a key: everything else works, but every call to them will fail."""
    for target in (one for route in config.routes for one in route.targets):
        if variable := unset_key(target):
            _log.warning("%s has no key: set %s", target.name, variable)


class OneServer(uvicorn.Server):
    """A uvicorn server that reloads on SIGHUP and returns an exit code."""

    def __init__(
        self, config: uvicorn.Config, announce: Callable[[], object] | None = None
    ) -> None:
        super().__init__(config)
        self.exit_code = 0
        self._announce = announce
        self._parent = os.getppid()
        self._wanted = asyncio.Event()
        self._reloading: asyncio.Task[None] | None = None

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until a signal ends it."""
        if hasattr(signal, "SIGHUP"):  # so that a signal before the loop runs is not lost
            signal.signal(signal.SIGHUP, lambda *_: self._wanted.set())
        super().run(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections, handle signals, and announce it."""
        await super().startup(sockets)
        gc.collect()
        gc.freeze()  # else the collector walks all modules after large requests, for 100 ms
        if hasattr(signal, "SIGHUP"):
            self._reloading = asyncio.create_task(self._reload_when_wanted())
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, self._wanted.set)
        if self._announce is not None:
            self._announce()
        sys.stdout.flush()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End once all requests are answered, also those of connections that wait to be accepted.

        The system resets what is in the queue of a closed socket.
        """
        waiting = [connection for one in sockets or () for connection in _accept_waiting(one)]
        for server in self.servers:
            server.close()
        for listener in sockets or ():
            listener.close()
        loop = asyncio.get_running_loop()
        for connection in waiting:
            await loop.connect_accepted_socket(self._build_connection, connection)
        await asyncio.sleep(_LAST_SECONDS)
        await super().shutdown(sockets)

    def _build_connection(self) -> asyncio.Protocol:
        kind: Any = self.config.http_protocol_class
        made: asyncio.Protocol = kind(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        return made

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End; unlike uvicorn's own method, without raising the signal again."""
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        self.should_exit = True
        self.exit_code = INTERRUPTED if sig == signal.SIGINT else 0

    async def on_tick(self, counter: int) -> bool:
        """Decide each tenth of a second whether to end; a worker ends when its parent is gone."""
        if self._announce is None and os.getppid() != self._parent:
            return True
        return await super().on_tick(counter)

    async def _reload_when_wanted(self) -> None:
        while await self._wanted.wait():
            self._wanted.clear()
            made: AppMaker = self.config.app  # type: ignore[assignment]  # no kind of uvicorn's
            again = await asyncio.to_thread(made.again)
            app: Exposed = self.config.loaded_app
            try:
                if again is not None:
                    app.reload(again.config)
                    self.config.app = again
                    _log.info("the configuration was read again")
            except DragomanError as error:
                _log.error("%s: %s", _KEPT, error)


def _accept_waiting(listener: socket.socket) -> list[socket.socket]:
    """The connections that have been made, and that the loop has not accepted yet."""
    found: list[socket.socket] = []
    listener.setblocking(False)
    with suppress(OSError):  # there is none, or no file descriptor is left
        while len(found) < _WAITING:
            found.append(listener.accept()[0])
    return found


class _LogLine(logging.Formatter):
    """A line of JSON, like those in the log of exchanges: time, level, message."""

    def format(self, record: logging.LogRecord) -> str:
        """The line; a traceback is a field of it."""
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)
        return json.dumps(fields)


def log_to_stderr() -> None:
    """Log to stderr what gateway and server report, unless the program has handlers."""
    if logging.getLogger().handlers:
        return
    handler = logging.StreamHandler()
    terminal = logging.Formatter("%(asctime)s %(levelname)s %(message)s")
    handler.setFormatter(terminal if handler.stream.isatty() else _LogLine())
    logging.getLogger().addHandler(handler)
    logging.getLogger("dragoman.gateway").setLevel(logging.INFO)
