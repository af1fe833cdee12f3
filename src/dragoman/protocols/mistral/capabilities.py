"""What Mistral's chat carries: blocks, media, ids and names of tools, thinking, options.

Facts of models and hosts (`capabilities/families/`, `vendors/`) change single values of it.
"""

from __future__ import annotations

from ...capabilities import Capabilities
from ...capabilities.name_rules import IdRule, NameRule

# Ids have exactly nine letters and digits; messages of users and the assistant have no names,
# because keys that the API does not know are a 422; no message is empty. A last message of the
# assistant is continued. The validators of mistral-common 1.13 let a system message follow only the
# system or the user, never an answer or a result, and no recorded request has one in the middle: so
# it is written in tags by the user, whose messages may follow any other.
CAN = Capabilities(
    user=frozenset({"text", "image", "document", "raw"}),
    assistant=frozenset({"text", "raw"}),
    result=frozenset({"text", "raw"}),
    sources={
        "image": frozenset({"url", "base64"}),
        "audio": frozenset({"base64"}),
        "document": frozenset({"url", "base64", "file"}),
    },
    media_types={
        "image": ("image/png", "image/jpeg", "image/gif", "image/webp"),
        "audio": ("audio/*",),
        "document": ("application/pdf",),
    },
    details=frozenset({"image"}),
    titles=frozenset({"document"}),
    move_media=frozenset({"image", "document", "audio"}),
    thinking="all",
    tool_choices=frozenset({"auto", "none", "required", "tool"}),
    parallel_switch=True,
    strict_tools=True,
    tool_schema="object",
    strict_schema="mistral-strict",
    late_system="reminder",
    empty_messages=False,
    lone_assistant=False,
    last_system=False,
    open_calls=False,  # "Expected last role User or Tool": mistral-common's validator
    ids=IdRule(chars="a-zA-Z0-9", exact=9),
    tool_names=NameRule(),
    efforts=("high",),
    source="Mistral API, Chat Completion; mistral-common 1.13; recorded answers",
    since="2026-11-21",
)
