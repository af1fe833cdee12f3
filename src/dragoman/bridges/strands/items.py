"""Each part of Strands' messages, both ways: as JSON, and beside it the cache point after it.

`read_parts_of` makes such items of the parts of a message, `write_parts_of` makes parts of items.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...capabilities import Capabilities
from ...losses import Report
from ...message import (
    Base64Source,
    Msg,
    Origin,
    RawBlock,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
    URLSource,
)
from ...message.blocks import MEDIA_KINDS, ContentBlock, ToolUseBlock
from ...protocols.bedrock.blocks import BlockWriter, cache_point, read_cache_point, read_part
from ...protocols.bedrock.dialect import FORMATS
from ...protocols.bedrock.messages import ComposingWriter
from ...stream.arguments import parse_arguments
from ...text.json_text import JsonObject, arguments
from ..results import argument_text, lose_extras, own_fields, text_or_none, wrap_arguments

TARGET = "strands"
CONVERSE = "bedrock-converse"
UNKNOWN = ""  # the issuer where it is not known whose signatures there are
_CLAUDE = (CONVERSE, "anthropic", "vertex")  # whose signed thinking these parts can hold
_WRAPPED = "input"  # the argument of a call whose arguments are none, as our own wires name it
_CACHE = "cachePoint"
_RESULTS = frozenset({"text", "image", "document"})  # what a result may hold


def read_parts_of(parts: Sequence[Mapping[str, Any]]) -> list[JsonObject]:
    """Return the items of a message: its parts with bytes as base64, and their cache points.

    Args:
        parts: The parts, with bytes as bytes, or as a session stores them.
    """
    return _join_caches([_with_text(part) for part in parts])


def _with_text(value: Any) -> Any:
    """Return a value with its bytes as base64 text, also those that a session has wrapped."""
    if isinstance(value, (bytes, bytearray)):
        return b64encode(value).decode()
    if isinstance(value, Mapping):
        if value.get("__bytes_encoded__") is True and isinstance(value.get("data"), str):
            return value["data"]
        return {key: _with_text(item) for key, item in value.items()}
    return [_with_text(item) for item in value] if isinstance(value, (list, tuple)) else value


def _join_caches(parts: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the parts, each with the cache point that follows it."""
    items: list[JsonObject] = []
    for part in parts:
        can_join = items and _CACHE not in items[-1] and part.keys() == {_CACHE}
        if can_join and read_cache_point(part) is not None:
            items[-1] = {**items[-1], **part}
        else:
            items.append(part)
    return items


def read_item(item: JsonObject, issuer: str) -> ContentBlock:
    """Read one part, and the cache point beside it."""
    part = {key: value for key, value in item.items() if key != _CACHE}
    block = _read_block(part, issuer) if part else None
    if block is None:
        return RawBlock(TARGET, item)
    if _CACHE in item:
        hint = read_cache_point({_CACHE: item[_CACHE]})
        if hint is None or not hasattr(block, "cache"):
            return RawBlock(TARGET, item)
        block.cache = hint
    found: ContentBlock = block
    return found


def _read_block(part: JsonObject, issuer: str) -> Any:
    """Read a part without a cache point; None if it has no form of ours."""
    key, value = next(iter(part.items()))
    if key == "text" and isinstance(value, str):
        return TextBlock(value) if len(part) == 1 else None
    if len(part) != 1 or not isinstance(value, Mapping):
        return None
    if key == "toolUse":
        return _read_call(value)
    if key == "toolResult":
        return _read_result(value)
    if key == "reasoningContent":
        return _read_thinking(value, issuer)
    location = value.get("source", {}).get("location") if _has_source(value) else None
    if isinstance(location, Mapping):
        if location.get("type") != "s3":
            return None
        place = {name: held for name, held in location.items() if name != "type"}
        part = {key: {**value, "source": {"s3Location": place}}}
    block = read_part(part, CONVERSE)
    return None if isinstance(block, RawBlock) else _plain_form(block)


def _has_source(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("source"), Mapping)


def _plain_form(block: Any) -> Any:
    """Return a block without its form in Bedrock's JSON, and what only that has of a medium."""
    if block.type in MEDIA_KINDS:
        return replace(block, spelling=None, extras=None)
    block.spelling = None
    return block


def _read_call(value: Mapping[str, Any]) -> Any:
    id, name, told = value.get("toolUseId"), value.get("name"), value.get("input")
    if not isinstance(id, str) or not isinstance(name, str):
        return None
    block = ToolUseBlock(id, name)
    if type(told) is dict:
        block.input = told
    elif told is not None:
        block.raw_input = told if isinstance(told, str) else arguments(told)
        block.input = parse_arguments(block.raw_input)
    if isinstance(seal := value.get("reasoningSignature"), str):
        block.extras = {"gemini": {"thoughtSignature": seal}}
    return block


def _read_result(value: Mapping[str, Any]) -> Any:
    id, content = value.get("toolUseId"), value.get("content")
    if not isinstance(id, str) or not isinstance(content, list):
        return None
    block = ToolResultBlock(id, is_error=value.get("status") == "error")
    if len(content) == 1 and isinstance(content[0], Mapping) and len(content[0]) == 1:
        ((key, told),) = content[0].items()
        if (key == "text" and isinstance(told, str)) or (key == "json" and type(told) is dict):
            block.output = told
            return block
    output: list[ContentBlock] = []
    for part in content:
        if isinstance(part, Mapping) and part.keys() == {"json"}:
            output.append(TextBlock(arguments(part["json"])))
        elif isinstance(part, Mapping) and part:
            output.append(_read_block(dict(part), "") or RawBlock(TARGET, dict(part)))
        else:
            return None
    block.output = output
    return block


def _read_thinking(value: Mapping[str, Any], issuer: str) -> Any:
    sealed = value.get("redactedContent")
    if value.keys() == {"redactedContent"} and isinstance(sealed, str):
        redacted = _unseal(sealed, issuer)
        if redacted is None:
            return None
        return ThinkingBlock("", redacted=redacted, origin=Origin(issuer) if issuer else None)
    told = value.get("reasoningText")
    if value.keys() != {"reasoningText"} or not isinstance(told, Mapping):
        return None
    text, signature = told.get("text", ""), told.get("signature")
    if not isinstance(text, str) or not isinstance(signature, str | None):
        return None
    block = ThinkingBlock(text)
    if signature and issuer == "gemini":
        block.extras = {issuer: {"thoughtSignature": signature}}
    elif signature:
        block.signature, block.origin = signature, Origin(issuer) if issuer else None
    return block


def _unseal(data: str, issuer: str) -> str | None:
    """Return the sealed text of base64: Anthropic's is base64 itself, Bedrock's has its bytes."""
    try:
        raw = b64decode(data, validate=True)
        return data if issuer == "anthropic" else raw.decode()
    except ValueError:
        return None


class StrandsWriter:
    """Writes the blocks of messages as items: a part, and beside it the cache point after it.

    Args:
        report: Collects the losses.
        answered: The ids of the calls that have a result.
    """

    def __init__(self, report: Report, answered: frozenset[str]) -> None:
        self._report = report
        self._answered = answered
        self._blocks = BlockWriter(CONVERSE)
        # Bedrock refuses some characters in the name of a document, and a name given twice
        self._names = ComposingWriter(Capabilities(), report)

    def write(
        self, msg: Msg
    ) -> tuple[list[JsonObject], list[ContentBlock], dict[int, ContentBlock]]:
        """Write a message: its items, the blocks that they are, and those that have no form."""
        report = self._report
        if msg.name:
            report.add_loss("name.unsupported", msg, "name", msg.name)
        if msg.cache is not None:
            report.add_loss("cache.unsupported", msg, "cache")
        if msg.role in ("system", "developer"):
            report.add_loss("system.as_user", msg)
        lose_extras(report, msg, msg.extras)
        items: list[JsonObject] = []
        blocks: list[ContentBlock] = []
        lost: dict[int, ContentBlock] = {}
        source = [TextBlock(msg.content)] if isinstance(msg.content, str) else msg.content
        for i, block in enumerate(source):
            item = self.item(block, msg)
            if item is None:
                lost[i] = block
            else:
                items.append(item)
                blocks.append(block)
        return items, blocks, lost

    def item(self, block: Any, msg: Msg, *, inner: bool = False) -> JsonObject | None:
        """Write a block; None, and a loss, if it has no form.

        Args:
            block: The block.
            msg: Its message.
            inner: Whether it is in a result.
        """
        part = self._part(block, msg, inner=inner)
        hint = getattr(block, "cache", None)
        if part is None or hint is None:
            return part
        if inner:
            self._report.add_loss("cache.unsupported", block, "cache")
            return part
        return {**part, **cache_point(hint)}

    def _part(self, block: Any, msg: Msg, *, inner: bool) -> JsonObject | None:
        report = self._report
        if isinstance(block, RawBlock):
            if block.issuer == TARGET and isinstance(block.data, dict):
                return block.data
            report.add_loss("raw.other_provider", block)
            return None
        if inner and block.type not in _RESULTS:
            report.add_loss("block.unsupported", block)
            return None
        if block.type in MEDIA_KINDS:
            return self._medium(block)
        own = own_fields(block.extras, CONVERSE)
        carried = [CONVERSE]
        if block.type == "refusal":
            report.add_loss("refusal.as_text", block)
            part: JsonObject = {"text": block.text}
        elif isinstance(block, TextBlock):
            if block.citations and "citations" not in own:
                report.add_loss("citations.unsupported", block, "citations")
            bare = TextBlock(block.text, extras={CONVERSE: own} if own else None)
            part = self._blocks.block(bare)
        elif isinstance(block, ThinkingBlock):
            carried.append("gemini")
            return self._thinking(block, msg, carried)
        elif isinstance(block, ToolUseBlock):
            carried.append("gemini")
            part = self._call(block)
        else:
            part = self._result(block, msg)
        lose_extras(report, block, block.extras, carried)
        return part

    def _thinking(self, block: ThinkingBlock, msg: Msg, carried: list[str]) -> JsonObject | None:
        origin = block.origin or msg.origin
        issuer = origin.issuer if origin is not None else ""
        lose_extras(self._report, block, block.extras, carried)
        seal = own_fields(block.extras, "gemini").get("thoughtSignature")
        if issuer in _CLAUDE and block.redacted is not None:
            sealed = block.redacted
            if issuer != "anthropic" or _unseal(sealed, issuer) is None:
                sealed = b64encode(sealed.encode("utf-8", "surrogatepass")).decode()
            return {"reasoningContent": {"redactedContent": sealed}}
        if issuer not in _CLAUDE and (block.signature or block.redacted):
            self._report.add_loss("thinking.other_provider", block, "signature")
            if not block.thinking:
                return None
        told: JsonObject = {"text": block.thinking}
        if issuer in _CLAUDE and block.signature is not None:
            told["signature"] = block.signature
        elif isinstance(seal, str):
            told["signature"] = seal
        return {"reasoningContent": {"reasoningText": told}}

    def _call(self, block: ToolUseBlock) -> JsonObject:
        value: Any = block.input
        if block.freeform and isinstance(value, str) and not block.unfinished:
            self._report.add_loss("call.freeform", block, "input")
            value = {_WRAPPED: value}
        elif block.unfinished or type(value) is not dict:
            self._report.add_loss("call.unparsed", block, "input")
            value = argument_text(block)
            if block.id in self._answered:  # it is not run again, and Bedrock refuses a text
                value = wrap_arguments(block)
        if block.namespace is not None:
            self._report.add_loss("tool.namespace", block, "namespace")
        call: JsonObject = {"toolUseId": block.id, "name": block.name, "input": value}
        seal = own_fields(block.extras, "gemini").get("thoughtSignature")
        if isinstance(seal, str):
            call["reasoningSignature"] = seal
        return {"toolUse": call}

    def _result(self, block: ToolResultBlock, msg: Msg) -> JsonObject:
        output = block.output
        content: list[JsonObject]
        if isinstance(output, list):
            parts = [self.item(one, msg, inner=True) for one in output]
            content = [part for part in parts if part is not None]
        elif type(output) is dict:
            content = [{"json": output}]
        else:
            content = [{"text": output or ""}]
        status = "error" if block.is_error else "success"
        return {"toolResult": {"toolUseId": block.id, "status": status, "content": content}}

    def _medium(self, block: Any) -> JsonObject | None:
        report, source = self._report, block.source
        if isinstance(source, TextSource):
            text = "\n\n".join(source.passages)
            source = Base64Source("text/plain", b64encode(text.encode()).decode())
        is_file = isinstance(source, Base64Source)
        if not is_file and not (isinstance(source, URLSource) and source.url.startswith("s3://")):
            report.add_loss("media.source", source)
            return None
        if is_file and not _is_base64(source.data):
            report.add_loss("media.broken", source)
            return None
        title = block.title
        if block.type != "document":
            for name in ("title", "detail"):
                if getattr(block, name) is not None:
                    report.add_loss("media.detail", block, name)
        else:
            title = self._names.name(block)
        lose_extras(report, block, block.extras, (CONVERSE,))
        form = FORMATS.get(source.media_type or "")
        if form is None and not is_file:
            form = text_or_none(source.url.rpartition(".")[2].lower())
            form = form if form in FORMATS.values() else None
        if form is None:
            report.add_loss("media.type", source, "media_type")
            return None
        medium: JsonObject = {"format": form}
        if block.type == "document":
            medium["name"] = title
            medium |= {} if block.context is None else {"context": block.context}
            medium |= {} if block.cite is None else {"citations": {"enabled": block.cite}}
        if is_file:
            medium["source"] = {"bytes": source.data}
        else:
            medium["source"] = {"location": {"type": "s3", "uri": source.url}}
        return {block.type: medium}


def _is_base64(data: str) -> bool:
    try:
        return bool(b64decode(data, validate=True)) or not data
    except ValueError:
        return False


def write_parts_of(items: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the parts of items, with the bytes of media and of sealed thinking as bytes."""
    parts: list[JsonObject] = []
    for item in items:
        part = {key: value for key, value in item.items() if key != _CACHE}
        if part:
            parts.append({key: _binary(key, value) for key, value in part.items()})
        if _CACHE in item:
            parts.append({_CACHE: item[_CACHE]})
    return parts


def _binary(key: str, value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    found = dict(value)
    if key == "reasoningContent" and isinstance(sealed := found.get("redactedContent"), str):
        found["redactedContent"] = _decode(sealed)
    elif key == "toolResult" and isinstance(content := found.get("content"), list):
        found["content"] = [
            {name: _binary(name, held) for name, held in part.items()}
            if isinstance(part, Mapping)
            else part
            for part in content
        ]
    elif key in MEDIA_KINDS and isinstance(source := found.get("source"), Mapping):
        data = source.get("bytes")
        if isinstance(data, str):
            found["source"] = {**source, "bytes": _decode(data)}
    return found


def _decode(data: str) -> bytes | str:
    try:
        return b64decode(data, validate=True)
    except ValueError:
        return data
