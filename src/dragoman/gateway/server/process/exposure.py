"""Protects a gateway without client keys: only programs of this machine may use it.

It must not listen on addresses that other machines reach; and a browser on this machine must not
let pages of other sites use it, as they can send requests to loopback too.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from ipaddress import ip_address
from typing import Any, Protocol, TypeAlias
from urllib.parse import urlsplit

from ....errors import ConfigError
from ....text.json_text import encode_json
from ...config.config_values import Config

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]


class ReloadableApp(Protocol):
    """The app that `dragoman.gateway.app` makes."""

    def reload(self, config: Config) -> None:
        """Serve new requests by this configuration. Raises ConfigError and keeps the old one."""

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """ASGI."""


class Exposed:
    """The app of a server; without client keys it answers programs of this machine alone."""

    def __init__(self, make: Callable[[Config], ReloadableApp], config: Config) -> None:
        self._app = make(config)
        self._open = not config.keys

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """ASGI."""
        if self._open and scope["type"] != "lifespan" and (reason := _from_elsewhere(scope)):
            await _forbid(send, reason)
        else:
            await self._app(scope, receive, send)

    def reload(self, config: Config) -> None:
        """Serve by this Config from now on. Raises ConfigError and keeps the old one."""
        self._app.reload(config)
        self._open = not config.keys


def refuse_exposed(config: Config) -> None:
    """Raise ConfigError for a gateway without client keys that other machines could reach."""
    if config.keys or is_loopback(config.host):
        return
    text = f"without client keys the gateway listens on loopback alone, not on {config.host}"
    hint = "whoever reaches it spends your keys: `dragoman keys new NAME` makes a client key"
    raise ConfigError(text, path="$.server.host", hint=hint, code="gateway.exposed")


def is_loopback(host: str) -> bool:
    """Whether an address or name belongs to this machine alone."""
    name = host.strip("[]").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def client_url(host: str, port: int) -> str:
    """The URL for a client on this machine, of a gateway that listens at this address."""
    name = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)  # noqa: S104
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def _from_elsewhere(scope: Message) -> str:
    """Why a request to a gateway without keys is refused; empty if it may be a local program's.

    A page of another site in a browser on this machine can send requests to loopback, and even read
    the answers if a name of the site resolves to loopback (DNS rebinding).
    """
    for name, value in scope["headers"]:
        if name == b"host" and not is_loopback(_host(f"//{value.decode('latin-1')}")):
            return "the gateway has no client keys, and answers to names of loopback alone"
        if name == b"origin" and not is_loopback(_host(value.decode("latin-1"))):
            return "the gateway has no client keys, and answers no page of another site"
    return ""


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # of an IPv6 address
        return ""


async def _forbid(send: Send, reason: str) -> None:
    """Answer with status 403 in a form that clients of OpenAI and Anthropic read."""
    hint = "configure client keys: dragoman keys new NAME"
    error = {"type": "permission_error", "message": f"{reason} ({hint})"}
    body = encode_json({"type": "error", "error": error})
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": body})
