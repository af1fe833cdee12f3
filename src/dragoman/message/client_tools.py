"""Tools that the client runs and that only one API declares by a type, and their calls.

Such a tool has no schema, and its calls are items of their own kind. On other wires it is written
as a function of the same name, and the function's calls are turned back into such items where the
target takes them.

Reference: the types of the tools `tool_search`, `local_shell`, `shell` and `apply_patch` of the
Responses API, and of the items that call them (2026-11-28).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..text.json_text import JsonObject
from .blocks import NOTES, ContentBlock, RawBlock, ToolUseBlock, name_notes
from .tools import ServerTool, Tool

_TEXT = {"type": "string"}
_NUMBER = {"type": "integer"}
_TEXTS = {"type": "array", "items": _TEXT}


def _object(required: tuple[str, ...], **properties: Any) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list(required)}


@dataclass(frozen=True, slots=True)
class _ClientTool:
    """A type of tool: the items that call it, the field with the instruction, and its schema.

    `fixed` are fields of the instruction that the API requires and the model need not give.
    """

    item: str
    order: str
    description: str
    parameters: JsonObject
    fixed: JsonObject


_TOOLS = {
    "tool_search": _ClientTool(
        "tool_search_call", "arguments", "Finds further tools.", {"type": "object"}, {}
    ),
    "local_shell": _ClientTool(
        "local_shell_call",
        "action",
        "Runs a command on the user's computer.",
        _object(
            ("command",),
            command=_TEXTS,
            env={"type": "object"},
            timeout_ms=_NUMBER,
            user=_TEXT,
            working_directory=_TEXT,
        ),
        {"type": "exec", "env": {}},
    ),
    "shell": _ClientTool(
        "shell_call",
        "action",
        "Runs commands in a shell on the user's computer, one by one.",
        _object(("commands",), commands=_TEXTS, timeout_ms=_NUMBER, max_output_length=_NUMBER),
        {},
    ),
    "apply_patch": _ClientTool(
        "apply_patch_call",
        "operation",
        "Creates, updates or deletes a file. `diff` is in the V4A format: `@@` lines, then lines"
        " that begin with a space, `+` or `-`; a new file has lines with `+` only.",
        _object(
            ("type", "path"),
            path=_TEXT,
            diff=_TEXT,
            type={"type": "string", "enum": ["create_file", "update_file", "delete_file"]},
        ),
        {},
    ),
}
_BY_ITEM = {row.item: row for row in _TOOLS.values()}
_ITEM_FIELDS = frozenset({"type", "id", "call_id", "status", "caller", "created_by"})
_ITEM = "calls"  # the note on a function: the type of the items that call the tool it represents


def find_function(tool: object) -> Tool | None:
    """Return the function that represents a client-run tool of one API; None for any other tool.

    Other fields of the tool are in the function's extras, as is the type of the items that call it.
    """
    if type(tool) is not ServerTool or tool.kind != "own":
        return None
    for issuer, data in (tool.extras or {}).items():
        kind = data.get("type")
        row = _TOOLS.get(kind) if isinstance(kind, str) and not issuer.endswith(NOTES) else None
        if row is None or not _runs_at_client(data):
            continue
        rest = {key: value for key, value in data.items() if key not in ("type", "execution")}
        description, parameters = row.description, row.parameters
        if isinstance(rest.get("description"), str):
            description = rest.pop("description")
        if isinstance(rest.get("parameters"), dict):
            parameters = rest.pop("parameters")
        rest = {key: value for key, value in rest.items() if value is not None}
        notes = {name_notes(issuer): {_ITEM: row.item}}
        extras = {issuer: rest, **notes} if rest else notes
        return Tool(str(kind), description, parameters, extras=extras)
    return None


def _runs_at_client(data: JsonObject) -> bool:
    """Return whether the client runs it: a search may run at the host, a shell in a container."""
    if data["type"] == "tool_search":
        return data.get("execution") == "client"
    shell = data.get("environment")
    return not isinstance(shell, dict) or shell.get("type") == "local"


def item_that_calls(tool: Tool) -> str | None:
    """Return the type of the items that call the tool which a function represents."""
    for issuer, notes in (tool.extras or {}).items():
        if issuer.endswith(NOTES) and isinstance(item := notes.get(_ITEM), str):
            return item
    return None


def item_spelled(call: ToolUseBlock) -> str | None:
    """Return the type of item that a plain call was or represents; None for a function's."""
    words = call.spelling.split() if call.spelling else ()
    return next((word for word in words if word in _BY_ITEM), None)


def item_of_call(call: ToolUseBlock, order: Any) -> JsonObject | None:
    """Return the item for a plain call, in the API's own form, or None if it has none.

    `order` is the instruction of the call; None if it has not arrived yet, and then there is no
    item.
    """
    kind = item_spelled(call)
    row = _BY_ITEM.get(kind or "")
    if row is None or not isinstance(order, dict | None):
        return None
    item: JsonObject = {"type": kind, "call_id": call.id, row.order: {**row.fixed, **(order or {})}}
    return item | ({"execution": "client"} if kind == "tool_search_call" else {})


def call_within(block: ContentBlock) -> ToolUseBlock | None:
    """Return a client-run call that only one API has as a plain call; None for any other block.

    Its name is the kind of the item (`shell`, `apply_patch`), its input the instruction; `spelling`
    is the item's type. If the kind is not known, the input is all fields that are not common to
    every item.
    """
    data = block.data if type(block) is RawBlock and block.role == "call" else None
    if type(block) is not RawBlock or not isinstance(data, dict) or not block.pair:
        return None
    kind = data.get("type")
    if block.by != "client" or not isinstance(kind, str) or not kind.endswith("_call"):
        return None
    row = _BY_ITEM.get(kind)
    order = data.get(row.order) if row is not None else None
    fields = {key: value for key, value in data.items() if key not in _ITEM_FIELDS}
    return ToolUseBlock(
        block.pair,
        kind.removesuffix("_call"),
        order if isinstance(order, dict) else fields,
        unfinished=data.get("status") == "incomplete",
        spelling=kind,
    )
