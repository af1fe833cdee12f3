"""Calls without an id, and the results that answer them: by name, in order.

Reference: Gemini API, "Function calling": an id is on both sides or on neither. In the tree every
call has one; those that are made here never go out.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...message import Msg, ToolResultBlock, ToolUseBlock
from ...pieces.calls import MADE

__all__ = ["is_made", "paired"]


def is_made(block: ToolUseBlock | ToolResultBlock) -> bool:
    """Whether the wire gave no id."""
    return block.spelling is not None and MADE in block.spelling.split()


def paired(msgs: Iterable[Msg]) -> None:
    """Give ids to calls of a request that have none, and to results that answer a call by name."""
    calling = [m for m in msgs if type(m.content) is not str]
    blocks = [block for m in calling for block in m.content]
    ids = {block.id for block in blocks if type(block) is ToolUseBlock}
    if not ids and not any(type(block) is ToolResultBlock for block in blocks):
        return
    count = 0
    waiting: list[ToolUseBlock] = []
    answered = False
    for m in calling:
        for block in m.content:
            if type(block) is ToolUseBlock:
                if answered:  # what nobody answered by now, nobody will
                    waiting, answered = [], False
                if not block.id:
                    count = _next(count, ids)
                    block.id = f"call_{count}"
                    _note(block)
                waiting.append(block)
            elif type(block) is ToolResultBlock:
                answered = True
                if (call := _called(block, waiting)) is not None:
                    waiting = [one for one in waiting if one is not call]
                    if not block.id:
                        block.id = call.id
                        _note(block)


def _next(count: int, ids: set[str]) -> int:
    count += 1
    while f"call_{count}" in ids:
        count += 1
    return count


def _called(block: ToolResultBlock, waiting: list[ToolUseBlock]) -> ToolUseBlock | None:
    if block.id:
        return next((call for call in waiting if call.id == block.id), None)
    named = (call for call in waiting if call.name == block.name)
    return next(named, waiting[0] if waiting and not block.name else None)


def _note(block: ToolUseBlock | ToolResultBlock) -> None:
    block.spelling = f"{MADE} {block.spelling}" if block.spelling else MADE
