"""One process of the gateway: where its configuration comes from, its app, its server, its log."""

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
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn

from ....errors import DragomanError
from ...config.settings import load
from ...config.targets import unset_key
from ...config.values import Config, with_upstream
from .exposure import Exposed, refuse_exposed

_log = logging.getLogger("dragoman.gateway")

INTERRUPTED = 130  # the exit code behind SIGINT

_OF_THE_START = ("host", "port", "workers", "record", "spans")  # fields that no reload changes
_KEPT = "the configuration is kept as it was, for the new one is wrong"


@dataclass(frozen=True, slots=True)
class ConfigSource:
    """Where a Config comes from, so that it can be read again: a file, or a Config itself.

    `changes` are fields of Config that the command line says otherwise; `upstream` stands for the
    base URL of every target.
    """

    origin: Path | Config
    changes: Mapping[str, Any] = field(default_factory=dict)
    upstream: str = ""

    def read(self) -> Config:
        """The Config as it is now. Raises ConfigError."""
        config = load(self.origin) if isinstance(self.origin, Path) else self.origin
        if self.upstream:
            config = with_upstream(config, self.upstream)
        return replace(config, **self.changes)


def local_sealing_key() -> bytes:
    """The key of this machine, for a gateway that has none in its configuration."""
    from ...exchange.cipher import local_key

    return local_key()


def add_sealing_key(config: Config, local: tuple[bytes, ...]) -> Config:
    """With the machine's own key where none is configured: the same in all workers."""
    if config.envelopes.keys:
        return config
    return replace(
        config, envelopes=replace(config.envelopes, keys=local or (local_sealing_key(),))
    )


@dataclass(frozen=True, slots=True)
class AppMaker:
    """What makes the app of a worker. It is pickled on its way there."""

    app: str
    source: ConfigSource
    config: Config
    local: tuple[bytes, ...] = field(repr=False)

    def __call__(self) -> Exposed:
        """The app, in the process that serves it."""
        module, _, name = self.app.partition(":")
        return Exposed(getattr(import_module(module), name), self.config)

    def again(self) -> AppMaker | None:
        """The same with what the source says now; None, and it is logged, where that is wrong."""
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
    """Say which targets have no key: all else works, and every call to them will fail."""
    for target in (one for route in config.routes for one in route.targets):
        if variable := unset_key(target):
            _log.warning("%s has no key: set %s", target.name, variable)


class OneServer(uvicorn.Server):
    """One process that serves."""

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
        if hasattr(signal, "SIGHUP"):  # one that comes before the loop runs is not lost
            signal.signal(signal.SIGHUP, lambda *_: self._wanted.set())
        super().run(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Take connections, hear signals, and say so."""
        await super().startup(sockets)
        gc.collect()
        gc.freeze()  # or a request of many values has the collector walk all modules, for 100 ms
        if hasattr(signal, "SIGHUP"):
            self._reloading = asyncio.create_task(self._reload_when_wanted())
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, self._wanted.set)
        if self._announce is not None:
            self._announce()
        sys.stdout.flush()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End; other than uvicorn, without raising the signal again."""
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        self.should_exit = True
        self.exit_code = INTERRUPTED if sig == signal.SIGINT else 0

    async def on_tick(self, counter: int) -> bool:
        """Each tenth of a second: whether to end. A worker does when its parent is gone."""
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


class _LogLine(logging.Formatter):
    """A line of JSON, as the log of exchanges has them: time, level, message."""

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
    """Write what the gateway and the server tell to stderr, where a program has no handlers."""
    if logging.getLogger().handlers:
        return
    handler = logging.StreamHandler()
    terminal = logging.Formatter("%(asctime)s %(levelname)s %(message)s")
    handler.setFormatter(terminal if handler.stream.isatty() else _LogLine())
    logging.getLogger().addHandler(handler)
    logging.getLogger("dragoman.gateway").setLevel(logging.INFO)
