"""Where each node of a read request stands in the body that it was read from.

A walk over both, side by side: keys may stand in either case, one item may stand for a list, and a
text for a part, so that no table of paths can tell where a field is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from ..._core.jsontext import Json, JsonObject
from ...losses import Field
from ...message import ChatRequest, Msg, ServerTool, ToolResultBlock
from ...message.blocks import MEDIA_KINDS, ContentBlock, noted
from .blocks import RESPONSE_TEXTS
from .dialect import NULL, camel_key, camel_keys, snake_key
from .request import KEYS, SCHEMAS
from .tools import SCHEMAS as TOOL_SCHEMAS
from .tools import declares_functions

_Rows: TypeAlias = Iterator[tuple[str, object]]


def places(req: ChatRequest, body: JsonObject, issuer: str) -> _Rows:
    """(path, node or Field) for all that `read_request` made of the body."""
    msgs = list(req.messages)
    if msgs and (msgs[0].spelling or "").partition(" ")[0] == "top":
        path, prompt = _child(body, "$", "systemInstruction")
        yield from _message(msgs.pop(0), prompt, path, issuer)
    for m, (path, entry) in zip(msgs, _items(body.get("contents"), "$.contents"), strict=False):
        yield from _message(m, entry, path, issuer)
    if req.tools:
        yield from _tools(req.tools, body.get("tools"), issuer)
    yield from _request_fields(req, body)
    for note in (req.extras or {}).get(noted(issuer), {}).get("keys", ()):
        yield from _extras(req, body, "$", note.split("."), issuer)


def _child(data: Any, path: str, *keys: str) -> tuple[str, Any]:
    """(path, value) below some keys, each in either case."""
    for key in keys:
        if not isinstance(data, dict):
            return path, None
        name = snake_key(key) if key not in data and snake_key(key) in data else key
        path, data = f"{path}.{name}", data.get(name)
    return path, data


def _items(data: Json, path: str) -> list[tuple[str, Any]]:
    """(path, item) of a list, or of the item that stands alone in its place."""
    if not isinstance(data, list):
        return [(path, data)]
    return [(f"{path}[{i}]", item) for i, item in enumerate(data)]


def _extras(node: Any, data: Any, path: str, keys: list[str], issuer: str) -> _Rows:
    """The extras of an object whose key is in snake_case, and of all that stands below it."""
    *parents, key = keys
    path, data = _child(data, path, *parents)
    if key.endswith(NULL) or not isinstance(data, dict):
        return
    path, field = f"{path}.{key}", ".".join(["extras", issuer, *parents, camel_key(key)])
    yield path, Field(node, field)
    yield from _below(node, data.get(key), path, field)


def _below(node: Any, data: Json, path: str, field: str) -> _Rows:
    for key, value in data.items() if isinstance(data, dict) else ():
        # as far down as keys are read they are in camelCase, and below that as they came
        for name in dict.fromkeys((key, camel_key(key))):
            yield f"{path}.{key}", Field(node, f"{field}.{name}")
            yield from _below(node, value, f"{path}.{key}", f"{field}.{name}")


def _message(m: Msg, data: Any, path: str, issuer: str) -> _Rows:
    yield path, m
    if isinstance(data, dict) and "parts" in data:
        path, data = f"{path}.parts", data["parts"]
    parts = _items(data, path)
    if isinstance(m.content, str):
        part_path, part = parts[0]
        yield f"{part_path}.text" if isinstance(part, dict) else part_path, Field(m, "content")
        return
    for block, (part_path, part) in zip(m.content, parts, strict=False):
        yield from _block(block, part, part_path, issuer)


# the fields of a block: (name, keys below its part)
_FIELDS: dict[str, tuple[tuple[str, str], ...]] = {
    "thinking": (("thinking", "text"),),
    "tool_use": (
        ("id", "functionCall.id"),
        ("name", "functionCall.name"),
        ("input", "functionCall.args"),
        ("raw_input", "functionCall.args"),
    ),
    "tool_result": (
        ("id", "functionResponse.id"),
        ("name", "functionResponse.name"),
        ("output", "functionResponse.response"),
        ("is_error", "functionResponse.response"),
    ),
}


def _block(block: ContentBlock, part: Any, path: str, issuer: str) -> _Rows:
    yield path, block
    key = ""
    for name, keys in _FIELDS.get(block.type, ()):
        key, *_ = keys.split(".")
        yield _child(part, path, *keys.split("."))[0], Field(block, name)
    if type(block) is ToolResultBlock and isinstance(block.output, list):
        yield from _output(block.output, *_child(part, path, key), issuer)
    elif block.type in MEDIA_KINDS:
        key = "inlineData" if block.source.type == "base64" else "fileData"  # type: ignore[union-attr]  # a medium
        yield from _medium(block, part, path, key)
    for note in (block.spelling or "").split():
        if "_" in note:
            steps = [key, note[1:]] if note[0] == "." else [note]
            yield from _extras(block, part, path, steps, issuer)


def _medium(block: Any, part: Any, path: str, key: str) -> _Rows:
    data_path, data = _child(part, path, key)
    yield data_path, block.source
    yield _child(data, data_path, "mimeType")[0], Field(block.source, "media_type")
    if key == "fileData":
        name = "url" if block.source.type == "url" else "file_id"
        yield _child(data, data_path, "fileUri")[0], Field(block.source, name)
    yield _child(part, path, "mediaResolution")[0], Field(block, "detail")


def _output(blocks: Sequence[ContentBlock], path: str, data: Any, issuer: str) -> _Rows:
    if blocks[0].spelling in RESPONSE_TEXTS:
        yield f"{path}.response", blocks[0]
        blocks = blocks[1:]
    for i, (block, part) in enumerate(zip(blocks, data["parts"], strict=False)):
        yield from _block(block, part, f"{path}.parts[{i}]", issuer)


def _tools(tools: Sequence[Any], data: Any, issuer: str) -> _Rows:
    rows = iter(tools)
    for path, entry in _items(data, "$.tools"):
        for key, value in entry.items():
            if declares_functions(key, value):
                for item_path, declaration in _items(value, f"{path}.{key}"):
                    yield from _tool(next(rows), declaration, item_path, issuer)
            elif value is not None:
                yield from _tool(next(rows), value, path, issuer, key)


def _tool(tool: Any, data: Any, path: str, issuer: str, key: str = "") -> _Rows:
    yield path, tool
    extras = f"extras.{issuer}"
    if type(tool) is ServerTool:
        yield from _below(tool, {key: data}, path, extras)
        yield _child(data, f"{path}.{key}", "fileSearchStoreNames")[0], Field(tool, "stores")
        return
    fields = camel_keys(data)
    schema_key = next((name for name in TOOL_SCHEMAS if isinstance(fields.get(name), dict)), None)
    other = {name: value for name, value in data.items() if camel_key(name) != schema_key}
    yield from _below(tool, other, path, extras)
    if schema_key is not None:
        yield _child(data, path, schema_key)[0], Field(tool, "parameters")


_CONFIG = "generationConfig"
_LEVEL = (_CONFIG, "thinkingConfig", "thinkingLevel")
_BUDGET = (_CONFIG, "thinkingConfig", "thinkingBudget")
_OPTIONS = {name: (_CONFIG, key) for name, key in KEYS.items()} | {"service_tier": ("serviceTier",)}


def _request_fields(req: ChatRequest, body: JsonObject) -> _Rows:
    if "model" not in body:
        yield "$", Field(req, "model")  # it stands in the path
    for name, _ in req.options.given():
        by_level = name == "reasoning" and _child(body, "$", *_LEVEL)[1] is not None
        keys = _LEVEL if by_level else _OPTIONS.get(name, _BUDGET)
        yield _child(body, "$", *keys)[0], Field(req.options, name)
    if (form := req.response_format) is not None:
        yield _child(body, "$", _CONFIG)[0], form
        yield _child(body, "$", _CONFIG, "responseMimeType")[0], Field(form, "kind")
        for key in SCHEMAS:
            path, schema = _child(body, "$", _CONFIG, key)
            if isinstance(schema, dict):
                yield path, Field(form, "schema")
    if (choice := req.tool_choice) is not None:
        path, calling = _child(body, "$", "toolConfig", "functionCallingConfig")
        yield path, choice
        path, _ = _child(calling, path, "allowedFunctionNames")
        yield f"{path}[0]", Field(choice, "name")
        yield path, Field(choice, "allowed")
