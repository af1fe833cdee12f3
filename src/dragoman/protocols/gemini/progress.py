"""How far the stream of one candidate has come. Knows no chunk."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...jsontext import JsonObject
from ...message import Citation, Finish, TextBlock, ToolUseBlock
from ...pieces import Key
from ...pieces.steps import Steps

__all__ = ["MODEL", "Progress"]

MODEL: JsonObject = {"role": "model"}


@dataclass(slots=True)
class Progress:
    """What is known of one candidate so far.

    `beside`: fields that wait for the next chunk; `content`: what stands beside its parts.
    `settled`: calls that were told whole. `broken`: a call broke off.
    """

    index: int
    steps: Steps
    beside: JsonObject = field(default_factory=dict)
    content: JsonObject = field(default_factory=lambda: MODEL)
    end: Finish | None = None
    said: dict[Key, tuple[list[str], list[Citation]]] = field(default_factory=dict)
    settled: dict[Key, ToolUseBlock] = field(default_factory=dict)
    broken: bool = False

    def texts(self) -> list[TextBlock]:
        """The texts as they stand, with what they cite."""
        return [TextBlock("".join(texts), cited) for texts, cited in self.said.values()]
