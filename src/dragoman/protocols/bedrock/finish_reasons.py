"""Finish reasons: why an answer ended, in the words of the wire and in ours."""

from __future__ import annotations

from ...message.answer import FinishReason

# service model: StopReason; the first word for each reason is the one that is written
WRITTEN_REASONS: dict[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "context_overflow",
    "content_filtered": "content_filter",
    "guardrail_intervened": "content_filter",
    "malformed_tool_use": "malformed_call",
}


BROKEN = "malformed_model_output"


UNWRITTEN_REASONS: dict[str, FinishReason] = {
    BROKEN: "error",
    "refusal": "refusal",
    "pause_turn": "pause",
}


FINISH_REASONS = WRITTEN_REASONS | UNWRITTEN_REASONS
