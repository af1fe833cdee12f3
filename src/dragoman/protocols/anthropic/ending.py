"""Why an answer ends, in this wire's words and in the tree's, and why the model refused.

Reference: Anthropic API, "Create a Message", `stop_reason` and `stop_details`. Knows no stream.
"""

from __future__ import annotations

from ...jsontext import Json, JsonObject
from ...losses import Report
from ...message import Finish, RefusalBlock
from ...message.answer import FinishReason

__all__ = ["DETAILS", "REASONS", "refusal", "stop_details", "stop_reason"]

DETAILS = "stop_details"  # the spelling of a refusal that stands beside the content
_WORDS: dict[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "context_overflow",
    "pause_turn": "pause",
    "refusal": "refusal",
}
REASONS: dict[str, FinishReason] = {
    **_WORDS,
    "compaction": "pause",  # sent back, and the turn goes on
    # of other hosts
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "content_filter": "content_filter",
    "content_filtered": "content_filter",
    "guardrail_intervened": "content_filter",
    "sensitive": "content_filter",
    "error": "error",
}
_NEAREST: dict[FinishReason, str] = {
    **{reason: word for word, reason in reversed(_WORDS.items())},
    "content_filter": "refusal",
}
_OPEN = frozenset({"stop", "tool_calls", "other"})  # reasons that content may have corrected
_CATEGORIES = ("cyber", "bio", "frontier_llm", "reasoning_extraction", "general_harms")


def stop_reason(finish: Finish, own: bool, cut: bool | None, node: object, report: Report) -> str:
    """The word for why the model stopped: that of this wire's answer (`own`), or the nearest.

    A call that breaks off (`cut`) must not be run: here only a limit leaves one behind. None: no
    call went out, whatever the provider has called.
    """
    raw, reason = finish.raw, finish.reason
    if cut is None and not own and reason == "tool_calls":
        report.lost("answer.finish", node, "finish", what=reason, did="end_turn")
        return "end_turn"
    if cut and not own and reason in _OPEN:
        report.lost("answer.finish", node, "finish", what=reason, did="max_tokens")
        return "max_tokens"
    if raw is not None and (own or raw in _WORDS):
        said = REASONS.get(raw, "other")
        if said == reason or (own and said in _OPEN):
            return raw
    word = _NEAREST.get(reason, "end_turn")
    if _WORDS[word] != reason:
        report.lost("answer.finish", node, "finish", what=reason, did=word)
    return word


def refusal(told: Json) -> RefusalBlock | None:
    """The refusal that `stop_details` tells of in words; the object itself is kept beside it."""
    if not isinstance(told, dict) or told.get("type") != "refusal":
        return None
    text, category = told.get("explanation"), told.get("category")
    words = text if isinstance(text, str) else ""
    kind = category if isinstance(category, str) else None
    if not words and kind is None:
        return None
    return RefusalBlock(words, kind, spelling=DETAILS)


def stop_details(blocks: list[RefusalBlock], report: Report) -> JsonObject:
    """What is known of the refusals of another wire's answer, whose words are text."""
    made: JsonObject = {"type": "refusal", "category": None, "explanation": None}
    for block in blocks:
        if block.category in _CATEGORIES:
            made["category"] = block.category
        elif block.category is not None:
            report.lost("answer.unsaid", block, "category", what=block.category)
    return made
