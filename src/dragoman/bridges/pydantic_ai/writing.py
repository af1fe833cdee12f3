"""Our messages to pydantic-ai's."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ...losses import PolicyLike, Report
from ...message import (
    Base64Source,
    FileSource,
    Finish,
    Msg,
    TextBlock,
    TextSource,
    ToolResultBlock,
    URLSource,
    Usage,
)
from ...message.blocks import ANSWER, HEALED, NOTES, ToolUseBlock
from ...text.json_text import JsonObject, arguments
from ..results import (
    NOTED,
    Bridged,
    Said,
    argument_text,
    as_msg,
    author_to_note,
    finish_bridge,
    load_package,
    lose_extras,
    own_fields,
    read_notes,
    say_runs,
    take_said,
)
from .names import (
    FILE_HOSTS,
    INVALID,
    OURS,
    PACKAGE,
    REDACTED,
    SIGNATURE,
    SIGNED_PARTS,
    TARGET,
    find_issuer,
    find_provider,
)

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

_FINISH = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_call",
    "content_filter": "content_filter",
    "refusal": "content_filter",
    "error": "error",
    "malformed_call": "error",
    "context_overflow": "length",
    "pause": "stop",
}


def write_messages(
    messages: Iterable[Said] | Said, *, policy: PolicyLike = "log"
) -> Bridged[ModelMessage]:
    """Write messages as pydantic-ai's.

    Args:
        messages: Messages, and answers of a model with their usage and finish.
        policy: What to do about losses.

    Returns:
        `ModelRequest`s and `ModelResponse`s, and the losses. What stands between two answers is
        one request.

    Raises:
        NotMessages: Something is neither a message nor an answer.
        ConfigError: pydantic-ai is not installed.
        LossRefused: The policy refuses a loss.
    """
    core = load_package("pydantic_ai.messages", PACKAGE)
    said, report = take_said(messages, TARGET)
    writer = _TurnWriter(core, report)
    for one in said:
        writer.write(one)
    writer.close()
    return finish_bridge(writer.found, report, policy)


class _TurnWriter:
    """Writes messages one after the other.

    Attributes:
        found: The requests and responses so far.
    """

    def __init__(self, core: Any, report: Report) -> None:
        self.found: list[Any] = []
        self._core = core
        self._report = report
        self._parts: list[Any] = []  # of the request that is being written
        self._notes: JsonObject = {}  # by the index of a part
        self._kept: JsonObject = {}  # the fields of the request that was read
        self._instructions: str | None = None
        self._names: dict[str, str] = {}  # of the calls, by id

    def write(self, said: Said) -> None:
        """Write one message."""
        msg: Msg = as_msg(said)
        own = _own(msg)
        if msg.role == "assistant":
            self._answer(said, msg)
            return
        if own.get("instructions") is True:
            self._instructions = msg.text
            return
        if (request := own.get("request")) is not None:  # as it was split when it was read
            self.close()
            self._kept = dict(request)
        if (noted := _note(msg)) and not own.get("part"):
            self._notes[str(len(self._parts))] = noted
        if msg.name:
            self._report.add_loss("name.unsupported", msg, "name", msg.name)
        if msg.cache is not None:
            self._report.add_loss("cache.unsupported", msg, "cache")
        if isinstance(part := own.get("part"), Mapping) and _text(msg) == own.get("text"):
            self._parts.append(self._load({"kind": "request", "parts": [part]}).parts[0])
            return
        runs = [("blocks", msg.blocks)] if isinstance(msg.content, str) else say_runs(msg)
        for kind, blocks in runs:
            if kind == "result":
                self._parts.append(self._result(msg, blocks[0], own))
            elif msg.role in ("system", "developer"):
                self._system(msg, blocks)
            else:
                self._user(msg, blocks)

    def close(self) -> None:
        """End the request that is being written, if there is one."""
        if not self._parts and not self._kept:
            return
        kept, instructions = self._kept, self._instructions
        if "instructions" in kept:
            # one that was edited counts more than the one that was read
            read = kept.pop("instructions")
            instructions = read if instructions is None or read is None else instructions
        metadata = {**(kept.pop("metadata", None) or {})}
        if self._notes:
            metadata[OURS] = {"parts": self._notes}
        request = self._load({"kind": "request", **kept, "parts": []})
        request.parts, request.instructions = self._parts, instructions
        request.metadata = metadata or None
        self.found.append(request)
        self._parts, self._notes, self._kept = [], {}, {}

    def _load(self, data: JsonObject) -> Any:
        return self._core.ModelMessagesTypeAdapter.validate_python([data])[0]

    def _system(self, msg: Msg, blocks: Sequence[Any]) -> None:
        if msg.role == "developer":
            self._report.add_loss("word.other_provider", msg, "role", "developer", "system")
        for block in blocks:
            if isinstance(block, TextBlock):
                self._lose(block)
                self._parts.append(self._core.SystemPromptPart(block.text, **_timed(msg)))
            else:
                self._report.add_loss("block.unsupported", block)

    def _user(self, msg: Msg, blocks: Sequence[Any]) -> None:
        content: Any = msg.content
        if not isinstance(content, str):
            content = []
            for block in blocks:
                content += self._shown(block, is_user=True)
        self._parts.append(self._core.UserPromptPart(content, **_timed(msg)))

    def _result(self, msg: Msg, block: Any, own: JsonObject) -> Any:
        output, name = block.output, block.name
        if not name and (name := self._names.get(block.id, "")):
            self._report.add_loss("result.name", block, "name", did=name)
        content: Any = output
        if isinstance(output, list):
            content = [item for one in output for item in self._shown(one)]
            if all(isinstance(item, str) for item in content):  # a list of texts is sent as JSON
                content = "\n\n".join(content)
            elif own.get("content") == "one" and len(content) == 1:
                content = content[0]
        elif own.get("text") is not None and own["text"] == output:
            content = own.get("content")
        outcome = own.get("outcome", "failed") if block.is_error else "success"
        self._lose(block)
        if block.cache is not None:
            self._report.add_loss("cache.unsupported", block, "cache")
        return self._core.ToolReturnPart(
            name,
            content,
            block.id,
            outcome=outcome,
            metadata=own.get("metadata"),
            **_timed(msg),
        )

    def _lose(self, block: Any, *carried: str) -> None:
        lose_extras(self._report, block, block.extras, carried)
        if getattr(block, "citations", None):
            self._report.add_loss("citations.unsupported", block, "citations")

    def _shown(self, block: Any, *, is_user: bool = False) -> list[Any]:
        """Write a text or a file, with a cache point behind it."""
        found: Any = None
        if isinstance(block, TextBlock):
            found, own = block.text, own_fields(block.extras, TARGET)
            if "metadata" in own:
                found = self._core.TextContent(block.text, metadata=own["metadata"])
            self._lose(block, TARGET)
        elif block.type in ("image", "audio", "video", "document"):
            found = self._medium(block)
            self._lose(block, TARGET)
        elif block.type == "refusal":
            self._report.add_loss("refusal.as_text", block)
            found = block.text
        elif block.type == "raw":
            self._report.add_loss("raw.other_provider", block)
        else:
            self._report.add_loss("block.unsupported", block)
        if found is None:
            return []
        hint = getattr(block, "cache", None)
        if hint is None:
            return [found]
        if not is_user:
            self._report.add_loss("cache.unsupported", block, "cache")
            return [found]
        ttl = hint.ttl or "5m"
        if ttl not in ("5m", "1h"):
            self._report.add_loss("cache.ttl", block, "cache", ttl, "5m")
            ttl = "5m"
        return [found, self._core.CachePoint(ttl=ttl)]

    def _medium(self, block: Any) -> Any:
        """Write a file; None, and a loss, if it has no form."""
        core, source = self._core, block.source
        own = own_fields(block.extras, TARGET)
        vendor = dict(own.get("vendor_metadata") or {})
        if block.detail is not None:
            vendor["detail"] = block.detail
        common: dict[str, Any] = {"vendor_metadata": vendor or None}
        for name in ("title", "context", "cite"):
            if getattr(block, name, None) is not None:
                self._report.add_loss("media.detail", block, name)
        if isinstance(source, URLSource) and "://" in source.url:
            kinds = {"image": core.ImageUrl, "audio": core.AudioUrl, "video": core.VideoUrl}
            kind = kinds.get(block.type, core.DocumentUrl)
            common["force_download"] = own.get("force_download", False)
            return kind(source.url, media_type=source.media_type, **common)
        data = _bytes(source)
        if data is not None:
            if isinstance(source, TextSource) and (len(source.passages) > 1 or source.found_at):
                self._report.add_loss("media.as_text", block)
            content = core.BinaryContent(data, media_type=source.media_type, **common)
            return core.BinaryContent.narrow_type(content)
        provider = find_provider(source.issuer) if isinstance(source, FileSource) else ""
        if provider in FILE_HOSTS and isinstance(source, FileSource):
            return core.UploadedFile(
                source.file_id, provider, media_type=source.media_type, **common
            )
        broken = isinstance(source, Base64Source)
        self._report.add_loss("media.broken" if broken else "media.source", source)
        return None

    # -- answers ----------------------------------------------------------------------------------

    def _answer(self, said: Said, msg: Msg) -> None:
        self.close()
        kept = dict(_own(msg).get("response") or {})
        provider = kept.get("provider_name") or find_provider(_issuer(msg))
        parts: list[Any] = []
        unfinished: list[str] = []
        results: list[Any] = []
        if msg.name:
            self._report.add_loss("name.unsupported", msg, "name", msg.name)
        for block in msg.blocks:
            if isinstance(block, ToolResultBlock):
                results.append(self._result(msg, block, {}))
            else:
                parts += self._said(block, msg, provider)
            if isinstance(block, ToolUseBlock):
                self._names[block.id] = block.name
                unfinished += [block.id] if block.unfinished else []
        notes = read_notes(said)
        metadata = {**(kept.pop("metadata", None) or {})}
        own: JsonObject = {"unfinished": unfinished} if unfinished else {}
        if noted := _note(msg):
            own["message"] = noted
        if author := author_to_note(msg, find_issuer(find_provider(_issuer(msg)))):
            own["issuer"] = author
        if own:
            metadata[OURS] = own
        response = self._load({"kind": "response", **kept, "parts": []})
        response.parts = parts
        response.metadata = metadata or None
        response.provider_name = response.provider_name or provider or None
        response.model_name, response.provider_response_id = notes.model, notes.id
        response.usage = self._usage(notes.usage)
        if msg.timestamp is not None and (time := _parsed(msg.timestamp)) is not None:
            response.timestamp = time
        if notes.finish is not None and response.finish_reason is None:
            self._finish(response, notes.finish)
        self.found.append(response)
        self._parts += results

    def _finish(self, response: Any, finish: Finish) -> None:
        response.finish_reason = _FINISH.get(finish.reason)
        if finish.raw:
            details = response.provider_details or {}
            response.provider_details = {"finish_reason": finish.raw, **details}

    def _usage(self, usage: Usage | None) -> Any:
        kind = load_package("pydantic_ai.usage", PACKAGE).RequestUsage
        if usage is None:
            return kind()
        parts = (usage.input, usage.cache_read, usage.cache_write)
        return kind(
            input_tokens=sum(one or 0 for one in parts),
            cache_read_tokens=usage.cache_read or 0,
            cache_write_tokens=usage.cache_write or 0,
            output_tokens=usage.output or 0,
            output_reasoning_tokens=usage.reasoning or 0,
            input_audio_tokens=usage.audio_in or 0,
            output_audio_tokens=usage.audio_out or 0,
        )

    def _said(self, block: Any, msg: Msg, provider: str) -> list[Any]:
        core = self._core
        issuer = block.origin.issuer if block.origin is not None else _issuer(msg)
        owner = find_provider(issuer) or provider
        if block.type == "thinking":
            return self._thinking(block, issuer, owner)
        common = self._own_fields(block, issuer, owner)
        if getattr(block, "cache", None) is not None:
            self._report.add_loss("cache.unsupported", block, "cache")
        match block.type:
            case "text":
                return [core.TextPart(block.text, **common)]
            case "refusal":
                self._report.add_loss("refusal.as_text", block)
                return [core.TextPart(block.text, **common)]
            case "tool_use":
                return [self._call(block, common)]
            case "image" | "audio" | "video" | "document":
                found = self._medium(block)
                if found is not None and found.kind == "binary":
                    return [core.FilePart(found, **common)]
                if found is not None:
                    self._report.add_loss("media.source", block.source)
                return []
            case "raw" if block.issuer == TARGET and isinstance(block.data, dict):
                return [*self._load({"kind": "response", "parts": [block.data]}).parts]
            case _:
                self._report.add_loss("raw.other_provider", block)
                return []

    def _own_fields(self, block: Any, issuer: str, owner: str) -> dict[str, Any]:
        """Return id and details of a part, which go back to its provider alone."""
        own = own_fields(block.extras, issuer) if issuer else {}
        theirs = own_fields(block.extras, TARGET)
        details = dict(theirs.get("provider_details") or {})
        common: dict[str, Any] = {}
        if isinstance(id := own.pop("id", theirs.get("id")), str):
            common["id"] = id
        if issuer in SIGNED_PARTS and isinstance(seal := own.pop("thoughtSignature", None), str):
            details[SIGNATURE] = seal
        if block.type == "thinking":
            own.pop("summary", None)
        rest = {**(block.extras or {}), issuer: own}
        rest = {name: rest[name] for name in rest if rest[name] and name not in (TARGET, HEALED)}
        kept = {name: rest[name] for name in rest if not name.endswith((ANSWER, NOTES))}
        if kept and owner:
            details[OURS] = kept  # no model of theirs reads it
            rest = {name: rest[name] for name in rest if name not in kept}
        lose_extras(self._report, block, rest)
        if getattr(block, "citations", None):
            self._report.add_loss("citations.unsupported", block, "citations")
        if details:
            common["provider_details"] = details
        if common and owner:
            common["provider_name"] = owner
        return common

    def _thinking(self, block: Any, issuer: str, owner: str) -> list[Any]:
        common = self._own_fields(block, issuer, owner)
        seal = block.signature or block.redacted
        # What nobody is named for becomes a text of the user; any host may speak Chat Completions.
        if seal and (not owner or issuer == "openai-chat"):
            self._report.add_loss("thinking.other_provider", block, "signature")
            seal = None
        if seal:
            common |= {"signature": seal, "provider_name": owner}
        if block.redacted is not None and issuer != "openai-responses":
            if not seal:
                return []
            common["id"] = REDACTED[1] if issuer == "bedrock-converse" else REDACTED[0]
        summary = own_fields(block.extras, "openai-responses").get("summary")
        texts = [part.get("text") for part in summary or () if isinstance(part, dict)]
        if not texts or "\n\n".join(map(str, texts)) != block.thinking or "id" not in common:
            return [self._core.ThinkingPart(block.thinking, **common)]
        others: dict[str, Any] = {
            key: common[key] for key in ("id", "provider_name") if key in common
        }
        return [
            self._core.ThinkingPart(text, **(common if i == 0 else others))
            for i, text in enumerate(texts)
        ]

    def _call(self, block: ToolUseBlock, common: dict[str, Any]) -> Any:
        value: Any = block.input
        if block.freeform and isinstance(value, str):
            self._report.add_loss("call.freeform", block)
            value = {"input": value}  # as our own wires name the argument
        elif block.raw_input is not None or type(value) is not dict:
            value = argument_text(block)
        if block.unfinished:
            # arguments that cannot be used for a run, in pydantic-ai's own words
            text = value if isinstance(value, str) else arguments(value)
            value = {INVALID: text}
        if block.namespace is not None:
            self._report.add_loss("tool.namespace", block, "namespace")
        return self._core.ToolCallPart(block.name, value, block.id, **common)


def _bytes(source: Any) -> bytes | None:
    """Return the bytes of a source; None if it has none here, or no base64."""
    if isinstance(source, TextSource):
        return "\n\n".join(source.passages).encode()
    if not isinstance(source, Base64Source):
        return None
    try:
        return b64decode(source.data, validate=True)
    except (Base64Error, ValueError):
        return None


def _issuer(msg: Msg) -> str:
    return msg.origin.issuer if msg.origin is not None else ""


def _own(msg: Msg) -> JsonObject:
    """Return what was kept of pydantic-ai's own fields when the message was read."""
    found = (msg._metadata or {}).get(TARGET)
    return dict(found) if isinstance(found, Mapping) else {}


def _text(msg: Msg) -> str:
    block = msg.blocks[0] if msg.blocks else None
    output = block.output if isinstance(block, ToolResultBlock) else msg.text
    return output if isinstance(output, str) else ""


def _note(msg: Msg) -> JsonObject:
    """Return what pydantic-ai has no field for."""
    metadata = msg._metadata or {}
    found = {
        "id": msg._id,
        "extras": msg.extras,
        "metadata": {key: v for key, v in metadata.items() if key not in (*NOTED, TARGET)},
    }
    return {key: value for key, value in found.items() if value}


def _timed(msg: Msg) -> dict[str, Any]:
    time = _parsed(msg.timestamp) if msg.timestamp is not None else None
    return {} if time is None else {"timestamp": time}


def _parsed(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
