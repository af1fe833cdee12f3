"""Vendors: a vendor is wires plus facts, one file each. The registry only lists them.

`wire(name)` gives a wire: of a protocol (`openai-chat`), of a vendor (`deepseek`: its first
wire), or of one of a vendor's wires (`deepseek/openai-chat`). A new vendor is one file here and
one line in `REGISTRY`; a new protocol one folder in `protocols/`, a vendor file, and a line.
Other packages offer vendors by the entry point `dragoman.vendors`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

from .._old_names import keeps_old_names
from ..caches import CACHES, remember
from ..capabilities import Capabilities, Fact, Facts, override
from ..capabilities.families import FAMILIES, LIMITS
from ..capabilities.families.earlier_facts import read_facts
from ..codec.adopted_answers import find_rows_by
from ..codec.wire import Wire
from ..error_kinds import ErrorRow
from ..errors import ConfigError
from ..history.passes.fetching import Fetch
from ..losses import PolicyLike
from ..losses import policy as policy_of
from ..media_fetch.local_files import local_files
from ..message.options import OPTIONS
from ..protocols.base import Room
from ..protocols.batches import BatchForm, BatchLimits, BatchLines
from ..suggestions.import_names import listing, refusing
from ..suggestions.keywords import explains_keywords, nearest, nearest_vendor
from ..text.redaction import show as quoted
from ..transport.credentials import BEARER, Auth

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "PROTOCOLS",
    "VENDORS",
    "Auth",
    "Billing",
    "ErrorRow",
    "Vendor",
    "vendor",
    "wire",
    "wires",
]


# protocol -> the folder and class of its room
PROTOCOLS: dict[str, tuple[str, str]] = {
    "openai-chat": ("openai_chat", "OpenAIChat"),
    "openai-responses": ("openai_responses", "OpenAIResponses"),
    "anthropic": ("anthropic", "Anthropic"),
    "gemini": ("gemini", "Gemini"),
    "gemini-interactions": ("gemini_interactions", "GeminiInteractions"),
    "dashscope": ("dashscope", "DashScope"),
    "ollama": ("ollama", "Ollama"),
    "bedrock-converse": ("bedrock", "BedrockConverse"),
    "mistral": ("mistral", "Mistral"),
    "cohere": ("cohere", "Cohere"),
}


# the only vendor of a protocol, if it does not have the same name
_HOMES = {"bedrock-converse": "bedrock", "gemini-interactions": "gemini"}


# vendor -> the beginnings of the names of its own models, by which an LLM finds it without loading
# the others' files; empty where it has none, or where other vendors serve them as well. A vendor's
# file has its name, with _ for -
REGISTRY: dict[str, str] = {
    "openai": "gpt|chatgpt|o[1-9]|codex",
    "anthropic": "claude",
    "gemini": "gemini",
    "dashscope": "qwen|qwq|qvq",
    "ollama": "",
    "deepseek": "deepseek",
    "vertex": "",
    "bedrock": "nova",
    "mistral": "mistral|ministral|magistral|codestral|devstral|pixtral|voxtral",
    "cohere": "command|c4ai",
    "azure": "",
    "moonshot": "kimi|moonshot",
    "zhipu": "glm",
    "minimax": "minimax|abab",
    "xai": "grok",
    "groq": "",
    "openrouter": "",
    "vllm": "",
    "foundry": "",
    "anthropic-aws": "",
    "bedrock-mantle": "",
    "volcengine": "doubao",
    "cerebras": "",
    "xiaomi": "mimo",
    "together": "",
    "fireworks": "",
    "sglang": "",
    "lmstudio": "",
    "llamacpp": "",
    "snowflake": "",
    "watsonx": "",
    "perplexity": "sonar",
    "sambanova": "",
    "nvidia": "",
    "databricks": "",
    "huggingface": "",
    "siliconflow": "",
    "cloudflare": "",
    "stepfun": "step",
    "hunyuan": "hunyuan",
    "qianfan": "ernie",
    "open-responses": "",
    "meta": "muse",
    "baseten": "",
    "deepinfra": "",
    "novita": "",
    "vercel-ai-gateway": "",
}
VENDORS: tuple[str, ...] = tuple(REGISTRY)


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

        >>> vendor("openai").url()
        'https://api.openai.com/v1'
        """
        return self.urls.get(protocol, self.base_url)

    def find_auth(self, protocol: str = "") -> Auth:
        """How the key is sent for a protocol.

        Args:
            protocol: A protocol that the vendor speaks; by default its first one.

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


def vendor(name: str) -> Vendor:
    """The row of a vendor, ours or one that an installed package offers.

    Args:
        name: The name of the vendor.

    Raises:
        ConfigError: The name is unknown, or the package offers no Vendor.
    """
    if name in VENDORS:
        row: Vendor = import_module(f".{name.replace('-', '_')}", __name__).VENDOR
        return row
    if name not in (offered := _find_offered()):
        CACHES["dragoman.vendors._find_offered"].clear()  # it may have been installed since
        offered = _find_offered()
    if name not in offered:
        close = nearest_vendor(name, (*PROTOCOLS, *VENDORS, *offered))
        known = f"known: {', '.join([*VENDORS, *offered])}; or pass a Vendor"
        hint = close if close.startswith("did you mean") else known
        raise ConfigError(f"unknown vendor {quoted(name)}", hint=hint)
    return _load_vendor(name, offered[name])


def find_vendor(name: str) -> Vendor | None:
    """The row of a vendor; None for another name, and for a package that cannot be loaded."""
    if name not in VENDORS and name not in _find_offered():
        return None
    try:
        return vendor(name)
    except ConfigError:
        return None


find_rows_by(find_vendor)


def wires() -> list[str]:
    """The names that `wire` knows: protocols, then vendors, then those of installed packages."""
    CACHES["dragoman.vendors._find_offered"].clear()
    return [*PROTOCOLS, *(name for name in VENDORS if name not in PROTOCOLS), *_find_offered()]


@remember("the vendors that installed packages offer", entries=1, size=2**17)
def _find_offered() -> dict[str, list[EntryPoint]]:
    """The vendors of installed packages; our own names win."""
    from importlib.metadata import entry_points  # slow to import, rarely needed

    points: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group="dragoman.vendors"):
        if point.name not in PROTOCOLS and point.name not in VENDORS:
            points.setdefault(point.name, []).append(point)
    return dict(sorted(points.items()))


def _load_vendor(name: str, points: list[EntryPoint]) -> Vendor:
    title = f"the vendor {quoted(name)}"
    offers = ", ".join(f"{p.value} of {p.dist.name if p.dist else '?'}" for p in points)
    if len(points) > 1:
        raise ConfigError(f"{title} is offered more than once: {offers}")
    try:
        row = points[0].load()
    except Exception as error:  # foreign code may raise anything
        raise ConfigError(f"{title} cannot be loaded, {offers}: {error!r}") from error
    if not isinstance(row, Vendor) or row.name != name:
        raise ConfigError(f"{title}, {offers}, is {quoted(row)} and no Vendor of this name")
    return row


def wire(
    name: str | Vendor | Wire,
    *,
    facts: Facts | str | None = None,
    policy: PolicyLike = "log",
    strict: bool = False,
    fetch: Fetch | None = local_files,
) -> Wire:
    """A wire, which reads and writes one provider's API.

    Speakers, limits and rewrites are a formatter's: `Formatter(wire, ...)`.

    Args:
        name: The name of a protocol, a vendor, or `vendor/protocol`; or a Vendor or a Wire.
        facts: Overrides what is known of models: Facts, or the name of a profile such as
            `documents-2025`.
        policy: Which losses are logged or refused. A Wire keeps its own by default.
        strict: Whether to refuse a history that would have to be repaired (LossRefused).
        fetch: `fetch(source, path)` gives the bytes of media that the provider takes only as bytes;
            by default files under the current directory, None for no media. A Wire keeps its own
            by default.

    Raises:
        ConfigError: The name is unknown.

    >>> wire("deepseek").room.protocol
    'openai-chat'
    """
    if isinstance(name, Wire):
        host = name.vendor.name if name.vendor is not None else name.name
        known = name.knowing(read_facts(facts, name.room.protocol, host))
        held = policy_of(known.policy if policy == "log" else policy, strict)
        reads = known.fetch if fetch is local_files else fetch
        if held is known.policy and reads is known.fetch:
            return known
        return Wire(
            known.name,
            known.room,
            vendor=known.vendor,
            facts=known.facts,
            policy=held,
            fetch=reads,
        )
    if not isinstance(name, (str, Vendor)):
        hint = "use a name of dragoman.wires(), a Wire or a Vendor"
        raise ConfigError(f"{type(name).__name__} names no wire", hint=hint)
    policy = policy_of(policy, strict)
    if isinstance(name, Vendor):
        name.check()
    row, protocol = _find_vendor(name)
    bearer = _HOMES.get(protocol, protocol)  # its facts hold for the bare protocol, too
    home = row or (vendor(bearer) if bearer in VENDORS else None)
    every = [FAMILIES, LIMITS]
    if home is not None and home.limits:
        every.append(Facts(home.limits))
    if home is not None and protocol in home.facts:
        every.append(home.facts[protocol])
    every += read_facts(facts, protocol, home.name if home else "")
    title = name.name if isinstance(name, Vendor) else name
    dialect = row.wires[protocol] if row is not None else None
    # a protocol that one vendor owns has that one's address and key
    return Wire(
        title, room(protocol, dialect), vendor=home, facts=tuple(every), policy=policy, fetch=fetch
    )


def _find_vendor(name: str | Vendor) -> tuple[Vendor | None, str]:
    """The vendor, unless the name is that of a bare protocol, and the protocol."""
    head, _, protocol = ("", "", "") if isinstance(name, Vendor) else name.partition("/")
    if head in PROTOCOLS and not protocol:
        return None, head
    row = name if isinstance(name, Vendor) else vendor(head)
    protocol = protocol or next(iter(row.wires), "")
    if protocol not in row.wires:
        text = f"{row.name} does not speak {quoted(protocol)}"
        hint = nearest(protocol, row.wires)
        spoken = f"it speaks {', '.join(row.wires)}"
        raise ConfigError(text, hint=hint if hint.startswith("did you mean") else spoken)
    return row, protocol


def room(protocol: str, dialect: Any = None) -> Room:
    """The room of a protocol, with a dialect or its own default."""
    folder, cls = PROTOCOLS[protocol]
    module = import_module(f"..protocols.{folder}", __name__)
    result: Room = getattr(module, cls)(dialect)
    return result


def batch_lines(protocol: str) -> BatchLines:
    """How the lines of batches of a protocol are written and read; only some have batches."""
    folder, _ = PROTOCOLS[protocol]
    lines: BatchLines = import_module(f"..protocols.{folder}.batch", __name__).BATCH
    return lines


def bucket_lines(protocol: str) -> BatchLines:
    """How the lines of batches of a protocol look that are files in a bucket."""
    folder, _ = PROTOCOLS[protocol]
    lines: BatchLines = import_module(f"..protocols.{folder}.batch", __name__).BUCKET
    return lines


def batch_form(protocol: str) -> BatchForm:
    """The batch interface of a protocol; that of a bucket has none."""
    form = batch_lines(protocol)
    assert isinstance(form, BatchForm)  # as the limits of its hosts say
    return form


if not TYPE_CHECKING:  # so that mypy still reports unknown names
    __getattr__ = refusing(__name__)
    __dir__ = listing(globals(), __all__)
