"""Served: the app as a process serves it: without client keys to programs of this machine alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from .config import Config
from .exposure import Message, Receive, Send, forbid, from_elsewhere


class ReloadableApp(Protocol):
    """What `dragoman.gateway.app` makes."""

    def reload(self, config: Config) -> None:
        """Serve new requests by this configuration. Raises ConfigError and keeps the old one."""

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """ASGI."""


class Served:
    """An ASGI app for one process. `make` is called as `dragoman.gateway.app` is."""

    def __init__(self, make: Callable[[Config], ReloadableApp], config: Config) -> None:
        self._app = make(config)
        self._open = not config.keys

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """One request, or the beginning and the end of the server."""
        if self._open and scope["type"] != "lifespan" and (reason := from_elsewhere(scope)):
            await forbid(send, reason)
        else:
            await self._app(scope, receive, send)

    def reload(self, config: Config) -> None:
        """Serve by this Config from now on. Raises ConfigError and keeps the old one."""
        self._app.reload(config)
        self._open = not config.keys
