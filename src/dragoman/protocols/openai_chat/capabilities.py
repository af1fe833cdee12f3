"""What Chat Completions carries: blocks, media, ids and names of tools, options.

Facts of models and hosts (`capabilities/families/`, `vendors/`) change single values of it.
"""

from __future__ import annotations

from ...capabilities import Capabilities
from ...capabilities.name_rules import IdRule, NameRule

# OpenAI API reference, "Create chat completion": roles and their content parts; names match
# ^[a-zA-Z0-9_-]{1,64}$, speakers ^[^\s<|\\/>]+$, call ids have been held to 40 characters.
CAN = Capabilities(
    user=frozenset({"text", "image", "audio", "document"}),
    assistant=frozenset({"text", "refusal", "raw"}),
    sources={
        "image": frozenset({"url", "base64"}),
        "audio": frozenset({"base64"}),
        "video": frozenset({"url", "base64"}),
        "document": frozenset({"base64", "file"}),
    },
    media_types={
        "image": ("image/png", "image/jpeg", "image/gif", "image/webp"),
        "audio": ("audio/wav", "audio/x-wav", "audio/wave", "audio/mp3", "audio/mpeg"),
        "document": ("application/pdf",),
    },
    details=frozenset({"image"}),
    titles=frozenset({"document"}),
    move_media=frozenset({"image", "audio", "video", "document"}),
    tool_choices=frozenset({"auto", "none", "required", "tool"}),
    parallel_switch=True,
    strict_tools=True,
    tool_schema="object",
    strict_schema="openai-strict",
    name_field="telling",
    ids=IdRule(max=40),
    tool_names=NameRule(),
    speakers=IdRule(chars=r"^\s<|\\/>", max=64),
    source="OpenAI API reference, Create chat completion",
    since="2026-11-21",
)
