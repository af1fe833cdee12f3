"""Tools: function declarations, the provider's own tools, and the types of their schemas.

`parameters` and `responseSchema` hold the API's own Schema object, whose types are an enum
(`STRING`, or its number), and whose limits may be text; other wires have `string`. `json_types` and
`enum_types` convert between the two.

Reference: Gemini API, "Tool", "FunctionDeclaration", "Schema" and "Type".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any, TypeAlias

from ...capabilities import Capabilities
from ...history.passes.survey import Tools
from ...losses import Report
from ...message import ServerTool, Tool
from ...message.known_tools import read_entries
from ...text.json_text import Json, JsonObject
from ..base import Room
from ..chat_like.messages import (
    are_objects,
    issuer_extras,
    issuer_fields,
    own_extras,
    report_unsupported,
)
from ..schemas import parameters
from .dialect import Dialect, WriteTarget, camel_key, change_case, read_keys, spell_keys

# Gemini API reference, "Tool"; the stores of a file search have names such as fileSearchStores/x
_KEYS = {
    "web_search": "googleSearch",
    "web_fetch": "urlContext",
    "code_execution": "codeExecution",
    "file_search": "fileSearch",
}


_KINDS: dict[str, Any] = {key: kind for kind, key in _KEYS.items()}
_STORES = "fileSearchStoreNames"
_FUNCTIONS = "functionDeclarations"
SCHEMAS = ("parametersJsonSchema", "parameters")  # the first is the one that is written
_NO_PARAMETERS = {"type": "object", "properties": {}}


# the spelling of each type, in the order of a walk; a single style if all have the same
Styles: TypeAlias = str | list[str] | None
_NAMES = ("string", "number", "integer", "boolean", "array", "object", "null")
_UPPER = {name.upper(): name for name in _NAMES}
_NUMBERS = dict(enumerate(_NAMES, 1))
_ENUM, _NUMBER, _TEXT = "enum", "number", "text"


# limits, which JSON of protocol buffers writes as text because they have 64 bits
_LIMITS = frozenset(
    {
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
        "min_length",
        "max_length",
        "min_items",
        "max_items",
        "min_properties",
        "max_properties",
    }
)


_DIGITS = re.compile(r"0|[1-9][0-9]{0,17}")


def json_types(schema: JsonObject) -> tuple[JsonObject, Styles]:
    """Return the schema with the types of JSON Schema, and their spelling.

    A schema that has these types already is returned itself.
    """
    styles: list[str] = []

    def lower(key: str, value: Any) -> Any:
        style = ""
        if key in _LIMITS:
            if type(value) is str and _DIGITS.fullmatch(value):
                value, style = int(value), _TEXT
        elif type(value) is str and value in _UPPER:
            value, style = _UPPER[value], _ENUM
        elif type(value) is int and value in _NUMBERS:
            value, style = _NUMBERS[value], _NUMBER
        styles.append(style)
        return value

    try:
        result: Any = _respell(schema, lower)
    except RecursionError:
        return schema, None
    if not any(styles):
        return schema, None
    return result, styles[0] if len({*styles}) == 1 else styles


def enum_types(schema: JsonObject, styles: Styles) -> JsonObject:
    """Return the schema as `json_types` read it."""
    if styles is None:
        return schema
    order: Iterator[str] = repeat(styles) if isinstance(styles, str) else iter(styles)

    def upper(_: str, value: Any) -> Any:
        style = next(order)
        if style == _ENUM:
            return value.upper()
        if style == _TEXT:
            return str(value)
        return _NAMES.index(value) + 1 if style == _NUMBER else value

    return _respell(schema, upper)  # type: ignore[no-any-return]  # an object, as before


def _respell(schema: Any, spell: Callable[[str, Any], Any]) -> Any:
    """Copy the schema's structure; `spell(key, value)` returns each type and limit."""
    if not isinstance(schema, dict):
        return schema
    result: dict[str, Json] = {}
    for key, value in schema.items():
        if key == "type" or key in _LIMITS:
            result[key] = spell(key, value)
        elif key in ("items", "additionalProperties", "not"):
            result[key] = _respell(value, spell)
        elif key in ("anyOf", "oneOf", "allOf", "prefixItems") and isinstance(value, list):
            result[key] = [_respell(item, spell) for item in value]
        elif key in ("properties", "$defs", "defs", "definitions") and isinstance(value, dict):
            result[key] = {name: _respell(item, spell) for name, item in value.items()}
        else:
            result[key] = value
    return result


# for each entry of `tools`, its keys and what each holds: the number of declarations, `one` that is
# in no list, `own` for a tool of the provider's, or nothing
Layout: TypeAlias = list[list[list[Any]]]


def read_tools(data: Json, dialect: Dialect) -> tuple[list[Tool | ServerTool], Layout] | None:
    """Read the tools and their layout; None if there are none, or no list of objects."""
    entries = [data] if isinstance(data, dict) else data
    if not are_objects(entries):
        return None
    return read_entries(entries, lambda entries: _read_entries(entries, dialect))


def _read_entries(
    entries: list[JsonObject], dialect: Dialect
) -> tuple[list[Tool | ServerTool], Layout] | None:
    tools: list[Tool | ServerTool] = []
    layout: Layout = []
    for entry in entries:
        layout.append([])
        for key, value in entry.items():
            holds: Any = None
            if declares_functions(key, value):
                declarations = [value] if isinstance(value, dict) else value
                tools += [
                    _read_function(item, key, dialect.reads_items_of[0]) for item in declarations
                ]
                holds = len(declarations) if isinstance(value, list) else "one"
            elif value is not None:
                tools.append(_read_server_tool(key, value, dialect))
                holds = "own"
            layout[-1].append([key, holds])
    return (tools, layout) if tools else None


def declares_functions(key: str, value: Json) -> bool:
    """Whether a field of an entry of `tools` holds one or several declarations of functions."""
    return camel_key(key) == _FUNCTIONS and isinstance(value, list | dict)


def build_layout(tools: Tools, issuer: str) -> Layout:
    """Return the layout in which tools without a noted layout are written."""
    count = sum(type(tool) is Tool for tool in tools)
    layout: Layout = []
    for tool in tools:
        if type(tool) is ServerTool:
            layout.append([[_key(tool, issuer), "own"]])
        elif [[_FUNCTIONS, count]] not in layout:
            layout.append([[_FUNCTIONS, count]])
    return layout


def tools_as_read(tools: Tools, layout: Layout | None, dialect: Dialect) -> list[JsonObject]:
    """Return the entries that the tools were read from."""
    if layout is None:
        layout = build_layout(tools, dialect.reads_items_of[0])
    data = iter([_tool_as_read(tool, dialect) for tool in tools])
    entries: list[JsonObject] = []
    for row in layout:
        entry: JsonObject = {}
        for key, holds in row:
            if isinstance(holds, int):
                entry[key] = [next(data) for _ in range(holds)]
            else:
                entry[key] = None if holds is None else next(data)
        entries.append(entry)
    return entries


def write_tools(room: Room, tools: Tools, caps: Capabilities, report: Report) -> list[JsonObject]:
    """Write one entry with every function, and one for each tool of the provider's own."""
    target = WriteTarget(room.dialect, caps, report)
    entries: list[JsonObject] = []
    functions: list[JsonObject] = []
    for tool in tools:
        if type(tool) is ServerTool:
            if (entry := _write_server_tool(tool, target)) is not None:
                entries.append(entry)
        elif type(tool) is Tool:
            if not functions:
                entries.append(change_case({_FUNCTIONS: functions}, target.dialect))
            functions.append(_write_function(tool, target))
    return entries


def _read_function(data: Json, key: str, issuer: str) -> Tool | ServerTool:
    name = data.get("name") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(name, str) or not name:
        return ServerTool("own", extras={issuer: {key: [data]}})
    tool = Tool(name)
    fields, key_notes = read_keys(data)
    fields = {key: value for key, value in fields.items() if key != "name"}
    notes: JsonObject = {"keys": key_notes} if key_notes else {}
    if isinstance(fields.get("description"), str):
        tool.description = fields.pop("description")
        if not tool.description:
            notes["described"] = True
    schema_key = next((key for key in SCHEMAS if isinstance(fields.get(key), dict)), None)
    if schema_key is not None:
        schema = fields.pop(schema_key)
        if schema_key != SCHEMAS[0]:
            notes["schema"] = schema_key
            schema, styles = json_types(schema)
            notes |= {} if styles is None else {"types": styles}
        tool.parameters = schema
    tool.extras = issuer_extras(issuer, fields, notes)
    return tool


def _write_function(tool: Tool, target: WriteTarget) -> JsonObject:
    schema, _ = parameters(tool, target.caps, target.report)
    subset = target.caps.tool_schema.startswith("gemini-openapi")
    is_empty = not schema.get("properties") and (not tool.schema or schema == _NO_PARAMETERS)
    key = SCHEMAS[1] if subset else SCHEMAS[0]
    body = _declaration(tool, None if is_empty else schema, key, described=False)
    if tool.cache is not None:
        target.report.add_loss("tool.cache", tool, "cache")
    return target.with_extras(change_case(body, target.dialect), tool)


def _declaration(tool: Tool, schema: JsonObject | None, key: str, described: bool) -> JsonObject:
    """Write `{"name", "description", "parametersJsonSchema"}`, with a schema if any."""
    description = tool.description if tool.description or described else None
    body = {"name": tool.name, "description": description, key: schema}
    return {key: value for key, value in body.items() if value is not None}


def _read_server_tool(key: str, value: Json, dialect: Dialect) -> ServerTool:
    issuer = dialect.reads_items_of[0]
    name = camel_key(key)
    if name not in _KINDS or not isinstance(value, dict):
        return ServerTool("own", extras={issuer: {key: value}})
    data, key_notes = read_keys(value)
    fields = dict(data)
    tool = ServerTool(_KINDS[name])
    key, field = _find_list(tool, dialect)
    names = fields.get(key) if key else None
    if isinstance(names, list) and names and all(isinstance(item, str) for item in names):
        setattr(tool, field, tuple(fields.pop(key)))
    notes: JsonObject = {"keys": key_notes} if key_notes else {}
    tool.extras = issuer_extras(issuer, {name: fields} if fields else {}, notes)
    return tool


def _find_list(tool: ServerTool, dialect: Dialect) -> tuple[str, str]:
    """Return the key of the list of a tool of this kind, and the field that holds the list."""
    if tool.kind == "file_search":
        return _STORES, "stores"
    return (dialect.blocked_domains if tool.kind == "web_search" else ""), "blocked_domains"


def _write_server_tool(tool: ServerTool, target: WriteTarget) -> JsonObject | None:
    """Write `{"googleSearch": {}}` and the like; None for a file search without stores."""
    if tool.kind == "own":
        return target.with_extras({}, tool)
    key, field = _find_list(tool, target.dialect)
    names = list(getattr(tool, field)) if key else []
    if key == _STORES and not names and not own_extras(tool, target.caps):
        target.report.add_loss("server_tool.unsupported", tool, what="file_search without stores")
        return None
    report_unsupported(tool, target.report, field if key else "")
    fields = {key: names} if names or key == _STORES else {}
    body = change_case({_KEYS[tool.kind]: change_case(fields, target.dialect)}, target.dialect)
    return target.with_extras(body, tool)


def _key(tool: ServerTool, issuer: str) -> str:
    fields, _ = issuer_fields(tool, issuer)
    return _KEYS[tool.kind] if tool.kind in _KEYS else next(iter(fields), "")


def _tool_as_read(tool: Tool | ServerTool, dialect: Dialect) -> Json:
    issuer = dialect.reads_items_of[0]
    extras, notes = issuer_fields(tool, issuer)
    if type(tool) is Tool:
        schema = None if tool.schema is None else enum_types(tool.schema, notes.get("types"))
        body = _declaration(tool, schema, notes.get("schema", SCHEMAS[0]), "described" in notes)
        return spell_keys({**body, **extras}, notes.get("keys", ()))
    assert type(tool) is ServerTool  # the only other type
    if tool.kind == "own":
        key = _key(tool, issuer)
        value = extras[key]
        # a declaration without a name
        no_function = camel_key(key) == _FUNCTIONS and len(extras) == 1
        return value[0] if no_function and isinstance(value, list) else value
    fields = dict(extras.get(_KEYS[tool.kind], {}))
    key, field = _find_list(tool, dialect)
    if names := getattr(tool, field):
        fields[key] = list(names)
    return spell_keys(fields, notes.get("keys", ()))
