"""Token counters: how many tokens formatted messages take, so that a history can be cut to fit.

Importing this package loads no tokenizer library; each counter loads its own when it first
counts. Counters know formatted messages by shape, never wires, formatters or vendors.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .base import TokenCounterBase
    from .char import CharTokenCounter
    from .huggingface import HuggingFaceTokenCounter

__all__ = ["CharTokenCounter", "HuggingFaceTokenCounter", "TokenCounterBase"]

_HOMES = {
    "CharTokenCounter": "char",
    "HuggingFaceTokenCounter": "huggingface",
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
