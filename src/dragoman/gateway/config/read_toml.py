"""Config from TOML: `load` a file, `parse` a text, `of_mapping` values that are parsed already.

Every fault of a file is reported, each with its line and what to do about it; `judge` returns the
faults together with the values. A key is a field in `config_values.py`, and a `take` here. Secrets
are never in the file: it names the environment variables that hold them.
"""

from __future__ import annotations

import logging
import os
import re
import tomllib
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from fnmatch import filter as match_names
from fnmatch import fnmatchcase
from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_args

from ..._old_names import OLD_CODES, keeps_old_names
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
from ...text.redaction import show
from ...transport.credentials import address
from ...transport.retries import Retries
from ...transport.timeouts import Timeouts
from ...vendors import VENDORS
from .config_values import (
    KEPT,
    ClientKey,
    Config,
    Envelopes,
    Limits,
    Route,
    Target,
    Truncation,
    checked_base_url,
    checked_headers,
)
from .targets import make_counter, unset_key
from .typed_toml import (
    ConfigFault,
    FaultReport,
    Place,
    Table,
    choose_from,
    find_lines,
    flag,
    positive,
    seconds,
    size,
    text,
    texts_by_name,
    whole,
)

_log = logging.getLogger("dragoman.gateway")

KEY_BYTES = 32  # of AES-256, which seals envelopes
_CACHED_MEDIA = 16 * 2**20  # bytes in memory for a route: histories repeat their media at each turn


@keeps_old_names
@dataclass(frozen=True, slots=True)
class Judgement:
    """The values of a file and its faults; `config` is None if the file cannot be used."""

    config: Config | None
    faults: tuple[ConfigFault, ...]
    name: str
    lines: Mapping[Place, int]

    def format_faults(self) -> list[str]:
        """A line for each fault, in the order of the file."""
        return [fault.format_line(self.name) for fault in self.faults]


def load(path: str | os.PathLike[str]) -> Config:
    """The Config of a TOML file.

    A relative `record` is a folder beside the file.

    Args:
        path: The file.

    Raises:
        ConfigError: The file cannot be read, or has faults; the error lists all of them.
    """
    return _config(judge_file(path))


def parse(toml: str, name: str = "gateway.toml") -> Config:
    """The Config of a TOML text; `name` stands for the file in errors."""
    return _config(judge(toml, name))


def of_mapping(mapping: Mapping[str, Any]) -> Config:
    """The Config of parsed TOML, or of a mapping in the same form."""
    return _config(_judge_values(mapping, "gateway", {}, Path()))


def judge_file(path: str | os.PathLike[str]) -> Judgement:
    """The values of a file and its faults. Raises ConfigError if it cannot be read."""
    file = Path(path)
    try:
        toml = file.read_text("utf-8-sig")
    except (OSError, ValueError) as error:  # ValueError: no UTF-8, or no valid file name
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise ConfigError(f"cannot read {str(file)!r}: {reason}", code="gateway.file") from error
    return judge(toml, str(file), file.parent)


def judge(toml: str, name: str = "gateway.toml", folder: Path | None = None) -> Judgement:
    """The values of a TOML text and its faults; relative paths begin at `folder`."""
    try:
        values = tomllib.loads(toml)
    except tomllib.TOMLDecodeError as error:
        match = re.search(r"\(at (?:line (\d+)|end of document)", str(error))
        line = int(match[1]) if match and match[1] else toml.count("\n") + 1
        message = str(error).partition(" (at ")[0]
        return Judgement(None, (ConfigFault("$", f"no TOML: {message}", line=line),), name, {})
    return _judge_values(values, name, find_lines(toml), folder or Path())


def _config(judgement: Judgement) -> Config:
    """The Config, if a gateway can start with it; its warnings are logged."""
    serious = [fault for fault in judgement.faults if fault.level != "warning"]
    if judgement.config is None or serious:
        told = [fault.format_line(judgement.name) for fault in serious]
        text = "\n".join([f"{judgement.name} has {len(told)} faults", *told])
        raise ConfigError(told[0] if len(told) == 1 else text, code="gateway.settings")
    for fault in judgement.faults:
        _log.warning("%s", fault.format_line(judgement.name))
    return judgement.config


def _judge_values(
    values: Mapping[str, Any], name: str, lines: Mapping[Place, int], folder: Path
) -> Judgement:
    report = FaultReport(lines)
    config = _gateway(Table(values, (), report), folder)
    order = sorted(report.faults, key=lambda fault: fault.line or 0)
    usable = not any(fault.level == "error" for fault in order)
    return Judgement(config if usable else None, tuple(order), name, lines)


# -- sections --------------------------------------------------------------------------------------


def _gateway(root: Table, folder: Path) -> Config:
    server = root.table("server") or Table({}, ("server",), root.report)
    record = server.take("record", text, "")
    config = Config(
        routes=_routes(root),
        keys=_keys(root),
        limits=_limits(root),
        envelopes=_envelopes(root),
        aliases=server.take("aliases", flag, _default(Config, "aliases")),
        record=folder / record if record else None,
        spans=_spans(server),
        sessions=server.take("sessions", flag, _default(Config, "sessions")),
        host=server.take("host", text, _default(Config, "host")),
        port=server.take("port", whole(0, 65535), _default(Config, "port")),
        workers=server.take("workers", whole(1, 1024), _default(Config, "workers")),
    )
    server.close()
    root.close()
    return config


def _spans(server: Table) -> bool:
    """Whether exchanges are reported to OpenTelemetry, for which its package must be installed."""
    wanted: bool = server.take("spans", flag, _default(Config, "spans"))
    if wanted and find_spec("opentelemetry") is None:
        server.add("spans", "the extra otel is not installed", 'pip install "dragoman[otel]"')
    return wanted


def _default(kind: Any, name: str) -> Any:
    """The default of a dataclass's field."""
    (field,) = (field for field in fields(kind) if field.name == name)
    return field.default if field.default_factory is MISSING else field.default_factory()


_LIMITS: dict[str, Any] = {
    "body": size,
    "values": whole(1),
    "answer": size,
    "event": size,
    "recorded": size,
    "header": size,
    "keep_alive": seconds,
    "stall": seconds,
    "concurrent": whole(1),
    "memory": size,
    "answer_values": whole(1),
}


def _limits(root: Table) -> Limits:
    table = root.table("limits")
    if table is None:
        return Limits()
    values = {
        name: table.take(name, read, _default(Limits, name)) for name, read in _LIMITS.items()
    }
    table.close()
    return Limits(**values)


def _envelopes(root: Table) -> Envelopes:
    table = root.table("envelopes")
    if table is None:
        return Envelopes()
    names = table.take_each("keys", _variable)
    keys = [_sealing_key(table, name) for name in names]
    envelopes = Envelopes(
        keys=tuple(key for key in keys if key is not None),
        lifetime=table.take("lifetime", seconds, _default(Envelopes, "lifetime")),
        on_fault=table.take("on_fault", choose_from("refuse", "drop"), "refuse"),
    )
    table.close()
    return envelopes


def _sealing_key(table: Table, variable: str) -> bytes | None:
    value = os.environ.get(variable, "").strip()
    if not value:
        hint = f"export {variable}=$(openssl rand -base64 {KEY_BYTES})"
        table.add("keys", f"the variable {variable} is not set", hint, "unset")
        return None
    try:
        key = bytes.fromhex(value) if len(value) == 2 * KEY_BYTES else _of_base64(value)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        fault = f"{variable} does not hold {KEY_BYTES} bytes in base64 or hex"
        table.add("keys", fault, f"openssl rand -base64 {KEY_BYTES} makes such a key")
        return None
    return key


def _of_base64(value: str) -> bytes:
    """Decode base64 of either alphabet, with or without padding. Raises ValueError."""
    plain = value.rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        return b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except Base64Error as error:
        raise ValueError("no base64") from error


_ALL_MODELS = 'leave it out for all models, or name some: ["claude-*"]'


def _keys(root: Table) -> tuple[ClientKey, ...]:
    keys: list[ClientKey] = []
    for table in root.tables("keys"):
        key = ClientKey(
            name=table.take("name", text, ""),
            hash=table.take("hash", _hash, ""),
            rate=table.take("rate", positive, None),
            concurrent=table.take("concurrent", whole(1), None),
            models=table.take_some("models", text, ("*",), _ALL_MODELS),
            bytes=table.take("bytes", size, None),
            values=table.take("values", whole(1), None),
        )
        table.close()
        for name in ("name", "hash"):
            if name not in table:
                table.add("", f"a client's key needs a {name}", "`dragoman keys new NAME` gives it")
        if key.name in [other.name for other in keys]:
            table.add(
                "name",
                f"a second key is called {key.name!r}",
                "each key has a name of its own: it is its tenant's",
            )
        key_id = key.hash.partition(":")[0]
        same = next((one for one in keys if key_id and one.hash.startswith(f"{key_id}:")), None)
        if same is not None:
            table.add(
                "hash",
                f"the key {show(same.name)} has the same hash",
                "`dragoman keys new NAME` makes a key for each client",
            )
        keys.append(key)
    return tuple(keys)


_ENTRY = re.compile(
    r"[0-9a-f]{16}:\$argon2(id|i|d)\$v=\d+\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+"
)


def _hash(value: Any) -> str:
    # the value is not shown, as it may be a key itself
    if not isinstance(value, str) or not _ENTRY.fullmatch(value):
        raise ConfigError("is no hash of a key", hint="`dragoman keys new NAME` prints one")
    return value


_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _variable(value: Any) -> str:
    """Read the name of an environment variable, with or without `env:`; a key itself is refused.

    A name must be in capitals or be a variable that is set, as keys of some providers are words,
    too. The error does not show the value.
    """
    name = value.removeprefix("env:") if isinstance(value, str) else ""
    plausible = name == name.upper() and (len(name) <= 24 or "_" in name)
    if not _VARIABLE.fullmatch(name) or not (plausible or name in os.environ):
        raise ConfigError(
            "is no name of a variable of the environment; a key itself must not stand here",
            hint='put the key into a variable, and its name here: "OPENAI_API_KEY"',
        )
    return name


# -- routes ----------------------------------------------------------------------------------------


def _routes(root: Table) -> tuple[Route, ...]:
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
    target = _target(table)
    fallbacks = tuple(_fallback(table, item, i) for i, item in enumerate(_list(table, "fallbacks")))
    route = Route(
        target=target,
        models=table.take_some("models", text, ("*",), _ALL_MODELS),
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


def _fallback(route: Table, value: Any, number: int) -> Target:
    place = (*route.place, "fallbacks", number)
    if not isinstance(value, Mapping):
        value = {"to": value}
    table = Table(value, place, route.report)
    target = _target(table)
    table.close()
    return target


def _target(table: Table) -> Target:
    target = Target(
        name=table.take("to", _model, ""),
        key=table.take("key", _variable, ""),
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
        unsaid: Retries = _default(Route, "retries")
        return unsaid if count is None else Retries(attempts=count + 1)
    given = table.table("retries")
    assert given is not None  # as it is a mapping
    usual: frozenset[ErrorKind] = _default(Retries, "kinds")
    kinds = given.take_some(
        "kinds", choose_from(*get_args(ErrorKind)), tuple(usual), "attempts = 1 repeats nothing"
    )
    retries = Retries(
        attempts=given.take("attempts", whole(1, 101), _default(Retries, "attempts")),
        **{
            name: given.take(name, seconds, _default(Retries, name))
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
            name: given.take(name, seconds, _default(Timeouts, name))
            for name in ("connect", "read", "total")
        }
    )
    given.close()
    return timeouts
