"""What generateContent carries: blocks, media, ids and names of tools, thinking, options.

Facts of models and hosts (`capabilities/families/`, `vendors/`) change single values of it.
"""

from __future__ import annotations

from ...capabilities import Capabilities
from ...capabilities.name_rules import IdRule, NameRule

_MEDIA = ("image", "audio", "video", "document")

# Gemini API reference, "Content", "Part" and "FunctionDeclaration". Contents have the roles user
# and model, and both may hold media; a system prompt is separate and is text. The answers to one
# turn's calls are one content, in order, and a call directly follows the user's turn or a result.
# Empty parts are refused. An id is on both sides or on neither.
CAN = Capabilities(
    tool_schema="gemini",
    format_schema="gemini-format",
    user=frozenset({"text", *_MEDIA, "raw"}),
    assistant=frozenset({"text", *_MEDIA, "raw"}),
    result=frozenset({"text", "raw"}),
    sources=dict.fromkeys(_MEDIA, frozenset({"url", "base64", "file"})),
    typed_urls=frozenset({"image", "audio", "video", "document"}),
    media_types={
        # docs "Image understanding": GIF is refused as "Unsupported MIME type"
        "image": ("image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"),
        "document": ("application/pdf", "text/*"),
    },
    schemes=frozenset({"http", "https", "gs"}),
    move_media=frozenset(_MEDIA),
    claims=frozenset({"thought_signature", "thoughtSignature", "part_metadata", "partMetadata"}),
    thinking="all",
    tool_choices=frozenset({"auto", "none", "required", "tool", "allowed"}),
    strict_tools=True,  # of all functions at once, by the mode of their choice
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
    server_tools=frozenset({"web_search", "web_fetch", "code_execution", "file_search"}),
    form="level",
    source="Gemini API reference, Generating content",
    since="2026-11-21",
)
