"""Tools that the client runs and that one API alone declares by a type, and their calls.

Such a tool has no schema, and its calls are items of their own kind. Everywhere else it is a
function of the same name, whose calls become those items again where they can go back as such.

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
    """A type of tool: which items call it, the field that says what to do, and how that looks.

    `fixed` are the fields of the order that the API wants and the model need not say.
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
_ITEM = "calls"  # the note of a function: the type of the items that call what it stands for


def find_function(tool: object) -> Tool | None:
    """The function that stands for a tool of one API that the client runs; None for any other.

    What its API says beyond that stays in the extras, and so does of which items its calls are.
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
    """Whether the client runs it: a search may be the host's, a shell in a container, too."""
    if data["type"] == "tool_search":
        return data.get("execution") == "client"
    shell = data.get("environment")
    return not isinstance(shell, dict) or shell.get("type") == "local"


def item_that_calls(tool: Tool) -> str | None:
    """The type of the items that call the tool which a function stands for."""
    for issuer, notes in (tool.extras or {}).items():
        if issuer.endswith(NOTES) and isinstance(item := notes.get(_ITEM), str):
            return item
    return None


def item_spelled(call: ToolUseBlock) -> str | None:
    """The type of the item that a plain call was, or stands for; None for a function's."""
    words = call.spelling.split() if call.spelling else ()
    return next((word for word in words if word in _BY_ITEM), None)


def item_of_call(call: ToolUseBlock, order: Any) -> JsonObject | None:
    """The item that says a plain call in its own form; None for what is none, or says no order.

    `order` is what the call says to do; None where it has not said it yet.
    """
    kind = item_spelled(call)
    row = _BY_ITEM.get(kind or "")
    if row is None or not isinstance(order, dict | None):
        return None
    item: JsonObject = {"type": kind, "call_id": call.id, row.order: {**row.fixed, **(order or {})}}
    return item | ({"execution": "client"} if kind == "tool_search_call" else {})


def call_within(block: ContentBlock) -> ToolUseBlock | None:
    """A call that only one API has and that the client runs, as a plain one; None for any other.

    Its name is the kind of the item (`shell`, `apply_patch`), its input what the item says to do;
    `spelling` is the item's type. Where the kind is not known, all fields but those of any item
    say what to do.
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
