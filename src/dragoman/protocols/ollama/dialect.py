"""What Ollama's `/api/chat` carries, and what callers spell differently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...capabilities import Capabilities
from ...stream.think_tags import TagForm


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a caller spells what the protocol leaves open.

    Attributes:
        no_text: The content of a message without text.
        bullets: Whether several texts of one tool result become a list with dashes.
        image_gaps: Whether an empty line shows where an image was in a merged history.
        think_tags: The form of tags around thinking in the text of an answer.
        issuers: The issuers whose extras and opaque blocks the host understands, its own one first.
    """

    no_text: Literal["empty", "null"] = "empty"
    bullets: bool = False
    image_gaps: bool = False
    # servers before 0.9 leave them there, and so do models whose template knows no thinking
    think_tags: TagForm = "leading"
    path: str = "/api/chat"
    model: str = "qwen3"  # used where no model is named
    issuers: tuple[str, ...] = ("ollama",)


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
