"""Token figures of Mistral, made disjoint.

Reference: Mistral API, "UsageInfo"; recorded answers: the cache is inside of the prompt, sound
stands beside it, and the total holds both.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import JsonObject
from ...message import Usage
from ...shapes import filled
from .said import Sayer

__all__ = ["figures", "said_usage", "usage"]

# how the API calls them, and how its reference does
_DETAILS = ("prompt_tokens_details", "prompt_token_details")


def usage(told: JsonObject, issuer: str) -> Usage:
    """`prompt_tokens` without its cache and with sound; thinking is inside `completion_tokens`.

    What does not follow from the neutral figures stays in extras: seconds of sound, the tier.
    """
    details: dict[str, Any] = next(
        (told[key] for key in _DETAILS if isinstance(told.get(key), dict)), {}
    )
    prompt, written = _count(told.get("prompt_tokens")), _count(told.get("completion_tokens"))
    cached = _count(details.get("cached_tokens"))
    if cached is None:
        cached = _count(told.get("num_cached_tokens"))
    sound = _count(details.get("audio_tokens"))
    total = _count(told.get("total_tokens"))
    beside = bool(sound) and prompt is not None and total == prompt + (written or 0) + (sound or 0)
    asked = prompt + (sound or 0) if prompt is not None and beside else prompt
    if asked is not None and cached is not None and cached <= asked:
        asked -= cached
    made = Usage(asked, cached, None, written, None, sound, None, total)
    said = figures(made, named="num_cached_tokens" in told)
    rest: JsonObject = {}
    for key, value in told.items():
        there = said.get(key)
        if key == _DETAILS[0] and isinstance(value, dict) and isinstance(there, dict):
            rest |= {key: more} if (more := _other(value, there)) or not value else {}
        elif key not in said or there != value or type(there) is not type(value):
            rest[key] = value
    if rest:
        made.extras = {issuer: rest}
    return made


def figures(made: Usage, named: bool = False) -> JsonObject:
    """The neutral figures as this wire says them; `named`: the cache has a name of its own."""
    known = [n for n in (made.input, made.cache_read) if n is not None]
    prompt = sum(known) if known else None
    if prompt is not None and made.audio_in and _beside(made, prompt):
        prompt -= made.audio_in
    cached = None if named else made.cache_read
    details = {"cached_tokens": cached, "audio_tokens": made.audio_in}
    said: JsonObject = {
        "prompt_tokens": prompt,
        "completion_tokens": made.output,
        "total_tokens": made.total,
        "prompt_tokens_details": {k: n for k, n in details.items() if n is not None},
    }
    return {key: value for key, value in said.items() if value not in (None, {})}


def said_usage(made: Usage, say: Sayer) -> JsonObject:
    """The figures for a client; another wire's answer gets all that one must have."""
    own = say.fields(made)
    if say.own:
        return filled(figures(made, named="num_cached_tokens" in own), own)
    for name in ("input", "output"):
        if getattr(made, name) is None:
            say.report.lost("answer.field", made, name, did="0")
    for name in ("cache_write", "reasoning", "audio_out"):
        if getattr(made, name):
            say.report.lost("answer.usage", made, name)
    asked = sum(n or 0 for n in (made.input, made.cache_write))
    whole = asked + (made.cache_read or 0) + (made.output or 0)
    total = whole if made.total is None else made.total
    read = made.cache_read or None
    said = figures(Usage(asked, read, None, made.output or 0, audio_in=made.audio_in or None,
                         total=total))  # fmt: skip
    return filled(said, own)


def _beside(made: Usage, prompt: int) -> bool:
    return made.total == prompt + (made.output or 0)


def _other(value: JsonObject, there: JsonObject) -> JsonObject:
    return {key: n for key, n in value.items() if n is None or there.get(key) != n}


def _count(value: Any) -> int | None:
    return value if type(value) is int else None
