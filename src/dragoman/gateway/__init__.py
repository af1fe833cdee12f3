"""Gateway: any client, any model. A client's request in, a provider's request out, and back.

config       values: routes, keys, limits            settings     the same from TOML
surface/     what each client protocol looks like: paths, errors, lists of models
exchange     one exchange without sockets: bytes in, bytes out
asgi         the app                                 in_process   transports for SDK clients
telemetry/   log, metrics, spans, recordings         process/     socket, signals, workers
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ..suggestions.import_names import listing, refuse

if TYPE_CHECKING:
    from typing import Any

    from .server.asgi import App, app
    from .config.values import Config
    from .in_process.clients import async_http_client, async_http_transport, http_client, http_transport

__all__ = ["App", "Config", "app", "async_http_client", "async_http_transport", "http_client",
           "http_transport"]  # fmt: skip

_HOMES = {"App": "asgi", "app": "asgi", "Config": "config"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        refuse(__name__, name)
    value = getattr(import_module(f".{_HOMES.get(name, 'in_process')}", __name__), name)
    globals()[name] = value
    return value


__dir__ = listing(globals(), __all__)
