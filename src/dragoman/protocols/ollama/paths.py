"""Where the nodes of a request that was read stand in its body.

e.g. `$.messages[2].tool_calls[0].function.arguments`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...losses import Field
from ...message import (
    ChatRequest,
    Msg,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from .request import BESIDE, OPTIONS


def places(req: ChatRequest) -> Iterator[tuple[str, object]]:
    """(path into the body, node, or one field of a node)."""
    yield "$", req
    yield "$.options", req.options
    for name, _ in req.options.given():
        key = f"options.{OPTIONS[name]}" if name in OPTIONS else BESIDE.get(name, "think")
        yield f"$.{key}", Field(req.options, name)
    for i, tool in enumerate(req.tools):
        here = f"$.tools[{i}]"
        yield here, tool
        for name in ("name", "description", "parameters", "strict"):
            yield f"{here}.function.{name}", Field(tool, name)
    if req.response_format is not None:
        yield "$.format", req.response_format
        yield "$.format", Field(req.response_format, "schema")
    for i, m in enumerate(req.messages):
        yield from _message(m, f"$.messages[{i}]")


def _message(m: Msg, here: str) -> Iterator[tuple[str, object]]:
    yield here, m
    content: Any = m.content
    if type(content) is str:
        return
    if m.role == "tool":
        result: ToolResultBlock = content[0]
        yield here, result
        named = "name" if "name" in (result.spelling or "").split() else "tool_name"
        yield f"{here}.{named}", Field(result, "name")
        yield f"{here}.tool_call_id", Field(result, "id")
        yield f"{here}.content", Field(result, "output")
        content = result.output if isinstance(result.output, list) else []
    yield from _blocks(content, here)


def _blocks(content: list[Any], here: str) -> Iterator[tuple[str, object]]:
    images = calls = 0
    for block in content:
        if type(block) is TextBlock:
            yield f"{here}.content", block
            yield f"{here}.content", Field(block, "text")
        elif type(block) is ThinkingBlock:
            yield f"{here}.thinking", block
            yield f"{here}.thinking", Field(block, "thinking")
        elif type(block) is RawBlock and block.role == "message":
            yield here, block
        elif type(block) is ToolUseBlock or type(block) is RawBlock:
            call = f"{here}.tool_calls[{calls}]"
            calls += 1
            yield call, block
            if type(block) is ToolUseBlock:
                yield f"{call}.function.name", Field(block, "name")
                yield f"{call}.function.arguments", Field(block, "input")
        else:
            yield f"{here}.images[{images}]", block
            yield f"{here}.images[{images}]", block.source
            images += 1
