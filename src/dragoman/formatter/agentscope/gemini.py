"""Formatters for Gemini by AgentScope's names: its positional arguments, its output."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from ...capabilities import MEDIA
from ...history.speakers import ByName
from ...protocols.gemini import Dialect, Gemini
from ...vendors.gemini import VENDOR
from .base import ChatFormatter, MultiAgentFormatter, NamedFormatter

# AgentScope writes Python's spelling, one text for several of a result, and names mp3 by its own
# type; it sends the bytes of every medium of every role, no thinking, and calls as they are unless
# the model is known to want more.
_AGENTSCOPE = Dialect(
    case="snake", bullets=True, mime={"audio/mpeg": "audio/mp3"}, foreign_calls="keep"
)


_CHANGES: dict[str, Any] = {
    "sources": dict.fromkeys(MEDIA, ("base64",)),
    "media_types": {"image": ("image/*",)},
    "thinking": False,
    "late_system": "user",
    "blank_text": True,
}


class _GeminiFormatter(NamedFormatter):
    vendor = VENDOR
    changes: ClassVar = _CHANGES
    promotes = ("promote_tool_result_images",)
    room = Gemini
    dialect = _AGENTSCOPE
    documented: ClassVar = {"result_role": "function"}


class GeminiChatFormatter(_GeminiFormatter, ChatFormatter):
    """Messages for Gemini; the system prompt is a user message, but has a field in a request."""

    changes: ClassVar = {**_CHANGES, "system": ("text", *MEDIA)}
    supported_extensions: ClassVar[dict[str, list[str]]] = {
        "image": ["png", "jpeg", "webp", "heic", "heif"],
        "video": ["mp4", "mpeg", "mov", "avi", "x-flv", "mpg", "webm", "wmv", "3gpp"],
        "audio": ["mp3", "wav", "aiff", "aac", "ogg", "flac"],
    }


class GeminiMultiAgentFormatter(_GeminiFormatter, MultiAgentFormatter):
    """Many agents' messages for Gemini, their conversation merged into user messages."""

    dialect = replace(_AGENTSCOPE, joined_system=True)
    history: ClassVar[ByName] = ByName(opening="<history>", tag_media=False)
