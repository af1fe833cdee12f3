"""Token figures of DashScope, made disjoint: cache lies inside the input, reasoning in the output.

Reference: Model Studio, "Qwen API via DashScope", `usage`. Media tokens are told twice by older
models, in the details and beside them; both are parts of the totals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...jsontext import JsonObject
from ...message import Usage

__all__ = ["figures", "together", "usage"]


def usage(told: JsonObject, issuer: str) -> Usage:
    """The figures of one answer; what the neutral ones do not give back stays in extras."""
    cache = _details(told, "prompt_tokens_details")
    asked = _details(told, "input_tokens_details")
    answered = _details(told, "output_tokens_details")
    given = _count(told, "input_tokens")
    read, write = _count(cache, "cached_tokens"), _count(cache, "cache_creation_input_tokens")
    cached = (read or 0) + (write or 0)
    made = Usage(
        given - cached if given is not None and cached <= given else given,
        read,
        write,
        _count(told, "output_tokens"),
        _count(answered, "reasoning_tokens"),
        _count(asked, "audio_tokens"),
        _count(answered, "audio_tokens"),
        _count(told, "total_tokens"),
    )
    if rest := _rest(told, figures(made)):
        made.extras = {issuer: rest}
    return made


def figures(made: Usage) -> JsonObject:
    """The neutral figures as this wire says them; unknown ones are left out."""
    cached = (made.cache_read or 0) + (made.cache_write or 0)
    said: JsonObject = {
        "input_tokens": None if made.input is None else made.input + cached,
        "output_tokens": made.output,
        "total_tokens": made.total,
        "prompt_tokens_details": _known(
            cached_tokens=made.cache_read, cache_creation_input_tokens=made.cache_write
        ),
        "input_tokens_details": _known(audio_tokens=made.audio_in),
        "output_tokens_details": _known(
            reasoning_tokens=made.reasoning, audio_tokens=made.audio_out
        ),
    }
    return {key: value for key, value in said.items() if value not in (None, {})}


def together(told: Sequence[JsonObject]) -> JsonObject:
    """One bill for several choices: each event of a stream tells that of its own choice."""
    made = dict(told[-1])
    if len(told) < 2:
        return made
    spent = [_count(one, "output_tokens") or 0 for one in told]
    if isinstance(made.get("total_tokens"), int):
        made["total_tokens"] += sum(spent) - spent[-1]
    made["output_tokens"] = sum(spent)
    details: dict[str, int] = {}
    for one in told:
        for key, value in _details(one, "output_tokens_details").items():
            details[key] = details.get(key, 0) + (value if type(value) is int else 0)
    return {**made, "output_tokens_details": details} if details else made


def _known(**counts: int | None) -> JsonObject:
    return {key: value for key, value in counts.items() if value is not None}


def _rest(told: JsonObject, said: JsonObject) -> JsonObject:
    rest: JsonObject = {}
    for key, value in told.items():
        mine = said.get(key, _NONE)
        if value == mine:
            continue
        if isinstance(value, dict) and isinstance(mine, dict):
            rest[key] = {k: n for k, n in value.items() if mine.get(k, _NONE) != n}
        else:
            rest[key] = value
    return rest


_NONE = object()


def _details(told: JsonObject, key: str) -> dict[str, Any]:
    found = told.get(key)
    return found if isinstance(found, dict) else {}


def _count(told: JsonObject, key: str) -> int | None:
    value = told.get(key)
    return value if type(value) is int else None
