"""One message at its seat: every block is said, lowered, moved, or named as lost."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from ..capabilities import Capabilities
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
from ..message.blocks import ContentBlock
from ..seats import ASSISTANT
from .media import medium, worded_raw
from .results import call, result
from .state import State

__all__ = ["fitted", "remade"]

_SEATS = ("system", "user", "assistant", "result")


def fitted(state: State, m: Msg, seat: int) -> tuple[Msg | None, list[Msg]]:
    """The message as this seat may say it (None if nothing is left), and what moves behind it."""
    if m.extras is not None:
        m = state.owned_message(m)
    content = m.content
    if isinstance(content, str):
        return state.cached(m), []
    moved: list[Msg] = []
    blocks: list[ContentBlock] = []
    kinds: frozenset[str] = getattr(state.can, _SEATS[seat])
    for block in content:
        blocks.extend(_said(state, block, seat, kinds, moved))
    blocks = _together(state, blocks, seat)
    nothing = not state.can.empty_messages and all(map(_is_empty, blocks))
    if nothing and 0 < len(blocks) < len(content):
        state.report.lost("message.empty", m, "content")
        blocks = []
    made = remade(state, m, blocks)
    return (state.cached(made) if made is not None else None), moved


def _is_empty(block: ContentBlock) -> bool:
    return type(block) is TextBlock and not block.text


def remade(state: State, m: Msg, blocks: list[ContentBlock]) -> Msg | None:
    """`m` itself if these are its blocks, a message of them otherwise, None for no blocks."""
    if len(blocks) == len(m.content) and all(
        new is old for new, old in zip(blocks, m.content, strict=True)
    ):
        return m
    if not blocks:
        return None
    made = Msg.trusted(m.name, blocks, m.role, m)
    state.report.made(made, m)
    return made


def _said(
    state: State, block: ContentBlock, seat: int, kinds: frozenset[str], moved: list[Msg]
) -> list[ContentBlock]:
    if block.extras is not None:
        block = state.owned(block)
    if type(block) is TextBlock:
        return [state.said(block)]
    if type(block) is ToolUseBlock:
        return [call(state, block)]
    if type(block) is ToolResultBlock:
        return [result(state, block, moved)]
    if type(block) is ThinkingBlock:
        return _thinking(state, block, seat)
    if (
        type(block) is ImageBlock
        or type(block) is AudioBlock
        or type(block) is VideoBlock
        or type(block) is DocumentBlock
    ):
        return medium(state, block, _SEATS[seat], kinds, moved)
    if type(block) is RefusalBlock:
        return _refusal(state, block, kinds)
    if type(block) is RawBlock:
        known = block.issuer in state.can.reads and "raw" in kinds
        if known and isinstance(block.data, dict) and not state.sealed(block.issuer, block.data):
            return [block]
        if not known and (said := worded_raw(state, block, kinds)) is not None:
            return [said]
        state.report.lost("raw.foreign", block, what=f"raw block of {block.issuer}")
        return []
    assert_never(block)


def _refusal(state: State, block: RefusalBlock, kinds: frozenset[str]) -> list[ContentBlock]:
    if "refusal" in kinds:
        if block.category is not None:  # no wire takes it back
            state.report.lost("extras.unsaid", block, "category", what="category")
        return [block]
    if not block.text.strip() and not (state.can.blank_text and state.can.empty_messages):
        state.report.lost("text.blank", block)
        return []
    state.report.lost("refusal.as_text", block)
    return [state.text(block.text, block)]


def _thinking(state: State, block: ThinkingBlock, seat: int) -> list[ContentBlock]:
    can, report = state.can, state.report
    if block.redacted == "":  # as good as none
        made = replace(block, redacted=None)
        report.made(made, block)
        block = made
    if seat != ASSISTANT or can.thinking == "never":
        report.lost("thinking.unsaid", block)
        return []
    issuers = can.signatures or can.reads
    if block.origin is not None and block.origin.issuer not in issuers:
        return _foreign(state, block)
    if block.redacted is not None and not can.redacted_thinking:
        report.lost("thinking.foreign", block)
        return []
    if can.signed_thinking and not _vouched(block, can):
        report.lost("thinking.unsigned", block)
        return []
    if not can.signed_thinking:
        known = can.signatures and block.origin is not None
        if block.redacted is not None and not block.thinking and not known:
            report.lost("thinking.foreign", block)
            return []
        if not can.signatures:  # taken where one is given, but not demanded
            for name in ("signature", "redacted"):
                if getattr(block, name):
                    report.lost("thinking.foreign", block, name)
            if not block.thinking and not can.empty_messages:
                report.lost("text.blank", block, "thinking")
                return []
            return [block]
    return [_sealed(state, block) if block.redacted is not None else block]


def _sealed(state: State, block: ThinkingBlock) -> ThinkingBlock:
    """Sealed thinking with what the wire says beside the seal."""
    if block.thinking and not state.can.sealed_text:
        state.report.lost("thinking.unsaid", block, "thinking")
    if not block.signature:
        return block
    state.report.lost("thinking.unsaid", block, "signature")
    made = replace(block, signature=None)
    state.report.made(made, block)
    return made


def _vouched(block: ThinkingBlock, can: Capabilities) -> bool:
    """Whether its provider knows the thinking again: signed, sealed, or kept under an id."""
    if block.signature or block.redacted is not None:
        return True
    kept = (block.extras or {}).items() if can.stored_thinking else ()
    return any("id" in own for issuer, own in kept if issuer in can.reads)


def _foreign(state: State, block: ThinkingBlock) -> list[ContentBlock]:
    stance = state.can.foreign_thinking
    if stance == "drop" or not block.thinking.strip():
        state.report.lost("thinking.foreign", block)
        return []
    state.report.lost("thinking.quoted", block)
    text = f"<think>{block.thinking}</think>" if stance == "tags" else block.thinking
    return [state.text(text, block)]


def _together(state: State, blocks: list[ContentBlock], seat: int) -> list[ContentBlock]:
    """What may not stand beside something else, or alone, in an assistant's turn."""
    if seat != ASSISTANT or not blocks:
        return blocks
    can, report = state.can, state.report
    if can.call_text == "drop" and any(type(block) is ToolUseBlock for block in blocks):
        for block in blocks:
            if type(block) is TextBlock:
                report.lost("call.text_dropped", block, "text")
        blocks = [block for block in blocks if type(block) is not TextBlock]
    if can.call_text == "thought":
        blocks = _thought(state, blocks)
    if can.server_first:
        blocks = _served(state, blocks)
    if not can.thinking_alone and all(type(block) is ThinkingBlock for block in blocks):
        for block in blocks:
            report.lost("thinking.alone", block)
        return []
    return blocks


def _served(state: State, blocks: list[ContentBlock]) -> list[ContentBlock]:
    """What the provider's server called and found, before the client's calls of the turn.

    Nothing moves across thinking, which may be bound to its place.
    """
    kinds = [type(block) for block in blocks]
    first = kinds.index(ToolUseBlock) if ToolUseBlock in kinds else len(blocks)
    late = [b for b in blocks[first:] if type(b) is RawBlock and _by_server(b)]
    if not late or ThinkingBlock in kinds[first:]:
        return blocks
    for block in late:
        state.report.lost("raw.moved", block, did="stands before the calls")
    return [
        *blocks[:first],
        *late,
        *(b for b in blocks[first:] if not any(b is one for one in late)),
    ]


def _by_server(block: RawBlock) -> bool:
    return block.by == "server" and block.role in ("call", "result")


def _thought(state: State, blocks: list[ContentBlock]) -> list[ContentBlock]:
    """Text that stands beside both thinking and calls, told as thinking in its place."""
    kinds = {type(block) for block in blocks}
    if not kinds.issuperset((TextBlock, ThinkingBlock, ToolUseBlock)):
        return blocks
    said: list[ContentBlock] = []
    for block in blocks:
        if type(block) is TextBlock:
            state.report.lost("call.text_thought", block, "text", did="told as thinking")
            made = ThinkingBlock(block.text)
            state.report.made(made, block)
            said.append(made)
        else:
            said.append(block)
    return said
