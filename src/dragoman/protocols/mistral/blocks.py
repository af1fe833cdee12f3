"""Reads and writes chunks of a content as blocks: texts, thinking, media.

Requests and answers have the same chunks. Fields of a chunk that its block cannot hold are the
block's extras; a chunk of another type is kept unchanged. A `reference` that has a text is a text
with its `reference_ids`.

Reference: Mistral API, "ContentChunk".
"""

from __future__ import annotations

from typing import Any, assert_never

from ... import message as tree
from ...errors import WriteError
from ...message import AudioBlock, Citation, ContentBlock, ImageBlock, Origin, ThinkingBlock
from ...message.blocks import MediaBlock
from ...message.media_urls import is_data_uri, read_document, read_url, restore_image, write_url
from ...text.json_text import Json, JsonObject
from ..chat_like.messages import fill_fields, require_text

# spellings of a text from a list: by itself, and in a reference
CHUNK, REFERENCE = "chunk", "reference"
_REFERENCES = "reference_ids"
CLOSED = "closed"  # in the spelling of thinking: the chunk has `"closed": true`

_FORMATS = {"wav": "audio/wav", "mp3": "audio/mpeg"}
_UNREADABLE = (LookupError, TypeError, ValueError, AttributeError)


def read_parts(parts: list[Json], issuer: str, origin: Origin | None = None) -> list[ContentBlock]:
    """Read a list of chunks; `origin` is the model that wrote them, if a model did."""
    blocks: list[ContentBlock] = []
    for part in parts:
        try:
            block = read_part(part, issuer)
        except _UNREADABLE:
            block = tree.RawBlock(issuer, part, by="client")
        if type(block) is ThinkingBlock:
            block.origin = origin
        elif type(block) is tree.RawBlock and origin is None:
            block.by = "client"
        elif type(block) is tree.RawBlock and isinstance(part, dict):
            text = blocks[-1] if blocks else None
            if type(text) is tree.TextBlock and (citation := read_reference(part)) is not None:
                text.citations = [*(text.citations or ()), citation]
        block.read_from = part
        blocks.append(block)
    return blocks


def read_part(part: JsonObject, issuer: str) -> ContentBlock:
    """Read a chunk.

    Raises:
        TypeError: For data of an unexpected type.
    """
    kind = part.get("type")
    block: ContentBlock | None = None
    known = {"type", kind}
    if kind == "text":
        block = tree.TextBlock(require_text(part["text"]), spelling=CHUNK)
    elif kind == "reference" and _REFERENCES in part and _referring_text(part):
        block = tree.TextBlock(_referring_text(part), spelling=REFERENCE)
        known = {"type", "text"}
    elif kind == "thinking":
        return _read_thinking(part, issuer)
    elif kind == "image_url":
        image = _read_image(part["image_url"])
        block = None if image is None else read_document(image)
    elif kind == "document_url":
        source, head = read_url(require_text(part["document_url"]))
        block = tree.DocumentBlock(source, spelling=head)
        if isinstance(part.get("document_name"), str):
            block.title = part["document_name"]
            known.add("document_name")
    elif kind == "input_audio":
        block = _read_audio(part["input_audio"])
    elif kind == "file":
        block = tree.DocumentBlock(tree.FileSource(require_text(part["file_id"]), issuer))
        known.add("file_id")
    if block is None:
        return tree.RawBlock(issuer, part)
    if len(part) > 2 and (unknown := {k: v for k, v in part.items() if k not in known}):
        block.extras = {issuer: unknown}
    return block


def write_part(block: ContentBlock, extras: JsonObject | None, as_read: bool = False) -> Json:
    """Write the chunk of a block with the fields of `extras`.

    Args:
        block: The block.
        extras: Further fields of the chunk.
        as_read: Whether the block was read from this wire, and keeps its spelling.

    Raises:
        WriteError: For a block that no chunk can hold.
    """
    part: JsonObject
    match block:
        case tree.TextBlock(text=text):
            is_reference = block.spelling != CHUNK and _REFERENCES in (extras or ())
            part = {"type": "reference" if is_reference else "text", "text": text}
        case ImageBlock() | tree.DocumentBlock() | AudioBlock() | tree.VideoBlock():
            part = _write_media(block, (block.spelling or "") if as_read else "")
        case ThinkingBlock() if as_read:
            return _write_thinking(block) | (extras or {})
        case tree.RawBlock(data=data) if as_read or isinstance(data, dict):
            return data
        case tree.RawBlock() | tree.RefusalBlock() | ThinkingBlock():
            raise WriteError(
                f"{block.type} has no chunk in this role", code="placement.unsupported"
            )
        case tree.ToolUseBlock() | tree.ToolResultBlock():
            raise WriteError(
                f"{block.type} has no chunk in this role", code="placement.unsupported"
            )
        case _:
            assert_never(block)
    return fill_fields(part, extras) if extras else part


def part_as_read(block: ContentBlock, issuer: str) -> Json:
    """Return the chunk that `read_part` read."""
    return write_part(restore_image(block), (block.extras or {}).get(issuer), as_read=True)


def piece_texts(pieces: list[Any]) -> list[str]:
    """Return the texts in `thinking`: of its chunks of text, and of references that have one."""
    texts: list[str] = []
    for piece in pieces:
        if piece.get("type") == "text":
            texts.append(require_text(piece["text"]))
        elif piece.get("type") == "reference" and (text := _referring_text(piece)):
            texts.append(text)
    return texts


def _referring_text(reference: JsonObject) -> str:
    """Return the text of a `reference`, which few have; the official types lack this field."""
    text = reference.get("text")
    return text if isinstance(text, str) else ""


def text_pieces(thinking: Json) -> list[Any]:
    """Return the chunks of `thinking`; a string becomes a single one."""
    return [{"type": "text", "text": thinking}] if isinstance(thinking, str) else thinking


def _read_thinking(part: JsonObject, issuer: str) -> ThinkingBlock:
    """Read `{"type": "thinking", "thinking": [text chunks], "closed", "signature"}`.

    The lengths of several texts are noted; chunks that are no text are kept unchanged.
    """
    thinking = part["thinking"]
    pieces = text_pieces(thinking)
    texts = piece_texts(pieces)
    unknown = {key: value for key, value in part.items() if key not in ("type", "thinking")}
    notes = []
    if unknown.get("closed") is True:
        del unknown["closed"]
        notes.append(CLOSED)
    if isinstance(thinking, str):
        notes.append("string")
    elif any(piece.keys() != {"type", "text"} or piece["type"] != "text" for piece in pieces):
        unknown["thinking"] = pieces
    elif len(texts) != 1:
        notes += [str(len(text)) for text in texts] or ["empty"]
    extras = {issuer: unknown} if unknown else None
    return ThinkingBlock("".join(texts), spelling=" ".join(notes) or None, extras=extras)


def _write_thinking(block: ThinkingBlock) -> JsonObject:
    notes = (block.spelling or "").split()
    closed = {"closed": True} if CLOSED in notes else {}
    notes = [note for note in notes if note != CLOSED]
    thinking: Json = text_pieces(block.thinking)
    if notes == ["string"]:
        thinking = block.thinking
    elif notes == ["empty"]:
        thinking = []
    elif notes:
        thinking, start = [], 0
        for length in map(int, notes):
            thinking += text_pieces(block.thinking[start : start + length])
            start += length
    return {"type": "thinking", "thinking": thinking, **closed}


def read_reference(part: JsonObject) -> Citation | None:
    """Read the source of the text before a `tool_reference`; None for another chunk."""
    if part.get("type") != "tool_reference":
        return None
    keys = {"url": "url", "title": "title", "quote": "description"}
    texts = {name: part[key] for name, key in keys.items() if isinstance(part.get(key), str)}
    return Citation(**texts)


def _read_image(value: Any) -> ImageBlock | None:
    """Read a URL, or `{"url", "detail"}`; None for an object with other fields."""
    fields = value if isinstance(value, dict) else {"url": value}
    source, head = read_url(require_text(fields["url"]))
    detail = fields.get("detail")
    if fields.keys() - {"url", "detail"} or not (detail is None or isinstance(detail, str)):
        return None
    form = "string"
    if isinstance(value, dict):
        form = "null" if "detail" in fields and detail is None else "object"
    usual = "string" if detail is None else "object"
    spelling = f"{form} {head}" if head else None if form == usual else form
    return ImageBlock(source, detail=detail, spelling=spelling)


def _read_audio(value: Any) -> AudioBlock | None:
    """Read base64 text, a URL, or `{"data", "format"}`; None for an object with other fields."""
    if isinstance(value, str):
        if is_data_uri(value) or value.startswith(("https://", "http://")):
            source, head = read_url(value)
            return AudioBlock(source, spelling=f"uri {head or ''}")
        return AudioBlock(tree.Base64Source("audio/mpeg", value))
    if value.keys() != {"data", "format"}:
        return None
    data, form = require_text(value["data"]), require_text(value["format"])
    if is_data_uri(data):
        return None
    media_type = _FORMATS.get(form, f"audio/{form}")
    return AudioBlock(tree.Base64Source(media_type, data), spelling=f"object {form}")


def _write_media(block: MediaBlock, spelling: str) -> JsonObject:
    """Write `image_url`, `document_url`, `input_audio` or `file` for what the readers read."""
    source = block.source
    form, _, head = spelling.partition(" ")
    if type(source) is tree.FileSource:
        return {"type": "file", "file_id": source.file_id}
    if type(block) is AudioBlock and form == "uri":
        return {"type": "input_audio", "input_audio": write_url(source, head)}
    if type(block) is AudioBlock and type(source) is tree.Base64Source:
        data = {"data": source.data, "format": head} if form == "object" else source.data
        return {"type": "input_audio", "input_audio": data}
    if isinstance(source, (tree.URLSource, tree.Base64Source)):
        if type(block) is ImageBlock:
            image: JsonObject = {"url": write_url(source, head)}
            if block.detail is not None or form == "null":
                image["detail"] = block.detail
            is_object = len(image) > 1 or form == "object"
            return {"type": "image_url", "image_url": image if is_object else image["url"]}
        if type(block) is tree.DocumentBlock:
            named = {} if block.title is None else {"document_name": block.title}
            return {"type": "document_url", "document_url": write_url(source, spelling), **named}
    raise WriteError(f"{block.type} from a {source.type} source", code="placement.unsupported")
