"""Chunks of a content as blocks: texts, thinking, media, references.

Reference: Mistral API, "ContentChunk". A chunk is the same object in answers and in requests; what
is not modelled of one comes back in its extras, and a chunk without a model of its own whole.
"""

from __future__ import annotations

from typing import Any

from ..._core.jsontext import Json, JsonObject
from ..._core.media import is_data, read_url, url_of
from ...message import (
    AudioBlock,
    Base64Source,
    Citation,
    DocumentBlock,
    FileSource,
    ImageBlock,
    Origin,
    RawBlock,
    TextBlock,
    ThinkingBlock,
)
from ...message.blocks import ContentBlock

CHUNK = "chunk"  # the spelling of a text that stood in a list


CLOSED = "closed"  # of thinking that says so


FORMATS = {"wav": "audio/wav", "mp3": "audio/mpeg"}


def block_of(chunk: JsonObject, issuer: str) -> ContentBlock:
    """The block that a chunk makes. Raises TypeError for data of an unexpected kind."""
    kind = chunk.get("type")
    made: ContentBlock | None = None
    known = {"type", kind}
    if kind == "text":
        made = TextBlock(_text(chunk["text"]), spelling=CHUNK)
    elif kind == "thinking":
        return thinking(chunk, issuer)
    elif kind == "image_url":
        made = _image(chunk["image_url"])
    elif kind == "document_url":
        source, head = read_url(_text(chunk["document_url"]))
        made = DocumentBlock(source, spelling=head)
        if isinstance(chunk.get("document_name"), str):
            made.title = chunk["document_name"]
            known.add("document_name")
    elif kind == "input_audio":
        made = _audio(chunk["input_audio"])
    elif kind == "file":
        made = DocumentBlock(FileSource(_text(chunk["file_id"]), issuer))
        known.add("file_id")
    if made is None:
        return RawBlock(issuer, chunk)
    if len(chunk) > 2 and (rest := {k: v for k, v in chunk.items() if k not in known}):
        made.extras = {issuer: rest}
    return made


def thinking(chunk: JsonObject, issuer: str) -> ThinkingBlock:
    """`{"type": "thinking", "thinking": [text chunks], "closed", "signature"}`.

    Texts that are not one are noted by their lengths; what is no text comes back verbatim.
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
    if isinstance(said, str):
        spelled.append("string")
    elif any(one.keys() != {"type", "text"} or one["type"] != "text" for one in pieces):
        rest["thinking"] = pieces
    elif len(texts) != 1:
        spelled += [str(len(text)) for text in texts] or ["empty"]
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


def _image(where: Any) -> ImageBlock | None:
    """A URL, or `{"url", "detail"}`; None for an object that says more."""
    inner = where if isinstance(where, dict) else {"url": where}
    source, head = read_url(_text(inner["url"]))
    detail = inner.get("detail")
    if inner.keys() - {"url", "detail"} or not (detail is None or isinstance(detail, str)):
        return None
    form = "string"
    if isinstance(where, dict):
        form = "null" if "detail" in inner and detail is None else "object"
    usual = "string" if detail is None else "object"
    spelling = f"{form} {head}" if head else None if form == usual else form
    return ImageBlock(source, detail=detail, spelling=spelling)


def _audio(said: Any) -> AudioBlock | None:
    """The data of a sound, where it is, or `{"data", "format"}`; None for what says more."""
    if isinstance(said, str):
        if is_data(said) or said.startswith(("https://", "http://")):
            source, head = read_url(said)
            return AudioBlock(source, spelling=f"uri {head or ''}")
        return AudioBlock(Base64Source("audio/mpeg", said))
    if said.keys() != {"data", "format"}:
        return None
    data, form = _text(said["data"]), _text(said["format"])
    if is_data(data):
        return None
    return AudioBlock(Base64Source(FORMATS.get(form, f"audio/{form}"), data),
                      spelling=f"object {form}")  # fmt: skip


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text was expected")
    return value


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
