"""What a stream tells whole: an item at its end, all of them at the end of the response.

It stands for what came in pieces, without telling anything twice. Ids stand with items whose end
was told: half an item is known to nobody under its id, and of sealed thoughts the last form counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...jsontext import Json, JsonObject
from ...message import RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock
from ...pieces import Meta, Part, Piece
from .answers import blocks, told_raw
from .slots import Slot, Slots

__all__ = ["Settled"]

_GROWING = ("message", "reasoning", "function_call", "audio")  # as blocks; others come whole


class Settled:
    """The items of one answer as they are at last."""

    def __init__(self, slots: Slots, issuer: str, raw: bool) -> None:
        self._slots = slots
        self._issuer = issuer
        self._raw = raw

    def done(self, event: JsonObject) -> list[Piece]:
        """`response.output_item.done`."""
        item = event["item"]
        return self._told(self._slots.done(event, item), item)

    def output(self, output: Sequence[Any]) -> list[Piece]:
        """The items of a whole response: those that are new, or otherwise than was told."""
        if isinstance(output, (str, dict)):
            raise TypeError("output is a list")
        made: list[Piece] = []
        for slot, item in self._slots.matched(list(output)):
            made += self._told(slot, item)
        return made

    def ended(self) -> list[Piece]:
        """The items that the end of the answer makes whole, as nothing else did."""
        made: list[Piece] = []
        for slot in self._slots:
            if not slot.whole and slot.kind not in _GROWING:
                slot.whole = True
                made += self._told(slot, slot.filled())
        return made

    def left(self) -> list[Piece]:
        """What a stream that broke off began: items that nobody could use, and probabilities."""
        made: list[Piece] = []
        begun = [slot for slot in self._slots if not slot.whole]
        for slot in begun:
            for at, chances in slot.chances.items():
                block = TextBlock("", extras={self._issuer: {"logprobs": chances}})
                made.append(Part((0, slot.at, at), block))
        if items := [slot.filled() for slot in begun if slot.kind not in _GROWING]:
            made.append(Meta({"unfinished": items}, issuer=self._issuer))
        return made

    def _told(self, slot: Slot, item: Json) -> list[Piece]:
        if isinstance(item, dict):
            listed = blocks(slot.completed(item), self._issuer, self._raw)
        else:
            listed = [(0, told_raw(item, self._issuer))]
        places = slot.places(listed[-1][0] + 1)
        made: list[Piece] = []
        for nth, block in listed:
            at = places[nth]
            if slot.settled.get(at) != block:
                made.append(self._settled(slot, at, block))
        return made

    def _settled(self, slot: Slot, at: int, block: ContentBlock) -> Piece:
        key = (0, slot.at, at)
        before = slot.settled.get(at)
        slot.settled[at] = block
        if at not in slot.grown or not _wordless(block):
            return Part(key, block, True)
        # a host that does not say it again: what was streamed stays, with the item's fields
        if type(block) is ThinkingBlock and before is not None:
            block = replace(block, signature=None, redacted=None)  # told once, or they would add up
        return Part(key, block)


def _wordless(block: ContentBlock) -> bool:
    if type(block) is ThinkingBlock:
        return not block.thinking
    if type(block) is ToolUseBlock:
        return not block.raw_input and not block.input
    return (type(block) is TextBlock or type(block) is RefusalBlock) and not block.text
