"""Gateway: any client, any model. A client's request in, a provider's request out, and back.

config/      routes, keys and limits, and how to read them from TOML
surfaces/    what each client protocol looks like: paths, errors, lists of models
exchange/    one client's request and its answer, without sockets: bytes in, bytes out
server/      the ASGI app, calls to providers, sockets, signals, workers
in_process/  HTTP clients for official SDKs, inside a program
telemetry/   log, metrics, spans, recordings
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ..suggestions.import_names import find_or_refuse, listing

if TYPE_CHECKING:
    from typing import Any

    from .config.config_values import Config
    from .in_process.clients import (
        async_http_client,
        async_http_transport,
        http_client,
        http_transport,
    )
    from .server.asgi import App, app

__all__ = [
    "App",
    "Config",
    "app",
    "async_http_client",
    "async_http_transport",
    "http_client",
    "http_transport",
]

_HOMES = {"App": "server.asgi", "app": "server.asgi", "Config": "config.config_values"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        return find_or_refuse(__name__, name)
    value = getattr(import_module(f".{_HOMES.get(name, 'in_process.clients')}", __name__), name)
    globals()[name] = value
    return value


__dir__ = listing(globals(), __all__)
