"""Names of models: `vendor/model`, `vendor/wire/model`, or a model whose maker serves it."""

from __future__ import annotations

import re
from typing import NamedTuple

from .._core.redaction import shown
from ..errors import ConfigError
from ..vendors import PROTOCOLS, VENDORS, Vendor, vendor, wires

# how the names of a maker's models begin -> the vendor that the maker itself is
_MAKERS: tuple[tuple[str, str], ...] = (
    (r"gpt-oss|llama|gemma|phi", ""),  # weights that anybody serves
    (r"gpt|chatgpt|o[1-9]|codex", "openai"),
    (r"claude", "anthropic"),
    (r"gemini", "gemini"),
    (r"qwen|qwq|qvq", "dashscope"),
    (r"deepseek", "deepseek"),
    (r"mistral|ministral|magistral|codestral|devstral|pixtral|voxtral", "mistral"),
    (r"command|c4ai", "cohere"),
    (r"kimi|moonshot", "moonshot"),
    (r"glm", "zhipu"),
    (r"minimax|abab", "minimax"),
    (r"grok", "xai"),
    (r"nova", "bedrock"),
    (r"step", "stepfun"),
    (r"hunyuan", "hunyuan"),
    (r"ernie", "qianfan"),
    (r"doubao", "volcengine"),
    (r"sonar", "perplexity"),
    (r"mimo", "xiaomi"),
)


class ModelName(NamedTuple):
    """Who serves it, over which protocol, and what the provider calls the model."""

    host: Vendor
    protocol: str
    model: str

    @property
    def wire(self) -> str:
        """The name that `dragoman.wire` knows, for a vendor of the registry."""
        return f"{self.host.name}/{self.protocol}"


def model_name(name: str) -> ModelName:
    """What a name says. Raises ConfigError for one that names no vendor or no model.

    The second part is a wire if the vendor has one of that name; names of models may hold slashes.

    >>> model_name("deepseek/anthropic/deepseek-v4-flash").wire
    'deepseek/anthropic'
    >>> model_name("openrouter/qwen/qwen3-max").model
    'qwen/qwen3-max'
    >>> model_name("claude-opus-5-5").host.name
    'anthropic'
    """
    if not isinstance(name, str) or not name.strip("/ "):
        hint = 'such as "anthropic/claude-opus-5-5"'
        raise ConfigError(f"{shown(name)} names no model", hint=hint, code="llm.name")
    head, slash, rest = name.partition("/")
    if not slash:
        return _of_maker(name)
    if head not in VENDORS and head in PROTOCOLS and rest:
        return ModelName(vendor(_bearer(head)), head, rest)
    if head not in VENDORS and head not in wires():
        raise ConfigError(
            f"{shown(name)} begins with no vendor", code="llm.name",
            hint=f"vendor/model; the vendors are {', '.join(VENDORS)}",
        )  # fmt: skip
    row = vendor(head)
    protocol, _, model = rest.partition("/")
    if protocol not in row.wires or not model:
        protocol, model = next(iter(row.wires)), rest
    if not model:
        raise ConfigError(f"{shown(name)} names no model behind its vendor", code="llm.name")
    return ModelName(row, protocol, model)


def _bearer(protocol: str) -> str:
    """The vendor whose own a protocol is, where it has another name: it begins with that one's."""
    return next(name for name in VENDORS if protocol.startswith(f"{name}-"))


def maker_of(name: str) -> str:
    """The vendor that alone serves a model of this name, being its maker; empty for others."""
    lowered = name.lower()
    found = (maker for p, maker in _MAKERS if re.match(rf"(?:{p})(?![a-z])", lowered))
    return next(found, "")


def _of_maker(name: str) -> ModelName:
    if maker := maker_of(name):
        row = vendor(maker)
        return ModelName(row, next(iter(row.wires)), name)
    hint = "write vendor/model, such as groq/" + name
    raise ConfigError(f"nobody is known who alone serves {shown(name)}", hint=hint, code="llm.name")
