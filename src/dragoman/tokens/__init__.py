"""Token counters: how many tokens formatted messages take, so that a history can be cut to fit.

Importing this package loads no tokenizer library; each counter loads its own when it first
counts. Counters know formatted messages by shape, never wires, formatters or vendors.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ..suggestions.import_names import find_or_refuse, listing

if TYPE_CHECKING:
    from typing import Any

    from .anthropic import AnthropicTokenCounter
    from .base import SumTokenCounter, TokenCounterBase
    from .cached import CachedTokenCounter, CharTokenCounter
    from .choice import InstalledTokenCounter, choose_counter
    from .estimated import EstimatedTokenCounter
    from .gemini import GeminiTokenCounter
    from .huggingface import HuggingFaceTokenCounter
    from .mistral import MistralTokenCounter
    from .openai import OpenAITokenCounter

__all__ = [
    "AnthropicTokenCounter",
    "CachedTokenCounter",
    "CharTokenCounter",
    "EstimatedTokenCounter",
    "GeminiTokenCounter",
    "HuggingFaceTokenCounter",
    "InstalledTokenCounter",
    "MistralTokenCounter",
    "OpenAITokenCounter",
    "SumTokenCounter",
    "TokenCounterBase",
    "choose_counter",
]

# The counter of a provider is in the module of that name.
_HOMES = {
    "CachedTokenCounter": "cached",
    "CharTokenCounter": "cached",
    "InstalledTokenCounter": "choice",
    "choose_counter": "choice",
    "SumTokenCounter": "base",
    "TokenCounterBase": "base",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        return find_or_refuse(__name__, name)
    home = _HOMES.get(name) or name.removesuffix("TokenCounter").lower()
    value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


__dir__ = listing(globals(), __all__)
