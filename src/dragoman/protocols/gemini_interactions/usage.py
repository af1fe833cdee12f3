"""Token counts of an answer, read and written.

Reference: google-genai 3.4, `Usage`; recorded answers: the total is the sum of input, output,
thoughts and what tools read; the input includes the cache.
"""

from __future__ import annotations

from ...message import Usage
from ...text.json_text import JsonObject
from ..answers import beyond_figures, first_count, without_cache
from ..chat_like.messages import issuer_extras
from .blocks import ABSENT


def read_usage(data: JsonObject, issuer: str) -> Usage:
    """Read the figures and make them disjoint; those that do not follow are extras."""
    counts = {key: first_count(data.get(key)) for key in _FIGURES}
    tools, thoughts = counts[TOOLS], counts["total_thought_tokens"]
    usage = Usage(
        counts["total_input_tokens"],
        counts["total_cached_tokens"],
        None,
        _sum(counts["total_output_tokens"], thoughts),
        thoughts,
        None,
        None,
        counts["total_tokens"],
    )
    usage = without_cache(usage)
    usage.input = _sum(usage.input, tools)
    unknown, absent = beyond_figures(data, figures(usage, tools))
    usage.extras = issuer_extras(issuer, unknown, {ABSENT: absent} if absent else {})
    return usage


TOOLS = "total_tool_use_tokens"


_FIGURES = (
    "total_input_tokens",
    "total_cached_tokens",
    "total_output_tokens",
    "total_thought_tokens",
    "total_tokens",
    TOOLS,
)


def _sum(*counts: int | None) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def figures(usage: Usage, tools: int | None = None) -> JsonObject:
    """Write the known figures; `tools` are the input tokens that the provider's tools read."""
    input = _sum(usage.input, usage.cache_read, usage.cache_write)
    output = usage.output
    if output is not None:
        output -= usage.reasoning or 0
    counts = {
        "total_input_tokens": None if input is None else input - (tools or 0),
        "total_cached_tokens": usage.cache_read,
        "total_output_tokens": output,
        "total_thought_tokens": usage.reasoning,
        "total_tokens": usage.total,
    }
    return {key: count for key, count in counts.items() if count is not None}
