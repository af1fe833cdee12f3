"""Token counts of an answer, read and written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...message import Usage
from ...text.json_text import JsonObject, field_at, put_field
from ..answers import beyond_figures, first_count, without_cache
from ..chat_like.messages import read_object

# figure of a Usage -> its path; the `input` of a Usage excludes what was cached
_COUNTS = {
    "input": "input_tokens",
    "cache_read": "prompt_tokens_details.cached_tokens",
    "cache_write": "prompt_tokens_details.cache_creation_input_tokens",
    "output": "output_tokens",
    "reasoning": "output_tokens_details.reasoning_tokens",
    "audio_in": "input_tokens_details.audio_tokens",
    "audio_out": "output_tokens_details.audio_tokens",
    "total": "total_tokens",
}


def read_usage(data: JsonObject, issuer: str) -> Usage:
    """Read the figures of one answer; what the neutral ones cannot give back stays in extras."""
    counts: Any = {name: first_count(field_at(data, path)) for name, path in _COUNTS.items()}
    usage = without_cache(Usage(**counts))
    if other_fields := beyond_figures(data, figures(usage))[0]:
        usage.extras = {issuer: other_fields}
    return usage


def figures(usage: Usage) -> JsonObject:
    """Write the neutral figures in this wire's fields, without unknown ones."""
    data: JsonObject = {}
    for name, path in _COUNTS.items():
        value = getattr(usage, name)
        if value is not None:
            if name == "input":
                value += (usage.cache_read or 0) + (usage.cache_write or 0)
            put_field(data, path, value)
    return data


def sum_bills(bills: Sequence[JsonObject]) -> JsonObject:
    """Sum several choices into one bill: each event of a stream has that of its own choice."""
    total = dict(bills[-1])
    if len(bills) < 2:
        return total
    outputs = [count if type(count := bill.get("output_tokens")) is int else 0 for bill in bills]
    if isinstance(total.get("total_tokens"), int):
        total["total_tokens"] += sum(outputs) - outputs[-1]
    total["output_tokens"] = sum(outputs)
    details: dict[str, int] = {}
    for bill in bills:
        for key, value in read_object(bill.get("output_tokens_details")).items():
            details[key] = details.get(key, 0) + (value if type(value) is int else 0)
    return {**total, "output_tokens_details": details} if details else total
