"""Where in a body the nodes stand that its reader made: a walk over both, side by side.

Paths are those of the body: `$.input[3].content[0]`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from ..._core.jsontext import JsonObject
from ...losses import Field
from ...message import ChatRequest, Msg, RawBlock, ServerTool, TextBlock, ThinkingBlock
from ...message.blocks import MEDIA_KINDS, ContentBlock, answered
from .blocks import ITEM, PART, grouped, words
from .request import PLACES, TOP

Row: TypeAlias = tuple[str, object]


_CALL = {"id": "call_id", "input": "arguments", "raw_input": "arguments"}


_SEARCH = {"domains": "filters.allowed_domains", "blocked_domains": "filters",
           "location": "user_location", "stores": "vector_store_ids"}  # fmt: skip


def places(req: ChatRequest, body: JsonObject, issuer: str) -> Iterator[Row]:
    """(path, node or field) of everything that the reader made of the body."""
    yield "$", req
    listed = isinstance(body.get("input"), list)
    at = 0
    for m in req.messages:
        if m.spelling == TOP:
            yield "$.instructions", m
            yield "$.instructions", Field(m, "content")
        elif not listed:
            yield "$.input", m
            yield "$.input", Field(m, "content")
        else:
            groups = _groups(m, issuer)
            yield f"$.input[{at}]", m
            for nth, blocks in enumerate(groups):
                yield from _item(f"$.input[{at + nth}]", m, blocks, issuer)
            at += max(len(groups), 1)
    yield from _fields(req, body)


def _groups(m: Msg, issuer: str) -> Sequence[Sequence[ContentBlock]]:
    """The blocks of each item that the message was made of."""
    content: Any = m.content
    if type(content) is str:
        return [[]]
    if m.role == "tool":
        return [[block] for block in content]
    return grouped(content, issuer) if m.role == "assistant" else [content]


def _item(path: str, m: Msg, blocks: Sequence[ContentBlock], issuer: str) -> Iterator[Row]:
    first: Any = blocks[0] if blocks else None
    if first is None or (type(first) is RawBlock and first.spelling != PART):
        for block in blocks:
            yield path, block
        return
    if first.type == "tool_use":
        yield path, first
        for name, key in _CALL.items():
            yield f"{path}.{key}", Field(first, name)
    elif first.type == "tool_result":
        yield path, first
        yield f"{path}.call_id", Field(first, "id")
        for nth, inner in enumerate(first.output if isinstance(first.output, list) else ()):
            yield from _part(f"{path}.output[{nth}]", inner)
    elif type(first) is ThinkingBlock:
        yield path, first
        yield f"{path}.summary", Field(first, "thinking")
        yield f"{path}.encrypted_content", Field(first, "redacted")
    elif m.role == "assistant":
        yield from _said(path, blocks, issuer)
    else:
        for nth, block in enumerate(blocks):
            yield from _part(f"{path}.content[{nth}]", block)


def _said(path: str, blocks: Sequence[ContentBlock], issuer: str) -> Iterator[Row]:
    """The parts of a message of the model's, of which some may be unknown.

    A message of one part is nothing without it, so the part stands for the item.
    """
    first = blocks[0]
    extras = first.extras or {}
    item = extras.get(answered(issuer), {}).get("item", {})
    for name in ITEM:
        if name in extras.get(issuer, {}):
            yield f"{path}.{name}", Field(first, f"extras.{issuer}.{name}")
    for name in item:
        yield f"{path}.{name}", Field(first, f"extras.{answered(issuer)}.item.{name}")
    strange = {int(at) for at in item.get("content", ())}
    free = (at for at in range(len(blocks) + len(strange)) if at not in strange)
    for at, block in zip(free, blocks, strict=True):
        inner = f"{path}.content" if "string" in words(first) else f"{path}.content[{at}]"
        alone = len(blocks) + len(strange) == 1
        yield path if alone else inner, block
        yield from _text(inner, block)
        for name in (block.extras or {}).get(issuer, ()):
            if name not in ITEM:
                yield f"{inner}.{name}", Field(block, f"extras.{issuer}.{name}")


def _text(path: str, block: Any) -> Iterator[Row]:
    """Fields of a text or a refusal at this path, which is that of the text if it is no part."""
    key = {"text": ".text", "refusal": ".refusal"}[block.type]
    yield path + (key if path.endswith("]") else ""), Field(block, "text")
    if type(block) is TextBlock and block.citations is not None:
        yield f"{path}.annotations", Field(block, "citations")
        for nth, cited in enumerate(block.citations):
            yield f"{path}.annotations[{nth}]", cited


def _part(path: str, block: Any) -> Iterator[Row]:
    yield path, block
    if block.type in MEDIA_KINDS:
        key = {"image": "image_url", "audio": "input_audio"}.get(block.type, "file_data")
        if block.source.type == "file":
            key = "file_id"
        elif block.type == "document" and block.source.type == "url":
            key = "file_url"
        yield f"{path}.{key}", block.source
        yield path, Field(block, "source")  # nothing is left of the part without it
        yield f"{path}.filename", Field(block, "title")
    if getattr(block, "cache", None) is not None:
        yield f"{path}.prompt_cache_breakpoint", Field(block, "cache")


def _fields(req: ChatRequest, body: JsonObject) -> Iterator[Row]:
    for nth, tool in enumerate(req.tools):
        yield f"$.tools[{nth}]", tool
        if type(tool) is ServerTool:
            for name, key in _SEARCH.items():
                yield f"$.tools[{nth}].{key}", Field(tool, name)
    if req.tool_choice is not None:
        said = "tool_choice" if "tool_choice" in body else "parallel_tool_calls"
        yield f"$.{said}", req.tool_choice
        yield "$.parallel_tool_calls", Field(req.tool_choice, "parallel")
        yield f"$.{said}", Field(req.tool_choice, "allowed")
    if (form := req.response_format) is not None:
        yield "$.text.format", form
        for name in ("name", "schema", "description", "strict"):
            yield f"$.text.format.{name}", Field(form, name)
    yield "$", req.options
    for name, keys in PLACES.items():
        key = next((one for one in keys if one in body), keys[0])
        yield f"$.{key}", Field(req.options, name)
    yield "$.reasoning.effort", Field(req.options, "reasoning")
    yield "$.include", Field(req.options, "logprobs")
