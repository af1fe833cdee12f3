"""The types and limits of an OpenAPI schema as JSON Schema spells them, and back.

`parameters` and `responseSchema` hold the API's own Schema object, whose types are an enum
(`STRING`, or its number), and whose limits may be text; other wires know `string`. Reference:
Gemini API, "Schema" and "Type".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import Any, TypeAlias

from ..._core.jsontext import Json, JsonObject
from ...message import ServerTool, Tool
from ...message.blocks import noted
from .dialect import Dialect, camel, read_keys, spell_keys

# Gemini API reference, "Tool"; the stores of a file search have names such as fileSearchStores/x
OWN = {
    "web_search": "googleSearch",
    "code_execution": "codeExecution",
    "file_search": "fileSearch",
}


# how each type was spelled, in the order of a walk; one word if all were spelled alike
Styles: TypeAlias = str | list[str] | None


_NAMES = ("string", "number", "integer", "boolean", "array", "object", "null")


_UPPER = {name.upper(): name for name in _NAMES}


_NUMBERS = dict(enumerate(_NAMES, 1))


_ENUM, _NUMBER, _TEXT = "enum", "number", "text"


# limits, which JSON of protocol buffers has as text: they are of 64 bits
_LIMITS = frozenset({
    "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
    "min_length", "max_length", "min_items", "max_items", "min_properties", "max_properties",
})  # fmt: skip


_DIGITS = re.compile(r"0|[1-9][0-9]{0,17}")


_ONE = ("items", "additionalProperties", "not")


_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")


_MAPS = ("properties", "$defs", "defs", "definitions")


def json_types(schema: JsonObject) -> tuple[JsonObject, Styles]:
    """(the schema with the types of JSON Schema, how they stood); itself if they stood so."""
    styles: list[str] = []

    def lower(key: str, told: Any) -> Any:
        name: Any = told
        style = ""
        if key in _LIMITS:
            if type(told) is str and _DIGITS.fullmatch(told):
                name, style = int(told), _TEXT
        elif type(told) is str and told in _UPPER:
            name, style = _UPPER[told], _ENUM
        elif type(told) is int and told in _NUMBERS:
            name, style = _NUMBERS[told], _NUMBER
        styles.append(style)
        return name

    try:
        made: Any = _walked(schema, lower)
    except RecursionError:
        return schema, None
    if not any(styles):
        return schema, None
    return made, styles[0] if len({*styles}) == 1 else styles


def enum_types(schema: JsonObject, styles: Styles) -> JsonObject:
    """The schema as `json_types` read it."""
    if styles is None:
        return schema
    order: Iterator[str] = repeat(styles) if isinstance(styles, str) else iter(styles)

    def raised(_: str, name: Any) -> Any:
        style = next(order)
        if style == _ENUM:
            return name.upper()
        if style == _TEXT:
            return str(name)
        return _NAMES.index(name) + 1 if style == _NUMBER else name

    return _walked(schema, raised)  # type: ignore[no-any-return]  # an object, as it was


def _walked(schema: Any, spelled: Callable[[str, Any], Any]) -> Any:
    """A copy of the schema's skeleton, each type and limit of a schema in it spelled anew."""
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Json] = {}
    for key, value in schema.items():
        if key == "type" or key in _LIMITS:
            made[key] = spelled(key, value)
        elif key in _ONE:
            made[key] = _walked(value, spelled)
        elif key in _LISTS and isinstance(value, list):
            made[key] = [_walked(one, spelled) for one in value]
        elif key in _MAPS and isinstance(value, dict):
            made[key] = {name: _walked(one, spelled) for name, one in value.items()}
        else:
            made[key] = value
    return made


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
