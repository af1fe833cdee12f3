"""The parts of Haystack's messages and our blocks."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...losses import Report
from ...message import (
    Base64Source,
    CacheHint,
    Msg,
    Origin,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
)
from ...message.blocks import (
    AudioBlock,
    ContentBlock,
    DocumentBlock,
    Extras,
    ImageBlock,
    ToolUseBlock,
    VideoBlock,
)
from ...text.json_text import JsonObject
from ..results import lose_extras, own_fields, text_or_none, wrap_arguments

TARGET = "haystack"
PARAGRAPHS = "\n\n"
_ANTHROPIC = "anthropic"
_RESPONSES = "openai-responses"
_REDACTED = "[REDACTED]"  # what anthropic-haystack shows of sealed thinking
_KINDS: dict[str, type[Any]] = {"audio": AudioBlock, "video": VideoBlock}
# Haystack checks the type of a picture unless it is told not to; these it takes
_PICTURES = frozenset(f"image/{name}" for name in ("bmp", "gif", "jpeg", "png", "tiff", "webp"))


def call_id(call: Mapping[str, Any]) -> str:
    """Return the id of a call; that of OpenAI's item stands in its place if the model is theirs.

    Args:
        call: A `ToolCall` as JSON.
    """
    extra = call.get("extra")
    given = extra.get("call_id") if isinstance(extra, Mapping) else None
    return text_or_none(given) or call.get("id") or ""


def find_issuer(parts: Sequence[Mapping[str, Any]]) -> str:
    """Return who wrote an answer, as far as its parts show it.

    Args:
        parts: The parts.
    """
    for part in parts:
        call, extra = part.get("tool_call"), part.get("reasoning", {}).get("extra") or {}
        if isinstance(extra.get("reasoning_contents"), list):
            return _ANTHROPIC
        if extra.get("type") == "reasoning" or (call and call_id(call) not in (call.get("id"), "")):
            return _RESPONSES
    return ""


# -- theirs to ours -------------------------------------------------------------------------------


def read_part(part: Mapping[str, Any]) -> list[ContentBlock]:
    """Read a part; thinking of Claude is several blocks.

    Args:
        part: The part, whose kind is its key.
    """
    if "text" in part:
        return [TextBlock(part["text"])]
    if "tool_call" in part:
        return [_read_call(part["tool_call"])]
    if "tool_call_result" in part:
        return [_read_result(part["tool_call_result"])]
    if "reasoning" in part:
        return [*_read_thinking(part["reasoning"])]
    return [_read_medium(part)]


def _read_call(call: Mapping[str, Any]) -> ToolUseBlock:
    id, item = call_id(call), call.get("id")
    extras: Extras | None = {_RESPONSES: {"id": item}} if item and item != id else None
    return ToolUseBlock(id, call["tool_name"], call["arguments"], extras=extras)


def _read_result(result: Mapping[str, Any]) -> ToolResultBlock:
    origin, output = result["origin"], result["result"]
    if not isinstance(output, str):
        output = [block for part in output for block in read_part(part)]
    return ToolResultBlock(call_id(origin), origin["tool_name"], output, result["error"])


def _read_thinking(reasoning: Mapping[str, Any]) -> Iterator[ThinkingBlock]:
    text, extra = reasoning["reasoning_text"], reasoning.get("extra") or {}
    contents = extra.get("reasoning_contents")
    if isinstance(contents, list) and contents:
        for item in contents:
            held = item.get("reasoning_content") if isinstance(item, Mapping) else None
            said = held.get("reasoning_text") if isinstance(held, Mapping) else None
            block = ThinkingBlock("")
            if isinstance(said, Mapping):
                block.thinking = text_or_none(said.get("text")) or ""
                block.signature = text_or_none(said.get("signature"))
            elif isinstance(held, Mapping):
                block.redacted = text_or_none(held.get("redacted_thinking"))
            yield block
        return
    block = ThinkingBlock(text)
    if extra.get("type") == "reasoning":
        block.redacted = text_or_none(extra.get("encrypted_content"))
        taken = ("type", "encrypted_content" if block.redacted else "type")
        own = {key: value for key, value in extra.items() if key not in taken}
        block.extras = {_RESPONSES: own} if own else None
    yield block


def _read_medium(part: Mapping[str, Any]) -> ContentBlock:
    if "image" in part:
        image = part["image"]
        source = Base64Source(image.get("mime_type") or "image/jpeg", image["base64_image"])
        return ImageBlock(source, detail=image.get("detail"))
    file = part["file"]
    media_type = file.get("mime_type") or "application/pdf"  # as their generators send it
    source = Base64Source(media_type, file["base64_data"])
    kind = _KINDS.get(media_type.partition("/")[0], DocumentBlock)
    block: Any = kind(source, file.get("filename"))
    context = (file.get("extra") or {}).get("context")
    if isinstance(block, DocumentBlock):
        block.context = text_or_none(context)
    found: ContentBlock = block
    return found


# -- ours to theirs -------------------------------------------------------------------------------


def find_hint(msg: Msg) -> CacheHint | None:
    """Return the cache hint of a message, or of one of its blocks.

    Args:
        msg: The message.
    """
    hints = [msg.cache, *(getattr(block, "cache", None) for block in msg.blocks)]
    return next((hint for hint in hints if hint is not None), None)


def lose_fields(block: Any, report: Report, *carried: str) -> None:
    """Report the fields of a block that no part has.

    Args:
        block: The block.
        report: Where they are reported.
        carried: The issuers whose fields were written.
    """
    lose_extras(report, block, block.extras, carried)
    if getattr(block, "citations", None):
        report.add_loss("citations.unsupported", block, "citations")


def write_part(block: Any, report: Report) -> JsonObject | None:
    """Write a block outside of an answer; None, and a loss, if it has no form.

    Args:
        block: The block.
        report: Where losses are reported.
    """
    if isinstance(block, TextBlock):
        lose_fields(block, report)
        return {"text": block.text}
    if not isinstance(block, (ImageBlock, AudioBlock, VideoBlock, DocumentBlock)):
        report.add_loss("raw.other_provider" if block.type == "raw" else "block.unsupported", block)
        return None
    lose_fields(block, report)
    source, is_picture = block.source, isinstance(block, ImageBlock)
    if isinstance(source, TextSource):
        report.add_loss("media.as_text", block)
        return {"text": PARAGRAPHS.join(source.passages)}
    if not isinstance(source, Base64Source):
        report.add_loss("media.source", source)
        return None
    if not _is_base64(source.data):
        report.add_loss("media.broken", source)
        return None
    for name in ("title" if is_picture else "detail", "cite"):
        if getattr(block, name, None) is not None:
            report.add_loss("media.detail", block, name)
    if is_picture:
        return {
            "image": {
                "base64_image": source.data,
                "mime_type": source.media_type,
                "detail": block.detail,
                "meta": {},
                "validation": source.media_type in _PICTURES,
            }
        }
    context = getattr(block, "context", None)
    return {
        "file": {
            "base64_data": source.data,
            "mime_type": source.media_type,
            "filename": block.title,
            "extra": {} if context is None else {"context": context},
            "validation": True,
        }
    }


def _is_base64(data: str) -> bool:
    try:
        return bool(b64decode(data, validate=True)) or not data
    except ValueError:
        return False


def write_call(block: ToolUseBlock, report: Report) -> JsonObject:
    """Write a call. OpenAI's item has an id besides, which stands in the place of that of the call.

    Args:
        block: The call.
        report: Where losses are reported.
    """
    lose_fields(block, report, _RESPONSES)
    if block.namespace is not None:
        report.add_loss("tool.namespace", block, "namespace")
    value: Any = block.input
    if type(value) is not dict or block.unfinished:
        report.add_loss("call.unparsed", block, "input")
        value = wrap_arguments(block)
    item = text_or_none(own_fields(block.extras, _RESPONSES).get("id"))
    extra = {"call_id": block.id} if block.id else None
    return {
        "tool_name": block.name,
        "arguments": value,
        "id": item or block.id or None,
        "extra": extra,
    }


def write_thinking(
    block: ThinkingBlock, origin: Origin | None, parts: list[JsonObject], report: Report
) -> None:
    """Write thinking, as the generators of its provider read it; Claude's is all in one part.

    Args:
        block: The thinking.
        origin: Who wrote it.
        parts: The parts so far, to which it is added.
        report: Where losses are reported.
    """
    issuer = "" if origin is None else origin.issuer
    lose_fields(block, report, *([_RESPONSES] if issuer == _RESPONSES else []))
    if issuer == _RESPONSES:
        own = own_fields(block.extras, _RESPONSES)
        summary = own.pop("summary", None)
        given = summary if isinstance(summary, list) else []
        texts = [str(one.get("text")) for one in given if isinstance(one, Mapping)]
        extra = {**own, "type": "reasoning"}
        if block.redacted is not None:
            extra["encrypted_content"] = block.redacted
        text = "\n".join(texts) if texts else block.thinking
        parts.append({"reasoning": {"reasoning_text": text, "extra": extra}})
        return
    if issuer != _ANTHROPIC:
        if block.signature or block.redacted:
            report.add_loss("thinking.other_provider", block, "signature")
        if block.thinking:
            parts.append({"reasoning": {"reasoning_text": block.thinking, "extra": {}}})
        return
    if not parts or "reasoning_contents" not in parts[-1]["reasoning"]["extra"]:
        parts.append({"reasoning": {"reasoning_text": "", "extra": {"reasoning_contents": []}}})
    whole = parts[-1]["reasoning"]
    held: JsonObject = {"redacted_thinking": block.redacted}
    if block.redacted is None:
        held = {"reasoning_text": {"text": block.thinking, "signature": block.signature}}
    whole["reasoning_text"] += block.thinking if block.redacted is None else _REDACTED
    whole["extra"]["reasoning_contents"].append({"reasoning_content": held})
