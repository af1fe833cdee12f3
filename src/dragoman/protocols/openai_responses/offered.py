"""Tools and the choice among them as a request declares them, read, and said again as they were.

`read_tool` and `tool_as_read`, `read_choice` and `choice_as_read` are each other's inverse.
Reference: OpenAI API, "Create a model response", `tools` and `tool_choice`.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import Json, JsonObject
from ...message import ServerTool, Tool, ToolChoice
from ...message.blocks import noted
from .tools import PLACE, choice_of

__all__ = ["choice_as_read", "read_choice", "read_tool", "tool_as_read"]

_SEARCHES = ("web_search", "web_search_preview", "web_search_2025_08_26",
             "web_search_preview_2025_03_11")  # fmt: skip
_BLOCKED = ("blocked_domains", "excluded_domains", "excludeDomains")  # by host
_BLOCK, _EMPTY = "blocked_domains", "description"  # notes: under which key, and that it was empty


def read_tool(told: Json, issuer: str) -> Tool | ServerTool:
    """One entry of `tools`; a tool that nobody models is kept as it came."""
    kind = told.get("type")
    if kind == "function" and isinstance(told.get("name"), str) and _right(told["name"]):
        return _function(told, issuer)
    made: ServerTool | None = None
    rest = {key: value for key, value in told.items() if key != "type"}
    notes: JsonObject = {}
    if kind in _SEARCHES:
        made = _search(told, rest, notes)
    elif kind == "code_interpreter" and isinstance(box := told.get("container"), dict):
        if box.get("type") == "auto":
            made = ServerTool("code_execution")
            _less(rest, "container", ("type",))
    elif kind == "file_search" and _texts(told.get("vector_store_ids")):
        made = ServerTool("file_search")
        made.stores = tuple(rest.pop("vector_store_ids"))
    if made is None:
        made, rest = ServerTool("own"), told
    made.extras = _kept(rest, notes, issuer)
    return made


def _kept(rest: JsonObject, notes: JsonObject, issuer: str) -> dict[str, JsonObject] | None:
    return {who: own for who, own in ((issuer, rest), (noted(issuer), notes)) if own} or None


def _function(told: JsonObject, issuer: str) -> Tool:
    made = Tool(told["name"])
    rest = {key: value for key, value in told.items() if key not in ("type", "name")}
    if isinstance(rest.get("description"), str):
        made.description = rest.pop("description")
    if isinstance(rest.get("parameters"), dict):
        made.parameters = rest.pop("parameters")
    if isinstance(rest.get("strict"), bool):
        made.strict = rest.pop("strict")
    empty = made.description == "" and "description" in told and "description" not in rest
    made.extras = _kept(rest, {_EMPTY: True} if empty else {}, issuer)
    return made


def _search(told: JsonObject, rest: JsonObject, notes: JsonObject) -> ServerTool:
    made = ServerTool("web_search")
    if told["type"] != "web_search":
        rest["type"] = told["type"]  # an edition of the tool, which has its own ways
    filters = told.get("filters")
    if isinstance(filters, dict):
        taken = []
        if _texts(filters.get("allowed_domains")):
            made.domains = tuple(filters["allowed_domains"])
            taken.append("allowed_domains")
        blocked = next((key for key in _BLOCKED if _texts(filters.get(key))), None)
        if blocked is not None:
            made.blocked_domains = tuple(filters[blocked])
            taken.append(blocked)
            notes[_BLOCK] = blocked
        _less(rest, "filters", taken)
    place = told.get("user_location")
    if isinstance(place, dict) and place.get("type") == "approximate":
        known = {key: place[key] for key in PLACE if isinstance(place.get(key), str)}
        if known:
            made.location = known
            _less(rest, "user_location", ("type", *known))
    return made


def _less(rest: JsonObject, key: str, taken: Any) -> None:
    """Leave out what is said elsewhere; an object of which nothing is left goes whole."""
    left = {name: value for name, value in rest[key].items() if name not in taken}
    if left or not taken:
        rest[key] = left
    else:
        del rest[key]


def _texts(told: Json) -> bool:
    return isinstance(told, list) and bool(told) and all(isinstance(one, str) for one in told)


def _right(name: str) -> bool:
    """Whether a tool may be called so: not nothing, and no half of a character."""
    return bool(name) and (name.isascii() or name.encode("utf-8", "ignore").decode() == name)


def tool_as_read(tool: Tool | ServerTool, issuer: str) -> Json:
    """The declaration that `read_tool` made the tool of."""
    extras = tool.extras or {}
    own, notes = extras.get(issuer, {}), extras.get(noted(issuer), {})
    if isinstance(tool, ServerTool):
        return own if tool.kind == "own" else _merged(_said(tool, notes), own)
    made: JsonObject = {"type": "function", "name": tool.name}
    if tool.description or _EMPTY in notes:
        made["description"] = tool.description
    if tool.parameters is not None:
        made["parameters"] = tool.parameters
    if tool.strict is not None:
        made["strict"] = tool.strict
    return {**made, **own}


def _said(tool: ServerTool, notes: JsonObject) -> JsonObject:
    if tool.kind == "code_execution":
        return {"type": "code_interpreter", "container": {"type": "auto"}}
    if tool.kind == "file_search":
        return {"type": "file_search", "vector_store_ids": list(tool.stores)}
    made: JsonObject = {"type": "web_search"}
    filters: JsonObject = {}
    if tool.domains:
        filters["allowed_domains"] = list(tool.domains)
    if tool.blocked_domains:
        filters[notes[_BLOCK]] = list(tool.blocked_domains)
    if filters:
        made["filters"] = filters
    if tool.location:
        made["user_location"] = {"type": "approximate", **tool.location}
    return made


def _merged(made: JsonObject, own: JsonObject) -> JsonObject:
    for key, value in own.items():
        there = made.get(key)
        both = isinstance(there, dict) and isinstance(value, dict)
        made[key] = {**there, **value} if both else value  # type: ignore[dict-item]  # it is one
    return made


def read_choice(rest: JsonObject, notes: JsonObject) -> ToolChoice | None:
    """What the fields `tool_choice` and `parallel_tool_calls` say, which are taken from `rest`."""
    given = _picked(rest.get("tool_choice"))
    if given is not None:
        del rest["tool_choice"]
    parallel = rest.get("parallel_tool_calls")
    if isinstance(parallel, bool):
        del rest["parallel_tool_calls"]
        if given is None:
            given, notes["tool_choice"] = {"mode": "auto"}, "unsaid"
        given["parallel"] = parallel
    return None if given is None else ToolChoice(**given)


def _picked(told: Json) -> dict[str, Any] | None:
    """The choice, if it says no more than which functions may be called, or must."""
    if isinstance(told, str):
        return {"mode": told} if told in ("auto", "none", "required") else None
    if not isinstance(told, dict):
        return None
    if name := _named(told):
        return {"mode": "tool", "name": name}
    if told.get("type") != "allowed_tools" or len(told) != 3:
        return None
    mode, tools = told.get("mode"), told.get("tools")
    if mode not in ("auto", "required") or not isinstance(tools, list) or not tools:
        return None
    names = tuple(map(_named, tools))
    return {"mode": mode, "allowed": names} if all(names) else None


def _named(told: Json) -> str:
    """The function that an object names, if it does no more than that."""
    if not isinstance(told, dict) or told.get("type") != "function" or len(told) != 2:
        return ""
    name = told.get("name")
    return name if isinstance(name, str) and _right(name) else ""


def choice_as_read(choice: ToolChoice, notes: JsonObject) -> JsonObject:
    """The fields that `read_choice` made the choice of."""
    made: JsonObject = {}
    if notes.get("tool_choice") != "unsaid":
        made["tool_choice"] = choice_of(choice)
    if choice.parallel is not None:
        made["parallel_tool_calls"] = choice.parallel
    return made
