"""What DashScope's endpoints carry: blocks, media, tools, thinking, options.

Facts of models and hosts (`capabilities/families/`, `vendors/`) change single values of it.
"""

from __future__ import annotations

from ...capabilities import Capabilities

# Media are documented only in user messages. A tool choice cannot be `required`; no name field; at
# most four cache marks; at least one user message in every request. Most models have a switch for
# thinking and a budget of tokens; few take an effort.
CAN = Capabilities(
    user=frozenset({"text", "image", "audio", "video", "raw"}),
    assistant=frozenset({"text", "raw"}),
    system=frozenset({"text", "raw"}),
    sources={
        **dict.fromkeys(("image", "audio"), frozenset({"url", "base64", "file"})),
        "video": frozenset({"url", "base64", "file", "frames"}),
    },
    schemes=frozenset({"http", "https", "oss"}),
    file_schemes=frozenset({"oss"}),
    move_media=frozenset({"image", "audio", "video"}),
    tool_choices=frozenset({"auto", "none", "tool"}),
    parallel_switch=True,
    needs_user=True,
    cache_hints=4,
    efforts=("on",),
    budgets=(1, 262144),
    server_tools=frozenset({"web_search", "code_execution"}),
    json_word=True,
    source="Model Studio, Qwen API via DashScope",
    since="2026-11-21",
)
