"""Finish reasons: why an answer ended, which this wire says by the status of an interaction.

Reference: google-genai 3.4, `Interaction`.
"""

from __future__ import annotations

from ...message.answer import FinishReason

# status -> why it ended
FINISH_REASONS: dict[str, FinishReason] = {
    "completed": "stop",
    "requires_action": "tool_calls",
    "incomplete": "length",
    "budget_exceeded": "length",
    "requires_continuation": "pause",
    "failed": "error",
}


NEAREST = {"malformed_call": "failed"}


# The model has not finished: the interaction continues at the provider, or was cancelled there
# (google-genai 3.6.1, `interactions.cancel`). No page explains `idle`.
OPEN_STATES = ("in_progress", "queued", "idle", "cancelled")
