"""Results that answer no call: they stay for one that the provider keeps, are told, or left out.

A part of `repair`. Knows no wire; what is done with them comes in as Capabilities.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TypeAlias

from .capabilities import Capabilities
from .fit.results import flat
from .losses import Report
from .message import Msg, TextBlock, ToolResultBlock
from .message.blocks import MEDIA_KINDS, ContentBlock
from .seats import TOOL, USER, Seated
from .told import Told

__all__ = ["Found", "Orphans", "only"]

Found: TypeAlias = tuple[int, ToolResultBlock]  # a result, and which message holds it
Stays: TypeAlias = dict[int, list[tuple[Msg, int]]]


@dataclass(slots=True)
class Orphans:
    """What becomes of the results of one history that answer nobody in it."""

    seated: Seated
    can: Capabilities
    report: Report
    told: Told

    def sorted_out(
        self, found: list[Found], answered: set[str], open_start: bool
    ) -> tuple[Stays, list[tuple[str, ToolResultBlock, str]]]:
        """What stays of them, by the messages that held them, and what is lost.

        `answered`: the ids of calls that have a result; those of what is kept join them.
        """
        lost: list[tuple[str, ToolResultBlock, str]] = []
        kept: dict[int, list[ContentBlock]] = defaultdict(list)
        told: dict[int, list[ContentBlock]] = defaultdict(list)
        for i, block in found:
            if block.id in answered:
                lost.append(("result.duplicate", block, "left out"))
            elif open_start and block.id:
                kept[i].append(block)
                answered.add(block.id)
            elif self.can.orphans == "tell":
                lost.append(("result.orphan", block, "told as text"))
                told[i] += self._as_text(block)
            else:
                lost.append(("result.orphan", block, "left out"))
        stays: Stays = defaultdict(list)
        for i, blocks in kept.items():
            stays[i].append((only(self.seated.msgs[i], blocks, self.report), TOOL))
        for i, blocks in told.items():
            made = Msg.trusted("", blocks, "user")
            self.report.made(made, self.seated.msgs[i])
            stays[i].append((made, USER))
        return stays, lost

    def _as_text(self, block: ToolResultBlock) -> list[ContentBlock]:
        """A result in words, with its media behind them."""
        said = flat(block.output)
        said = self.told.error + said if block.is_error else said
        text = TextBlock(self.told.result.format(name=block.name or block.id, output=said))
        self.report.made(text, block)
        inner = block.output if isinstance(block.output, list) else []
        return [text, *(one for one in inner if one.type in MEDIA_KINDS)]


def only(m: Msg, blocks: list[ContentBlock], report: Report) -> Msg:
    """The message with these of its blocks alone."""
    if len(blocks) == len(m.content):
        return m
    made = Msg.trusted(m.name, blocks, m.role, m)
    report.made(made, m)
    return made
