"""Where the nodes of a request that was read stand in its body: for losses that name them.

Every message, chunk and call has one place, which its number tells; the fields of a node that stand
under another name or deeper have a row of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from ...losses import Field
from ...message import (
    ChatRequest,
    DocumentBlock,
    Msg,
    RawBlock,
    TextBlock,
    Tool,
    ToolResultBlock,
    ToolUseBlock,
)
from ...message.blocks import noted
from .blocks import CHUNK
from .request import OPTIONS

_Rows: TypeAlias = Iterator[tuple[str, object]]


def places(req: ChatRequest, issuer: str) -> _Rows:
    """(path into the body that was read, node) of everything that was made of it."""
    yield "$", req
    notes = (req.extras or {}).get(noted(issuer), {})
    for i, m in enumerate(req.messages):
        yield from _message(m, f"$.messages[{i}]")
    for i, tool in enumerate(req.tools):
        here = f"$.tools[{i}]"
        yield here, tool
        if isinstance(tool, Tool):
            for name in ("name", "description", "parameters", "strict"):
                yield f"{here}.function.{name}", Field(tool, name)
    for name, _ in req.options.given():
        key = OPTIONS.get(name) or notes.get(name) or "reasoning_effort"
        yield f"$.{key}", Field(req.options, name)
    if (choice := req.tool_choice) is not None:
        unsaid = notes.get("tool_choice") == "unsaid"
        yield "$.parallel_tool_calls" if unsaid else "$.tool_choice", choice
        yield "$.tool_choice.function.name", Field(choice, "name")
        yield "$.parallel_tool_calls", Field(choice, "parallel")
    if (form := req.response_format) is not None:
        yield "$.response_format", form
        for name in ("schema", "name", "description", "strict") if form.kind == "schema" else ():
            yield f"$.response_format.json_schema.{name}", Field(form, name)


def _message(m: Msg, here: str) -> _Rows:
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
            yield from _chunks(first.output, f"{here}.content")
        return
    if type(first) is RawBlock and first.role == "message":
        yield here, first
        return
    calls = [b for b in content if isinstance(b, ToolUseBlock) or _called(b)]
    chunks = content[: len(content) - len(calls)]
    if chunks and type(chunks[0]) is TextBlock and chunks[0].spelling != CHUNK:
        yield f"{here}.content", chunks[0]
        yield f"{here}.content", Field(chunks[0], "text")
    else:
        yield from _chunks(chunks, f"{here}.content")
    for i, call in enumerate(calls):
        yield f"{here}.tool_calls[{i}]", call
        if type(call) is ToolUseBlock:
            yield f"{here}.tool_calls[{i}].function.name", Field(call, "name")
            yield f"{here}.tool_calls[{i}].function.arguments", Field(call, "input")


def _called(block: object) -> bool:
    return type(block) is RawBlock and block.role == "call"


def _chunks(blocks: Sequence[Any], path: str) -> _Rows:
    for i, block in enumerate(blocks):
        here = f"{path}[{i}]"
        yield here, block
        if (source := getattr(block, "source", None)) is None:
            continue
        kind = {"image": "image_url", "audio": "input_audio"}.get(block.type, "document_url")
        inner = f"{here}.{'file_id' if source.type == 'file' else kind}"
        yield here, Field(block, "source")  # without which nothing of it is said
        yield inner, source
        if type(block) is DocumentBlock:
            yield f"{here}.document_name", Field(block, "title")
        elif block.detail is not None:
            yield f"{inner}.detail", Field(block, "detail")
