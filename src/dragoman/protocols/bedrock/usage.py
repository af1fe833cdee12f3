"""Token figures of Converse: `inputTokens` is without cache, and the total is the sum of all.

Reference: recorded answers (433 + 2752 read + 0 written + 16 = 3201); the API reference says less.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import JsonObject
from ...message import Usage

__all__ = ["usage"]

_FIGURES = {
    "inputTokens": "input",
    "cacheReadInputTokens": "cache_read",
    "cacheWriteInputTokens": "cache_write",
    "outputTokens": "output",
    "totalTokens": "total",
}


def usage(told: JsonObject, issuer: str) -> Usage:
    """The figures; what they do not give back, such as twins of other names, stays in extras."""
    made = Usage()
    rest: dict[str, Any] = {}
    for key, value in told.items():
        name = _FIGURES.get(key)
        if name is not None and type(value) is int:
            setattr(made, name, value)
        else:
            rest[key] = value
    if rest:
        made.extras = {issuer: rest}
    return made
