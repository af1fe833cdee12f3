"""What the Messages API carries: blocks, media, ids and names of tools, thinking, options.

Facts of models and hosts (`capabilities/families/`, `vendors/`) change single values of it.
"""

from __future__ import annotations

from ...capabilities import Capabilities
from ...capabilities.name_rules import IdRule, NameRule

# Anthropic API, "Messages": content blocks by role; results begin the next user turn, and failed
# ones hold text alone (400 "all content must be type `text` if `is_error` is true"); text must not
# be blank, and a turn must not end in thinking; ids match ^[a-zA-Z0-9_-]+$ and are unique; at most
# four cache breakpoints. 400 "input_schema.properties: Property keys should match pattern
# '^[a-zA-Z0-9_.-]{1,64}$'" refers to the root alone. Where current models disagree (forced tools,
# sampling, prefill, thinking that can be turned off), nothing is refused here. The maximum of an
# answer includes its thinking.
CAN = Capabilities(
    user=frozenset({"text", "image", "document", "raw"}),
    assistant=frozenset({"text", "raw"}),
    result=frozenset({"text", "image", "document", "raw"}),
    sources={
        "image": frozenset({"url", "base64", "file"}),
        "document": frozenset({"url", "base64", "file", "text"}),
    },
    media_types={
        "image": ("image/jpeg", "image/png", "image/gif", "image/webp"),
        "document": ("application/pdf", "text/plain"),
    },
    url_types={"document": ("application/pdf",)},  # URLPDFSource
    titles=frozenset({"document"}),
    move_media=frozenset({"image", "document"}),
    thinking="all",
    signed_thinking=True,
    thinking_last=False,
    server_first=True,
    tool_choices=frozenset({"auto", "none"}),
    parallel_switch=True,
    strict_tools=True,
    tool_schema="anthropic",
    strict_schema="anthropic-strict",
    format_schema="anthropic-strict",
    cached_tools=True,
    result_error=True,
    error_kinds=frozenset({"text"}),
    system_place="top",
    late_system="reminder",
    blank_text=False,
    trailing_space=False,
    gather_results=True,
    first_user=True,
    prefill=False,
    cache_hints=4,
    ids=IdRule(chars=r"a-zA-Z0-9_\-", unique=True),
    tool_names=NameRule(max=128),
    property_names=IdRule(chars=r"a-zA-Z0-9_.\-", max=64),
    max_tokens=16_384,
    formats=frozenset({"text", "schema"}),
    server_tools=frozenset({"web_search", "web_fetch", "code_execution"}),
    server_choices=frozenset({"web_search", "web_fetch", "code_execution"}),
    cache_ttls=frozenset({"5m", "1h"}),
    cache_longest_first=True,
    options={"temperature": "refuses", "top_p": "refuses", "top_k": "refuses"},
    thinks="always",
    efforts=("low", "medium", "high", "xhigh", "max"),
    form="adaptive",
    source="Anthropic API reference, Create a Message",
    since="2026-11-21",
)
