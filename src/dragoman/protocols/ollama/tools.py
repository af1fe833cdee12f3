"""Tools of a request, read into the tree, and said again as they were read.

Reference: ollama api/types.go, Tool.
"""

from __future__ import annotations

from ...errors import InvalidMessage
from ...jsontext import Json, JsonObject
from ...message import ServerTool, Tool
from ...message.blocks import noted

__all__ = ["read_tools", "tool_as_read"]


def read_tools(rest: JsonObject, issuer: str) -> list[Tool | ServerTool]:
    """The `tools` of a body, taken out of it; a list of anything else stays there."""
    told = rest.get("tools")
    if not (isinstance(told, list) and told and all(isinstance(one, dict) for one in told)):
        return []
    try:
        made = [_tool(one, issuer) for one in told]
    except InvalidMessage:  # a tool that no JSON can say again
        return []
    del rest["tools"]
    return made


def _tool(told: JsonObject, issuer: str) -> Tool | ServerTool:
    function = told.get("function")
    name = function.get("name") if isinstance(function, dict) else None
    typed = told.get("type") == "function"
    if not (isinstance(function, dict) and isinstance(name, str) and name) or (
        "type" in told and not typed
    ):
        return ServerTool("own", extras={issuer: told})
    made = Tool(name)
    inner = {key: value for key, value in function.items() if key != "name"}
    notes: JsonObject = {} if typed else {"typed": False}
    if isinstance(inner.get("description"), str):
        made.description = inner.pop("description")
    else:
        notes["described"] = False
    if isinstance(inner.get("parameters"), dict):
        made.parameters = inner.pop("parameters")
    if isinstance(inner.get("strict"), bool):
        made.strict = inner.pop("strict")
    rest = {key: value for key, value in told.items() if key not in ("type", "function")}
    if inner:
        rest["function"] = inner
    own = {where: kept for where, kept in ((issuer, rest), (noted(issuer), notes)) if kept}
    made.extras = own or None
    return made


def tool_as_read(tool: Tool | ServerTool, issuer: str) -> Json:
    """The tool's declaration as it was read."""
    own = dict((tool.extras or {}).get(issuer, {}))
    if type(tool) is ServerTool:
        return own
    assert type(tool) is Tool  # the other one of the two
    notes = (tool.extras or {}).get(noted(issuer), {})
    function: JsonObject = {"name": tool.name}
    if notes.get("described", True):
        function["description"] = tool.description
    if tool.parameters is not None:
        function["parameters"] = tool.parameters
    if tool.strict is not None:
        function["strict"] = tool.strict
    function.update(own.pop("function", {}))
    made: JsonObject = {"type": "function"} if notes.get("typed", True) else {}
    return {**made, "function": function, **own}
