"""Content blocks of answers as blocks of the tree; the same types as in requests.

Reference: Anthropic API, "Create a Message", content blocks and citations. What this wire alone
has (server tools, containers, compaction) stays as it is, with its pairing. Knows no stream.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any, cast

from ..._core.jsontext import Json, JsonObject
from ..._core.stream.arguments import parsed
from ...message import (
    Base64Source,
    CacheHint,
    Citation,
    DocumentBlock,
    FileSource,
    ImageBlock,
    Origin,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)
from ...message.blocks import TEXTS, ContentBlock, Source, answered


def cache_control(hint: CacheHint) -> JsonObject:
    """`{"type": "ephemeral"}`, with a `ttl` if one was given."""
    return {"type": "ephemeral"} if hint.ttl is None else {"type": "ephemeral", "ttl": hint.ttl}


_TITLES = ("title", "document_title")


def block(told: JsonObject, issuer: str) -> ContentBlock:
    """One content block. Its own fields, such as `caller` and `citations`, go back with it.

    Raises TypeError for what is no object.
    """
    if not isinstance(told, dict):
        raise TypeError("a content block is an object")
    kind = told.get("type")
    made: ContentBlock | None = None
    if kind == "text":
        made = _text(told, issuer)
    elif kind == "thinking":
        made = _thinking(told, issuer)
    elif kind == "redacted_thinking" and isinstance(told.get("data"), str):
        made = ThinkingBlock("", redacted=told["data"], origin=Origin(issuer))
        made.extras = _rest(told, issuer, "data")
    elif kind == "tool_use":
        made = _call(told, issuer)
    return raw(told, issuer) if made is None else made


def _text(told: JsonObject, issuer: str) -> TextBlock | None:
    text = told.get("text", "")
    if not isinstance(text, str):
        return None
    made = TextBlock(text)
    if len(told) > 2:
        made.extras = _rest(told, issuer, "text")
        cited = told.get("citations")
        if isinstance(cited, list) and cited:
            made.citations = [citation(one) for one in cited]
    return made


def _thinking(told: JsonObject, issuer: str) -> ThinkingBlock | None:
    text, signature = told.get("thinking", ""), told.get("signature")
    if not isinstance(text, str) or not (signature is None or isinstance(signature, str)):
        return None
    made = ThinkingBlock(text, signature)
    if signature:
        made.origin = Origin(issuer)  # whose seal it is
    elif signature is None and "signature" in told:
        made.spelling = "null"
    if len(told) > 2:
        made.extras = _rest(told, issuer, "thinking", "signature")
    return made


def _call(told: JsonObject, issuer: str) -> ToolUseBlock | None:
    id, name, given = told.get("id") or "", told.get("name") or "", told.get("input")
    if not isinstance(id, str) or not isinstance(name, str):
        return None
    made = ToolUseBlock(id, name)
    if isinstance(given, str):  # some hosts write arguments as text
        made.raw_input, made.spelling = given, "text"
    elif given is not None:
        made.input = given
    made.extras = _rest(told, issuer, "id", "name", "input")
    if given is None and "input" in told:
        made.extras = {**(made.extras or {}), answered(issuer): {"input": None}}
    return made


def _rest(told: JsonObject, issuer: str, *said: str) -> dict[str, JsonObject] | None:
    rest = {key: value for key, value in told.items() if key != "type" and key not in said}
    return {issuer: rest} if rest else None


def raw(told: JsonObject, issuer: str) -> RawBlock:
    """A call names itself `*_use`, and what answers it `*_result` and the call's id."""
    kind = told.get("type")
    kind = kind if isinstance(kind, str) else ""
    id, pair = told.get("id"), told.get("tool_use_id")
    if kind.endswith("_result") and isinstance(pair, str):
        return RawBlock(issuer, told, "result", pair)
    if kind.endswith("_use") and isinstance(id, str):
        return RawBlock(issuer, told, "call", id)
    return RawBlock(issuer, told)


def citation(told: Any) -> Citation:
    """The source and what is quoted of it, for readers; as a whole it stays in the block's fields.

    Indexes are places in the source here, not in the answer. Raises TypeError for no object.
    """
    if not isinstance(told, dict):
        raise TypeError("a citation is an object")
    made = Citation()
    quote, url = told.get("cited_text"), told.get("url")
    if isinstance(quote, str):
        made.quote = quote
    source = told.get("source")  # of search results; often where they were found
    if isinstance(url, str):
        made.url = url
    elif isinstance(source, str) and source.startswith(("https://", "http://")):
        made.url = source
    titles = (told.get(name) for name in _TITLES)
    made.title = next((one for one in titles if isinstance(one, str)), None)
    return made


_PLAIN = "text/plain"


def read_source(
    told: Json, issuer: str, document: bool
) -> tuple[Source, str | None, JsonObject] | None:
    """(where it is, how that was spelled, what else was said of it); None for another source."""
    if not isinstance(told, dict):
        return None
    rest = dict(told)
    kind = rest.pop("type", None)
    spelling: str | None = None
    source: Source | None = None
    if kind == "base64" and isinstance(told.get("data"), str):
        media_type, data = rest.pop("media_type", None), rest.pop("data")
        source = Base64Source(media_type, data) if isinstance(media_type, str) else None
    elif kind == "url" and isinstance(told.get("url"), str):
        source = URLSource(rest.pop("url"))
    elif kind == "file" and isinstance(told.get("file_id"), str):
        source = FileSource(rest.pop("file_id"), issuer)
    elif document and kind == "text" and told.get("media_type") == _PLAIN:
        del rest["media_type"]
        spelling, source = kind, _encoded(rest.pop("data", None))
    elif document and kind == "content":
        spelling, source = kind, _encoded(rest.pop("content", None))
    return None if source is None else (source, spelling, rest)


def _encoded(text: Json) -> Source | None:
    if not isinstance(text, str):
        return None
    try:
        return Base64Source(_PLAIN, base64.b64encode(text.encode()).decode())
    except UnicodeEncodeError:  # half of a surrogate pair
        return None


def source_as_read(source: Source, spelling: str | None) -> JsonObject:
    """The object that `read_source` made the source of."""
    if type(source) is URLSource:
        return {"type": "url", "url": source.url}
    if type(source) is FileSource:
        return {"type": "file", "file_id": source.file_id}
    assert type(source) is Base64Source  # no other is read
    if spelling is None:
        return {"type": "base64", "media_type": source.media_type, "data": source.data}
    text = base64.b64decode(source.data).decode()
    if spelling == "content":
        return {"type": "content", "content": text}
    return {"type": "text", "media_type": _PLAIN, "data": text}


_CLIENT = ("tool_use", "tool_result")


_WORDED = ("search_result", "document")


def read_part(
    told: Json, issuer: str, origin: Origin | None = None, inner: bool = False
) -> ContentBlock:
    """One content block; what no block models is kept as it came.

    `origin` is whose sealed thinking it is; `inner` is a block of a result, which holds no calls.
    """
    if not isinstance(told, dict):
        return RawBlock(issuer, told, by="client")
    kind = told.get("type")
    if kind == "text" and len(told) == 2 and type(told.get("text")) is str:
        return TextBlock(told["text"])
    read = (_INNER if inner else _READERS).get(kind) if isinstance(kind, str) else None
    rest = {key: value for key, value in told.items() if key != "type"}
    block: Any = read(rest, issuer) if read is not None else None
    if block is None:
        if inner:
            return RawBlock(issuer, told, by="client", spelling=TEXTS if _is_text(told) else None)
        return _raw(told, issuer)
    if type(block) is ThinkingBlock:
        # what nobody has sealed may be another model's, which a gateway showed to this client
        block.origin = origin if block.signature or block.redacted is not None else None
    elif "cache_control" in rest and (hint := unmarked(rest["cache_control"])) is not None:
        block.cache = hint  # all that is read here but thinking has one
        del rest["cache_control"]
    if rest:
        block.extras = {issuer: rest}
    return cast("ContentBlock", block)


def _raw(told: JsonObject, issuer: str) -> RawBlock:
    made = raw(told, issuer)
    if told.get("type") in _CLIENT:
        made.by = "client"
    if _is_text(told):
        made.spelling = TEXTS
    return made


def _is_text(told: JsonObject) -> bool:
    """Whether it is nothing but texts: what a search found, or a document in chunks."""
    said: Any = told if told.get("type") == "search_result" else told.get("source")
    said = said.get("content") if isinstance(said, dict) else None
    kinds = {one.get("type") if isinstance(one, dict) else None for one in said or ()
             } if isinstance(said, list) else set()  # fmt: skip
    return kinds == {"text"} and told.get("type") in _WORDED


def unmarked(told: Json) -> CacheHint | None:
    """The cache hint that a mark says, if it says nothing else."""
    if not isinstance(told, dict) or told.get("type") != "ephemeral":
        return None
    if len(told) == 1:
        return CacheHint()
    ttl = told.get("ttl")
    return CacheHint(ttl) if len(told) == 2 and isinstance(ttl, str) else None


def _parts_text(rest: JsonObject, _: str) -> TextBlock | None:
    text = rest.pop("text", None)
    if not isinstance(text, str):
        return None
    cited = rest.get("citations")
    if isinstance(cited, list) and cited and all(isinstance(one, dict) for one in cited):
        return TextBlock(text, [citation(one) for one in cited])
    return TextBlock(text)


def _parts_thinking(rest: JsonObject, _: str) -> ThinkingBlock | None:
    text = rest.pop("thinking", None)
    if not isinstance(text, str):
        return None
    block = ThinkingBlock(text)
    signature = rest.get("signature")
    if isinstance(signature, str):
        block.signature = rest.pop("signature")
    elif signature is None and "signature" in rest:
        del rest["signature"]
        block.spelling = "null"
    return block


def _redacted(rest: JsonObject, _: str) -> ThinkingBlock | None:
    data = rest.pop("data", None)
    return ThinkingBlock("", redacted=data) if isinstance(data, str) else None


def _parts_call(rest: JsonObject, _: str) -> ToolUseBlock | None:
    id, name = rest.pop("id", None), rest.pop("name", None)
    if not isinstance(id, str) or not isinstance(name, str):
        return None
    block = ToolUseBlock(id, name)
    if "input" not in rest:
        block.spelling = "absent"
        return block
    given = rest.pop("input")
    if isinstance(given, str):
        block.raw_input, block.input, block.spelling = given, parsed(given), "text"
    elif given is None:
        block.spelling = "null"
    else:
        block.input = given
    return block


def _result(rest: JsonObject, issuer: str) -> ToolResultBlock | None:
    id = rest.pop("tool_use_id", None)
    if not isinstance(id, str):
        return None
    block = ToolResultBlock(id, output=None)
    said = rest.get("content")
    words = []
    if isinstance(said, (str, list)):
        del rest["content"]
        inner = isinstance(said, list)
        block.output = [read_part(one, issuer, inner=True) for one in said] if inner else said
    elif said is None and "content" in rest:
        del rest["content"]
        words.append("null")
    if isinstance(rest.get("is_error"), bool):
        block.is_error = rest.pop("is_error")
        words += [] if block.is_error else ["false"]
    block.spelling = " ".join(words) or None
    return block


def _image(rest: JsonObject, issuer: str) -> ImageBlock | None:
    found = read_source(rest.pop("source", None), issuer, document=False)
    if found is None:
        return None
    source, spelling, more = found
    if more:
        rest["source"] = more
    return ImageBlock(source, spelling=spelling)


def _document(rest: JsonObject, issuer: str) -> DocumentBlock | None:
    found = read_source(rest.pop("source", None), issuer, document=True)
    if found is None:
        return None
    source, spelling, more = found
    if more:
        rest["source"] = more
    title = rest.pop("title") if isinstance(rest.get("title"), str) else None
    return DocumentBlock(source, title=title, spelling=spelling)


_INNER: dict[str, Callable[[JsonObject, str], Any]] = {
    "text": _parts_text,
    "image": _image,
    "document": _document,
}


_READERS = {**_INNER, "thinking": _parts_thinking, "redacted_thinking": _redacted, "tool_use": _parts_call,
            "tool_result": _result}  # fmt: skip


def part_as_read(block: ContentBlock, issuer: str) -> Json:
    """The content block that `read_part` made the block of."""
    if type(block) is RawBlock:
        return block.data
    own = (block.extras or {}).get(issuer, {})
    made: JsonObject
    if type(block) is TextBlock:
        made = {"type": "text", "text": block.text, **own}
    elif type(block) is ThinkingBlock:
        return {**_said_thinking(block), **own}
    elif type(block) is ToolUseBlock:
        made = {"type": "tool_use", "id": block.id, "name": block.name, **own}
        if block.spelling != "absent":
            made["input"] = _SPELLED.get(block.spelling or "", _value)(block)
    elif type(block) is ToolResultBlock:
        made = {**_said_result(block, issuer), **own}
    else:
        made = _said_medium(block, own)
    hint = getattr(block, "cache", None)
    if hint is not None:
        made["cache_control"] = cache_control(hint)
    return made


def _value(block: ToolUseBlock) -> Json:
    return block.input


_SPELLED: dict[str, Callable[[ToolUseBlock], Json]] = {
    "text": lambda block: block.raw_input,
    "null": lambda _: None,
}


def _said_thinking(block: ThinkingBlock) -> JsonObject:
    if block.redacted is not None:
        return {"type": "redacted_thinking", "data": block.redacted}
    made: JsonObject = {"type": "thinking", "thinking": block.thinking}
    if block.signature is not None or block.spelling == "null":
        made["signature"] = block.signature
    return made


def _said_result(block: ToolResultBlock, issuer: str) -> JsonObject:
    made: JsonObject = {"type": "tool_result", "tool_use_id": block.id}
    words = (block.spelling or "").split()
    output = block.output
    if isinstance(output, list):
        made["content"] = [part_as_read(one, issuer) for one in output]
    elif output is not None or "null" in words:
        made["content"] = output
    if block.is_error or "false" in words:
        made["is_error"] = block.is_error
    return made


def _said_medium(block: Any, own: JsonObject) -> JsonObject:
    made: JsonObject = {"type": block.type, **own}
    made["source"] = {**source_as_read(block.source, block.spelling), **own.get("source", {})}
    if block.title is not None:
        made["title"] = block.title
    return made
