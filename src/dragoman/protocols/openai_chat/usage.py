"""Token figures of Chat Completions, made disjoint; hosts disagree on what contains what.

Reference: OpenAI API, "The chat completion object", `usage`; recorded answers of some thirty hosts.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import JsonObject
from ...message import Usage

__all__ = ["figures", "usage"]

_CACHED = ("cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens")


def usage(told: JsonObject, issuer: str) -> Usage:
    """`prompt_tokens` without its cache, `completion_tokens` with its reasoning.

    Some hosts leave reasoning out of the completion, some the cache out of the prompt: their
    totals say so. What does not add up stays in extras.
    """
    prompt, completion = _count(told, "prompt_tokens"), _count(told, "completion_tokens")
    total = _count(told, "total_tokens")
    asked, answered = _details(told, "prompt"), _details(told, "completion")
    cached = _first(asked.get("cached_tokens"), *(told.get(key) for key in _CACHED))
    written = _first(asked.get("cache_write_tokens"), told.get("cache_creation_input_tokens"))
    reasoning = _first(answered.get("reasoning_tokens"), told.get("reasoning_tokens"))
    made = Usage(
        _without(prompt, (cached or 0) + (written or 0)),
        cached,
        written,
        _with(prompt, completion, total, reasoning),
        reasoning,
        _first(asked.get("audio_tokens")),
        _first(answered.get("audio_tokens")),
        total,
    )
    rest = _rest(told, made)
    if rest:
        made.extras = {issuer: rest}
    return made


def _without(prompt: int | None, cache: int) -> int | None:
    if prompt is None or cache > prompt:  # then it was never in
        return prompt
    return prompt - cache


def _with(
    prompt: int | None, completion: int | None, total: int | None, reasoning: int | None
) -> int | None:
    if completion is None or not reasoning:
        return completion
    outside = reasoning > completion
    if prompt is not None and total is not None:
        outside = outside or total == prompt + completion + reasoning
    return completion + reasoning if outside else completion


def _rest(told: JsonObject, made: Usage) -> JsonObject:
    """The figures that the neutral ones do not give back."""
    said = figures(made)
    rest = {}
    for key, value in told.items():
        if key in said and value == said[key]:
            continue
        if isinstance(value, dict) and isinstance(said.get(key), dict):
            rest[key] = {k: n for k, n in value.items() if said[key].get(k, _NONE) != n}
        else:
            rest[key] = value
    return rest


_NONE = object()


def figures(made: Usage) -> JsonObject:
    """The neutral figures as this wire says them."""
    prompt = _sum(made.input, made.cache_read, made.cache_write)
    asked = {"cached_tokens": made.cache_read, "cache_write_tokens": made.cache_write,
             "audio_tokens": made.audio_in}  # fmt: skip
    answered = {"reasoning_tokens": made.reasoning, "audio_tokens": made.audio_out}
    return {
        "prompt_tokens": prompt,
        "completion_tokens": made.output,
        "total_tokens": made.total,
        "prompt_tokens_details": {k: v for k, v in asked.items() if v is not None},
        "completion_tokens_details": {k: v for k, v in answered.items() if v is not None},
    }


def _sum(*counts: int | None) -> int | None:
    known = [n for n in counts if n is not None]
    return sum(known) if known else None


def _details(told: JsonObject, of: str) -> dict[str, Any]:
    found = told.get(f"{of}_tokens_details")
    return found if isinstance(found, dict) else {}


def _count(told: JsonObject, key: str) -> int | None:
    return _first(told.get(key))


def _first(*values: Any) -> int | None:
    return next((n for n in values if type(n) is int), None)
