"""Token counts of an answer, read and written.

Reference: Cohere API, "Chat": `Usage`; recorded answers: `tokens` has what the model read, with the
cache and without images; thinking is part of the output. Billed units have no neutral figure and
are kept unchanged.
"""

from __future__ import annotations

from typing import Any

from ...message import Usage
from ...text.json_text import JsonObject
from ..answers import AnswerWriter, beyond_figures, without_cache
from ..chat_like.messages import fill_fields, read_object


def read_usage(data: JsonObject, issuer: str) -> Usage:
    """Read `tokens` without the cache and with images; other fields are extras."""
    tokens = read_object(data.get("tokens"))
    input, images = _count(tokens.get("input_tokens")), _count(tokens.get("image_tokens")) or 0
    cached = _count(data.get("cached_tokens"))
    input = None if input is None else input + images
    output, reasoning = tokens.get("output_tokens"), tokens.get("reasoning_tokens")
    usage = without_cache(Usage(input, cached, None, _count(output), _count(reasoning)))
    unknown, _ = beyond_figures(data, figures(usage, images), is_same=_is_same)
    usage.extras = {issuer: unknown} if unknown else None
    return usage


def figures(usage: Usage, images: int) -> JsonObject:
    """Write `{"tokens": {...}, "cached_tokens"}`, without unknown figures."""
    input = usage.input
    if input is not None:
        input += (usage.cache_read or 0) - images
    counts = {
        "input_tokens": input,
        "output_tokens": usage.output,
        "reasoning_tokens": usage.reasoning,
    }
    tokens = {key: n for key, n in counts.items() if n is not None}
    data: JsonObject = {"tokens": tokens} if tokens else {}
    return data if usage.cache_read is None else {**data, "cached_tokens": usage.cache_read}


def write_usage(usage: Usage, writer: AnswerWriter) -> JsonObject:
    """Write the figures for a client; another wire's answer gets all that a client requires."""
    extras = writer.fields(usage)
    if writer.own:
        images = _count(read_object(extras.get("tokens")).get("image_tokens"))
        return fill_fields(figures(usage, images or 0), extras)
    writer.lost_figures(usage, ("cache_write", "audio_in", "audio_out"))
    known = (usage.input, usage.cache_read, usage.cache_write, usage.output)
    if usage.total is not None and usage.total != sum(count or 0 for count in known):
        writer.report.add_loss("answer.usage", usage, "total")
    input, cached = (usage.input or 0) + (usage.cache_write or 0), usage.cache_read or None
    total = Usage(input, cached, None, usage.output or 0, usage.reasoning or None)
    return fill_fields(figures(total, 0), extras)


def _is_same(value: Any, figure: Any) -> bool:
    """Whether a figure is known; the SDK turns the whole numbers that are sent into floats."""
    return figure is not None and type(value) is not bool and bool(value == figure)


def _count(value: Any) -> int | None:
    """Return a number of tokens; the API's types are floats, its answers whole numbers."""
    if type(value) is float and value.is_integer():
        return int(value)
    return value if type(value) is int else None
