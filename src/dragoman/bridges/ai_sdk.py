"""`ModelMessage`s of Vercel's AI SDK (npm `ai`), both ways, as JSON.

    from dragoman.bridges import ai_sdk

    history = ai_sdk.read_messages(await request.json()).messages
    return ai_sdk.write_messages([*history, answer]).messages

What a provider alone has stands under `providerOptions.PROVIDER`: signatures of thinking, ids,
cache hints. What has no place in these messages, such as a name, is kept under the key `dragoman`
there, which no provider reads.

Reference: npm `ai` 7.0.173, `modelMessageSchema` and the types of `@ai-sdk/provider-utils`; run on
2026-11-29. Forms of the releases before (`image`, `mimeType`, data as a plain text) are read, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from ..errors import NotMessages
from ..losses import PolicyLike, Report
from ..message import (
    Base64Source,
    CacheHint,
    FileSource,
    Msg,
    Origin,
    RawBlock,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
    URLSource,
)
from ..message.blocks import (
    ANSWER,
    HEALED,
    NOTES,
    AudioBlock,
    ContentBlock,
    DocumentBlock,
    Extras,
    ImageBlock,
    ToolUseBlock,
    VideoBlock,
    plain_value,
)
from ..message.media_urls import read_url
from ..protocols.anthropic.blocks import cache_control
from ..stream.arguments import parse_arguments
from ..text.json_text import Json, JsonObject, arguments
from ..text.redaction import show
from .results import (
    Bridged,
    BridgeLimit,
    Said,
    argument_text,
    as_msg,
    finish_bridge,
    say_runs,
    take_said,
    text_or_none,
)

__all__ = ["LIMITS", "read_messages", "write_messages"]

TARGET = "ai-sdk"
_OURS = "dragoman"
_ERROR = "Error: "  # before the output of a call that failed, where no type says so
# the key of `providerOptions` -> the issuer whose signatures and ids these are
_ISSUERS = {
    "anthropic": "anthropic",
    "openai": "openai-responses",
    "google": "gemini",
    "vertex": "vertex",
    "bedrock": "bedrock-converse",
    "amazonBedrock": "bedrock-converse",
}
_PROVIDERS = {
    "anthropic": "anthropic",
    "openai-responses": "openai",
    "gemini": "google",
    "vertex": "vertex",
    "bedrock-converse": "bedrock",
}
_MEDIA: dict[str, type[Any]] = {"image": ImageBlock, "audio": AudioBlock, "video": VideoBlock}
_OUTPUTS = frozenset({"text", "json", "error-text", "error-json", "content", "execution-denied"})

LIMITS = (
    BridgeLimit(
        "several texts of a system prompt, results beside text in one message",
        "a message for each",
        zh=("system 提示中的多段文本，一条消息中与文本并列的结果", "各成一条消息"),
    ),
    BridgeLimit(
        "a message of the developer",
        "one of the system",
        "word.other_provider",
        zh=("developer 角色的消息", "system 角色的消息"),
    ),
    BridgeLimit(
        "the cache hint of a message that is a text",
        "the hint of the text",
        zh=("内容为文本的消息上的缓存提示", "文本上的提示"),
    ),
    BridgeLimit("the name of a speaker", "nothing", "name.unsupported", zh=("说话者的名字", "无")),
    BridgeLimit(
        "a result without the name of its tool",
        "the name of its call",
        "result.name",
        zh=("没有工具名的结果", "它的调用的名字"),
    ),
    BridgeLimit(
        "the exact text of a call's arguments, where they are an object",
        "the parsed object alone",
        zh=("调用参数的原文（参数为对象时）", "只有解析后的对象"),
    ),
    BridgeLimit(
        "that a result with media is an error",
        "`Error: ` before it; the flag comes back",
        "result.error_as_text",
        zh=("带媒体的结果是一个错误", "前面的 `Error: `，标志会回来"),
    ),
    BridgeLimit(
        "the media type of a URL that names none",
        "the kind alone, such as `image`",
        zh=("没有写明媒体类型的 URL", "只有大类，例如 `image`"),
    ),
    BridgeLimit(
        "a document in several passages",
        "one text",
        "media.as_text",
        zh=("分成多段的文档", "一段文本"),
    ),
    BridgeLimit(
        "a file on the program's own machine, the frames of a video",
        "nothing",
        "media.source",
        zh=("程序所在机器上的文件，视频的帧", "无"),
    ),
    BridgeLimit("a refusal", "a text", "refusal.as_text", zh=("拒绝", "文本")),
    BridgeLimit("citations", "nothing", "citations.unsupported", zh=("引用", "无")),
    BridgeLimit(
        "a signature whose provider is not known",
        "the thinking without it",
        "thinking.other_provider",
        zh=("不知道出自哪家提供方的签名", "没有签名的思考"),
    ),
    BridgeLimit(
        "what only one provider has, such as its search",
        "nothing",
        "raw.other_provider",
        zh=("只有一家提供方才有的内容，例如它的搜索", "无"),
    ),
)

ReadFrom: TypeAlias = Iterable[Mapping[str, Any]] | Mapping[str, Any]


def read_messages(messages: ReadFrom, *, policy: PolicyLike = "log") -> Bridged[Msg]:
    """Read `ModelMessage`s of the AI SDK.

    >>> read_messages([{"role": "user", "content": "Where is Paris?"}]).messages
    [Msg('', 'Where is Paris?', 'user')]

    Args:
        messages: The messages as parsed JSON, or a body with them as `messages`.
        policy: What to do about losses.

    Returns:
        The messages. Whose signatures they hold, `providerOptions` says.

    Raises:
        NotMessages: Something is no message; `path` names it.
        LossRefused: The policy refuses a loss.
    """
    root = "$"
    if isinstance(messages, Mapping) and isinstance(messages.get("messages"), list):
        root, messages = "$.messages", messages["messages"]
    if isinstance(messages, Mapping) and "role" in messages:
        messages = [messages]
    if isinstance(messages, (str, bytes, Mapping)) or not isinstance(messages, Iterable):
        raise _no_message(messages, root)
    found = [_read(item, f"{root}[{i}]") for i, item in enumerate(messages)]
    return finish_bridge(found, Report(target=TARGET), policy)


def _no_message(value: object, path: str) -> NotMessages:
    return NotMessages(
        f"{show(value)} is no ModelMessage of the AI SDK",
        path=path,
        hint='{"role": "user", "content": text}',
        code="messages.type",
    )


def _read(item: Any, path: str) -> Msg:
    role = item.get("role") if isinstance(item, Mapping) else None
    content = item.get("content") if isinstance(item, Mapping) else None
    is_parts = isinstance(content, list) and all(isinstance(part, Mapping) for part in content)
    if role not in ("system", "user", "assistant", "tool") or not (
        is_parts or (isinstance(content, str) and role != "tool")
    ):
        raise _no_message(item, path)
    options = _Options(item)
    kept: JsonObject = {}
    blocks: Any = content
    if not isinstance(content, str):
        blocks = [_block(dict(part), role, kept) for part in content or ()]
    elif options.cache is not None:
        blocks, options.cache = [TextBlock(content, cache=options.cache)], None
    noted = options.ours
    msg = Msg(
        noted.get("name") or "",
        blocks,
        role,
        {**(noted.get("metadata") or {}), **({TARGET: kept} if kept else {})},
        noted.get("timestamp"),
        id=text_or_none(noted.get("id")),
        extras=options.extras(noted.get("extras")),
        path=path,
    )
    if options.cache is not None:
        msg.cache = options.cache
    origins = [block.origin for block in msg.blocks if block.origin is not None]
    if role == "assistant":
        model = text_or_none(noted.get("model"))
        issuer = text_or_none(noted.get("issuer")) or (origins[0].issuer if origins else None)
        msg.origin = Origin(issuer, model) if issuer else None
    return msg


class _Options:
    """The `providerOptions` of a message or a part, taken apart.

    Attributes:
        ours: What a bridge has noted.
        cache: The cache hint.
        issuer: The provider whose fields are there, if it is one that is known.
    """

    def __init__(self, holder: Mapping[str, Any]) -> None:
        given = holder.get("providerOptions", holder.get("providerMetadata"))
        given = given if isinstance(given, Mapping) else {}
        own = {name: dict(held) for name, held in given.items() if isinstance(held, Mapping)}
        self.ours = own.pop(_OURS, {})
        self.cache: CacheHint | None = None
        hint = own.get("anthropic", {}).get("cacheControl")
        if isinstance(hint, Mapping) and hint.get("type") == "ephemeral":
            del own["anthropic"]["cacheControl"]
            self.cache = CacheHint(text_or_none(hint.get("ttl")))
        self._own = own
        self.issuer = next((_ISSUERS[name] for name in own if name in _ISSUERS and own[name]), "")
        self._fields: Extras = {}

    def take(self, name: str) -> str | None:
        """Take a field of whichever provider has it."""
        for fields in self._own.values():
            if isinstance(fields.get(name), str):
                value: str = fields.pop(name)
                return value
        return None

    def put(self, issuer: str, name: str, value: str | None) -> None:
        """Keep a field as an issuer's."""
        if value is not None:
            self._fields.setdefault(issuer, {})[name] = value

    def extras(self, noted: Any = None) -> Extras | None:
        """Return what is left: known fields of issuers, and the rest as the SDK's own."""
        found: Extras = dict(noted) if isinstance(noted, Mapping) else {}
        for issuer, fields in self._fields.items():
            found[issuer] = {**found.get(issuer, {}), **fields}
        rest = {name: fields for name, fields in self._own.items() if fields}
        if rest:
            found[TARGET] = {"providerOptions": rest}
        return found or None


def _block(part: JsonObject, role: str, kept: JsonObject) -> ContentBlock:
    """Read a part of a message; one that has no form of ours is kept as it is."""
    options, kind = _Options(part), part.get("type")
    block: Any = None
    if kind == "text" and isinstance(part.get("text"), str):
        block = TextBlock(part["text"])
    elif kind == "reasoning" and isinstance(part.get("text"), str):
        block = _thinking(part, options)
    elif kind in ("file", "image"):
        block = _medium(part)
    elif kind == "tool-call" and not part.get("providerExecuted"):
        block = _call(part, options)
    elif kind == "tool-result" and role == "tool" and isinstance(part.get("output"), Mapping):
        block = _result(part, options, kept)
    if block is None:
        pair = text_or_none(part.get("toolCallId"))
        sides: dict[str, Any] = {"tool-call": "call", "tool-result": "result"}
        return RawBlock(TARGET, part, sides.get(str(kind), "item"), pair)
    options.put("gemini", "thoughtSignature", options.take("thoughtSignature"))
    options.put("openai-responses", "id", options.take("itemId"))
    if (detail := options.take("imageDetail")) is not None and hasattr(block, "detail"):
        block.detail = detail
    if options.cache is not None and hasattr(block, "cache"):
        block.cache = options.cache
    for name in ("title", "context", "cite"):
        if name in options.ours and hasattr(block, name):
            setattr(block, name, options.ours[name])
    extras = options.extras(options.ours.get("extras"))
    block.extras = {**(block.extras or {}), **(extras or {})} or None
    found: ContentBlock = block
    return found


def _thinking(part: JsonObject, options: _Options) -> ThinkingBlock:
    issuer = text_or_none(options.ours.get("issuer")) or options.issuer
    origin = Origin(issuer, text_or_none(options.ours.get("model"))) if issuer else None
    block = ThinkingBlock(part["text"], origin=origin)
    block.signature = options.take("signature")
    block.redacted = options.take("redactedData") or options.take("reasoningEncryptedContent")
    return block


def _call(part: JsonObject, options: _Options) -> ToolUseBlock:
    value: Json = part.get("input", part.get("args"))
    block = ToolUseBlock(str(part.get("toolCallId") or ""), str(part.get("toolName") or ""))
    if isinstance(value, str):  # what the model wrote is no JSON of the tool's arguments
        block.raw_input, block.input = value, parse_arguments(value)
    elif value is not None:
        block.input = value
    block.unfinished = options.ours.get("unfinished") is True
    block.freeform = options.ours.get("freeform") is True
    if block.freeform and isinstance(value, str):
        block.input, block.raw_input = value, options.ours.get("raw")
    block.namespace = text_or_none(options.ours.get("namespace"))
    return block


def _result(part: JsonObject, options: _Options, kept: JsonObject) -> ToolResultBlock | None:
    output = part["output"]
    kind, value = output.get("type"), output.get("value")
    id = str(part.get("toolCallId") or "")
    if kind not in _OUTPUTS:
        return None
    block = ToolResultBlock(id, str(part.get("toolName") or ""))
    block.is_error = kind.startswith("error") or options.ours.get("is_error") is True
    if (kind in ("text", "error-text") and isinstance(value, str)) or (
        kind in ("json", "error-json") and (value is None or type(value) is dict)
    ):
        block.output = value
    elif kind == "content" and isinstance(value, list):
        found = [_block(dict(one), "tool", {}) for one in value if isinstance(one, Mapping)]
        is_marked = block.is_error and found[:1] == [TextBlock(_ERROR)]
        block.output = found[1:] if is_marked else found
    elif kind == "execution-denied":
        block.is_error, block.output = True, str(output.get("reason") or "The call was denied.")
        kept[id] = {"output": dict(output), "text": block.output}
    else:
        block.output = arguments(value)
        kept[id] = {"output": dict(output), "text": block.output}
    if options.ours.get("nameless") is True:
        block.name = ""
    return block


def _medium(part: JsonObject) -> Any:
    """Read an image or a file, in the forms of this release and of those before."""
    media_type = text_or_none(part.get("mediaType", part.get("mimeType")))
    data = part.get("image") if part.get("type") == "image" else part.get("data")
    if part.get("type") == "image" and data is None:
        data = part.get("data")
    top = (media_type or "").partition("/")[0]
    whole = media_type if media_type and "/" in media_type else None
    source: Any = None
    if isinstance(data, Mapping):
        kind = data.get("type")
        if kind == "data" and isinstance(data.get("data"), str):
            source = Base64Source(media_type or "application/octet-stream", data["data"])
        elif kind == "url" and isinstance(data.get("url"), str):
            source = URLSource(data["url"], whole, read=True)
        elif kind == "text" and isinstance(data.get("text"), str):
            source = TextSource([data["text"]], media_type=whole or "text/plain")
        elif kind == "reference" and isinstance(refs := data.get("reference"), Mapping):
            name, id = next(iter(refs.items()), ("", None))
            source = FileSource(str(id), _ISSUERS.get(name, name), whole)
    elif isinstance(data, str) and "://" in data[:16]:
        source = URLSource(data, whole, read=True)
    elif isinstance(data, str) and data.startswith("data:"):
        source = read_url(data)[0]
    elif isinstance(data, str):
        source = Base64Source(media_type or "image/png", data)
    if source is None:
        return None
    kind = _MEDIA.get("image" if part.get("type") == "image" else top, DocumentBlock)
    return kind(source, text_or_none(part.get("filename")))


# -- ours to theirs -------------------------------------------------------------------------------


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
    writer = _PartWriter(report)
    found = [message for one in said for message in writer.write(as_msg(one))]
    return finish_bridge(found, report, policy)


class _PartWriter:
    def __init__(self, report: Report) -> None:
        self._report = report
        self._names: dict[str, str] = {}  # of the calls, by id

    def write(self, msg: Msg) -> list[JsonObject]:
        """Write one message."""
        if msg.name:
            self._report.add_loss("name.unsupported", msg, "name", msg.name)
        role = "system" if msg.role == "developer" else msg.role
        if msg.role == "developer":
            self._report.add_loss("word.other_provider", msg, "role", "developer", "system")
        options = _with_options({}, {_OURS: _note(msg), **_hint(msg.cache)})
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
                written = [self._part(one, msg) for one in blocks]
                parts = [one for one in written if one is not None]
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

    def _part(self, block: Any, msg: Msg) -> JsonObject | None:
        origin = block.origin or msg.origin
        issuer = origin.issuer if origin is not None else ""
        is_said = msg.role == "assistant"
        part: JsonObject | None = None
        own: JsonObject = {}
        match block.type:
            case "text":
                part = {"type": "text", "text": block.text}
            case "refusal":
                self._report.add_loss("refusal.as_text", block)
                part = {"type": "text", "text": block.text}
            case "thinking" if is_said:
                part, own = self._thinking(block, issuer)
            case "tool_use" if is_said:
                part, own = self._call(block)
            case "image" | "audio" | "video" | "document":
                part = self._medium(block)
            case "raw" if block.issuer == TARGET and isinstance(block.data, dict):
                return block.data
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
            if name == _OURS:
                ours = fields
            else:
                options[name] = {**options.get(name, {}), **fields}
        for name, key, provider, theirs_key in (
            ("gemini", "thoughtSignature", "google", "thoughtSignature"),
            ("openai-responses", "id", "openai", "itemId"),
        ):
            if isinstance(value := extras.get(name, {}).pop(key, None), str):
                options.setdefault(provider, {})[theirs_key] = value
        for name, fields in _hint(getattr(block, "cache", None)).items():
            options[name] = {**options.get(name, {}), **fields}
        if getattr(block, "detail", None) is not None:
            options.setdefault("openai", {})["imageDetail"] = block.detail
        if getattr(block, "citations", None):
            self._report.add_loss("citations.unsupported", block, "citations")
        for name in ("context", "cite"):
            if getattr(block, name, None) is not None:
                ours[name] = getattr(block, name)
        if extras := {name: fields for name, fields in extras.items() if fields}:
            ours["extras"] = extras
        return {**options, **({_OURS: ours} if ours else {})}

    def _thinking(self, block: ThinkingBlock, issuer: str) -> tuple[JsonObject | None, JsonObject]:
        provider, own = _PROVIDERS.get(issuer), {}
        if block.signature or block.redacted:
            if provider is None:
                self._report.add_loss("thinking.other_provider", block, "signature")
                if not block.thinking:
                    return None, {}
            elif issuer == "openai-responses":
                own = {"reasoningEncryptedContent": block.redacted or block.signature}
            else:
                seals = {"signature": block.signature, "redactedData": block.redacted}
                own = {name: seal for name, seal in seals.items() if seal is not None}
        ours: JsonObject = {"issuer": issuer} if issuer else {}
        if block.origin is not None and block.origin.model:
            ours["model"] = block.origin.model
        options = {name: own for name in (provider,) if name is not None and own}
        return {"type": "reasoning", "text": block.thinking}, {**options, _OURS: ours}

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
        return part, {_OURS: ours} if ours else {}

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
            parts = [part for one in output if (part := self._part(one, msg)) is not None]
            if failed:
                self._report.add_loss("result.error_as_text", block, "is_error")
                ours = {"is_error": True}
                parts = [{"type": "text", "text": _ERROR}, *parts]
            shown = {"type": "content", "value": parts}
        elif isinstance(output, str):
            shown = {"type": "error-text" if failed else "text", "value": output}
        else:
            shown = {"type": "error-json" if failed else "json", "value": output}
        part = {"type": "tool-result", "toolCallId": block.id, "toolName": name, "output": shown}
        return _with_options(part, self._options(block, "", {_OURS: ours} if ours else {}))

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
            name = _PROVIDERS.get(source.issuer, source.issuer)
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
