"""The AI SDK's messages to ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from ...errors import NotMessages
from ...losses import PolicyLike, Report
from ...message import (
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
from ...message.blocks import (
    ContentBlock,
    DocumentBlock,
    Extras,
    ToolUseBlock,
)
from ...message.media_urls import read_url
from ...stream.arguments import parse_arguments
from ...text.json_text import Json, JsonObject, arguments
from ...text.redaction import show
from ..results import (
    Bridged,
    finish_bridge,
    text_or_none,
)
from .citations import read_citations
from .names import ERROR, FIELDS, ISSUERS, MEDIA, OURS, TARGET
from .provider_calls import is_shown_only, read_provider_call
from .ui import decode_base64, to_model_messages

_OUTPUTS = frozenset({"text", "json", "error-text", "error-json", "content", "execution-denied"})

ReadFrom: TypeAlias = Iterable[Mapping[str, Any]] | Mapping[str, Any]


def read_messages(messages: ReadFrom, *, policy: PolicyLike = "log") -> Bridged[Msg]:
    """Read `ModelMessage`s and `UIMessage`s of the AI SDK.

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
    found = [
        _read(one, f"{root}[{i}]")
        for i, item in enumerate(messages)
        for one in (to_model_messages(item) if _is_ui(item) else [item])
    ]
    return finish_bridge(found, Report(target=TARGET), policy)


def _is_ui(item: Any) -> bool:
    return isinstance(item, Mapping) and isinstance(item.get("parts"), list)


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
        shown = [part for part in content or () if not is_shown_only(part)]
        blocks = [_block(dict(part), role, kept) for part in shown]
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
        self.ours = own.pop(OURS, {})
        self.cache: CacheHint | None = None
        hint = own.get("anthropic", {}).get("cacheControl")
        if isinstance(hint, Mapping) and hint.get("type") == "ephemeral":
            del own["anthropic"]["cacheControl"]
            self.cache = CacheHint(text_or_none(hint.get("ttl")))
        self._own = own
        self.issuer = next((ISSUERS[name] for name in own if name in ISSUERS and own[name]), "")
        self._fields: Extras = {}

    def take(self, name: str) -> str | None:
        """Take a field of whichever provider has it."""
        for fields in self._own.values():
            if isinstance(fields.get(name), str):
                value: str = fields.pop(name)
                return value
        return None

    def take_fields(self, *, is_copy: bool) -> None:
        """Take the fields that issuers have here; those of a result are copies of its call's."""
        for issuer, name, theirs in FIELDS:
            value = self.take(theirs)
            if value is not None and not is_copy:
                self._fields.setdefault(issuer, {})[name] = value

    def extras(self, noted: Any = None) -> Extras | None:
        """Return what is left: known fields of issuers, and the rest as the SDK's own."""
        given = noted if isinstance(noted, Mapping) else {}
        found: Extras = {name: dict(own) for name, own in given.items() if isinstance(own, Mapping)}
        for issuer, fields in self._fields.items():
            found[issuer] = {**found.get(issuer, {}), **fields}
        rest = {name: fields for name, fields in self._own.items() if fields}
        if rest:
            found[TARGET] = {"providerOptions": rest}
        return found or None


def _block(part: JsonObject, role: str, kept: JsonObject) -> ContentBlock:
    """Read a part of a message; one that has no form of ours is kept as it is."""
    options, kind = _Options(part), part.get("type")
    if kind in ("tool-call", "tool-result") and (own := read_provider_call(options.ours)):
        return own
    block: Any = None
    if kind == "text" and isinstance(part.get("text"), str):
        block = TextBlock(part["text"], read_citations(part.get("citations")))
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
    options.take_fields(is_copy=isinstance(block, ToolResultBlock))
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
    block.signature = block.signature or text_or_none(options.ours.get("signature"))
    block.redacted = block.redacted or text_or_none(options.ours.get("redacted"))
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
    if str(kind) not in _OUTPUTS:
        return None
    block = ToolResultBlock(id, str(part.get("toolName") or ""))
    block.is_error = kind.startswith("error") or options.ours.get("is_error") is True
    if (kind in ("text", "error-text") and isinstance(value, str)) or (
        kind in ("json", "error-json") and (value is None or type(value) is dict)
    ):
        block.output = value
        if options.ours.get("content") is True and isinstance(value, dict):  # shown on a page
            return _result({**part, "output": value}, options, kept)
    elif kind == "content" and isinstance(value, list):
        found = [_block(dict(one), "tool", {}) for one in value if isinstance(one, Mapping)]
        is_marked = block.is_error and found[:1] == [TextBlock(ERROR)]
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
            source = _at_url(data["url"], whole)
        elif kind == "text" and isinstance(data.get("text"), str):
            source = TextSource([data["text"]], media_type=whole or "text/plain")
        elif kind == "reference" and isinstance(refs := data.get("reference"), Mapping):
            name, id = next(iter(refs.items()), ("", None))
            source = FileSource(str(id), ISSUERS.get(name, name), whole)
    elif isinstance(data, str) and "://" in data[:16]:
        source = URLSource(data, whole, read=True)
    elif isinstance(data, str) and data.startswith("data:"):
        source = read_url(data)[0]
    elif isinstance(data, str):
        source = Base64Source(media_type or "image/png", data)
    if source is None:
        return None
    kind = MEDIA.get("image" if part.get("type") == "image" else top, DocumentBlock)
    return kind(source, text_or_none(part.get("filename")))


def _at_url(url: str, media_type: str | None) -> Any:
    """Read an address; in a data URI, `convertToModelMessages` gives the files of a page."""
    if not url.startswith("data:"):
        return URLSource(url, media_type, read=True)
    text = decode_base64(url.partition(";base64,")[2]) if media_type == "text/plain" else None
    return read_url(url)[0] if text is None else TextSource([text])
