"""Reads and writes each kind of content block, for requests and answers; opens no files.

Reference: Amazon Bedrock API reference, "ContentBlock".
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar, Literal, assert_never

from ... import message as tree
from ...errors import WriteError
from ...message import Origin, RawBlock, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from ...message.blocks import ContentBlock, MediaBlock, name_answers
from ...stream.arguments import parse_arguments
from ...text.json_text import Json, JsonObject, field_at
from ..chat_like.messages import are_objects, fill_fields, without
from .dialect import FORMATS, MEDIA_TYPES

TEXT_INPUT = "text"  # in the spelling of a call: its input is text
TYPED = "tool_use"  # in the spelling of a call: it has a type

_TEXT = "text"  # the spelling of a document that is plain text
_PASSAGES = "passages"  # of one in passages
_STATUS = {"error": True, "success": False}
_MARKING_FIELDS = frozenset({"citations", "guardContent"})  # extras that mark other kinds of text


def read_parts(data: list[Json], issuer: str, origin: Origin | None = None) -> list[ContentBlock]:
    """Read the blocks of a list; a cache point becomes a hint on the block before it.

    `origin`: the model that wrote them, if one did; results in its turns are the server's own.
    """
    blocks: list[ContentBlock] = []
    for part in data:
        if blocks and (hint := read_cache_point(part)) is not None:
            last: Any = blocks[-1]
            if getattr(last, "cache", hint) is None:
                last.cache = hint
                continue
        block = read_part(part, issuer, origin)
        if type(block) is ThinkingBlock:
            block.origin = origin
        blocks.append(block)
    return blocks


def read_part(data: Json, issuer: str, origin: Origin | None = None) -> ContentBlock:
    """Read one content block of a request; an unknown one is kept unchanged."""
    block: ContentBlock | None = None
    key, value = next(iter(data.items())) if type(data) is dict and len(data) == 1 else ("", None)
    try:
        if key == "text" and type(value) is str:
            block = TextBlock(value)
        elif key in _REQUEST_READERS and type(value) is dict:
            block = _REQUEST_READERS[key](value, issuer, origin) or _raw_part(data, issuer)
        elif type(data) is dict:
            block = read_block(data, issuer, issuer)
            if type(block) is RawBlock and origin is None:
                block.by = "client"
    except (TypeError, ValueError):
        pass
    block = RawBlock(issuer, data, by="client") if block is None else block
    is_object = type(value) is dict and type(block) is not RawBlock and key != "guardContent"
    block.read_from = value if is_object else data
    return block


def _raw_part(data: JsonObject, issuer: str) -> RawBlock:
    """Return a call, a result or a guarded image unchanged, with its pairing."""
    ((key, value),) = data.items()
    call_id = value.get("toolUseId")
    role: Any = _RAW_ROLES.get(key, "item")
    by: Literal["client", "server"] = "server" if role != "item" and "type" in value else "client"
    return RawBlock(issuer, data, role, call_id if isinstance(call_id, str) else None, by)


_RAW_ROLES: dict[str, Literal["call", "result"]] = {"toolUse": "call", "toolResult": "result"}


def read_block(data: JsonObject, issuer: str, extras_name: str = "") -> ContentBlock:
    """Read one content block of an answer.

    Args:
        data: The content block.
        issuer: The issuer of the answer.
        extras_name: The name in the extras for unknown fields, if other bodies may have them, too.

    Raises:
        TypeError: If it is no object.
        ValueError: If its bytes are not base64.
    """
    if not isinstance(data, dict):
        raise TypeError("a content block is an object")
    if len(data) == 1:
        ((key, value),) = data.items()
        if key == "text" and isinstance(value, str):
            return TextBlock(value)
        if key in _READERS and isinstance(value, dict):
            block = _READERS[key](value, issuer, extras_name or name_answers(issuer))
            if block is not None:
                return block
    elif isinstance(data.get("text"), str) and _MARKING_FIELDS.isdisjoint(data):
        fields = without(data, "text")
        return TextBlock(data["text"], extras={extras_name or name_answers(issuer): fields})
    return _read_raw(json_bytes(data), issuer)


def _read_raw(data: JsonObject, issuer: str) -> RawBlock:
    """Read a server's own call, its result, or an unknown block, with its pairing."""
    for key, role in _RAW_ROLES.items():
        value = data.get(key)
        call_id = value.get("toolUseId") if isinstance(value, dict) else None
        if isinstance(call_id, str):
            return RawBlock(issuer, data, role, call_id)
    return RawBlock(issuer, data)


def json_bytes(value: Any) -> Any:
    """Return the value with bytes as base64 text, as they are sent.

    Raises:
        ValueError: If it is nested too deeply.
    """
    try:
        return _json_bytes(value)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _json_bytes(value: Any) -> Json:
    if isinstance(value, (bytes, bytearray)):
        return b64encode(value).decode("ascii")
    if isinstance(value, dict):
        return {key: _json_bytes(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json_bytes(item) for item in value]
    return value


def issuer_fields(node: Any, issuer: str) -> JsonObject:
    """Return the fields of the issuer's requests and answers that the node cannot hold."""
    if not node.extras:
        return {}
    return fill_fields(dict(node.extras.get(issuer, {})), node.extras.get(name_answers(issuer), {}))


class BlockWriter:
    """Writes blocks that were read from this wire, unchanged; answers are written so, too."""

    __slots__ = ("issuer",)
    as_read: ClassVar[bool] = True

    def __init__(self, issuer: str) -> None:
        self.issuer = issuer

    def parts(self, blocks: Sequence[ContentBlock]) -> list[Json]:
        """Write the blocks of a content list, each with its cache point."""
        parts: list[Json] = []
        for block in blocks:
            parts.append(self.block(block))
            if (hint := getattr(block, "cache", None)) is not None:
                parts.append(cache_point(hint))
        return parts

    def block(self, block: ContentBlock) -> Any:
        """Write the content block."""
        fields = {} if block.extras is None else self.fields(block)
        if type(block) is TextBlock:
            return _write_text(block.text, fields) if fields else {"text": block.text}
        data: JsonObject
        if type(block) is ToolUseBlock:
            key, data = "toolUse", self._call(block)
        elif type(block) is ToolResultBlock:
            key, data = "toolResult", {"toolUseId": block.id, "content": self.result_content(block)}
            if (status := self.status(block)) is not None:
                data["status"] = status
        elif type(block) is ThinkingBlock:
            key, data = "reasoningContent", write_thinking(block, self.as_read)
        elif isinstance(block, MediaBlock):
            if found := _write_found(block):
                key, data = "searchResult", found
            else:
                key, data = block.type, self._medium(block)
            if type(block) is tree.DocumentBlock:
                data |= {} if block.context is None else {"context": block.context}
                data |= {} if block.cite is None else {"citations": {"enabled": block.cite}}
        elif type(block) is RawBlock and (self.as_read or isinstance(block.data, dict)):
            return block.data
        elif isinstance(block, RawBlock | tree.RefusalBlock):
            raise WriteError(f"{block.type} has no content block", code="placement.unsupported")
        else:
            assert_never(block)
        return {key: fill_fields(data, fields) if fields else data}

    def fields(self, node: Any) -> JsonObject:
        """Return this wire's fields of a node that it cannot hold."""
        return issuer_fields(node, self.issuer)

    def _call(self, block: ToolUseBlock) -> JsonObject:
        data = {"toolUseId": block.id, "name": block.name, "input": block.input}
        if self.as_read and block.spelling is not None:
            notes = block.spelling.split()
            if TEXT_INPUT in notes:
                data["input"] = block.raw_input
            if TYPED in notes:
                data["type"] = TYPED
        return data

    def result_content(self, block: ToolResultBlock) -> Json:
        """Write the `content` of a result."""
        output = block.output
        if isinstance(output, list):
            return self.parts(output)
        return [{"json" if isinstance(output, dict) else "text": output}]

    def status(self, block: ToolResultBlock) -> str | None:
        """Return the `status` of a result."""
        return "error" if block.is_error else block.spelling

    def _medium(self, block: MediaBlock) -> JsonObject:
        data: JsonObject = {}
        if form := self.format(block):
            data["format"] = form
        if type(block) is tree.DocumentBlock and (name := self.name(block)) is not None:
            data["name"] = name
        source = block.source
        if type(source) is tree.TextSource:
            data["source"] = {"content": [{"text": text} for text in source.passages]}
        elif type(source) is not tree.Base64Source:
            data["source"] = {"s3Location": {"uri": get_uri(block)}}
        elif self.as_read and (block.spelling or "").partition(" ")[0] == _TEXT:
            data["source"] = {"text": b64decode(source.data).decode()}
        else:
            data["source"] = {"bytes": source.data}
        return data

    def format(self, block: MediaBlock) -> str | None:
        """Return the `format` of a medium."""
        form, _, bare = (block.spelling or "").partition(" ")
        usual = FORMATS.get(block.source.media_type or "")
        if usual is None or bare:
            return None
        return form if form and form not in (_TEXT, _PASSAGES) else usual

    def name(self, block: tree.DocumentBlock) -> str | None:
        """Return the `name` of a document."""
        return block.title


def _write_found(block: MediaBlock) -> JsonObject:
    """Write `{"source", "title", "content": [{"text"}]}` for a search's finding, if it is one."""
    source = block.source
    if type(source) is not tree.TextSource or source.found_at is None:
        return {}
    content = [{"text": text} for text in source.passages]
    return {"source": source.found_at, "title": block.title, "content": content}


def cache_point(hint: tree.CacheHint) -> JsonObject:
    """Write `{"cachePoint": {"type": "default"}}`, with a `ttl` if one was given."""
    point: JsonObject = {"type": "default"}
    if hint.ttl is not None:
        point["ttl"] = hint.ttl
    return {"cachePoint": point}


def read_cache_point(data: Json) -> tree.CacheHint | None:
    """Return the hint of a cache point without other fields."""
    point = data.get("cachePoint") if type(data) is dict and len(data) == 1 else None
    if type(point) is not dict or point.get("type") != "default":
        return None
    ttl = point.get("ttl")
    is_usual = len(point) == 1 or (len(point) == 2 and isinstance(ttl, str))
    return tree.CacheHint(ttl) if is_usual else None


def _write_text(text: str, fields: JsonObject) -> JsonObject:
    """Write a text; the fields of citations and of guards decide its kind."""
    if "guardContent" in fields and "citations" not in fields:
        return {"guardContent": fill_fields({"text": {"text": text}}, fields["guardContent"])}
    if "citations" not in fields:
        return {"text": text, **fields}
    # the model's own pieces, with the text as it is now
    content = fields.get("content")
    if content is None or "".join(str(part.get("text", "")) for part in content) != text:
        content = [{"text": text}] if text else None
    fields = without(fields, "content")
    return {"citationsContent": fields if content is None else {**fields, "content": content}}


def _read_cited(data: JsonObject, issuer: str, _: str) -> TextBlock | None:
    """Read `{"content": [{"text"}], "citations"}` as a text; its citations go back unchanged."""
    content, citations = data.get("content", []), data.get("citations")
    if not isinstance(content, list) or not isinstance(citations, list):
        return None
    texts: list[Any] = [part.get("text") for part in content if isinstance(part, dict)]
    if len(texts) < len(content) or not all(isinstance(text, str) for text in texts):
        return None
    text = "".join(texts)
    sources = [read_citation(source if isinstance(source, dict) else {}) for source in citations]
    # one text, or none; any other content goes back unchanged
    is_usual = content == [{"text": text}] if text else "content" not in data
    fields = without(data, "content") if is_usual else dict(data)
    return TextBlock(text, sources or None, extras={issuer: fields})


def read_citation(data: Any) -> tree.Citation:
    """Read the source and the quote of a citation.

    Raises:
        TypeError: If it is no object.
    """
    if not isinstance(data, dict):
        raise TypeError("a citation is an object")
    title, content = data.get("title"), data.get("sourceContent")
    web = field_at(data, "location.web")
    quotes = [field_at(part, "text") for part in content] if isinstance(content, list) else []
    url = web.get("url") if isinstance(web, dict) else data.get("source")
    is_url = isinstance(url, str) and (web or url.startswith(("https://", "http://")))
    return tree.Citation(
        url=url if is_url else None,
        title=title if isinstance(title, str) else None,
        quote="".join(quote for quote in quotes if isinstance(quote, str)) or None,
    )


def _read_guarded(data: JsonObject, issuer: str, _: Origin | None) -> ContentBlock | None:
    """Read `{"text": {"text", "qualifiers"}}`: a text that a guardrail checks."""
    value = data.get("text")
    if len(data) != 1 or not isinstance(value, dict) or not isinstance(value.get("text"), str):
        return None
    fields = without(value, "text")
    guard: JsonObject = {"guardContent": {"text": fields} if fields else {}}
    return TextBlock(value["text"], extras={issuer: guard})


def _read_thinking(data: JsonObject, issuer: str, extras_name: str) -> ThinkingBlock | None:
    if data.keys() == {"redactedContent"}:
        return read_redacted(data["redactedContent"], issuer)
    value = data.get("reasoningText")
    if data.keys() != {"reasoningText"} or not isinstance(value, dict):
        return None
    text, signature = value.get("text", ""), value.get("signature")
    if not isinstance(text, str) or not isinstance(signature, str | None):
        return None
    block = ThinkingBlock(text, signature, spelling=None if "text" in value else "textless")
    if fields := without(value, "text", *(() if signature is None else ("signature",))):
        block.extras = {extras_name: {"reasoningText": fields}}
    return block


def read_redacted(data: Any, issuer: str) -> ThinkingBlock:
    """Read sealed thinking: its bytes are a text that the maker's own API sends directly.

    Raises:
        TypeError: If it is neither bytes nor text.
        ValueError: If it is not base64.
    """
    raw = bytes(data) if isinstance(data, (bytes, bytearray)) else b64decode(data, validate=True)
    usual = b64encode(raw).decode("ascii")
    try:
        block = ThinkingBlock("", redacted=raw.decode())
    except UnicodeDecodeError:
        return ThinkingBlock("", redacted=usual, extras={issuer: {"redactedContent": usual}})
    # base64 has several spellings of its last character
    if isinstance(data, str) and data != usual:
        block.extras = {issuer: {"redactedContent": data}}
    return block


def write_thinking(block: ThinkingBlock, as_read: bool = False) -> JsonObject:
    """Write `reasoningText`, or `redactedContent`: the sealed text as bytes, sent in base64."""
    if block.redacted is not None:
        return {"redactedContent": b64encode(block.redacted.encode()).decode("ascii")}
    is_textless = as_read and block.spelling == "textless"
    data: JsonObject = {} if is_textless else {"text": block.thinking}
    if block.signature is not None:
        data["signature"] = block.signature
    return {"reasoningText": data}


def _read_call(data: JsonObject, issuer: str, _: str) -> ToolUseBlock | None:
    id, name, value = data.get("toolUseId", ""), data.get("name", ""), data.get("input", {})
    is_server = data.get("type") == "server_tool_use"
    if is_server or not isinstance(id, str) or not isinstance(name, str):
        return None
    block = ToolUseBlock(id, name)
    notes = []
    if isinstance(value, str):
        block.raw_input = value
        notes.append(TEXT_INPUT)
    else:
        block.input = value
    fields = without(data, "toolUseId", "name", "input")
    if fields.get("type") == TYPED:  # answers may have it, requests must not
        notes.append(TYPED)
        del fields["type"]
    block.spelling = " ".join(notes) or None
    block.extras = {issuer: fields} if fields else None
    return block


def _read_request_call(data: JsonObject, issuer: str, _: Origin | None) -> ContentBlock | None:
    """Read a call with its id, name and input; a call of a server tool is kept whole."""
    if not data.keys() >= {"toolUseId", "name", "input"}:
        return None
    block = read_block({"toolUse": data}, issuer, issuer)
    if type(block) is ToolUseBlock and block.raw_input is not None:
        block.input = parse_arguments(block.raw_input)
    return block


def _read_result(data: JsonObject, issuer: str, origin: Origin | None) -> ContentBlock | None:
    """Read a result; one of a server tool, which is in the model's turn, is kept whole."""
    id, content, status = data.get("toolUseId"), data.get("content"), data.get("status")
    if origin is not None:
        return read_block({"toolResult": data}, issuer)
    if not isinstance(id, str) or not isinstance(content, list) or "type" in data:
        return None
    block = ToolResultBlock(id)
    fields = without(data, "toolUseId", "content")
    if isinstance(status, str) and status in _STATUS:
        del fields["status"]
        block.is_error = _STATUS[status]
        block.spelling = None if block.is_error else status
    first = content[0] if len(content) == 1 and type(content[0]) is dict else {}
    if first.keys() == {"text"} and isinstance(first["text"], str):
        block.output = first["text"]
    elif first.keys() == {"json"} and isinstance(first["json"], dict):
        block.output = first["json"]
    else:
        block.output = read_parts(content, issuer)
    block.extras = {issuer: fields} if fields else None
    return block


_REQUEST_READERS = {
    "toolUse": _read_request_call,
    "toolResult": _read_result,
    "guardContent": _read_guarded,
}


def get_uri(block: MediaBlock) -> str:
    """Return the address of a stored medium.

    Raises:
        WriteError: If the medium is not stored elsewhere.
    """
    source = block.source
    if type(source) is tree.URLSource:
        return source.url
    if type(source) is tree.FileSource:
        return source.file_id
    raise WriteError(f"{block.type} from a {source.type} source", code="placement.unsupported")


def _read_medium(data: JsonObject, issuer: str, _: str, kind: str) -> ContentBlock | None:
    """Read an `image`, `document`, `video` or `audio`; None for an unknown source."""
    form, name, value = data.get("format"), data.get("name"), data.get("source")
    media_type = MEDIA_TYPES.get((kind, form), "") if isinstance(form, str) else ""
    if not isinstance(value, dict) or len(value) != 1:
        return None
    source, fields, spelling = _read_source(value, media_type, kind)
    if source is None:
        return None
    block: ContentBlock = _MEDIA[kind](source)
    known = {"source"}
    if media_type:
        known.add("format")
        spelling = form if FORMATS[media_type] != form else spelling
    if type(block) is tree.DocumentBlock and isinstance(name, str):
        block.title = name
        known.add("name")
    if type(block) is tree.DocumentBlock:
        if isinstance(context := data.get("context"), str):
            block.context = context
            known.add("context")
        block.cite = _switch(data)
        if block.cite is not None:
            known.add("citations")
    fields |= without(data, *known)
    block.spelling = spelling
    block.extras = {issuer: json_bytes(fields)} if fields else None
    return block


def _read_found(data: JsonObject, issuer: str, _: str) -> ContentBlock | None:
    """Read the document of a `searchResult`; None for one with unusual passages."""
    passages, found_at, title = (
        _passages(data.get("content")),
        data.get("source"),
        data.get("title"),
    )
    if not passages or not isinstance(found_at, str) or not isinstance(title, str):
        return None
    source = tree.TextSource(passages, found_at)
    block = tree.DocumentBlock(source, title=title, cite=_switch(data))
    known = ("source", "title", "content", *(("citations",) if block.cite is not None else ()))
    if fields := without(data, *known):
        block.extras = {issuer: json_bytes(fields)}
    return block


def _switch(data: JsonObject) -> bool | None:
    """Return whether a document is to be cited; None if it has no or further fields about it."""
    switch = data.get("citations")
    if not isinstance(switch, dict) or switch.keys() != {"enabled"}:
        return None
    return switch["enabled"] if isinstance(switch["enabled"], bool) else None


def _passages(content: Json) -> list[str]:
    """Return the texts of a list of plain texts; none for any other content."""
    if not are_objects(content) or not all(part.keys() == {"text"} for part in content):
        return []
    texts = [part["text"] for part in content]
    return texts if all(isinstance(text, str) for text in texts) else []


def _read_source(
    data: JsonObject, media_type: str, kind: str
) -> tuple[tree.Source | None, JsonObject, str | None]:
    """Read the source, the fields of the medium without a node, and the spelling."""
    content, location, text = data.get("bytes"), data.get("s3Location"), data.get("text")
    if isinstance(content, (str, bytes, bytearray)) and (media_type or kind == "document"):
        media_type = media_type or "application/octet-stream"
        return tree.Base64Source(media_type, json_bytes(content)), {}, None
    if isinstance(location, dict) and isinstance(location.get("uri"), str):
        unknown = without(location, "uri")
        fields = {"source": {"s3Location": unknown}} if unknown else {}
        source = tree.URLSource(location["uri"], media_type or None, read=True)
        return source, fields, None
    is_text = kind == "document" and media_type.partition("/")[0] in ("", "text")
    if is_text and (passages := _passages(data.get("content"))):
        spelling = None if media_type else f"{_PASSAGES} bare"
        return tree.TextSource(passages, media_type=media_type or "text/plain"), {}, spelling
    if is_text and isinstance(text, str):
        try:
            content = b64encode(text.encode()).decode("ascii")
        except UnicodeEncodeError:  # half of a pair
            return None, {}, None
        spelling = _TEXT if media_type else f"{_TEXT} bare"
        return tree.Base64Source(media_type or "text/plain", content), {}, spelling
    return None, {}, None


_MEDIA: dict[str, Any] = {
    "image": tree.ImageBlock,
    "document": tree.DocumentBlock,
    "video": tree.VideoBlock,
    "audio": tree.AudioBlock,
}
_READERS: dict[str, Callable[[JsonObject, str, str], ContentBlock | None]] = {
    "toolUse": _read_call,
    "reasoningContent": _read_thinking,
    "citationsContent": _read_cited,
    "searchResult": _read_found,
    **{kind: partial(_read_medium, kind=kind) for kind in _MEDIA},
}
