"""Finish reasons: why an answer ended, in the words of the wire and in ours."""

from __future__ import annotations

from ...message.answer import FinishReason

FINISH_REASONS: dict[str, FinishReason] = {
    "COMPLETE": "stop",
    "STOP_SEQUENCE": "stop",
    "MAX_TOKENS": "length",
    "TOOL_CALL": "tool_calls",
    "ERROR": "error",
    "TIMEOUT": "error",
}


NEAREST = {"malformed_call": "ERROR"}
