"""What hosts of generateContent disagree on, and what all of them carry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ...capabilities import Capabilities
from ...rules import IdRule, NameRule

__all__ = ["CAN", "Dialect"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one host spells what the protocol leaves open.

    `case`: the API takes keys in either. `bullets`: several texts of one tool result become a
    list with dashes. `joined_system`: a system prompt is one text. `mime`: media types that are
    spelled another way. `foreign_calls`: what unsigned calls carry while no model is known.
    `blocked_domains`: the key of a search for what it must not read; empty where there is none.
    `path` stands below the base URL.
    """

    case: Literal["camel", "snake"] = "camel"
    bullets: bool = False
    joined_system: bool = False
    mime: Mapping[str, str] = field(default_factory=dict)
    foreign_calls: Literal["keep", "bypass"] = "bypass"
    blocked_domains: str = ""
    path: str = "/models/{model}"
    model: str = "gemini-3.8-flash"  # sent where nobody names one
    issuers: tuple[str, ...] = ("gemini",)


# Gemini API reference, "Content", "Part" and "FunctionDeclaration". Contents know the roles user
# and model, both of which may show media; a prompt of the system stands apart and is text. The
# answers to one turn's calls are one content, in order, and a call stands right behind the user's
# turn or a result. Empty parts are refused. An id is on both sides or on neither.
CAN = Capabilities(
    tool_schema="gemini",
    format_schema="gemini-format",
    user=frozenset({"text", "image", "audio", "video", "document", "raw"}),
    assistant=frozenset({"text", "image", "audio", "video", "document", "raw"}),
    result=frozenset({"text", "raw"}),
    sources={
        kind: frozenset({"url", "base64", "file"})
        for kind in ("image", "audio", "video", "document")
    },
    media_types={
        # docs "Image understanding": GIF is refused as "Unsupported MIME type"
        "image": ("image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"),
        "document": ("application/pdf", "text/*"),
    },
    schemes=frozenset({"http", "https", "gs"}),
    move_media=frozenset({"image", "audio", "video", "document"}),
    claims=frozenset({"thought_signature", "thoughtSignature", "part_metadata", "partMetadata"}),
    thinking="all",
    tool_choices=frozenset({"auto", "none", "required", "tool", "allowed"}),
    result_error=True,
    result_names=True,
    system_place="top",
    late_system="reminder",
    blank_text=False,
    gather_results=True,
    join_calls=True,
    first_user=True,
    prefill=False,
    ids=IdRule(unique=True, blank=True),
    tool_names=NameRule(chars=r"a-zA-Z0-9_.:\-", start="a-zA-Z_", max=128),
    thinks="always",
    efforts=("low", "medium", "high"),
    server_tools=frozenset({"web_search", "code_execution", "file_search"}),
    form="level",
    source="Gemini API reference, Generating content",
    since="2026-11-21",
)
