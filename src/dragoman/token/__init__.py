"""Token counters: how many tokens formatted messages take, so that a history can be cut to fit.

Importing this package loads no tokenizer library; each counter loads its own when it first
counts. Counters know formatted messages by shape, never wires, formatters or vendors.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .anthropic import AnthropicTokenCounter
    from .base import SumTokenCounter, TokenCounterBase
    from .cached import CachedTokenCounter
    from .char import CharTokenCounter
    from .gemini import GeminiTokenCounter
    from .huggingface import HuggingFaceTokenCounter
    from .mistral import MistralTokenCounter
    from .openai import OpenAITokenCounter

__all__ = [
    "AnthropicTokenCounter",
    "CachedTokenCounter",
    "CharTokenCounter",
    "GeminiTokenCounter",
    "HuggingFaceTokenCounter",
    "MistralTokenCounter",
    "OpenAITokenCounter",
    "SumTokenCounter",
    "TokenCounterBase",
]

_HOMES = {
    "AnthropicTokenCounter": "anthropic",
    "CachedTokenCounter": "cached",
    "CharTokenCounter": "char",
    "GeminiTokenCounter": "gemini",
    "HuggingFaceTokenCounter": "huggingface",
    "MistralTokenCounter": "mistral",
    "OpenAITokenCounter": "openai",
    "SumTokenCounter": "base",
    "TokenCounterBase": "base",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
