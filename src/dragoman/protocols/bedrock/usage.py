"""Token figures of Converse: `inputTokens` is without cache, and the total is the sum of all.

Reference: recorded answers (433 + 2752 read + 0 written + 16 = 3201); the API reference says less.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import JsonObject
from ...message import Usage
from ...shapes import filled
from .said import Sayer

__all__ = ["figures", "usage"]

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


def figures(made: Usage, say: Sayer) -> JsonObject:
    """The figures in this wire's own sums; another wire's answer gets all that one must have."""
    told: JsonObject = {}
    for key, name in _FIGURES.items():
        if (value := getattr(made, name)) is not None:
            told[key] = value
    if not say.own:
        for name in ("input", "output"):
            if getattr(made, name) is None:
                say.report.lost("answer.field", made, name, did="0")
        told = {"inputTokens": 0, "outputTokens": 0, **told}
        if made.total is None:
            told["totalTokens"] = sum(told.values())
    for name in ("reasoning", "audio_in", "audio_out"):
        if getattr(made, name):
            say.report.lost("answer.usage", made, name)
    return filled(told, say.fields(made))
