"""Where in the source body each node of a request stands that was read from it.

A walk over both, side by side. Fields of a node stand under its path by their own names; those that
this wire calls otherwise are told one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..._core.jsontext import JsonObject
from ...losses import Field
from ...message import (
    ChatRequest,
    Msg,
    RawBlock,
    ServerTool,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
)
from .messages import at_top
from .request import FORMATS

_OPTIONS = {"stop": "stop_sequences", "user": "metadata.user_id",
            "reasoning_budget": "thinking.budget_tokens"}  # fmt: skip


_TOOL = {"parameters": "input_schema", "cache": "cache_control"}


_SERVER_TOOL = {"kind": "type", "domains": "allowed_domains", "location": "user_location"}


_CHOICE = {"mode": "type", "parallel": "disable_parallel_tool_use"}


_RESULT = {"id": "tool_use_id", "output": "content"}


Place = tuple[str, object]


def places(req: ChatRequest, body: JsonObject) -> Iterator[Place]:
    """(path into the body, node or Field) of everything that was read."""
    yield "$", req
    yield "$.options", req.options
    yield from _options(req, body)
    for i, tool in enumerate(req.tools):
        path = f"$.tools[{i}]"
        yield path, tool
        yield from _fields(path, tool, _SERVER_TOOL if type(tool) is ServerTool else _TOOL)
    if req.tool_choice is not None:
        yield "$.tool_choice", req.tool_choice
        yield from _fields("$.tool_choice", req.tool_choice, _CHOICE)
    if req.response_format is not None:
        place = "output_format" if "output_format" in body else "output_config"
        if isinstance(body.get("output_config"), dict) and "format" in body["output_config"]:
            place = "output_config"
        yield FORMATS[place], req.response_format
        yield f"{FORMATS[place]}.schema", Field(req.response_format, "schema")
    at = 0
    for m in req.messages:
        path = "$.system" if at_top(m) else f"$.messages[{at}]"
        at += not at_top(m)
        yield path, m
        if not isinstance(m.content, str):
            yield from _blocks(m, path if at_top(m) else f"{path}.content")


def _options(req: ChatRequest, body: JsonObject) -> Iterator[Place]:
    for name, _ in req.options.given():
        place = _OPTIONS.get(name, name)
        if name == "reasoning":
            config = body.get("output_config")
            told = isinstance(config, dict) and config.get("effort") == req.options.reasoning
            place = "output_config.effort" if told else "thinking.type"
        yield f"$.{place}", Field(req.options, name)


def _fields(path: str, node: object, names: dict[str, str]) -> Iterator[Place]:
    for ours, theirs in names.items():
        yield f"{path}.{theirs}", Field(node, ours)


def _blocks(m: Msg, path: str) -> Iterator[Place]:
    content: Any = m.content
    if len(content) == 1 and type(content[0]) is RawBlock and content[0].role == "message":
        yield path.removesuffix(".content"), content[0]
        return
    yield from _parts(content, path)


def _parts(blocks: Sequence[Any], path: str) -> Iterator[Place]:
    for i, block in enumerate(blocks):
        here = f"{path}[{i}]"
        yield here, block
        if getattr(block, "cache", None) is not None:
            yield f"{here}.cache_control", Field(block, "cache")
        if type(block) is TextBlock:
            for j, cited in enumerate(block.citations or ()):
                yield f"{here}.citations[{j}]", cited
        elif type(block) is ThinkingBlock:
            yield f"{here}.data", Field(block, "redacted")
        elif type(block) is ToolResultBlock:
            yield from _fields(here, block, _RESULT)
            if isinstance(block.output, list):
                yield from _parts(block.output, f"{here}.content")
        elif type(block) is RawBlock:
            yield here, Field(block, "data")
        elif (source := getattr(block, "source", None)) is not None:
            yield f"{here}.source", source
            yield f"{here}.source", Field(block, "source")
