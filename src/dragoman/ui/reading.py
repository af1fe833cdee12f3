"""The requests of pages as messages: the AI SDK's chat request, and AG-UI's `RunAgentInput`.

Reference: npm `ai` 7.0.173, `HttpChatTransport` and `Chat`; npm `@ag-ui/core` 1.0.0,
`RunAgentInputSchema`; both run on 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..bridges.ai_sdk import read_messages
from ..bridges.ai_sdk.citations import read_citations
from ..bridges.ai_sdk.names import OURS, TARGET
from ..bridges.ai_sdk.provider_calls import read_provider_call
from ..bridges.results import text_or_none
from ..errors import InvalidMessage, NotMessages
from ..losses import Report
from ..message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    FileSource,
    ImageBlock,
    Msg,
    Origin,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    Tool,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from ..message.blocks import ContentBlock
from ..stream.arguments import parse_arguments
from ..text.redaction import show
from .request import UIRequest

_AI_SDK = frozenset({"id", "messages", "message", "trigger", "messageId"})
_AG_UI = frozenset(
    {"threadId", "runId", "messages", "tools", "context", "state", "resume", "protocolVersion"}
)
_SHOWN_ONLY = ("tool-approval-", "source-", "data-")
_MEDIA: Mapping[str, type[Any]] = {
    "image": ImageBlock,
    "audio": AudioBlock,
    "video": VideoBlock,
    "document": DocumentBlock,
}


def read_request(body: Mapping[str, Any]) -> UIRequest:
    """Read a request of a page: that of the AI SDK's chat, or AG-UI's `RunAgentInput`.

    Args:
        body: The body as parsed JSON. With the AI SDK, it may also hold the last message alone, as
            `message`.

    Returns:
        What is asked. What it says of earlier turns is the page's word.

    Raises:
        NotMessages: The body is neither, or one of its messages is none; `path` names it.
        InvalidMessage: An answer to a call is none.

    Source: npm `ai` 7.0.173 and `@ag-ui/core` 1.0.0 (2026-11-29).
    """
    if isinstance(body, Mapping):
        if isinstance(body.get("threadId"), str) and isinstance(body.get("messages"), list):
            return _read_ag_ui(body)
        if isinstance(body.get("messages"), list) or isinstance(body.get("message"), Mapping):
            return _read_ai_sdk(body)
    raise NotMessages(
        f"{show(body)} is no request of the AI SDK's chat and no RunAgentInput",
        path="$",
        hint='{"id": ..., "messages": [...]}, or {"threadId": ..., "runId": ..., "messages": []}',
        code="messages.type",
    )


# -- the AI SDK ------------------------------------------------------------------------------------


def _read_ai_sdk(body: Mapping[str, Any]) -> UIRequest:
    shown: list[Any] = body["messages"] if isinstance(body.get("messages"), list) else []
    shown = shown or [body.get("message")]
    read = read_messages(shown, policy="ignore")
    asked = UIRequest("ai-sdk", _without_page_parts(read.messages), report=read.report)
    asked.thread_id = text_or_none(body.get("id")) or ""
    asked.properties = {name: value for name, value in body.items() if name not in _AI_SDK}
    asked.said = read_messages(_since_answer(shown), policy="ignore").messages
    changed = body.get("messageId") is not None and bool(asked.said)
    asked.again = body.get("trigger") == "regenerate-message" or (
        changed and asked.said[-1]._id == body["messageId"]
    )
    last = shown[-1] if isinstance(shown[-1], Mapping) else {}
    if last.get("role") == "assistant":
        asked.message_id = text_or_none(last.get("id"))
        results = read_messages([last], policy="ignore").messages
        asked.outputs = {block.id: block for msg in results for block in _results(msg)}
    parts = [part for one in shown for part in _tool_parts(one)]
    asked.known_calls = frozenset(str(part["toolCallId"]) for part in parts)
    for part in parts:
        approval = part.get("approval")
        if isinstance(approval, Mapping) and isinstance(key := approval.get("id"), str):
            asked.call_ids[key] = str(part["toolCallId"])
            if part.get("state") == "approval-responded":
                asked.verdicts[key] = _verdict(approval, f"$.messages[{len(shown) - 1}]")
    return asked


def _without_page_parts(messages: list[Msg]) -> list[Msg]:
    """Return the messages without what only a page shows: approvals, sources and data."""
    found: list[Msg] = []
    for msg in messages:
        blocks = [block for block in msg.blocks if not _is_shown_only(block)]
        if len(blocks) < len(msg.blocks):
            msg.content = blocks
        if blocks or msg.role != "tool":
            found.append(msg)
    return found


def _is_shown_only(block: ContentBlock) -> bool:
    data = block.data if isinstance(block, RawBlock) and block.issuer == TARGET else None
    return isinstance(data, dict) and str(data.get("type")).startswith(_SHOWN_ONLY)


def _since_answer(shown: Sequence[Any]) -> list[Any]:
    """Return the messages of the user since the last answer."""
    at = len(shown)
    while at and isinstance(one := shown[at - 1], Mapping) and one.get("role") == "user":
        at -= 1
    return [*shown[at:]]


def _tool_parts(message: Any) -> list[Mapping[str, Any]]:
    parts = message.get("parts") if isinstance(message, Mapping) else None
    return [
        part
        for part in (parts if isinstance(parts, list) else [])
        if isinstance(part, Mapping) and isinstance(part.get("toolCallId"), str)
    ]


def _results(msg: Msg) -> list[ToolResultBlock]:
    return [block for block in msg.blocks if isinstance(block, ToolResultBlock)]


def _verdict(given: Any, path: str) -> bool | str:
    """Read whether a call may run: anything but an explicit yes or no is none."""
    approved = given.get("approved") if isinstance(given, Mapping) else given
    if type(approved) is not bool:
        fault = f"{show(given)} says neither that the call may run nor that it may not"
        hint = '{"approved": true} or {"approved": false, "reason": text}'
        raise InvalidMessage(fault, path=path, hint=hint, code="ui.verdict")
    if isinstance(given, Mapping) and given.get("editedArgs") is not None:
        fault = "the arguments of a call cannot be edited: the model would see others than ran"
        hint = "refuse the call, and say in `reason` what it should be"
        raise InvalidMessage(fault, path=path, hint=hint, code="ui.edited")
    reason = text_or_none(given.get("reason")) if isinstance(given, Mapping) else None
    return True if approved else reason or False


# -- AG-UI -----------------------------------------------------------------------------------------


def _read_ag_ui(body: Mapping[str, Any]) -> UIRequest:
    report = Report(target="ag-ui")
    reader = _AGUIReader(report)
    for i, one in enumerate(body["messages"]):
        reader.add(one, f"$.messages[{i}]")
    messages = reader.close()
    asked = UIRequest("ag-ui", messages, report=report, thread_id=body["threadId"])
    asked.run_id = text_or_none(body.get("runId")) or ""
    asked.state = body.get("state")
    asked.properties = {name: value for name, value in body.items() if name not in _AG_UI}
    asked.tools = [_tool(one, f"$.tools[{i}]") for i, one in enumerate(body.get("tools") or ())]
    asked.context = tuple(
        (str(one.get("description") or ""), str(one.get("value") or ""))
        for one in body.get("context") or ()
        if isinstance(one, Mapping)
    )
    at = len(messages)
    while at and messages[at - 1].role == "user":
        at -= 1
    asked.said = messages[at:]
    while at and messages[at - 1].role == "tool":
        at -= 1
    asked.outputs = {block.id: block for msg in messages[at:] for block in _results(msg)}
    asked.known_calls = frozenset(call.id for msg in messages for call in msg.calls)
    for i, one in enumerate(body.get("resume") or ()):
        path = f"$.resume[{i}]"
        if not isinstance(one, Mapping) or not isinstance(one.get("interruptId"), str):
            raise InvalidMessage(
                f"{show(one)} answers no interrupt",
                path=path,
                hint='{"interruptId": ..., "status": "resolved", "payload": {"approved": true}}',
                code="ui.verdict",
            )
        is_open = one.get("status") != "cancelled"
        asked.verdicts[one["interruptId"]] = (
            _verdict(one.get("payload"), path) if is_open else False
        )
    return asked


def _tool(given: Any, path: str) -> Tool:
    if not isinstance(given, Mapping) or not isinstance(given.get("name"), str):
        fault = f"{show(given)} is no tool"
        hint = '{"name": ..., "description": ..., "parameters": {...}}'
        raise InvalidMessage(fault, path=path, hint=hint, code="ui.tool")
    parameters = given.get("parameters")
    schema = dict(parameters) if isinstance(parameters, Mapping) else None
    return Tool(given["name"], text_or_none(given.get("description")) or "", schema)


class _AGUIReader:
    """Reads messages; thoughts belong to the answer that follows them."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._found: list[Msg] = []
        self._thoughts: list[ContentBlock] = []
        self._names: dict[str, str] = {}  # of the tools of calls, by id

    def add(self, one: Any, path: str) -> None:
        """Read one message."""
        role = one.get("role") if isinstance(one, Mapping) else None
        content = one.get("content") if role is not None else None
        noted = _noted(one) if role is not None else {}
        match role:
            case "reasoning":
                self._thoughts.append(_thought(one, noted))
            case "assistant":
                self._assistant(one, noted, path)
            case "tool":
                self._tool(one, noted, path)
            case "user" | "system" | "developer" if isinstance(content, (str, list)):
                self._flush()
                blocks: Any = content if isinstance(content, str) else self._parts(content, path)
                self._found.append(Msg(_name(one), blocks, str(role), id=_id(one), path=path))
            case "activity":  # what a page shows of progress; no model is given it
                self._report.set_place(one, path)
                self._report.add_loss("block.unsupported", one)
            case _:
                fault = f"{show(one)} is no message of AG-UI"
                hint = '{"id": ..., "role": "user", "content": text}'
                raise NotMessages(fault, path=path, hint=hint, code="messages.type")

    def close(self) -> list[Msg]:
        """Return the messages."""
        self._flush()
        return self._found

    def _flush(self) -> None:
        if self._thoughts:
            self._found.append(_answer("", self._thoughts, None, "$"))
            self._thoughts = []

    def _assistant(self, one: Mapping[str, Any], noted: Mapping[str, Any], path: str) -> None:
        blocks = [*self._thoughts]
        self._thoughts = []
        if isinstance(content := one.get("content"), str) and content:
            text = TextBlock(content, read_citations(noted.get("citations")))
            text.extras = _extras(noted)
            blocks.append(text)
        for call in one.get("toolCalls") or ():
            function = call.get("function") if isinstance(call, Mapping) else None
            if not isinstance(function, Mapping):
                raise NotMessages(f"{show(call)} is no call", path=path, code="messages.type")
            own, id = _noted(call), str(call.get("id") or "")
            raw = read_provider_call(own)
            name = str(function.get("name") or "")
            self._names[id] = name
            blocks.append(raw or _call(id, name, str(function.get("arguments") or ""), own))
        self._found.append(_answer(_name(one), blocks, _id(one), path))

    def _tool(self, one: Mapping[str, Any], noted: Mapping[str, Any], path: str) -> None:
        raw = read_provider_call(noted)
        if raw is not None or noted.get("raw") is False:
            if raw is not None and self._found:
                self._found[-1].content = [*self._found[-1].blocks, raw]
            return
        id, content = str(one.get("toolCallId") or ""), one.get("content")
        output: Any = content if isinstance(content, str) else self._parts(content, path)
        failed = noted.get("is_error") is True or isinstance(one.get("error"), str)
        self._found.append(Msg.tool(id, output, self._names.get(id, ""), is_error=failed))

    def _parts(self, parts: Any, path: str) -> list[ContentBlock]:
        found: list[ContentBlock] = []
        for i, part in enumerate(parts if isinstance(parts, list) else ()):
            kind = str(part.get("type")) if isinstance(part, Mapping) else ""
            if kind == "text" and isinstance(part.get("text"), str):
                found.append(TextBlock(part["text"]))
            elif kind in _MEDIA and (source := _source(part.get("source"))) is not None:
                found.append(_MEDIA[kind](source))
            else:
                fault = f"{show(part)} is no part of a message"
                where = f"{path}.content[{i}]"
                raise NotMessages(fault, path=where, code="messages.type")
        return found


def _noted(one: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = one.get("metadata")
    ours = metadata.get(OURS) if isinstance(metadata, Mapping) else None
    return ours if isinstance(ours, Mapping) else {}


def _id(one: Mapping[str, Any]) -> str | None:
    return text_or_none(one.get("id"))


def _name(one: Mapping[str, Any]) -> str:
    return text_or_none(one.get("name")) or ""


def _extras(noted: Mapping[str, Any]) -> Any:
    given = noted.get("extras")
    own = given.items() if isinstance(given, Mapping) else ()
    return {name: dict(fields) for name, fields in own if isinstance(fields, Mapping)} or None


def _answer(name: str, blocks: list[ContentBlock], id: str | None, path: str) -> Msg:
    msg = Msg(name, blocks, "assistant", id=id, path=path)
    msg.origin = next((block.origin for block in blocks if block.origin is not None), None)
    return msg


def _thought(one: Mapping[str, Any], noted: Mapping[str, Any]) -> ThinkingBlock:
    block = ThinkingBlock(str(one.get("content") or ""))
    seal = text_or_none(one.get("encryptedValue"))
    if noted.get("seal") == "redacted":
        block.redacted = seal
    else:
        block.signature = seal
    if isinstance(issuer := noted.get("issuer"), str):
        block.origin = Origin(issuer, text_or_none(noted.get("model")))
    block.extras = _extras(noted)
    return block


def _call(id: str, name: str, text: str, noted: Mapping[str, Any]) -> ToolUseBlock:
    block = ToolUseBlock(id, name, raw_input=text)
    block.freeform = noted.get("freeform") is True
    block.input = text if block.freeform else parse_arguments(text) if text else {}
    block.unfinished = noted.get("unfinished") is True
    block.namespace = text_or_none(noted.get("namespace"))
    block.extras = _extras(noted)
    return block


def _source(given: Any) -> Any:
    value = given.get("value") if isinstance(given, Mapping) else None
    if not isinstance(value, str):
        return None
    media_type = text_or_none(given.get("mimeType"))
    match given.get("type"):
        case "data":
            return Base64Source(media_type or "application/octet-stream", value)
        case "url":
            return URLSource(value, media_type, read=True)
        case "file":
            return FileSource(value, text_or_none(given.get("provider")) or "", media_type)
        case _:
            return None
