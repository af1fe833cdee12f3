"""Finish reasons: why an answer ended, in the words of the wire and in ours."""

from __future__ import annotations

from ...message.answer import FinishReason

WRITTEN: dict[str, FinishReason] = {"stop": "stop", "length": "length", "tool_calls": "tool_calls"}


UNWRITTEN: dict[str, FinishReason] = {"content_filter": "content_filter"}


FINISH_REASONS = WRITTEN | UNWRITTEN
