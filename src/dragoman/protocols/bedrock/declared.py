"""`toolConfig` of a request, read into the tree, and said again as it was read.

`read_tools` and `tools_as_read`, `read_choice` and `choice_as_read` are each other's inverse.
Reference: Amazon Bedrock API reference, "ToolConfiguration", "Tool", "ToolSpecification".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...errors import InvalidMessage
from ...jsontext import Json, JsonObject
from ...message import ServerTool, Tool, ToolChoice
from ...message.blocks import noted
from .asking import place, take
from .parts import unmarked
from .tools import SYSTEM_TOOLS
from .writer import cache_point

__all__ = ["choice_as_read", "read_choice", "read_tools", "tools_as_read"]

_AT = "toolConfig.tools"
_CHOICE = "toolConfig.toolChoice"
_KINDS: dict[Any, Any] = {name: kind for kind, name in SYSTEM_TOOLS.items()}


def read_tools(rest: JsonObject, issuer: str) -> list[Tool | ServerTool]:
    """The tools, which are taken out of `rest`; a cache point is a hint on the tool before it."""
    told = place(rest, _AT)
    if not (isinstance(told, list) and told and all(isinstance(one, dict) for one in told)):
        return []
    take(rest, _AT)
    made: list[Tool | ServerTool] = []
    for one in told:
        last = made[-1] if made else None
        hint = unmarked(one)
        if hint is not None and type(last) is Tool and last.cache is None:
            last.cache = hint
        else:
            made.append(_tool(one, issuer))
    return made


def _tool(told: JsonObject, issuer: str) -> Tool | ServerTool:
    spec, system = told.get("toolSpec"), told.get("systemTool")
    own = {issuer: told}
    if len(told) != 1:
        return ServerTool("own", extras=own)
    if isinstance(system, dict) and isinstance(system.get("name"), str):
        kind = _KINDS.get(system["name"], "own")
        rest = {key: value for key, value in system.items() if key != "name"}
        return ServerTool(kind, extras=own if kind == "own" else {issuer: rest} if rest else None)
    if not isinstance(spec, dict) or not isinstance(spec.get("name"), str) or not spec["name"]:
        return ServerTool("own", extras=own)
    try:
        return _function(spec, issuer)
    except InvalidMessage:  # half of a surrogate pair
        return ServerTool("own", extras=own)


def _function(spec: JsonObject, issuer: str) -> Tool:
    made = Tool(spec["name"])
    rest = {key: value for key, value in spec.items() if key != "name"}
    if isinstance(rest.get("description"), str):
        made.description = rest.pop("description")
    schema = rest.get("inputSchema")
    if isinstance(schema, dict) and isinstance(schema.get("json"), dict):
        made.parameters = take(rest, "inputSchema.json")
    if isinstance(rest.get("strict"), bool):
        made.strict = rest.pop("strict")
    # an empty description is none to the API, and a request that has one says so
    notes = {"described": True} if "description" in spec and not made.description else {}
    own = {where: kept for where, kept in ((issuer, rest), (noted(issuer), notes)) if kept}
    made.extras = own or None
    return made


def tools_as_read(tools: Iterable[Tool | ServerTool], issuer: str) -> list[Json]:
    """The list that `read_tools` made the tools of."""
    made: list[Json] = []
    for tool in tools:
        made.append(_as_read(tool, issuer))
        if type(tool) is Tool and tool.cache is not None:
            made.append(cache_point(tool.cache))
    return made


def _as_read(tool: Tool | ServerTool, issuer: str) -> JsonObject:
    extras = tool.extras or {}
    own = extras.get(issuer, {})
    if type(tool) is ServerTool:
        if tool.kind == "own":
            return own
        return {"systemTool": {"name": SYSTEM_TOOLS[tool.kind], **own}}
    assert type(tool) is Tool  # the other one of the two
    spec: JsonObject = {"name": tool.name, **own}
    if tool.description or noted(issuer) in extras:
        spec.setdefault("description", tool.description)
    if tool.parameters is not None:
        spec["inputSchema"] = {"json": tool.parameters, **spec.get("inputSchema", {})}
    if tool.strict is not None:
        spec["strict"] = tool.strict
    return {"toolSpec": spec}


def read_choice(rest: JsonObject) -> ToolChoice | None:
    """`{"auto": {}}`, `{"any": {}}` or `{"tool": {"name"}}`, taken out of `rest`."""
    told = place(rest, _CHOICE)
    if not isinstance(told, dict) or len(told) != 1:
        return None
    ((key, inner),) = told.items()
    picked: ToolChoice | None = None
    if inner == {} and key in ("auto", "any"):
        picked = ToolChoice("auto" if key == "auto" else "required")
    elif key == "tool" and isinstance(inner, dict) and inner.keys() == {"name"}:
        name = inner["name"]
        picked = ToolChoice("tool", name) if isinstance(name, str) and name else None
    if picked is not None:
        take(rest, _CHOICE)
    return picked


def choice_as_read(choice: ToolChoice) -> JsonObject:
    """The object that `read_choice` made the choice of."""
    if choice.mode == "tool":
        return {"tool": {"name": choice.name}}
    return {"any" if choice.mode == "required" else "auto": {}}
