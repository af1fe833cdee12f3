"""Tools and the tool choice of a request, read into the tree, and said again as they were read.

Each reader stands beside its inverse. Reference: Anthropic API, "Create a Message", `tools` and
`tool_choice`.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import Json, JsonObject
from ...message import ServerTool, Tool, ToolChoice
from ...message.blocks import noted
from .parts import unmarked
from .server_tools import TYPES
from .writer import cache_control

__all__ = ["choice_as_read", "read_choice", "read_tool", "tool_as_read"]

_LISTS = {"allowed_domains": "domains", "blocked_domains": "blocked_domains"}
_MODES = {"auto": "auto", "none": "none", "any": "required", "tool": "tool"}
_WORDS = {ours: theirs for theirs, ours in _MODES.items()}


def read_tool(told: JsonObject, issuer: str) -> Tool | ServerTool:
    """One entry of `tools`; a tool that nobody models is the provider's own."""
    kind, name = told.get("type"), told.get("name")
    if (
        isinstance(name, str)
        and name in TYPES
        and isinstance(kind, str)
        and kind.startswith(f"{name}_")
    ):
        return _server_tool(told, name, issuer)
    if not (isinstance(name, str) and name) or ("type" in told and kind != "custom"):
        return ServerTool("own", extras={issuer: told})
    made = Tool(name)
    rest = {key: value for key, value in told.items() if key != "name"}
    notes: JsonObject = {}
    if "type" in told:
        notes["type"] = rest.pop("type")
    if isinstance(rest.get("description"), str):
        made.description = rest.pop("description")
        if not made.description:
            notes["description"] = "empty"
    if isinstance(rest.get("input_schema"), dict):
        made.parameters = rest.pop("input_schema")
    if isinstance(rest.get("strict"), bool):
        made.strict = rest.pop("strict")
    if (hint := unmarked(rest.get("cache_control"))) is not None:
        made.cache = hint
        del rest["cache_control"]
    own = {where: kept for where, kept in ((issuer, rest), (noted(issuer), notes)) if kept}
    made.extras = own or None
    return made


def _server_tool(told: JsonObject, name: str, issuer: str) -> ServerTool:
    rest = {key: value for key, value in told.items() if key != "name"}
    made = ServerTool(name)  # type: ignore[arg-type]  # one of the two kinds
    if rest["type"] == TYPES[name]:
        del rest["type"]
    if name == "web_search":
        for key, field in _LISTS.items():
            told_of = rest.get(key)
            if isinstance(told_of, list) and told_of and all(type(one) is str for one in told_of):
                setattr(made, field, tuple(rest.pop(key)))
        if type(rest.get("max_uses")) is int and rest["max_uses"] > 0:
            made.max_uses = rest.pop("max_uses")
        place = rest.get("user_location")
        if isinstance(place, dict) and place.get("type") == "approximate":
            inner = {key: value for key, value in place.items() if key != "type"}
            if inner and all(type(one) is str for one in inner.values()):
                made.location = inner
                del rest["user_location"]
    made.extras = {issuer: rest} if rest else None
    return made


def tool_as_read(tool: Tool | ServerTool, issuer: str) -> Json:
    """The entry of `tools` that `read_tool` made the tool of."""
    own = (tool.extras or {}).get(issuer, {})
    if type(tool) is ServerTool:
        return own if tool.kind == "own" else {**_said_server_tool(tool), **own}
    assert type(tool) is Tool  # the other one of the two
    notes = (tool.extras or {}).get(noted(issuer), {})
    made: JsonObject = {"name": tool.name}
    if "type" in notes:
        made["type"] = notes["type"]
    if tool.description or "description" in notes:
        made["description"] = tool.description
    if tool.parameters is not None:
        made["input_schema"] = tool.parameters
    if tool.strict is not None:
        made["strict"] = tool.strict
    if tool.cache is not None:
        made["cache_control"] = cache_control(tool.cache)
    return {**made, **own}


def _said_server_tool(tool: ServerTool) -> JsonObject:
    made: JsonObject = {"type": TYPES[tool.kind], "name": tool.kind}
    for key, field in _LISTS.items():
        if given := getattr(tool, field):
            made[key] = list(given)
    if tool.max_uses is not None:
        made["max_uses"] = tool.max_uses
    if tool.location is not None:
        made["user_location"] = {"type": "approximate", **tool.location}
    return made


def read_choice(rest: JsonObject) -> ToolChoice | None:
    """The tool choice, taken out of the body; what it says otherwise stays there."""
    told = rest.get("tool_choice")
    kind = told.get("type") if isinstance(told, dict) else None
    if not isinstance(told, dict) or not isinstance(kind, str) or kind not in _MODES:
        return None
    inner = {key: value for key, value in told.items() if key != "type"}
    given: dict[str, Any] = {"mode": _MODES[kind]}
    if kind == "tool":
        given["name"] = inner.pop("name", None)
        if not isinstance(given["name"], str):
            return None
    if isinstance(inner.get("disable_parallel_tool_use"), bool):
        given["parallel"] = not inner.pop("disable_parallel_tool_use")
    if inner:
        rest["tool_choice"] = inner
    else:
        del rest["tool_choice"]
    return ToolChoice(**given)


def choice_as_read(picked: ToolChoice) -> JsonObject:
    """The part of `tool_choice` that `read_choice` took."""
    made: JsonObject = {"type": _WORDS[picked.mode]}
    if picked.name is not None:
        made["name"] = picked.name
    if picked.parallel is not None:
        made["disable_parallel_tool_use"] = not picked.parallel
    return made
