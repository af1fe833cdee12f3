"""Where the nodes of a request that was read stand in its body: for losses that name them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from ...losses import Field
from ...message import (
    ChatRequest,
    ImageBlock,
    Msg,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    Tool,
    ToolResultBlock,
    ToolUseBlock,
)
from ...message.blocks import noted
from .blocks import DOCUMENT, PLAN, TEXT
from .request import OPTIONS

_Rows: TypeAlias = Iterator[tuple[str, object]]


def places(req: ChatRequest, issuer: str) -> _Rows:
    """(path into the body that was read, node) of everything that was made of it."""
    yield "$", req
    notes = (req.extras or {}).get(noted(issuer), {})
    for i, m in enumerate(req.messages):
        yield from _message(m, f"$.messages[{i}]", issuer)
    for i, tool in enumerate(req.tools):
        here = f"$.tools[{i}]"
        yield here, tool
        if isinstance(tool, Tool):
            for name in ("name", "description", "parameters"):
                yield f"{here}.function.{name}", Field(tool, name)
            yield "$.strict_tools", Field(tool, "strict")
    for name, _ in req.options.given():
        inner = "token_budget" if name == "reasoning_budget" else "type"
        yield f"$.{OPTIONS.get(name) or f'thinking.{inner}'}", Field(req.options, name)
    if req.tool_choice is not None:
        yield "$.tool_choice", req.tool_choice
    if (form := req.response_format) is not None:
        yield "$.response_format", form
        yield f"$.response_format.{notes.get('format') or 'json_schema'}", Field(form, "schema")


def _message(m: Msg, here: str, issuer: str) -> _Rows:
    yield here, m
    content = m.content
    if isinstance(content, str):
        return
    first: Any = content[0] if content else None
    if type(first) is ToolResultBlock:
        yield here, first
        yield f"{here}.tool_call_id", Field(first, "id")
        yield f"{here}.content", Field(first, "output")
        if isinstance(first.output, list):
            for i, block in enumerate(first.output):
                yield from _part(block, f"{here}.content[{i}]", here, issuer)
        return
    if type(first) is RawBlock and first.role == "message":
        yield here, first
        return
    parts: Sequence[Any] = [block for block in content if not _called(block)]
    for i, block in enumerate(parts):
        yield from _part(block, f"{here}.content[{i}]", here, issuer)
    for i, call in enumerate([block for block in content if _called(block)]):
        yield f"{here}.tool_calls[{i}]", call
        if type(call) is ToolUseBlock:
            yield f"{here}.tool_calls[{i}].function.name", Field(call, "name")
            yield f"{here}.tool_calls[{i}].function.arguments", Field(call, "input")


def _called(block: object) -> bool:
    return type(block) is ToolUseBlock or (type(block) is RawBlock and block.role == "call")


def _part(block: Any, there: str, message: str, issuer: str) -> _Rows:
    """An item of a content, or what stands beside the items; citations stand at the message."""
    alone = {PLAN: "tool_plan", TEXT: "content"}
    if type(block) is TextBlock and block.spelling in alone:
        there = f"{message}.{alone[block.spelling]}"
        yield there, Field(block, "text")
    yield there, block
    if type(block) is TextBlock and block.spelling == DOCUMENT:
        yield f"{there}.document.data", Field(block, "text")
    if type(block) is TextBlock or type(block) is ThinkingBlock:
        yield f"{message}.citations", Field(block, "citations")
        yield f"{message}.citations", Field(block, f"extras.{issuer}.citations")
    if type(block) is ImageBlock:
        yield there, Field(block, "source")  # without which nothing of it is said
        yield f"{there}.image_url", block.source
        yield f"{there}.image_url.detail", Field(block, "detail")
