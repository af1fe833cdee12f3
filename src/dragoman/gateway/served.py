"""Served: the app as a server has it: watched, reloaded, and kept to this machine without keys.

What watches it writes to stderr (a line for each exchange), to `/metrics`, to the folder of
recordings and, where a collector is named, as spans.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol

from .config import Config
from .exposure import Message, Receive, Send, forbid, from_elsewhere
from .log import JsonLog
from .metrics import Metrics
from .record import Observer
from .recording import Recorder


class ReloadableApp(Protocol):
    """What `dragoman.gateway.app` makes."""

    observers: Sequence[Observer]

    def reload(self, config: Config) -> None:
        """Serve new requests by this configuration. Raises ConfigError and keeps the old one."""

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """ASGI."""


class Served:
    """An ASGI app for one process. `make` is called as `dragoman.gateway.app` is."""

    def __init__(self, make: Callable[..., ReloadableApp], config: Config) -> None:
        self.metrics = Metrics.of(config)
        self._log = JsonLog()
        self._recorder = _recorder(config)
        self._open = not config.keys
        self._make = make
        self._app = make(config, observers=self._observers(), metrics=self.metrics.text)
        self._record = config.record

    def _observers(self) -> tuple[Observer, ...]:
        always = (self.metrics, self._log)
        return always if self._recorder is None else (*always, self._recorder)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """One request, or the beginning and the end of the server."""
        if scope["type"] == "lifespan":
            await self._live(scope, receive, send)
        elif self._open and (reason := from_elsewhere(scope)):
            await forbid(send, reason)
        else:
            await self._app(scope, receive, send)

    async def _live(self, scope: Message, receive: Receive, send: Send) -> None:
        async def closing(message: Message) -> None:
            if message["type"].startswith("lifespan.shutdown"):
                await asyncio.to_thread(self._close)
            await send(message)

        await self._app(scope, receive, closing)

    def _close(self) -> None:
        """Write what is still to be written."""
        self._log.close()
        if self._recorder is not None:
            self._recorder.close()
        self.metrics.close()

    def reload(self, config: Config) -> None:
        """Serve by this Config from now on. Raises ConfigError and keeps the old one."""
        recorder = self._recorder if config.record == self._record else _recorder(config)
        self._app.reload(config)
        self._open = not config.keys
        self.metrics.learn(config)
        if recorder is not self._recorder:
            before, self._recorder, self._record = self._recorder, recorder, config.record
            self._app.observers = self._observers()
            if before is not None:
                before.flush()  # what ends later is lost to it; it is closed with the process


def _recorder(config: Config) -> Recorder | None:
    return None if config.record is None else Recorder(config.record)


__all__ = ["ReloadableApp", "Served"]
