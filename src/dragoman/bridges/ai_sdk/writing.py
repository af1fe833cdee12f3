"""Our messages to the AI SDK's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...losses import PolicyLike, Report
from ...message import (
    Base64Source,
    CacheHint,
    FileSource,
    Msg,
    RawBlock,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
    URLSource,
)
from ...message.blocks import (
    ANSWER,
    HEALED,
    NOTES,
    ContentBlock,
    ToolUseBlock,
    plain_value,
)
from ...message.sources import collect_sources
from ...protocols.anthropic.blocks import cache_control
from ...text.json_text import Json, JsonObject
from ..results import (
    Bridged,
    Said,
    argument_text,
    as_msg,
    finish_bridge,
    say_runs,
    take_said,
)
from .citations import write_citations, write_sources
from .names import ERROR, FIELDS, OURS, PROVIDERS, RESPONSES, TARGET
from .provider_calls import ProviderCallWriter


def write_messages(
    messages: Iterable[Said] | Said, *, policy: PolicyLike = "log"
) -> Bridged[JsonObject]:
    """Write messages as `ModelMessage`s of the AI SDK.

    >>> write_messages([Msg.user("Where is Paris?")]).messages
    [{'role': 'user', 'content': 'Where is Paris?'}]

    Args:
        messages: Messages and answers of a model.
        policy: What to do about losses.

    Returns:
        The messages as plain JSON, in which nothing is null, and the losses.

    Raises:
        NotMessages: Something is neither a message nor an answer.
        LossRefused: The policy refuses a loss.
    """
    said, report = take_said(messages, TARGET)
    writer = ModelMessageWriter(report)
    found = [message for one in said for message in writer.write(as_msg(one))]
    return finish_bridge(found, report, policy)


# parts that only the AI SDK has and that stand in a ModelMessage
_OWN_PARTS = frozenset(
    {
        "tool-call",
        "tool-result",
        "tool-approval-request",
        "tool-approval-response",
        "custom",
        "reasoning-file",
    }
)


class ModelMessageWriter:
    """Writes messages one after the other.

    Args:
        report: Collects the losses.
        every: Whether parts of a `UIMessage` that no model is given are written, too, and calls
            that a provider has run.

    Attributes:
        provider_calls: Writes the calls that a provider has run.
    """

    def __init__(self, report: Report, *, every: bool = False) -> None:
        self._report = report
        self._every = every
        self._names: dict[str, str] = {}  # of the calls, by id
        self.provider_calls = ProviderCallWriter()

    def write(self, msg: Msg) -> list[JsonObject]:
        """Write one message.

        Args:
            msg: The message.
        """
        if msg.name:
            self._report.add_loss("name.unsupported", msg, "name", msg.name)
        role = "system" if msg.role == "developer" else msg.role
        if msg.role == "developer":
            self._report.add_loss("word.other_provider", msg, "role", "developer", "system")
        options = _with_options({}, {OURS: _note(msg), **_hint(msg.cache)})
        if isinstance(msg.content, str) and role != "tool":
            return [{"role": role, "content": msg.content, **options}]
        found: list[JsonObject] = []
        runs = say_runs(msg)
        for kind, blocks in runs:
            if kind == "result":
                [block] = blocks
                assert isinstance(block, ToolResultBlock)  # so the runs are split
                part = self._result(block, msg)
                if found and found[-1]["role"] == "tool":
                    found[-1]["content"].append(part)
                else:
                    found.append({"role": "tool", "content": [part], **options})
            elif role == "system":
                found += self._system(blocks, options)
            else:
                shown = "user" if role == "tool" and not _is_raw(blocks) else role
                parts = [part for one in blocks for part in self._parts(one, msg)]
                if self._every and shown == "assistant":
                    parts += write_sources(collect_sources(blocks))
                found.append({"role": shown, "content": parts, **options})
            options = {}
        return found

    def _system(self, blocks: list[ContentBlock], options: JsonObject) -> list[JsonObject]:
        found: list[JsonObject] = []
        for block in blocks:
            if not isinstance(block, TextBlock):
                self._report.add_loss("block.unsupported", block)
                continue
            own = self._options(block, "")
            merged = {**options.get("providerOptions", {}), **own}
            found.append(_with_options({"role": "system", "content": block.text}, merged))
            options = {}
        return found

    def _parts(self, block: ContentBlock, msg: Msg) -> list[JsonObject]:
        is_raw = self._every and isinstance(block, RawBlock)
        if own := self.provider_calls.write(block) if is_raw else []:  # type: ignore[arg-type]
            return own
        part = self.write_part(block, msg)
        return [] if part is None else [part]

    def write_part(self, block: Any, msg: Msg) -> JsonObject | None:
        """Write one block as a part.

        Args:
            block: The block.
            msg: Its message.

        Returns:
            The part; None if there is none for it.
        """
        origin = block.origin or msg.origin
        issuer = origin.issuer if origin is not None else ""
        is_said = msg.role == "assistant"
        part: JsonObject | None = None
        own: JsonObject = {}
        match block.type:
            case "text":
                part = {"type": "text", "text": block.text}
                if self._every and block.citations:
                    cited = write_citations(block.citations, self._report)
                    part |= {"citations": cited} if cited else {}
            case "refusal":
                self._report.add_loss("refusal.as_text", block)
                part = {"type": "text", "text": block.text}
            case "thinking" if is_said:
                part, own = self._thinking(block, issuer)
            case "tool_use" if is_said:
                part, own = self._call(block)
            case "tool_result":
                return self._result(block, msg)
            case "image" | "audio" | "video" | "document":
                part = self._medium(block)
            case "raw" if block.issuer == TARGET and isinstance(block.data, dict):
                if self._every or str(block.data.get("type")) in _OWN_PARTS:
                    return block.data
                self._report.add_loss("raw.other_provider", block)
            case "raw":
                self._report.add_loss("raw.other_provider", block)
            case _:
                self._report.add_loss("block.unsupported", block)
        if part is None:
            return None
        return _with_options(part, self._options(block, issuer, own))

    def _options(self, block: Any, issuer: str, own: JsonObject | None = None) -> JsonObject:
        """Write `providerOptions`: what a provider of theirs reads, and the rest under our name."""
        extras = {
            name: dict(fields)
            for name, fields in (block.extras or {}).items()
            if fields and name != HEALED and not name.endswith((ANSWER, NOTES))
        }
        theirs = extras.pop(TARGET, {}).get("providerOptions") or {}
        options: JsonObject = {name: dict(fields) for name, fields in theirs.items()}
        ours: JsonObject = {}
        for name, fields in (own or {}).items():
            if name == OURS:
                ours = fields
            else:
                options[name] = {**options.get(name, {}), **fields}
        for name, key, theirs_key in FIELDS:
            if isinstance(value := extras.get(name, {}).pop(key, None), str):
                options.setdefault(PROVIDERS[name], {})[theirs_key] = value
        for name, fields in _hint(getattr(block, "cache", None)).items():
            options[name] = {**options.get(name, {}), **fields}
        if getattr(block, "detail", None) is not None:
            options.setdefault(PROVIDERS[RESPONSES], {})["imageDetail"] = block.detail
        if getattr(block, "citations", None) and not self._every:
            self._report.add_loss("citations.unsupported", block, "citations")
        for name in ("context", "cite"):
            if getattr(block, name, None) is not None:
                ours[name] = getattr(block, name)
        if extras := {name: fields for name, fields in extras.items() if fields}:
            ours["extras"] = extras
        return {**options, **({OURS: ours} if ours else {})}

    def _thinking(self, block: ThinkingBlock, issuer: str) -> tuple[JsonObject | None, JsonObject]:
        provider, own = PROVIDERS.get(issuer), {}
        ours: JsonObject = {"issuer": issuer} if issuer else {}
        if block.signature or block.redacted:
            if provider is None and issuer:  # one that the AI SDK has no name for
                ours |= {"signature": block.signature} if block.signature else {}
                ours |= {"redacted": block.redacted} if block.redacted else {}
            elif provider is None:
                self._report.add_loss("thinking.other_provider", block, "signature")
                if not block.thinking:
                    return None, {}
            elif issuer == RESPONSES:
                own = {"reasoningEncryptedContent": block.redacted or block.signature}
            else:
                seals = {"signature": block.signature, "redactedData": block.redacted}
                own = {name: seal for name, seal in seals.items() if seal is not None}
        if block.origin is not None and block.origin.model:
            ours["model"] = block.origin.model
        options = {name: own for name in (provider,) if name is not None and own}
        return {"type": "reasoning", "text": block.thinking}, {**options, OURS: ours}

    def _call(self, block: ToolUseBlock) -> tuple[JsonObject, JsonObject]:
        self._names[block.id] = block.name
        value: Json = block.input
        if block.unfinished or type(value) is not dict:
            value = argument_text(block)
        ours: JsonObject = {}
        for name in ("unfinished", "freeform", "namespace"):
            if getattr(block, name):
                ours[name] = getattr(block, name)
        if block.freeform:
            value = block.input
            ours |= {"raw": block.raw_input} if block.raw_input is not None else {}
        part = {"type": "tool-call", "toolCallId": block.id, "toolName": block.name, "input": value}
        return part, {OURS: ours} if ours else {}

    def _result(self, block: ToolResultBlock, msg: Msg) -> JsonObject:
        kept = ((msg._metadata or {}).get(TARGET) or {}).get(block.id)
        name, ours = block.name, {}
        if not name and (name := self._names.get(block.id, "")):
            self._report.add_loss("result.name", block, "name", did=name)
        output, failed = block.output, block.is_error
        shown: JsonObject
        if isinstance(kept, Mapping) and kept.get("text") == output:
            shown = dict(kept["output"])
        elif isinstance(output, list):
            parts = [part for one in output if (part := self.write_part(one, msg)) is not None]
            if failed:
                self._report.add_loss("result.error_as_text", block, "is_error")
                ours = {"is_error": True}
                parts = [{"type": "text", "text": ERROR}, *parts]
            shown = {"type": "content", "value": parts}
        elif isinstance(output, str):
            shown = {"type": "error-text" if failed else "text", "value": output}
        else:
            shown = {"type": "error-json" if failed else "json", "value": output}
        part = {"type": "tool-result", "toolCallId": block.id, "toolName": name, "output": shown}
        return _with_options(part, self._options(block, "", {OURS: ours} if ours else {}))

    def _medium(self, block: Any) -> JsonObject | None:
        source = block.source
        data: JsonObject
        media_type = source.media_type
        if isinstance(source, Base64Source):
            data = {"type": "data", "data": source.data}
        elif isinstance(source, URLSource) and "://" in source.url:
            data = {"type": "url", "url": source.url}
        elif isinstance(source, TextSource):
            if len(source.passages) > 1 or source.found_at is not None:
                self._report.add_loss("media.as_text", block)
            data = {"type": "text", "text": "\n\n".join(source.passages)}
        elif isinstance(source, FileSource):
            name = PROVIDERS.get(source.issuer, source.issuer)
            data = {"type": "reference", "reference": {name: source.file_id}}
        else:
            self._report.add_loss("media.source", source)
            return None
        usual = "application" if block.type == "document" else block.type
        part: JsonObject = {"type": "file", "data": data, "mediaType": media_type or usual}
        if block.title is not None:
            part["filename"] = block.title
        return part


def _is_raw(blocks: list[ContentBlock]) -> bool:
    return all(isinstance(block, RawBlock) for block in blocks)


def _hint(cache: CacheHint | None) -> JsonObject:
    return {} if cache is None else {"anthropic": {"cacheControl": cache_control(cache)}}


def _with_options(part: JsonObject, options: JsonObject) -> JsonObject:
    found = {name: fields for name, fields in options.items() if fields}
    return {**part, **({"providerOptions": found} if found else {})}


def _note(msg: Msg) -> JsonObject:
    """Return what a message of the AI SDK has no field for."""
    metadata = {key: value for key, value in (msg._metadata or {}).items() if key != TARGET}
    extras = {
        name: fields
        for name, fields in (msg.extras or {}).items()
        if name != HEALED and not name.endswith((ANSWER, NOTES))
    }
    found = {
        "name": msg.name,
        "id": msg._id,
        "timestamp": msg.timestamp,
        "metadata": plain_value(metadata),
        "extras": extras,
    }
    if msg.role == "assistant" and msg.origin is not None:
        found |= {"issuer": msg.origin.issuer, "model": msg.origin.model}
    return {key: value for key, value in found.items() if value}
