"""Seated -> Seated: no blank text and no empty messages where the wire refuses them.

Each that goes is a loss. Knows no wire; what one refuses comes in as Capabilities.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..capabilities import Capabilities
from ..losses import Report
from ..message import Msg, TextBlock
from ..message.blocks import NOTES, ContentBlock
from ..seats import Seated

__all__ = ["blanks", "without_blanks"]


def blanks(seated: Seated, can: Capabilities, report: Report) -> Seated:
    """The history without the blank text and the empty messages that the wire refuses.

    Comes after the speakers: a blank line of one speaker may stand in a merged history.
    """
    changes: dict[int, list[tuple[Msg, int]]] = {}
    for i in seated.dirty:
        m = seated.msgs[i]
        kept = _kept(m, can)
        if kept is None:
            continue
        if not isinstance(m.content, str):
            kept = _without(m.content, kept, can, report)
        if kept:
            made = Msg.trusted(m.name, kept, m.role, m)
            report.made(made, m)
            changes[i] = [(made, seated.seats[i])]
        else:
            if not _says_no_more(m):
                report.lost("message.empty", m, kind="dropped")
            elif isinstance(m.content, str) or not m.content:
                report.lost("message.empty", m, "content")
            changes[i] = []
    return seated.spliced(changes) if changes else seated


def _says_no_more(m: Msg) -> bool:
    """Whether nothing but its content is lost with the message."""
    own = any(not issuer.endswith(NOTES) for issuer in m.extras or ())
    return m.name in ("", m.role) and m.cache is None and not own


def without_blanks(
    blocks: list[ContentBlock], can: Capabilities, report: Report
) -> list[ContentBlock]:
    """The blocks without blank texts, where the wire refuses those; each is a loss.

    The cache hint of one that goes stands on what is in front of it.
    """
    if can.blank_text:
        return blocks
    return _without(blocks, [one for one in blocks if not _is_blank(one, can)], can, report)


def _without(
    blocks: list[ContentBlock], kept: list[ContentBlock], can: Capabilities, report: Report
) -> list[ContentBlock]:
    stays = set(map(id, kept))
    made: list[ContentBlock] = []
    for block in blocks:
        if id(block) in stays:
            made.append(block)
            continue
        hint = getattr(block, "cache", None)
        before: Any = made[-1] if made else None
        if hint is not None and can.cache_hints and getattr(before, "cache", hint) is None:
            made[-1] = replace(before, cache=hint)
            report.made(made[-1], before)
        elif hint is not None:
            report.lost("cache.unsaid", block, "cache")
        alone = type(block) is TextBlock and block == TextBlock(block.text, cache=hint)
        report.lost("text.blank", block, "text" if alone else "")
    return made


def _kept(m: Msg, can: Capabilities) -> list[ContentBlock] | None:
    """The blocks that stay; None if all do."""
    content = m.content
    if isinstance(content, str):
        blank = not content or (not can.blank_text and content.isspace())
        return [] if blank and not (can.blank_text and can.empty_messages) else None
    kept = content if can.blank_text else [block for block in content if not _is_blank(block, can)]
    if not can.empty_messages and all(map(_is_empty, kept)):
        kept = []
    return None if content and len(kept) == len(content) else kept


def _is_empty(block: ContentBlock) -> bool:
    return type(block) is TextBlock and not block.text


def _is_blank(block: ContentBlock, can: Capabilities) -> bool:
    if type(block) is not TextBlock or block.text.strip():
        return False
    # a blank text that carries the wire's own state (a signature) must stand
    return not any(
        issuer in can.reads or (not issuer and can.claims.intersection(own))
        for issuer, own in (block.extras or {}).items()
    )
