"""How an answer ended: the reason that its content bears out, and how far it was read."""

from __future__ import annotations

from collections.abc import Sequence

from ..message import Finish, RawBlock, RefusalBlock, ToolUseBlock
from ..message.answer import FinishReason, Status
from ..message.blocks import ContentBlock

__all__ = ["ending"]

_OPEN = frozenset({"stop", "tool_calls", "other"})  # reasons that content may correct


def ending(end: Finish | None, blocks: Sequence[ContentBlock]) -> tuple[Finish, Status]:
    """(why it stopped, how the reading ended); `end` is None where nobody said why.

    Providers say `stop` beside calls and `tool_calls` without any: the content decides. A call
    that breaks off makes an answer truncated, whatever the reason says.
    """
    calls = [block for block in blocks if type(block) is ToolUseBlock]
    broken = any(call.unfinished for call in calls)
    ready = any(not call.unfinished for call in calls) or any(map(_awaited, blocks))
    if end is None:
        return Finish("other"), "interrupted"
    reason: FinishReason = end.reason
    if reason in _OPEN:
        if ready:
            reason = "tool_calls"
        elif reason == "tool_calls" and not broken:
            reason = "stop"
        elif reason == "stop" and any(type(block) is RefusalBlock for block in blocks):
            reason = "refusal"
    finish = end if reason == end.reason else Finish(reason, end.raw)
    cut = (broken and reason != "malformed_call") or reason in ("length", "context_overflow")
    return finish, "truncated" if cut else "complete"


def _awaited(block: ContentBlock) -> bool:
    """Whether it is a call of one protocol only, such as a custom tool's, that we have to run."""
    return type(block) is RawBlock and block.role == "call" and block.by == "client"
