"""The paths of a conversation: where each node stands, for the losses that name it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .msg import Msg
from .request import ChatRequest

__all__ = ["places"]


def places(messages: Sequence[Msg], request: ChatRequest | None) -> Iterator[tuple[str, object]]:
    """(path, node) of every message, block and source, and of the request's tools."""
    if request is not None:
        yield "$", request
        yield "$.options", request.options
        for i, tool in enumerate(request.tools):
            yield f"$.tools[{i}]", tool
        if request.tool_choice is not None:
            yield "$.tool_choice", request.tool_choice
        if request.response_format is not None:
            yield "$.response_format", request.response_format
    for i, msg in enumerate(messages):
        yield f"$.messages[{i}]", msg
        if not isinstance(msg.content, str):
            yield from _blocks(msg.content, f"$.messages[{i}].content")


def _blocks(blocks: Sequence[Any], path: str) -> Iterator[tuple[str, object]]:
    for i, block in enumerate(blocks):
        here = f"{path}[{i}]"
        yield here, block
        if (source := getattr(block, "source", None)) is not None:
            yield f"{here}.source", source
        output = getattr(block, "output", None)
        if isinstance(output, list):
            yield from _blocks(output, f"{here}.output")
