"""Finish reasons: why an answer ended, in the words of the wire and in ours.

Reference: Anthropic API, "Create a Message", `stop_reason`.
"""

from __future__ import annotations

from ...message.answer import FinishReason

# this API's own words; the first word for each reason is the one that is written
STOP_REASONS: dict[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "context_overflow",
    "pause_turn": "pause",
    "refusal": "refusal",
}


FINISH_REASONS: dict[str, FinishReason] = {
    **STOP_REASONS,
    "compaction": "pause",  # it is sent back, and the turn continues
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


NEAREST: dict[FinishReason, str] = {
    **{reason: word for word, reason in reversed(STOP_REASONS.items())},
    "content_filter": "refusal",
}
