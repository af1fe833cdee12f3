"""Why a candidate ended, in the words of generateContent and in ours.

Reference: Gemini API, "FinishReason".
"""

from __future__ import annotations

from typing import Any

from ...message import Finish
from ...message.answer import FinishReason

__all__ = ["REASONS", "UNSAID", "fits", "word_for"]

# Gemini API, "FinishReason"; some clients ask for enums as numbers, of which both APIs agree on
# these alone
REASONS: dict[Any, FinishReason] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "BLOCKLIST": "content_filter",
    "PROHIBITED_CONTENT": "content_filter",
    "SPII": "content_filter",
    "IMAGE_SAFETY": "content_filter",
    "IMAGE_PROHIBITED_CONTENT": "content_filter",
    "IMAGE_RECITATION": "content_filter",
    "MODEL_ARMOR": "content_filter",
    "MALFORMED_FUNCTION_CALL": "malformed_call",
    "UNEXPECTED_TOOL_CALL": "malformed_call",
    "MISSING_THOUGHT_SIGNATURE": "error",
    "MALFORMED_RESPONSE": "error",
    "CONTINUATION": "pause",
    1: "stop",
    2: "length",
    3: "content_filter",
    4: "content_filter",
    7: "content_filter",
    8: "content_filter",
}
UNSAID = ("FINISH_REASON_UNSPECIFIED", 0)
# why -> (the word for it, whether that is what the word means)
_WORDS: dict[str, tuple[str, bool]] = {
    "stop": ("STOP", True),
    "tool_calls": ("STOP", True),
    "length": ("MAX_TOKENS", True),
    "content_filter": ("SAFETY", True),
    "malformed_call": ("MALFORMED_FUNCTION_CALL", True),
    "error": ("MALFORMED_RESPONSE", False),
    "refusal": ("SAFETY", False),
    "pause": ("OTHER", False),  # CONTINUATION demands a token that nobody else gives
    "context_overflow": ("MAX_TOKENS", False),
    "other": ("OTHER", True),
}
_CORRECTED = {"stop", "tool_calls", "refusal", "other"}  # what content makes of each other


def fits(finish: Finish) -> bool:
    """Whether the provider's word still says why; content corrects the open ones."""
    told: Any = finish.raw
    meant = REASONS.get(int(told) if told.isdecimal() else told, "other")
    return finish.reason == meant or {finish.reason, meant} <= _CORRECTED


def word_for(finish: Finish, broken: bool) -> tuple[str, bool]:
    """(the word for a reason that another wire gave, whether it means that)."""
    if broken and finish.reason in _CORRECTED:
        return "MAX_TOKENS", False
    return _WORDS[finish.reason]
