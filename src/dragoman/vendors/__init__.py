"""Vendors: a vendor is wires plus facts, one file each. The registry names them, nothing more.

`wire(name)` gives a wire: of a protocol (`openai-chat`), of a vendor (`deepseek`: its first
wire), or of one of a vendor's wires (`deepseek/openai-chat`). A new vendor is one file here and
one line in `VENDORS`; a new protocol one folder in `protocols/`, a vendor file, and a line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from .._wire import Wire
from ..capabilities import Facts
from ..errors import ConfigError
from ..families import FAMILIES
from ..losses import PolicyLike
from ..profiles import profile
from ..room import Room

__all__ = ["NAMED", "PROTOCOLS", "VENDORS", "Vendor", "vendor", "wire", "wires"]

# protocol -> the folder and class of its room
PROTOCOLS: dict[str, tuple[str, str]] = {
    "openai-chat": ("openai_chat", "OpenAIChat"),
    "anthropic": ("anthropic", "Anthropic"),
    "gemini": ("gemini", "Gemini"),
    "dashscope": ("dashscope", "DashScope"),
    "ollama": ("ollama", "Ollama"),
}

# vendor -> its named formatters; the file has the vendor's name
VENDORS: dict[str, tuple[str, ...]] = {
    "openai": ("OpenAIChatFormatter", "OpenAIMultiAgentFormatter", "OpenAIFormatter"),
    "anthropic": ("AnthropicChatFormatter", "AnthropicMultiAgentFormatter"),
    "gemini": ("GeminiChatFormatter", "GeminiMultiAgentFormatter"),
    "dashscope": ("DashScopeChatFormatter", "DashScopeMultiAgentFormatter"),
    "ollama": ("OllamaChatFormatter", "OllamaMultiAgentFormatter"),
    "deepseek": ("DeepSeekChatFormatter", "DeepSeekMultiAgentFormatter"),
    "vllm": (),
}

NAMED: dict[str, str] = {name: home for home, names in VENDORS.items() for name in names}


@dataclass(frozen=True, slots=True)
class Vendor:
    """Who, where, and with what quirks.

    `wires` maps each protocol the vendor speaks to its dialect, the default one first; `key` is
    the environment variable of the API key; `facts` are what this host changes, by protocol.
    """

    name: str
    base_url: str = ""
    key: str = ""
    wires: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Facts] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for protocol in self.wires:
            if protocol not in PROTOCOLS:
                raise ConfigError(
                    f"{self.name} speaks an unknown protocol {protocol!r}",
                    hint=f"known: {', '.join(PROTOCOLS)}",
                )


def vendor(name: str) -> Vendor:
    """The row of a vendor. Raises ConfigError for an unknown name."""
    if name not in VENDORS:
        raise ConfigError(
            f"unknown vendor {name!r}", hint=f"known: {', '.join(VENDORS)}; or pass a Vendor"
        )
    row: Vendor = import_module(f".{name}", __name__).VENDOR
    return row


def wires() -> list[str]:
    """The names that `wire` knows: protocols first, then vendors."""
    return [*PROTOCOLS, *(name for name in VENDORS if name not in PROTOCOLS)]


def wire(
    name: str | Vendor | Wire,
    *,
    facts: Facts | str | None = None,
    policy: PolicyLike = "log",
) -> Wire:
    """One provider's way of talking, by name or by a Vendor of your own.

    `facts` override what is known of models: Facts, or the name of a profile such as
    `documents-2025`. Raises ConfigError for an unknown name.

    >>> wire("deepseek").room.protocol
    'openai-chat'
    """
    if isinstance(name, Wire):
        return name
    if not isinstance(name, (str, Vendor)):
        raise ConfigError(
            f"{type(name).__name__} names no wire",
            hint="use a name of dragoman.wires(), a Wire or a Vendor",
        )
    if isinstance(name, Vendor):
        row, shown, protocol = name, name.name, ""
    else:
        head, _, protocol = name.partition("/")
        if head in PROTOCOLS and not protocol:
            return _bound(name, head, None, None, facts, policy)
        row, shown = vendor(head), name
    protocol = protocol or next(iter(row.wires), "")
    if protocol not in row.wires:
        raise ConfigError(
            f"{row.name} does not speak {protocol!r}", hint=f"it speaks {', '.join(row.wires)}"
        )
    return _bound(shown, protocol, row.wires[protocol], row, facts, policy)


def _bound(
    shown: str,
    protocol: str,
    dialect: Any,
    row: Vendor | None,
    facts: Facts | str | None,
    policy: PolicyLike,
) -> Wire:
    known = [FAMILIES]
    home = row or _home_of(protocol)
    if home is not None and protocol in home.facts:
        known.append(home.facts[protocol])
    if isinstance(facts, str):
        facts = profile(facts, protocol, home.name if home else "")
    if not isinstance(facts, Facts | None):
        raise ConfigError(f"{type(facts).__name__} is no Facts and no name of a profile")
    if facts is not None:
        known.append(facts)
    return Wire(shown, room(protocol, dialect), vendor=row, facts=tuple(known), policy=policy)


def _home_of(protocol: str) -> Vendor | None:
    """The vendor whose name the protocol bears: its facts hold for the bare protocol too."""
    return vendor(protocol) if protocol in VENDORS else None


def room(protocol: str, dialect: Any = None) -> Room:
    """The room of a protocol, in a dialect."""
    folder, cls = PROTOCOLS[protocol]
    module = import_module(f"..protocols.{folder}", __name__)
    made: Room = getattr(module, cls)(dialect)
    return made
