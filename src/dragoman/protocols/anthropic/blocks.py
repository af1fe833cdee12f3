"""Reads and writes each kind of content block, for requests and answers.

Reference: Anthropic API, "Create a Message", content blocks and citations. Blocks that only this
wire has (server tools, containers, compaction) stay as they are, with their pairing.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias, assert_never

from ... import message as tree
from ...errors import WriteError
from ...message import DocumentBlock, ImageBlock, RawBlock, TextBlock, ThinkingBlock
from ...message.blocks import SEALED_SUMMARY, SUMMARY, TEXTS, ContentBlock, MediaBlock, name_answers
from ...message.media import Source
from ...stream.arguments import parse_arguments
from ...text.json_text import Json, JsonObject, arguments
from ..chat_like.messages import are_objects, fill_fields, without

# returns this wire's fields of a node that it cannot hold
NodeFields: TypeAlias = Callable[[Any], JsonObject]

# (the fields beside `type`, from which those that the block holds are removed; the issuer; whether
# it is a block of an answer) -> the block, or None if no block can hold it
_Reader: TypeAlias = Callable[[JsonObject, str, bool], Any]


def read_part(
    data: Json, issuer: str, origin: tree.Origin | None = None, in_result: bool = False
) -> ContentBlock:
    """Read one content block of a request; an unknown one is kept unchanged.

    Args:
        data: The content block.
        issuer: The issuer of its extra fields.
        origin: The model whose sealed thinking it is.
        in_result: Whether the block is in a tool result, which holds no calls.
    """
    block: ContentBlock | None
    if not isinstance(data, dict):
        block = RawBlock(issuer, data, by="client")
    elif len(data) == 2 and type(data.get("text")) is str and data.get("type") == "text":
        block = TextBlock(data["text"])
    elif (block := _read(data, issuer, origin, _RESULT_READERS if in_result else _READERS)) is None:
        block = RawBlock(issuer, data) if in_result else read_raw(data, issuer)
        if in_result or data.get("type") in ("tool_use", "tool_result"):
            block.by = "client"
        if _is_text(data):
            block.spelling = TEXTS
    block.read_from = data
    return block


def read_answer_block(data: Json, issuer: str) -> ContentBlock:
    """Read one content block of an answer; its own fields, such as `caller`, go back with it.

    Raises:
        TypeError: If it is no object.
    """
    if not isinstance(data, dict):
        raise TypeError("a content block is an object")
    block = _read(data, issuer, tree.Origin(issuer), _ANSWER_READERS)
    return read_raw(data, issuer) if block is None else block


def _read(
    data: JsonObject, issuer: str, origin: tree.Origin | None, readers: Mapping[str, _Reader]
) -> Any:
    answer = readers is _ANSWER_READERS
    kind = data.get("type")
    read = readers.get(kind) if isinstance(kind, str) else None
    fields = without(data, "type")
    block: Any = None if read is None else read(fields, issuer, answer)
    if type(block) is ThinkingBlock:
        # unsealed thinking may be another model's, which a gateway sent to this client
        block.origin = origin if block.signature or block.redacted is not None else None
    elif block is not None and not answer and "cache_control" in fields:
        block.cache = take_cache(fields)  # all blocks that are read here have one, except thinking
    if block is not None and fields:
        block.extras = {issuer: fields, **(block.extras or {})}
    return block


def write_block(block: ContentBlock, fields: NodeFields, as_read: bool = False) -> JsonObject:
    """Write the content block, with the fields that only this wire has.

    `as_read`: the block was read from this wire, and is spelled as it was.
    """
    data: JsonObject
    if type(block) is TextBlock:
        data = {"type": "text", "text": block.text}
    elif type(block) is tree.ToolResultBlock:
        return _write_result(block, fields, as_read)
    elif type(block) is tree.ToolUseBlock:
        # text, null, or no arguments at all
        is_odd = as_read and block.spelling is not None
        data = write_call(block, block.raw_input if is_odd else block.input)
        if is_odd and block.spelling == "absent":
            del data["input"]
    elif type(block) is ThinkingBlock:
        data = write_thinking(block, as_read)
    elif type(block) is ImageBlock:
        data = {"type": "image", "source": _write_source(block, as_read)}
    elif type(block) is DocumentBlock:
        data = _write_document(block, as_read)
    elif type(block) is RawBlock and (as_read or isinstance(block.data, dict)):
        raw: JsonObject = block.data
        return raw
    elif isinstance(block, tree.AudioBlock | tree.VideoBlock | tree.RefusalBlock | RawBlock):
        raise WriteError(f"{block.type} has no content block", code="placement.unsupported")
    else:
        assert_never(block)
    if block.extras is not None:
        fill_fields(data, fields(block))
    if type(block) is not ThinkingBlock:
        _put_cache(data, block.cache)
    return data


def _put_cache(data: JsonObject, hint: tree.CacheHint | None) -> None:
    """Put the hint into the data, which may have other fields of the hint already."""
    others = data.get("cache_control")
    others = others if isinstance(others, dict) else {}
    if hint is not None:
        data["cache_control"] = {**cache_control(hint), **others}
    elif others and "type" not in others:
        del data["cache_control"]  # they belonged to a hint that was removed


def cache_control(hint: tree.CacheHint) -> JsonObject:
    """Write `{"type": "ephemeral"}`, with a `ttl` if one was given."""
    return {"type": "ephemeral"} if hint.ttl is None else {"type": "ephemeral", "ttl": hint.ttl}


def take_cache(fields: JsonObject) -> tree.CacheHint | None:
    """Take the hint of a `cache_control` out of the fields; its other fields remain there."""
    data = fields.get("cache_control")
    if not isinstance(data, dict) or data.get("type") != "ephemeral":
        return None
    ttl = data.get("ttl")
    if "ttl" in data and not isinstance(ttl, str):
        return None
    if others := without(data, "type", "ttl"):
        fields["cache_control"] = others
    else:
        del fields["cache_control"]
    return tree.CacheHint(ttl)


def _read_text(fields: JsonObject, _issuer: str, answer: bool) -> TextBlock | None:
    text = fields.pop("text", "" if answer else None)
    if not isinstance(text, str):
        return None
    citations = fields.get("citations")
    if not isinstance(citations, list) or not citations:
        return TextBlock(text)
    if not answer and not all(isinstance(citation, dict) for citation in citations):
        return TextBlock(text)
    return TextBlock(text, [read_citation(citation) for citation in citations])


def read_citation(data: Any) -> tree.Citation:
    """Read the source and the quote of a citation; the object itself stays in the block's fields.

    Its indexes are positions in the source, not in the answer.

    Raises:
        TypeError: If it is no object.
    """
    if not isinstance(data, dict):
        raise TypeError("a citation is an object")
    texts = {key: value for key, value in data.items() if isinstance(value, str)}
    source = texts.get("source", "")  # of search results, often the address
    found_at = source if source.startswith(("https://", "http://")) else None
    return tree.Citation(
        url=texts.get("url", found_at),
        title=texts.get("title", texts.get("document_title")),
        quote=texts.get("cited_text"),
    )


def _read_thinking(fields: JsonObject, _issuer: str, answer: bool) -> ThinkingBlock | None:
    text, signature = fields.pop("thinking", "" if answer else None), fields.get("signature")
    block = ThinkingBlock(text) if isinstance(text, str) else None
    if block is not None and isinstance(signature, str):
        block.signature = fields.pop("signature")
    elif block is not None and signature is not None:
        return None if answer else block
    elif block is not None and "signature" in fields:
        del fields["signature"]
        block.spelling = "null"
    return block


def _read_redacted(fields: JsonObject, _issuer: str, _answer: bool) -> ThinkingBlock | None:
    data = fields.pop("data", None)
    return ThinkingBlock("", redacted=data) if isinstance(data, str) else None


def write_thinking(block: ThinkingBlock, as_read: bool) -> JsonObject:
    """Write `thinking` or `redacted_thinking`.

    Composed thinking always has a signature, which is empty only for hosts that sign nothing.
    """
    if block.redacted is not None:
        return {"type": "redacted_thinking", "data": block.redacted}
    data: JsonObject = {"type": "thinking", "thinking": block.thinking}
    if not as_read:
        data["signature"] = block.signature or ""
    elif block.signature is not None or block.spelling == "null":
        data["signature"] = block.signature
    return data


def _read_call(fields: JsonObject, issuer: str, answer: bool) -> tree.ToolUseBlock | None:
    id, name = fields.pop("id", None), fields.pop("name", None)
    if answer:
        id, name = id or "", name or ""
    if not isinstance(id, str) or not isinstance(name, str):
        return None
    block = tree.ToolUseBlock(id, name)
    if "input" not in fields:
        block.spelling = None if answer else "absent"
        return block
    value = fields.pop("input")
    if isinstance(value, str):  # some hosts write arguments as text
        block.raw_input, block.spelling = value, "text"
        if not answer:
            block.input = parse_arguments(value)
    elif value is not None:
        block.input = value
    elif answer:
        block.extras = {name_answers(issuer): {"input": None}}
    else:
        block.spelling = "null"
    return block


def write_call(block: tree.ToolUseBlock, value: Json) -> JsonObject:
    """Write `{"type": "tool_use", "id", "name", "input"}`; `value` are the arguments."""
    return {"type": "tool_use", "id": block.id, "name": block.name, "input": value}


def _read_result(fields: JsonObject, issuer: str, _answer: bool) -> tree.ToolResultBlock | None:
    id = fields.pop("tool_use_id", None)
    if not isinstance(id, str):
        return None
    block = tree.ToolResultBlock(id, output=None)
    content = fields.get("content")
    notes = []
    if isinstance(content, (str, list)):
        del fields["content"]
        block.output = content
        if isinstance(content, list):
            block.output = [read_part(part, issuer, in_result=True) for part in content]
    elif content is None and "content" in fields:
        del fields["content"]
        notes.append("null")
    if isinstance(fields.get("is_error"), bool):
        block.is_error = fields.pop("is_error")
        notes += [] if block.is_error else ["false"]
    block.spelling = " ".join(notes) or None
    return block


def _write_result(block: tree.ToolResultBlock, fields: NodeFields, as_read: bool) -> JsonObject:
    """Write `{"type": "tool_result", "tool_use_id", "content", "is_error"}`.

    An empty result that is composed has no content at all: blank text is refused.
    """
    output = block.output
    data: JsonObject = {"type": "tool_result", "tool_use_id": block.id}
    notes = (block.spelling or "").split() if as_read else ()
    content: Any = output
    if isinstance(output, list):
        content = [
            write_block(part, fields, as_read)
            for part in output
            if as_read or type(part) is not TextBlock or part.text.strip()
        ]
    elif not as_read and output is not None:
        text = output if type(output) is str else arguments(output)
        content = [{"type": "text", "text": text}] if text.strip() else None
    if content or (as_read and content is not None) or "null" in notes:
        data["content"] = content
    if block.is_error or "false" in notes:
        data["is_error"] = block.is_error
    if block.extras is not None:
        data.update(fields(block))
    _put_cache(data, block.cache)
    return data


def _read_medium(
    block_type: type[ImageBlock | DocumentBlock], fields: JsonObject, issuer: str, _answer: bool
) -> ImageBlock | DocumentBlock | None:
    is_document = block_type is DocumentBlock
    source, spelling, unknown = _read_source(fields.pop("source", None), issuer, is_document)
    if source is None:
        return None
    if unknown:
        fields["source"] = unknown
    if block_type is ImageBlock:
        return ImageBlock(source, spelling=spelling)
    block = DocumentBlock(source, spelling=spelling)
    for name in ("title", "context"):
        if isinstance(fields.get(name), str):
            setattr(block, name, fields.pop(name))
    block.cite = _take_switch(fields)
    return block


def _take_switch(fields: JsonObject) -> bool | None:
    """Take out of the fields whether a document is to be cited; None if they do not decide it."""
    switch = fields.get("citations")
    if not isinstance(switch, dict) or switch.keys() != {"enabled"}:
        return None
    return fields.pop("citations")["enabled"] if isinstance(switch["enabled"], bool) else None


def _read_found(fields: JsonObject, _issuer: str, _answer: bool) -> DocumentBlock | None:
    """Read a `search_result`; None for one with unusual passages."""
    passages, title = _read_passages(fields.get("content")), fields.get("title")
    if not passages or not isinstance(fields.get("source"), str) or not isinstance(title, str):
        return None
    del fields["content"], fields["title"]
    source = tree.TextSource(passages, fields.pop("source"))
    return DocumentBlock(source, title=title, cite=_take_switch(fields))


def _read_passages(content: Json) -> list[str]:
    """Return the texts of a list of plain texts; none for any other content."""
    if not are_objects(content):
        return []
    if not all(part.keys() == {"type", "text"} and part["type"] == "text" for part in content):
        return []
    texts = [part["text"] for part in content]
    return texts if all(isinstance(text, str) for text in texts) else []


def _read_source(
    data: Json, issuer: str, is_document: bool
) -> tuple[Source | None, str | None, JsonObject]:
    """Read a source: return it or None, its spelling, and its other fields."""
    fields = dict(data) if isinstance(data, dict) else {}
    kind = fields.pop("type", None)
    if kind == "base64" and isinstance(fields.get("data"), str):
        media_type, content = fields.pop("media_type", None), fields.pop("data")
        source = tree.Base64Source(media_type, content) if isinstance(media_type, str) else None
        return source, None, fields
    if kind == "url" and isinstance(fields.get("url"), str):
        return tree.URLSource(fields.pop("url"), read=True), None, fields
    if kind == "file" and isinstance(fields.get("file_id"), str):
        return tree.FileSource(fields.pop("file_id"), issuer), None, fields
    if is_document and kind == "text" and fields.get("media_type") == _PLAIN_TEXT:
        del fields["media_type"]
        return _read_encoded(fields.pop("data", None)), kind, fields
    if is_document and kind == "content" and (passages := _read_passages(fields.get("content"))):
        del fields["content"]
        return tree.TextSource(passages), None, fields
    if is_document and kind == "content":
        return _read_encoded(fields.pop("content", None)), kind, fields
    return None, None, fields


_PLAIN_TEXT = "text/plain"


def _read_encoded(text: Json) -> Source | None:
    if not isinstance(text, str):
        return None
    try:
        return tree.Base64Source(_PLAIN_TEXT, base64.b64encode(text.encode()).decode())
    except UnicodeEncodeError:  # half of a surrogate pair
        return None


def _write_document(block: DocumentBlock, as_read: bool) -> JsonObject:
    """Write `document`, or `search_result` for a search's finding."""
    source = block.source
    data: JsonObject
    if type(source) is tree.TextSource and source.found_at is not None:
        content = [{"type": "text", "text": text} for text in source.passages]
        data = {"type": "search_result", "source": source.found_at, "content": content}
    else:
        data = {"type": "document", "source": _write_source(block, as_read)}
    fields = {"title": block.title, "context": block.context}
    data |= {name: value for name, value in fields.items() if value is not None}
    if block.cite is not None:
        data["citations"] = {"enabled": block.cite}
    return data


def _write_source(block: MediaBlock, as_read: bool) -> JsonObject:
    """Write `base64`, `url`, `file`, `content` in passages, or `text` for a plain text document."""
    source = block.source
    if type(source) is tree.TextSource:
        texts = [{"type": "text", "text": text} for text in source.passages]
        return {"type": "content", "content": texts}
    if type(source) is tree.URLSource:
        return {"type": "url", "url": source.url}
    if type(source) is tree.FileSource:
        return {"type": "file", "file_id": source.file_id}
    if type(source) is not tree.Base64Source:
        raise WriteError(f"{block.type} from a {source.type} source", code="placement.unsupported")
    is_text = block.type == "document" and source.media_type == _PLAIN_TEXT
    if block.spelling is None if as_read else not is_text:
        return {"type": "base64", "media_type": source.media_type, "data": source.data}
    text = _decode_text(source.data)
    if as_read and block.spelling == "content":
        return {"type": "content", "content": text}
    return {"type": "text", "media_type": _PLAIN_TEXT, "data": text}


def _decode_text(data: str) -> str:
    try:
        return base64.b64decode(data, validate=True).decode("utf-8")
    except ValueError as error:  # no base64, not ASCII, or no UTF-8
        text = "a document of type text/plain holds no UTF-8 text in base64"
        hint = "give its true media type"
        raise WriteError(text, hint=hint, code="media.decode") from error


def read_raw(data: JsonObject, issuer: str) -> RawBlock:
    """Read an unknown block: a call has a type `*_use`, a result `*_result` and the call's id."""
    kind, id, call_id = data.get("type"), data.get("id"), data.get("tool_use_id")
    kind = kind if isinstance(kind, str) else ""
    if kind.endswith("_result") and isinstance(call_id, str):
        return RawBlock(issuer, data, "result", call_id)
    if kind.endswith("_use") and isinstance(id, str):
        return RawBlock(issuer, data, "call", id)
    block = RawBlock(issuer, data)
    if kind == "compaction":
        block.spelling = SUMMARY if isinstance(data.get("content"), str) else SEALED_SUMMARY
    return block


def _is_text(data: JsonObject) -> bool:
    """Whether it consists of texts alone: a search's finding, or a document in chunks."""
    parent = data.get("source") if data.get("type") == "document" else data
    is_known = data.get("type") in ("search_result", "document")
    content = parent.get("content") if is_known and isinstance(parent, dict) else None
    return are_objects(content) and all(part.get("type") == "text" for part in content)


_RESULT_READERS: dict[str, _Reader] = {
    "text": _read_text,
    "image": partial(_read_medium, ImageBlock),
    "document": partial(_read_medium, DocumentBlock),
    "search_result": _read_found,
}


_ANSWER_READERS: dict[str, _Reader] = {
    "text": _read_text,
    "thinking": _read_thinking,
    "redacted_thinking": _read_redacted,
    "tool_use": _read_call,
}


_READERS: dict[str, _Reader] = {**_RESULT_READERS, **_ANSWER_READERS, "tool_result": _read_result}
