"""Tools that a vendor runs itself: a declaration among the tools, or switches in the body.

The dialect holds both as data, and where each field of the neutral tool stands in them. Reading is
the inverse of writing, and what cannot be said again as it was is not read.
"""

from __future__ import annotations

import copy
from typing import Any

from ..._core.jsontext import Json, JsonObject, canonical
from ...capabilities import Capabilities
from ...errors import InvalidMessage
from ...losses import Report
from ...message import ServerTool, Tool, ToolChoice
from ...message.blocks import noted
from ..chat_shape import filled, own_extras, replay, unsaid
from .blocks import marked, unmarked
from .dialect import Dialect


def declared(
    tool: ServerTool, caps: Capabilities, dialect: Dialect, report: Report
) -> list[JsonObject]:
    """The declaration of the tool, if this vendor has one: what stands in `tools`.

    A tool that nobody models goes back as it was read.
    """
    if tool.kind == "own":
        told = own_extras(tool, caps)
        return [told] if told else []
    own = dialect.server_tools.get(tool.kind)
    return [] if own is None else [_spelled(own, tool, caps, dialect, report)]


def switched(tool: ServerTool, caps: Capabilities, dialect: Dialect, report: Report) -> JsonObject:
    """The top-level fields that turn the tool on, if it is no declaration here."""
    own = dialect.switches.get(tool.kind)
    return {} if own is None else _spelled(own, tool, caps, dialect, report)


def _spelled(
    own: JsonObject, tool: ServerTool, caps: Capabilities, dialect: Dialect, report: Report
) -> JsonObject:
    made, said = _filled(own, tool, dialect)
    unsaid(tool, report, *said)
    return replay(made, tool, caps, report)


def _filled(own: JsonObject, tool: ServerTool, dialect: Dialect) -> tuple[JsonObject, list[str]]:
    """(what turns the tool on, which of its fields that says)."""
    made = copy.deepcopy(own)
    said: list[str] = []
    for name, value in tool.given():
        if place := dialect.server_fields.get(f"{tool.kind}.{name}"):
            said.append(name)
            _put(made, place.split("."), value)
    return made, said


def _put(made: JsonObject, path: list[str], value: Any) -> None:
    *heads, last = path
    for head in heads:
        made = made.setdefault(head, {})
    if isinstance(value, tuple):
        value = list(value)
    made[last] = {"type": "approximate", **value} if isinstance(value, dict) else value


def read_declared(told: JsonObject, dialect: Dialect) -> ServerTool | None:
    """The neutral tool that an entry of `tools` declares, if the vendor has one like it."""
    for kind, own in dialect.server_tools.items():
        if (made := _read(kind, own, told, dialect)) is not None:
            return made
    return None


def read_switched(body: JsonObject, dialect: Dialect) -> list[ServerTool]:
    """The tools that fields of the body turn on, which are taken out of it."""
    found: list[ServerTool] = []
    for kind, own in dialect.switches.items():
        places = [place for name, place in dialect.server_fields.items()
                  if name.startswith(f"{kind}.")]  # fmt: skip
        keys = {*own, *(place.partition(".")[0] for place in places)}
        told = {key: body[key] for key in keys if key in body}
        if (made := _read(kind, own, told, dialect)) is not None:
            made.extras = {**(made.extras or {}), noted(dialect.issuers[0]): {"place": "body"}}
            found.append(made)
            for key in told:
                del body[key]
    return found


def said_again(tool: ServerTool, dialect: Dialect) -> JsonObject:
    """The declaration or the switches as they were read."""
    own = dialect.server_tools.get(tool.kind) or dialect.switches[tool.kind]
    return filled(_filled(own, tool, dialect)[0], (tool.extras or {}).get(dialect.issuers[0], {}))


def _read(kind: Any, own: JsonObject, told: JsonObject, dialect: Dialect) -> ServerTool | None:
    rest = _beyond(told, own)
    if rest is None:
        return None
    given: dict[str, Any] = {}
    for name, place in dialect.server_fields.items():
        of, _, field = name.partition(".")
        if of == kind and (value := _taken(rest, place.split("."))) is not None:
            given[field] = _neutral(value)
    try:
        made = ServerTool(kind, **given, extras={dialect.issuers[0]: rest} if rest else None)
    except InvalidMessage:
        return None
    return made if canonical(said_again(made, dialect)) == canonical(told) else None


def _neutral(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, dict):
        return {key: inner for key, inner in value.items() if key != "type"}
    return value


def _beyond(told: JsonObject, own: JsonObject) -> JsonObject | None:
    """What is told beyond `own`; None if `own` is not told."""
    rest = dict(told)
    for key, value in own.items():
        if isinstance(value, dict) and isinstance(told.get(key), dict):
            inner = _beyond(told[key], value)
            if inner is None:
                return None
            rest[key] = inner
            if not inner:
                del rest[key]
        elif key in told and told[key] == value and type(told[key]) is type(value):
            del rest[key]
        else:
            return None
    return rest


def _taken(made: JsonObject, path: list[str]) -> Any:
    """The value at the path, taken out of copies of the objects around it."""
    head, *inner = path
    value = made.get(head)
    if not inner:
        return made.pop(head, None)
    if not isinstance(value, dict):
        return None
    value = made[head] = dict(value)
    found = _taken(value, inner)
    if not value:
        del made[head]
    return found


_OLDER = ("auto", "none")


_MODES = {"auto": "auto", "none": "none", "required": "required", "any": "required"}


def read_tools(rest: JsonObject, notes: JsonObject, dialect: Dialect) -> list[Tool | ServerTool]:
    """The tools, which are taken out of the body, and those that a switch of the body turns on."""
    issuer = dialect.issuers[0]
    made: list[Tool | ServerTool] = []
    try:
        if _objects(rest.get("tools")):
            made = [_tool(one, dialect) for one in rest["tools"]]
            del rest["tools"]
        elif "tools" not in rest and _objects(rest.get("functions")):
            made = [_function(one, {}, issuer) for one in rest["functions"]]
            del rest["functions"]
            notes["tools"] = "functions"
    except InvalidMessage:  # a tool that no JSON can say again, or without a name
        made = []
    return [*made, *read_switched(rest, dialect)] if dialect.switches else made


def _objects(told: Any) -> bool:
    return isinstance(told, list) and bool(told) and all(isinstance(one, dict) for one in told)


def _tool(told: JsonObject, dialect: Dialect) -> Tool | ServerTool:
    issuer = dialect.issuers[0]
    function = told.get("function")
    named = isinstance(function, dict) and isinstance(function.get("name"), str)
    if isinstance(function, dict) and named and told.get("type") == "function":
        rest = {key: value for key, value in told.items() if key not in ("type", "function")}
        return _function(function, rest, issuer)
    if (made := read_declared(told, dialect)) is not None:
        return made
    return ServerTool("own", extras={issuer: told})


def _function(told: JsonObject, rest: JsonObject, issuer: str) -> Tool:
    """A function and what stands beside it. Raises InvalidMessage for one without a name."""
    inner = {key: value for key, value in told.items() if key != "name"}
    notes: JsonObject = {}
    made = Tool(told.get("name"))  # type: ignore[arg-type]  # it says so if it is no text
    if isinstance(inner.get("description"), str):
        made.description = inner.pop("description")
    else:
        notes["described"] = False
    if isinstance(inner.get("parameters"), dict):
        made.parameters = inner.pop("parameters")
    if isinstance(inner.get("strict"), bool):
        made.strict = inner.pop("strict")
    made.cache, key = unmarked(rest)
    if made.cache is not None:
        notes["cache"] = key
        del rest[key]
    if inner:
        rest["function"] = inner
    own = {where: kept for where, kept in ((issuer, rest), (noted(issuer), notes)) if kept}
    made.extras = own or None
    return made


def say_tools(
    body: JsonObject, tools: list[Tool | ServerTool], notes: JsonObject, dialect: Dialect
) -> None:
    """Put the tools where they were read from."""
    issuer = dialect.issuers[0]
    if notes.get("tools") == "functions":
        body["functions"] = [_said(tool, issuer)["function"] for tool in tools
                             if type(tool) is Tool]  # fmt: skip
    listed: list[Json] = []
    for tool in tools:
        if type(tool) is not ServerTool:
            if notes.get("tools") != "functions":
                listed.append(_said(tool, issuer))
        elif tool.kind == "own":
            listed.append((tool.extras or {}).get(issuer, {}))
        elif (tool.extras or {}).get(noted(issuer)):
            body.update(said_again(tool, dialect))
        else:
            listed.append(said_again(tool, dialect))
    if listed:
        body["tools"] = listed


def _said(tool: Any, issuer: str) -> JsonObject:
    own = dict((tool.extras or {}).get(issuer, {}))
    notes = (tool.extras or {}).get(noted(issuer), {})
    function: JsonObject = {"name": tool.name}
    if notes.get("described", True):
        function["description"] = tool.description
    if tool.parameters is not None:
        function["parameters"] = tool.parameters
    if tool.strict is not None:
        function["strict"] = tool.strict
    function.update(own.pop("function", {}))
    made = {"type": "function", "function": function, **own}
    return made if tool.cache is None else {**made, **marked(tool.cache, notes["cache"])}


def read_choice(rest: JsonObject, notes: JsonObject) -> ToolChoice | None:
    """The choice, which is taken out of the body; one that says something else stays there."""
    key = "tool_choice" if "tool_choice" in rest else "function_call"
    picked = _picked(rest.get(key), key)
    parallel = rest.get("parallel_tool_calls")
    note = None
    if picked is not None:
        note = picked.pop("note", None)
    if isinstance(parallel, bool):
        if picked is None:
            picked, note = {"mode": "auto"}, "unsaid"
        picked["parallel"] = parallel
    if picked is None:
        return None
    try:
        made = ToolChoice(**picked)
    except InvalidMessage:
        return None
    if note != "unsaid":
        del rest[key]
    if made.parallel is not None:
        del rest["parallel_tool_calls"]
    if note:
        notes["tool_choice"] = note
    return made


def _picked(told: Any, key: str) -> dict[str, Any] | None:
    """An object or word that says no more than which function, or which of them, may be called."""
    legacy = {"note": key} if key == "function_call" else {}
    if isinstance(told, str) and told in _MODES and not (legacy and told not in _OLDER):
        return {"mode": _MODES[told], **({"note": "any"} if told == "any" else legacy)}
    if not isinstance(told, dict):
        return None
    if legacy:
        name = _name(told)
        return {"mode": "tool", "name": name, **legacy} if name else None
    if {*told} == {"type", "allowed_tools"} and told["type"] == "allowed_tools":
        return _allowed(told["allowed_tools"])
    if {*told} - {"type"} == {"function"} and told.get("type", "function") == "function":
        name = _name(told["function"])
        bare = {} if "type" in told else {"note": "untyped"}
        return {"mode": "tool", "name": name, **bare} if name else None
    return None


def _name(told: Any) -> str:
    """The name, if the object has nothing else."""
    named = isinstance(told, dict) and {*told} == {"name"} and isinstance(told["name"], str)
    return told["name"] if named else ""


def _allowed(told: Any) -> dict[str, Any] | None:
    if not isinstance(told, dict) or {*told} != {"mode", "tools"}:
        return None
    tools = told["tools"]
    if told["mode"] not in ("auto", "required") or not _objects(tools):
        return None
    names = [_name(one.get("function")) for one in tools
             if {*one} == {"type", "function"} and one["type"] == "function"]  # fmt: skip
    if len(names) < len(tools) or not all(names):
        return None
    return {"mode": told["mode"], "allowed": tuple(names)}


def say_choice(body: JsonObject, choice: ToolChoice, note: str | None) -> None:
    """Put the choice where it was read from."""
    if choice.parallel is not None:
        body["parallel_tool_calls"] = choice.parallel
    if note == "unsaid":
        return
    named = {"name": choice.name}
    if choice.allowed:
        listed = [{"type": "function", "function": {"name": name}} for name in choice.allowed]
        told = {"mode": choice.mode, "tools": listed}
        body["tool_choice"] = {"type": "allowed_tools", "allowed_tools": told}
    elif note == "function_call":
        body[note] = named if choice.mode == "tool" else choice.mode
    elif choice.mode == "tool":
        body["tool_choice"] = {"type": "function", "function": named}
        if note == "untyped":
            del body["tool_choice"]["type"]
    else:
        body["tool_choice"] = note or choice.mode
