"""Where the nodes of a request that was read stand in its body.

e.g. `$.input.messages[2].tool_calls[0].function.arguments`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...losses import Field
from ...message import (
    ChatRequest,
    Msg,
    RawBlock,
    ServerTool,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from ...message.blocks import ContentBlock, noted
from .request import PLACES


def places(req: ChatRequest, issuer: str) -> Iterator[tuple[str, object]]:
    """(path into the body, node, or one field of a node)."""
    notes = (req.extras or {}).get(noted(issuer), {})
    yield "$", req
    yield "$.parameters", req.options
    for name, _ in req.options.given():
        key = notes.get(name, PLACES.get(name, (name,))[0])
        if name == "reasoning":
            key = "reasoning_effort" if notes.get(name) else "enable_thinking"
        yield f"$.parameters.{'stop' if name == 'stop' else key}", Field(req.options, name)
    yield from _tools(req)
    if (choice := req.tool_choice) is not None:
        yield "$.parameters.tool_choice", choice
        yield "$.parameters.tool_choice.function.name", Field(choice, "name")
        yield "$.parameters.parallel_tool_calls", Field(choice, "parallel")
    if (form := req.response_format) is not None:
        yield "$.parameters.response_format", form
        for name in ("schema", "name", "description", "strict"):
            yield f"$.parameters.response_format.json_schema.{name}", Field(form, name)
    if notes.get("messages") == "prompt" and len(req.messages) == 1:
        yield "$.input.prompt", req.messages[0]
        yield "$.input.prompt", Field(req.messages[0], "content")
        return
    for i, m in enumerate(req.messages):
        yield from _message(m, f"$.input.messages[{i}]")


def _tools(req: ChatRequest) -> Iterator[tuple[str, object]]:
    count = 0
    for tool in req.tools:
        here = f"$.parameters.tools[{count}]"
        if type(tool) is ServerTool and tool.kind != "own":
            searches = tool.kind == "web_search"
            yield "$.parameters", tool
            switch = "enable_search" if searches else "enable_code_interpreter"
            yield f"$.parameters.{switch}", Field(tool, "kind")
            yield "$.parameters.search_options.assigned_site_list", Field(tool, "domains")
            continue
        count += 1
        yield here, tool
        for name in ("name", "description", "parameters", "strict"):
            yield f"{here}.function.{name}", Field(tool, name)
        yield f"{here}.cache_control", Field(tool, "cache")


def _message(m: Msg, here: str) -> Iterator[tuple[str, object]]:
    yield here, m
    yield f"{here}.cache_control", Field(m, "cache")
    content: Any = m.content
    if type(content) is str:
        return
    if m.role == "tool":
        result: ToolResultBlock = content[0]
        yield here, result
        yield f"{here}.tool_call_id", Field(result, "id")
        yield f"{here}.content", Field(result, "output")
        if isinstance(result.output, list):
            for i, block in enumerate(result.output):
                yield from _part(block, f"{here}.content[{i}]")
        return
    parts = calls = 0
    for block in content:
        if type(block) is ThinkingBlock:
            yield f"{here}.reasoning_content", block
            yield f"{here}.reasoning_content", Field(block, "thinking")
        elif type(block) is RawBlock and block.role == "message":
            yield here, block
        elif type(block) is ToolUseBlock or (type(block) is RawBlock and block.role == "call"):
            yield from _call(block, f"{here}.tool_calls[{calls}]")
            calls += 1
        elif m.spelling == "string":
            yield f"{here}.content", block
            yield f"{here}.content", Field(block, "text")
        else:
            yield from _part(block, f"{here}.content[{parts}]")
            parts += 1


def _call(block: ContentBlock, here: str) -> Iterator[tuple[str, object]]:
    yield here, block
    if type(block) is ToolUseBlock:
        yield f"{here}.function.name", Field(block, "name")
        yield f"{here}.function.arguments", Field(block, "input")


def _part(block: ContentBlock, here: str) -> Iterator[tuple[str, object]]:
    yield here, block
    if type(block) is TextBlock:
        yield f"{here}.text", Field(block, "text")
    elif (source := getattr(block, "source", None)) is not None:
        yield f"{here}.{block.type}", source
    if hasattr(block, "cache"):
        yield f"{here}.cache_control", Field(block, "cache")
