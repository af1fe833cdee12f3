"""The way back: thinking that was read in tags goes into the text again, as it stood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..message import TextBlock, ThinkingBlock
from ..message.blocks import ContentBlock
from .tags import CLOSE, GAP

__all__ = ["glued"]


def glued(blocks: Sequence[ContentBlock]) -> Sequence[ContentBlock]:
    """The blocks, thinking that was read in tags put back into the text about it, as it stood."""
    if all(block.spelling is None for block in blocks):
        return blocks  # nothing was read in tags
    made: list[ContentBlock] = []
    tagged = False  # whether the text before ends with a section
    for block in blocks:
        text = _spelled(block)
        last = made[-1] if made else None
        if text is None:
            made.append(block)
        elif type(last) is TextBlock and (tagged or type(block) is ThinkingBlock):
            base = block if type(block) is TextBlock else last
            made[-1] = replace(base, text=last.text + text, spelling=None)
        else:
            base = block if type(block) is TextBlock else TextBlock("")
            made.append(replace(base, text=text, spelling=None))
        tagged = type(block) is ThinkingBlock and text is not None
    return made


def _spelled(block: ContentBlock) -> str | None:
    """What the block says in the text of a message; None if it stands elsewhere."""
    note = block.spelling or ""
    if type(block) is TextBlock:
        return note + block.text if CLOSE in note else block.text
    if type(block) is ThinkingBlock and GAP in note:
        before, _, after = note.partition(GAP)
        return before + block.thinking + after
    return None
