"""Token counts of an answer, read and written.

Reference: Gemini API, "UsageMetadata".
"""

from __future__ import annotations

from typing import Any

from ...message import Usage
from ...text.json_text import JsonObject
from ..answers import first_count
from ..chat_like.messages import issuer_extras

TOOL_TOKENS, _TOTAL = "toolUsePromptTokenCount", "totalTokenCount"


def read_usage(data: JsonObject, issuer: str) -> Usage:
    """Read usage: the prompt without its cache, with the input of tools; candidates with thoughts.

    Some models count thoughts among the candidates; the total shows it (simonw/llm-gemini issue 75,
    looked up on 2026-11-28). Modalities, and figures that cannot be computed from the neutral ones,
    stay in extras.
    """
    prompt, tools = first_count(data.get("promptTokenCount")), first_count(data.get(TOOL_TOKENS))
    cached = first_count(data.get("cachedContentTokenCount"))
    thoughts = first_count(data.get("thoughtsTokenCount"))
    said, total = first_count(data.get("candidatesTokenCount")), first_count(data.get(_TOTAL))
    inside = thoughts and said is not None and thoughts <= said
    inside = inside and total == (prompt or 0) + (tools or 0) + (said or 0)
    if prompt is not None and cached is not None and cached <= prompt:
        prompt -= cached
    usage = Usage(
        _sum(prompt, tools),
        cached,
        None,
        said if inside else _sum(said, thoughts),
        thoughts,
        _audio_tokens(data.get("promptTokensDetails")),
        _audio_tokens(data.get("candidatesTokensDetails")),
        total,
    )
    neutral = figures(usage, tools)
    fields = {key: value for key, value in data.items() if neutral.get(key, _NONE) != value}
    absent = [key for key in neutral if key not in data]
    usage.extras = issuer_extras(issuer, fields, {"absent": absent} if absent else {})
    return usage


_NONE = object()


def figures(usage: Usage, tools: int | None = None) -> JsonObject:
    """Write the neutral figures; `tools` are the input tokens that server tools read.

    Candidates are left out if the whole output is thinking.
    """
    prompt = _sum(usage.input, usage.cache_read, usage.cache_write)
    output = usage.output
    if output is not None and usage.reasoning is not None:
        output = output - usage.reasoning or None
    counts = {
        "promptTokenCount": None if prompt is None else prompt - (tools or 0),
        "cachedContentTokenCount": usage.cache_read,
        "candidatesTokenCount": output,
        "thoughtsTokenCount": usage.reasoning,
        "totalTokenCount": usage.total,
    }
    return {key: value for key, value in counts.items() if value is not None}


def _sum(*counts: int | None) -> int | None:
    numbers = [count for count in counts if count is not None]
    return sum(numbers) if numbers else None


def _audio_tokens(details: Any) -> int | None:
    for item in details if isinstance(details, list) else ():
        # also where enums are numbers
        if isinstance(item, dict) and item.get("modality") in ("AUDIO", 4):
            return first_count(item.get("tokenCount", item.get("token_count")))
    return None
