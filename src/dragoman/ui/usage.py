"""The tokens of answers, as the protocols of user interfaces count them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..message import ChatResponse, Usage
from ..text.json_text import JsonObject


def _total(usage: Usage) -> int | None:
    parts = (usage.input, usage.cache_read, usage.cache_write)
    given = [part for part in parts if part is not None]
    return sum(given) if given else None


def _counts(**counts: Any) -> JsonObject:
    """Return the figures that are token counts: a host may report -1, or half a token."""
    return {
        name: count for name, count in counts.items() if type(count) is int and 0 <= count < 2**53
    }


def _both(one: int | None, two: int | None) -> int | None:
    return None if one is None or two is None else one + two


def to_ai_sdk(answers: Sequence[ChatResponse]) -> JsonObject:
    """Return the usage of all answers, as the AI SDK's `LanguageModelUsage`.

    Args:
        answers: The answers of a run.
    """
    usage = sum((one.usage for one in answers), Usage())
    found = _counts(
        inputTokens=_total(usage),
        outputTokens=usage.output,
        totalTokens=_both(_total(usage), usage.output),
    )
    details = {
        "inputTokenDetails": _counts(
            noCacheTokens=usage.input,
            cacheReadTokens=usage.cache_read,
            cacheWriteTokens=usage.cache_write,
        ),
        "outputTokenDetails": _counts(reasoningTokens=usage.reasoning),
    }
    return {**found, **{name: counts for name, counts in details.items() if counts}}


def to_ag_ui(answers: Sequence[ChatResponse]) -> list[JsonObject]:
    """Return the usage by provider and model, as AG-UI's `TokenUsage`.

    Args:
        answers: The answers of a run.
    """
    usages: dict[tuple[str, str], Usage] = {}
    for one in answers:
        origin = one.msg.origin if one.candidates else None
        key = (origin.issuer if origin is not None else "", one.model or "")
        usages[key] = usages[key] + one.usage if key in usages else one.usage
    found = []
    for (provider, model), usage in usages.items():
        counts = _counts(
            inputTokens=_total(usage),
            outputTokens=usage.output,
            totalTokens=_both(_total(usage), usage.output),
            reasoningTokens=usage.reasoning,
            cachedInputTokens=usage.cache_read,
            cacheWriteInputTokens=usage.cache_write,
        )
        if counts:
            labels = {"provider": provider, "model": model}
            found.append({**{name: text for name, text in labels.items() if text}, **counts})
    return found
