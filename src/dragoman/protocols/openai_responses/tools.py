"""Tools and the choice among them: functions, flat; and the tools that the host runs itself."""

from __future__ import annotations

from typing import Any

from ...capabilities import Capabilities
from ...jsontext import JsonObject
from ...losses import Report
from ...message import ServerTool, Tool, ToolChoice
from ...shapes import own_extras, parameters, replay, unsaid
from .dialect import Dialect

__all__ = ["PLACE", "choice_of", "function", "server_tool"]

PLACE = ("city", "country", "region", "timezone")


def function(tool: Tool, can: Capabilities, report: Report) -> JsonObject:
    """`{"type": "function", "name", "description", "parameters", "strict"}`.

    `strict` is always said: where it is absent the API tries to be strict and fills in optional
    arguments.
    """
    made: JsonObject = {"type": "function", "name": tool.name}
    if tool.description:
        made["description"] = tool.description
    made["parameters"], strict = parameters(tool, can, report)
    made["strict"] = bool(strict)
    if tool.cache is not None:
        report.lost("tool.cache", tool, "cache")
    return replay(made, tool, can, report)


def server_tool(
    tool: ServerTool, can: Capabilities, dialect: Dialect, report: Report
) -> JsonObject | None:
    """The host's own `web_search`, `code_interpreter` or `file_search`; None if it lacks stores.

    A tool of the host's that nobody models goes back as it was read.
    """
    if tool.kind == "own":
        return own_extras(tool, can) or None
    if tool.kind == "web_search":
        made, said = _search(tool, dialect, report)
    elif tool.kind == "code_execution":
        made, said = {"type": "code_interpreter", "container": {"type": "auto"}}, set()
    else:
        made, said = {"type": "file_search", "vector_store_ids": list(tool.stores)}, {"stores"}
        if not tool.stores and "vector_store_ids" not in own_extras(tool, can):
            report.lost("server_tool.unsaid", tool, what="file_search without stores")
            return None
    unsaid(tool, report, *said)
    return replay(made, tool, can, report)


def _search(tool: ServerTool, dialect: Dialect, report: Report) -> tuple[JsonObject, set[str]]:
    made: JsonObject = {"type": "web_search"}
    said = {"domains", "location"}
    filters: JsonObject = {"allowed_domains": list(tool.domains)} if tool.domains else {}
    # where a host knows both, it takes one of the two, and the allowed ones say more
    if tool.blocked_domains and dialect.blocked_domains and not tool.domains:
        filters[dialect.blocked_domains] = list(tool.blocked_domains)
        said.add("blocked_domains")
    if filters:
        made["filters"] = filters
    if tool.location:
        known = {name: tool.location[name] for name in PLACE if name in tool.location}
        made["user_location"] = {"type": "approximate", **known}
        for name in tool.location:
            if name not in known:
                report.lost("server_tool.field", tool, f"location.{name}", what=name)
    return made, said


def choice_of(picked: ToolChoice) -> Any:
    """`auto`, `none`, `required`, one function, or some of the tools."""
    if picked.mode == "tool":
        return {"type": "function", "name": picked.name}
    if picked.allowed and picked.mode != "none":
        listed = [{"type": "function", "name": name} for name in picked.allowed]
        return {"type": "allowed_tools", "mode": picked.mode, "tools": listed}
    return picked.mode
