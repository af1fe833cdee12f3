"""Token figures of generateContent, made disjoint.

Reference: Gemini API, "UsageMetadata": the cache is inside of the prompt; thoughts and what server
tools read stand beside it, so that the total is the sum of four.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import JsonObject
from ...message import Usage
from ...message.blocks import noted

__all__ = ["TOOLS", "figures", "usage"]

TOOLS = "toolUsePromptTokenCount"
_AUDIO = ("AUDIO", 4)  # also where enums are asked for as numbers


def usage(told: JsonObject, issuer: str) -> Usage:
    """`promptTokenCount` without its cache, with what tools read; `candidates` with `thoughts`.

    Modalities, and what does not follow from the neutral figures, stay in extras.
    """
    prompt, tools = _count(told, "promptTokenCount"), _count(told, TOOLS)
    cached = _count(told, "cachedContentTokenCount")
    thoughts = _count(told, "thoughtsTokenCount")
    fresh = prompt
    if prompt is not None and cached is not None and cached <= prompt:
        fresh = prompt - cached
    made = Usage(
        _sum(fresh, tools),
        cached,
        None,
        _sum(_count(told, "candidatesTokenCount"), thoughts),
        thoughts,
        _audio(told.get("promptTokensDetails")),
        _audio(told.get("candidatesTokensDetails")),
        _count(told, "totalTokenCount"),
    )
    said = figures(made, tools)
    rest = {key: value for key, value in told.items() if said.get(key, _NONE) != value}
    own = {issuer: rest} if rest else {}
    if absent := [key for key in said if key not in told]:
        own[noted(issuer)] = {"absent": absent}
    made.extras = own or None
    return made


_NONE = object()


def figures(made: Usage, tools: int | None = None) -> JsonObject:
    """The neutral figures as this wire says them; `tools` of the input were read by server tools.

    Candidates are left out where all that was written is thinking.
    """
    written = made.output
    if written is not None and made.reasoning is not None:
        written = written - made.reasoning or None
    said = {
        "promptTokenCount": _prompt(made, tools),
        "cachedContentTokenCount": made.cache_read,
        "candidatesTokenCount": written,
        "thoughtsTokenCount": made.reasoning,
        "totalTokenCount": made.total,
    }
    return {key: value for key, value in said.items() if value is not None}


def _prompt(made: Usage, tools: int | None) -> int | None:
    prompt = _sum(made.input, made.cache_read, made.cache_write)
    return prompt if prompt is None else prompt - (tools or 0)


def _sum(*counts: int | None) -> int | None:
    known = [n for n in counts if n is not None]
    return sum(known) if known else None


def _count(told: JsonObject, key: str) -> int | None:
    value = told.get(key)
    return value if type(value) is int else None


def _audio(details: Any) -> int | None:
    for one in details if isinstance(details, list) else ():
        if isinstance(one, dict) and one.get("modality") in _AUDIO:
            return _count(one, "tokenCount" if "tokenCount" in one else "token_count")
    return None
