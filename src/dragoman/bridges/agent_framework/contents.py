"""The contents of Agent Framework's messages and our blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from mimetypes import guess_type
from typing import Any

from ...losses import Report
from ...message import (
    Base64Source,
    CacheHint,
    Citation,
    FileSource,
    ImageBlock,
    Msg,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
    URLSource,
)
from ...message.blocks import (
    AudioBlock,
    ContentBlock,
    DocumentBlock,
    Extras,
    RawRole,
    ToolUseBlock,
    VideoBlock,
)
from ...protocols.openai_responses.blocks import mark
from ...stream.arguments import parse_arguments
from ...text.json_text import JsonObject, arguments
from ..results import argument_text, lose_extras, own_fields, text_or_none

TARGET = "agent-framework"
_ANTHROPIC = "anthropic"
_RESPONSES = "openai-responses"
_OWN = "additional_properties"
_SPACE = "openai"  # where its client for OpenAI keeps what is OpenAI's
_CORE = "core"
_KIND, _REFUSAL = "model_output_kind", "refusal"
_MARK = "prompt_cache_breakpoint"
_FAILED = "FunctionInvocationError"  # what the framework stores instead of an exception
_UNFINISHED = "incomplete"
_SEAL = "encrypted_content"
_WRAPPED = "input"  # the argument of a call whose arguments are none, as our own wires name it
_PARAGRAPHS = "\n\n"
_KINDS: dict[str, type[Any]] = {"image": ImageBlock, "audio": AudioBlock, "video": VideoBlock}
_SIDES: dict[str, RawRole] = {"call": "call", "result": "result"}


def _property(content: Mapping[str, Any], space: str, key: str, *before: str) -> Any:
    """Return a property from its namespace, or from where earlier releases had it."""
    own = content.get(_OWN)
    own = own if isinstance(own, Mapping) else {}
    held = own.get(space)
    if isinstance(held, Mapping) and key in held:
        return held[key]
    return next((own[name] for name in (*before, key) if name in own), None)


# -- theirs to ours -------------------------------------------------------------------------------


def read_contents(contents: Sequence[JsonObject]) -> list[ContentBlock]:
    """Read contents. Those of one reasoning item of OpenAI are one block.

    Args:
        contents: The contents, as their `to_dict` writes them.
    """
    found: list[ContentBlock] = []
    item: list[JsonObject] = []
    for content in contents:
        id = text_or_none(content.get("id")) if content["type"] == "text_reasoning" else None
        if item and (id is None or id != item[0].get("id")):
            found.append(_read_item(item))
            item = []
        if id is not None:
            item.append(content)
        else:
            found.append(_read(content))
    return [*found, _read_item(item)] if item else found


def find_issuer(contents: Sequence[JsonObject]) -> str:
    """Return who wrote an answer, as far as its contents show it.

    Args:
        contents: The contents.
    """
    for content in contents:
        if content["type"] == "text_reasoning":
            if text_or_none(content.get("id")) or _sealed(content) is not None:
                return _RESPONSES
            if _signature(content) is not None:
                return _ANTHROPIC
        if content["type"] == "function_call" and _item_id(content):
            return _RESPONSES
    return ""


def _signature(content: Mapping[str, Any]) -> str | None:
    """Return the signature of Claude's; its client for Chat Completions keeps JSON there."""
    seal = text_or_none(content.get("protected_data"))
    return None if seal is None or seal[0] in '[{"' else seal


def _sealed(content: Mapping[str, Any]) -> str | None:
    """Return the seal of a reasoning item of OpenAI without an id."""
    return text_or_none(_property(content, _SPACE, _SEAL))


def _item_id(content: Mapping[str, Any]) -> str | None:
    return text_or_none(_property(content, _SPACE, "item_id", "fc_id"))


def _read_item(contents: Sequence[Mapping[str, Any]]) -> ThinkingBlock:
    texts = [text_or_none(one.get("text")) or "" for one in contents]
    own: JsonObject = {"id": contents[0]["id"]}
    is_raw = [bool(_property(one, _SPACE, "reasoning_text")) for one in contents]
    summary = [text for text, raw in zip(texts, is_raw, strict=True) if text and not raw]
    inner = [text for text, raw in zip(texts, is_raw, strict=True) if text and raw]
    if summary:
        own["summary"] = [{"type": "summary_text", "text": text} for text in summary]
    if inner:
        own["content"] = [{"type": "reasoning_text", "text": text} for text in inner]
    block = ThinkingBlock(_PARAGRAPHS.join(summary or inner), extras={_RESPONSES: own})
    seals = (text_or_none(one.get("protected_data")) for one in contents)
    block.redacted = next((seal for seal in seals if seal is not None), None)
    return block


def _read(content: JsonObject) -> ContentBlock:
    kind = content["type"]
    block: ContentBlock | None = None
    if kind == "text":
        block = _read_text(content)
    elif kind == "text_reasoning":
        block = ThinkingBlock(text_or_none(content.get("text")) or "", _signature(content))
        block.redacted = _sealed(content)
    elif kind in ("data", "uri", "hosted_file"):
        block = _read_medium(content)
    elif kind == "function_call" and not content.get("hosted"):
        block = _read_call(content)
    elif kind == "function_result":
        block = _read_result(content)
    if block is not None:
        return block
    side = _SIDES.get(kind.rpartition("_")[2], "item")
    return RawBlock(TARGET, content, side, text_or_none(content.get("call_id")))


def _read_text(content: Mapping[str, Any]) -> ContentBlock:
    text = content.get("text")
    text = text if isinstance(text, str) else ""
    if _property(content, _CORE, _KIND) == _REFUSAL:
        return RefusalBlock(text)
    block = TextBlock(text)
    given = content.get("annotations")
    cited = [one for one in given if isinstance(one, Mapping)] if isinstance(given, list) else []
    block.citations = [_read_citation(one) for one in cited] or None
    if isinstance(hint := _property(content, _CORE, _MARK), Mapping):
        block.cache = CacheHint(text_or_none(hint.get("ttl")))
    return block


def _read_citation(given: Mapping[str, Any]) -> Citation:
    found = Citation(url=text_or_none(given.get("url")), title=text_or_none(given.get("title")))
    found.quote = text_or_none(given.get("snippet"))
    regions = given.get("annotated_regions")
    region = regions[0] if isinstance(regions, list) and regions else None
    if isinstance(region, Mapping):
        start, end = region.get("start_index"), region.get("end_index")
        found.start = start if type(start) is int else None
        found.end = end if type(end) is int else None
    return found


def _read_medium(content: Mapping[str, Any]) -> ContentBlock | None:
    uri, media_type = text_or_none(content.get("uri")), text_or_none(content.get("media_type"))
    source: Any = None
    if content["type"] == "hosted_file":
        id = text_or_none(content.get("file_id"))
        source = FileSource(id, media_type=media_type) if id is not None else None
    elif uri is not None:
        head, comma, data = uri.partition(",")
        if head.startswith("data:") and head.endswith(";base64") and comma:
            source = Base64Source(media_type or head[5:-7] or "text/plain", data)
        else:
            source = URLSource(uri, media_type, read=True)
    if source is None:
        return None
    known = media_type or (guess_type(uri)[0] if uri and not uri.startswith("data:") else None)
    kind = _KINDS.get((known or "").partition("/")[0], DocumentBlock)
    block: Any = kind(source, text_or_none(content.get("name")))
    block.detail = text_or_none(_property(content, _SPACE, "image_detail", "detail"))
    if isinstance(hint := _property(content, _CORE, _MARK), Mapping):
        block.cache = CacheHint(text_or_none(hint.get("ttl")))
    found: ContentBlock = block
    return found


def _read_call(content: Mapping[str, Any]) -> ToolUseBlock | None:
    id, name, value = content.get("call_id"), content.get("name"), content.get("arguments")
    if not isinstance(id, str | None) or not isinstance(name, str | None):
        return None
    item = _item_id(content)
    extras: Extras | None = {_RESPONSES: {"id": item}} if item is not None else None
    block = ToolUseBlock(id or "", name or "", extras=extras)
    if isinstance(value, str):
        block.raw_input, block.input = value, parse_arguments(value)
    elif isinstance(value, Mapping):
        block.input = dict(value)
    elif value is not None:
        return None
    status = content.get("status") or _property(content, "", "status")
    block.unfinished = status == _UNFINISHED
    return block


def _read_result(content: Mapping[str, Any]) -> ToolResultBlock | None:
    id, items = content.get("call_id"), content.get("items")
    if not isinstance(id, str | None):
        return None
    block = ToolResultBlock(id or "", is_error=content.get("exception") is not None)
    if isinstance(items, list) and items:
        blocks = read_contents(items)
        only = blocks[0]
        is_text = len(blocks) == 1 and isinstance(only, TextBlock) and only.citations is None
        block.output = only.text if is_text and isinstance(only, TextBlock) else blocks
    elif (result := content.get("result")) is not None:
        block.output = result if isinstance(result, str | dict) else arguments(result)
    return block


# -- ours to theirs -------------------------------------------------------------------------------


class ContentWriter:
    """Writes the blocks of one message.

    Args:
        msg: The message.
        report: Where losses are reported.
        make: Makes a content of the framework; JSON that was read may be none for it.
    """

    def __init__(self, msg: Msg, report: Report, make: Callable[[JsonObject], Any]) -> None:
        self._msg = msg
        self._make = make
        self._report = report

    def write(self, blocks: Sequence[ContentBlock]) -> list[JsonObject]:
        """Write blocks; one that has no form is a loss.

        Args:
            blocks: The blocks.
        """
        return [content for block in blocks for content in self._write(block)]

    def _write(self, block: Any) -> Iterator[JsonObject]:
        content: JsonObject | None = None
        if isinstance(block, ThinkingBlock):
            yield from self._thinking(block)
            return
        if isinstance(block, RawBlock):
            yield from self._raw(block)
            return
        self._lose(block)
        if isinstance(block, TextBlock):
            content = {"type": "text", "text": block.text}
            if block.citations:
                content["annotations"] = [_write_citation(one) for one in block.citations]
        elif isinstance(block, RefusalBlock):
            content = {"type": "text", "text": block.text}
        elif isinstance(block, ToolUseBlock):
            content = self._call(block)
        elif isinstance(block, ToolResultBlock):
            content = self._result(block)
        else:
            content = self._medium(block)
        if content is not None:
            yield {**content, _OWN: self._own(block)}

    def _raw(self, block: RawBlock) -> Iterator[JsonObject]:
        if block.issuer != TARGET or not isinstance(block.data, dict):
            self._report.add_loss("raw.other_provider", block)
            return
        try:
            self._make(deepcopy(block.data))
        except (LookupError, TypeError, ValueError):  # the framework knows no such field
            self._report.add_loss("block.unsupported", block)
            return
        yield block.data

    def _lose(self, block: Any) -> None:
        carried = (_RESPONSES,) if isinstance(block, (ToolUseBlock, ThinkingBlock)) else ()
        lose_extras(self._report, block, block.extras, carried)
        for one in getattr(block, "citations", None) or ():
            lose_extras(self._report, one, one.extras)
        is_put = isinstance(block, TextBlock) or hasattr(block, "source")
        if getattr(block, "cache", None) is not None and not (is_put and self._is_user):
            self._report.add_loss("cache.unsupported", block, "cache")

    @property
    def _is_user(self) -> bool:
        return self._msg.role == "user"

    def _own(self, block: Any) -> JsonObject:
        """Write what has its place in the properties of a content."""
        found: JsonObject = {}
        if isinstance(block, RefusalBlock):
            found[_CORE] = {_KIND: _REFUSAL}
        elif isinstance(block, ToolUseBlock):
            item = text_or_none(own_fields(block.extras, _RESPONSES).get("id"))
            if item is not None:
                found[_SPACE] = {"item_id": item}
        elif (hint := getattr(block, "cache", None)) is not None and self._is_user:
            found[_CORE] = {_MARK: mark(hint)}
        detail = getattr(block, "detail", None)
        if detail is not None:
            found[_SPACE] = {"image_detail": detail}
        return found

    def _call(self, block: ToolUseBlock) -> JsonObject:
        text = argument_text(block)
        can_run = type(block.input) is dict and not block.unfinished
        if block.freeform and not block.unfinished:
            self._report.add_loss("call.freeform", block)
            text, can_run = arguments({_WRAPPED: text}), True
        if block.namespace is not None:
            self._report.add_loss("tool.namespace", block, "namespace")
        content: JsonObject = {
            "type": "function_call",
            "call_id": block.id,
            "name": block.name,
            "arguments": text,
            "hosted": False,
        }
        if not can_run:  # the framework runs others, with `{"raw": text}` if need be
            content["informational_only"] = True
        if block.unfinished:
            content["status"] = _UNFINISHED
        return content

    def _result(self, block: ToolResultBlock) -> JsonObject:
        output: Any = block.output
        if not isinstance(output, list):
            text = "" if output is None else output if isinstance(output, str) else ""
            output = [TextBlock(arguments(output) if isinstance(output, dict) else text)]
        items = ContentWriter(self._msg, self._report, self._make).write(output)
        texts = [one["text"] for one in items if one["type"] == "text" and one["text"]]
        content: JsonObject = {"type": "function_result", "call_id": block.id}
        if block.is_error:
            content["exception"] = _FAILED
        return {**content, "result": "\n".join(texts), "items": items}

    def _thinking(self, block: ThinkingBlock) -> Iterator[JsonObject]:
        origin: Origin | None = block.origin or self._msg.origin
        issuer = "" if origin is None else origin.issuer
        own = own_fields(block.extras, _RESPONSES)
        lose_extras(self._report, block, block.extras, (_RESPONSES,) if own else ())
        base: JsonObject = {"type": "text_reasoning", _OWN: {}}
        if issuer == _RESPONSES:
            yield from self._item(block, own, base)
            return
        seal = block.signature
        if issuer != _ANTHROPIC:
            if seal or block.redacted:
                self._report.add_loss("thinking.other_provider", block, "signature")
            seal = None
        elif block.redacted is not None:
            self._report.add_loss("block.unsupported", block, "redacted")
        if block.thinking or seal:
            sealed = {"protected_data": seal} if seal else {}
            yield {**base, "text": block.thinking, **sealed}

    def _item(
        self, block: ThinkingBlock, own: JsonObject, base: JsonObject
    ) -> Iterator[JsonObject]:
        """Write a reasoning item of OpenAI: a content for each text of it."""
        id = text_or_none(own.get("id"))
        base |= {"id": id} if id is not None else {}
        texts = _texts(own.get("summary"))
        inner = [] if texts else _texts(own.get("content"))
        if id is None:  # as `protected_data` it would be a signature of Claude
            sealed = {} if block.redacted is None else {_SEAL: block.redacted}
            yield {**base, "text": block.thinking, _OWN: sealed}
            return
        if not (texts or inner):
            texts = [block.thinking]
        properties = {_SPACE: {"reasoning_text": True}} if inner else {}
        for i, text in enumerate(texts or inner):
            sealed = {"protected_data": block.redacted} if block.redacted and not i else {}
            yield {**base, "text": text, **sealed, _OWN: properties}

    def _medium(self, block: Any) -> JsonObject | None:
        source = getattr(block, "source", None)
        content: JsonObject
        if isinstance(source, TextSource):
            self._report.add_loss("media.as_text", block)
            return {"type": "text", "text": _PARAGRAPHS.join(source.passages)}
        if isinstance(source, Base64Source):
            uri = f"data:{source.media_type};base64,{source.data}"
            content = {"type": "data", "uri": uri}
        elif isinstance(source, URLSource) and ":" in source.url:
            kind = "data" if source.url.startswith("data:") else "uri"
            content = {"type": kind, "uri": source.url}
        elif isinstance(source, FileSource):
            content = {"type": "hosted_file", "file_id": source.file_id}
        else:
            code = "block.unsupported" if source is None else "media.source"
            self._report.add_loss(code, block if source is None else source)
            return None
        for name in ("context", "cite"):
            if getattr(block, name, None) is not None:
                self._report.add_loss("media.detail", block, name)
        media_type = source.media_type or _usual_type(block, content)
        if media_type is not None:
            content["media_type"] = media_type
        if block.title is not None:
            content["name"] = block.title
        return content


def _usual_type(block: ContentBlock, content: JsonObject) -> str | None:
    """Return the kind alone where the type is not known: their clients pass over a medium else."""
    if content["type"] == "hosted_file" or block.type == "document":
        return None
    return block.type


def _texts(parts: Any) -> list[str]:
    given = parts if isinstance(parts, list) else []
    return [str(one.get("text")) for one in given if isinstance(one, Mapping)]


def _write_citation(one: Citation) -> JsonObject:
    values = {"url": one.url, "title": one.title, "snippet": one.quote}
    found: JsonObject = {"type": "citation"}
    found |= {key: value for key, value in values.items() if value is not None}
    if one.start is not None or one.end is not None:
        region = {"type": "text_span", "start_index": one.start, "end_index": one.end}
        found["annotated_regions"] = [{k: v for k, v in region.items() if v is not None}]
    return found
