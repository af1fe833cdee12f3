"""Routes from TOML: their targets, fallbacks, policies, retries and time-outs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fnmatch import filter as match_names
from fnmatch import fnmatchcase
from importlib.util import find_spec
from typing import Any, get_args

from ..._old_names import OLD_CODES
from ...capabilities import Capabilities, override
from ...error_kinds import ErrorKind
from ...errors import ConfigError
from ...llm.names import ModelName, model_name
from ...losses import Policy, PolicyLike
from ...losses.codes import CODES
from ...losses.codes.code import KINDS
from ...media_fetch.media_fetcher import MediaFetcher
from ...message import Options
from ...suggestions.keywords import nearest  # SORT
from ...transport.credentials import address
from ...transport.retries import Retries
from ...transport.timeouts import Timeouts
from ...vendors import VENDORS
from .config_values import (
    KEPT,
    Balance,
    Route,
    Target,
    Truncation,
    checked_base_url,
    checked_headers,
)
from .targets import make_counter, unset_key
from .typed_toml import (
    Table,
    choose_from,
    default_of,
    flag,
    positive,
    seconds,
    text,
    texts_by_name,
    variable,
    whole,
)

ALL_MODELS = 'leave it out for all models, or name some: ["claude-*"]'
_CACHED_MEDIA = 16 * 2**20  # bytes in memory for a route: histories repeat their media at each turn


def read_routes(root: Table) -> tuple[Route, ...]:
    """Read the routes of a file; faults are reported to its tables.

    Args:
        root: The whole file.
    """
    routes: list[Route] = []
    for table in root.tables("routes"):
        route = _route(table)
        _compare(table, route, routes)
        routes.append(route)
    if not routes and not root.report.faults:
        hint = 'add [[routes]] with to = "anthropic/claude-opus-5-5"'
        root.report.add((), "the gateway has no route", hint)
    return tuple(routes)


def _route(table: Table) -> Route:
    target, *alternatives = _balanced(table)
    fallbacks = tuple(
        _other_target(table, "fallbacks", item, i)
        for i, item in enumerate(_list(table, "fallbacks"))
    )
    route = Route(
        target=target,
        alternatives=tuple(alternatives),
        balance=table.take("balance", choose_from(*get_args(Balance)), "weight"),
        models=table.take_some("models", text, ("*",), ALL_MODELS),
        name=table.take("name", text, ""),
        fallbacks=fallbacks,
        can=_can(table),
        policy=_policy(table),
        repair=table.take("repair", flag, True),
        truncation=_truncation(table),
        counter=table.take("counter", _counter, ""),
        pass_through=table.take("pass_through", flag, False),
        shared_state=table.take("shared_state", flag, False),
        transport=table.take("transport", choose_from("aiohttp", "httpx2"), "aiohttp"),
        fetch=_fetcher(table),
        retries=_retries(table),
        timeouts=_timeouts(table),
    )
    table.close()
    return route


def _list(table: Table, name: str) -> list[Any]:
    value: Any = table.take(name, lambda value: value, [])
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _fetcher(table: Table) -> MediaFetcher | None:
    """A fetcher for media from hosts of these names; `*` alone allows every public host."""
    if not (hosts := table.take_each("fetch", text)):
        return None
    if find_spec("httpcore2") is None:
        table.add("fetch", "the extra http is not installed", 'pip install "dragoman[http]"')
    return MediaFetcher(
        None if hosts == ("*",) else hosts, of_read=True, cached=_CACHED_MEDIA, roots=()
    )


def _compare(table: Table, route: Route, before: list[Route]) -> None:
    """Report a name that another route has, and a route that no model reaches."""
    if route.name and route.name in [other.name for other in before]:
        table.add("name", f"a second route is called {route.name!r}", "give it another name")
    covering = [
        next((other for other in before if _covers(other, pattern)), None)
        for pattern in route.models
    ]
    if all(other is not None for other in covering):
        names = dict.fromkeys(
            other.name or f"routes[{before.index(other)}]" for other in covering if other
        )
        fault = f"no model reaches this route: {' and '.join(names)} before it takes all of them"
        table.add(
            "models" if "models" in table else "", fault, "put it before, or give it other models"
        )


def _covers(route: Route, pattern: str) -> bool:
    """Whether a route certainly serves every model that a pattern matches."""
    return any(
        own == pattern or (not set("?[]") & set(own) and fnmatchcase(pattern, own))
        for own in route.models
    )


def _balanced(route: Table) -> list[Target]:
    """The target of a route, or those that share its requests."""
    if "targets" not in route:
        if "balance" in route:
            hint = 'targets = ["openai/gpt-5.6", "azure/gpt-5.6"] names them'
            route.add("balance", "there is one target, to which all requests go", hint)
        return [_target(route)]
    items = _list(route, "targets")
    targets = [_other_target(route, "targets", item, i) for i, item in enumerate(items)]
    for name in ("to", *_OF_TARGET):
        if name in route:
            fault = (
                f"{name} is said of each target"
                if name != "to"
                else "to and targets are both there"
            )
            route.add(name, fault, "put it into the tables of `targets`")
            route.take(name, lambda value: value, None)
    if not targets:
        route.add("targets", "there is no target", 'targets = ["anthropic/*", "bedrock/*"]')
    return targets or [Target("")]


def _other_target(route: Table, name: str, value: Any, number: int) -> Target:
    """A target in a list of a route: a name, or a table."""
    place = (*route.place, name, number)
    if not isinstance(value, Mapping):
        value = {"to": value}
    table = Table(value, place, route.report)
    target = _target(table)
    if name == "targets":
        target = replace(target, weight=table.take("weight", positive, 1.0))
    else:
        kinds = table.take_each("on", choose_from(*get_args(ErrorKind)))
        target = replace(target, on=kinds)
    table.close()
    return target


_OF_TARGET = ("key", "base_url", "headers", "places")


def _target(table: Table) -> Target:
    target = Target(
        name=table.take("to", _model, ""),
        key=table.take("key", variable, ""),
        base_url=table.take("base_url", _url, ""),
        headers=table.take("headers", _headers, {}),
        places=table.take("places", texts_by_name, {}),
    )
    if "to" not in table:
        hint = 'to = "anthropic/claude-opus-5-5"; to = "anthropic/*" keeps the model asked for'
        table.add("", "nobody is named to whom requests go", hint)
    elif target.name and target.name != KEPT:
        _look_around(table, target)
    return target


def _look_around(table: Table, target: Target) -> None:
    """Warn of environment variables and places that a target lacks."""
    model: ModelName = target.model("model")
    if variable := unset_key(target):
        hint = f"set {variable} where the gateway runs"
        table.add(
            "key" if target.key else "to", f"the variable {variable} is not set", hint, "warning"
        )
    try:
        address(model.host, model.protocol, target.places, target.base_url)
    except ConfigError as error:
        at = "places" if "places" in table else "to"
        missing = error.code == "address.place" and "needs a value" in error.message
        table.add(at, error.message, error.hint, "warning" if missing else "error")


def _model(value: Any) -> str:
    name = text(value)
    head, slash, rest = name.partition("/")
    try:
        if name != KEPT:
            model_name(f"{head}/model" if rest == KEPT else name)
    except ConfigError as error:
        hint = nearest(head, tuple(VENDORS)) if slash else error.hint
        raise ConfigError(error.message, hint=hint if "mean" in hint else error.hint) from None
    return name


def _url(value: Any) -> str:
    return checked_base_url(text(value))


_SECRET_HEADERS = (
    "authorization",
    "proxy-authorization",
    "x-api-key",
    "api-key",
    "cookie",
    "x-goog-api-key",
    "ocp-apim-subscription-key",
)


def _headers(value: Any) -> dict[str, str]:
    headers = texts_by_name(value)
    for name in headers:
        if name.lower() in _SECRET_HEADERS:
            raise ConfigError(
                "a key must not stand in the file",
                path=f"$.{name}",
                hint="name the variable that holds it with `key`",
            )
    checked_headers(headers)
    return headers


def _can(table: Table) -> Mapping[str, Any]:
    """The given overrides of capabilities, after each was checked."""
    given = table.table("can")
    if given is None:
        return {}
    for name, value in given.values.items():
        try:
            override(Capabilities(), {name: value})
        except ConfigError as error:
            hint = error.hint
            if error.code == "capability.name":
                hint = nearest(name, tuple(hint.removeprefix("one of ").split(", ")))
            place = (*given.place, name)
            below = error.path.removeprefix(f"$.{name}")
            table.report.add(place, error.message, hint, below=below)
        if name == "options" and isinstance(value, Mapping):
            known = tuple(Options.__dataclass_fields__)
            for option in value:
                if option not in known:
                    hint = nearest(option, known)
                    table.report.add((*given.place, name, option), "is no option", hint)
    return dict(given.values)


def _policy(table: Table) -> PolicyLike:
    if isinstance(table.values.get("on_loss"), Mapping):
        given = table.table("on_loss")
        assert given is not None  # as it is a mapping
        policy = Policy(
            refuse=given.take_each("refuse", _loss), allow=given.take_each("allow", _loss)
        )
        given.close()
        return policy
    default: PolicyLike = "ignore"
    return table.take("on_loss", choose_from("log", "ignore", "refuse"), default)


def _loss(value: Any) -> str:
    """Read a kind or code of losses, or a pattern of codes."""
    name = text(value)
    if name not in KINDS and not match_names([*CODES, *OLD_CODES], name):
        hint = nearest(name, (*KINDS, *CODES))
        known = f"kinds: {', '.join(KINDS)}; `dragoman explain` lists the codes"
        hint = hint if "mean" in hint else known
        raise ConfigError("is neither a kind nor a code of losses", hint=hint)
    return name


def _counter(value: Any) -> str:
    name = text(value)
    if name not in ("auto", "characters") and not name.partition("/")[2]:
        hint = "one of auto, characters, openai/MODEL, anthropic/MODEL, gemini/MODEL"
        raise ConfigError(f"there is no token counter {name!r}", hint=hint)
    make_counter(name)
    return name


def _truncation(table: Table) -> Truncation | None:
    given = table.table("truncate")
    if given is None:
        return None
    truncation = Truncation(
        given.take("tokens", whole(1), 0), given.take("counter", _counter, "auto")
    )
    if "tokens" not in given:
        given.add("", "truncation needs tokens", "truncate = {tokens = 100000}")
    given.close()
    return truncation


def _retries(table: Table) -> Retries:
    """Read retries: a number is how often a failed call is repeated; a table is a Retries."""
    if not isinstance(table.values.get("retries"), Mapping):
        count = table.take("retries", whole(0, 100), None)
        unsaid: Retries = default_of(Route, "retries")
        return unsaid if count is None else Retries(attempts=count + 1)
    given = table.table("retries")
    assert given is not None  # as it is a mapping
    usual: frozenset[ErrorKind] = default_of(Retries, "kinds")
    kinds = given.take_some(
        "kinds", choose_from(*get_args(ErrorKind)), tuple(usual), "attempts = 1 repeats nothing"
    )
    retries = Retries(
        attempts=given.take("attempts", whole(1, 101), default_of(Retries, "attempts")),
        **{
            name: given.take(name, seconds, default_of(Retries, name))
            for name in ("backoff", "longest", "patience")
        },
        kinds=frozenset(kinds),
    )
    given.close()
    return retries


def _timeouts(table: Table) -> Timeouts:
    given = table.table("timeouts")
    if given is None:
        return Timeouts()
    timeouts = Timeouts(
        **{
            name: given.take(name, seconds, default_of(Timeouts, name))
            for name in ("connect", "read", "total")
        }
    )
    given.close()
    return timeouts
