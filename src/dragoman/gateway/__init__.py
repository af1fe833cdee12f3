"""Gateway: any client, any model. A client's request in, a provider's request out, and back.

config       values: routes, keys, limits            settings     the same from TOML
surface/     what each client protocol looks like: paths, errors, lists of models
exchange     one exchange without sockets: bytes in, bytes out
asgi         the app                                 in_process   transports for SDK clients
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .._core.foreign_names import refuse

if TYPE_CHECKING:
    from .asgi import App, app
    from .config import Config
    from .in_process import async_http_client, http_client

__all__ = ["App", "Config", "app", "async_http_client", "http_client"]

_HOMES = {
    "App": ("asgi", "App"), "app": ("asgi", "app"), "Config": ("config", "Config"),
    "async_http_client": ("in_process", "async_http_client"),
    "http_client": ("in_process", "http_client"),
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        refuse(__name__, name)
    module, attribute = _HOMES[name]
    value = getattr(import_module(f".{module}", __name__), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
