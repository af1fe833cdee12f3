"""Names of models: `vendor/model`, `vendor/wire/model`, or a model whose maker serves it."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..capabilities import Facts, Limits
from ..errors import ConfigError
from ..suggestions.keywords import VENDOR_SYNONYMS, closest, nearest_vendor
from ..text.redaction import show
from ..vendors import PROTOCOLS, VENDORS, Vendor, vendor, wire, wires
from ..vendors.protocol_rooms import room
from ..vendors.registry import REGISTRY

# how the names of models begin, and the vendor that alone serves them, their maker
_MAKERS = tuple(
    (re.compile(rf"(?:{beginning})(?![a-z])"), maker)
    for beginning, maker in (
        (r"gpt-oss|llama|gemma|phi", ""),  # open weights, which many vendors serve
        *((beginning, maker) for maker, beginning in REGISTRY.items() if beginning),
    )
)

# names of model families, not of a model
_FAMILIES = frozenset(
    {
        "chatgpt",
        "claude",
        "deepseek",
        "doubao",
        "ernie",
        "gemini",
        "gemma",
        "glm",
        "gpt",
        "grok",
        "hunyuan",
        "kimi",
        "llama",
        "mimo",
        "minimax",
        "mistral",
        "nova",
        "qwen",
    }
)
_TAG = re.compile(r"(latest|e?\d+(\.\d+)?[bm]\b.*)", re.IGNORECASE)  # a tag of Ollama: `qwen3:8b`


class ModelName(NamedTuple):
    """The vendor, its protocol, and the provider's name of the model."""

    host: Vendor
    protocol: str
    model: str

    @property
    def wire(self) -> str:
        """The name for `dragoman.wire`, if the vendor is in the registry."""
        return f"{self.host.name}/{self.protocol}"


def model_name(name: str, elsewhere: bool = False) -> ModelName:
    """Parse the name of a model.

    The second part is a wire if the vendor has one of that name; names of models may contain
    slashes. If every model of a host has its maker's name before it, `anthropic/claude-opus-5-5` is
    one of them. The names of vendors in LiteLLM, LangChain and pydantic-ai, and their
    `vendor:model`, are accepted.

    >>> model_name("deepseek/anthropic/deepseek-v4-flash").wire
    'deepseek/anthropic'
    >>> model_name("openrouter/qwen/qwen3-max").model
    'qwen/qwen3-max'
    >>> model_name("openrouter/anthropic/claude-opus-5-5")[1:]
    ('openai-chat', 'anthropic/claude-opus-5-5')
    >>> model_name("openrouter/anthropic/anthropic/claude-opus-5-5")[1:]
    ('anthropic', 'anthropic/claude-opus-5-5')
    >>> model_name("claude-opus-5-5").host.name
    'anthropic'
    >>> model_name("vertex_ai/gemini-3.5-flash").host.name
    'vertex'

    Args:
        name: The name.
        elsewhere: Whether an address is given beside the name, so that any model may be there.

    Returns:
        The vendor, the protocol and the model.

    Raises:
        ConfigError: The name has no known vendor, or no model.
    """
    if not isinstance(name, str) or not name.strip("/ "):
        hint = 'such as "anthropic/claude-opus-5-5"'
        raise ConfigError(f"{show(name)} names no model", hint=hint, code="llm.name")
    head, slash, rest = name.partition("/")
    before, colon, behind = head.partition(":")
    if colon and _is_vendor(before) and not (not slash and _TAG.fullmatch(behind)):
        head, slash, rest = before, "/", f"{behind}{slash}{rest}"  # `anthropic:claude-opus-5-5`
    if not slash:
        return _of_maker(name, elsewhere)
    if head not in VENDORS and head in PROTOCOLS and rest:
        return ModelName(vendor(_bearer(head)), head, rest)
    if head not in VENDORS and head not in wires():
        if (meant := VENDOR_SYNONYMS.get(head.lower())) is not None and rest.strip("/ "):
            return model_name(f"{meant}/{rest}")
        hint = f"vendor/model; the vendors are {', '.join(VENDORS)}"
        raise ConfigError(
            f"{show(name)} begins with no vendor",
            code="llm.name",
            hint=_meant_by(head, rest) or hint,
        )
    row = vendor(head)
    protocol, _, model = rest.partition("/")
    if protocol not in row.wires or not model or _is_maker(row, protocol, model):
        protocol, model = next(iter(row.wires)), rest
    if not model:
        text = f"{show(name)} names no model behind its vendor"
        raise ConfigError(text, hint=f"such as {_example(head)}", code="llm.name")
    return ModelName(row, protocol, model)


def _is_maker(row: Vendor, protocol: str, model: str) -> bool:
    """Return whether a part that could be a wire is a maker: the host's models are `maker/model`.

    This holds for relays, as their default model shows. A local server names its models freely.
    """
    usual = getattr(row.wires[protocol], "model", None) or ""
    is_relay = usual.count("/") == 1 and row.auth.needs_key
    return "/" not in model and protocol in VENDORS and is_relay


def limits(name: str, *, facts: Facts | str | None = None) -> Limits:
    """Return how many tokens a model takes and answers, without network; None where not known.

    Sources are facts, including the program's own, then the tables of installed packages:
    genai-prices (extra `prices`), and litellm's if that is installed.

    Args:
        name: The model, as `LLM` takes it: `vendor/model`, or a model whose maker serves it.
        facts: Facts of your own, with `context_window` and `max_output` among their changes.

    Raises:
        ConfigError: The name has no known vendor, or no model.

    >>> limits("anthropic/claude-opus-4-5")[:2]
    (200000, 64000)
    """
    host, protocol, model = model_name(name)
    return wire(f"{host.name}/{protocol}", facts=facts).limits(model)


def _is_vendor(name: str) -> bool:
    return name in VENDORS or name in VENDOR_SYNONYMS or name in wires()


def _meant_by(head: str, rest: str) -> str:
    """Suggest a name if the first part is not a vendor; empty if there is no suggestion."""
    if head in ("http:", "https:"):
        return 'LLM("openai-chat/MODEL", base_url=URL) asks a server of your own'
    if head in _PUBLISHERS:
        return f"huggingface/{head}/{rest}, or another vendor that serves it"
    close = nearest_vendor(head, (*VENDORS, *wires()))
    if close.startswith("did you mean"):
        return f"{close[:-1]}/{rest}?"
    if head == "models":  # as in Google's list of models
        return f"gemini/{rest}"
    return ""


# publishers of open weights on Hugging Face
_PUBLISHERS = frozenset(
    {
        "Qwen",
        "deepseek-ai",
        "meta-llama",
        "microsoft",
        "zai-org",
    }
)


def _example(name: str) -> str:
    """Return an example of a model name of this vendor."""
    row = vendor(name)
    protocol = next(iter(row.wires))
    usual = getattr(room(protocol, row.wires[protocol]).dialect, "model", "") or "MODEL"
    return f"{name}/{usual}"


def _bearer(protocol: str) -> str:
    """Return the vendor that a protocol belongs to, if its name begins with the vendor's."""
    return next(name for name in VENDORS if protocol.startswith(f"{name}-"))


def find_maker(name: str) -> str:
    """Return the vendor that alone serves models of this name, its maker; empty for others."""
    lowered = name.lower()
    return next((maker for beginning, maker in _MAKERS if beginning.match(lowered)), "")


def _of_maker(name: str, elsewhere: bool) -> ModelName:
    lowered, _, tag = name.lower().partition(":")
    local = _TAG.fullmatch(tag) is not None
    maker = find_maker(name)
    if maker and not local and lowered not in _FAMILIES:
        row = vendor(maker)
        return ModelName(row, next(iter(row.wires)), name)
    if lowered in VENDORS and not local and not maker:
        text = f"{show(name)} is a vendor and no model"
        raise ConfigError(text, hint=f"such as {_example(lowered)}", code="llm.name")
    if lowered in _FAMILIES and not local and not elsewhere:
        text = f"{show(name)} names a family of models and none of them"
        hint = f"such as {_example(maker)}" if maker else f"such as ollama/{name}3, groq/{name}3"
        raise ConfigError(text, hint=hint, code="llm.name")
    raise ConfigError(
        f"no single vendor is known to serve {show(name)}",
        code="llm.name",
        hint=_hint_vendor(name, local, elsewhere),
    )


def _hint_vendor(name: str, local: bool, elsewhere: bool) -> str:
    """Return a hint how to name a model that many vendors serve."""
    if elsewhere:
        return (
            f"write vendor/model, for a server of your own vllm/{name}, or "
            f"openai/openai-chat/{name} if it wants a key"
        )
    if local:
        return f"write vendor/model: ollama/{name} asks the Ollama of this machine"
    if name.startswith("ft:"):
        return f"openai/{name}"
    if name.startswith("arn:") or re.match(r"([a-z]+\.)?[a-z]+\.[a-z]", name):
        return f"bedrock/{name}"
    word = re.match(r"[a-z]*", name.lower())
    if word and word[0] not in _FAMILIES and (close := closest(word[0], _FAMILIES, 0.75)):
        return f"did you mean {close}{name[len(word[0]) :]}?"
    return f"write vendor/model: ollama/{name} for this machine, or such as groq/{name}"
