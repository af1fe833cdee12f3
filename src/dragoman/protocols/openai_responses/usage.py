"""Token figures of the Responses API, made disjoint.

Reference: OpenAI API, "The response object", `usage`: the input contains what was read from the
cache and what was written to it, the output contains the reasoning, at all recorded hosts.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import JsonObject
from ...message import Usage
from ...message.blocks import noted

__all__ = ["figures", "usage"]

_NONE = object()


def usage(told: JsonObject, issuer: str) -> Usage:
    """The figures; those that the neutral ones do not give back stay in extras."""
    asked, answered = _details(told, "input"), _details(told, "output")
    cached, written = _count(asked, "cached_tokens"), _count(asked, "cache_write_tokens")
    made = Usage(
        _without(_count(told, "input_tokens"), (cached or 0) + (written or 0)),
        cached,
        written,
        _count(told, "output_tokens"),
        _count(answered, "reasoning_tokens"),
        _count(asked, "audio_tokens"),
        _count(answered, "audio_tokens"),
        _count(told, "total_tokens"),
    )
    if rest := _rest(told, figures(made)):
        made.extras = {issuer: rest}
    if made.input is None and "input_tokens" not in told and (cached, written) != (None, None):
        made.extras = {**(made.extras or {}), noted(issuer): {"absent": ["input_tokens"]}}
    return made


def figures(made: Usage) -> JsonObject:
    """The neutral figures as this wire says them."""
    known = [n for n in (made.input, made.cache_read, made.cache_write) if n is not None]
    asked = {"cached_tokens": made.cache_read, "cache_write_tokens": made.cache_write,
             "audio_tokens": made.audio_in}  # fmt: skip
    answered = {"reasoning_tokens": made.reasoning, "audio_tokens": made.audio_out}
    return {
        "input_tokens": sum(known) if known else None,
        "input_tokens_details": {k: v for k, v in asked.items() if v is not None},
        "output_tokens": made.output,
        "output_tokens_details": {k: v for k, v in answered.items() if v is not None},
        "total_tokens": made.total,
    }


def _rest(told: JsonObject, said: JsonObject) -> JsonObject:
    rest: JsonObject = {}
    for key, value in told.items():
        there = said.get(key, _NONE)
        if value == there and value is not None and value != {} and value is not False:
            continue
        if isinstance(value, dict) and value and isinstance(there, dict):
            if own := {k: n for k, n in value.items() if there.get(k, _NONE) != n}:
                rest[key] = own
        else:
            rest[key] = value
    return rest


def _without(count: int | None, cache: int) -> int | None:
    if count is None or cache > count:  # then it was never in
        return count
    return count - cache


def _details(told: JsonObject, of: str) -> dict[str, Any]:
    found = told.get(f"{of}_tokens_details")
    return found if isinstance(found, dict) else {}


def _count(told: dict[str, Any], key: str) -> int | None:
    value = told.get(key)
    return value if type(value) is int else None
