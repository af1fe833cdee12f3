"""The registry: every vendor by name, ours and those of installed packages, and their wires.

A new vendor is one file beside this one and one line in `REGISTRY`. Other packages offer vendors by
the entry point `dragoman.vendors`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ..caches import CACHES, remember
from ..capabilities import Facts
from ..capabilities.families import FAMILIES, LIMITS
from ..capabilities.families.earlier_facts import read_facts
from ..codec.adopted_answers import find_rows_by
from ..codec.wire import Wire
from ..errors import ConfigError
from ..history.passes.fetching import Fetch
from ..losses import PolicyLike
from ..losses import policy as policy_of
from ..media_fetch.local_files import local_files
from ..suggestions.keywords import nearest, nearest_vendor
from ..text.redaction import show as quoted
from .protocol_rooms import PROTOCOLS, room
from .vendor_row import Vendor

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

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


def vendor(name: str) -> Vendor:
    """The row of a vendor, ours or one that an installed package offers.

    Args:
        name: The name of the vendor.

    Raises:
        ConfigError: The name is unknown, or the package offers no Vendor.
    """
    if name in VENDORS:
        row: Vendor = import_module(f".{name.replace('-', '_')}", __package__).VENDOR
        return row
    if name not in (offered := _find_offered()):
        CACHES[
            "dragoman.vendors.registry._find_offered"
        ].clear()  # it may have been installed since
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
    CACHES["dragoman.vendors.registry._find_offered"].clear()
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
