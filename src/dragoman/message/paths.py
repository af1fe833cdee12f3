"""The paths of the nodes of a conversation, for the losses that name them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ..losses import Field, InBody
from .answer import ChatResponse
from .msg import Msg
from .request import ChatRequest
from .tools import Tool


def places(messages: Sequence[Msg], request: ChatRequest | None) -> Iterator[tuple[str, object]]:
    """Yield the path of every node of a conversation.

    Nodes of a request that was read from a body have their paths in that body.

    Args:
        messages: The messages.
        request: The request that they belong to, None if there is none.

    Yields:
        (path, node) of every message, block and source, and of the request's tools.
    """
    seen: set[int] = set()
    read = None if request is None else request.read
    if read is not None and read.places is not None:
        for path, node in in_body(read.places(), request):
            if type(node) is InBody:
                seen.add(id(node.node))
            yield path, node
    for path, node in _neutral(messages, request):
        if id(node) not in seen:
            yield path, node


def in_body(rows: Iterable[tuple[str, object]], request: object) -> Iterator[tuple[str, object]]:
    """Yield the places of a body that was read, as those of the request itself.

    Args:
        rows: (path, node or Field) of everything in the body.
        request: The request that was read from it, or what was made of that.
    """
    yield "$", InBody(request)
    for path, node in rows:
        if type(node) is not Field:  # it exists for this row only
            yield path, InBody(node)
        elif isinstance(node.node, ChatRequest):  # the request as it was read
            yield path, Field(request, node.name)
        else:
            yield path, node


def _neutral(messages: Sequence[Msg], request: ChatRequest | None) -> Iterator[tuple[str, object]]:
    if request is not None:
        yield "$", request
        yield "$.options", request.options
        for i, tool in enumerate(request.tools):
            yield f"$.tools[{i}]", tool
            if type(tool) is Tool and tool.namespace is not None:
                yield f"$.tools[{i}].namespace", tool.namespace
        if request.tool_choice is not None:
            yield "$.tool_choice", request.tool_choice
        if request.response_format is not None:
            yield "$.response_format", request.response_format
    for i, msg in enumerate(messages):
        yield f"$.messages[{i}]", msg
        if not isinstance(msg.content, str):
            yield from _blocks(msg.content, f"$.messages[{i}].content")


def also(
    places: Callable[[], Iterator[tuple[str, object]]], pairs: Sequence[tuple[object, object]]
) -> Iterator[tuple[str, object]]:
    """Yield the places, and for each pair (node, built node) the built node at the node's path."""
    made_of: dict[int, list[object]] = {}
    for node, source in pairs:
        made_of.setdefault(id(source), []).append(node)
    for path, node in places():
        yield path, node
        waiting = [*made_of.get(id(node), ())]
        for copy in waiting:
            yield path, copy
            waiting += made_of.get(id(copy), ())


def answer_places(_: Sequence[Msg], resp: ChatResponse) -> Iterator[tuple[str, object]]:
    """Yield the path of every node of an answer.

    Args:
        _: Not used; the parameter makes the shape that of `places`.
        resp: The answer.

    Yields:
        (path, node) of the answer, its usage, and each candidate's message, blocks and citations.
    """
    yield "$", resp
    yield "$.usage", resp.usage
    for i, candidate in enumerate(resp.candidates):
        path = f"$.candidates[{i}]"
        yield path, candidate
        yield f"{path}.finish", candidate.finish
        yield f"{path}.msg", candidate.msg
        if not isinstance(candidate.msg.content, str):
            yield from _blocks(candidate.msg.content, f"{path}.msg.content")
            yield from _citations(candidate.msg.content, f"{path}.msg.content")


def _citations(blocks: Sequence[Any], path: str) -> Iterator[tuple[str, object]]:
    for i, block in enumerate(blocks):
        for j, citation in enumerate(getattr(block, "citations", None) or ()):
            yield f"{path}[{i}].citations[{j}]", citation


def _blocks(blocks: Sequence[Any], path: str) -> Iterator[tuple[str, object]]:
    for i, block in enumerate(blocks):
        block_path = f"{path}[{i}]"
        yield block_path, block
        if (source := getattr(block, "source", None)) is not None:
            yield f"{block_path}.source", source
        output = getattr(block, "output", None)
        if isinstance(output, list):
            yield from _blocks(output, f"{block_path}.output")
