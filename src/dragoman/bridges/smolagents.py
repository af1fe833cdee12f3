"""Messages of smolagents, both ways: `ChatMessage`s, and what an agent writes of its memory.

    from dragoman.bridges import smolagents

    history = smolagents.read_messages(agent).messages
    written = smolagents.write_messages([*history, answer]).messages

smolagents gives a model no calls and no results: both are text in what it sends, and neighbours of
one role are joined. A call is therefore written twice, as its agents and its models write it: as
the text `Calling tools:`, and as one of `tool_calls`, but for a call that no tool may be run with.
A result has no id of its call: results belong to the calls before them in their order.

Reference: smolagents 1.26.0, `models.py`, `memory.py` and `agents.py`, read and run on 2026-11-29.
"""

from __future__ import annotations

import ast
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BytesIO
from typing import Any

from ..errors import NotMessages, WriteError
from ..losses import PolicyLike, Report
from ..message import (
    Base64Source,
    FileSource,
    ImageBlock,
    LocalSource,
    Msg,
    RawBlock,
    TextBlock,
    TextSource,
    ToolResultBlock,
    Usage,
)
from ..message.blocks import MEDIA_KINDS, ContentBlock, ToolUseBlock
from ..protocols.openai_chat.blocks import read_part, write_part
from ..stream.arguments import breaks_off, parse_arguments
from ..text.json_text import JsonObject, arguments
from ..text.json_text import check as check_json
from ..text.redaction import show
from .kept import join_text, keep_items, put_back
from .results import (
    AnswerNotes,
    Bridged,
    BridgeLimit,
    Said,
    argument_text,
    as_msg,
    finish_bridge,
    load_package,
    lose_extras,
    read_notes,
    say_runs,
    take_said,
)

TARGET = "smolagents"
_PACKAGE = "smolagents"
_CALLING = "Calling tools:\n"  # before the calls, as the memory of an agent writes them
_OBSERVED = "Observation:\n"
_ERROR = "Error:\n"
_CODE = "python_interpreter"  # the call of an agent that writes code, whose argument is the code
_CALL_ID = re.compile(r"Call id: (.*)\n")
_ROLES = ("user", "assistant", "system", "tool-call", "tool-response")

LIMITS = (
    BridgeLimit(
        "the id of a call on its result",
        "the id of the call that has the place of the result",
        "id.unsupported",
        zh=("结果上的调用 id", "与结果位置相同的那个调用的 id"),
    ),
    BridgeLimit(
        "the name of a tool on its result, an object as a result, several texts in one",
        "the name of the call, the JSON of the object, one text",
        zh=(
            "结果上的工具名，对象形式的结果，一个结果中的多段文本",
            "调用的名字，对象的 JSON，一段文本",
        ),
    ),
    BridgeLimit(
        "several results in one message, results beside text",
        "a message for each",
        zh=("一条消息中的多个结果，与文本并列的结果", "各成一条消息"),
    ),
    BridgeLimit(
        "text behind a call in one message; calls alone in a message behind another answer",
        "the text in front of it; one message",
        zh=(
            "一条消息中位于调用之后的文本；紧跟在另一条回答之后、只有调用的消息",
            "位于调用之前的文本；一条消息",
        ),
    ),
    BridgeLimit(
        "the exact text of a call's arguments, where they are an object",
        "the parsed object alone",
        zh=("调用参数的原文（参数为对象时）", "只有解析后的对象"),
    ),
    BridgeLimit(
        "arguments that are no object, a call that is unfinished",
        "the text of the call, and no call that is run",
        "call.unparsed",
        zh=("不是对象的参数，未完成的调用", "调用的文本，不会运行任何工具"),
    ),
    BridgeLimit(
        "a call whose input is text by design (`freeform`)",
        'an object, `{"input": text}`',
        "call.freeform",
        zh=("输入本来就是文本的调用（`freeform`）", '对象 `{"input": text}`'),
    ),
    BridgeLimit(
        "the namespace of a tool",
        "the name of the tool alone",
        "tool.namespace",
        zh=("工具的命名空间", "只有工具名"),
    ),
    BridgeLimit("thinking", "nothing", "thinking.unsupported", zh=("思考", "无")),
    BridgeLimit("the name of a speaker", "nothing", "name.unsupported", zh=("说话者的名字", "无")),
    BridgeLimit(
        "a message of the developer",
        "one of the system",
        "word.other_provider",
        zh=("developer 角色的消息", "system 角色的消息"),
    ),
    BridgeLimit(
        "a document as text",
        "its text",
        "media.as_text",
        zh=("以文本给出的文档", "它的文本"),
    ),
    BridgeLimit(
        "a file of a provider, one on the program's own machine, the frames of a video",
        "nothing",
        "media.source",
        zh=("提供方的文件，程序所在机器上的文件，视频的帧", "无"),
    ),
    BridgeLimit(
        "the title of an image, the context and the citing of a document",
        "nothing",
        "media.detail",
        zh=("图像的标题，文档的说明和是否引用", "无"),
    ),
    BridgeLimit(
        "a document without a title",
        "a name, as it needs one",
        zh=("没有标题的文档", "一个必需的名字"),
    ),
    BridgeLimit("a refusal", "a text", "refusal.as_text", zh=("拒绝", "文本")),
    BridgeLimit("citations", "nothing", "citations.unsupported", zh=("引用", "无")),
    BridgeLimit("a cache hint", "nothing", "cache.unsupported", zh=("缓存提示", "无")),
    BridgeLimit(
        "what only one provider has, such as its search",
        "nothing",
        "raw.other_provider",
        zh=("只有一家提供方才有的内容，例如它的搜索", "无"),
    ),
    BridgeLimit(
        "fields of a provider",
        "nothing",
        "extras.other_provider",
        zh=("提供方的字段", "无"),
    ),
)


# -- theirs to ours -------------------------------------------------------------------------------


def read_messages(messages: Any, *, policy: PolicyLike = "log") -> Bridged[Msg]:
    """Read messages of smolagents.

    Args:
        messages: `ChatMessage`s, or their JSON (`message.dict()`), or an agent, which writes its
            memory as messages.
        policy: What to do about losses.

    Returns:
        The messages. Results have the ids of the calls before them, in their order; the usage of an
        answer is in `Msg.metadata`.

    Raises:
        NotMessages: Something is no message; `path` names it.
        LossRefused: The policy refuses a loss.
    """
    given: Any = messages
    if callable(getattr(given, "write_memory_to_messages", None)):
        given = given.write_memory_to_messages()
    if isinstance(given, Mapping) or hasattr(given, "role"):
        given = [given]
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise _no_message(given, "$")
    reader = _MessageReader()
    for i, item in enumerate(given):
        reader.read(item, f"$[{i}]")
    reader.keep()
    return finish_bridge(reader.found, Report(target=TARGET), policy)


def _no_message(value: object, path: str) -> NotMessages:
    return NotMessages(
        f"{show(value)} is no ChatMessage of smolagents",
        path=path,
        hint='ChatMessage(role="user", content=[{"type": "text", "text": text}])',
        code="messages.type",
    )


class _MessageReader:
    """Reads messages one after the other.

    Attributes:
        found: Our messages so far.
    """

    def __init__(self) -> None:
        self.found: list[Msg] = []
        self._theirs: list[list[JsonObject]] = []  # of each: the messages that it was
        self._waiting: dict[str, str] = {}  # the calls without a result: their names, by id

    def read(self, item: Any, path: str) -> None:
        """Read one message."""
        get = _getter(item)
        role, content = get("role"), get("content")
        role = getattr(role, "value", role)
        if not isinstance(role, str) or role not in _ROLES:
            raise _no_message(item, path)
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        parts = [] if content is None else content
        if not isinstance(parts, list) or not all(isinstance(part, Mapping) for part in parts):
            raise _no_message(item, path)
        blocks = [_read_part(part) for part in parts]
        if role == "tool-response":
            msg = self._result(blocks)
        elif role in ("assistant", "tool-call"):
            msg = Msg.create_unchecked("", join_text(self._said(blocks, get, path)), "assistant")
        else:
            shown: Any = role
            msg = Msg.create_unchecked("", join_text(blocks), shown)
        if role != "tool-response":
            self._waiting = {call.id: call.name for call in msg.calls}
        usage = get("token_usage")
        if usage is not None:
            told = _getter(usage)
            figures = [told("input_tokens"), told("output_tokens")]
            if all(type(figure) is int for figure in figures):
                AnswerNotes(Usage(input=figures[0], output=figures[1])).note_on(msg)
        theirs: JsonObject = {"role": role, "content": get("content")}
        if msg.calls and get("tool_calls"):
            theirs["tool_calls"] = [_plain_call(call) for call in get("tool_calls")]
        last = self._theirs[-1] if self._theirs else []
        if role == "tool-call" and [one["role"] for one in last] == ["assistant"] and msg.calls:
            before = self.found.pop()  # what an agent said in the same step
            if not before.calls:
                blocks = [*before.blocks, *msg.blocks]
                msg = Msg.create_unchecked("", blocks, "assistant", like=before)
                last.append(theirs)
                self.found.append(msg)
                return
            self.found.append(before)
        self.found.append(msg)
        self._theirs.append([theirs])

    def keep(self) -> None:
        """Keep in the messages what they cannot hold of theirs."""
        writer = _MessageWriter(Report(target=TARGET))
        for msg, theirs in zip(self.found, self._theirs, strict=True):
            written = writer.write(msg)
            if len(written) == len(theirs) and (notes := keep_items(written, theirs)):
                msg.metadata[TARGET] = {"messages": notes}

    def _said(self, blocks: list[ContentBlock], get: Any, path: str) -> list[ContentBlock]:
        """Read the calls of a message, out of its text and its `tool_calls`."""
        told = get("tool_calls") or []
        if not isinstance(told, list):
            raise _no_message(told, f"{path}.tool_calls")
        given: list[ToolUseBlock] = []
        for i, one in enumerate(told):
            call = _read_call(_plain_call(one))
            if call is None:
                raise _no_message(one, f"{path}.tool_calls[{i}]")
            given.append(call)
        last = blocks[-1] if blocks else None
        listed = _read_listed(last.text) if isinstance(last, TextBlock) else None
        if listed is None or not {call.id for call in given} <= {call.id for call in listed}:
            return [*blocks, *given]
        return [*blocks[:-1], *listed]

    def _result(self, blocks: list[ContentBlock]) -> Msg:
        """Read a result: its id is that of the first call that has none."""
        block = ToolResultBlock("")
        first = blocks[0] if blocks else None
        text = first.text if isinstance(first, TextBlock) else ""
        if named := _CALL_ID.match(text):
            block.id, text = named[1], text[named.end() :]
        elif self._waiting:
            block.id = next(iter(self._waiting))
        block.name = self._waiting.pop(block.id, "")
        block.is_error = text.startswith(_ERROR)
        text = text.removeprefix(_ERROR if block.is_error else _OBSERVED)
        if isinstance(first, TextBlock):
            blocks = [*([TextBlock(text)] if text or len(blocks) == 1 else []), *blocks[1:]]
        is_text = len(blocks) == 1 and isinstance(blocks[0], TextBlock)
        block.output = text if is_text else blocks
        return Msg.create_unchecked("", [block], "tool")


def _getter(item: Any) -> Callable[[str], Any]:
    """Return what gives a field of an object or of its JSON; None if there is none."""

    def get(name: str) -> Any:
        return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)

    return get


def _plain_call(call: Any) -> Any:
    """Return a call of theirs as a dict, without the description of its tool if it has none."""
    given = call if isinstance(call, Mapping) else {}
    held = given.get("function") if given else getattr(call, "function", None)
    function: Mapping[str, Any] = held if isinstance(held, Mapping) else {}
    if not function:
        names = ("name", "arguments", "description")
        function = {name: getattr(held, name, None) for name in names}
    told = {key: value for key, value in function.items() if key != "description" or value}
    if given:
        return {**given, "function": told}
    id, kind = getattr(call, "id", None), getattr(call, "type", None)
    return {"id": id, "type": kind, "function": told}


def _read_call(call: Any) -> ToolUseBlock | None:
    """Read a call; its arguments are an object, or a text that is no call to be run."""
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(call.get("id"), str):
        return None
    name = function.get("name")
    if not isinstance(name, str):
        return None
    block = ToolUseBlock(call["id"], name)
    value = function.get("arguments")
    if name == _CODE and isinstance(value, str):
        block.input, block.freeform = value, True
    elif type(value) is dict:
        block.input = value
    elif value is not None:
        text = value if isinstance(value, str) else arguments(value)
        block.raw_input, block.input = text, parse_arguments(text)
    return block


def _read_listed(text: str) -> list[ToolUseBlock] | None:
    """Read the calls that a text lists, as the memory of an agent writes them in Python's form."""
    if not text.startswith(_CALLING):
        return None
    try:
        listed = ast.literal_eval(text.removeprefix(_CALLING))
        check_json(listed, "$")
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None  # InvalidMessage is a ValueError
    if not isinstance(listed, list):
        return None
    found: list[ToolUseBlock] = []
    for one in listed:
        call = _read_call(one)
        if call is None:
            return None
        if call.raw_input is not None:
            is_open = call.raw_input.startswith("{") and breaks_off(call.raw_input)
            call.unfinished = type(call.input) is dict or is_open
        found.append(call)
    return found


def _read_part(part: Mapping[str, Any]) -> ContentBlock:
    """Read a part; an image may be one of Pillow, which has no bytes of its own."""
    image = part.get("image")
    if part.get("type") == "image" and callable(getattr(image, "save", None)):
        buffer = BytesIO()
        assert image is not None
        image.save(buffer, format="PNG")  # as smolagents itself sends it
        return ImageBlock(Base64Source("image/png", b64encode(buffer.getvalue()).decode()))
    if part.get("type") == "image" and isinstance(image, str):
        return ImageBlock(Base64Source("image/png", image))
    try:
        block = read_part(dict(part), TARGET)
    except (TypeError, ValueError):
        return RawBlock(TARGET, {"type": str(part.get("type"))})
    block.spelling = None
    return block


# -- ours to theirs -------------------------------------------------------------------------------


def write_messages(messages: Iterable[Said] | Said, *, policy: PolicyLike = "log") -> Bridged[Any]:
    """Write messages as `ChatMessage`s.

    Args:
        messages: Messages and answers of a model.
        policy: What to do about losses.

    Returns:
        The `ChatMessage`s, whose content is a list of parts: smolagents cannot join others.

    Raises:
        NotMessages: Something is neither a message nor an answer.
        ConfigError: smolagents is not installed.
        LossRefused: The policy refuses a loss.
    """
    core = load_package("smolagents.models", _PACKAGE)
    said, report = take_said(messages, TARGET)
    writer = _MessageWriter(report)
    found = [_build(core, data, one) for one in said for data in writer.write(one)]
    return finish_bridge(found, report, policy)


def _build(core: Any, data: JsonObject, said: Said) -> Any:
    """Build the `ChatMessage` of plain JSON; the usage is that of the answer."""
    usage = read_notes(said).usage
    told = None
    if usage is not None and as_msg(said).role == "assistant":
        cached = (usage.cache_read or 0) + (usage.cache_write or 0)
        told = core.TokenUsage((usage.input or 0) + cached, usage.output or 0)
    calls = []
    for call in data.get("tool_calls") or ():
        held = call["function"]
        function = core.ChatMessageToolCallFunction(
            held.get("arguments"), held["name"], held.get("description")
        )
        calls.append(core.ChatMessageToolCall(function, call["id"], call.get("type")))
    return core.ChatMessage(
        core.MessageRole(data["role"]), data["content"], calls or None, token_usage=told
    )


class _MessageWriter:
    """Writes messages one after the other.

    Args:
        report: Collects the losses.
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._waiting: list[str] = []  # the calls without a result

    def write(self, said: Said) -> list[JsonObject]:
        """Write one message as plain JSON: what is said as one, and each result as one."""
        msg, report = as_msg(said), self._report
        if msg.name:
            report.add_loss("name.unsupported", msg, "name", msg.name)
        if msg.cache is not None:
            report.add_loss("cache.unsupported", msg, "cache")
        lose_extras(report, msg, msg.extras)
        role = msg.role
        if role == "developer":
            report.add_loss("word.other_provider", msg, "role", "developer", "system")
            role = "system"
        found: list[JsonObject] = []
        for kind, blocks in say_runs(msg):
            if kind == "result":
                [block] = blocks
                assert isinstance(block, ToolResultBlock)  # so the runs are split
                found.append({"role": "tool-response", "content": self._result(block)})
                continue
            calls = [block for block in blocks if isinstance(block, ToolUseBlock)]
            written = [self._part(one) for one in blocks if not isinstance(one, ToolUseBlock)]
            parts = [part for part in written if part is not None]
            if parts or not calls:
                found.append({"role": "user" if role == "tool" else role, "content": parts})
            if calls:  # a message of their own, as in the memory of an agent
                found.append({"role": "tool-call", **self._calls(calls)})
            self._waiting = [call.id for call in calls]
        kept = msg.metadata.get(TARGET) if msg._metadata else None
        return put_back(found, kept.get("messages")) if isinstance(kept, Mapping) else found

    def _part(self, block: Any) -> JsonObject | None:
        report = self._report
        if getattr(block, "cache", None) is not None:
            report.add_loss("cache.unsupported", block, "cache")
        if isinstance(block, RawBlock):
            if block.issuer == TARGET and isinstance(block.data, dict):
                return block.data
            report.add_loss("raw.other_provider", block)
            return None
        lose_extras(report, block, block.extras, (TARGET,))
        if block.type == "thinking":
            report.add_loss("thinking.unsupported", block)
            return None
        if block.type == "refusal":
            report.add_loss("refusal.as_text", block)
        elif isinstance(block, TextBlock):
            if block.citations:
                report.add_loss("citations.unsupported", block, "citations")
        elif block.type in MEDIA_KINDS:
            return self._medium(block)
        else:
            report.add_loss("block.unsupported", block)
            return None
        return {"type": "text", "text": block.text}

    def _medium(self, block: Any) -> JsonObject | None:
        source = block.source
        if isinstance(source, TextSource):
            self._report.add_loss("media.as_text", block)
            return {"type": "text", "text": "\n\n".join(source.passages)}
        if isinstance(source, (FileSource, LocalSource)) or source.type == "frames":
            self._report.add_loss("media.source", source)
            return None
        names = ("context", "cite") if block.type == "document" else ("title",)
        for name in names:
            if getattr(block, name, None) is not None:
                self._report.add_loss("media.detail", block, name)
        try:
            return write_part(block)
        except WriteError:
            self._report.add_loss("media.source", source)
            return None

    def _calls(self, calls: Sequence[ToolUseBlock]) -> JsonObject:
        """Write calls: all of them into the text, and those that may be run as calls."""
        report = self._report
        listed, whole = [], []
        for call in calls:
            lose_extras(report, call, call.extras)
            if call.cache is not None:
                report.add_loss("cache.unsupported", call, "cache")
            if call.namespace is not None:
                report.add_loss("tool.namespace", call, "namespace")
            value: Any = call.input
            if call.freeform and isinstance(value, str) and not call.unfinished:
                report.add_loss("call.freeform", call, "input")
                value = {"input": value}
            elif call.unfinished or type(value) is not dict:
                report.add_loss("call.unparsed", call, "input")
                value = argument_text(call)
            function = {"name": call.name, "arguments": value}
            one = {"id": call.id, "type": "function", "function": function}
            listed.append(one)
            if type(value) is dict:
                whole.append(one)
        content = [{"type": "text", "text": f"{_CALLING}{listed}"}]
        return {"content": content, **({"tool_calls": whole} if whole else {})}

    def _result(self, block: ToolResultBlock) -> list[JsonObject]:
        report = self._report
        if block.id in self._waiting[:1]:
            del self._waiting[0]
        else:
            report.add_loss("id.unsupported", block, "id", block.id)
            if self._waiting:
                del self._waiting[0]
        lose_extras(report, block, block.extras)
        if block.cache is not None:
            report.add_loss("cache.unsupported", block, "cache")
        output = block.output
        blocks: list[Any] = output if isinstance(output, list) else []
        texts = [one.text for one in blocks if isinstance(one, TextBlock)]
        for one in blocks:
            if isinstance(one, TextBlock):
                self._part(one)  # for its losses
        media = [self._part(one) for one in blocks if not isinstance(one, TextBlock)]
        if not isinstance(output, list):
            texts = [output if isinstance(output, str) else arguments(output) if output else ""]
        text = (_ERROR if block.is_error else _OBSERVED) + "\n\n".join(texts)
        return [{"type": "text", "text": text}, *(part for part in media if part is not None)]
