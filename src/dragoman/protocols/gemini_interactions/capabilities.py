"""What Interactions carries: blocks, media, ids and names of tools, thinking, options.

Facts of models and hosts (`capabilities/families/`, `vendors/`) change single values of it.
"""

from __future__ import annotations

from ...capabilities import MEDIA, Capabilities
from ...capabilities.name_rules import IdRule, NameRule

_OFFICE = "application/vnd.openxmlformats-officedocument"
_OPEN_OFFICE = "application/vnd.oasis.opendocument"

# Calls and results are steps of one flat list and are paired by id, which both must have. A thought
# goes back as its own step, with the signature that it came with. The system prompt is one text
# beside the input. The models refuse the same histories as in generateContent: blank texts, a first
# turn of the model's. No field for penalties, candidates or parallel calls.
CAN = Capabilities(
    tool_schema="gemini",
    format_schema="gemini-format",
    user=frozenset({"text", *MEDIA, "raw"}),
    assistant=frozenset({"text", *MEDIA, "raw"}),
    result=frozenset({"text", *MEDIA, "raw"}),
    sources=dict.fromkeys(MEDIA, frozenset({"url", "base64", "file"})),
    typed_urls=frozenset({"image", "audio", "video", "document"}),
    media_types={
        "image": (
            "image/png",
            "image/jpeg",
            "image/webp",
            "image/heic",
            "image/heif",
            "image/gif",
            "image/bmp",
            "image/tiff",
        ),
        "document": (
            "application/pdf",
            "text/csv",
            "application/msword",
            "application/vnd.ms-excel",
            "application/vnd.ms-powerpoint",
            f"{_OFFICE}.*",
            f"{_OPEN_OFFICE}.*",
        ),
    },
    schemes=frozenset({"http", "https", "gs"}),
    details=frozenset({"image", "video", "document"}),
    move_media=frozenset(MEDIA),
    thinking="all",
    signed_thinking=True,
    redacted_thinking=False,
    citations=True,
    tool_choices=frozenset({"auto", "none", "required", "tool", "allowed"}),
    strict_tools=True,  # of all functions at once, by the mode of their choice
    result_error=True,
    system_place="top",
    late_system="reminder",
    blank_text=False,
    first_user=True,
    prefill=False,
    ids=IdRule(unique=True),
    tool_names=NameRule(chars=r"a-zA-Z0-9_.:\-", start="a-zA-Z_", max=128),
    thinks="always",
    efforts=("low", "medium", "high"),
    server_tools=frozenset({"web_search", "web_fetch", "code_execution", "file_search"}),
    source="google-genai 3.4, types of Interactions; Gemini API docs, Interactions API",
    since="2026-11-21",
)
