"""Token counts of an answer, read and written.

Reference: Mistral API, "UsageInfo"; recorded answers: the cache is part of `prompt_tokens`, audio
is counted beside it, and `total_tokens` includes both.
"""

from __future__ import annotations

from ...message import Usage
from ...text.json_text import JsonObject
from ..answers import AnswerWriter, beyond_figures, first_count, without_cache
from ..chat_like.messages import fill_fields

# the API's own names, and those of its reference
_DETAILS = ("prompt_tokens_details", "prompt_token_details")


def read_usage(data: JsonObject, issuer: str) -> Usage:
    """Read `prompt_tokens` without cache and with audio; `completion_tokens` includes thinking.

    Fields that the neutral figures cannot give back are extras: seconds of audio, the tier.
    """
    objects = (data[key] for key in _DETAILS if isinstance(data.get(key), dict))
    details: JsonObject = next(objects, {})
    keys = ("prompt_tokens", "completion_tokens", "total_tokens")
    prompt, output, total = (first_count(data.get(key)) for key in keys)
    cached = first_count(details.get("cached_tokens"), data.get("num_cached_tokens"))
    audio = first_count(details.get("audio_tokens"))
    if prompt is not None and audio and total == prompt + (output or 0) + audio:
        prompt += audio
    usage = without_cache(Usage(prompt, cached, None, output, None, audio, None, total))
    unknown, _ = beyond_figures(data, figures(usage, cache_field="num_cached_tokens" in data))
    usage.extras = {issuer: unknown} if unknown else None
    return usage


def figures(usage: Usage, cache_field: bool = False) -> JsonObject:
    """Write the neutral figures; `cache_field`: the cache has a field of its own."""
    counts = [n for n in (usage.input, usage.cache_read) if n is not None]
    prompt = sum(counts) if counts else None
    if prompt is not None and usage.audio_in and usage.total == prompt + (usage.output or 0):
        prompt -= usage.audio_in
    cached = None if cache_field else usage.cache_read
    details = {"cached_tokens": cached, "audio_tokens": usage.audio_in}
    data: JsonObject = {
        "prompt_tokens": prompt,
        "completion_tokens": usage.output,
        "total_tokens": usage.total,
        "prompt_tokens_details": {k: n for k, n in details.items() if n is not None},
    }
    return {key: value for key, value in data.items() if value not in (None, {})}


def write_usage(usage: Usage, writer: AnswerWriter) -> JsonObject:
    """Write the figures for a client; another wire's answer gets all that a client requires."""
    extras = writer.fields(usage)
    if writer.own:
        return fill_fields(figures(usage, cache_field="num_cached_tokens" in extras), extras)
    writer.lost_figures(usage, ("cache_write", "reasoning", "audio_out"))
    uncached = (usage.input or 0) + (usage.cache_write or 0)
    cached, output, total = usage.cache_read or None, usage.output or 0, usage.total
    if total is None:
        total = uncached + (cached or 0) + output
    audio = usage.audio_in or None
    data = figures(Usage(uncached, cached, None, output, audio_in=audio, total=total))
    return fill_fields(data, extras)
