"""What a gateway is set up with: routes, client keys, limits; and which route serves a model.

Values alone. `settings` reads them from TOML and names the line of each fault.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit

from ...errors import ConfigError
from ...history.passes.fetching import Fetch
from ...llm.names import ModelName, model_name
from ...losses import PolicyLike
from ...text.redaction import show
from ...transport.call import Timeouts, check_headers, is_address
from ...transport.retries import Retries

OnFault: TypeAlias = Literal["refuse", "drop"]

KEPT = "*"  # as the model of a target: the name that the client asks for goes on as it is


@dataclass(frozen=True, slots=True)
class Target:
    """A model of a provider: `vendor/model`, `vendor/wire/model`, or `vendor/*` for any model.

    `key` names the variable of the environment that holds the API key, where it is not the
    vendor's own; `secret` is the key itself, for programs. `base_url` stands for the vendor's.
    Raises ConfigError for an address and for headers with which nobody can be asked.
    """

    name: str
    key: str = ""
    base_url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    places: Mapping[str, str] = field(default_factory=dict)
    secret: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.base_url:
            try:
                checked_base_url(self.base_url)
            except ConfigError as error:
                raise ConfigError(
                    error.message, path="$.base_url", hint=error.hint, code=error.code
                ) from None
        checked_headers(self.headers, "$.headers")

    def model(self, asked: str) -> ModelName:
        """Who is asked for what, where the client asks for the model `asked`.

        Raises ConfigError, with the code `route.missing` where it is the client's name that is
        none.
        """
        if self.name != KEPT and not self.name.endswith(f"/{KEPT}"):
            return model_name(self.name)
        try:
            return model_name(f"{self.name[: -len(KEPT)]}{asked}")
        except ConfigError as error:
            raise ConfigError(error.message, hint=error.hint, code="route.missing") from error


_PLACE = re.compile(r"\{\w+\}")
_FRAMING = ("connection", "content-length", "transfer-encoding")


def checked_base_url(url: str) -> str:
    """The base URL, in which places such as `{region}` may stand. Raises ConfigError for another.

    It is not shown where it may hold a secret.
    """
    plain = _PLACE.sub("1", url)
    if not is_address(plain):
        hint = "https:// or http://, a host, and a port up to 65535"
        raise ConfigError("is no address of a server", hint=hint, code="url.form")
    parts = urlsplit(plain)
    if "@" in parts.netloc or "?" in plain:
        fault = "an address must hold neither a user nor a query, which may be secrets"
        raise ConfigError(fault, hint="name the variable of the key with `key`", code="url.secret")
    if "#" in plain:
        fault = "an address must not hold a fragment"
        raise ConfigError(fault, hint="leave out what begins with #", code="url.form")
    return url


def checked_headers(headers: Mapping[str, str], path: str = "$") -> Mapping[str, str]:
    """Headers that can go with every call. Raises ConfigError, without a value."""
    check_headers(headers, path)
    for name in headers:
        if name.lower() in _FRAMING:
            text = "this header is the connection's own"
            raise ConfigError(text, path=f"{path}.{name}", code="header.name")
    return headers


@dataclass(frozen=True, slots=True)
class Truncation:
    """A budget for histories: `tokens`, counted by `counter`: `auto` is the model's own."""

    tokens: int
    counter: str = "auto"


# Agents try again by themselves, and by what they are told; a connection that a provider has closed
# meanwhile is the gateway's own business
_RETRIES = Retries(attempts=2, backoff=0.1, kinds=frozenset({"connection"}))


@dataclass(frozen=True, slots=True)
class Route:
    """Which models go to which target, and how.

    `models` are patterns of the names that clients ask for. `fallbacks` follow in their order while
    nothing of an answer has come. `can` overrides what is known of the model, `policy` says what
    may be lost, `repair` whether broken histories are mended. `counter` counts tokens where the
    provider offers no way to; the model's own, without a network, where none is named.
    `pass_through`: paths that the gateway does not know go to the provider as they are.
    `shared_state`: client keys share what the provider keeps (answers, files, caches). `transport`
    is `aiohttp` or `httpx2`. `fetch` gives the bytes of media that clients send by URL, for targets
    that take bytes alone; None: they are lost, and named.
    """

    target: Target
    models: tuple[str, ...] = ("*",)
    name: str = ""
    fallbacks: tuple[Target, ...] = ()
    can: Mapping[str, Any] = field(default_factory=dict)
    policy: PolicyLike = "ignore"
    repair: bool = True
    truncation: Truncation | None = None
    counter: str = ""
    pass_through: bool = False
    shared_state: bool = False
    transport: str = "aiohttp"
    fetch: Fetch | None = field(default=None, repr=False, compare=False)
    retries: Retries = _RETRIES
    timeouts: Timeouts = field(default_factory=Timeouts)

    @property
    def targets(self) -> tuple[Target, ...]:
        """The target and its fallbacks."""
        return (self.target, *self.fallbacks)

    def serves(self, model: str) -> bool:
        """Whether the route is for a model of this name."""
        return any(fnmatchcase(model, pattern) for pattern in self.models)


@dataclass(frozen=True, slots=True)
class ClientKey:
    """A key with which clients come: its hash (argon2), its tenant, and its bounds.

    `rate` is in requests per minute, `concurrent` how many may be under way, `bytes` and `values`
    how much the bodies of a minute may have together, as Limits counts it; None: no bound.
    `models` are patterns of the models that it may ask for.
    """

    name: str
    hash: str = field(repr=False)
    rate: float | None = None
    concurrent: int | None = None
    models: tuple[str, ...] = ("*",)
    bytes: int | None = None
    values: int | None = None

    def may_ask(self, model: str) -> bool:
        """Whether the key is for a model of this name."""
        return any(fnmatchcase(model, pattern) for pattern in self.models)


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of every request. `keep_alive` and `stall` are in seconds.

    `body` is the most bytes of a request, `values` the most elements and members in its JSON,
    `answer` the most bytes of a whole answer, an error's body or a stream that is converted,
    `event` of one event of an answer, `recorded` of what a recording keeps of each answer, `header`
    of the losses that a header tells.
    After `keep_alive` of silence the client gets a sign of life; after `stall` the upstream counts
    as dead. `concurrent` is how many requests may be under way in a worker, `memory` how many bytes
    a worker may have (Linux) and still take another one.
    """

    body: int = 64 * 2**20
    answer: int = 128 * 2**20
    event: int = 64 * 2**20
    recorded: int = 8 * 2**20
    header: int = 2048
    keep_alive: float = 10.0
    stall: float = 600.0
    concurrent: int | None = None
    values: int = 100_000
    memory: int | None = None


@dataclass(frozen=True, slots=True)
class Envelopes:
    """How opaque state travels through clients: keys of 32 bytes, of which the first seals.

    `lifetime` is in seconds. `on_fault`: a request whose envelope was changed, has expired or is
    another tenant's is refused, or goes on without that state, which a loss names.
    """

    keys: tuple[bytes, ...] = field(default=(), repr=False)
    lifetime: float = 30 * 86400.0
    on_fault: OnFault = "refuse"


@dataclass(frozen=True, slots=True)
class Config:
    """All that a gateway is set up with. Without `keys` it takes anybody: on loopback alone.

    `aliases`: the names that coding agents ask for at their start are listed as models. `record` is
    the folder in which exchanges are kept. `spans`: OpenTelemetry is told of each exchange.
    """

    routes: tuple[Route, ...]
    keys: tuple[ClientKey, ...] = ()
    limits: Limits = field(default_factory=Limits)
    envelopes: Envelopes = field(default_factory=Envelopes)
    aliases: bool = False
    record: Path | None = None
    spans: bool = False
    host: str = "127.0.0.1"
    port: int = 8080
    workers: int = 1

    def route_of(self, model: str) -> Route | None:
        """The first route for a model."""
        return next((route for route in self.routes if route.serves(model)), None)

    def route(self, model: str) -> Route:
        """The first route for a model. Raises ConfigError if there is none."""
        if (found := self.route_of(model)) is not None:
            return found
        patterns = ", ".join(pattern for route in self.routes for pattern in route.models)
        text = f"no route serves the model {show(model)}"
        raise ConfigError(text, hint=f"routes are for {patterns}", code="route.missing")


def config_for(
    model: str,
    *,
    key: str | None = None,
    base_url: str | None = None,
    transport: str = "aiohttp",
) -> Config:
    """One route for all models: each request goes to `model`. Raises ConfigError for no model."""
    if model != KEPT and not model.endswith(f"/{KEPT}"):
        model_name(model)
    target = Target(model, base_url=base_url or "", secret=key)
    return Config(routes=(Route(target, transport=transport),))


def with_upstream(config: Config, base_url: str) -> Config:
    """The same with every target at this base URL."""
    routes = tuple(
        replace(
            route,
            target=replace(route.target, base_url=base_url),
            fallbacks=tuple(replace(one, base_url=base_url) for one in route.fallbacks),
        )
        for route in config.routes
    )
    return replace(config, routes=routes)
