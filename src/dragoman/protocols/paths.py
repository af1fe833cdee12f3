"""Finds where the nodes of a request are in the body that it was read from, for paths of losses.

A reader sets `read_from` on each message and block that it creates. One walk over the body finds
the paths of these objects. A table of each protocol gives the keys for the fields of a node, where
they differ from the fields' own names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from ..losses import Field
from ..message import ChatRequest, Msg
from ..message.known_tools import ParsedBody, ToolEntries
from ..text.json_text import Json, JsonObject, member

# (type of a node, name of its field) -> keys below the object that the node was read from; of
# several keys the first that is present, otherwise the first. A key may be a path: "function.name".
PathTable: TypeAlias = Mapping[tuple[str, str], tuple[str, ...]]
_Rows: TypeAlias = Iterator[tuple[str, object]]

# what the wires of the shape of Chat Completions share: functions, their calls and results
CHAT_PATHS: PathTable = {
    **{("tool", name): (f"function.{name}",) for name in ("name", "description", "parameters")},
    ("tool_result", "id"): ("tool_call_id",),
    ("tool_result", "output"): ("content",),
    ("tool_use", "name"): ("function.name",),
    ("tool_use", "input"): ("function.arguments",),
}


def request_paths(req: ChatRequest, body: JsonObject, table: PathTable) -> _Rows:
    """Yield the path of each node and field that was read: the request, its tools and messages.

    Args:
        req: The request that was read.
        body: The body that it was read from.
        table: The keys of the fields of nodes. The types of nodes are `options`, `request`,
            `tool_choice`, `response_format`, `tool`, `message`, and the `type` of each block. For a
            message, the type of a block is the field that holds it as plain text, and `content` the
            field for all other types.
    """
    paths = _walk(body)
    yield "$", req
    for name, _ in req.options.list_values():
        yield _below(body, "$", table.get(("options", name), (name,))), Field(req.options, name)
    for name, node in (("tool_choice", req.tool_choice), ("response_format", req.response_format)):
        if node is not None:
            yield _below(body, "$", table.get(("request", name), (name,))), node
            yield from _fields(node, name, body, "$", table)
    for tool in req.tools:
        declaration = getattr(tool, "read_from", ...)
        if (path := _next(paths, declaration)) is not None:
            yield path, tool
            yield from _fields(tool, "tool", declaration, path, table)
    for m in req.messages:
        entry: Any = getattr(m, "read_from", ...)
        # an empty object without content is a message that is left out (`BodyPaths`)
        if m.content or entry or type(entry) is not dict:
            yield from message_paths(m, paths, table)


def message_paths(m: Msg, paths: Mapping[int, list[str]], table: PathTable) -> _Rows:
    """Yield the paths of one message; `paths` has those of the objects in the body, by identity."""
    entry: Any = getattr(m, "read_from", ...)
    above = _next(paths, entry)
    if above is None:
        return
    yield above, m
    yield from _fields(m, "message", entry, above, table)
    blocks = [] if isinstance(m.content, str) else list(reversed(m.content))
    while blocks:
        block: Any = blocks.pop()
        part = getattr(block, "read_from", ...)
        # the message may have been read as a single block
        path = above if part is entry else _next(paths, part) or _item_path(entry, above, part)
        if path is None:  # a text that is the whole content, or another field of the message
            fields = (block.spelling or "", block.type, "content")
            keys = next(
                (table["message", name] for name in fields if ("message", name) in table),
                ("content",),
            )
            path = _below(entry, above, keys)
            yield path, block
            yield path, Field(block, "thinking" if block.type == "thinking" else "text")
            continue
        yield path, block
        yield from _fields(block, block.type, part, path, table)
        if (source := getattr(block, "source", None)) is not None:
            yield _below(part, path, table.get((block.type, "source"), ("source",))), source
            yield path, Field(block, "source")  # without its source the block would be empty
        if isinstance(output := getattr(block, "output", None), list):
            blocks += reversed(output)


def _next(paths: Mapping[int, list[str]], value: Json) -> str | None:
    """Return the path of an object; one that occurs several times gets its next path."""
    found = paths.get(id(value), [])
    return found.pop(0) if len(found) > 1 else found[0] if found else None


def _item_path(entry: JsonObject, above: str, part: Json) -> str | None:
    """Return the path of a part that is no object, in one of the lists of its message."""
    for key, values in entry.items():
        for i, value in enumerate(values if type(values) is list else ()):
            if value is part:
                return f"{member(above, key)}[{i}]"
    return None


def _fields(node: Any, kind: str, part: Json, path: str, table: PathTable) -> _Rows:
    for (of, name), keys in table.items():
        is_field = of == kind and name not in ("source", "content")
        if is_field and getattr(node, name, None) is not None:
            yield _below(part, path, keys), Field(node, name)


def _below(part: Json, path: str, keys: tuple[str, ...]) -> str:
    """Return the path of the first of the keys that is present."""
    for key in keys:
        value: Any = part
        for step in key.split("."):
            value = value.get(step) if isinstance(value, dict) else None
        if value is not None:
            return f"{path}.{key}"
    return f"{path}.{keys[0]}"


_NESTED = frozenset({dict, ParsedBody, list, ToolEntries})


def _walk(body: Json) -> dict[int, list[str]]:
    """Return the paths of everything in a body by identity, at any depth of nesting."""
    paths: dict[int, list[str]] = {}
    waiting: list[tuple[Json, str]] = [(body, "$")]
    while waiting:
        value, path = waiting.pop()
        if type(value) is dict or type(value) is ParsedBody:
            paths.setdefault(id(value), []).append(path)
            waiting += [
                (inner, member(path, key))
                for key, inner in reversed(value.items())
                if type(inner) in _NESTED
            ]
        elif type(value) is list or type(value) is ToolEntries:
            paths.setdefault(id(value), []).append(path)
            if type(value) is ToolEntries:
                value = value.read_from()
            waiting += [(value[i], f"{path}[{i}]") for i in reversed(range(len(value)))]
        else:  # an item of a list, which may be the same object as another one
            paths.setdefault(id(value), [path])
    return paths
