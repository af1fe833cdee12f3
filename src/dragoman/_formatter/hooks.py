"""AgentScope's hooks: which of them a class overrides, the grouping that calls them, and a driver.

`drive` runs a coroutine that never suspends, so that one body serves sync and async callers.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, TypeVar

from ..errors import ConfigError
from ..message import Msg
from ..seats import has_tools

__all__ = ["FORMAT_HOOKS", "drive", "grouped"]

FORMAT_HOOKS = (
    "_format",
    "_format_system_message",
    "_format_agent_message",
    "_format_tool_sequence",
)

_T = TypeVar("_T")


def drive(work: Coroutine[Any, Any, _T], what: str) -> _T:
    """The result of a coroutine that never suspends. Raises ConfigError at the first that does."""
    try:
        work.send(None)
    except StopIteration as done:
        result: _T = done.value
        return result
    except RuntimeError as error:
        # what awaits in asyncio asks for its loop before it suspends
        if "no running event loop" not in str(error):
            raise
    work.close()
    raise ConfigError(
        f"{what} awaits something, so it cannot run synchronously",
        hint="await format(...) instead, or give the counter a count_sync method, and Summarize a"
        " function that awaits nothing",
        code="sync.suspended",
    )


def grouped(msgs: list[Msg]) -> list[tuple[str, list[Msg]]]:
    """("system" | "agent" | "tools", messages): a system prompt first, then runs of each kind."""
    groups: list[tuple[str, list[Msg]]] = []
    for i, m in enumerate(msgs):
        if i == 0 and m.role in ("system", "developer") and not has_tools(m):
            groups.append(("system", [m]))
            continue
        kind = "tools" if has_tools(m) else "agent"
        if groups and groups[-1][0] == kind:
            groups[-1][1].append(m)
        else:
            groups.append((kind, [m]))
    return groups
