"""What one message of a conversation says: texts and media in order, the rest named as lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from ..losses import Report
from ..message import (
    AudioBlock,
    DocumentBlock,
    ImageBlock,
    Msg,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    VideoBlock,
)
from ..message.blocks import ContentBlock, MediaBlock

__all__ = ["aside", "has_tools", "said"]


def said(
    m: Msg, tag_media: bool, report: Report
) -> Iterator[tuple[Msg | ContentBlock, str] | MediaBlock]:
    """Texts with the node that holds each, and media.

    `tag_media`: an empty text of the message comes before a medium that none of its own precedes.
    """
    named = False
    for block in m.blocks:
        assert type(block) is not ToolUseBlock, "a call is no conversation"
        assert type(block) is not ToolResultBlock, "a result is no conversation"
        if type(block) is TextBlock or type(block) is RefusalBlock:
            named = True
            aside(block, report)
            if type(block) is RefusalBlock:
                report.lost("refusal.as_text", block)
            yield block, block.text
        elif (
            type(block) is ImageBlock
            or type(block) is AudioBlock
            or type(block) is VideoBlock
            or type(block) is DocumentBlock
        ):
            if not named and m.name:
                if tag_media:
                    named = True
                    yield m, ""
                else:
                    report.lost("speaker.untold", m, "name")
            yield block
        elif type(block) is ThinkingBlock:
            report.lost("thinking.unsaid", block)
        elif type(block) is RawBlock:
            report.lost("raw.foreign", block, what=f"raw block of {block.issuer}")
        else:
            assert_never(block)


def aside(node: Msg | ContentBlock, report: Report) -> None:
    """Name what a text that is told leaves behind: hints, citations, fields of providers."""
    for name in ("cache", "citations"):
        if getattr(node, name, None) is not None:
            report.lost(f"{name}.unsaid", node, name)
    for issuer in node.extras or {}:
        where = f"extras.{issuer}" if issuer else "extras"
        report.lost("extras.foreign", node, where, what=f"fields of {issuer or 'nobody'}")


def has_tools(m: object) -> bool:
    """Whether the node is a message that holds a tool call or a tool result."""
    content = getattr(m, "content", "")
    if type(content) is str:
        return False
    for block in content:  # noqa: SIM110 - any(...) would cost more than the looking
        if type(block) is ToolUseBlock or type(block) is ToolResultBlock:
            return True
    return False
