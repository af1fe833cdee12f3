"""The events of one item of a streamed response: its announcement, its texts, its end.

Reference: OpenAI API, "Streaming events".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from ...message import ContentBlock
from ...message.blocks import RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...text.json_text import Json, JsonObject
from ..answers import Event

# returns an event of a kind, with its fields and its number
MakeEvent: TypeAlias = Callable[..., Event]

# type of a part that grows -> the field of its index, the events of the part and of its text
_PART_EVENTS = {
    "output_text": ("content_index", "content_part", "output_text"),
    "refusal": ("content_index", "content_part", "refusal"),
    "reasoning_text": ("content_index", "content_part", "reasoning_text"),
    "summary_text": ("summary_index", "reasoning_summary_part", "reasoning_summary_text"),
}


def _call_event(block: ToolUseBlock) -> str:
    """Return the prefix of the events of a call's text."""
    return "custom_tool_call_input" if block.freeform else "function_call_arguments"


class ItemEvents:
    """The events of one item of the output.

    Args:
        make: Returns an event with its number.
        index: The index of the item in the output.
        id: The item's id, if it has one.
        raw: Whether thinking is sent as text and not as a summary.
    """

    def __init__(self, make: MakeEvent, index: int, id: str | None, raw: bool) -> None:
        self.id = id
        self._index = index
        self._make = make
        # the index of a block -> the index of its part in the content
        self._indexes: dict[int, int] = {}
        # the index of a block -> how many annotations it has
        self._annotations: dict[int, int] = {}
        self._thought = "reasoning_text" if raw else "summary_text"

    def begin_item(self, item: JsonObject) -> list[Event]:
        """Announce the item."""
        id = {"id": self.id} if self.id is not None else {}
        return [self.event("output_item.added", item={**item, **id})]

    def grow_block(
        self, index: int, block: ContentBlock, text: str, logprobs: Json = ()
    ) -> list[Event]:
        """Send a piece of a block; the first piece of a text or of thinking begins its part."""
        fields: JsonObject = {"delta": text}
        if type(block) is TextBlock:
            kind = "output_text"
            fields["logprobs"] = list(logprobs)
        elif type(block) is ThinkingBlock:
            kind, index = self._thought, next(iter(self._indexes), 0)
        elif type(block) is RefusalBlock:
            kind = "refusal"
        else:
            if type(block) is not ToolUseBlock or not text:
                return []
            return [self.part(f"{_call_event(block)}.delta", **fields)]
        field, part_event, text_event = _PART_EVENTS[kind]
        events: list[Event] = []
        is_first = index not in self._indexes
        place = {field: self._indexes.setdefault(index, len(self._indexes))}
        if is_first:
            part: JsonObject = {"type": kind, "refusal" if kind == "refusal" else "text": ""}
            part |= {"annotations": [], "logprobs": []} if kind == "output_text" else {}
            events.append(self.part(f"{part_event}.added", **place, part=part))
        if text or logprobs:
            events.append(self.part(f"{text_event}.delta", **place, **fields))
        return events

    def annotation(self, index: int, annotation: Json) -> Event:
        """Return the event for one more annotation of a text."""
        count = self._annotations.get(index, 0)
        self._annotations[index] = count + 1
        place = {"content_index": self._indexes[index], "annotation_index": count}
        return self.part("output_text.annotation.added", **place, annotation=annotation)

    def part_done(self, index: int, part: Json) -> list[Event]:
        """End a part."""
        kind = part["type"] if part["type"] in _PART_EVENTS else "output_text"
        field, part_event, text_event = _PART_EVENTS[kind]
        key = "refusal" if kind == "refusal" else "text"
        fields = {field: self._indexes[index], key: part[key]}
        if kind == "output_text":
            fields["logprobs"] = part.get("logprobs") or []
        done = self.part(f"{text_event}.done", **fields)
        return [done, self.part(f"{part_event}.done", **{field: fields[field]}, part=part)]

    def call_done(self, block: ToolUseBlock, text: str) -> Event:
        """Return the event with the complete text of a call."""
        whole = {"input": text} if block.freeform else {"arguments": text, "name": block.name}
        return self.part(f"{_call_event(block)}.done", **whole)

    def thought_done(self, text: str) -> list[Event]:
        """End the thinking, if any was sent."""
        part = {"type": self._thought, "text": text}
        return self.part_done(next(iter(self._indexes)), part) if self._indexes else []

    def event(self, kind: str, **fields: Any) -> Event:
        """Return an event of the item."""
        return self._make(f"response.{kind}", output_index=self._index, **fields)

    def part(self, kind: str, **fields: Any) -> Event:
        """Return an event of a part of the item."""
        return self.event(kind, item_id=self.id or "", **fields)
