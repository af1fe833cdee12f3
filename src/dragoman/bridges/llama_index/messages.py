"""Messages of LlamaIndex and ours, each as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...errors import NotMessages
from ...losses import PolicyLike, Report
from ...message import Msg, Origin, TextBlock, ToolResultBlock, Usage
from ...message.blocks import ContentBlock
from ...text.json_text import JsonObject
from ...text.redaction import show
from ..noted import NotedMessages
from ..results import (
    AnswerNotes,
    Bridged,
    Said,
    finish_bridge,
    load_package,
    lose_extras,
    say_runs,
    take_said,
    text_or_none,
)
from .blocks import ERROR, TARGET, MessageBlocks, find_issuer, read_blocks, write_hint, write_output

_PACKAGE = "llama-index-core"
_PLACE = "additional_kwargs"
_ID = "tool_call_id"
# what `additional_kwargs` have besides the blocks, and is written as blocks
_OLD = ("tool_calls", "function_call", "images")
_ROLES = {"chatbot": "assistant", "model": "assistant", "function": "tool"}
_BYTES = ("image", "audio", "video", "data")


def read_messages(messages: Any, *, policy: PolicyLike = "log") -> Bridged[Msg]:
    """Read messages of LlamaIndex.

    Args:
        messages: Messages as objects or as what `model_dump` gives, or the answer of a model.
        policy: What to do about losses.

    Returns:
        The messages.

    Raises:
        NotMessages: Something is no message; `path` names it.
        ConfigError: LlamaIndex is not installed.
        LossRefused: The policy refuses a loss.
    """
    package = load_package("llama_index.core.base.llms.types", _PACKAGE)
    answer: Any = None
    root = "$"
    if isinstance(messages, package.ChatResponse):
        answer, messages, root = messages, [messages.message], "$.message"
    if isinstance(messages, (Mapping, package.ChatMessage)):
        messages = [messages]
    if isinstance(messages, (str, bytes)) or not isinstance(messages, Iterable):
        raise _no_message(messages, root)
    reader = NotedMessages(_Message(package))
    found = [reader.read(_raw(package, item, f"{root}[{i}]")) for i, item in enumerate(messages)]
    if answer is not None:
        AnswerNotes(_read_usage(answer.additional_kwargs)).note_on(found[0])
    return finish_bridge(found, Report(target=TARGET), policy)


def write_messages(messages: Iterable[Said] | Said, *, policy: PolicyLike = "log") -> Bridged[Any]:
    """Write messages as `ChatMessage`s of LlamaIndex.

    Args:
        messages: Messages and answers of a model.
        policy: What to do about losses.

    Returns:
        The messages, as objects of LlamaIndex, and the losses.

    Raises:
        NotMessages: Something is neither a message nor an answer.
        ConfigError: LlamaIndex is not installed.
        LossRefused: The policy refuses a loss.
    """
    package = load_package("llama_index.core.base.llms.types", _PACKAGE)
    said, report = take_said(messages, TARGET)
    form = _Message(package)
    written = NotedMessages(form, package.ChatMessage.model_validate).write(said, report)
    return finish_bridge(written, report, policy)


def _no_message(value: object, path: str) -> NotMessages:
    return NotMessages(
        f"{show(value)} is no ChatMessage of LlamaIndex",
        path=path,
        hint='ChatMessage(text, role="user"), or {"role": "user", "content": text}',
        code="messages.type",
    )


# -- their messages as JSON -----------------------------------------------------------------------


def _raw(package: Any, item: Any, path: str) -> JsonObject:
    """Return a message as its `model_dump` writes it in JSON."""
    if isinstance(item, Mapping):
        try:
            item = package.ChatMessage(**item)
        except Exception as error:
            raise _no_message(item, path) from error
    if not isinstance(item, package.ChatMessage):
        raise _no_message(item, path)
    try:
        found = _with_base64(item).model_dump(mode="json")
    except ValueError as error:  # pydantic's: the program's own `additional_kwargs`
        raise _no_message(item, path) from error
    return {key: found[key] for key in ("role", _PLACE, "blocks")}


def _with_base64(message: Any) -> Any:
    """Return a message whose media in open files are base64: of their bytes it makes a text."""
    blocks = [_closed(block) for block in message.blocks]
    is_same = all(one is other for one, other in zip(blocks, message.blocks, strict=True))
    return message if is_same else message.model_copy(update={"blocks": blocks})


def _closed(block: Any) -> Any:
    for name in _BYTES:
        held = getattr(block, name, None)
        if held is not None and callable(getattr(held, "read", None)):
            held.seek(0)
            return type(block).model_validate({**dict(block), name: held.read()})
    return block


class _Message:
    """One message of LlamaIndex as JSON, see `noted.ForeignMessage`."""

    target = TARGET
    place = _PLACE

    def __init__(self, package: Any) -> None:
        self._cls = package.ChatMessage

    def remember(self, raw: JsonObject) -> None:
        """Remember nothing: a result has the id of its call."""

    def runs(self, msg: Msg) -> list[tuple[str, list[ContentBlock]]]:
        """Split a message into results, each by itself, and the rest."""
        return say_runs(msg)

    def read(self, raw: JsonObject) -> Msg:
        """Read a message."""
        kwargs: JsonObject = raw[_PLACE]
        role: Any = _ROLES.get(raw["role"], raw["role"])
        blocks = read_blocks(raw["blocks"], kwargs)
        if role == "tool":
            blocks = [_read_result(blocks, kwargs)]
        msg = Msg.create_unchecked("", blocks, role)
        if len(blocks) == 1 and blocks == [TextBlock(getattr(blocks[0], "text", ""))]:
            msg.content = blocks[0].text  # type: ignore[union-attr]
        if kwargs:
            msg.metadata[TARGET] = {_PLACE: kwargs}
        if role == "assistant" and (issuer := find_issuer(raw["blocks"])):
            msg.origin = Origin(issuer)
        return msg

    def write(self, msg: Msg, report: Report) -> JsonObject:
        """Write a message."""
        if msg.name:
            report.add_loss("name.unsupported", msg, "name", msg.name)
        lose_extras(report, msg, msg.extras)
        own = (msg._metadata or {}).get(TARGET)
        held = own.get(_PLACE) if isinstance(own, Mapping) else None
        kwargs = dict(held) if isinstance(held, Mapping) else {}
        for key in (*_OLD, _ID, "name"):
            kwargs.pop(key, None)
        writer = MessageBlocks(msg, report, self._settle)
        first = msg.blocks[0] if msg.blocks else None
        role: str = msg.role
        if isinstance(first, ToolResultBlock):
            role = "tool"
            blocks = self._result(first, writer, report)
            kwargs[_ID] = first.id
            kwargs |= {"name": first.name} if first.name else {}
            hint = first.cache
        else:
            role = "user" if role == "tool" else role
            blocks, hint = writer.write(msg.blocks), msg.cache
        if hint is not None and blocks:
            blocks.append(write_hint(hint))
        return {"role": role, _PLACE: kwargs, "blocks": blocks}

    def _settle(self, block: JsonObject) -> JsonObject:
        """Return a block as LlamaIndex dumps it, with what it finds out about media."""
        message = self._cls.model_validate({"role": "user", "blocks": [block]})
        found: JsonObject = message.model_dump(mode="json")["blocks"][0]
        return found

    def _result(
        self, block: ToolResultBlock, writer: MessageBlocks, report: Report
    ) -> list[JsonObject]:
        lose_extras(report, block, block.extras)
        found = writer.write(write_output(block.output))
        if not block.is_error:
            return found
        report.add_loss("result.error_as_text", block, "is_error")
        if found and found[0]["block_type"] == "text":
            found[0]["text"] = ERROR + found[0]["text"]
            return found
        return [{"block_type": "text", "text": ERROR}, *found]


def _read_result(blocks: list[ContentBlock], kwargs: Mapping[str, Any]) -> ToolResultBlock:
    only = blocks[0] if len(blocks) == 1 else None
    output: Any = only.text if isinstance(only, TextBlock) and only.cache is None else blocks
    id = text_or_none(kwargs.get(_ID)) or text_or_none(kwargs.get("call_id")) or ""
    return ToolResultBlock(id, text_or_none(kwargs.get("name")) or "", output or "")


def _read_usage(counts: Mapping[str, Any]) -> Usage | None:
    """Read the counts of a `ChatResponse`, where its client for Chat Completions has them."""
    given = {key: value for key, value in counts.items() if type(value) is int}
    found = Usage(given.get("prompt_tokens"), output=given.get("completion_tokens"))
    found.total = given.get("total_tokens")
    return found if found != Usage() else None
