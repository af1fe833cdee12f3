"""Vendors: a vendor is wires plus facts, one file each. The registry names them, nothing more.

`wire(name)` gives a wire: of a protocol (`openai-chat`), of a vendor (`deepseek`: its first
wire), or of one of a vendor's wires (`deepseek/openai-chat`). A new vendor is one file here and
one line in `VENDORS`; a new protocol one folder in `protocols/`, a vendor file, and a line.
Packages of others offer rows by the entry point `dragoman.vendors`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .._core.exchange.wire import Wire
from .._core.families import FAMILIES
from .._core.families.profiles import chosen
from .._core.redaction import shown as quoted
from ..capabilities import Facts
from ..errors import ConfigError
from ..losses import PolicyLike
from ..losses import policy as policy_of
from ..protocols.base import Room

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["NAMED", "PROTOCOLS", "VENDORS", "Vendor", "vendor", "wire", "wires"]


# protocol -> the folder and class of its room
PROTOCOLS: dict[str, tuple[str, str]] = {
    "openai-chat": ("openai_chat", "OpenAIChat"),
    "openai-responses": ("openai_responses", "OpenAIResponses"),
    "anthropic": ("anthropic", "Anthropic"),
    "gemini": ("gemini", "Gemini"),
    "dashscope": ("dashscope", "DashScope"),
    "ollama": ("ollama", "Ollama"),
    "bedrock-converse": ("bedrock", "BedrockConverse"),
    "mistral": ("mistral", "Mistral"),
    "cohere": ("cohere", "Cohere"),
}


# the vendor who alone speaks a protocol, where it does not bear the same name
_HOMES = {"bedrock-converse": "bedrock"}


# vendor -> its named formatters; the file has the vendor's name
VENDORS: dict[str, tuple[str, ...]] = {
    "openai": (
        "OpenAIChatFormatter", "OpenAIMultiAgentFormatter", "OpenAIFormatter",
        "OpenAIResponseChatFormatter", "OpenAIResponseMultiAgentFormatter",
        "OpenAIResponsesChatFormatter", "OpenAIResponsesMultiAgentFormatter",
    ),
    "anthropic": ("AnthropicChatFormatter", "AnthropicMultiAgentFormatter"),
    "gemini": ("GeminiChatFormatter", "GeminiMultiAgentFormatter"),
    "dashscope": ("DashScopeChatFormatter", "DashScopeMultiAgentFormatter"),
    "ollama": ("OllamaChatFormatter", "OllamaMultiAgentFormatter"),
    "deepseek": ("DeepSeekChatFormatter", "DeepSeekMultiAgentFormatter"),
    "vertex": (),
    "bedrock": (),
    "mistral": (),
    "cohere": (),
    "azure": (),
    "moonshot": (),
    "zhipu": (),
    "minimax": (),
    "xai": (),
    "groq": (),
    "openrouter": (),
    "vllm": (),
}  # fmt: skip


NAMED: dict[str, str] = {name: home for home, names in VENDORS.items() for name in names}


@dataclass(frozen=True, slots=True)
class Vendor:
    """Who, where, and with what quirks.

    `wires` maps each protocol the vendor speaks to its dialect, the default one first; `key` is
    the environment variable of the API key; `facts` are what this host changes, by protocol.
    `urls` are base URLs of protocols that live elsewhere, `regions` those of the default protocol
    by the name of the region. A base URL may hold placeholders such as `{region}`.
    """

    name: str
    base_url: str = ""
    key: str = ""
    wires: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Facts] = field(default_factory=dict)
    urls: Mapping[str, str] = field(default_factory=dict)
    regions: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for protocol in self.wires:
            if protocol not in PROTOCOLS:
                text = f"{self.name} speaks an unknown protocol {quoted(protocol)}"
                raise ConfigError(text, hint=f"known: {', '.join(PROTOCOLS)}")

    def url(self, protocol: str = "") -> str:
        """The base URL for a protocol that the vendor speaks; for its default one without a name.

        >>> vendor("openai").url()
        'https://api.openai.com/v1'
        """
        return self.urls.get(protocol, self.base_url)


def vendor(name: str) -> Vendor:
    """The row of a vendor, or of one that an installed package offers.

    Raises ConfigError for an unknown name, and for a package that offers no Vendor.
    """
    if name in VENDORS:
        row: Vendor = import_module(f".{name}", __name__).VENDOR
        return row
    if name not in (offered := _offered()):
        _offered.cache_clear()  # it may have been installed since
        offered = _offered()
    if name not in offered:
        known = ", ".join([*VENDORS, *offered])
        hint = f"known: {known}; or pass a Vendor"
        raise ConfigError(f"unknown vendor {quoted(name)}", hint=hint)
    return _loaded(name, offered[name])


def wires() -> list[str]:
    """The names that `wire` knows: protocols, then vendors, then those of installed packages."""
    _offered.cache_clear()
    return [*PROTOCOLS, *(name for name in VENDORS if name not in PROTOCOLS), *_offered()]


@cache
def _offered() -> dict[str, list[EntryPoint]]:
    """What installed packages offer; a name of ours is ours."""
    from importlib.metadata import entry_points  # slow to import, and seldom needed

    points: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group="dragoman.vendors"):
        if point.name not in PROTOCOLS and point.name not in VENDORS:
            points.setdefault(point.name, []).append(point)
    return dict(sorted(points.items()))


def _loaded(name: str, points: list[EntryPoint]) -> Vendor:
    title = f"the vendor {quoted(name)}"
    offers = ", ".join(f"{p.value} of {p.dist.name if p.dist else '?'}" for p in points)
    if len(points) > 1:
        raise ConfigError(f"{title} is offered more than once: {offers}")
    try:
        row = points[0].load()
    except Exception as error:  # somebody else's package may fail in any way
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
) -> Wire:
    """One provider's way of talking, by name or by a Vendor of your own.

    `facts` override what is known of models: Facts, or the name of a profile such as
    `documents-2025`. `strict`: a history that would have to be repaired is refused (LossRefused).
    Raises ConfigError for an unknown name.

    >>> wire("deepseek").room.protocol
    'openai-chat'
    """
    if isinstance(name, Wire):
        host = name.vendor.name if name.vendor is not None else name.name
        known = name.knowing(chosen(facts, name.room.protocol, host))
        if not strict:
            return known
        held = policy_of(known.policy, strict)
        return Wire(known.name, known.room, vendor=known.vendor, facts=known.facts, policy=held)
    if not isinstance(name, (str, Vendor)):
        hint = "use a name of dragoman.wires(), a Wire or a Vendor"
        raise ConfigError(f"{type(name).__name__} names no wire", hint=hint)
    policy = policy_of(policy, strict)
    row, protocol = _named(name)
    bearer = _HOMES.get(protocol, protocol)  # its facts hold for the bare protocol too
    home = row or (vendor(bearer) if bearer in VENDORS else None)
    every = [FAMILIES]
    if home is not None and protocol in home.facts:
        every.append(home.facts[protocol])
    every += chosen(facts, protocol, home.name if home else "")
    title = name.name if isinstance(name, Vendor) else name
    dialect = row.wires[protocol] if row is not None else None
    return Wire(title, room(protocol, dialect), vendor=row, facts=tuple(every), policy=policy)


def _named(name: str | Vendor) -> tuple[Vendor | None, str]:
    """The vendor, if the name is not that of a bare protocol, and the protocol."""
    head, _, protocol = ("", "", "") if isinstance(name, Vendor) else name.partition("/")
    if head in PROTOCOLS and not protocol:
        return None, head
    row = name if isinstance(name, Vendor) else vendor(head)
    protocol = protocol or next(iter(row.wires), "")
    if protocol not in row.wires:
        text = f"{row.name} does not speak {quoted(protocol)}"
        raise ConfigError(text, hint=f"it speaks {', '.join(row.wires)}")
    return row, protocol


def room(protocol: str, dialect: Any = None) -> Room:
    """The room of a protocol, in a dialect."""
    folder, cls = PROTOCOLS[protocol]
    module = import_module(f"..protocols.{folder}", __name__)
    result: Room = getattr(module, cls)(dialect)
    return result
