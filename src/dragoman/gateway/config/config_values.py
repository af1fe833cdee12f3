"""The values of a gateway's configuration: routes, client keys, limits, envelopes.

A new key of gateway.toml is a field here, and is read in `read_toml.py`, which names the line of a
fault.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from math import inf
from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit

from ..._old_names import keeps_old_names
from ...error_kinds import ErrorKind
from ...errors import ConfigError
from ...history.passes.fetching import Fetch
from ...llm.names import ModelName, model_name
from ...losses import PolicyLike
from ...text.redaction import show
from ...transport.call import check_headers, is_address
from ...transport.retries import Retries
from ...transport.timeouts import Timeouts

OnFault: TypeAlias = Literal["refuse", "drop"]
Balance: TypeAlias = Literal["weight", "least_busy", "cheapest", "sticky"]

KEPT = "*"  # as the model of a target: the model that the client asks for stays


@dataclass(frozen=True, slots=True)
class Target:
    """A model of a provider.

    Attributes:
        name: `vendor/model`, `vendor/wire/model`, or `vendor/*` for any model.
        key: The environment variable that holds the API key, if it is not the vendor's own.
        base_url: The address, if it is not the vendor's own.
        headers: Headers to send with every call.
        places: The values for places in the vendor's address, such as a region.
        secret: The API key itself, for programs.
        weight: Its share of the requests among the targets of a route, more than 0.
        on: For a fallback: the kinds of errors after which it is asked; without any, those that
            another model may not have.

    Raises:
        ConfigError: The address or a header cannot be used for calls, or the weight is not above 0.
    """

    name: str
    key: str = ""
    base_url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    places: Mapping[str, str] = field(default_factory=dict)
    secret: str | None = field(default=None, repr=False)
    weight: float = 1.0
    on: tuple[ErrorKind, ...] = ()

    def __post_init__(self) -> None:
        if not 0 < self.weight < inf:
            raise ConfigError("a weight is more than 0", path="$.weight", code="target.weight")
        if self.base_url:
            try:
                checked_base_url(self.base_url)
            except ConfigError as error:
                raise ConfigError(
                    error.message, path="$.base_url", hint=error.hint, code=error.code
                ) from None
        checked_headers(self.headers, "$.headers")

    def model(self, client_model: str) -> ModelName:
        """The model to call when the client asks for `client_model`.

        Raises:
            ConfigError: There is no such model; with the code `route.missing` if the name is the
                client's.
        """
        if self.name != KEPT and not self.name.endswith(f"/{KEPT}"):
            return model_name(self.name)
        try:
            return model_name(f"{self.name[: -len(KEPT)]}{client_model}")
        except ConfigError as error:
            raise ConfigError(error.message, hint=error.hint, code="route.missing") from error


_PLACE = re.compile(r"\{\w+\}")
_FRAMING = ("connection", "content-length", "transfer-encoding")


def checked_base_url(url: str) -> str:
    """The base URL, which may contain places such as `{region}`.

    Raises:
        ConfigError: It is no address. The error does not show it, as it may contain a secret.
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
    """The headers, if they can go with every call. Raises ConfigError, which shows no values."""
    check_headers(headers, path)
    for name in headers:
        if name.lower() in _FRAMING:
            text = "this header is the connection's own"
            raise ConfigError(text, path=f"{path}.{name}", code="header.name")
    return headers


@dataclass(frozen=True, slots=True)
class Truncation:
    """A budget for histories.

    Attributes:
        tokens: The most tokens of a request.
        counter: The token counter by its name; `auto` is the model's own.
    """

    tokens: int
    counter: str = "auto"


# Agents repeat failed requests themselves, guided by the error that they get; the gateway repeats
# only a call on a connection that the provider has closed meanwhile
_RETRIES = Retries(attempts=2, backoff=0.1, kinds=frozenset({"connection"}))


@dataclass(frozen=True, slots=True)
class Route:
    """Which models go to which target, and how.

    Attributes:
        target: Where requests go.
        models: Patterns of the names that clients ask for.
        name: The name in logs and errors.
        fallbacks: Further targets, in their order, while no part of an answer has come.
        alternatives: Targets that share the requests with `target`.
        balance: Which of them is asked first: in turns by `weight`, the one that is `least_busy`,
            the `cheapest`, or `sticky`: the one that has the conversation's prompt cache.
        can: Overrides of what is known of the model's capabilities.
        policy: Which losses are allowed.
        repair: Whether broken histories are repaired.
        truncation: The budget for histories; None for no truncation.
        counter: The token counter for providers that offer no count; without one the model's own
            is used, without a network.
        pass_through: Whether requests at unknown paths are passed on to the provider unchanged.
        shared_state: Whether client keys share what the provider stores (answers, files, caches).
        transport: `aiohttp` or `httpx2`.
        fetch: Fetches media that clients send by URL, for targets that take bytes alone; None:
            such media are lost, and the loss is reported.
        retries: How often and when failed calls are repeated.
        timeouts: The time-outs of calls.
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
    alternatives: tuple[Target, ...] = ()
    balance: Balance = "weight"

    @property
    def targets(self) -> tuple[Target, ...]:
        """The target and its alternatives, then the fallbacks."""
        return (self.target, *self.alternatives, *self.fallbacks)

    def serves(self, model: str) -> bool:
        """Whether the route is for a model of this name."""
        return any(fnmatchcase(model, pattern) for pattern in self.models)


@dataclass(frozen=True, slots=True)
class ClientKey:
    """A key of a client: its tenant, its hash and its bounds.

    Attributes:
        name: The tenant.
        hash: `<id>:<argon2 hash>`.
        rate: Requests per minute; None: no bound, as for the other bounds.
        concurrent: How many requests may be under way.
        models: Patterns of the models that it may ask for.
        bytes: The most bytes of all bodies of a minute, as Limits counts them.
        values: The most values of all bodies of a minute, as Limits counts them.
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
    """Bounds of every request; times are in seconds.

    Attributes:
        body: The most bytes of a request.
        answer: The most bytes of a whole answer, an error's body or a converted stream.
        event: The most bytes of one event of an answer.
        recorded: The most bytes that a recording stores of each answer.
        header: The most bytes of the header that lists losses.
        keep_alive: After this silence the client gets a sign of life.
        stall: After this silence the call to the provider fails.
        concurrent: How many requests may be under way in a worker.
        values: The most elements and members in the JSON of a request.
        memory: How many bytes a worker may use (on Linux) and still accept another request.
        answer_values: The most elements and members in the JSON of a whole answer, or of an event
            that is converted.
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
    answer_values: int = 2_000_000


@dataclass(frozen=True, slots=True)
class Envelopes:
    """How opaque state travels through clients.

    Attributes:
        keys: Keys of 32 bytes, of which the first seals and all open.
        lifetime: Seconds until an envelope expires.
        on_fault: What happens to a request whose envelope was changed, has expired or is another
            tenant's: `refuse` it, or `drop` that state, which is reported as a loss.
    """

    keys: tuple[bytes, ...] = field(default=(), repr=False)
    lifetime: float = 30 * 86400.0
    on_fault: OnFault = "refuse"


@keeps_old_names
@dataclass(frozen=True, slots=True)
class Config:
    """The whole configuration of a gateway.

    Attributes:
        routes: Which models go where; the first route that serves a model is used.
        keys: The client keys; without any, every client on this machine is admitted.
        limits: Bounds of every request.
        envelopes: How opaque state travels through clients.
        aliases: Whether the models that coding agents ask for at their start are listed.
        record: The folder for recordings of exchanges; None records nothing.
        spans: Whether each exchange is reported to OpenTelemetry.
        sessions: Whether what is known of a session's earlier turns is not read again.
        host: The address to listen on.
        port: The port to listen on; 0 takes a free one.
        workers: How many processes serve.
    """

    routes: tuple[Route, ...]
    keys: tuple[ClientKey, ...] = ()
    limits: Limits = field(default_factory=Limits)
    envelopes: Envelopes = field(default_factory=Envelopes)
    aliases: bool = False
    record: Path | None = None
    spans: bool = False
    sessions: bool = True
    host: str = "127.0.0.1"
    port: int = 8080
    workers: int = 1

    def find_route(self, model: str) -> Route | None:
        """The first route for a model, or None.

        Args:
            model: The name that the client asks for.
        """
        return next((route for route in self.routes if route.serves(model)), None)

    def route(self, model: str) -> Route:
        """The first route for a model.

        Args:
            model: The name that the client asks for.

        Raises:
            ConfigError: No route serves the model.
        """
        if (found := self.find_route(model)) is not None:
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
    """A Config with one route, from every model to `model`. Raises ConfigError for no name."""
    if model != KEPT and not model.endswith(f"/{KEPT}"):
        model_name(model)
    target = Target(model, base_url=base_url or "", secret=key)
    return Config(routes=(Route(target, transport=transport),))


def with_upstream(config: Config, base_url: str) -> Config:
    """The configuration with this base URL for every target."""
    routes = tuple(
        replace(
            route,
            target=replace(route.target, base_url=base_url),
            alternatives=tuple(replace(one, base_url=base_url) for one in route.alternatives),
            fallbacks=tuple(replace(one, base_url=base_url) for one in route.fallbacks),
        )
        for route in config.routes
    )
    return replace(config, routes=routes)
