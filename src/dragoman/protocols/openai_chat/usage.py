"""Token figures of Chat Completions, made disjoint; hosts disagree on what contains what.

Reference: OpenAI API, "The chat completion object", `usage`; recorded answers of some thirty hosts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...jsontext import JsonObject
from ...message import Usage
from ...message.blocks import noted
from ...shapes import filled

if TYPE_CHECKING:
    from .said import Sayer

__all__ = ["figures", "told_usage", "usage"]

_CACHED = ("cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens")


def usage(told: JsonObject, issuer: str, whole: bool = False) -> Usage:
    """`prompt_tokens` without its cache, `completion_tokens` with its reasoning.

    Some hosts leave reasoning out of the completion, some the cache out of the prompt: their
    totals say so. What does not add up stays in extras. `whole`: no other figures will follow.
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
    rest, absent = _apart(told, figures(made))
    if not whole:  # a figure that is still unknown is no figure
        rest = {key: value for key, value in rest.items() if value is not None}
    if rest:
        made.extras = {issuer: rest}
    if absent and whole:
        made.extras = {**(made.extras or {}), noted(issuer): {"absent": absent}}
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


def _apart(told: JsonObject, said: JsonObject, path: str = "") -> tuple[JsonObject, list[str]]:
    """(the figures that the neutral ones do not give back, those that they give beyond them)."""
    rest: JsonObject = {}
    absent = [f"{path}{key}" for key in said if key not in told]
    for key, value in told.items():
        there = said.get(key)
        if isinstance(value, dict) and isinstance(there, dict):
            inner, missing = _apart(value, there, f"{path}{key}.")
            absent += missing
            if inner or not value:
                rest[key] = inner
        elif value != there or type(value) is not type(there) or there is None:
            rest[key] = value
    return rest, absent


def figures(made: Usage) -> JsonObject:
    """The neutral figures as this wire says them."""
    asked = {"cached_tokens": made.cache_read, "cache_write_tokens": made.cache_write,
             "audio_tokens": made.audio_in}  # fmt: skip
    answered = {"reasoning_tokens": made.reasoning, "audio_tokens": made.audio_out}
    said: JsonObject = {
        "prompt_tokens": _sum(made.input, made.cache_read, made.cache_write),
        "completion_tokens": made.output,
        "total_tokens": made.total,
        "prompt_tokens_details": {k: v for k, v in asked.items() if v is not None} or None,
        "completion_tokens_details": {k: v for k, v in answered.items() if v is not None} or None,
    }
    return {key: value for key, value in said.items() if value is not None}


def told_usage(made: Usage, say: Sayer) -> JsonObject:
    """`usage` of an answer. That of another wire has the three figures all clients look for."""
    more = say.fields(made)
    said = figures(made)
    if say.own:
        for path in say.notes(made).get("absent", ()):
            head, _, inner = path.partition(".")
            if inner:
                said[head] = {key: n for key, n in said[head].items() if key != inner}
            else:
                said.pop(head, None)
        return filled({key: value for key, value in said.items() if value != {}}, more)
    if not said:
        return {}
    for key in ("prompt_tokens", "completion_tokens"):
        if key not in said:
            said[key] = 0
            say.report.lost("answer.field", made, key)
    said.setdefault("total_tokens", said["prompt_tokens"] + said["completion_tokens"])
    return said


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
