"""Messages, calls, results and tools, for wires of the shape of Chat Completions.

Some of it is used by other wires, too: extra fields of an issuer, texts of results and names in URL
paths. Pure functions over the tree, which name no wire.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias, TypeGuard
from urllib.parse import quote

from ... import message as tree
from ...caches import remember
from ...capabilities import Capabilities
from ...errors import ReadError, WriteError
from ...history.passes.survey import SYSTEM, RoledHistory
from ...losses import Report
from ...message import Msg, Origin, TextBlock, ToolResultBlock, ToolUseBlock
from ...message.blocks import NOTES, ContentBlock, Extras, name_notes
from ...message.known_tools import ToolEntries
from ...stream.arguments import MADE, parse_arguments
from ...text.json_text import Json, JsonObject, arguments, loads
from ...text.redaction import show


def write_arguments(block: ToolUseBlock) -> str:
    """Return the arguments as text: the model's own text if it still is the JSON of `input`."""
    raw, text = block.raw_input, arguments(block.input)
    try:
        # compared as text: to Python 1, 1.0 and true are equal
        return raw if raw is not None and arguments(loads(raw)) == text else text
    except ReadError:
        return text


def write_call(
    block: ToolUseBlock, text: Json, extras: JsonObject, typed: bool = True
) -> JsonObject:
    """Write a call: `{"id", "type": "function", "function": {"name", "arguments": JSON text}}`."""
    function: JsonObject = {"name": block.name, "arguments": text}
    call: JsonObject = {"id": block.id, "type": "function", "function": function}
    if not typed:
        del call["type"]
    return fill_fields(call, extras) if extras else call


def compose_call(block: ToolUseBlock, caps: Capabilities) -> JsonObject:
    """Write a call of the history, without a type if it came without one."""
    typed = block.spelling is None or UNTYPED not in block.spelling
    return write_call(block, write_arguments(block), own_extras(block, caps), typed)


def answer_call(block: ToolUseBlock, own: bool) -> JsonObject:
    """Write a call of an answer; `own`: the answer was read from this wire."""
    text: Json = block.raw_input
    if text is None:
        text = block.input if own else arguments(block.input)
    return write_call(block, text, {}, not (own and UNTYPED in (block.spelling or "")))


def replay(data: JsonObject, node: Any, caps: Capabilities, report: Report) -> JsonObject:
    """Return `data` with the extra fields of the issuers that this wire understands."""
    if node.extras is not None:
        for issuer, fields in node.extras.items():
            if issuer in caps.reads:
                fill_fields(data, fields)
            elif not issuer.endswith(NOTES):
                report.add_extras_losses(node, issuer, fields)
    return data


def fill_fields(data: JsonObject, fields: Mapping[str, Any]) -> JsonObject:
    """Add an issuer's fields to `data`: objects are merged, lists extended, others set."""
    for key, value in fields.items():
        current = data.get(key)
        if isinstance(current, dict) and isinstance(value, Mapping):
            data[key] = fill_fields(dict(current), value)
        elif isinstance(current, list) and isinstance(value, list):
            data[key] = [*current, *(item for item in value if item not in current)]
        else:
            data[key] = value
    return data


def own_extras(node: Any, caps: Capabilities) -> JsonObject:
    """Return the extra fields of a block or message that this wire understands or claims."""
    if node.extras is None:
        return {}
    return {
        key: value
        for issuer, fields in node.extras.items()
        for key, value in fields.items()
        if issuer in caps.reads or (not issuer and key in caps.claims)
    }


@remember("names of models as parts of paths", entries=256, size=2**12)
def in_path(model: str, safe: str = "") -> str:
    """Quote the model's name for use in a path, except for the characters in `safe`.

    `.` and `..` would change the path even when they are quoted.

    Args:
        model: The model's name.
        safe: Characters that stay as they are.

    Raises:
        WriteError: For a name that would change the path.
    """
    if any(part in (".", "..") for part in model.split("/")):
        raise WriteError(f"{show(model)} names no model", path="$.model", code="model.name")
    return quote(model, safe=safe)


def is_plain(block: Any) -> TypeGuard[TextBlock]:
    """Whether a block is a text that a plain string can express completely."""
    return type(block) is TextBlock and block.extras is None and block.cache is None


def texts(blocks: Iterable[ContentBlock]) -> list[str]:
    """Return the texts of the text blocks."""
    return [block.text for block in blocks if type(block) is TextBlock]


def result_text(block: ToolResultBlock, bullets: bool) -> str:
    """Return a result as one text; several pieces become a list with dashes, or lines."""
    output = block.output
    if type(output) is str:
        return output
    if output is None:
        return ""
    if isinstance(output, list):
        pieces = [block.text for block in output if type(block) is TextBlock]
        return "\n".join([f"- {p}" for p in pieces] if bullets and len(pieces) > 1 else pieces)
    return arguments(output)


def with_usual_detail(block: ContentBlock, report: Report) -> ContentBlock:
    """Return the block; an image loses a detail other than `auto`, `low` and `high`."""
    if type(block) is not tree.ImageBlock or block.detail in (None, "auto", "low", "high"):
        return block
    report.add_loss("media.detail", block, "detail")
    return replace(block, detail=None)


def own_tool(tool: tree.ServerTool, caps: Capabilities) -> JsonObject:
    """Return a tool that ServerTool cannot express, as its provider declares it."""
    fields = (fields for issuer, fields in (tool.extras or {}).items() if issuer in caps.reads)
    return next(fields, {})


def report_unsupported(tool: tree.ServerTool, report: Report, *names: str) -> None:
    """Report the fields of a server tool that the provider's declaration has no place for."""
    for name, _ in tool.list_values():
        if name not in names:
            report.add_loss("server_tool.field", tool, name, what=f"{name} of {tool.kind}")


def head(history: RoledHistory) -> int:
    """Return how many messages at the start of the history are its system prompt."""
    others = (i for i, role in enumerate(history.roles) if role != SYSTEM)
    return next(others, len(history.roles))


# notes on the spelling of calls and results
UNTYPED = "untyped"  # the call has no type
_PLACED = "placed"  # the call has an index, which is its position
_BARE = "bare"  # the call has no arguments
_CALL = ("id", "function")
_FUNCTION = ("name", "arguments")
_Blocks: TypeAlias = list[ContentBlock]
_Parts: TypeAlias = Callable[[list[Json], str, Origin | None], _Blocks]


def read_messages(entries: Iterable[Json], read: Callable[[Json, int], Msg]) -> list[Msg]:
    """Read the entries of `messages`, each with `read(entry, its place)`.

    A result that names no call gets the first waiting call of its tool.
    """
    waiting: dict[int, ToolUseBlock] = {}  # the calls of a turn whose results have not come yet
    places: dict[str, deque[int]] = {}  # of each id in `waiting`
    msgs = []
    for i, entry in enumerate(entries):
        m = read(entry, i)
        if type(m.content) is list:
            if m.role == "assistant":
                calls = [block for block in m.content if type(block) is ToolUseBlock]
                if calls:
                    waiting, places = dict(enumerate(calls)), {}
                for index, call in enumerate(calls):
                    places.setdefault(call.id, deque()).append(index)
            elif m.role == "tool" and type(m.content[0]) is ToolResultBlock:
                _pair(m.content[0], waiting, places)
        msgs.append(m)
    return msgs


def _pair(
    result: ToolResultBlock, waiting: dict[int, ToolUseBlock], places: dict[str, deque[int]]
) -> None:
    if result.id:
        indexes = places.get(result.id)
        while indexes and waiting.pop(indexes.popleft(), None) is None:
            pass  # a result without a call id was assigned to that call
        return
    for index, call in waiting.items():
        if result.name in ("", call.name) or not call.id:
            result.id = call.id
            result.spelling = f"{result.spelling} {MADE}" if result.spelling else MADE
            del waiting[index]
            return


def no_message(entry: Json, issuer: str) -> Msg:
    """Return an entry that is no message of a known role, unchanged in a raw block."""
    block = tree.RawBlock(issuer, entry, "message", by="client")
    m = Msg.create_unchecked("", [block], "user")
    m.read_from = block.read_from = entry
    return m


def content(
    fields: JsonObject, issuer: str, parts: _Parts, origin: Origin | None = None
) -> tuple[str | _Blocks, str | None]:
    """Take the content out of `fields`; return it, and its spelling."""
    value = fields.get("content", ...)
    if not (value is None or isinstance(value, (str, list))):
        return [], "absent"
    del fields["content"]
    if isinstance(value, list):
        return parts(value, issuer, origin), None if value else "list"
    return ([], "null") if value is None else (value, None)


def read_calls(fields: JsonObject, issuer: str, place: int) -> _Blocks:
    """Take the `tool_calls` of the message at this place out of `fields`."""
    entries = fields.get("tool_calls")
    if not (isinstance(entries, list) and entries):
        return []
    del fields["tool_calls"]
    return [read_call(entry, issuer, i, f"call_{place}_{i}") for i, entry in enumerate(entries)]


def read_call(entry: Json, issuer: str, index: int, made_id: str) -> ToolUseBlock | tree.RawBlock:
    """Read one entry of `tool_calls`.

    Anything but a call of a function by its name is kept unchanged.

    Args:
        entry: The entry.
        issuer: The issuer of its extra fields.
        index: Its place in the list.
        made_id: The id for a call that has none.
    """
    function = entry.get("function") if isinstance(entry, dict) else None
    id = entry.get("id") if isinstance(entry, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raw = tree.RawBlock(issuer, entry, "call", id if isinstance(id, str) else None, "client")
        raw.read_from = entry
        return raw
    block = ToolUseBlock(id if isinstance(id, str) and id else made_id, function["name"])
    fields, notes = _beside(entry, index)
    unknown = {key: value for key, value in function.items() if key not in _FUNCTION}
    values = function.get("arguments")
    if isinstance(values, str):
        block.input, block.raw_input = parse_arguments(values), values
    elif isinstance(values, dict):
        block.input = values
    elif "arguments" in function:
        unknown["arguments"] = values
    else:
        notes.append(_BARE)
    if unknown:
        fields["function"] = unknown
    block.spelling = " ".join(notes) or None
    block.extras = {issuer: fields} if fields else None
    block.read_from = entry
    return block


def _beside(entry: JsonObject, index: int) -> tuple[JsonObject, list[str]]:
    """Return the fields beside the function that a call cannot hold, and notes on the spelling."""
    fields = {key: value for key, value in entry.items() if key not in _CALL}
    notes = []
    if not (isinstance(entry.get("id"), str) and entry["id"]):
        notes.append(MADE)
        fields |= {"id": entry["id"]} if "id" in entry else {}
    if fields.get("type") == "function":
        del fields["type"]
    elif "type" not in fields:
        notes.append(UNTYPED)
    if type(fields.get("index")) is int and fields["index"] == index:
        notes.append(_PLACED)
        del fields["index"]
    return fields, notes


def call_as_read(block: ContentBlock, issuer: str, index: int) -> Json:
    """Return the entry of `tool_calls` that `read_call` read the block from."""
    if type(block) is tree.RawBlock:
        return block.data
    assert type(block) is ToolUseBlock  # the only other type
    notes = (block.spelling or "").split()
    values = block.input if block.raw_input is None else block.raw_input
    entry: JsonObject = {} if MADE in notes else {"id": block.id}
    entry["function"] = {"name": block.name} | ({} if _BARE in notes else {"arguments": values})
    if UNTYPED not in notes:
        entry["type"] = "function"
    if _PLACED in notes:
        entry["index"] = index
    return fill_fields(entry, (block.extras or {}).get(issuer, {}))


def split_calls(blocks: Iterable[ContentBlock]) -> tuple[_Blocks, _Blocks]:
    """Split blocks into calls, including unknown kinds of calls, and the other blocks."""
    calls: _Blocks = []
    others: _Blocks = []
    for block in blocks:
        is_call = type(block) is ToolUseBlock or (
            type(block) is tree.RawBlock and block.role == "call"
        )
        (calls if is_call else others).append(block)
    return calls, others


def calls_as_read(calls: Iterable[ContentBlock], issuer: str) -> list[Json]:
    """Return the `tool_calls` that `read_calls` read."""
    return [call_as_read(call, issuer, index) for index, call in enumerate(calls)]


def issuer_extras(issuer: str, other_fields: JsonObject, notes: JsonObject) -> Extras | None:
    """Return the extras of a node: fields that it cannot hold, and notes on its spelling."""
    extras = {issuer: other_fields} if other_fields else {}
    if notes:
        extras[name_notes(issuer)] = notes
    return extras or None


def issuer_fields(node: Any, issuer: str) -> tuple[JsonObject, JsonObject]:
    """Return the two parts of `issuer_extras`: a copy of the other fields, and the notes."""
    extras = node.extras or {}
    return dict(extras.get(issuer, {})), extras.get(name_notes(issuer), {})


def read_object(value: Json) -> JsonObject:
    """Return the value if it is an object, otherwise an empty one."""
    return value if isinstance(value, dict) else {}


def are_objects(value: Json) -> TypeGuard[list[JsonObject]]:
    """Whether the value is a list of objects that is not empty."""
    if type(value) is ToolEntries:  # they may be known without having been parsed
        return True
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def are_texts(value: Json) -> TypeGuard[list[str]]:
    """Whether the value is a list of texts that is not empty."""
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)


def without(data: JsonObject, *keys: str) -> JsonObject:
    """Return the fields except those under `keys`."""
    fields = dict(data)
    for key in keys:
        fields.pop(key, None)
    return fields


def is_text(value: Json) -> TypeGuard[str]:
    """Whether the value is a text that is not empty and has no lone surrogates."""
    if not isinstance(value, str) or not value:
        return False
    return value.isascii() or value.encode("utf-8", "ignore").decode() == value


def require_text(value: Any) -> str:
    """Return the value, which has to be text.

    Raises:
        TypeError: If it is not.
    """
    if not isinstance(value, str):
        raise TypeError("text was expected")
    return value


def answered_call(id: str, name: str, arguments: Json) -> ToolUseBlock:
    """Build a call of an answer, complete or just begun.

    Raises:
        TypeError: If the arguments are neither text nor an object.
    """
    call = ToolUseBlock(id, name)
    if isinstance(arguments, str):
        call.raw_input = arguments
    elif isinstance(arguments, dict):
        call.input = arguments
    elif arguments is not None:
        raise TypeError("arguments are text or an object")
    return call
