"""Finish reasons: why an answer ended, in the words of the wire and in ours.

Reference: Gemini API, "FinishReason".
"""

from __future__ import annotations

from typing import Any

from ...message.answer import FinishReason

_FILTERED = (
    "SAFETY",
    "RECITATION",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "MODEL_ARMOR",
    "LANGUAGE",
    "ESCALATION",
)


# Gemini API, "FinishReason"; some clients ask for enums as numbers, which both APIs define alike
# only for these
REASONS: dict[Any, FinishReason] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    **dict.fromkeys(_FILTERED, "content_filter"),
    "MALFORMED_FUNCTION_CALL": "malformed_call",
    "UNEXPECTED_TOOL_CALL": "malformed_call",
    "MISSING_THOUGHT_SIGNATURE": "error",
    "MALFORMED_RESPONSE": "error",
    "PUP_LIMITED_DISABLED": "error",  # the account is limited for its earlier requests
    "NO_IMAGE": "error",
    "TOO_MANY_TOOL_CALLS": "length",  # the server's own rounds ended before an answer
    # none of the reasons of this list, so no `STOP`: `message.ending` knows both words
    "IMAGE_OTHER": "other",
    "OTHER": "other",
    "CONTINUATION": "pause",
    1: "stop",
    2: "length",
    **dict.fromkeys((3, 4, 7, 8), "content_filter"),
}


BY_TEXT = {str(word): meaning for word, meaning in REASONS.items()}  # in the form of `Finish.raw`


UNSPECIFIED = ("FINISH_REASON_UNSPECIFIED", 0)


# the reason of an answer -> (the wire's word, whether it means the same)
WIRE_REASONS: dict[str, tuple[str, bool]] = {
    "stop": ("STOP", True),
    "tool_calls": ("STOP", True),
    "length": ("MAX_TOKENS", True),
    "content_filter": ("SAFETY", True),
    "malformed_call": ("MALFORMED_FUNCTION_CALL", True),
    "error": ("MALFORMED_RESPONSE", False),
    "refusal": ("SAFETY", False),
    "pause": ("MAX_TOKENS", False),  # CONTINUATION requires a token that only this API gives
    "context_overflow": ("MAX_TOKENS", False),
    "other": ("OTHER", True),
}


BY_CONTENT = {"stop", "tool_calls", "refusal", "other"}  # reasons that depend on the content
