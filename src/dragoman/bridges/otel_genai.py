"""Messages in the JSON of OpenTelemetry's GenAI conventions, both ways: what traces have of them.

    from dragoman.bridges import otel_genai

    history = otel_genai.read_messages(span.attributes["gen_ai.input.messages"]).messages
    written = otel_genai.write_messages(history).messages

The attributes `gen_ai.input.messages` and `gen_ai.output.messages` are lists of `{role, parts}`, as
JSON text in a span and as a list in an event; `gen_ai.system_instructions` is a list of parts, and
`gen_ai.tool.definitions` one of tools. A part may have further keys by the schema; of those, a
failed result has `is_error` here, and a call that broke off has `unfinished`.

Reference: opentelemetry-util-genai 1.3b0, `types.py` and `utils.py`, run on 2026-11-29;
open-telemetry/semantic-conventions-genai, docs/gen-ai/gen-ai-input-messages.json and
gen-ai-output-messages.json, read on 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..errors import InvalidMessage, NotMessages, ReadError
from ..losses import PolicyLike, Report
from ..message import (
    AudioBlock,
    Base64Source,
    ChatResponse,
    DocumentBlock,
    FileSource,
    Finish,
    ImageBlock,
    Msg,
    RawBlock,
    RefusalBlock,
    ServerTool,
    TextBlock,
    TextSource,
    ThinkingBlock,
    Tool,
    ToolResultBlock,
    URLSource,
    VideoBlock,
)
from ..message.blocks import SUMMARY, ContentBlock, ToolUseBlock
from ..text.json_text import Json, JsonObject, arguments, loads
from ..text.redaction import show
from .results import (
    AnswerNotes,
    Bridged,
    BridgeLimit,
    Said,
    argument_text,
    as_msg,
    finish_bridge,
    lose_extras,
    read_notes,
    take_said,
    text_or_none,
)

TARGET = "otel-genai"
_ROLES = ("system", "developer", "user", "assistant", "tool")
_MEDIA: dict[str, Any] = {
    "image": ImageBlock,
    "audio": AudioBlock,
    "video": VideoBlock,
    "document": DocumentBlock,
}
# why an answer ended: our words, and the conventions' (ours that are not here are used as they are)
_REASONS = {
    "tool_calls": "tool_call",
    "refusal": "content_filter",
    "context_overflow": "length",
    "malformed_call": "error",
}
_READ_REASONS = {
    "stop": "stop",
    "length": "length",
    "content_filter": "content_filter",
    "error": "error",
    "tool_call": "tool_calls",
    "tool_calls": "tool_calls",
    "pause": "pause",
    "other": "other",
}

LIMITS = (
    BridgeLimit(
        "a signature of thinking, and thinking that is sealed: a model cannot get it back",
        "the thinking without it, or nothing",
        "thinking.other_provider",
        zh=("思考的签名，以及封存的思考：无法再还给模型", "没有签名的思考，或者无"),
    ),
    BridgeLimit(
        "one text in a list of blocks",
        "the text alone",
        zh=("块列表中唯一的一段文本", "只有这段文本"),
    ),
    BridgeLimit(
        "the name of a tool on its result",
        "the name in the call",
        zh=("结果上的工具名", "调用中的名字"),
    ),
    BridgeLimit(
        "the exact text of a call's arguments, where they are an object",
        "the parsed object alone",
        zh=("调用参数的原文（参数为对象时）", "只有解析后的对象"),
    ),
    BridgeLimit(
        "that a tool takes text instead of arguments, and the group of a tool",
        "a call with a text, without the group",
        "call.freeform",
        zh=("工具接收文本而不是参数，以及工具的分组", "带文本的调用，没有分组"),
    ),
    BridgeLimit(
        "a document as text",
        "its text",
        "media.as_text",
        zh=("以文本给出的文档", "它的文本"),
    ),
    BridgeLimit(
        "a file on the program's own machine, the frames of a video",
        "nothing",
        "media.source",
        zh=("程序所在机器上的文件，视频的帧", "无"),
    ),
    BridgeLimit(
        "the title, the context and the resolution of a medium; whose a file is",
        "nothing",
        "media.detail",
        zh=("媒体的标题、说明和分辨率；文件属于哪家提供方", "无"),
    ),
    BridgeLimit("a refusal", "a text", "refusal.as_text", zh=("拒绝", "文本")),
    BridgeLimit("citations", "nothing", "citations.unsupported", zh=("引用", "无")),
    BridgeLimit("a cache hint", "nothing", "cache.unsupported", zh=("缓存提示", "无")),
    BridgeLimit(
        "what only one provider has, except calls that it runs itself and summaries",
        "nothing; of those, the JSON without the name of the provider",
        "raw.other_provider",
        zh=(
            "只有一家提供方才有的内容（它自己执行的调用和摘要除外）",
            "无；后者只有不带提供方名字的 JSON",
        ),
    ),
    BridgeLimit(
        "fields of one provider",
        "nothing",
        "extras.other_provider",
        zh=("只有一家提供方才有的字段", "无"),
    ),
)


# -- theirs to ours -------------------------------------------------------------------------------


def read_messages(messages: Any, *, policy: PolicyLike = "log") -> Bridged[Msg]:
    """Read messages of a span or an event.

    >>> text = '[{"role": "user", "parts": [{"type": "text", "content": "Where is Paris?"}]}]'
    >>> read_messages(text).messages[0].text
    'Where is Paris?'

    Args:
        messages: The value of the attribute: JSON text, or the list itself.
        policy: What to do about losses.

    Returns:
        The messages. Why an answer ended is in the metadata, as with every bridge.

    Raises:
        NotMessages: It is no list of such messages; `path` names what is wrong.
        LossRefused: The policy refuses a loss.
    """
    found: list[Msg] = []
    names: dict[str, str] = {}
    for i, item in enumerate(_list(messages, "$")):
        msg = _message(item, f"$[{i}]", names)
        names |= {call.id: call.name for call in msg.calls}
        found.append(msg)
    return finish_bridge(found, Report(target=TARGET), policy)


def read_system(parts: Any) -> str | None:
    """Read `gen_ai.system_instructions` as the text of a system prompt; None if there is none.

    Args:
        parts: The value of the attribute: JSON text, or the list itself.

    Raises:
        NotMessages: It is no list of parts.
    """
    texts = [
        part["content"]
        for part in _list(parts, "$")
        if isinstance(part, Mapping) and isinstance(part.get("content"), str)
    ]
    return "\n\n".join(texts) or None


def read_tools(tools: Any) -> list[Tool | ServerTool]:
    """Read `gen_ai.tool.definitions`.

    Args:
        tools: The value of the attribute: JSON text, or the list itself.

    Raises:
        NotMessages: It is no list of tools.
    """
    found: list[Tool | ServerTool] = []
    for i, item in enumerate(_list(tools, "$")):
        name = item.get("name") if isinstance(item, Mapping) else None
        if not isinstance(name, str) or not name:
            raise _wrong(item, f"$[{i}]")
        if item.get("type", "function") != "function":
            found.append(ServerTool("own", extras={TARGET: {**item}}))
            continue
        parameters = item.get("parameters")
        try:
            found.append(
                Tool(
                    name,
                    text_or_none(item.get("description")) or "",
                    {**parameters} if isinstance(parameters, Mapping) else None,
                )
            )
        except InvalidMessage as error:
            raise _wrong(item, f"$[{i}]") from error
    return found


def _list(value: Any, path: str) -> list[Any]:
    if isinstance(value, str):
        try:
            value = loads(value)
        except ReadError as error:
            raise _wrong(value, path) from error
    if isinstance(value, Mapping) or not isinstance(value, Sequence) or isinstance(value, bytes):
        raise _wrong(value, path)
    return list(value)


def _wrong(value: object, path: str) -> NotMessages:
    return NotMessages(
        f"{show(value)} is no message of the GenAI conventions",
        path=path,
        hint='[{"role": "user", "parts": [{"type": "text", "content": "..."}]}]',
        code="messages.type",
    )


def _message(item: Any, path: str, names: Mapping[str, str]) -> Msg:
    if not isinstance(item, Mapping) or not isinstance(item.get("parts"), (list, tuple)):
        raise _wrong(item, path)
    role = item.get("role")
    if not isinstance(role, str):
        raise _wrong(item, f"{path}.role")
    blocks = [_block(part, f"{path}.parts[{i}]", names) for i, part in enumerate(item["parts"])]
    content: Any = blocks
    if len(blocks) == 1 and isinstance(only := blocks[0], TextBlock):
        content = only.text
    name = text_or_none(item.get("name")) or ""
    try:  # a role of a program's own is one of who asks
        msg = Msg(name, content, role if role in _ROLES else "user")
    except InvalidMessage as error:
        raise _wrong(item, path) from error
    if isinstance(reason := item.get("finish_reason"), str) and reason:
        known: Any = _READ_REASONS.get(reason, "other")
        AnswerNotes(finish=Finish(known, reason)).note_on(msg)
    return msg


def _block(part: Any, path: str, names: Mapping[str, str]) -> ContentBlock:
    if not isinstance(part, Mapping) or not isinstance(part.get("type"), str):
        raise _wrong(part, path)
    kind, content = part["type"], part.get("content")
    if kind == "text" and isinstance(content, str):
        return TextBlock(content)
    if kind == "reasoning" and isinstance(content, str):
        return ThinkingBlock(content)
    if kind == "tool_call" and isinstance(part.get("name"), str):
        return _read_call(part)
    if kind == "tool_call_response":
        id = text_or_none(part.get("id")) or ""
        output = _output(part.get("response"), path, names)
        return ToolResultBlock(id, names.get(id, ""), output, part.get("is_error") is True)
    if kind in ("blob", "uri", "file") and (medium := _read_medium(part, kind)) is not None:
        return medium
    return _read_raw(part, kind)


def _read_call(part: Mapping[str, Any]) -> ToolUseBlock:
    """Read a call; arguments that are JSON in a text are an object, as other writers have them."""
    given, raw = part.get("arguments"), None
    value: Json = given
    if isinstance(given, str):
        raw = given
        try:
            parsed = loads(given) if given.strip() else {}
            value = parsed if isinstance(parsed, dict) else given
        except ReadError:
            value = given
    elif given is None:
        value = {}
    elif not isinstance(given, dict):  # arguments are an object, or what the model wrote
        value = raw = arguments(given)
    id = text_or_none(part.get("id")) or ""
    return ToolUseBlock(id, part["name"], value, raw, unfinished=part.get("unfinished") is True)


def _output(value: Any, path: str, names: Mapping[str, str]) -> Any:
    if isinstance(value, (str, dict)) or value is None:
        return value
    if isinstance(value, list) and value and all(_is_part(one) for one in value):
        return [_block(one, f"{path}.response[{i}]", names) for i, one in enumerate(value)]
    return arguments(value)


def _is_part(value: Any) -> bool:
    """Whether a value in a list is a part of the conventions, not JSON that looks like one."""
    if not isinstance(value, dict):
        return False
    kind: Any = value.get("type")
    keys = {"text": "content", "blob": "content", "uri": "uri", "file": "file_id"}
    return isinstance(kind, str) and kind in keys and isinstance(value.get(keys[kind]), str)


def _read_medium(part: Mapping[str, Any], kind: str) -> ContentBlock | None:
    """Read a medium; None if what it needs is not there."""
    media_type = text_or_none(part.get("mime_type"))
    modality = part.get("modality")
    if not isinstance(modality, str) or modality not in _MEDIA:
        guess = (media_type or "").partition("/")[0]
        modality = guess if guess in _MEDIA else "document"
    value = part.get({"blob": "content", "uri": "uri", "file": "file_id"}[kind])
    if not isinstance(value, str) or not value:
        return None
    source: Any
    if kind == "blob":
        source = Base64Source(media_type or "application/octet-stream", value)
    elif kind == "uri":
        source = URLSource(value, media_type, read=True)
    else:
        source = FileSource(value, "")
    block: ContentBlock = _MEDIA[modality](source)
    return block


def _read_raw(part: Mapping[str, Any], kind: str) -> RawBlock:
    """Read what has no form of ours: a provider's own calls, a summary, parts of any other type."""
    data, id = {**part}, text_or_none(part.get("id"))
    if kind == "server_tool_call":
        return RawBlock(TARGET, data, "call", id)
    if kind == "server_tool_call_response":
        return RawBlock(TARGET, data, "result", id)
    return RawBlock(TARGET, data, spelling=SUMMARY if kind == "compaction" else None)


# -- ours to theirs -------------------------------------------------------------------------------


def write_messages(
    messages: Iterable[Said] | Said, *, policy: PolicyLike = "log"
) -> Bridged[JsonObject]:
    """Write messages as the conventions have them.

    >>> write_messages([Msg.user("Where is Paris?")]).messages
    [{'role': 'user', 'parts': [{'type': 'text', 'content': 'Where is Paris?'}]}]

    Args:
        messages: Messages, and answers of a model, which have a `finish_reason` then.
        policy: What to do about losses.

    Returns:
        The messages as plain JSON, and the losses. Their JSON text is the value of an attribute.

    Raises:
        NotMessages: Something is neither a message nor an answer.
        LossRefused: The policy refuses a loss.
    """
    said, report = take_said(messages, TARGET)
    found: list[JsonObject] = []
    for one in said:
        msg = as_msg(one)
        if msg.cache is not None:
            report.add_loss("cache.unsupported", msg, "cache")
        lose_extras(report, msg, msg.extras)
        item: JsonObject = {"role": msg.role, "parts": _parts(msg.blocks, report)}
        if isinstance(msg.content, str):
            item["parts"] = [{"type": "text", "content": msg.content}]
        if msg.name:
            item["name"] = msg.name
        if (finish := read_notes(one).finish) is not None:
            noted = finish.raw if not isinstance(one, ChatResponse) else None
            known = noted is not None and _READ_REASONS.get(noted) == finish.reason
            item["finish_reason"] = noted if known else finish_word(finish.reason)
        found.append(item)
    return finish_bridge(found, report, policy)


def write_system(text: str | None) -> list[JsonObject]:
    """Write a system prompt as `gen_ai.system_instructions` has it.

    Args:
        text: The system prompt.
    """
    return [{"type": "text", "content": text}] if text else []


def write_tools(tools: Iterable[Tool | ServerTool]) -> list[JsonObject]:
    """Write tools as `gen_ai.tool.definitions` has them.

    Args:
        tools: The tools of a request.
    """
    return [*map(_tool, tools)]


def _tool(tool: Tool | ServerTool) -> JsonObject:
    if isinstance(tool, Tool):
        about = {"description": tool.description or None, "parameters": tool.schema}
        return {"type": "function", "name": tool.name, **about}
    own = next(iter((tool.extras or {}).values()), {})
    kind = text_or_none(own.get("type")) or tool.kind
    return {"type": kind, "name": text_or_none(own.get("name")) or kind}


def finish_word(reason: str) -> str:
    """Return the conventions' word for why an answer ended.

    >>> finish_word("tool_calls"), finish_word("stop")
    ('tool_call', 'stop')

    Args:
        reason: Ours, as in `Finish`.
    """
    return _REASONS.get(reason, reason)


def _parts(blocks: Iterable[ContentBlock], report: Report) -> list[JsonObject]:
    return [part for block in blocks if (part := _part(block, report)) is not None]


def _part(block: ContentBlock, report: Report) -> JsonObject | None:
    """Write a block as a part; None, and a loss, if it has no form."""
    if isinstance(block, RawBlock):
        return _raw(block, report)
    lose_extras(report, block, block.extras)
    if getattr(block, "cache", None) is not None:
        report.add_loss("cache.unsupported", block, "cache")
    if isinstance(block, TextBlock):
        if block.citations:
            report.add_loss("citations.unsupported", block, "citations")
        return {"type": "text", "content": block.text}
    if isinstance(block, RefusalBlock):
        report.add_loss("refusal.as_text", block)
        return {"type": "text", "content": block.text}
    if isinstance(block, ThinkingBlock):
        if block.signature or block.redacted:
            report.add_loss("thinking.other_provider", block, "signature")
            if not block.thinking:
                return None
        return {"type": "reasoning", "content": block.thinking}
    if isinstance(block, ToolUseBlock):
        return _call(block, report)
    if isinstance(block, ToolResultBlock):
        output: Any = block.output
        if isinstance(output, list):
            output = _parts(output, report)
        part = {"type": "tool_call_response", "id": block.id, "response": output}
        return {**part, "is_error": True} if block.is_error else part
    return _medium(block, report)


def _call(block: ToolUseBlock, report: Report) -> JsonObject:
    if block.freeform or block.namespace is not None:
        report.add_loss("call.freeform", block)
    value: Any = block.input
    if type(value) is not dict or (block.unfinished and block.raw_input is not None):
        value = argument_text(block)
    part = {"type": "tool_call", "id": block.id, "name": block.name, "arguments": value}
    return {**part, "unfinished": True} if block.unfinished else part


def _medium(block: Any, report: Report) -> JsonObject | None:
    source = block.source
    for name in ("title", "detail", "context", "cite"):
        if getattr(block, name, None) is not None:
            report.add_loss("media.detail", block, name)
    if isinstance(source, TextSource):
        report.add_loss("media.as_text", block)
        return {"type": "text", "content": "\n\n".join(source.passages)}
    about = {"mime_type": getattr(source, "media_type", None), "modality": block.type}
    if isinstance(source, Base64Source):
        return {"type": "blob", **about, "content": source.data}
    if isinstance(source, URLSource):
        return {"type": "uri", **about, "uri": source.url}
    if isinstance(source, FileSource):
        if source.issuer:
            report.add_loss("media.detail", block, "source.issuer", source.issuer)
        return {"type": "file", **about, "file_id": source.file_id}
    report.add_loss("media.source", source)
    return None


def _raw(block: RawBlock, report: Report) -> JsonObject | None:
    if block.issuer == TARGET and isinstance(block.data, dict):
        return block.data
    report.add_loss("raw.other_provider", block)
    data = block.data if isinstance(block.data, dict) else {}
    kind = text_or_none(data.get("type"))
    if block.spelling == SUMMARY:
        content = data.get("content")
        return {"type": "compaction", "content": content if isinstance(content, str) else None}
    if kind is None or block.by != "server" or block.role not in ("call", "result"):
        return None
    if block.role == "call":
        name = text_or_none(data.get("name")) or kind
        return {
            "type": "server_tool_call",
            "id": block.pair,
            "name": name,
            "server_tool_call": data,
        }
    return {
        "type": "server_tool_call_response",
        "id": block.pair,
        "server_tool_call_response": data,
    }
