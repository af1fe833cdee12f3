"""Vendor: the row of one host, with its addresses, credentials, wires, and how it differs.

Each file beside this one that has the name of a host holds its row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal, get_args, get_origin, get_type_hints

from .._old_names import keeps_old_names
from ..caches import remember
from ..capabilities import Capabilities, Fact, Facts, override
from ..error_kinds import ErrorRow
from ..errors import ConfigError
from ..message.options import OPTIONS
from ..protocols.batches import BatchLimits
from ..suggestions.keywords import explains_keywords, nearest
from ..text.redaction import show as quoted
from ..transport.credentials import BEARER, Auth
from .protocol_rooms import PROTOCOLS, room


@dataclass(frozen=True, slots=True)
class Billing:
    """Where a vendor's answers state their cost, and whose prices apply to it.

    Args:
        prices: Its name in the package `genai-prices`, if that is not found by the base URL.
        total: The path, below the figures of an answer, of its cost in US dollars.
        parts: The paths of the parts of it for input and output.
        own_key: The path of what was paid elsewhere, with a key of the user's own (`is_byok`).
        unit: How many units of these figures are a dollar.
        tiers: The service tiers that have the standard price.
        geos: The factor on token prices by place of inference.
    """

    prices: str = ""
    total: str = ""
    parts: tuple[str, ...] = ()
    own_key: str = ""
    unit: int = 1
    tiers: tuple[str, ...] = ()
    geos: Mapping[str, str] = field(default_factory=dict)


_NO_FIGURE = Billing()


@keeps_old_names
@explains_keywords(
    {
        "api_key": "key",
        "api_base": "base_url",
        "url": "base_url",
        "env_key": "key",
        "default_headers": "headers",
    }
)
@dataclass(frozen=True, slots=True)
class Vendor:
    """One provider: its addresses, credentials, wires, and how its host differs.

    Args:
        name: Its name.
        base_url: The base URL of its default protocol. A base URL may contain placeholders such as
            `{region}`.
        key: The environment variable of the API key.
        wires: The dialect of each protocol that it speaks, the default one first.
        facts: What this host changes, by protocol.
        urls: Base URLs of protocols at other addresses.
        regions: Base URLs by region; for other protocols than the default by `protocol/region`.
        headers: Headers of every request; never a key.
        places: The environment variables that fill each placeholder of a base URL.
        auth: How the key is sent.
        auths: How it is sent for protocols that differ.
        billing: Where its answers state their cost.
        errors: Error codes with a meaning only at this host; texts of errors are in the table that
            all hosts share.
        keys: The variables that may hold the key, the first one first, if there are more than
            `key`. Like `base_variables`, those that the vendor's official SDK reads.
        base_variables: By protocol, or for all ("*"): the variable of another base URL (or several,
            of which the first that is set counts), and the path after it.
        title: How names of classes spell it, if not as one capitalized word: `XAI`.
        span_name: The conventions' name for it in spans of OpenTelemetry, if that is another.
        maker_protocols: The protocols by which it answers as the maker of its models does: fields
            and items of its answers are the maker's, and so are those of others that do.
        same_media: Protocols of its own whose parts have the same fields beside the media.
        counts: The protocol over which it counts the tokens of any request, if only one can.
        own_models_only: Whether it serves no models but its own.
        limits: How many tokens models hold and answer here, where other hosts differ.
        batches: The protocols over which it takes batches, each with its limits.

    Raises:
        ConfigError: A protocol is unknown, or a header is no text of one line.
    """

    name: str
    base_url: str = ""
    key: str = ""
    wires: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Facts] = field(default_factory=dict)
    urls: Mapping[str, str] = field(default_factory=dict)
    regions: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    auth: Auth = BEARER
    auths: Mapping[str, Auth] = field(default_factory=dict)
    billing: Billing = _NO_FIGURE
    errors: tuple[ErrorRow, ...] = ()
    keys: tuple[str, ...] = ()
    base_variables: Mapping[str, tuple[str | tuple[str, ...], str]] = field(default_factory=dict)
    title: str = ""
    span_name: str = ""
    maker_protocols: tuple[str, ...] = ()
    same_media: tuple[str, ...] = ()
    counts: str = ""
    own_models_only: bool = False
    limits: tuple[Fact, ...] = ()
    batches: Mapping[str, BatchLimits] = field(default_factory=dict)

    def __post_init__(self) -> None:
        named = (*self.wires, *self.facts, *self.auths, *self.maker_protocols, *self.same_media)
        for protocol in (*named, *self.batches, *filter(None, (self.counts,))):
            if protocol not in PROTOCOLS:
                text = f"{self.name} speaks an unknown protocol {quoted(protocol)}"
                raise ConfigError(text, hint=f"known: {', '.join(PROTOCOLS)}")
        for name, value in self.headers.items():
            if not (isinstance(value, str) and value.isprintable()):
                text = f"a header must be text of one line, not {quoted(value)}"
                raise ConfigError(text, path=f"$.headers.{name}", code="vendor.headers")

    def check(self) -> None:
        """Check that every dialect and fact has an effect, and the form of the credentials.

        Raises:
            ConfigError: One of them does not; its path is that in the row.
        """
        auths = {"auth": self.auth, **{f"auths.{name}": auth for name, auth in self.auths.items()}}
        for path, auth in auths.items():
            if not isinstance(auth, Auth):
                text = f"must be an Auth, not {type(auth).__name__}"
                raise ConfigError(text, path=f"$.{path}", code="vendor.auth")
        for place, variables in self.places.items():
            if not isinstance(variables, (tuple, list)):
                text = f"must be names of variables in a tuple, not {type(variables).__name__}"
                raise ConfigError(text, path=f"$.places.{place}", code="vendor.places")
        for protocol, dialect in self.wires.items():
            _check_dialect(dialect, room(protocol).dialect_class, f"$.wires.{protocol}")
        for protocol, facts in self.facts.items():
            if not isinstance(facts, Facts):
                text = f"must be Facts, not {type(facts).__name__}"
                raise ConfigError(text, path=f"$.facts.{protocol}", code="vendor.facts")
            caps = room(protocol).can()
            rows = [("always", facts.always)]
            rows += [(f"rows[{i}].changes", row.changes) for i, row in enumerate(facts.rows)]
            for place, changes in rows:
                _check_changes(caps, changes, f"$.facts.{protocol}.{place}")

    def url(self, protocol: str = "") -> str:
        """The base URL for a protocol.

        Args:
            protocol: A protocol that the vendor speaks; by default its first one.

        >>> from dragoman.vendors import vendor
        >>> vendor("openai").url()
        'https://api.openai.com/v1'
        """
        return self.urls.get(protocol, self.base_url)

    def find_auth(self, protocol: str = "") -> Auth:
        """How the key is sent for a protocol.

        Args:
            protocol: A protocol that the vendor speaks; by default its first one.

        >>> from dragoman.vendors import vendor
        >>> vendor("deepseek").find_auth("anthropic").header
        'x-api-key'
        """
        return self.auths.get(protocol, self.auth)


def _check_dialect(dialect: Any, kind: type[Any], path: str) -> None:
    """Raise ConfigError for a dialect of another protocol, or with an unknown word."""
    if dialect is None:
        return
    if not isinstance(dialect, kind):
        text = f"must be a {kind.__module__}.{kind.__name__}, not {type(dialect).__name__}"
        raise ConfigError(text, path=path, code="vendor.dialect")
    for name, words in _words(kind.__module__, kind.__name__).items():
        if (value := getattr(dialect, name)) not in words:
            text = f"must be one of {', '.join(map(repr, words))}, not {quoted(value)}"
            raise ConfigError(text, path=f"{path}.{name}", code="vendor.dialect")


@remember("the words that fields of dialects take", entries=64, size=2**14)
def _words(module: str, name: str) -> dict[str, tuple[Any, ...]]:
    """The fields of a dialect class whose values are one of some words."""
    hints = get_type_hints(getattr(import_module(module), name))
    return {name: get_args(hint) for name, hint in hints.items() if get_origin(hint) is Literal}


def _check_changes(caps: Capabilities, changes: Mapping[str, Any], path: str) -> None:
    """Raise ConfigError for a change of what no wire has, or for an unknown option."""
    try:
        override(caps, changes)
    except ConfigError as error:
        at = path + error.path[1:]
        raise ConfigError(error.message, path=at, hint=error.hint, code=error.code) from error
    for name in changes.get("options", ()):
        if name not in OPTIONS:
            hint = nearest(name, sorted(OPTIONS))
            text = f"unknown option {quoted(name)}"
            raise ConfigError(text, path=f"{path}.options", hint=hint, code="option.name")
