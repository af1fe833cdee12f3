"""The run of a tool as listeners see it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ..message import ToolUseBlock
from ..observe.channel import CHANNEL, ObservedOperation, Subscription
from ..observe.events import ToolBegin, ToolEnd
from .results import CallResult

ObservedTool: TypeAlias = (
    "tuple[ObservedOperation, Callable[[BaseException | None, CallResult | None], ToolEnd]]"
)


def begin_tool(
    call: ToolUseBlock, description: str | None, own: Subscription | None
) -> ObservedTool | None:
    """Report that a tool begins to run; return None without a listener.

    Args:
        call: The call.
        description: What the tool does.
        own: The listener of the toolkit.

    Returns:
        The operation, and what makes its last event.
    """
    operation = CHANNEL.begin(
        "tool", call.name, own, lambda one: ToolBegin(one, call, description or "")
    )
    if operation is None:
        return None

    def end(error: BaseException | None, result: CallResult | None) -> ToolEnd:
        msg = None if result is None else result.msg
        return ToolEnd(operation, error or operation.error, msg)

    return operation, end
