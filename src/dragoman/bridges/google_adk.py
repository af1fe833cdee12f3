"""`Content`s of Google's ADK and of google-genai, both ways; the events of an ADK session are read.

    from dragoman.bridges import google_adk

    history = google_adk.read_messages(session.events).messages
    contents = google_adk.write_messages([*history, answer]).messages

A `Content` is a turn of Gemini's API: a role (`user` or `model`) and parts. It has no system
prompt, which is the agent's `instruction`, and a call has an object of arguments or is refused.

Reference: google-genai 3.6.1, `types.Content`; google-adk 2.13.0, `events.Event`; run on
2026-11-29.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..codec.sdk_objects import plain
from ..errors import NotMessages, ReadError, WriteError
from ..losses import PolicyLike, Report
from ..message import (
    Base64Source,
    FileSource,
    LocalSource,
    Msg,
    RawBlock,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
)
from ..message.blocks import ToolUseBlock
from ..protocols.gemini.blocks import write_part
from ..text.json_text import JsonObject, arguments
from ..text.redaction import show
from ..vendors import wire
from .results import (
    Bridged,
    BridgeLimit,
    Said,
    as_msg,
    finish_bridge,
    load_package,
    lose_extras,
    own_fields,
    take_said,
    wrap_arguments,
)

TARGET = "google-adk"
_GEMINI = "gemini"
_PACKAGE = "google-genai"

LIMITS = (
    BridgeLimit(
        "a system prompt, which is the agent's `instruction`",
        "a message of the user",
        "system.as_user",
        zh=("system 提示（在 ADK 中是智能体的 `instruction`）", "用户的消息"),
    ),
    BridgeLimit(
        "several texts in one result, an object of a call that failed, a result without a name",
        "one text, its JSON, the name of the call",
        zh=(
            "一个结果中的多段文本，失败的调用的对象，没有名字的结果",
            "一段文本，它的 JSON，调用的名字",
        ),
    ),
    BridgeLimit("the name of a speaker", "nothing", "name.unsupported", zh=("说话者的名字", "无")),
    BridgeLimit(
        "arguments that are no object, a call that is unfinished",
        'an object, `{"input": text, "error": reason}`',
        "call.unparsed",
        zh=("不是对象的参数，未完成的调用", '对象 `{"input": text, "error": reason}`'),
    ),
    BridgeLimit(
        "the exact text of a call's arguments, where they are an object",
        "the parsed object alone",
        zh=("调用参数的原文（参数为对象时）", "只有解析后的对象"),
    ),
    BridgeLimit(
        "a signature of another provider",
        "the thinking without it",
        "thinking.other_provider",
        zh=("另一家提供方的签名", "没有签名的思考"),
    ),
    BridgeLimit(
        "a document as text",
        "its text",
        "media.as_text",
        zh=("以文本给出的文档", "它的文本"),
    ),
    BridgeLimit(
        "a file of another provider, one on the program's own machine, the frames of a video",
        "nothing",
        "media.source",
        zh=("另一家提供方的文件，程序所在机器上的文件，视频的帧", "无"),
    ),
    BridgeLimit(
        "the title, the context and the citing of a document",
        "nothing",
        "media.detail",
        zh=("文档的标题、说明和是否引用", "无"),
    ),
    BridgeLimit("a refusal", "a text", "refusal.as_text", zh=("拒绝", "文本")),
    BridgeLimit("citations", "nothing", "citations.unsupported", zh=("引用", "无")),
    BridgeLimit("a cache hint", "nothing", "cache.unsupported", zh=("缓存提示", "无")),
    BridgeLimit(
        "what only another provider has, such as its search",
        "nothing",
        "raw.other_provider",
        zh=("只有另一家提供方才有的内容，例如它的搜索", "无"),
    ),
    BridgeLimit(
        "fields of another provider",
        "nothing",
        "extras.other_provider",
        zh=("另一家提供方的字段", "无"),
    ),
)


def read_messages(messages: Any, *, policy: PolicyLike = "log") -> Bridged[Msg]:
    """Read `Content`s, or the events of an ADK session.

    Args:
        messages: `Content`s or `Event`s, as objects or their JSON in either spelling.
        policy: What to do about losses.

    Returns:
        The messages. The author of an event is the name of a message of the assistant.

    Raises:
        NotMessages: Something is neither a content nor an event; `path` names it.
        LossRefused: The policy refuses a loss.
    """
    if isinstance(messages, Mapping) or hasattr(messages, "parts"):
        messages = [messages]
    if isinstance(messages, (str, bytes)) or not isinstance(messages, Iterable):
        raise _no_content(messages, "$")
    authors: list[str] = []
    contents: list[JsonObject] = []
    for i, item in enumerate(messages):
        author, content = _content(item, f"$[{i}]")
        if content is not None:
            authors.append(author)
            contents.append(content)
    body = {"contents": contents}
    found = wire(_GEMINI, policy="ignore").read_request(body, "").messages if contents else []
    read = [_own(msg, author) for msg, author in zip(found, authors, strict=True)]
    return finish_bridge(read, Report(target=TARGET), policy)


def _content(item: Any, path: str) -> tuple[str, JsonObject | None]:
    """Return the author of an event and its content; None for an event that only acts."""
    try:
        data = dict(item) if isinstance(item, Mapping) else plain(item)
    except ReadError as error:
        raise _no_content(item, path) from error
    author = ""
    if isinstance(data, dict) and "author" in data:
        author, data = str(data["author"]), data.get("content")
        if data is None:
            return author, None
    if not isinstance(data, dict) or not isinstance(data.get("parts"), list):
        raise _no_content(item, path)
    parts = [_standard(part) if isinstance(part, Mapping) else part for part in data["parts"]]
    return author, {"role": data.get("role") or "user", "parts": parts}


def _standard(part: Mapping[str, Any]) -> JsonObject:
    """Return a part with its signature in the usual base64: google-genai writes that for URLs."""
    found = dict(part)
    for key in ("thoughtSignature", "thought_signature"):
        if isinstance(seal := found.get(key), str):
            found[key] = seal.replace("-", "+").replace("_", "/")
        elif isinstance(seal, bytes):
            found[key] = b64encode(seal).decode()
    return found


def _no_content(value: object, path: str) -> NotMessages:
    return NotMessages(
        f"{show(value)} is no Content of google-genai",
        path=path,
        hint='types.Content(role="user", parts=[types.Part(text=text)]), or session.events',
        code="messages.type",
    )


def _own(msg: Msg, author: str) -> Msg:
    """Return the message with the role that its blocks show, and its author."""
    results = [isinstance(block, ToolResultBlock) for block in msg.blocks]
    is_answer = msg.role == "assistant"
    if results and all(results):
        msg.role = "tool"
    if is_answer:
        msg.name = author if author not in ("", "model") else ""
    else:
        msg.origin = None
    return msg


def write_messages(messages: Iterable[Said] | Said, *, policy: PolicyLike = "log") -> Bridged[Any]:
    """Write messages as `Content`s.

    Args:
        messages: Messages and answers of a model.
        policy: What to do about losses.

    Returns:
        The contents, as objects of google-genai, and the losses.

    Raises:
        NotMessages: Something is neither a message nor an answer.
        ConfigError: google-genai is not installed.
        LossRefused: The policy refuses a loss.
    """
    types = load_package("google.genai.types", _PACKAGE)
    said, report = take_said(messages, TARGET)
    names: dict[str, str] = {}
    found = []
    for one in said:
        msg = as_msg(one)
        names |= {call.id: call.name for call in msg.calls}
        found.append(_write(types, msg, names, report))
    return finish_bridge(found, report, policy)


def _write(types: Any, msg: Msg, names: Mapping[str, str], report: Report) -> Any:
    if msg.name:
        report.add_loss("name.unsupported", msg, "name", msg.name)
    if msg.cache is not None:
        report.add_loss("cache.unsupported", msg, "cache")
    lose_extras(report, msg, msg.extras)
    if msg.role in ("system", "developer"):
        report.add_loss("system.as_user", msg)
    parts = []
    for block in msg.blocks:
        part = _part(block, msg, names, report)
        try:
            parts += [types.Part.model_validate(part)] if part is not None else []
        except ValueError:  # pydantic's: their types refuse every field that they do not know
            report.add_loss("block.unsupported", block)
    return types.Content(role="model" if msg.role == "assistant" else "user", parts=parts)


def _part(block: Any, msg: Msg, names: Mapping[str, str], report: Report) -> Any:
    """Write a block as a part; None, and a loss, if it has no form."""
    if isinstance(block, RawBlock):
        if block.issuer == _GEMINI:
            return block.data
        report.add_loss("raw.other_provider", block)
        return None
    _lose_fields(block, report)
    own = own_fields(block.extras, _GEMINI)
    bare = replace(block, extras={_GEMINI: own} if own else None, spelling=None)
    if isinstance(bare, ThinkingBlock) and (bare.signature or bare.redacted):
        report.add_loss("thinking.other_provider", block, "signature")
        bare = replace(bare, signature=None, redacted=None)
        if not bare.thinking and not own:
            return None
    elif isinstance(bare, ToolUseBlock):
        bare = _call(block, bare, report)
    elif isinstance(bare, ToolResultBlock):
        return {**_result(block, msg, names, report), **own}
    elif block.type == "refusal":
        report.add_loss("refusal.as_text", block)
        bare = TextBlock(block.text)
    elif hasattr(block, "source"):
        return _medium(block, bare, report)
    return write_part(bare, _GEMINI, as_read=False)


def _lose_fields(block: Any, report: Report) -> None:
    """Report the fields of a block that no part has."""
    lose_extras(report, block, block.extras, (_GEMINI,))
    if getattr(block, "cache", None) is not None:
        report.add_loss("cache.unsupported", block, "cache")
    if getattr(block, "citations", None):
        report.add_loss("citations.unsupported", block, "citations")
    for name in ("title", "context", "cite"):
        if getattr(block, name, None) is not None:
            report.add_loss("media.detail", block, name)


def _medium(block: Any, bare: Any, report: Report) -> Any:
    source = block.source
    if isinstance(source, TextSource):
        report.add_loss("media.as_text", block)
        return {"text": "\n\n".join(source.passages)}
    if isinstance(source, Base64Source) and not _is_base64(source.data):
        report.add_loss("media.broken", source)
        return None
    is_other = isinstance(source, FileSource) and source.issuer not in ("", _GEMINI)
    try:
        if not is_other and not isinstance(source, LocalSource):
            return write_part(bare, _GEMINI, as_read=False)
    except WriteError:
        pass  # the frames of a video
    report.add_loss("media.source", source)
    return None


def _is_base64(data: str) -> bool:
    try:
        return bool(b64decode(data, validate=True)) or not data
    except ValueError:
        return False


def _call(block: ToolUseBlock, bare: ToolUseBlock, report: Report) -> ToolUseBlock:
    if type(block.input) is dict and not block.unfinished:
        return replace(bare, raw_input=None, cache=None)
    report.add_loss("call.unparsed", block, "input")
    return ToolUseBlock(block.id, block.name, wrap_arguments(block), extras=bare.extras)


def _result(
    block: ToolResultBlock, msg: Msg, names: Mapping[str, str], report: Report
) -> JsonObject:
    """Write a result: its texts are the response, its media stand beside that."""
    output: Any = block.output
    key = "error" if block.is_error else "output"
    beside: list[JsonObject] = []
    if isinstance(output, list):
        texts = [one.text for one in output if isinstance(one, TextBlock)]
        for one in output:
            part = _part(one, msg, names, report) if not isinstance(one, TextBlock) else None
            if isinstance(part, dict) and part.keys() & {"inlineData", "fileData"}:
                beside.append(part)
        output = "\n\n".join(texts)
    if type(output) is dict and block.is_error:
        output = arguments(output)
    response = output if type(output) is dict else {key: output or ""}
    found: JsonObject = {"id": block.id, "name": block.name or names.get(block.id, "")}
    found["response"] = response
    if beside:
        found["parts"] = beside
    return {"functionResponse": {key: value for key, value in found.items() if value != ""}}
