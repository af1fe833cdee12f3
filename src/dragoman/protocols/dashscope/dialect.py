"""What callers of DashScope spell differently, its two endpoints, and the default model.

Which endpoint serves which model is a fact about the model, not about this protocol.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..._old_names import keeps_old_names
from ...stream.think_tags import TagForm

# Below the base URL. A model that is sent to the wrong one answers 400, "url error".
TEXT = "/services/aigc/text-generation/generation"
MULTIMODAL = "/services/aigc/multimodal-generation/generation"


@keeps_old_names
@dataclass(frozen=True, slots=True)
class Dialect:
    """How a caller spells what the protocol leaves open.

    Attributes:
        call_content: The content beside tool calls without text while no endpoint is known: an
            empty `list`, or one part whose text is null.
        bullets: Whether several texts of one tool result become a list with dashes.
        typed: Whether a part also has its kind in a key `type`.
        media_seats: The roles whose messages may have media.
        streams: Whether the events of a stream are `deltas` or `snapshots`; if it is not given, the
            events themselves decide.
        think_tags: The form of tags around thinking in the text of an answer.
        reads_items_of: The hosts and protocols whose extras, opaque blocks and ids of stored items
            the host reads, its own name first.
    """

    call_content: Literal["list", "null_text"] = "list"
    bullets: bool = False
    typed: bool = False  # {"type": "image", "image": ...}, as AgentScope Java's documents write it
    media_seats: tuple[str, ...] = ("user",)
    streams: Literal["", "deltas", "snapshots"] = ""
    # `reasoning_content` is then empty for models that leak their tags: qwen-code's repair
    think_tags: TagForm = "leading"
    model: str = "qwen3.7-plus"  # asked where the row of a host names none
    reads_items_of: tuple[str, ...] = ("dashscope",)
