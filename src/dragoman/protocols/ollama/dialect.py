"""What Ollama's `/api/chat` carries, and what a caller spells its own way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...capabilities import Capabilities
from ...stream.think_tags import TagForm


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a caller spells what the protocol leaves open.

    `no_text`: the content of a message without text. `bullets`: several texts of one tool result
    become a list with dashes. `image_gaps`: an empty line shows where an image stood in the
    merged history. `think_tags`: where tags in the text of an answer are thinking.
    """

    no_text: Literal["empty", "null"] = "empty"
    bullets: bool = False
    image_gaps: bool = False
    # servers before 0.9 leave them there, and a model whose template knows no thinking writes them
    think_tags: TagForm = "leading"
    path: str = "/api/chat"
    model: str = "qwen3"  # sent where nobody names one
    issuers: tuple[str, ...] = ("ollama",)


# Images are bytes in a list beside the text, at any role; sound that a model takes lies there too.
# Thinking goes back as it came. There is no tool choice: `auto` is what the server does, and
# `none` means that no tools are sent. Thinking is a switch; few models take a level instead.
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
