"""pydantic-ai's messages to ours."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from ...errors import NotMessages, ReadError
from ...losses import PolicyLike, Report
from ...message import (
    Base64Source,
    CacheHint,
    FileSource,
    Finish,
    Msg,
    Origin,
    RawBlock,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
    URLSource,
    Usage,
)
from ...message.answer import FinishReason
from ...message.blocks import (
    AudioBlock,
    ContentBlock,
    DocumentBlock,
    ImageBlock,
    ToolUseBlock,
    VideoBlock,
)
from ...protocols.shared_finish_words import finish_meaning
from ...stream.arguments import parse_arguments
from ...text.json_text import JsonObject, arguments, loads
from ...text.redaction import show
from ..results import AnswerNotes, Bridged, finish_bridge, load_package, own_fields
from .names import (
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

_MEDIA: dict[str, type[Any]] = {
    "image-url": ImageBlock,
    "audio-url": AudioBlock,
    "video-url": VideoBlock,
    "document-url": DocumentBlock,
    "image": ImageBlock,
    "audio": AudioBlock,
    "video": VideoBlock,
}
_FINISH: dict[str, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "content_filter",
    "tool_call": "tool_calls",
    "error": "error",
}
# what `write_messages` of this bridge gives a `ModelRequest` of its own accord
_OWN_FIELDS = frozenset({"parts", "kind", "timestamp", "instructions"})
_PARAGRAPHS = "\n\n"  # between the parts of a summary, as the reader of Responses joins them

ReadFrom: TypeAlias = "Iterable[ModelMessage] | ModelMessage | bytes | str | Iterable[JsonObject]"


def read_messages(messages: ReadFrom | Any, *, policy: PolicyLike = "log") -> Bridged[Msg]:
    """Read messages of pydantic-ai.

    Args:
        messages: `ModelRequest`s and `ModelResponse`s, or their JSON (`all_messages_json()`,
            parsed or not), or the result of a run, which has `all_messages()`.
        policy: What to do about losses.

    Returns:
        The messages. Instructions of the last request are a system prompt in front; usage, finish
        and model of an answer are in `Msg.metadata`.

    Raises:
        NotMessages: Something is no message; `path` names it.
        ReadError: A text is no JSON.
        ConfigError: pydantic-ai is not installed.
        LossRefused: The policy refuses a loss.
    """
    core = load_package("pydantic_ai.messages", PACKAGE)
    report = Report(target=TARGET)
    items = _load(core, messages, report)
    reader = _PartReader(core, report)
    for i, item in enumerate(items):
        reader.read(item, f"$[{i}]")
    found = reader.found
    told = next((one for one in reversed(items) if getattr(one, "instructions", None)), None)
    if told is not None:
        prompt = Msg.system(told.instructions)
        prompt.metadata[TARGET] = {"instructions": True}
        found.insert(0, prompt)
    return finish_bridge(found, report, policy)


def _load(core: Any, messages: Any, report: Report) -> list[Any]:
    """Return the objects for messages in any form."""
    if callable(getattr(messages, "all_messages", None)):
        messages = messages.all_messages()
    if isinstance(messages, (str, bytes)):
        messages = loads(messages)
    if isinstance(messages, Mapping) or hasattr(messages, "parts"):
        messages = [messages]
    if not isinstance(messages, Iterable):
        raise _no_message(messages, "$")
    return [_load_one(core, item, f"$[{i}]", report) for i, item in enumerate(messages)]


def _load_one(core: Any, item: Any, path: str, report: Report) -> Any:
    if isinstance(item, (core.ModelRequest, core.ModelResponse)):
        return item
    adapter = core.ModelMessagesTypeAdapter
    if not isinstance(item, Mapping):
        raise _no_message(item, path)
    try:
        return adapter.validate_python([item])[0]
    except ValueError as error:  # pydantic's: one unknown part fails the whole history
        parts = item.get("parts")
        if not isinstance(parts, list):
            raise _no_message(item, path) from error
        kept = []
        for i, part in enumerate(parts):
            try:
                adapter.validate_python([{**item, "parts": [part]}])
                kept.append(part)
            except ValueError:
                node = _Unread(part)
                report.set_place(node, f"{path}.parts[{i}]")
                report.add_loss("block.unsupported", node)
        try:
            return adapter.validate_python([{**item, "parts": kept}])[0]
        except ValueError:
            raise _no_message(item, path) from error


class _Unread:
    """A part that pydantic-ai does not know."""

    def __init__(self, part: Any) -> None:
        kind = part.get("part_kind") if isinstance(part, Mapping) else None
        self.type = str(kind or type(part).__name__)


def _no_message(value: object, path: str) -> NotMessages:
    return NotMessages(
        f"{show(value)} is no message of pydantic-ai",
        path=path,
        hint="result.all_messages(), or what ModelMessagesTypeAdapter dumped",
        code="messages.type",
    )


class _PartReader:
    """Reads messages one after the other.

    Attributes:
        found: Our messages so far.
    """

    def __init__(self, core: Any, report: Report) -> None:
        self.found: list[Msg] = []
        self._core = core
        self._report = report

    def read(self, message: Any, path: str) -> None:
        """Read a request as several messages, a response as one."""
        if message.kind == "response":
            self._answer(message, path)
            return
        first = len(self.found)
        noted = _noted(message).get("parts")
        noted = noted if isinstance(noted, Mapping) else {}
        for i, part in enumerate(message.parts):
            msg = self._part(part, f"{path}.parts[{i}]")
            if msg is None:
                continue
            own = noted.get(str(i))
            msg = _with_notes(msg, own) if isinstance(own, Mapping) else msg
            msg.timestamp = msg.timestamp or _time(part)
            self.found.append(msg)
        kept = _dumped(self._core, message, _OWN_FIELDS)
        if len(self.found) > first and (kept or message.instructions):
            kept["instructions"] = message.instructions
            self.found[first].metadata.setdefault(TARGET, {})["request"] = kept

    def _part(self, part: Any, path: str) -> Msg | None:
        match part.part_kind:
            case "system-prompt":
                return Msg.create_unchecked("", part.content, "system")
            case "user-prompt":
                return Msg.create_unchecked("", _user_content(part.content), "user")
            case "tool-return":
                return self._result(part)
            case "retry-prompt" if part.tool_name is not None:
                text = part.model_response()
                return self._kept(Msg.tool(part.tool_call_id, text, part.tool_name, True), part)
            case "retry-prompt" | "retry-feedback":
                return self._kept(Msg.user(part.model_response()), part)
            case "speech" if part.transcript is not None:
                return self._kept(Msg.user(part.transcript), part)
            case kind:  # what an agent notes for itself: no model reads it
                node = _Unread({"part_kind": kind})
                self._report.set_place(node, path)
                self._report.add_loss("block.unsupported", node)
                return None

    def _kept(self, msg: Msg, part: Any) -> Msg:
        """Keep a part that has no form of ours but its text, to be written again."""
        request = self._core.ModelRequest(parts=[part])
        dumped = self._core.ModelMessagesTypeAdapter.dump_python([request], mode="json")
        msg.metadata[TARGET] = {"part": dumped[0]["parts"][0], "text": _text_of(msg)}
        return msg

    def _result(self, part: Any) -> Msg:
        content, output = part.content, part.content
        kept: JsonObject = {}
        if isinstance(content, (list, tuple)) and part.files:
            output = [_shown(item) for item in content]
        elif _medium(content) is not None:
            output, kept["content"] = [_medium(content)], "one"
        elif content is not None and not isinstance(content, str) and type(content) is not dict:
            output = part.model_response_str()
            kept["content"], kept["text"] = content, output
        elif type(content) is dict and part.files:
            output, kept["content"] = part.model_response_str(), content
            kept["text"] = output
        block = ToolResultBlock(part.tool_call_id, part.tool_name, output)
        block.is_error = part.outcome != "success"
        if part.outcome not in ("success", "failed"):
            kept["outcome"] = part.outcome
        if part.metadata is not None:
            kept["metadata"] = part.metadata
        if getattr(part, "retry", None) is not None or part.tool_kind is not None:
            return self._kept(Msg.create_unchecked("", [block], "tool"), part)
        msg = Msg.create_unchecked("", [block], "tool")
        if kept:
            msg.metadata[TARGET] = kept
        return msg

    # -- answers ----------------------------------------------------------------------------------

    def _answer(self, message: Any, path: str) -> None:
        blocks: list[ContentBlock] = []
        last: Any = None
        noted = _noted(message)
        for part in message.parts:
            goes_on = last is not None and part.part_kind == "thinking" == last.part_kind
            if goes_on and part.id and part.id == last.id and _is_responses(part, message):
                _go_on(blocks[-1], part)
            else:
                blocks.append(self._said(part, message))
            last = part
        for block in blocks:
            if isinstance(block, ToolUseBlock) and block.id in (noted.get("unfinished") or ()):
                block.unfinished = True
        issuer = find_issuer(message.provider_name)
        author = noted.get("issuer")
        if isinstance(author, str) and find_provider(author) == message.provider_name:
            for block in blocks:
                if isinstance(block, ThinkingBlock) and block.origin == Origin(
                    issuer, message.model_name
                ):
                    block.origin = Origin(author, message.model_name)
            issuer = author
        msg = Msg.create_unchecked("", blocks, "assistant")
        if len(blocks) == 1 and blocks[0] == TextBlock(getattr(blocks[0], "text", "")):
            msg.content = getattr(blocks[0], "text", "")
        msg.origin = Origin(issuer, message.model_name) if issuer else None
        msg.timestamp = _time(message)
        if isinstance(own := noted.get("message"), Mapping):
            msg = _with_notes(msg, own)
        _notes(message).note_on(msg)
        own_fields = {"parts", "kind", "usage", "timestamp", "model_name", "provider_response_id"}
        if kept := _dumped(self._core, message, own_fields):
            msg.metadata[TARGET] = {"response": kept}
        self.found.append(msg)

    def _said(self, part: Any, message: Any) -> ContentBlock:
        provider = part.provider_name or message.provider_name
        issuer = find_issuer(provider)
        block: Any = None
        match part.part_kind:
            case "text":
                block = TextBlock(part.content)
            case "thinking":
                block = _thinking(part, issuer, message)
            case "tool-call":
                block = _call(part)
            case "file":
                block = _medium(part.content)
            case "speech" if part.transcript is not None:
                block = TextBlock(part.transcript)
            case _:
                response = self._core.ModelResponse(parts=[part])
                dumped = self._core.ModelMessagesTypeAdapter.dump_python([response], mode="json")
                return RawBlock(TARGET, dumped[0]["parts"][0], *_pairing(part))
        _keep_fields(block, part, issuer)
        found: ContentBlock = block
        return found


def _keep_fields(block: Any, part: Any, issuer: str) -> None:
    """Keep id and details of a part: they go back to its provider."""
    extras = dict(block.extras or {})
    own: JsonObject = own_fields(extras, issuer)
    if part.id and not (part.part_kind == "thinking" and part.id in REDACTED):
        own["id"] = part.id
    details = dict(part.provider_details or {})
    if isinstance(details.get(SIGNATURE), str) and issuer in SIGNED_PARTS:
        own["thoughtSignature"] = details.pop(SIGNATURE)
    if own:
        extras[issuer or TARGET] = own
    if isinstance(noted := details.pop(OURS, None), dict):
        extras |= {name: {**extras.get(name, {}), **fields} for name, fields in noted.items()}
    if details:
        extras[TARGET] = {**extras.get(TARGET, {}), "provider_details": details}
    block.extras = extras or None


def _pairing(part: Any) -> tuple[Any, Any]:
    id = getattr(part, "tool_call_id", None)
    kinds = {"builtin-tool-call": "call", "builtin-tool-return": "result"}
    return kinds.get(part.part_kind, "item"), id


def _is_responses(part: Any, message: Any) -> bool:
    return find_issuer(part.provider_name or message.provider_name) == "openai-responses"


def _thinking(part: Any, issuer: str, message: Any) -> ThinkingBlock:
    origin = Origin(issuer, message.model_name) if issuer else None
    block = ThinkingBlock(part.content, origin=origin)
    if not part.signature:
        return block
    if part.id in REDACTED or issuer == "openai-responses":
        block.redacted = part.signature
    elif issuer in SIGNED_PARTS:
        block.extras = {issuer: {"thoughtSignature": part.signature}}
    else:
        block.signature = part.signature
    return block


def _go_on(block: Any, part: Any) -> None:
    """Add one more paragraph of a summary: Responses has one item, pydantic-ai a part for each."""
    own = own_fields(block.extras, "openai-responses")
    said = own.get("summary") or [{"type": "summary_text", "text": block.thinking}]
    own["summary"] = [*said, {"type": "summary_text", "text": part.content}]
    block.thinking += _PARAGRAPHS + part.content
    block.extras = {**(block.extras or {}), "openai-responses": own}


def _call(part: Any) -> ToolUseBlock:
    block = ToolUseBlock(part.tool_call_id, part.tool_name)
    value = part.args
    if isinstance(value, dict) and value.keys() == {INVALID} and isinstance(value[INVALID], str):
        value = value[INVALID]  # arguments that a model wrote, and not an argument of this name
    if isinstance(value, str):
        block.raw_input, block.input = value, parse_arguments(value)
    elif value is not None:
        block.input = value
    return block


def _notes(message: Any) -> AnswerNotes:
    details = message.provider_details or {}
    raw = details.get("finish_reason")
    raw = raw if isinstance(raw, str) and raw else None
    notes = AnswerNotes(model=message.model_name, id=message.provider_response_id)
    if message.finish_reason is not None or raw is not None:
        known = _FINISH.get(message.finish_reason or "", "other")
        meant = finish_meaning(raw, {}) if raw else known
        notes.finish = Finish(known if meant == "other" else meant, raw)
    usage = message.usage
    if usage.has_values():
        read, wrote = usage.cache_read_tokens, usage.cache_write_tokens
        notes.usage = Usage(
            usage.input_tokens - read - wrote,  # theirs is the sum
            read or None,
            wrote or None,
            usage.output_tokens,
            usage.output_reasoning_tokens or None,
            usage.input_audio_tokens or None,
            usage.output_audio_tokens or None,
        )
    return notes


def _dumped(core: Any, message: Any, without: Iterable[str]) -> JsonObject:
    """Return the fields of a request or response that have no place of ours, as JSON."""
    bare = [replace(message, parts=[])]
    data: JsonObject = core.ModelMessagesTypeAdapter.dump_python(bare, mode="json")[0]
    usual = _usual(core, message.kind)
    found = {
        key: value
        for key, value in data.items()
        if key not in without and value is not None and value != usual.get(key)
    }
    if isinstance(found.get("metadata"), dict):
        found["metadata"] = {key: v for key, v in found["metadata"].items() if key != OURS}
        if not found["metadata"]:
            del found["metadata"]
    return found


def _usual(core: Any, kind: str) -> JsonObject:
    message = core.ModelRequest(parts=[]) if kind == "request" else core.ModelResponse(parts=[])
    data: JsonObject = core.ModelMessagesTypeAdapter.dump_python([message], mode="json")[0]
    return data


def _noted(message: Any) -> Mapping[str, Any]:
    found = (message.metadata or {}).get(OURS)
    return found if isinstance(found, Mapping) else {}


def _with_notes(msg: Msg, own: Mapping[str, Any]) -> Msg:
    """Return the message with what pydantic-ai has no field for."""
    return Msg(
        own.get("name") or "",
        msg.content,
        msg.role,
        {**(own.get("metadata") or {}), **(msg._metadata or {})},
        own.get("timestamp"),
        id=own.get("id"),
        extras=own.get("extras"),
        origin=msg.origin,
    )


def _time(value: Any) -> str | None:
    time = getattr(value, "timestamp", None)
    return None if time is None else time.isoformat()


def _text_of(msg: Msg) -> str:
    block = msg.blocks[0]
    output = block.output if isinstance(block, ToolResultBlock) else msg.text
    return output if isinstance(output, str) else ""


# -- contents -------------------------------------------------------------------------------------


def _user_content(content: Any) -> str | list[ContentBlock]:
    if isinstance(content, str):
        return content
    blocks: list[ContentBlock] = []
    for item in content:
        if getattr(item, "kind", None) == "cache-point":
            if blocks and hasattr(blocks[-1], "cache"):
                blocks[-1].cache = CacheHint(None if item.ttl == "5m" else item.ttl)
        else:
            blocks.append(_shown(item))
    return blocks


def _shown(item: Any) -> ContentBlock:
    """Read an item that a model is shown."""
    if isinstance(item, str):
        return TextBlock(item)
    medium: ContentBlock | None = _medium(item)
    if medium is not None:
        return medium
    if isinstance(text := getattr(item, "content", None), str):  # TextContent
        kept = {"metadata": item.metadata} if item.metadata is not None else {}
        return TextBlock(text, extras={TARGET: kept} if kept else None)
    try:
        return TextBlock(arguments(item))
    except (TypeError, ValueError) as error:
        raise ReadError(f"{type(item).__name__} is no content", code="messages.type") from error


def _medium(item: Any) -> Any:
    """Read a file; None for anything else."""
    kind = getattr(item, "kind", None)
    source: Any
    if kind in _MEDIA:
        source = URLSource(item.url, item._media_type, read=True)
        shown: type[Any] = _MEDIA[str(kind)]
    elif kind == "binary":
        if item.media_type == "text/plain" and (text := _decoded(item.data)) is not None:
            return DocumentBlock(TextSource([text]))
        source = Base64Source(item.media_type, b64encode(item.data).decode())
        shown = _MEDIA.get(item.media_type.partition("/")[0], DocumentBlock)
    elif kind == "uploaded-file":
        source = FileSource(item.file_id, find_issuer(item.provider_name), item._media_type)
        shown = _MEDIA.get((item._media_type or "").partition("/")[0], DocumentBlock)
    else:
        return None
    block: Any = shown(source)
    kept = dict(item.vendor_metadata or {})
    if isinstance(kept.get("detail"), str):
        block.detail = kept.pop("detail")
    fields = {"vendor_metadata": kept, "force_download": getattr(item, "force_download", False)}
    if found := {key: value for key, value in fields.items() if value}:
        block.extras = {TARGET: found}
    return block


def _decoded(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
