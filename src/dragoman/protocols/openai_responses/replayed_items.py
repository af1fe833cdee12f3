"""Writes the items of a stream that was read from this wire in the order of its own events.

Pieces of several items may alternate. Reference: OpenAI API, "Streaming events".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...message import AudioBlock, ContentBlock, ImageBlock
from ...message.answer import total
from ...message.blocks import RawBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.client_tools import item_of_call, item_spelled
from ...message.media import Base64Source
from ...stream.pieces import Part
from ...text.json_text import Json, JsonObject
from ..answers import Event
from . import blocks as wire_blocks
from .answer_read import ID
from .answer_write import ItemWriter
from .item_events import ItemEvents, MakeEvent

# of blocks that grow in another field than `text`
_TEXT_FIELDS = {"thinking": "thinking", "tool_use": "raw_input"}


class _OpenItem:
    """One item: the pieces of its blocks, and the texts that were sent."""

    def __init__(self, line: ItemEvents) -> None:
        self.line = line
        self.pieces: dict[int, list[ContentBlock]] = {}  # by the index of the block
        self.texts: dict[int, list[str]] = {}
        self.complete = False  # its end has come
        self.closed = False

    @property
    def is_call(self) -> bool:
        """Whether it is a call that clients run."""
        return any(type(pieces[0]) is ToolUseBlock for pieces in self.pieces.values())

    @property
    def has_own_form(self) -> bool:
        """Whether it is a call in a form of its own, which is sent in one piece."""
        firsts = (pieces[0] for pieces in self.pieces.values())
        return any(type(one) is ToolUseBlock and item_spelled(one) for one in firsts)

    @property
    def blocks(self) -> dict[int, ContentBlock]:
        """The blocks so far, in their order."""
        return {index: total(self.pieces[index]) for index in sorted(self.pieces)}

    def add_text(self, index: int, part: Part) -> bool:
        """Add a piece that is nothing but more text; False for any other piece."""
        block, pieces = part.block, self.pieces.get(index)
        if pieces is None or type(block) is not TextBlock or type(pieces[0]) is not TextBlock:
            return False
        if part.whole or self.complete or block.extras is not None or block.spelling is not None:
            return False
        pieces.append(block)
        return True


class ReplayedItems:
    """The items of an answer that was read from this wire."""

    def __init__(self, make: MakeEvent, writer: ItemWriter) -> None:
        self._make = make
        self._writer = writer
        self._items: dict[int, _OpenItem] = {}
        self._sounds: set[int] = set()  # positions of sound, which is no item

    def _sound(self, part: Part) -> list[Event]:
        """Return the event of a piece of sound or its transcript, which no whole response has."""
        block = part.block
        self._sounds.add(part.key[1])
        if type(block) is AudioBlock and type(block.source) is Base64Source:
            return [self._make("response.audio.delta", delta=block.source.data)]
        return [self._make("response.audio.transcript.delta", delta=getattr(block, "text", ""))]

    def feed(self, part: Part) -> list[Event]:
        """Return the events for the piece."""
        block, position = part.block, part.key[1]
        index = part.key[2] if len(part.key) > 2 else 0
        item = self._items.get(position)
        if item is not None and item.add_text(index, part):
            return self._grow_item(item, index, part)  # the usual piece of a text
        if type(block) is AudioBlock or position in self._sounds:
            return self._sound(part)
        events: list[Event] = []
        if item is None:
            for other in self._items.values():
                if other.complete and not other.closed:
                    events += self._close(other)
            item = self._items[position] = _OpenItem(self._line(position, block))
            events += item.line.begin_item(self._announcement(block))
        pieces = item.pieces.get(index)
        if pieces is not None and not part.whole and type(pieces[0]) is type(block):
            pieces.append(block)
        else:
            item.pieces[index] = [block]
        item.complete = item.complete or self._completes(block)
        if not item.closed:
            events += self._grow_item(item, index, part)
            # further parts of a message may follow
            if item.complete and block.type not in ("text", "refusal"):
                events += self._close(item)
        return events

    def finish(self, ended: bool, truncated: bool, failed: bool) -> list[Event]:
        """Return the ends of the items; if the answer broke off, only of those that had ended.

        `truncated` is not needed here, since the items have it in their status. An answer that
        failed ends no calls.
        """
        items = [
            item
            for item in self._items.values()
            if item.complete or (ended and not (failed and item.is_call))
        ]
        return [event for item in items if not item.closed for event in self._close(item)]

    @property
    def output(self) -> list[Json]:
        """All items, in their final state."""
        return [self._data(self._items[position]) for position in sorted(self._items)]

    def _fields(self, block: ContentBlock) -> JsonObject:
        return (block.extras or {}).get(self._issuer(block), {})

    def _issuer(self, block: ContentBlock) -> str:
        return self._writer.reader_issuer(block) or self._writer.issuer

    def _line(self, position: int, block: ContentBlock) -> ItemEvents:
        notes = wire_blocks.spellings(block)
        note = next((note for note in notes if note.startswith(ID)), "")
        fields: Any = self._fields(block) if type(block) is not RawBlock else block.data
        id = note.removeprefix(ID) or (fields.get("id") if isinstance(fields, dict) else None)
        return ItemEvents(
            self._make, position, id if isinstance(id, str) else None, self._writer.raw
        )

    def _announcement(self, block: ContentBlock) -> JsonObject:
        """Return the item as it is announced."""
        if type(block) is RawBlock:
            return block.data if isinstance(block.data, dict) else {}
        if type(block) is ThinkingBlock:
            return {"type": "reasoning", "summary": []}
        if type(block) is ImageBlock:
            return {**self._fields(block), "status": "in_progress", "result": None}
        if type(block) is ToolUseBlock:
            if (own := item_of_call(block, None)) is not None:
                return {**own, "status": "in_progress"}
            [item] = wire_blocks.items_as_read([block], self._issuer(block), self._writer.raw)
            text_key = "input" if block.freeform else "arguments"
            return {**item, "status": "in_progress", text_key: ""}
        fields = self._fields(block)
        phase = {"phase": fields["phase"]} if "phase" in fields else {}
        return {
            "type": "message",
            "status": "in_progress",
            **phase,
            "role": "assistant",
            "content": [],
        }

    def _completes(self, block: ContentBlock) -> bool:
        """Whether the piece came with the end of its item, when the item's own fields are known."""
        if type(block) is RawBlock or type(block) is ImageBlock:
            return True
        fields = self._fields(block)
        return "id" in fields or "status" in fields or "item" in wire_blocks.spellings(block)

    def _grow_item(self, item: _OpenItem, index: int, part: Part) -> list[Event]:
        block = part.block
        text: str = getattr(block, _TEXT_FIELDS.get(block.type, "text"), None) or ""
        texts = item.texts.setdefault(index, [])
        if part.whole:
            previous = "".join(texts)
            if not text.startswith(previous):
                return []  # the event of its end will have it
            text = text[len(previous) :]
        if text:
            texts.append(text)
        if item.has_own_form or (type(block) is ThinkingBlock and not texts):
            return []
        if type(block) is not TextBlock or part.whole:
            return item.line.grow_block(index, block, text)
        logprobs: Sequence[Json] = ()
        if block.extras is not None and not self._completes(block):
            logprobs = self._fields(block).get("logprobs", ())
        events = item.line.grow_block(index, block, text, logprobs)
        for citation in block.citations or ():
            data = wire_blocks.write_citation(citation, (self._issuer(block),), as_read=True)
            events.append(item.line.annotation(index, data))
        return events

    def _close(self, item: _OpenItem) -> list[Event]:
        item.closed = True
        data = self._data(item)
        events: list[Event] = []
        for index, block in item.blocks.items():
            if type(block) is ThinkingBlock:
                events += item.line.thought_done(block.thinking)
            elif type(block) is ToolUseBlock:
                text = data.get("input" if block.freeform else "arguments")
                if isinstance(text, str) and not item.has_own_form:
                    events.append(item.line.call_done(block, text))
            elif block.type in ("text", "refusal"):
                part = wire_blocks.output_part_as_read(block, self._issuer(block))
                events += item.line.part_done(index, part)
        return [*events, item.line.event("output_item.done", item=data)]

    def _data(self, item: _OpenItem) -> Json:
        blocks = [*item.blocks.values()]
        issuer = self._issuer(blocks[0])
        data = wire_blocks.items_as_read(blocks, issuer, self._writer.raw)[0]
        if item.line.id is None or not isinstance(data, dict) or data.get("id") == item.line.id:
            return data
        # for a host whose events call the item by other ids, which clients would not find
        if "id" in data:
            self._writer.report.add_loss("answer.unsupported", blocks[0], f"extras.{issuer}.id")
        return {**data, "id": item.line.id}
