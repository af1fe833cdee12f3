"""Reads and writes items of a content as blocks, and citations, for requests and answers.

Reference: Cohere API, "Chat": `Content`, `AssistantMessageV2ContentOneItem`, `ToolContent`.
"""

from __future__ import annotations

from typing import Any, Literal, assert_never

from ... import message as tree
from ...errors import InvalidMessage, ReadError, WriteError
from ...message import Citation, ContentBlock, ImageBlock, Origin, TextBlock
from ...message.media_urls import read_document, read_url, restore_image, write_url
from ...text.json_text import Json, JsonObject, arguments, loads, too_deep
from ..chat_like.messages import fill_fields

PLAN = "plan"  # the spelling of a text that was in `tool_plan`
TEXT = "string"  # of a text that was the whole content
DOCUMENT = "document"  # of a text that is the data of a document
APART = "apart"  # in the notes on a document that was beside the messages

_MAX_DEPTH = 500  # levels of data; deeper data is kept unchanged


def read_parts(parts: list[Json], issuer: str, origin: Origin | None = None) -> list[ContentBlock]:
    """Read a list of items; `origin` is the model that wrote them, if a model did."""
    blocks: list[ContentBlock] = []
    for part in parts:
        block = read_part(part, issuer, "client" if origin is None else "server")
        if type(block) is tree.ThinkingBlock:
            block.origin = origin
        block.read_from = part
        blocks.append(block)
    return blocks


def read_part(part: Json, issuer: str, by: Literal["client", "server"] = "client") -> ContentBlock:
    """Read one item; an unknown one is kept unchanged."""
    kind = part.get("type") if isinstance(part, dict) else None
    block: ContentBlock | None = None
    if kind == "text" and isinstance(part.get("text"), str):
        block = TextBlock(part["text"])
    elif kind == "thinking" and isinstance(part.get("thinking"), str):
        block = tree.ThinkingBlock(part["thinking"])
    elif kind == "image_url":
        image = _read_image(part.get("image_url"))
        block = None if image is None else read_document(image)
    elif kind == "document":
        document = part.get("document")
        block = read_found(document, issuer) or _read_document(document, issuer)
    # citations belong beside the content, never in an item
    if block is None or "citations" in part:
        return tree.RawBlock(issuer, part, by=by)
    if len(part) > 2 and (unknown := {k: v for k, v in part.items() if k not in ("type", kind)}):
        block.extras = {issuer: fill_fields((block.extras or {}).get(issuer, {}), unknown)}
    return block


def write_part(block: ContentBlock, extras: JsonObject, as_read: bool = False) -> Json:
    """Write the item of a block with the fields of `extras`.

    Args:
        block: The block.
        extras: Further fields of the item.
        as_read: Whether the block was read from this wire, and keeps its spelling.

    Raises:
        WriteError: For a block that no item can hold.
    """
    part: JsonObject
    match block:
        case TextBlock(text=text):
            data = document_data(block) if block.spelling == DOCUMENT else None
            part = {"type": "text", "text": text}
            if data is not None:
                part = {"type": "document", "document": {"data": data}}
        case tree.ThinkingBlock(thinking=thinking):
            part = {"type": "thinking", "thinking": thinking}
        case ImageBlock():
            part = _write_image(block, (block.spelling or "") if as_read else "")
        case tree.RawBlock() if as_read or isinstance(block.data, dict):
            part = block.data
        case tree.RawBlock() | tree.RefusalBlock() | tree.AudioBlock() | tree.VideoBlock():
            raise WriteError(f"{block.type} has no item in this role", code="placement.unsupported")
        case tree.DocumentBlock() if type(block.source) is tree.TextSource:
            part = {"type": "document", "document": write_found(block, as_read)[0]}
        case tree.DocumentBlock() | tree.ToolUseBlock() | tree.ToolResultBlock():
            raise WriteError(f"{block.type} has no item in this role", code="placement.unsupported")
        case _:
            assert_never(block)
    return fill_fields(dict(part), extras) if extras else part


def part_as_read(block: ContentBlock, issuer: str) -> Json:
    """Return the item that `read_part` read."""
    extras = (block.extras or {}).get(issuer, {})
    return write_part(restore_image(block), but_citations(extras), as_read=True)


def _read_image(image: Any) -> ImageBlock | None:
    """Read `{"url", "detail"}`; None for an object with other fields."""
    if not isinstance(image, dict) or image.keys() - {"url", "detail"}:
        return None
    url, detail = image.get("url"), image.get("detail")
    if not isinstance(url, str) or not (detail is None or isinstance(detail, str)):
        return None
    source, head = read_url(url)
    form = "null" if "detail" in image and detail is None else "object" if head else ""
    return ImageBlock(source, detail=detail, spelling=f"{form} {head or ''}".strip() or None)


def _write_image(block: ImageBlock, spelling: str) -> JsonObject:
    if not isinstance(block.source, (tree.URLSource, tree.Base64Source)):
        raise WriteError(f"image from a {block.source.type} source", code="placement.unsupported")
    form, _, head = spelling.partition(" ")
    image: JsonObject = {"url": write_url(block.source, head)}
    if block.detail is not None or form == "null":
        image["detail"] = block.detail
    return {"type": "image_url", "image_url": image}


_WORDS = ("text", "snippet")
_PLACES = ("url", "source")
_FOUND = frozenset({*_WORDS, *_PLACES, "title", "context"})


def read_found(document: Any, issuer: str) -> tree.DocumentBlock | None:
    """Read `{"data": {"text", "title", "url"}, "id"}`, a document; None for other keys."""
    data = document.get("data") if isinstance(document, dict) else None
    if not isinstance(data, dict) or data.keys() - _FOUND:
        return None
    if not all(isinstance(value, str) for value in data.values()):
        return None
    words, places = ([key for key in keys if key in data] for keys in (_WORDS, _PLACES))
    if len(words) != 1 or len(places) > 1:
        return None
    source = tree.TextSource([data[words[0]]], data[places[0]] if places else None)
    block = tree.DocumentBlock(source, data.get("title"), context=data.get("context"))
    block.spelling = " ".join((words[0], *places))
    if unknown := {key: value for key, value in document.items() if key != "data"}:
        block.extras = {issuer: {"document": unknown}}
    return block


def write_found(block: tree.DocumentBlock, as_read: bool = False) -> list[JsonObject]:
    """Write the documents of a document in passages, which are cited one by one."""
    source = block.source
    assert type(source) is tree.TextSource  # no other is taken
    keys = (block.spelling or "").split() if as_read else []
    words = next((key for key in keys if key in _WORDS), _WORDS[0])
    place = next((key for key in keys if key in _PLACES), _PLACES[0])
    fields = {"title": block.title, place: source.found_at, "context": block.context}
    given = {key: value for key, value in fields.items() if value is not None}
    return [{"data": {**given, words: text}} for text in source.passages]


def read_apart(documents: Json, issuer: str) -> list[tree.DocumentBlock]:
    """Read the documents beside the messages; none if one of them cannot be read."""
    blocks: list[tree.DocumentBlock] = []
    for document in documents if isinstance(documents, list) else ():
        if isinstance(document, str):
            block: tree.DocumentBlock | None = tree.DocumentBlock(tree.TextSource([document]))
        elif (block := read_found(document, issuer)) is None:
            text = _read_document(document, issuer)
            if text is None:
                return []
            block = tree.DocumentBlock(tree.TextSource([text.text]), extras=text.extras)
            block.spelling = DOCUMENT
        assert block is not None
        block.spelling = f"{APART} {block.spelling or TEXT}"
        block.read_from = document
        blocks.append(block)
    return blocks


def is_apart(block: ContentBlock) -> bool:
    """Whether it is a document that was beside the messages."""
    return type(block) is tree.DocumentBlock and (block.spelling or "").startswith(f"{APART} ")


def write_apart(block: ContentBlock, extras: JsonObject, as_read: bool = False) -> list[Json]:
    """Write the `documents` entries of a user's block; none for a block that is in its message."""
    if type(block) is not tree.DocumentBlock or type(block.source) is not tree.TextSource:
        return []
    form = (block.spelling or "").removeprefix(f"{APART} ") if is_apart(block) else ""
    entries: list[JsonObject] = write_found(block, as_read)
    for text in block.source.passages[:1]:
        if form == TEXT:
            return [text]
        if form == DOCUMENT and (data := document_data(TextBlock(text))) is not None:
            entries = [{"data": data}]
    return [{**entry, **extras.get("document", {})} for entry in entries]


def _read_document(document: Any, issuer: str) -> TextBlock | None:
    """Read `{"data": {...}, "id"}` as a text with the JSON of the data, which the model sees."""
    data = document.get("data") if isinstance(document, dict) else None
    if not isinstance(data, dict) or too_deep(data, _MAX_DEPTH):
        return None
    try:
        block = TextBlock(arguments(data), spelling=DOCUMENT)
    except InvalidMessage:
        return None
    if unknown := {key: value for key, value in document.items() if key != "data"}:
        block.extras = {issuer: {"document": unknown}}
    return block


def document_data(block: TextBlock) -> JsonObject | None:
    """Return the data in the text of a document; None if that is no object any more."""
    try:
        data = loads(block.text)
    except ReadError:
        return None
    return data if isinstance(data, dict) else None


def but_citations(fields: JsonObject) -> JsonObject:
    """Return the fields of an item without citations, which belong beside the content."""
    if "citations" not in fields:
        return fields
    return {key: value for key, value in fields.items() if key != "citations"}


def cited_item(citation: Json) -> int | None:
    """Return the index of the item that a citation is about, -1 for the plan; None without one."""
    if not isinstance(citation, dict):
        return None
    kind, index = citation.get("type", "TEXT_CONTENT"), citation.get("content_index")
    if kind == "PLAN":
        return -1
    if kind not in ("TEXT_CONTENT", "THINKING_CONTENT"):
        return None
    return 0 if index is None else index if type(index) is int and index >= 0 else None


def attach_citations(blocks: list[ContentBlock], citations: list[Json], issuer: str) -> list[Json]:
    """Give citations to the blocks of a content, and to a plan after them.

    Returns:
        The remaining citations, from the first one that is about no block or about an earlier one.
    """
    plan = len(blocks) - 1 if blocks and blocks[-1].spelling == PLAN else None
    previous = 0
    for i, citation in enumerate(citations):
        index = cited_item(citation)
        index = plan if index == -1 else None if index == plan else index
        if index is None or not previous <= index < len(blocks):
            return citations[i:]
        block = blocks[index]
        if type(block) is not TextBlock and type(block) is not tree.ThinkingBlock:
            return citations[i:]
        extras = (block.extras or {}).get(issuer, {})
        block.extras = {**(block.extras or {}), issuer: extras}
        extras.setdefault("citations", []).append(citation)
        if type(block) is TextBlock:
            block.citations = [*(block.citations or ()), read_citation(citation)]
        previous = index
    return []


def read_citation(data: JsonObject) -> Citation:
    """Read a citation with its span and the first source that has a name or address."""
    start, end = data.get("start"), data.get("end")
    citation = Citation(start if type(start) is int else None, end if type(end) is int else None)
    sources = data.get("sources")
    for source in sources if isinstance(sources, list) else ():
        document = source.get("document") if isinstance(source, dict) else None
        if isinstance(document, dict):
            citation.title = citation.title or _text(document.get("title"))
            citation.url = citation.url or _text(document.get("url"))
    return citation


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def write_citation(citation: Citation, text: str, index: int) -> JsonObject | None:
    """Write a citation of this text, which is the item `index`; None without a span."""
    start, end = citation.start, citation.end
    if start is None or end is None:
        return None
    fields = {"title": citation.title, "url": citation.url, "snippet": citation.quote}
    document = {key: value for key, value in fields.items() if value is not None}
    id = citation.url or citation.title or ""
    data: JsonObject = {
        "start": start,
        "end": end,
        "text": text[start:end],
        "sources": [{"type": "document", "id": id, "document": document}],
        "type": "TEXT_CONTENT",
    }
    return {**data, "content_index": index} if index else data


def citations_as_read(extras: JsonObject, index: int) -> list[Json]:
    """Return the citations among a block's extras, for its current index (-1: the plan)."""
    citations = extras.get("citations")
    return (
        [_move_citation(item, index) for item in citations] if isinstance(citations, list) else []
    )


def _move_citation(citation: Json, index: int) -> Json:
    """Return the citation with the current index of the item that it was read with."""
    if not isinstance(citation, dict) or index < 0 or cited_item(citation) == index:
        return citation
    fields = {key: value for key, value in citation.items() if key != "content_index"}
    return {**fields, "content_index": index} if index else fields
