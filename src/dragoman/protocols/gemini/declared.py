"""Tools of a request, read one by one, and said again in the entries where they stood.

Reference: Gemini API, "Tool": an entry declares functions, tools of the provider's own, or both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ...jsontext import Json, JsonObject
from ...message import ServerTool, Tool
from ...message.blocks import noted
from .config import OWN
from .dialect import Dialect
from .keys import camel, read_keys, spell_keys
from .schema_types import enum_types, json_types

__all__ = ["SCHEMAS", "Layout", "layout_of", "read_tools", "tools_as_read"]

# for each entry of `tools` its keys, each with what it holds: how many declarations, `one` that
# is no list, `own` for a tool of the provider's, or nothing
Layout: TypeAlias = list[list[list[Any]]]

_FUNCTIONS = "functionDeclarations"
SCHEMAS = ("parametersJsonSchema", "parameters")  # the first is the one that is written
_KINDS: dict[str, Any] = {key: kind for kind, key in OWN.items()}
_STORES = "fileSearchStoreNames"


def read_tools(told: Json, dialect: Dialect) -> tuple[list[Tool | ServerTool], Layout] | None:
    """(the tools, how they stood); None for what holds none, or is no list of objects."""
    entries = [told] if isinstance(told, dict) else told
    if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
        return None
    tools: list[Tool | ServerTool] = []
    layout: Layout = []
    for entry in entries:
        layout.append([])
        for key, value in entry.items():
            held: Any = None
            if camel({key: 0}).keys() == {_FUNCTIONS} and isinstance(value, list | dict):
                listed = [value] if isinstance(value, dict) else value
                tools += [_function(one, key, dialect) for one in listed]
                held = len(listed) if isinstance(value, list) else "one"
            elif value is not None:
                tools.append(_own(key, value, dialect))
                held = "own"
            layout[-1].append([key, held])
    return (tools, layout) if tools else None


def layout_of(tools: Sequence[Tool | ServerTool], issuer: str) -> Layout:
    """How tools stand that nobody noted a layout of: as they are written."""
    count = sum(type(tool) is Tool for tool in tools)
    made: Layout = []
    for tool in tools:
        if type(tool) is ServerTool:
            made.append([[_key(tool, issuer), "own"]])
        elif [[_FUNCTIONS, count]] not in made:
            made.append([[_FUNCTIONS, count]])
    return made


def tools_as_read(
    tools: Sequence[Tool | ServerTool], layout: Layout | None, dialect: Dialect
) -> list[JsonObject]:
    """The entries that the tools were read from."""
    issuer = dialect.issuers[0]
    left = list(tools)
    if layout is None:
        layout = layout_of(tools, issuer)
    left.reverse()
    made: list[JsonObject] = []
    for entry in layout:
        made.append({})
        for key, held in entry:
            if held is None:
                made[-1][key] = None
            elif isinstance(held, int):
                made[-1][key] = [_said(left.pop(), dialect) for _ in range(held)]
            else:
                made[-1][key] = _said(left.pop(), dialect)
    return made


def _function(told: Json, key: str, dialect: Dialect) -> Tool | ServerTool:
    issuer = dialect.issuers[0]
    name = told.get("name") if isinstance(told, dict) else None
    if not isinstance(told, dict) or not isinstance(name, str) or not name:
        return ServerTool("own", extras={issuer: {key: [told]}})
    made = Tool(name)
    said, words = read_keys(told)
    rest = {key: value for key, value in said.items() if key != "name"}
    notes: JsonObject = {"keys": words} if words else {}
    if isinstance(rest.get("description"), str):
        made.description = rest.pop("description")
        if not made.description:
            notes["described"] = True
    place = next((one for one in SCHEMAS if isinstance(rest.get(one), dict)), None)
    if place is not None:
        schema = rest.pop(place)
        if place != SCHEMAS[0]:
            notes["schema"] = place
            schema, styles = json_types(schema)
            if styles is not None:
                notes["types"] = styles
        made.parameters = schema
    made.extras = _extras(issuer, rest, notes)
    return made


def _extras(issuer: str, rest: JsonObject, notes: JsonObject) -> Any:
    return {name: told for name, told in ((issuer, rest), (noted(issuer), notes)) if told} or None


def _own(key: str, value: Json, dialect: Dialect) -> ServerTool:
    issuer = dialect.issuers[0]
    name = next(iter(camel({key: 0})))
    if name not in _KINDS or not isinstance(value, dict):
        return ServerTool("own", extras={issuer: {key: value}})
    inner, words = read_keys(value)
    rest = dict(inner)
    made = ServerTool(_KINDS[name])
    blocked = dialect.blocked_domains
    if made.kind == "file_search" and _names(rest.get(_STORES)):
        made.stores = tuple(rest.pop(_STORES))
    elif made.kind == "web_search" and blocked and _names(rest.get(blocked)):
        made.blocked_domains = tuple(rest.pop(blocked))
    made.extras = _extras(issuer, {name: rest} if rest else {}, {"keys": words} if words else {})
    return made


def _names(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)


def _key(tool: ServerTool, issuer: str) -> str:
    own = (tool.extras or {}).get(issuer, {})
    return OWN[tool.kind] if tool.kind in OWN else next(iter(own), "")


def _said(tool: Tool | ServerTool, dialect: Dialect) -> Json:
    issuer = dialect.issuers[0]
    own = (tool.extras or {}).get(issuer, {})
    notes = (tool.extras or {}).get(noted(issuer), {})
    if type(tool) is ServerTool:
        if tool.kind == "own":
            whole = own[_key(tool, issuer)]
            function = camel(own).keys() == {_FUNCTIONS} and isinstance(whole, list)
            return whole[0] if function else whole
        made = dict(own.get(OWN[tool.kind], {}))
        if tool.stores:
            made[_STORES] = list(tool.stores)
        if tool.blocked_domains:
            made[dialect.blocked_domains] = list(tool.blocked_domains)
        return spell_keys(made, notes.get("keys", ()))
    assert type(tool) is Tool  # the other one of the two
    made = {"name": tool.name}
    if tool.description or "described" in notes:
        made["description"] = tool.description
    if tool.schema is not None:
        schema = enum_types(tool.schema, notes.get("types"))
        made[notes.get("schema", SCHEMAS[0])] = schema
    return spell_keys({**made, **own}, notes.get("keys", ()))
