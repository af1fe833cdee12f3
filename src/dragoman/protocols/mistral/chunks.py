"""Chunks of a content as blocks: texts, thinking, media, references.

Reference: Mistral API, "ContentChunk". A chunk is the same object in answers and in requests; what
is not modelled of one comes back in its extras, and a chunk without a model of its own whole.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import JsonObject
from ...media import source_of
from ...message import (
    AudioBlock,
    Base64Source,
    Citation,
    DocumentBlock,
    FileSource,
    ImageBlock,
    RawBlock,
    TextBlock,
    ThinkingBlock,
)
from ...message.blocks import ContentBlock

__all__ = ["CHUNK", "CLOSED", "block_of", "reference", "thinking"]

CHUNK = "chunk"  # the spelling of a text that stood in a list
CLOSED = "closed"  # of thinking that says so


def block_of(chunk: JsonObject, issuer: str) -> ContentBlock:
    """The block that a chunk makes. Raises TypeError for data of an unexpected kind."""
    kind = chunk.get("type")
    if kind == "text":
        made: ContentBlock = TextBlock(_text(chunk["text"]), spelling=CHUNK)
        known = {"type", "text"}
    elif kind == "thinking":
        return thinking(chunk, issuer)
    elif kind == "image_url":
        return _image(chunk, issuer)
    elif kind == "document_url":
        name = chunk.get("document_name")
        title = name if isinstance(name, str) else None
        made = DocumentBlock(source_of(_text(chunk["document_url"])), title)
        known = {"type", "document_url"} | ({"document_name"} if title is not None else set())
    elif kind == "input_audio" and isinstance(chunk.get("input_audio"), str):
        made = AudioBlock(Base64Source("audio/mpeg", chunk["input_audio"]))
        known = {"type", "input_audio"}
    elif kind == "file":
        made = DocumentBlock(FileSource(_text(chunk["file_id"]), issuer))
        known = {"type", "file_id"}
    else:
        return RawBlock(issuer, chunk)
    if rest := {key: value for key, value in chunk.items() if key not in known}:
        made.extras = {issuer: rest}
    return made


def thinking(chunk: JsonObject, issuer: str) -> ThinkingBlock:
    """`{"type": "thinking", "thinking": [text chunks], "closed", "signature"}`.

    Texts that are more than one are noted by their lengths; what is no text comes back verbatim.
    """
    said = chunk["thinking"]
    pieces = [{"type": "text", "text": said}] if isinstance(said, str) else said
    texts = [_text(one["text"]) for one in pieces if one.get("type") == "text"]
    made = ThinkingBlock("".join(texts))
    rest = {key: value for key, value in chunk.items() if key not in ("type", "thinking")}
    spelled = []
    if rest.get("closed") is True:
        del rest["closed"]
        spelled.append(CLOSED)
    if any(one.keys() != {"type", "text"} or one["type"] != "text" for one in pieces):
        rest["thinking"] = pieces
    elif len(texts) > 1:
        spelled += [str(len(text)) for text in texts]
    if spelled:
        made.spelling = " ".join(spelled)
    if rest:
        made.extras = {issuer: rest}
    return made


def reference(chunk: JsonObject) -> Citation | None:
    """What a text rests on, where the chunk behind it says so: `tool_reference` has a URL."""
    if chunk.get("type") != "tool_reference":
        return None
    url, title = chunk.get("url"), chunk.get("title")
    return Citation(
        url=url if isinstance(url, str) else None,
        title=title if isinstance(title, str) else None,
        quote=said if isinstance(said := chunk.get("description"), str) else None,
    )


def _image(chunk: JsonObject, issuer: str) -> ContentBlock:
    where = chunk["image_url"]
    inner: dict[str, Any] = dict(where) if isinstance(where, dict) else {"url": where}
    made = ImageBlock(source_of(_text(inner.pop("url"))))
    detail = inner.get("detail")
    if isinstance(detail, str):
        made.detail = inner.pop("detail")
    rest = {key: value for key, value in chunk.items() if key not in ("type", "image_url")}
    if inner:
        rest["image_url"] = where
    if rest:
        made.extras = {issuer: rest}
    return made


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text was expected")
    return value
