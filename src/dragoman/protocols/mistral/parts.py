"""Chunks of a request, read into blocks, and said again as they were read.

`read_part` and `part_as_read` are each other's inverse. Reference: Mistral API, "ContentChunk".
"""

from __future__ import annotations

from typing import Any

from ...jsontext import Json, JsonObject
from ...media import url_of
from ...message import (
    AudioBlock,
    DocumentBlock,
    FileSource,
    ImageBlock,
    Origin,
    RawBlock,
    TextBlock,
    ThinkingBlock,
)
from ...message.blocks import ContentBlock
from .chunks import CLOSED, block_of, reference

__all__ = ["part_as_read", "read_part", "read_parts"]

_ODD = (LookupError, TypeError, ValueError, AttributeError)


def read_part(told: Json, issuer: str) -> ContentBlock:
    """One chunk; what no block models is kept as it came."""
    try:
        return block_of(told, issuer)
    except _ODD:
        return RawBlock(issuer, told, by="client")


def read_parts(told: list[Json], issuer: str, origin: Origin | None = None) -> list[ContentBlock]:
    """The blocks of a list of chunks; `origin`: who wrote them, if that was a model."""
    made: list[ContentBlock] = []
    for one in told:
        block = read_part(one, issuer)
        if origin is None and type(block) is RawBlock:
            block.by = "client"
        elif type(block) is ThinkingBlock:
            block.origin = origin
        elif origin is not None and type(block) is RawBlock and isinstance(one, dict):
            last = made[-1] if made else None
            if type(last) is TextBlock and (cited := reference(one)) is not None:
                last.citations = [*(last.citations or ()), cited]
        made.append(block)
    return made


def part_as_read(block: ContentBlock, issuer: str) -> Json:
    """The chunk that `read_part`, or the reader of answers, made the block of."""
    if type(block) is RawBlock:
        return block.data
    own = (block.extras or {}).get(issuer, {})
    if type(block) is TextBlock:
        return {"type": "text", "text": block.text, **own}
    if type(block) is ThinkingBlock:
        return {**_thinking(block), **own}
    return {**_medium(block), **own}


def _thinking(block: ThinkingBlock) -> JsonObject:
    words = (block.spelling or "").split()
    made: JsonObject = {"type": "thinking", "thinking": [{"type": "text", "text": block.thinking}]}
    if CLOSED in words:
        made["closed"] = True
        words.remove(CLOSED)
    if words == ["string"]:
        made["thinking"] = block.thinking
    elif words == ["empty"]:
        made["thinking"] = []
    elif words:
        at, texts = 0, []
        for word in words:
            texts.append({"type": "text", "text": block.thinking[at : at + int(word)]})
            at += int(word)
        made["thinking"] = texts
    return made


def _medium(block: Any) -> JsonObject:
    source = block.source
    if type(block) is ImageBlock:
        form, _, head = (block.spelling or "").partition(" ")
        url = url_of(source, head)
        if form == "string" or (not form and block.detail is None):
            return {"type": "image_url", "image_url": url}
        detail = {} if form == "object" and block.detail is None else {"detail": block.detail}
        return {"type": "image_url", "image_url": {"url": url, **detail}}
    if type(block) is AudioBlock:
        form, _, more = (block.spelling or "").partition(" ")
        if form == "uri":
            return {"type": "input_audio", "input_audio": url_of(source, more)}
        if form == "object":
            return {"type": "input_audio", "input_audio": {"data": source.data, "format": more}}
        return {"type": "input_audio", "input_audio": source.data}
    assert type(block) is DocumentBlock  # no other is ever read
    if type(source) is FileSource:
        return {"type": "file", "file_id": source.file_id}
    made = {"type": "document_url", "document_url": url_of(source, block.spelling)}
    return made if block.title is None else {**made, "document_name": block.title}
