"""The blocks of LlamaIndex and ours."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...losses import Report
from ...message import (
    Base64Source,
    CacheHint,
    ImageBlock,
    LocalSource,
    Msg,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    TextSource,
    ThinkingBlock,
    URLSource,
)
from ...message.blocks import (
    AudioBlock,
    ContentBlock,
    DocumentBlock,
    Extras,
    ToolUseBlock,
    VideoBlock,
)
from ...stream.arguments import parse_arguments
from ...text.json_text import JsonObject, arguments
from ..results import lose_extras, own_fields, text_or_none, wrap_arguments

TARGET = "llama-index"
ERROR = "Error: "  # before the output of a call that failed, as our own wires write it
_ANTHROPIC = "anthropic"
_RESPONSES = "openai-responses"
_UNTITLED = "input_document"  # what LlamaIndex calls a document without a title
_PARAGRAPHS = "\n\n"
# of each kind: our block, and the fields for the data and their type
_MEDIA: dict[str, tuple[type[Any], str, str]] = {
    "image": (ImageBlock, "image", "image_mimetype"),
    "audio": (AudioBlock, "audio", "format"),
    "video": (VideoBlock, "video", "video_mimetype"),
    "document": (DocumentBlock, "data", "document_mimetype"),
}
_USUAL = {
    "image": "image/png",
    "audio": "audio/wav",
    "video": "video/mp4",
    "document": "application/pdf",
}
_FORMATS = {"audio/mpeg": "mp3", "audio/mp4": "m4a"}  # of others it is the end of the type


# -- theirs to ours -------------------------------------------------------------------------------


def read_blocks(blocks: Sequence[JsonObject], kwargs: Mapping[str, Any]) -> list[ContentBlock]:
    """Read blocks; a cache point is the hint of the block before it.

    Args:
        blocks: The blocks, as LlamaIndex dumps them.
        kwargs: The `additional_kwargs` of the message, where earlier releases have the calls.
    """
    found: list[ContentBlock] = []
    for block in blocks:
        hint = _read_hint(block)
        if hint is not None and found and hasattr(found[-1], "cache"):
            found[-1].cache = hint
        elif hint is None:
            found.append(_read(block))
    if not any(isinstance(block, ToolUseBlock) for block in found):
        found += _read_old_calls(kwargs.get("tool_calls"))
    return found


def find_issuer(blocks: Sequence[JsonObject]) -> str:
    """Return who wrote an answer, as far as its thinking shows it.

    Args:
        blocks: The blocks.
    """
    for block in blocks:
        if block["block_type"] == "thinking":
            told = block["additional_information"]
            if told.get("type") == "reasoning":
                return _RESPONSES
            if text_or_none(told.get("signature")) is not None:
                return _ANTHROPIC
    return ""


def _read_hint(block: Mapping[str, Any]) -> CacheHint | None:
    return CacheHint(block["cache_control"]["ttl"]) if block["block_type"] == "cache" else None


def _read(block: JsonObject) -> ContentBlock:
    kind = block["block_type"]
    found: ContentBlock | None = None
    if kind == "text":
        found = TextBlock(block["text"])
    elif kind == "thinking":
        found = _read_thinking(block)
    elif kind == "tool_call":
        value = block["tool_kwargs"]
        found = ToolUseBlock(block["tool_call_id"] or "", block["tool_name"], value)
        if isinstance(value, str):
            found.raw_input, found.input = value, parse_arguments(value)
    elif kind in _MEDIA:
        found = _read_medium(kind, block)
    elif kind == "citable" and all("text" in one for one in block["content"]):
        passages = [str(one["text"]) for one in block["content"]]
        found = DocumentBlock(TextSource(passages, block["source"]), block["title"] or None)
    return found if found is not None else RawBlock(TARGET, block)


def _read_thinking(block: Mapping[str, Any]) -> ThinkingBlock:
    told = block["additional_information"]
    found = ThinkingBlock(block["content"] or "")
    if told.get("type") == "reasoning":
        found.redacted = text_or_none(told.get("encrypted_content"))
        taken = ("type", "encrypted_content" if found.redacted else "type")
        own = {key: value for key, value in told.items() if key not in taken}
        found.extras = {_RESPONSES: own} if own else None
    else:
        found.signature = text_or_none(told.get("signature"))
    return found


def _read_medium(kind: str, block: Mapping[str, Any]) -> ContentBlock | None:
    cls, data, type_field = _MEDIA[kind]
    media_type = text_or_none(block[type_field])
    if media_type is not None and kind == "audio":
        formats = {end: name for name, end in _FORMATS.items()}
        media_type = formats.get(media_type, f"audio/{media_type}")
    source: Any = None
    if block[data] is not None:
        source = Base64Source(media_type or _USUAL[kind], block[data])
    elif block["path"] is not None:
        source = LocalSource(block["path"], media_type, read=True)
    elif block["url"] is not None:
        source = URLSource(block["url"], media_type, read=True)
    if source is None:
        return None
    title = block.get("title")
    found: ContentBlock = cls(source, None if title == _UNTITLED else title)
    if isinstance(found, (ImageBlock, VideoBlock)):
        found.detail = block["detail"]
    return found


def _read_old_calls(calls: Any) -> Iterator[ToolUseBlock]:
    """Read the calls of earlier releases, as OpenAI's SDK or Anthropic's gave them."""
    for call in calls if isinstance(calls, list) else ():
        held = call.get("function", call) if isinstance(call, Mapping) else None
        if not isinstance(held, Mapping) or not isinstance(held.get("name"), str):
            continue
        value = held.get("arguments", held.get("input"))
        block = ToolUseBlock(text_or_none(call.get("id")) or "", held["name"])
        if isinstance(value, str):
            block.raw_input, block.input = value, parse_arguments(value)
        elif isinstance(value, Mapping):
            block.input = dict(value)
        yield block


# -- ours to theirs -------------------------------------------------------------------------------


class MessageBlocks:
    """Writes the blocks of one message.

    Args:
        msg: The message.
        report: Where losses are reported.
        settle: Returns a block as LlamaIndex dumps it; it raises for what is none.
    """

    def __init__(
        self, msg: Msg, report: Report, settle: Callable[[JsonObject], JsonObject]
    ) -> None:
        self._msg = msg
        self._report = report
        self._settle = settle

    def write(self, blocks: Sequence[ContentBlock]) -> list[JsonObject]:
        """Write blocks, with their cache points; one that has no form is a loss.

        Args:
            blocks: The blocks.
        """
        found: list[JsonObject] = []
        for block in blocks:
            made = self._write(block)
            try:
                found += [self._settle(made)] if made is not None else []
            except Exception:  # noqa: BLE001 - theirs: there is no such file, it is no URL
                code = "media.source" if hasattr(block, "source") else "block.unsupported"
                self._report.add_loss(code, getattr(block, "source", block))
                made = None
            hint = getattr(block, "cache", None)
            if hint is not None and made is not None:
                found.append(write_hint(hint))
        return found

    def _write(self, block: Any) -> JsonObject | None:
        if isinstance(block, RawBlock):
            if block.issuer == TARGET and isinstance(block.data, dict):
                return block.data
            self._report.add_loss("raw.other_provider", block)
            return None
        if not isinstance(block, ThinkingBlock):
            lose_extras(self._report, block, block.extras)
        if getattr(block, "citations", None):
            self._report.add_loss("citations.unsupported", block, "citations")
        if isinstance(block, TextBlock):
            return {"block_type": "text", "text": block.text}
        if isinstance(block, RefusalBlock):
            self._report.add_loss("refusal.as_text", block)
            return {"block_type": "text", "text": block.text}
        if isinstance(block, ThinkingBlock):
            return self._thinking(block)
        if isinstance(block, ToolUseBlock):
            return self._call(block)
        return self._medium(block)

    def _call(self, block: ToolUseBlock) -> JsonObject:
        if block.namespace is not None:
            self._report.add_loss("tool.namespace", block, "namespace")
        value: Any = block.input
        if type(value) is not dict or block.unfinished:
            self._report.add_loss("call.unparsed", block, "input")
            value = wrap_arguments(block)
        id = block.id or None
        return {
            "block_type": "tool_call",
            "tool_call_id": id,
            "tool_name": block.name,
            "tool_kwargs": value,
        }

    def _thinking(self, block: ThinkingBlock) -> JsonObject | None:
        origin: Origin | None = block.origin or self._msg.origin
        issuer = "" if origin is None else origin.issuer
        own = own_fields(block.extras, _RESPONSES)
        lose_extras(self._report, block, block.extras, (_RESPONSES,) if own else ())
        told: Extras | JsonObject = {}
        text = block.thinking
        if issuer == _RESPONSES:
            summary = own.pop("summary", None)
            given = summary if isinstance(summary, list) else []
            texts = [str(one.get("text")) for one in given if isinstance(one, Mapping)]
            text = "\n".join(texts) if texts else text
            sealed = {} if block.redacted is None else {"encrypted_content": block.redacted}
            told = {**own, "type": "reasoning", **sealed}
        elif issuer == _ANTHROPIC and block.redacted is not None:
            self._report.add_loss("block.unsupported", block, "redacted")
            return None
        elif issuer == _ANTHROPIC and block.signature is not None:
            told = {"signature": block.signature, "type": "thinking"}
        elif block.signature or block.redacted:
            self._report.add_loss("thinking.other_provider", block, "signature")
        if not text and not told:
            return None
        return {"block_type": "thinking", "content": text, "additional_information": told}

    def _medium(self, block: Any) -> JsonObject | None:
        source = getattr(block, "source", None)
        if isinstance(source, TextSource):
            return self._text_source(block, source)
        kind = block.type
        if kind not in _MEDIA:
            self._report.add_loss("block.unsupported", block)
            return None
        _, data, type_field = _MEDIA[kind]
        found: JsonObject = {"block_type": kind}
        if isinstance(source, Base64Source):
            if not _is_base64(source.data):
                self._report.add_loss("media.broken", source)
                return None
            found[data] = source.data  # LlamaIndex takes bytes for base64 if they look like it
        elif isinstance(source, URLSource) and ":" in source.url:
            found["url"] = source.url
        elif isinstance(source, LocalSource):
            found["path"] = source.path
        else:
            self._report.add_loss("media.source", source)
            return None
        if source.media_type is not None:
            found[type_field] = source.media_type
            if kind == "audio":
                end = source.media_type.partition("/")[2]
                found["format"] = _FORMATS.get(source.media_type, end)
        if kind == "document":
            found["title"] = block.title
        if kind in ("image", "video"):
            found["detail"] = block.detail
        self._lose_details(block, kind)
        return found

    def _lose_details(self, block: Any, kind: str) -> None:
        for name in ("context", "cite", "detail", "title"):
            is_held = name == ("title" if kind == "document" else "detail")
            if not is_held and getattr(block, name, None) is not None:
                self._report.add_loss("media.detail", block, name)

    def _text_source(self, block: Any, source: TextSource) -> JsonObject:
        if source.found_at is None:
            self._report.add_loss("media.as_text", block)
            return {"block_type": "text", "text": _PARAGRAPHS.join(source.passages)}
        content = [{"block_type": "text", "text": text} for text in source.passages]
        title, found_at = block.title or "", source.found_at
        self._lose_details(block, "document")
        return {"block_type": "citable", "title": title, "source": found_at, "content": content}


def write_hint(hint: CacheHint) -> JsonObject:
    """Write a cache hint as a cache point, which always has a time.

    Args:
        hint: The hint.
    """
    control = {"type": "ephemeral", "ttl": hint.ttl or "5m"}
    return {"block_type": "cache", "cache_control": control}


def write_output(output: Any) -> list[ContentBlock]:
    """Return the output of a tool as blocks.

    Args:
        output: Text, blocks, or an object.
    """
    if isinstance(output, list):
        return output
    if isinstance(output, dict):
        return [TextBlock(arguments(output))]
    return [TextBlock(output or "")]


def _is_base64(data: str) -> bool:
    try:
        return bool(b64decode(data, validate=True)) or not data
    except ValueError:
        return False
