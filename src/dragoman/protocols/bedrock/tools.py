"""Tools and the choice of one: `toolConfig`.

A tool is an object with one key: a function's `toolSpec`, the provider's own `systemTool`, or a
`cachePoint` behind the hinted one.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...capabilities import Capabilities
from ...errors import WriteError
from ...jsontext import JsonObject
from ...losses import Report
from ...message import ServerTool, Tool, ToolChoice
from ...request_fields import choice, stubs
from ...room import SayableRequest
from ...shapes import own_tool, parameters, replay, unsaid
from .writer import cache_point

__all__ = ["SYSTEM_TOOLS", "declared", "tool_config"]

# Nova user guide, "Built-in tools"
SYSTEM_TOOLS = {"web_search": "nova_grounding", "code_execution": "nova_code_interpreter"}


def tool_config(say: SayableRequest, report: Report) -> JsonObject:
    """`{"tools", "toolChoice"}`; empty where nothing is to be declared."""
    given = say.request.tool_choice
    withheld = say.can.none_by == "withholding" and given is not None and given.mode == "none"
    picked = None if withheld else choice(say, report, say.tools)
    tools = declared(say.offered or stubs(say, report), say.can, report)
    if not tools:
        return {}
    made: JsonObject = {"tools": tools}
    if picked is not None:
        made["toolChoice"] = _choice(picked)
    return made


def declared(
    tools: Sequence[Tool | ServerTool], can: Capabilities, report: Report
) -> list[JsonObject]:
    """The tools in their order, each with the cache point that it hints at."""
    out: list[JsonObject] = []
    for tool in tools:
        if type(tool) is ServerTool:
            own = own_tool(tool, can) if tool.kind == "own" else {}
            out.append(own or {"systemTool": _server_tool(tool, can, report)})
            continue
        assert type(tool) is Tool
        out.append({"toolSpec": _function(tool, can, report)})
        if tool.cache is not None:
            if can.cached_tools:
                out.append(cache_point(tool.cache))
            else:
                report.lost("tool.cache", tool, "cache")
    return out


def _function(tool: Tool, can: Capabilities, report: Report) -> JsonObject:
    """`{"name", "description", "inputSchema": {"json"}, "strict"}`; no empty description."""
    made: JsonObject = {"name": tool.name}
    if tool.description:
        made["description"] = tool.description
    schema, strict = parameters(tool, can, report)
    made["inputSchema"] = {"json": schema}
    if strict is not None:
        made["strict"] = strict
    return replay(made, tool, can, report)


def _server_tool(tool: ServerTool, can: Capabilities, report: Report) -> JsonObject:
    name = SYSTEM_TOOLS.get(tool.kind)
    if name is None:
        raise WriteError(f"{tool.kind} is no system tool", path="$.tools", code="tool.type")
    unsaid(tool, report)
    return replay({"name": name}, tool, can, report)


def _choice(picked: ToolChoice) -> JsonObject:
    if picked.mode == "tool":
        return {"tool": {"name": picked.name}}
    return {"any" if picked.mode == "required" else "auto": {}}
