"""Each block of AgentScope's messages, both ways, as JSON: those of 2.x and those of 1.x."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

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
from ...message.blocks import (
    MEDIA_KINDS,
    AudioBlock,
    ContentBlock,
    DocumentBlock,
    ImageBlock,
    ToolUseBlock,
    VideoBlock,
)
from ...stream.arguments import parse_arguments
from ...text.json_text import JsonObject, arguments
from ..results import argument_text, lose_extras, own_fields, text_or_none, wrap_arguments

TARGET = "agentscope"
_SIGNED = "anthropic"  # whose model is the only one there that signs thinking
_CLAUDE = (_SIGNED, "bedrock-converse", "vertex")
_MEDIA: dict[str, type[Any]] = {
    "image": ImageBlock,
    "audio": AudioBlock,
    "video": VideoBlock,
    "document": DocumentBlock,
}
_FAILED = ("error", "interrupted", "denied")  # the states of a result that is no success
_ERROR = "Error: "  # before the output of a call that failed, where 1.x has no state for it
_WRAPPED = "input"  # the argument of a call whose arguments are none, as our own wires name it
_SHOWN = {"user": ("text", "data"), "system": ("text",)}  # what a message of these may hold in 2.x


def read_item(item: JsonObject) -> list[ContentBlock]:
    """Read one block of theirs; a hint may be several of ours.

    Args:
        item: The block as JSON.
    """
    if item.get("type") == "hint":
        hint = item.get("hint")
        if isinstance(hint, str):
            return [TextBlock(hint)]
        if isinstance(hint, list) and all(isinstance(one, Mapping) for one in hint):
            return [_read_block(dict(one)) or RawBlock(TARGET, dict(one)) for one in hint]
    return [_read_block(item) or RawBlock(TARGET, item)]


def _read_block(item: JsonObject) -> Any:
    """Read a block; None if it has no form of ours."""
    kind = item.get("type")
    if kind == "text" and isinstance(item.get("text"), str):
        block = TextBlock(item["text"])
        if isinstance(seal := item.get("thought_signature"), str):  # Gemini's, in 1.x
            block.extras = {"gemini": {"thoughtSignature": seal}}
        return block
    if kind == "thinking" and isinstance(item.get("thinking"), str):
        return _read_thinking(item)
    if kind in ("tool_use", "tool_call"):
        return _read_call(item)
    if kind == "tool_result":
        return _read_result(item)
    if kind == "data" or (isinstance(kind, str) and kind in _MEDIA):
        return _read_medium(item, kind)
    return None


def _read_thinking(item: JsonObject) -> ThinkingBlock:
    block = ThinkingBlock(item["thinking"])
    block.signature = text_or_none(item.get("signature"))
    block.redacted = text_or_none(item.get("redacted_thinking_data"))
    if block.signature or block.redacted:
        block.origin = Origin(_SIGNED)
    return block


def _read_call(item: JsonObject) -> Any:
    id, name, value = item.get("id"), item.get("name"), item.get("input")
    if not isinstance(id, str) or not isinstance(name, str):
        return None
    block = ToolUseBlock(id, name)
    raw = item.get("raw_input")
    if isinstance(value, str):
        raw, value = value, parse_arguments(value)
    elif type(value) is dict and isinstance(raw, str):
        # 1.x parses what it can of a text that is cut: what the model wrote counts
        parsed = parse_arguments(raw)
        value = value if type(parsed) is dict and value else parsed
    if type(value) is dict:
        block.input = value
        block.raw_input = raw if isinstance(raw, str) and raw != arguments(value) else None
    elif value is not None:
        block.raw_input = raw if isinstance(raw, str) else arguments(value)
        block.input = parse_arguments(block.raw_input)
    if isinstance(seal := item.get("thought_signature"), str):
        block.extras = {"gemini": {"thoughtSignature": seal}}
    return block


def _read_result(item: JsonObject) -> Any:
    id, name, output = item.get("id"), item.get("name"), item.get("output")
    if not isinstance(id, str):
        return None
    block = ToolResultBlock(id, name if isinstance(name, str) else "")
    block.is_error = item.get("state") in _FAILED
    if isinstance(output, list):
        if not all(isinstance(one, Mapping) for one in output):
            return None
        block.output = [_read_block(dict(one)) or RawBlock(TARGET, dict(one)) for one in output]
    elif isinstance(output, str):
        block.output = output
    elif output is not None:
        block.output = arguments(output)
    return block


def _read_medium(item: JsonObject, kind: str) -> Any:
    told = item.get("source")
    if not isinstance(told, Mapping):
        return None
    media_type = text_or_none(told.get("media_type"))
    source: Any
    if told.get("type") == "base64" and isinstance(told.get("data"), str):
        source = Base64Source(media_type or "application/octet-stream", told["data"])
    elif told.get("type") == "url" and isinstance(told.get("url"), str):
        known = None if media_type is None or media_type.endswith("/*") else media_type
        source = URLSource(told["url"], known, read=True)
    else:
        return None
    top = (media_type or "").partition("/")[0] if kind == "data" else kind
    return _MEDIA.get(top, DocumentBlock)(source, text_or_none(item.get("name")))


class AgentScopeWriter:
    """Writes the blocks of messages as JSON.

    Args:
        report: Collects the losses.
        version: The release: 1 or 2.
        answered: The ids of the calls that have a result.
        spell: Returns an address as the release spells it; raises ValueError for one that it
            refuses. None takes every address as it is.
    """

    def __init__(
        self,
        report: Report,
        version: int,
        answered: frozenset[str],
        spell: Callable[[str], str] | None = None,
    ) -> None:
        self.version = version
        self._answered = answered
        self._spell = spell
        self._was_theirs = False  # the message that is being written
        self._takes_raw = True
        self._report = report

    @classmethod
    def like(cls, other: AgentScopeWriter) -> AgentScopeWriter:
        """Return one that writes no raw blocks, and whose losses are not reported."""
        found = cls(Report(target=TARGET), other.version, other._answered, other._spell)
        found._takes_raw = False
        return found

    def lose_fields(self, msg: Msg) -> None:
        """Report what a message has besides its blocks, and theirs cannot hold."""
        if msg.cache is not None:
            self._report.add_loss("cache.unsupported", msg, "cache")
        if msg.role == "developer":
            self._report.add_loss("word.other_provider", msg, "role", "developer", "system")
        lose_extras(self._report, msg, msg.extras)

    def items(self, msg: Msg, *, is_hint: bool = False) -> list[JsonObject]:
        """Write the blocks of a message that have a form."""
        return self.write(msg, "assistant", is_hint=is_hint)[0]

    def write(
        self, msg: Msg, role: str, *, is_hint: bool = False
    ) -> tuple[list[JsonObject], list[ContentBlock], dict[int, ContentBlock]]:
        """Write a message: its items, the blocks that they are, and those that have no form.

        Args:
            msg: The message.
            role: The role of the message that they become.
            is_hint: Whether the message is a hint within one of the assistant.
        """
        self._was_theirs = msg._metadata is not None and TARGET in msg._metadata
        items: list[JsonObject] = []
        blocks: list[ContentBlock] = []
        lost: dict[int, ContentBlock] = {}
        allowed = _SHOWN.get(role) if self.version == 2 else None
        source = [TextBlock(msg.content)] if isinstance(msg.content, str) else msg.content
        for i, block in enumerate(source):
            item = self._item(block, msg)
            if item is not None and allowed is not None and item.get("type") not in allowed:
                self._report.add_loss("block.unsupported", block)
                item = None
            if item is None:
                lost[i] = block
            else:
                items.append(item)
                blocks.append(block)
        if is_hint:
            is_text = len(items) == 1 and items[0].keys() == {"type", "text"}
            items = [{"type": "hint", "hint": items[0]["text"] if is_text else items}]
        return items, blocks, lost

    def _item(self, block: Any, msg: Msg) -> JsonObject | None:
        report = self._report
        if getattr(block, "cache", None) is not None:
            report.add_loss("cache.unsupported", block, "cache")
        if isinstance(block, RawBlock):
            if self._takes_raw and block.issuer == TARGET and isinstance(block.data, dict):
                return block.data
            report.add_loss("raw.other_provider", block)
            return None
        carried = ("gemini",) if block.type == "tool_use" and self.version == 1 else ()
        lose_extras(report, block, block.extras, carried)
        if block.type == "refusal":
            report.add_loss("refusal.as_text", block)
            return {"type": "text", "text": block.text}
        if isinstance(block, TextBlock):
            if block.citations:
                report.add_loss("citations.unsupported", block, "citations")
            return {"type": "text", "text": block.text}
        if isinstance(block, ThinkingBlock):
            return self._thinking(block, msg)
        if isinstance(block, ToolUseBlock):
            return self._call(block)
        if isinstance(block, ToolResultBlock):
            return self._result(block, msg)
        return self._medium(block)

    def _thinking(self, block: ThinkingBlock, msg: Msg) -> JsonObject | None:
        origin = block.origin or msg.origin
        item: JsonObject = {"type": "thinking", "thinking": block.thinking}
        if not block.signature and not block.redacted:
            return item
        if origin is None or origin.issuer not in _CLAUDE:
            self._report.add_loss("thinking.other_provider", block, "signature")
            return item if block.thinking else None
        if block.redacted is not None:
            if self.version == 1:
                self._report.add_loss("thinking.unsupported", block)
                return None
            return {**item, "redacted_thinking_data": block.redacted}
        return {**item, "signature": block.signature}

    def _call(self, block: ToolUseBlock) -> JsonObject:
        value: Any = block.input
        if block.namespace is not None:
            self._report.add_loss("tool.namespace", block, "namespace")
        if block.freeform and isinstance(value, str) and not block.unfinished:
            self._report.add_loss("call.freeform", block, "input")
            value = {_WRAPPED: value}
        is_whole = type(value) is dict and not block.unfinished
        call: JsonObject = {"id": block.id, "name": block.name}
        if self.version == 2:
            text = arguments(value) if block.freeform and is_whole else argument_text(block)
            # a finished call is not run; the text of another would be repaired first
            done = block.id in self._answered or not is_whole
            if not is_whole:
                self._report.add_loss("call.unparsed", block, "input")
                if block.id in self._answered:  # formatters repair it, too, or raise an error
                    text = arguments(wrap_arguments(block))
            state = "finished" if done else "pending"
            return {"type": "tool_call", **call, "input": text, "state": state}
        raw = block.raw_input
        if not is_whole:
            self._report.add_loss("call.unparsed", block, "input")
            raw, value = argument_text(block), wrap_arguments(block)
        found = {"type": "tool_use", **call, "input": value}
        found |= {} if raw is None else {"raw_input": raw}
        seal = own_fields(block.extras, "gemini").get("thoughtSignature")
        return {**found, **({"thought_signature": seal} if isinstance(seal, str) else {})}

    def _result(self, block: ToolResultBlock, msg: Msg) -> JsonObject:
        output: Any = block.output
        if isinstance(output, list):
            items = [self._item(one, msg) for one in output]
            output = [item for item in items if item is not None and _fits(item)]
        elif not isinstance(output, str):
            output = "" if output is None else arguments(output)
        item = {"type": "tool_result", "id": block.id, "name": block.name, "output": output}
        if self.version == 2:
            return {**item, "state": "error" if block.is_error else "success"}
        if block.is_error:
            self._report.add_loss("result.error_as_text", block, "is_error")
            told = [{"type": "text", "text": _ERROR}]
            item["output"] = _ERROR + output if isinstance(output, str) else told + output
        return item

    def _medium(self, block: Any) -> JsonObject | None:
        report, source = self._report, block.source
        if block.type not in MEDIA_KINDS:
            report.add_loss("block.unsupported", block)
            return None
        if isinstance(source, TextSource):
            report.add_loss("media.as_text", block)
            return {"type": "text", "text": "\n\n".join(source.passages)}
        if self.version == 1 and block.type == "document":
            report.add_loss("block.unsupported", block)
            return None
        told: JsonObject
        if isinstance(source, Base64Source):
            told = {"type": "base64", "media_type": source.media_type, "data": source.data}
        elif isinstance(source, URLSource) and (url := self._address(source.url)):
            told = {"type": "url", "url": url}
            usual = "application/*" if block.type == "document" else f"{block.type}/*"
            if self.version == 2 or source.media_type:
                told["media_type"] = source.media_type or usual
        else:
            report.add_loss("media.source", source)
            return None
        has_title = self.version == 2
        for name in ("detail", "context", "cite", *(() if has_title else ("title",))):
            if getattr(block, name, None) is not None:
                report.add_loss("media.detail", block, name)
        if self.version == 1:
            return {"type": block.type, "source": told}
        name = {} if block.title is None else {"name": block.title}
        return {"type": "data", "source": told, **name}

    def _address(self, url: str) -> str:
        """Return an address as the release spells it; empty if it is none there.

        Formatters open what is on their own machine: only what was theirs may be that.
        """
        scheme, mark, _ = url.partition("://")
        if (not mark or scheme == "file") and not self._was_theirs:
            return ""
        if self._spell is None:
            return url
        try:
            return self._spell(url)
        except ValueError:
            return ""


def _fits(item: JsonObject) -> bool:
    """Whether a result may hold a block."""
    return item.get("type") in ("text", "data", *MEDIA_KINDS)
