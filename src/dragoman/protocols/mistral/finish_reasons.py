"""Finish reasons: why an answer ended, in the words of the wire and in ours."""

from __future__ import annotations

from ...message.answer import FinishReason

FINISH_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "model_length": "context_overflow",
    "tool_calls": "tool_calls",
    "error": "error",
}
