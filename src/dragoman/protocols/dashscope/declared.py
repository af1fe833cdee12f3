"""Tools of a request and the choice among them, read into the tree, and said again as they were.

What the provider runs itself is switched on beside the functions. Reference: Model Studio, "Qwen
API via DashScope", `parameters.tools`, `tool_choice`, `enable_search`; "Function calling".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...errors import InvalidMessage
from ...jsontext import Json, JsonObject
from ...message import ServerTool, Tool, ToolChoice
from ...message.blocks import noted
from .parts import marked, unmarked

__all__ = ["read_choice", "read_tools", "say_choice", "say_tools"]

_OPTIONS, _SITES = "search_options", "assigned_site_list"


def read_tools(rest: JsonObject, issuer: str) -> list[Tool | ServerTool]:
    """The tools, taken out of the `parameters` with what is switched on beside them."""
    made: list[Tool | ServerTool] = []
    told = rest.get("tools")
    if isinstance(told, list) and told and all(isinstance(one, dict) for one in told):
        try:
            made = [_tool(one, issuer) for one in told]
            del rest["tools"]
        except InvalidMessage:  # a tool without a name, or whose text no JSON can say again
            made = []
    if rest.get("enable_search") is True:
        made.append(_search(rest, issuer))
    if rest.get("enable_code_interpreter") is True:
        del rest["enable_code_interpreter"]
        made.append(ServerTool("code_execution"))
    return made


def _tool(told: JsonObject, issuer: str) -> Tool | ServerTool:
    function = told.get("function")
    if not isinstance(function, dict) or told.get("type") != "function":
        return ServerTool("own", extras={issuer: told})
    inner = {key: value for key, value in function.items() if key != "name"}
    rest = {key: value for key, value in told.items() if key not in ("type", "function")}
    notes: JsonObject = {}
    made = Tool(function.get("name"))  # type: ignore[arg-type]  # it says so if it is no text
    if isinstance(inner.get("description"), str):
        made.description = inner.pop("description")
    else:
        notes["described"] = False
    if isinstance(inner.get("parameters"), dict):
        made.parameters = inner.pop("parameters")
    elif (schema := _schema(inner.get("parameters"))) is not None:
        made.parameters, notes["parameters"] = schema, "list"
        del inner["parameters"]
    if isinstance(inner.get("strict"), bool):
        made.strict = inner.pop("strict")
    made.cache = unmarked(rest)
    if inner:
        rest["function"] = inner
    own = {where: kept for where, kept in ((issuer, rest), (noted(issuer), notes)) if kept}
    made.extras = own or None
    return made


def _schema(told: Any) -> JsonObject | None:
    """`[{"name", "type", "description", "required"}]`, as older clients declare parameters."""
    if not (isinstance(told, list) and told and all(isinstance(one, dict) for one in told)):
        return None
    if not all(isinstance(one.get("name"), str) for one in told):
        return None
    properties = {one["name"]: {k: v for k, v in one.items() if k not in ("name", "required")}
                  for one in told}  # fmt: skip
    required = [one["name"] for one in told if one.get("required") is True]
    made = {"type": "object", "properties": properties, "required": required}
    return made if _listed(made) == told and all("required" not in one or one["required"] is True
                                                 for one in told) else None  # fmt: skip


def _listed(schema: JsonObject) -> list[JsonObject]:
    return [
        {"name": name, **told, **({"required": True} if name in schema["required"] else {})}
        for name, told in schema["properties"].items()
    ]


def _search(rest: JsonObject, issuer: str) -> ServerTool:
    del rest["enable_search"]
    made = ServerTool("web_search")
    if isinstance(rest.get(_OPTIONS), dict):
        told = dict(rest.pop(_OPTIONS))
        sites = told.get(_SITES)
        if isinstance(sites, list) and sites and all(isinstance(one, str) for one in sites):
            made.domains = tuple(told.pop(_SITES))
        if told or not made.domains:
            made.extras = {issuer: {_OPTIONS: told}}
    return made


def say_tools(body: JsonObject, tools: Iterable[Tool | ServerTool], issuer: str) -> None:
    """Put the tools and switches into the `parameters` that they were read from."""
    listed: list[Json] = []
    for tool in tools:
        own = dict((tool.extras or {}).get(issuer, {}))
        if type(tool) is Tool:
            listed.append(_said(tool, own, issuer))
        elif type(tool) is ServerTool and tool.kind == "own":
            listed.append(own)
        elif type(tool) is ServerTool and tool.kind == "web_search":
            sites = {_SITES: list(tool.domains)} if tool.domains else {}
            body["enable_search"] = True
            if sites or _OPTIONS in own:
                body[_OPTIONS] = {**sites, **own.get(_OPTIONS, {})}
        else:
            body["enable_code_interpreter"] = True
    if listed:
        body["tools"] = listed


def _said(tool: Tool, own: JsonObject, issuer: str) -> JsonObject:
    notes = (tool.extras or {}).get(noted(issuer), {})
    function: JsonObject = {"name": tool.name}
    if notes.get("described", True):
        function["description"] = tool.description
    if tool.schema is not None:
        listed = notes.get("parameters") == "list"
        function["parameters"] = _listed(tool.schema) if listed else tool.schema
    if tool.strict is not None:
        function["strict"] = tool.strict
    function.update(own.pop("function", {}))
    return {"type": "function", "function": function, **marked(tool.cache), **own}


def read_choice(rest: JsonObject, notes: JsonObject) -> ToolChoice | None:
    """The choice, taken out of the `parameters`; one that says something else stays there."""
    told, parallel = rest.get("tool_choice"), rest.get("parallel_tool_calls")
    picked: dict[str, Any] | None = None
    if isinstance(told, str) and told in ("auto", "none", "required"):
        picked = {"mode": told}
    elif isinstance(told, dict) and {*told} == {"type", "function"} and told["type"] == "function":
        function = told["function"]
        if isinstance(function, dict) and {*function} == {"name"} and function["name"]:
            picked = {"mode": "tool", "name": function["name"]}
    said = picked is not None
    if isinstance(parallel, bool):
        picked = {**(picked or {"mode": "auto"}), "parallel": parallel}
    if picked is None:
        return None
    try:
        made = ToolChoice(**picked)
    except InvalidMessage:  # a name that is none
        return None
    if said:
        del rest["tool_choice"]
    else:
        notes["tool_choice"] = "unsaid"
    if made.parallel is not None:
        del rest["parallel_tool_calls"]
    return made


def say_choice(body: JsonObject, choice: ToolChoice, note: str | None) -> None:
    """Put the choice where it was read from."""
    if choice.parallel is not None:
        body["parallel_tool_calls"] = choice.parallel
    if choice.mode == "tool":
        body["tool_choice"] = {"type": "function", "function": {"name": choice.name}}
    elif note != "unsaid":
        body["tool_choice"] = choice.mode
