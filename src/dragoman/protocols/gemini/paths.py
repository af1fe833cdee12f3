"""Where each node of a read request stands in the body that it was read from.

A walk over both, side by side. Knows no loss; yields only what no path of a node tells by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from ..._core.jsontext import Json, JsonObject
from ...losses import Field
from ...message import ChatRequest, Msg, ServerTool, ToolResultBlock, ToolUseBlock
from ...message.blocks import MEDIA_KINDS, ContentBlock, noted
from .blocks import SHOWN
from .dialect import NULL, Dialect, camel, cased
from .request import KEYS
from .tools import SCHEMAS

_Places: TypeAlias = Iterator[tuple[str, object]]


_SNAKE = Dialect(case="snake")


def places(req: ChatRequest, body: JsonObject, issuer: str) -> _Places:
    """(path, node or Field) for all that `read_request` made of the body."""
    msgs = list(req.messages)
    if msgs and (msgs[0].spelling or "").partition(" ")[0] == "top":
        path, told = _in(body, "$", "systemInstruction")
        yield from _message(msgs.pop(0), told, path, issuer)
    contents = body.get("contents")
    lone = not isinstance(contents, list)
    listed: Any = [contents] if lone else contents
    for i, (m, told) in enumerate(zip(msgs, listed, strict=False)):
        yield from _message(m, told, "$.contents" if lone else f"$.contents[{i}]", issuer)
    yield from _tools(req.tools, body.get("tools"), issuer)
    yield from _fields(req, body)
    for word in (req.extras or {}).get(noted(issuer), {}).get("keys", ()):
        yield from _spelled(req, body, "$", word.split("."), issuer)


def _in(told: Any, path: str, key: str) -> tuple[str, Any]:
    """(path, value) of a key in either case."""
    if isinstance(told, dict):
        if key not in told and (name := next(iter(cased({key: 0}, _SNAKE)))) in told:
            key = name
        return f"{path}.{key}", told.get(key)
    return path, None


def _spelled(node: Any, told: Any, path: str, word: list[str], issuer: str) -> _Places:
    """The extras of an object whose key is in snake_case, and of all that stands below it."""
    *outer, key = word
    field = f"extras.{issuer}"
    for step in outer:
        path, told = _in(told, path, step)
        field = f"{field}.{step}"
    if key.endswith(NULL) or not isinstance(told, dict):
        return
    path, field = f"{path}.{key}", f"{field}.{next(iter(camel({key: 0})))}"
    yield path, Field(node, field)
    yield from _below(node, told.get(key), path, field)


def _below(node: Any, told: Json, path: str, field: str) -> _Places:
    for key, value in told.items() if isinstance(told, dict) else ():
        # as far down as keys are read they are in camelCase, and below that as they came
        for name in dict.fromkeys((key, next(iter(camel({key: 0}))))):
            yield f"{path}.{key}", Field(node, f"{field}.{name}")
            if isinstance(value, dict):
                yield from _below(node, value, f"{path}.{key}", f"{field}.{name}")


def _message(m: Msg, told: Any, path: str, issuer: str) -> _Places:
    yield path, m
    parts = told
    if isinstance(told, dict) and "parts" in told:
        path, parts = f"{path}.parts", told["parts"]
    at = [path] if not isinstance(parts, list) else [f"{path}[{i}]" for i in range(len(parts))]
    if isinstance(m.content, str):
        only = parts[0] if isinstance(parts, list) else parts
        yield f"{at[0]}.text" if isinstance(only, dict) else at[0], Field(m, "content")
        return
    listed = parts if isinstance(parts, list) else [parts]
    for block, part, where in zip(m.content, listed, at, strict=False):
        yield from _block(block, part, where, issuer)


def _block(block: ContentBlock, part: Any, path: str, issuer: str) -> _Places:
    yield path, block
    inner: Any = None
    if block.type == "thinking":
        yield f"{path}.text", Field(block, "thinking")
    elif type(block) is ToolUseBlock:
        inner = "functionCall"
        where, _ = _in(part, path, inner)
        for name, key in (("id", "id"), ("name", "name"), ("input", "args"), ("raw_input", "args")):
            yield f"{where}.{key}", Field(block, name)
    elif type(block) is ToolResultBlock:
        inner = "functionResponse"
        yield from _result(block, *_in(part, path, inner), issuer)
    elif block.type in MEDIA_KINDS:
        inner = "inlineData" if block.source.type == "base64" else "fileData"  # type: ignore[union-attr]  # a medium
        yield from _medium(block, part, path, inner)
    for word in (block.spelling or "").split():
        if "_" in word:
            steps = [inner, word[1:]] if word[0] == "." else [word]
            yield from _spelled(block, part, path, steps, issuer)


def _medium(block: Any, part: Any, path: str, inner: str) -> _Places:
    where, blob = _in(part, path, inner)
    yield where, block.source
    yield _in(blob, where, "mimeType")[0], Field(block.source, "media_type")
    if inner == "fileData":
        name = "url" if block.source.type == "url" else "file_id"
        yield _in(blob, where, "fileUri")[0], Field(block.source, name)
    yield _in(part, path, "mediaResolution")[0], Field(block, "detail")


def _result(block: ToolResultBlock, path: str, told: Any, issuer: str) -> _Places:
    for name, key in (("id", "id"), ("name", "name"), ("output", "response"),
                      ("is_error", "response")):  # fmt: skip
        yield f"{path}.{key}", Field(block, name)
    output = block.output
    if not isinstance(output, list):
        return
    if output[0].spelling in SHOWN:
        yield f"{path}.response", output[0]
        output = output[1:]
    for i, (inner, part) in enumerate(zip(output, told["parts"], strict=False)):
        yield from _block(inner, part, f"{path}.parts[{i}]", issuer)


def _tools(tools: Sequence[Any], told: Any, issuer: str) -> _Places:
    left = iter(tools)
    if not tools:
        return
    for i, entry in enumerate([told] if isinstance(told, dict) else told):
        at = "$.tools" if isinstance(told, dict) else f"$.tools[{i}]"
        for key, value in entry.items():
            if value is None:
                continue
            if camel({key: 0}).keys() == {"functionDeclarations"} and isinstance(
                value, dict | list
            ):
                for j, one in enumerate([value] if isinstance(value, dict) else value):
                    place = f"{at}.{key}" if isinstance(value, dict) else f"{at}.{key}[{j}]"
                    yield from _tool(next(left), one, place, issuer)
            else:
                yield from _tool(next(left), value, at, issuer, key)


def _tool(tool: Any, told: Any, path: str, issuer: str, key: str = "") -> _Places:
    yield path, tool
    own = f"extras.{issuer}"
    if type(tool) is ServerTool:
        yield from _below(tool, {key: told}, path, own)
        yield _in(told, f"{path}.{key}", "fileSearchStoreNames")[0], Field(tool, "stores")
        return
    known = camel(told)
    place = next((one for one in SCHEMAS if isinstance(known.get(one), dict)), None)
    beside = {key: value for key, value in told.items() if next(iter(camel({key: 0}))) != place}
    yield from _below(tool, beside, path, own)
    if place is not None:
        yield _in(told, path, place)[0], Field(tool, "parameters")


def _fields(req: ChatRequest, body: JsonObject) -> _Places:
    if "model" not in body:
        yield "$", Field(req, "model")  # it stands in the path
    where, config = _in(body, "$", "generationConfig")
    for name, _ in req.options.given():
        if name == "service_tier":
            yield _in(body, "$", "serviceTier")[0], Field(req.options, name)
        elif name in KEYS:
            yield _in(config, where, KEYS[name])[0], Field(req.options, name)
        else:
            at, thinking = _in(config, where, "thinkingConfig")
            level = name == "reasoning" and _in(thinking, at, "thinkingLevel")[1] is not None
            key = "thinkingLevel" if level else "thinkingBudget"
            yield _in(thinking, at, key)[0], Field(req.options, name)
    if req.response_format is not None:
        yield where, req.response_format
        yield _in(config, where, "responseMimeType")[0], Field(req.response_format, "kind")
        keys = ("responseJsonSchema", "responseSchema", "_responseJsonSchema")
        found = [_in(config, where, key) for key in keys]
        for at, schema in found:
            if isinstance(schema, dict):
                yield at, Field(req.response_format, "schema")
    if req.tool_choice is not None:
        at, calling = _in(_in(body, "$", "toolConfig")[1], _in(body, "$", "toolConfig")[0],
                          "functionCallingConfig")  # fmt: skip
        yield at, req.tool_choice
        at = _in(calling, at, "allowedFunctionNames")[0]
        yield f"{at}[0]", Field(req.tool_choice, "name")
        yield at, Field(req.tool_choice, "allowed")
