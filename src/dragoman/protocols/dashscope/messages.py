"""Messages of a request: read into the tree, written as they were read, and composed.

An endpoint takes content as a string or in parts, and composed messages are written in its form.

Reference: Model Studio, "Qwen API via DashScope", `input.messages`; requests of its SDKs,
AgentScope and Qwen-Agent.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, assert_never

from ... import message as tree
from ...capabilities import Capabilities
from ...errors import WriteError
from ...history.passes.survey import TOOL, RoledHistory
from ...losses import Report
from ...message import ContentBlock, Msg, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from ...text.json_text import Json, JsonObject
from ..base import Room
from ..chat_like import messages as chat_messages
from ..chat_like.messages import own_extras
from .blocks import cache_field, read_cache, read_parts, write_part
from .dialect import Dialect

_ROLES = ("system", "user", "assistant", "tool")
_NO_CALL = "nobody's"  # the spelling of a result that does not name the call that it answers


def read_message(entry: Json, issuer: str, origin: tree.Origin, index: int) -> Msg:
    """Read one entry of `messages`; one without a known role is kept unchanged."""
    role = entry.get("role") if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or not isinstance(role, str) or role not in _ROLES:
        return chat_messages.no_message(entry, issuer)
    fields = {key: value for key, value in entry.items() if key != "role"}
    content: Any
    content, spelling = chat_messages.content(fields, issuer, read_parts)
    if isinstance(content, list):
        spelling = spelling or "list"
    node: Any
    if role == "tool":
        node = _read_result(fields, content, spelling)
        node.read_from = entry
        m = Msg.create_unchecked("", [node], "tool")
    else:
        thoughts: list[ContentBlock] = []
        thinking = fields.get("reasoning_content") if role == "assistant" else None
        if isinstance(thinking, str) and thinking:
            thoughts.append(ThinkingBlock(fields.pop("reasoning_content"), origin=origin))
        calls = chat_messages.read_calls(fields, issuer, index) if role == "assistant" else []
        if isinstance(content, str) and (thoughts or calls):
            content = [TextBlock(content)] if content else []
            spelling = "string"
        if not isinstance(content, str):
            content = [*thoughts, *content, *calls]
        node = m = Msg.create_unchecked("", content, role)  # type: ignore[arg-type]  # one of the roles
        m.spelling = spelling
    m.read_from = entry
    if fields:
        m.cache = read_cache(fields)
    if fields:
        node.extras = {issuer: fields}
    return m


def _read_result(fields: JsonObject, output: Any, spelling: str | None) -> ToolResultBlock:
    """Return the result, whose content is read already."""
    block = ToolResultBlock("", output=None if spelling in ("null", "absent") else output)
    notes = [spelling] if spelling else []
    if isinstance(fields.get("tool_call_id"), str) and fields["tool_call_id"]:
        block.id = fields.pop("tool_call_id")
    else:
        notes.append(_NO_CALL)
    if isinstance(fields.get("name"), str) and fields["name"]:
        block.name = fields.pop("name")
    block.spelling = " ".join(notes) or None
    return block


def message_as_read(room: Room, m: Msg) -> Json:
    """Return the entry of `messages` that `read_message` read, as the nodes are spelled."""
    content: Any = m.content
    issuer = room.issuer
    if type(content) is str:
        entry: JsonObject = {"role": m.role, "content": content}
    elif m.role == "tool":
        block = content[0]
        output = block.output
        if isinstance(output, list):
            output = [_part_as_read(part, issuer) for part in output]
        fields = (block.extras or {}).get(issuer, {})
        entry = _write_result(block, output, fields, (block.spelling or "").split())
    elif len(content) == 1 and type(content[0]) is tree.RawBlock and content[0].role == "message":
        return content[0].data
    else:
        calls, others = chat_messages.split_calls(content)
        parts, _, thoughts = _split(others)
        entry = _entry(m.role, chat_messages.calls_as_read(calls, issuer), thoughts)
        if m.spelling == "string":
            entry["content"] = "".join(chat_messages.texts(parts))
        elif m.spelling == "list":
            entry["content"] = [_part_as_read(block, issuer) for block in parts]
        elif m.spelling != "null":
            del entry["content"]
    entry.update(cache_field(m.cache))
    if m.extras is not None:
        entry.update(m.extras.get(issuer, {}))
    return entry


def _part_as_read(block: ContentBlock, issuer: str) -> Json:
    if type(block) is tree.RawBlock:
        return block.data
    return write_part(block, (block.extras or {}).get(issuer, {}), block.spelling)


def _split(blocks: list[ContentBlock]) -> tuple[list[ContentBlock], list[ToolUseBlock], list[str]]:
    """Split blocks into the content, the calls and the texts of thinking."""
    content: list[ContentBlock] = []
    calls: list[ToolUseBlock] = []
    thoughts: list[str] = []
    for block in blocks:
        if type(block) is ToolUseBlock:
            calls.append(block)
        elif type(block) is ThinkingBlock:
            thoughts.append(block.thinking)
        else:
            content.append(block)
    return content, calls, thoughts


def _entry(role: str, calls: Sequence[Json], thoughts: list[str]) -> JsonObject:
    """Return the entry of a message, with null as its content."""
    entry: JsonObject = {"role": role, "content": None}
    if thoughts:
        entry["reasoning_content"] = "\n".join(thoughts)
    if calls:
        entry["tool_calls"] = calls
    return entry


def _write_result(
    block: ToolResultBlock, content: Json, fields: JsonObject, notes: Collection[str] = ()
) -> JsonObject:
    """Write a tool result; `notes`: its spelling, if it was read from this wire."""
    entry: JsonObject = {"role": "tool"}
    if _NO_CALL not in notes:
        entry["tool_call_id"] = block.id
    if "absent" not in notes:
        entry["content"] = content
    if block.name:
        entry["name"] = block.name
    entry.update(fields)
    return entry


def write_messages(
    room: Room, history: RoledHistory, caps: Capabilities, report: Report
) -> list[JsonObject]:
    """Write one entry for each message and each tool result, in the form of the endpoint."""
    dialect: Dialect = room.dialect
    in_parts = "multimodal" in caps.endpoint
    entries: list[JsonObject] = []
    for m, role in zip(history.msgs, history.roles, strict=True):
        content: Any = m.content
        if type(content) is str:
            if in_parts or not (content or caps.endpoint):
                content = [{"text": content}]
            entry: JsonObject = {"role": _ROLES[role], "content": content}
        elif role == TOOL:
            for block in content:
                if type(block) is not ToolResultBlock:
                    raise WriteError(
                        f"{block.type} at the tools' seat", code="placement.unsupported"
                    )
                output = _write_output(block, caps, dialect)
                entries.append(_write_result(block, output, own_extras(block, caps)))
            continue
        else:
            blocks, calls, thoughts = _split(content)
            entry = _entry(_ROLES[role], [_write_call(c, caps, report) for c in calls], thoughts)
            if blocks:
                entry["content"] = _write_content(blocks, caps, dialect)
            else:
                entry["content"] = _no_content(bool(calls), caps, dialect)
        if m.extras is not None:
            entry.update(own_extras(m, caps))
        entries.append(entry)
    return entries


def _write_content(blocks: list[ContentBlock], caps: Capabilities, dialect: Dialect) -> Json:
    """Write the blocks as the endpoint takes them; without an endpoint, texts have either form."""
    parts, only_text = _write_parts(blocks, caps, dialect, "in this role")
    if "multimodal" in caps.endpoint or not only_text:
        return parts
    # several texts are joined as AgentScope joins them: without the empty ones
    text = "\n".join(part["text"] for part in parts if part["text"])
    return text if text or caps.endpoint else parts


def _no_content(has_calls: bool, caps: Capabilities, dialect: Dialect) -> Json:
    """Return empty content: beside calls, what the endpoint itself answers."""
    in_parts = "multimodal" in caps.endpoint
    if not has_calls:
        return [{"text": ""}] if in_parts else ""
    if not in_parts and caps.endpoint:
        return ""
    # qwen3-max repeats a call forever after a null text, so it is written only on request
    return [{"text": None}] if not in_parts and dialect.call_content == "null_text" else []


def _write_parts(
    blocks: Sequence[ContentBlock], caps: Capabilities, dialect: Dialect, where: str
) -> tuple[list[Any], bool]:
    """Return the entries of a content list, and whether they are texts without other fields."""
    parts: list[Any] = []
    only_text = True
    for block in blocks:
        if type(block) is TextBlock and block.cache is None and block.extras is None:
            parts.append({"text": block.text})
            continue
        part = _write_part(block, caps, where)
        only_text = only_text and type(block) is TextBlock and len(part) == 1
        parts.append(part)
    if dialect.typed and not only_text:
        for i, block in enumerate(blocks):
            if type(block) is not tree.RawBlock:
                parts[i] = {"type": block.type, **parts[i]}
    return parts, only_text


def _write_part(block: ContentBlock, caps: Capabilities, where: str) -> Any:
    """Write an entry of a content list.

    Raises:
        WriteError: For a block that cannot be a part.
    """
    match block:
        case TextBlock() | tree.ImageBlock() | tree.AudioBlock() | tree.VideoBlock():
            return write_part(block, own_extras(block, caps))
        case tree.RawBlock():
            if not isinstance(block.data, dict):
                raise WriteError("a raw part that is no object", code="placement.unsupported")
            return block.data
        case tree.DocumentBlock():
            raise WriteError("no part holds a document", code="placement.unsupported")
        case ToolUseBlock() | ToolResultBlock() | ThinkingBlock() | tree.RefusalBlock():
            raise WriteError(f"{block.type} {where}", code="placement.unsupported")
        case _:
            assert_never(block)


def _write_call(block: ToolUseBlock, caps: Capabilities, report: Report) -> JsonObject:
    """Write an entry of `tool_calls`."""
    if block.cache is not None:
        # a cache mark belongs on a part of the content, which a call is not
        report.add_loss("cache.unsupported", block, "cache")
    text = chat_messages.write_arguments(block)
    return chat_messages.write_call(block, text, own_extras(block, caps))


def _write_output(block: ToolResultBlock, caps: Capabilities, dialect: Dialect) -> Json:
    """Write a result as a string, or as a list if it has more than text."""
    output = block.output if isinstance(block.output, list) else []
    parts, only_text = _write_parts(output, caps, dialect, "inside a tool result")
    if only_text:
        text = chat_messages.result_text(block, dialect.bullets)
        if block.cache is None:
            return text
        parts = [{"text": text}]
    if block.cache is not None:
        parts[-1] = {**parts[-1], **cache_field(block.cache)}
    return parts
