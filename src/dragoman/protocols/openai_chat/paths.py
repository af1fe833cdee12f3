"""Where in a body each node of the request stands that was read from it: for losses that name it.

A walk over both side by side, in the order in which the readers made the nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from ..._core.jsontext import JsonObject
from ...losses import Field
from ...message import (
    ChatRequest,
    DocumentBlock,
    Msg,
    RawBlock,
    RefusalBlock,
    ServerTool,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from ...message.blocks import ContentBlock, noted
from .blocks import FIELDS, LEGACY, MARKS, PART
from .request import Spots, option_places

_Found: TypeAlias = Iterator[tuple[str, object]]


def places(req: ChatRequest, body: JsonObject, issuer: str, spots: Spots) -> _Found:
    """(path in the body, node) of everything that `read_request` made of it."""
    notes = (req.extras or {}).get(noted(issuer), {})
    yield "$", req
    yield "$", req.options
    for name, place in option_places(req.options, notes, spots):
        yield f"$.{place}", Field(req.options, name)
    yield from _tools(req, notes, issuer)
    yield from _choice(req, notes)
    form = req.response_format
    if form is not None:
        yield "$.response_format", form
        for name in ("schema", "name", "description", "strict"):
            yield f"$.response_format.json_schema.{name}", Field(form, name)
    told = body.get("messages")
    for i, m in enumerate(req.messages[: len(told) if isinstance(told, list) else 0]):
        yield from _message(m, f"$.messages[{i}]")


def _tools(req: ChatRequest, notes: JsonObject, issuer: str) -> _Found:
    legacy = notes.get("tools") == "functions"
    for i, tool in enumerate(req.tools):
        if type(tool) is ServerTool and (tool.extras or {}).get(noted(issuer)):
            yield "$", tool  # switches of the body
            continue
        here = f"$.functions[{i}]" if legacy else f"$.tools[{i}]"
        yield here, tool
        if type(tool) is not ServerTool:
            inner = here if legacy else f"{here}.function"
            for name in ("name", "description", "parameters", "strict"):
                yield f"{inner}.{name}", Field(tool, name)
            yield from _mark(tool, here, (tool.extras or {}).get(noted(issuer), {}).get("cache"))


def _choice(req: ChatRequest, notes: JsonObject) -> _Found:
    choice = req.tool_choice
    if choice is None:
        return
    note = notes.get("tool_choice")
    here = "$.function_call" if note == LEGACY else "$.tool_choice"
    yield "$.parallel_tool_calls" if note == "unsaid" else here, choice
    yield here, Field(choice, "mode")
    yield f"{here}.name" if note == LEGACY else f"{here}.function.name", Field(choice, "name")
    yield f"{here}.allowed_tools.tools", Field(choice, "allowed")
    yield "$.parallel_tool_calls", Field(choice, "parallel")


def _message(m: Msg, here: str) -> _Found:
    yield here, m
    yield from _mark(m, here, (m.spelling or "").partition(" ")[2])
    if isinstance(m.content, str):
        return
    word = (m.spelling or "").partition(" ")[0]
    counts = {"tool_calls": 0, "reasoning_details": 0, "content": 0}
    for block in m.content:
        if type(block) is ToolResultBlock and not _among(block):
            yield from _result(block, here, "tool_call_id")
            continue
        field = _field(block)
        listed = field in counts and not (field == "content" and word == "string")
        if type(block) is RawBlock and block.role == "message":
            where = here
        elif listed:
            where = f"{here}.{field}[{counts[field]}]"
            counts[field] += 1
        else:
            where = f"{here}.{field}"
        yield from _block(block, where, listed)


def _field(block: ContentBlock) -> str:
    """The field of the message that the block stands in."""
    spelling = block.spelling or ""
    if type(block) is ToolUseBlock and not _among(block):
        return LEGACY if spelling == LEGACY else "tool_calls"
    if type(block) is RawBlock and spelling == "call":
        return "tool_calls"
    if type(block) is ThinkingBlock:
        return "reasoning_details" if spelling.startswith("detail") else spelling
    return "refusal" if type(block) is RefusalBlock and spelling == "field" else "content"


def _among(block: ContentBlock) -> bool:
    """Whether a call or a result is one of the parts of a content."""
    return (block.spelling or "").partition(" ")[0] == PART


def _block(block: ContentBlock, here: str, listed: bool) -> _Found:
    if type(block) is ToolResultBlock:
        yield from _result(block, here, "tool_use_id")
        return
    yield here, block
    if type(block) is ToolUseBlock and _among(block):
        yield f"{here}.input", Field(block, "raw_input")
    elif type(block) is ToolUseBlock:
        inner = here if block.spelling == LEGACY else f"{here}.function"
        yield f"{inner}.name", Field(block, "name")
        yield f"{inner}.arguments", Field(block, "input")
        yield f"{inner}.arguments", Field(block, "raw_input")
    elif type(block) is ThinkingBlock:
        yield _thought(block, here, listed)
    elif type(block) is RefusalBlock:
        yield f"{here}.refusal" if listed else here, Field(block, "text")
    elif not listed and hasattr(block, "text"):
        yield here, Field(block, "text")
    elif (source := getattr(block, "source", None)) is not None:
        yield from _medium(block, source, here)
    words = (block.spelling or "").split()
    yield from _mark(block, here, next((word for word in words if word in MARKS), None))


def _thought(block: ThinkingBlock, here: str, listed: bool) -> tuple[str, object]:
    _, field, *aside = f"{block.spelling}  ".split(" ")
    if not listed:
        return here, Field(block, "thinking")
    if aside := [word for word in (field, *aside) if word in FIELDS]:
        return f"{here.partition('.reasoning_details')[0]}.{aside[0]}", Field(block, "thinking")
    said = "redacted" if field == "data" else "thinking"
    return f"{here}.{field or 'text'}", Field(block, said)


def _medium(block: Any, source: Any, here: str) -> _Found:
    if type(block) is DocumentBlock:
        file = f"{here}.file"
        yield f"{file}.file_id" if hasattr(source, "file_id") else f"{file}.file_data", source
        yield f"{file}.filename", Field(block, "title")
        return
    kind = "input_audio" if (block.spelling or "").startswith("bytes") else f"{block.type}_url"
    yield f"{here}.{kind}.data" if kind == "input_audio" else f"{here}.{kind}.url", source
    yield f"{here}.{kind}.detail", Field(block, "detail")


def _result(block: ToolResultBlock, here: str, id: str) -> _Found:
    yield here, block
    yield f"{here}.{id}", Field(block, "id")
    yield f"{here}.content", Field(block, "output")
    if isinstance(block.output, list):
        for i, inner in enumerate(block.output):
            yield from _block(inner, f"{here}.content[{i}]", True)


def _mark(node: Any, here: str, key: str | None) -> _Found:
    if key and node.cache is not None:
        yield f"{here}.{key}", Field(node, "cache")
