"""Tools for a request that wants no call, on a wire that cannot say so: none are declared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..capabilities import Capabilities
from ..losses import Report
from ..message import ChatRequest, ServerTool, Tool

__all__ = ["withheld"]


def withheld(
    request: ChatRequest, can: Capabilities, report: Report
) -> tuple[Sequence[Tool | ServerTool], Capabilities]:
    """The tools to declare, and what can be said beside them.

    Where calls in the history need declared tools, they are told as text instead.
    """
    choice = request.tool_choice
    if choice is None or choice.mode != "none":
        return request.tools, can
    report.lost("tools.withheld", choice, "mode", what="none")
    for tool in request.tools:
        report.lost("tools.withheld", tool)
    if can.binding != "none" and request.messages:
        report.touched("the withholding of tools", request.messages[0])
    return [], replace(can, tool_messages=can.tool_messages and not can.tool_stubs)
