"""What the Responses API carries: blocks, media, ids and names of tools, options.

Facts of models and hosts (`capabilities/families/`, `vendors/`) change single values of it.
"""

from __future__ import annotations

from ...capabilities import Capabilities
from ...capabilities.name_rules import IdRule, NameRule

# Calls and results are items of one flat list and are paired only by `call_id`, so each id belongs
# to one call: free text, at most 64 characters (string_above_max_length). Images, files and text go
# back in a result unchanged. Docs "File inputs": text is extracted from documents, spreadsheets and
# code; only in PDF are pages looked at. There is no flag for a failed result.
CAN = Capabilities(
    late_results="async",  # guides, async tools: gpt-6 continues from calls that have it
    user=frozenset({"text", "image", "document", "raw"}),
    assistant=frozenset({"text", "refusal", "raw"}),
    system=frozenset({"text", "raw"}),
    result=frozenset({"text", "image", "document", "raw"}),
    sources={
        "image": frozenset({"url", "base64", "file"}),
        "audio": frozenset({"base64"}),
        "document": frozenset({"url", "base64", "file"}),
    },
    media_types={
        "image": ("image/png", "image/jpeg", "image/gif", "image/webp"),
        "audio": ("audio/wav", "audio/x-wav", "audio/wave", "audio/mp3", "audio/mpeg"),
        "document": (
            "application/pdf",
            "text/*",
            "application/json",
            "application/xml",
            "application/rtf",
            "application/msword",
            "application/vnd.ms-*",
            "application/vnd.oasis.opendocument.text",
            "application/vnd.openxmlformats-officedocument.*",
        ),
    },
    details=frozenset({"image", "document"}),
    titles=frozenset({"document"}),
    thinking="all",
    signed_thinking=True,
    stored_thinking=True,
    sealed_text=True,
    citations=True,
    drawings="image_generation_call",
    tool_choices=frozenset({"auto", "none", "required", "tool", "allowed"}),
    parallel_switch=True,
    strict_tools=True,
    tool_schema="object",
    strict_schema="openai-strict",
    system_place="top",
    cache_ttls=frozenset({"30m", "12h"}),
    cached_calls=False,
    ids=IdRule(max=64, unique=True),
    tool_names=NameRule(),
    server_tools=frozenset({"web_search", "code_execution", "file_search"}),
    server_choices=frozenset({"web_search", "code_execution", "file_search"}),
    source="OpenAI API reference, Create a model response; openai-python 3.52",
    since="2026-11-21",
)
