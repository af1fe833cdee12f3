"""Pieces that this wire's own reader made, as the events of items that they were read from.

Items stand where they stood and keep their ids, and may grow side by side, as on the wire itself.
An item ends when its end was told and another goes on, or when the answer ends.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import Json, JsonObject
from ...message import RawBlock, RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock
from ...message.total import total
from ...pieces import Part
from .cited import as_cited
from .events import Event, Events, Line
from .items import items_as_read, part_as_told, words
from .said import Sayer
from .slots import ID

__all__ = ["Replayed"]


class _Item:
    """One item: the pieces of its blocks, and what went out of them."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self.blocks: dict[int, list[ContentBlock]] = {}
        self.said: dict[int, list[str]] = {}
        self.settled = False  # its end was told
        self.closed = False


class Replayed:
    """Says the parts of one answer."""

    def __init__(self, events: Events, sayer: Sayer) -> None:
        self._events = events
        self._sayer = sayer
        self._items: dict[int, _Item] = {}

    def feed(self, part: Part) -> list[Event]:
        """The events that the piece makes."""
        _, at, *rest = part.key
        nth = rest[0] if rest else 0
        made: list[Event] = []
        item = self._items.get(at)
        if item is not None and not part.whole and not item.settled and _goes_on(item, nth, part):
            return self._grown(item, nth, part)  # the usual piece of a text
        if item is None:
            for other in self._items.values():
                if other.settled and not other.closed:
                    made += self._close(other)
            item = self._items[at] = _Item(self._line(at, part.block))
            made += item.line.added(self._empty(part.block))
        before = item.blocks.get(nth)
        if before is not None and not part.whole and type(before[0]) is type(part.block):
            before.append(part.block)
        else:
            item.blocks[nth] = [part.block]
        item.settled = item.settled or self._ends(part.block)
        if not item.closed:
            made += self._grown(item, nth, part)
            parted = type(part.block) is TextBlock or type(part.block) is RefusalBlock
            if item.settled and not parted:  # of a message more parts may be told
                made += self._close(item)
        return made

    def finish(self, ended: bool, cut: bool) -> list[Event]:
        """The ends of the items; if the answer broke off, of those whose end was told.

        Whether it was `cut` short the items say themselves.
        """
        return [
            event
            for item in self._items.values()
            if (ended or item.settled) and not item.closed
            for event in self._close(item)
        ]

    @property
    def output(self) -> list[Json]:
        """All items, as they are at last."""
        return [self._whole(self._items[at]) for at in sorted(self._items)]

    def _line(self, at: int, block: ContentBlock) -> Line:
        note = next((word for word in words(block) if word.startswith(ID)), "")
        own: Any = (block.extras or {}).get(self._sayer.ours(block) or "", {})
        if type(block) is RawBlock:
            own = block.data if isinstance(block.data, dict) else {}
        id = note.removeprefix(ID) or own.get("id")
        return Line(self._events, at, id if isinstance(id, str) else None, self._sayer.raw)

    def _empty(self, block: ContentBlock) -> JsonObject:
        """The item as it is announced."""
        if type(block) is RawBlock:
            return block.data if isinstance(block.data, dict) else {}
        if type(block) is ThinkingBlock:
            return {"type": "reasoning", "summary": []}
        begun: JsonObject = {"status": "in_progress"}
        if type(block) is ToolUseBlock:
            [item] = items_as_read([block], self._issuer(block), self._sayer.raw)
            return {**item, **begun, "arguments": ""}
        own = (block.extras or {}).get(self._issuer(block), {})
        if "phase" in own:
            begun["phase"] = own["phase"]
        return {"type": "message", **begun, "role": "assistant", "content": []}

    def _issuer(self, block: ContentBlock) -> str:
        return self._sayer.ours(block) or self._sayer.issuers[0]

    def _ends(self, block: ContentBlock) -> bool:
        """Whether the piece tells of the end of its item: only then its own fields are known."""
        if type(block) is RawBlock:
            return True
        own = (block.extras or {}).get(self._issuer(block), {})
        return "id" in own or "status" in own or "item" in words(block)

    def _grown(self, item: _Item, nth: int, part: Part) -> list[Event]:
        block = part.block
        text = _text(block)
        said = item.said.setdefault(nth, [])
        if part.whole:
            before = "".join(said)
            if not text.startswith(before):
                return []  # its end will say so
            text = text[len(before) :]
        if text:
            said.append(text)
        if type(block) is ThinkingBlock:
            return item.line.thought(text) if said else []
        if type(block) is ToolUseBlock:
            return item.line.arguments(text)
        if type(block) is not TextBlock and type(block) is not RefusalBlock:
            return []
        issuer = self._issuer(block)
        chances = (block.extras or {}).get(issuer, {}).get("logprobs", ())
        kept = () if part.whole or self._ends(block) else chances
        made = item.line.text(nth, type(block) is RefusalBlock, text, kept)
        if type(block) is TextBlock and block.citations and not part.whole:
            made += [item.line.note(nth, as_cited(one, issuer)) for one in block.citations]
        return made

    def _close(self, item: _Item) -> list[Event]:
        item.closed = True
        told = self._whole(item)
        made: list[Event] = []
        for nth in sorted(item.blocks):
            block = total(item.blocks[nth])
            if type(block) is ThinkingBlock:
                made += item.line.thought_whole(block.thinking)
            elif type(block) is ToolUseBlock:
                said = told.get("arguments")
                made += item.line.called(block.name, said) if isinstance(said, str) else []
            elif type(block) is TextBlock or type(block) is RefusalBlock:
                made += item.line.said(nth, part_as_told(block, self._issuer(block)))
        return made + item.line.done(told)

    def _whole(self, item: _Item) -> Json:
        blocks = [total(item.blocks[nth]) for nth in sorted(item.blocks)]
        issuer = self._issuer(blocks[0])
        told = items_as_read(blocks, issuer, self._sayer.raw)[0]
        if item.line.id is None or not isinstance(told, dict) or told.get("id") == item.line.id:
            return told
        if "id" in told:  # a host that calls the item otherwise in every event: clients would not
            self._sayer.report.lost("answer.unsaid", blocks[0], f"extras.{issuer}.id")
        return {**told, "id": item.line.id}


def _goes_on(item: _Item, nth: int, part: Part) -> bool:
    """Whether the piece is one more of a text, and says no more; it is kept with the others."""
    block, before = part.block, item.blocks.get(nth)
    if before is None or type(block) is not TextBlock or type(before[0]) is not TextBlock:
        return False
    if block.extras is None and block.spelling is None:
        before.append(block)
        return True
    return False


def _text(block: ContentBlock) -> str:
    if type(block) is ThinkingBlock:
        return block.thinking
    if type(block) is ToolUseBlock:
        return block.raw_input or ""
    return block.text if type(block) is TextBlock or type(block) is RefusalBlock else ""
