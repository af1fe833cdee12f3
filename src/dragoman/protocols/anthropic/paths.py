"""Where in the body each node of a request stands that was read from it.

A walk over both, side by side. Fields of a node stand under its path by their own names; the tables
name those that this wire calls otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ..._core.jsontext import JsonObject
from ...losses import Field
from ...message import (
    ChatRequest,
    RawBlock,
    ServerTool,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
)
from ..request_fields import field_at
from .messages import at_top

_OPTIONS = {"stop": "stop_sequences", "user": "metadata.user_id",
            "reasoning_budget": "thinking.budget_tokens"}  # fmt: skip


_TOOL = {"parameters": "input_schema", "cache": "cache_control"}


_SERVER_TOOL = {"kind": "type", "domains": "allowed_domains", "location": "user_location"}


_CHOICE = {"mode": "type", "parallel": "disable_parallel_tool_use"}


_RESULT = {"id": "tool_use_id", "output": "content"}


_Place: TypeAlias = tuple[str, object]


def places(req: ChatRequest, body: JsonObject) -> Iterator[_Place]:
    """(path into the body, node or Field) of everything that was read."""
    yield "$", req
    yield "$.options", req.options
    for name, value in req.options.given():
        key = _OPTIONS.get(name, name)
        if name == "reasoning":
            is_effort = field_at(body, "output_config.effort") == value
            key = "output_config.effort" if is_effort else "thinking.type"
        yield f"$.{key}", Field(req.options, name)
    for i, tool in enumerate(req.tools):
        yield f"$.tools[{i}]", tool
        yield from _fields(
            f"$.tools[{i}]", tool, _SERVER_TOOL if type(tool) is ServerTool else _TOOL
        )
    if req.tool_choice is not None:
        yield "$.tool_choice", req.tool_choice
        yield from _fields("$.tool_choice", req.tool_choice, _CHOICE)
    if req.response_format is not None:
        is_older = "output_format" in body and field_at(body, "output_config.format") is None
        path = "$.output_format" if is_older else "$.output_config.format"
        yield path, req.response_format
        yield f"{path}.schema", Field(req.response_format, "schema")
    index = 0
    for m in req.messages:
        if at_top(m):
            path = content_path = "$.system"
        else:
            path, content_path = f"$.messages[{index}]", f"$.messages[{index}].content"
            index += 1
        yield path, m
        blocks: Any = m.content
        if len(blocks) == 1 and type(blocks[0]) is RawBlock and blocks[0].role == "message":
            yield path, blocks[0]
        elif not isinstance(blocks, str):
            yield from _blocks(blocks, content_path)


def _fields(path: str, node: object, keys: Mapping[str, str]) -> Iterator[_Place]:
    for name, key in keys.items():
        yield f"{path}.{key}", Field(node, name)


def _blocks(blocks: Sequence[Any], above: str) -> Iterator[_Place]:
    for i, block in enumerate(blocks):
        path = f"{above}[{i}]"
        yield path, block
        if getattr(block, "cache", None) is not None:
            yield f"{path}.cache_control", Field(block, "cache")
        if type(block) is TextBlock:
            for j, citation in enumerate(block.citations or ()):
                yield f"{path}.citations[{j}]", citation
        elif type(block) is ThinkingBlock:
            yield f"{path}.data", Field(block, "redacted")
        elif type(block) is ToolResultBlock:
            yield from _fields(path, block, _RESULT)
            if isinstance(block.output, list):
                yield from _blocks(block.output, f"{path}.content")
        elif type(block) is RawBlock:
            yield path, Field(block, "data")
        elif (source := getattr(block, "source", None)) is not None:
            yield f"{path}.source", source
            yield f"{path}.source", Field(block, "source")
