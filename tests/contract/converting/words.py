"""Why an answer ended, of each wire: its own words, and what they mean anywhere."""

from __future__ import annotations

from .clients import Said

__all__ = ["ENDS", "end"]

# word -> meaning; a word that is not here means "other"
ENDS: dict[str, dict[str, str]] = {
    "openai-chat": {
        "stop": "ended", "tool_calls": "calls", "function_call": "calls", "length": "length",
        "content_filter": "filter",
    },
    "openai-responses": {
        "completed": "ended", "max_output_tokens": "length", "content_filter": "filter",
        "failed": "error", "queued": "", "in_progress": "", "cancelled": "",
    },
    "anthropic": {
        "end_turn": "ended", "stop_sequence": "ended", "tool_use": "calls", "max_tokens": "length",
        "model_context_window_exceeded": "length", "refusal": "filter", "pause_turn": "pause",
    },
    "gemini": {
        "STOP": "ended", "MAX_TOKENS": "length", "SAFETY": "filter", "RECITATION": "filter",
        "BLOCKLIST": "filter", "PROHIBITED_CONTENT": "filter", "SPII": "filter",
        "IMAGE_SAFETY": "filter", "IMAGE_PROHIBITED_CONTENT": "filter",
        "IMAGE_RECITATION": "filter",
    },
}  # fmt: skip


def end(wire: str, said: Said) -> str:
    """What the word means. Where a wire has none for calls, an answer with calls ended in them.

    Where it has a field for refusals, its word for them is that of a good end.
    """
    meant = ENDS[wire].get(said.finish or "", "other" if said.finish else "")
    if meant == "ended" and said.refused:
        return "filter"
    if meant == "ended" and said.calls and "calls" not in ENDS[wire].values():
        return "calls"
    return meant
