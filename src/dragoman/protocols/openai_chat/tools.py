"""Reads and writes the tools and the tool choice of requests of Chat Completions.

Tools are functions, tools that take text, and server tools of the vendor, which a declaration or a
switch in the body turns on. Reference: OpenAI API, "Create chat completion", `tools` and
`tool_choice`; requests of some forty hosts.
"""

from __future__ import annotations

import copy
from collections.abc import Collection
from typing import Any

from ...capabilities import Capabilities
from ...errors import InvalidMessage
from ...losses import Report
from ...message import Grammar, ServerTool, Tool, ToolChoice
from ...message.blocks import name_notes
from ...message.known_tools import read_entries
from ...text.json_text import Json, JsonObject, canonical, put_field, take_field
from ..base import Room
from ..chat_like import request as chat_request
from ..chat_like.messages import (
    are_objects,
    fill_fields,
    issuer_extras,
    issuer_fields,
    replay,
    report_unsupported,
)
from .blocks import CUSTOM, cache_mark, read_cache_mark
from .dialect import Dialect

# values of `tool_choice` and the modes that they mean, the usual one of each mode first
CHOICES = {"auto": "auto", "none": "none", "required": "required", "any": "required"}


def read_tools(body: JsonObject, notes: JsonObject, dialect: Dialect) -> list[Tool | ServerTool]:
    """Take the tools out of the body, and those that a switch in the body turns on."""
    tools: list[Tool | ServerTool] = []
    try:
        if are_objects(body.get("tools")):
            tools = read_entries(
                body["tools"], lambda entries: [_read_tool(entry, dialect) for entry in entries]
            )
            del body["tools"]
        elif "tools" not in body and are_objects(body.get("functions")):
            for function in body["functions"]:
                tool = chat_request.read_function(function, {}, {}, dialect.reads_items_of[0])
                tool.read_from = function
                tools.append(tool)
            del body["functions"]
            notes["tools"] = "functions"
    except InvalidMessage:  # a tool that JSON cannot express, or one without a name
        tools = []
    switched_on = _read_switches(body, dialect) if dialect.switches else None
    return [*tools, *switched_on] if switched_on else tools


def _read_tool(entry: JsonObject, dialect: Dialect) -> Tool | ServerTool:
    issuer, function = dialect.reads_items_of[0], entry.get("function")
    tool: Tool | ServerTool
    name = function.get("name") if isinstance(function, dict) else None
    if isinstance(name, str) and entry.get("type") == "function":
        other_fields = {key: entry[key] for key in entry if key not in ("type", "function")}
        hint, key = read_cache_mark(other_fields)
        notes: JsonObject = {"cache": key} if key else {}
        tool = chat_request.read_function(entry["function"], other_fields, notes, issuer)
        tool.cache = hint
    elif (freeform := _read_freeform_tool(entry, issuer)) is not None:
        tool = freeform
    else:
        templates = dialect.server_tools.items()
        declared = (_read_server_tool(kind, data, entry, dialect) for kind, data in templates)
        tool = next(filter(None, declared), None) or ServerTool("own", extras={issuer: entry})
    tool.read_from = entry
    return tool


def _read_freeform_tool(entry: JsonObject, issuer: str) -> Tool | None:
    """Read `{"type": "custom", "custom": {...}}`; None for any other entry."""
    custom = entry.get(CUSTOM)
    if entry.get("type") != CUSTOM or len(entry) != 2 or not isinstance(custom, dict):
        return None
    name, description = custom.get("name"), custom.get("description", "")
    if not isinstance(name, str) or not name or not isinstance(description, str):
        return None
    unknown = {key: custom[key] for key in custom if key not in ("name", "description")}
    notes: JsonObject = {"described": False} if "description" not in custom else {}
    tool = Tool(name, description, freeform=True)
    if (grammar := _read_grammar(unknown.get("format"))) is not None:
        tool.grammar = grammar
        del unknown["format"]
    tool.extras = issuer_extras(issuer, {CUSTOM: unknown} if unknown else {}, notes)
    return tool


_GRAMMAR = frozenset({"syntax", "definition"})


def _read_grammar(data: Json) -> Grammar | None:
    """Return the grammar of a freeform tool's format; None if it has none, or other fields."""
    grammar = data.get("grammar") if isinstance(data, dict) and len(data) == 2 else None
    if not isinstance(grammar, dict) or grammar.keys() != _GRAMMAR:
        return None
    values = grammar["definition"], grammar["syntax"]
    if not isinstance(data, dict) or data.get("type") != "grammar":
        return None
    return Grammar(*values) if all(isinstance(value, str) for value in values) else None


def freeform_tool(tool: Tool, caps: Capabilities, report: Report) -> JsonObject:
    """Write the declaration of a tool whose calls hold text."""
    return replay(_custom(tool, tool.description or None), tool, caps, report)


def _custom(tool: Tool, description: str | None) -> JsonObject:
    custom: JsonObject = {"name": tool.name}
    if description is not None:
        custom["description"] = description
    if (grammar := tool.grammar) is not None:
        fields = {"syntax": grammar.syntax, "definition": grammar.definition}
        custom["format"] = {"type": "grammar", "grammar": fields}
    return {"type": CUSTOM, CUSTOM: custom}


def _freeform_as_read(tool: Tool, issuer: str) -> JsonObject:
    """Return the entry that `_read_freeform_tool` read."""
    other_fields, notes = issuer_fields(tool, issuer)
    entry = _custom(tool, tool.description if notes.get("described", True) else None)
    return fill_fields(entry, other_fields)


def tools_as_read(
    body: JsonObject, tools: list[Tool | ServerTool], notes: JsonObject, dialect: Dialect
) -> None:
    """Put the tools where they were read from."""
    issuer = dialect.reads_items_of[0]
    functions, entries = [], []
    legacy = notes.get("tools") == "functions"
    for tool in tools:
        tool_notes = issuer_fields(tool, issuer)[1]
        if type(tool) is Tool and tool.freeform:
            entry = _freeform_as_read(tool, issuer)
        elif type(tool) is Tool:
            entry = chat_request.tool_as_read(tool, issuer)
            if tool.cache is not None:
                entry.update(cache_mark(tool.cache, tool_notes["cache"]))
            functions.append(entry["function"])
        else:
            entry = _server_tool_as_read(tool, dialect)
        if type(tool) is ServerTool and tool.kind != "own" and tool_notes:
            body.update(entry)
        elif type(tool) is ServerTool or not legacy:
            entries.append(entry)
    if legacy:
        body["functions"] = functions
    if entries:
        body["tools"] = entries


# Server tools: for each kind, a dialect has a template of the declaration, or of the switches in
# the body that turn it on. It gives the path in them for each field of a ServerTool.


def write_server_tool(
    room: Room, tool: ServerTool, caps: Capabilities, report: Report, switch: bool = False
) -> JsonObject:
    """Write the tool's declaration, or its `switch` in the body; empty if the dialect has none."""
    templates = room.dialect.switches if switch else room.dialect.server_tools
    if tool.kind not in templates:
        return {}
    data, names = _fill_template(templates[tool.kind], tool, room.dialect)
    report_unsupported(tool, report, *names)
    return replay(data, tool, caps, report)


def _fill_template(
    template: JsonObject, tool: ServerTool, dialect: Dialect
) -> tuple[JsonObject, list[str]]:
    """Fill a template with the tool's fields; return it, and the names of those fields."""
    data = copy.deepcopy(template)
    names: list[str] = []
    for name, value in tool.list_values():
        if path := dialect.server_fields.get(f"{tool.kind}.{name}"):
            names.append(name)
            place = {"type": "approximate", **value} if isinstance(value, dict) else value
            put_field(data, path, list(place) if isinstance(place, tuple) else place)
    return data, names


def _read_switches(body: JsonObject, dialect: Dialect) -> list[ServerTool]:
    """Take the tools that fields of the body turn on out of it."""
    tools: list[ServerTool] = []
    for kind, template in dialect.switches.items():
        keys = {
            *template,
            *(
                path.partition(".")[0]
                for name, path in dialect.server_fields.items()
                if name.startswith(f"{kind}.")
            ),
        }
        switches = {key: body[key] for key in keys if key in body}
        if (tool := _read_server_tool(kind, template, switches, dialect)) is not None:
            tool.extras = {
                **(tool.extras or {}),
                name_notes(dialect.reads_items_of[0]): {"place": "body"},
            }
            tools.append(tool)
            for key in switches:
                del body[key]
    return tools


def _server_tool_as_read(tool: Any, dialect: Dialect) -> JsonObject:
    """Return the declaration or the switches as they were read."""
    other_fields, _ = issuer_fields(tool, dialect.reads_items_of[0])
    if tool.kind == "own":
        return other_fields
    template = dialect.server_tools.get(tool.kind) or dialect.switches[tool.kind]
    return fill_fields(_fill_template(template, tool, dialect)[0], other_fields)


def _read_server_tool(
    kind: Any, template: JsonObject, data: JsonObject, dialect: Dialect
) -> ServerTool | None:
    """Read the tool of a declaration or switches; None if those could not be written back equal."""
    unknown = _subtract(data, template)
    if unknown is None:
        return None
    fields: dict[str, Any] = {}
    for name, path in dialect.server_fields.items():
        tool_kind, _, field = name.partition(".")
        if tool_kind == kind and (value := take_field(unknown, path)) is not None:
            if isinstance(value, dict):
                value = {key: value[key] for key in value if key != "type"}
            fields[field] = tuple(value) if isinstance(value, list) else value
    try:
        tool = ServerTool(
            kind, **fields, extras={dialect.reads_items_of[0]: unknown} if unknown else None
        )
    except InvalidMessage:
        return None
    return tool if canonical(_server_tool_as_read(tool, dialect)) == canonical(data) else None


def _subtract(data: JsonObject, template: JsonObject) -> JsonObject | None:
    """Return what `data` has beyond the template; None if it lacks any of the template."""
    unknown = dict(data)
    for key, value in template.items():
        if isinstance(value, dict) and isinstance(data.get(key), dict):
            remaining = _subtract(data[key], value)
            if remaining is None:
                return None
            unknown[key] = remaining
            if not remaining:
                del unknown[key]
        elif key in data and data[key] == value and type(data[key]) is type(value):
            del unknown[key]
        else:
            return None
    return unknown


_CHOICE_FIELDS = ("tool_choice", "function_call", "parallel_tool_calls")


def read_choice(
    body: JsonObject, notes: JsonObject, freeform: Collection[str]
) -> ToolChoice | None:
    """Take the choice out of the body; a choice that no ToolChoice can hold remains there."""
    if body.keys().isdisjoint(_CHOICE_FIELDS):
        return None
    if "tool_choice" in body or "function_call" not in body:
        value = body.get("tool_choice")
        choice = chat_request.read_choice_value(value, CHOICES)
        if choice is not None and choice[0].get("name") in freeform:
            choice = None  # it names a function, and there is none
        choice = choice or _read_custom(value, freeform) or _read_allowed(value, freeform)
        return chat_request.read_choice(body, notes, choice)
    note, legacy = "function_call", body["function_call"]
    value = None
    if legacy in ("auto", "none"):
        value = {"mode": legacy}, note
    elif name := chat_request.function_name(legacy):
        value = {"mode": "tool", "name": name}, note
    return chat_request.read_choice(body, notes, value, note)


def _read_custom(value: Json, freeform: Collection[str]) -> tuple[dict[str, Any], None] | None:
    """Read `{"type": "custom", "custom": {"name"}}`."""
    if not isinstance(value, dict) or value.keys() != {"type", CUSTOM} or value["type"] != CUSTOM:
        return None
    name = chat_request.function_name(value[CUSTOM])
    return ({"mode": "tool", "name": name}, None) if name in freeform else None


def _read_allowed(value: Json, freeform: Collection[str]) -> tuple[dict[str, Any], None] | None:
    """Read `{"type": "allowed_tools", "allowed_tools": {"mode", "tools"}}` without other fields."""
    allowed: Any = value.get("allowed_tools") if isinstance(value, dict) else None
    tools = allowed.get("tools") if isinstance(allowed, dict) else None
    if not are_objects(tools):
        return None
    mode = allowed.get("mode")
    kinds = ("function", CUSTOM)
    names = tuple(
        next(filter(None, (chat_request.function_name(tool.get(kind)) for kind in kinds)), "")
        for tool in tools
    )
    usual = mode in ("auto", "required") and all(names)
    usual = usual and value == chat_request.allowed_tools(mode, names, freeform)
    return ({"mode": mode, "allowed": names}, None) if usual else None


def choice_as_read(
    body: JsonObject, choice: ToolChoice, note: str | None, freeform: Collection[str]
) -> None:
    """Put the choice where it was read from."""
    if note != "function_call":
        chat_request.write_choice(body, choice, CHOICES, note, freeform)
        return
    body[note] = {"name": choice.name} if choice.mode == "tool" else choice.mode
    if choice.parallel is not None:
        body["parallel_tool_calls"] = choice.parallel
