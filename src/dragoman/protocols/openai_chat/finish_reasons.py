"""Finish reasons: why an answer ended, in the words of the wire and in ours."""

from __future__ import annotations

from collections.abc import Iterable

from ...message import ContentBlock, Finish
from ...message.answer import FinishReason
from ...message.blocks import (
    RefusalBlock,
    ToolUseBlock,
)
from ...text.json_text import JsonObject
from ..answers import AnswerWriter
from ..shared_finish_words import finish_meaning, read_finish

_RAW_REASONS: dict[FinishReason, tuple[str, ...]] = {
    "stop": ("stop", "eos"),
    "length": ("length", "max_tokens"),
    "tool_calls": ("tool_calls", "function_call"),
    "content_filter": ("content_filter", "sensitive"),
    "refusal": ("refusal",),
    "context_overflow": ("model_context_window_exceeded",),
    "error": ("error", "abort", "network_error", "insufficient_system_resource"),
}


FINISH_REASONS = {raw: reason for reason, words in _RAW_REASONS.items() for raw in words}


# what a router's `stop` may hide: the host's own word says that the answer did not end well
_HIDDEN: frozenset[FinishReason] = frozenset(
    {"length", "content_filter", "refusal", "context_overflow", "malformed_call", "error"}
)


def read_choice_finish(choice: JsonObject) -> Finish:
    """Return why a choice ended; the word of the host that a router asked counts if it says more.

    A router ends answers with `stop` whose host broke off with `network_error`, and notes the
    host's word beside it (earendil-works/pi issue 8511, 2026-08-23). Its other words count: it
    maps `end_turn` and the like.

    >>> read_choice_finish({"finish_reason": "stop", "native_finish_reason": "network_error"})
    Finish(reason='error', raw='network_error')
    """
    finish = read_finish(choice.get("finish_reason"), FINISH_REASONS)
    native = choice.get("native_finish_reason")
    if finish.reason != "stop" or not isinstance(native, str):
        return finish
    meaning = finish_meaning(native, FINISH_REASONS)
    return Finish(meaning, native) if meaning in _HIDDEN else finish


# the reasons that clients know: the neutral names and this wire's are the same
_KNOWN_REASONS = ("stop", "length", "tool_calls", "content_filter")


# a call that was cut, or that its provider rejects, must not look like one to be run; and an
# incomplete answer must not look complete
_NEAREST_REASONS = {
    "context_overflow": "length",
    "malformed_call": "length",
    "error": "length",
    "pause": "length",
    "refusal": "content_filter",
}


# after these, calls may lack their arguments
CUT = ("length", "context_overflow", "malformed_call", "error")


# reasons that the content may have corrected
_CORRECTED = ("stop", "tool_calls", "refusal", "malformed_call", "other")


def write_finish(
    finish: Finish, blocks: Iterable[ContentBlock], writer: AnswerWriter, node: object
) -> str | None:
    """Return why the answer ended; None where an answer of this wire gave no reason."""
    if writer.own:
        read = finish_meaning(finish.raw, FINISH_REASONS)
        corrected = read in _CORRECTED and finish.reason in _CORRECTED
        if finish.raw is None or finish.reason == read or corrected:
            return finish.raw
    kinds = {*map(type, blocks)}
    reason: str = finish.reason
    if reason == "refusal" and RefusalBlock in kinds:
        return "stop"
    if reason not in _KNOWN_REASONS or (reason == "tool_calls" and ToolUseBlock not in kinds):
        broke_off = reason == "other" and finish.raw is None  # no end was reported
        reason = "length" if broke_off else _NEAREST_REASONS.get(reason, "stop")
        writer.report.add_loss("answer.finish", node, "finish", what=finish.reason, did=reason)
    return reason
