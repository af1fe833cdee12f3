"""Gemini: generateContent as Google's developer API speaks it, and what its models take.

Reference: Gemini API docs, "Thinking", "Thought signatures", "Function calling", release notes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from .._named import ChatFormatter, MultiAgentFormatter
from ..capabilities import Fact, Facts
from ..protocols.gemini import Dialect, Gemini
from ..rewrite.speakers import ByName
from . import Vendor

__all__ = ["VENDOR", "GeminiChatFormatter", "GeminiMultiAgentFormatter"]

_THINKING = "Gemini API docs, Thinking: levels and budgets by model"
_NOTES = "Gemini API release notes"

# Since Gemini 3: media inside function responses, a resolution for each medium, one candidate,
# and a signature on the first call of every step.
_THREE: dict[str, Any] = {
    "result": ("text", "raw", "image", "document"),
    "details": ("image", "video", "document"),
    "foreign_calls": "bypass",
    "options": {"n": "refuses"},
}
_DEAF = dict.fromkeys(("temperature", "top_p", "top_k"), "ignores")
_REFUSED = ("n", "reasoning_budget", "presence_penalty", "frequency_penalty")
_FOUR = {**_DEAF, **dict.fromkeys(_REFUSED, "refuses")}


def _fact(
    models: tuple[str, ...],
    form: str,
    since: str,
    changes: dict[str, Any],
    options: dict[str, Any] | None = None,
    source: str = _THINKING,
) -> Fact:
    said = {**changes.get("options", {}), **(options or {})}
    return Fact(models, {**changes, "form": form, "options": said}, since, source)


_TWO: dict[str, Any] = {"foreign_calls": "keep"}
_ROWS = (
    _fact(("gemini-4-neon*",), "level low medium high xhigh", "2026-11-18", _THREE, _FOUR, _NOTES),
    _fact(("gemini-4*",), "level low medium high", "2026-10-13", _THREE, _FOUR, _NOTES),
    _fact(("gemini-3.7*", "gemini-3.8*"), "level low medium high", "2026-10-08", _THREE, _DEAF),
    _fact(("gemini-3.6*", "gemini-3.5*"), "level minimal low medium high", "2026-07-21", _THREE,
          _DEAF, _NOTES),
    _fact(("gemini-3.1-pro*", "gemini-*-latest"), "level low medium high", "2026-01-21", _THREE),
    _fact(("gemini-3-pro*",), "level low high", "2025-11-18", _THREE),
    _fact(("gemini-3*",), "level minimal low medium high", "2025-12-17", _THREE),
    _fact(("gemini-2.5-pro*",), "budget 128 32768", "2025-06-17", _TWO),
    _fact(("gemini-2.5-flash-lite*",), "budget 512 24576 off", "2025-07-22", _TWO),
    _fact(("gemini-2*",), "budget 0 24576", "2025-06-17", _TWO),
    _fact(("gemma-4*",), "level minimal high", "2026-11-21", {}, {"reasoning_budget": "refuses"},
          "livekit/agents issue 7095"),
)  # fmt: skip

_FACTS = Facts(
    # the developer API answers: "Referencing Google Cloud Storage files directly is not supported"
    always={"schemes": ("http", "https")},
    rows=_ROWS,
)

VENDOR = Vendor(
    "gemini",
    base_url="https://generativelanguage.googleapis.com/v1beta",
    key="GEMINI_API_KEY",
    wires={"gemini": Dialect()},
    facts={"gemini": _FACTS},
)

# AgentScope writes Python's spelling, one text for several of a result, and names mp3 by its own
# type; it sends the bytes of every medium, whoever shows it, no thinking, and calls as they are
# unless the model is known to want more.
_AGENTSCOPE = Dialect(
    case="snake", bullets=True, mime={"audio/mpeg": "audio/mp3"}, foreign_calls="keep"
)
_MEDIA = ("image", "audio", "video", "document")
_CHANGES: dict[str, Any] = {
    "sources": dict.fromkeys(_MEDIA, ("base64",)),
    "media_types": {"image": ("image/*",)},
    "thinking": False,
    "late_system": "user",
    "blank_text": True,
}
_PROMOTES = ("promote_tool_result_images",)


class GeminiChatFormatter(ChatFormatter):
    """Messages for Gemini; the user says the system prompt in the list, a request hoists it."""

    vendor = VENDOR
    changes: ClassVar = {**_CHANGES, "system": ("text", *_MEDIA)}
    promotes = _PROMOTES
    room = Gemini
    dialect = _AGENTSCOPE
    supported_extensions: ClassVar[dict[str, list[str]]] = {
        "image": ["png", "jpeg", "webp", "heic", "heif"],
        "video": ["mp4", "mpeg", "mov", "avi", "x-flv", "mpg", "webm", "wmv", "3gpp"],
        "audio": ["mp3", "wav", "aiff", "aac", "ogg", "flac"],
    }


class GeminiMultiAgentFormatter(MultiAgentFormatter):
    """Many agents' messages for Gemini, their conversation merged into user messages."""

    vendor = VENDOR
    changes: ClassVar = _CHANGES
    promotes = _PROMOTES
    room = Gemini
    dialect = replace(_AGENTSCOPE, joined_system=True)
    history: ClassVar[ByName] = ByName(opening="<history>", tag_media=False)
