"""What Ollama's `/api/chat` carries: blocks, media, tools, thinking, options.

Facts of models and hosts (`capabilities/families/`, `vendors/`) change single values of it.
"""

from __future__ import annotations

from ...capabilities import Capabilities

# Images are bytes in a list beside the text, in any role; sound is in the same list. Thinking goes
# back as it came. There is no tool choice: `auto` is what the server does, and `none` means that no
# tools are sent. Thinking is a switch; few models take a level instead.
CAN = Capabilities(
    tool_schema="ollama",
    user=frozenset({"text", "image"}),
    assistant=frozenset({"text", "image"}),
    system=frozenset({"text", "image"}),
    sources={
        "image": frozenset({"base64"}),
        "audio": frozenset({"base64"}),
        "video": frozenset(),
        "document": frozenset(),
    },
    schemes=frozenset(),
    move_media=frozenset({"image"}),
    thinking="all",
    tool_choices=frozenset({"auto"}),
    none_by="withholding",
    result_names=True,
    thinks="default",
    efforts=("on",),
    source="Ollama docs, Chat; api/types.go",
    since="2026-11-21",
)
