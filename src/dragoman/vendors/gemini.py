"""Gemini: generateContent and Interactions as Google's developer API speaks them.

generateContent is the first, for whoever names no wire: what most programs were written for.
Reference: Gemini API docs. What a model takes wherever it is hosted stands in `families`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from ..capabilities import MEDIA, Facts
from ..formatter.agentscope.base import ChatFormatter, MultiAgentFormatter, NamedFormatter
from ..history.speakers import ByName
from ..protocols import gemini_interactions as interactions
from ..protocols.gemini import Dialect, Gemini
from ..transport.credentials import Auth
from . import Vendor

VENDOR = Vendor(
    "gemini",
    base_url="https://generativelanguage.googleapis.com/v1beta",
    key="GEMINI_API_KEY",
    keys=("GOOGLE_API_KEY", "GEMINI_API_KEY"),  # google-genai 3.6, in this order
    base_variables={"*": ("GOOGLE_GEMINI_BASE_URL", "/v1beta")},
    auth=Auth("x-goog-api-key", ""),
    wires={"gemini": Dialect(), "gemini-interactions": interactions.Dialect()},
    facts={
        "gemini": Facts(
            always={"schemes": ("http", "https")},
            since="2026-11-21",
            source='recorded: "Referencing Google Cloud Storage files directly is not supported"',
        )
    },
)


# AgentScope writes Python's spelling, one text for several of a result, and names mp3 by its own
# type; it sends the bytes of every medium, whoever shows it, no thinking, and calls as they are
# unless the model is known to want more.
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


class _Named(NamedFormatter):
    vendor = VENDOR
    changes: ClassVar = _CHANGES
    promotes = ("promote_tool_result_images",)
    room = Gemini
    dialect = _AGENTSCOPE
    documented: ClassVar = {"result_role": "function"}


class GeminiChatFormatter(_Named, ChatFormatter):
    """Messages for Gemini; the user says the system prompt in the list, a request hoists it."""

    changes: ClassVar = {**_CHANGES, "system": ("text", *MEDIA)}
    supported_extensions: ClassVar[dict[str, list[str]]] = {
        "image": ["png", "jpeg", "webp", "heic", "heif"],
        "video": ["mp4", "mpeg", "mov", "avi", "x-flv", "mpg", "webm", "wmv", "3gpp"],
        "audio": ["mp3", "wav", "aiff", "aac", "ogg", "flac"],
    }


class GeminiMultiAgentFormatter(_Named, MultiAgentFormatter):
    """Many agents' messages for Gemini, their conversation merged into user messages."""

    dialect = replace(_AGENTSCOPE, joined_system=True)
    history: ClassVar[ByName] = ByName(opening="<history>", tag_media=False)
