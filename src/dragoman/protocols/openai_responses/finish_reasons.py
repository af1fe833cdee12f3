"""Finish reasons: why an answer ended, in the words of the wire and in ours."""

from __future__ import annotations

from typing import Any

from ...error_kinds import ErrorKind
from ...message import Finish
from ...message.answer import FinishReason
from ...message.ending import UNFINISHED
from ...text.json_text import JsonObject
from .. import answers
from ..shared_finish_words import finish_meaning

# status, or reason of an incomplete response -> why it ended
FINISH_REASONS: dict[str, FinishReason] = {
    "max_output_tokens": "length",
    "max_tokens": "length",
    "max_messages": "length",
    # the client interrupted it at a safe place; another response continues from here
    "steered": "pause",
    "content_filter": "content_filter",
    "completed": "stop",
    "complete": "stop",
    "failed": "error",
}


INCOMPLETE = {
    **dict.fromkeys(("length", "context_overflow", "pause"), "max_output_tokens"),
    "content_filter": "content_filter",
}


# codes of a failed response, by kind; any other kind is the server's fault
FAILED: dict[ErrorKind, str] = {
    **{kind: code for kind, (_, code) in answers.OPENAI_ERRORS.items()},
    "content_filter": "invalid_prompt",
    "invalid": "invalid_prompt",
}


# reasons that a response can express without a loss
EXACT = frozenset({"stop", "tool_calls", "refusal", "length", "content_filter", "error"})


def read_finish(response: JsonObject, status: Any) -> Finish:
    """Read why it ended: `completed`, or what made it `incomplete`."""
    raw = status if isinstance(status, str) else ""
    details = response.get("incomplete_details")
    if raw == "incomplete" and isinstance(details, dict):
        raw = details["reason"] if isinstance(details.get("reason"), str) else raw
    reason = FINISH_REASONS.get(raw, "other")
    if status == "incomplete":  # whatever reason was given
        meaning = finish_meaning(raw, FINISH_REASONS)
        reason = meaning if meaning in UNFINISHED else "length"
    return Finish(reason, raw if response.get("status") else None)
