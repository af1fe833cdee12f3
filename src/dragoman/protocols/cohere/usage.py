"""Token figures of Cohere, made disjoint.

Reference: Cohere API, "Chat": `Usage`; recorded answers: what the model saw stands in `tokens`,
with the cache and without images; thinking is inside the output. What is paid for is no figure of
ours and stays as it came.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import JsonObject
from ...message import Usage
from ...shapes import filled
from .said import Sayer

__all__ = ["figures", "said_usage", "usage"]


def usage(told: JsonObject, issuer: str) -> Usage:
    """`tokens` without the cache and with images; the rest of `told` in extras."""
    tokens: JsonObject = told["tokens"] if isinstance(told.get("tokens"), dict) else {}
    prompt, images = _count(tokens.get("input_tokens")), _count(tokens.get("image_tokens"))
    cached = _count(told.get("cached_tokens"))
    seen = prompt
    if seen is not None:
        seen += images or 0
        seen -= cached if cached is not None and cached <= seen else 0
    made = Usage(seen, cached, None, _count(tokens.get("output_tokens")),
                 _count(tokens.get("reasoning_tokens")))  # fmt: skip
    said = figures(made, images or 0)
    rest: JsonObject = {}
    for key, value in told.items():
        there = said.get(key)
        if key == "tokens" and isinstance(value, dict) and isinstance(there, dict):
            if more := {k: n for k, n in value.items() if not _same(n, there.get(k, ...))}:
                rest[key] = more
        elif not _same(value, said.get(key, ...)):
            rest[key] = value
    if rest:
        made.extras = {issuer: rest}
    return made


def figures(made: Usage, images: int) -> JsonObject:
    """`{"tokens": {...}, "cached_tokens"}`, as far as they are known."""
    seen = made.input
    if seen is not None:
        seen += (made.cache_read or 0) - images
    tokens = {"input_tokens": seen, "output_tokens": made.output,
              "reasoning_tokens": made.reasoning}  # fmt: skip
    known = {key: n for key, n in tokens.items() if n is not None}
    said: JsonObject = {"tokens": known} if known else {}
    return said if made.cache_read is None else {**said, "cached_tokens": made.cache_read}


def said_usage(made: Usage, say: Sayer) -> JsonObject:
    """The figures for a client; another wire's answer gets all that one must have."""
    own = say.fields(made)
    if say.own:
        tokens = own.get("tokens")
        images = _count(tokens.get("image_tokens")) if isinstance(tokens, dict) else None
        return filled(figures(made, images or 0), own)
    for name in ("input", "output"):
        if getattr(made, name) is None:
            say.report.lost("answer.field", made, name, did="0")
    for name in ("cache_write", "audio_in", "audio_out"):
        if getattr(made, name):
            say.report.lost("answer.usage", made, name)
    seen = (made.input or 0) + (made.cache_write or 0)
    plain = Usage(seen, made.cache_read or None, None, made.output or 0, made.reasoning or None)
    return filled(figures(plain, 0), own)


def _same(value: Any, there: Any) -> bool:
    """Whether a figure is said; its SDK makes floats of the whole numbers that are sent."""
    return bool(value == there) and bool not in (type(value), type(there))


def _count(value: Any) -> int | None:
    """A number of tokens; the API's types are floats, its answers whole numbers."""
    if type(value) is float and value.is_integer():
        return int(value)
    return value if type(value) is int else None
