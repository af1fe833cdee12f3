"""What Cohere's chat carries: blocks, media, ids and names of tools, thinking, options.

Facts of models and hosts (`capabilities/families/`, `vendors/`) change single values of it.
"""

from __future__ import annotations

from ...capabilities import Capabilities
from ...capabilities.name_rules import IdRule, NameRule

# Names of tools have neither dashes nor dots, and do not begin with a digit; ids are unique. An
# empty turn is refused, and all calls have their results. Command A accepted a system message in
# the middle of the history; for a last turn of the assistant there is no record. Documents are
# beside the messages (no recorded request has functions, too), or are what a tool returned; the
# model cites both. A thinking block goes back as text, and is not signed.
CAN = Capabilities(
    user=frozenset({"text", "image", "document", "raw"}),
    assistant=frozenset({"text", "raw"}),
    result=frozenset({"text", "document", "raw"}),
    sources={"image": frozenset({"url", "base64"}), "document": frozenset({"text"})},
    media_types={"image": ("image/png", "image/jpeg", "image/gif", "image/webp")},
    details=frozenset({"image"}),
    titles=frozenset({"document"}),
    apart_documents=True,
    lone_documents=False,
    move_media=frozenset({"image"}),
    thinking="all",
    tool_choices=frozenset({"auto", "none", "required"}),
    strict_tools=True,
    tool_schema="object",
    strict_schema="cohere-strict",
    format_schema="cohere-strict",
    empty_messages=False,
    prefill=False,
    ids=IdRule(unique=True),
    tool_names=NameRule(chars="a-zA-Z0-9_", start="a-zA-Z_"),
    budgets=(1, 31_000),
    source="Cohere API, Chat v2; Cohere docs, Errors; recorded answers",
    since="2026-11-21",
)
