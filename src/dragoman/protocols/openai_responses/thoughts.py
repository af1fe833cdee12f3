"""Thinking in a stream: a summary in paragraphs, or the thoughts themselves, into one block.

Reference: OpenAI API, "Streaming events", `reasoning_summary_text` and `reasoning_text`; of
`reasoning_part`, recorded streams of local servers.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import JsonObject
from ...message import ThinkingBlock
from ...pieces import Part, Piece
from .answers import BREAK
from .slots import Slot, begun

__all__ = ["thinks", "thought", "thought_whole"]


def thinks(event: JsonObject, kind: Any) -> bool:
    """Whether an event of a part of this kind is about thinking."""
    return "summary_index" in event or kind in ("reasoning_text", "summary_text")


def thought(slot: Slot, event: JsonObject, said: str) -> list[Piece]:
    """A piece of thinking. Each paragraph is counted on its own."""
    if not said:
        return []
    where = _paragraph(event)
    texts = slot.texts.get(where)
    if texts is None:
        first = not slot.texts
        slot.texts[where] = [said]
        slot.grown.add(0)
        block = ThinkingBlock(said, spelling=begun(slot)) if first else ThinkingBlock(BREAK + said)
        return [Part((0, slot.at, 0), block)]
    texts.append(said)
    return [Part((0, slot.at, 0), ThinkingBlock(said))]


def thought_whole(slot: Slot, event: JsonObject, said: str) -> list[Piece]:
    """A whole paragraph: nothing, if its pieces said all of it."""
    where = _paragraph(event)
    if not said or "".join(slot.texts.get(where, ())) == said:
        return []
    slot.texts[where] = [said]
    slot.grown.add(0)
    told = BREAK.join("".join(texts) for texts in slot.texts.values())
    return [Part((0, slot.at, 0), ThinkingBlock(told, spelling=begun(slot)), True)]


def _paragraph(event: JsonObject) -> tuple[str, int]:
    field = "summary" if "summary_index" in event else "content"
    at = event.get("summary_index" if field == "summary" else "content_index") or 0
    if type(at) is not int:
        raise TypeError("a place is a number")
    return field, at
