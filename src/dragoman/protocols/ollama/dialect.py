"""What callers of Ollama's `/api/chat` spell differently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..._old_names import keeps_old_names
from ...stream.think_tags import SERVERS, TagForm


@keeps_old_names
@dataclass(frozen=True, slots=True)
class Dialect:
    """How a caller spells what the protocol leaves open.

    Attributes:
        no_text: The content of a message without text.
        bullets: Whether several texts of one tool result become a list with dashes.
        image_gaps: Whether an empty line shows where an image was in a merged history.
        think_tags: The form of tags around thinking in the text of an answer.
        think_pairs: Which pairs of tags those may be, by their names in `TAG_PAIRS`.
        reads_items_of: The hosts and protocols whose extras, opaque blocks and ids of stored items
            the host reads, its own name first.
    """

    no_text: Literal["empty", "null"] = "empty"
    bullets: bool = False
    image_gaps: bool = False
    # servers before 0.9 leave them there, and so do models whose template knows no thinking
    think_tags: TagForm = "leading"
    think_pairs: tuple[str, ...] = SERVERS  # it runs any model
    path: str = "/api/chat"
    model: str = "qwen3"  # asked where the row of a host names none
    reads_items_of: tuple[str, ...] = ("ollama",)
