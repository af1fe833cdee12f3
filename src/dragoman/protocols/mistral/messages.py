"""Messages of a request: read into the tree, written as they were read, and composed.

Reference: Mistral API, "Chat Completion", `messages`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from ..._core.jsontext import Json, JsonObject
from ..._core.passes.roles import ASSISTANT, TOOL, RoledHistory
from ...capabilities import Capabilities
from ...errors import WriteError
from ...losses import Report
from ...message import (
    DocumentBlock,
    FileSource,
    ImageBlock,
    Msg,
    Origin,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from ...message.blocks import ContentBlock
from ..chat_shape import (
    UNTYPED,
    arguments_of,
    call_as_read,
    content,
    content_as_read,
    filled,
    own_extras,
    read_calls,
    result_as_read,
    result_text,
    write_call,
)
from ..chat_shape import read_message as read_chat_message
from .blocks import CHUNK, part_as_read, read_parts, write_part

_ROLES = ("system", "user", "assistant", "tool")
_PREFIX = {True: "prefix", False: "unfixed"}  # how the spelling of a message notes its `prefix`
_DETAILS = (None, "low", "auto", "high")


def read_message(entry: Json, issuer: str, origin: Origin, index: int) -> Msg:
    """One entry of `messages`; an object without a known role is kept as it came."""
    return read_chat_message(
        entry, issuer, read_parts, lambda fields: _read_answer(fields, issuer, origin, index)
    )


def _read_answer(fields: JsonObject, issuer: str, origin: Origin, index: int) -> Msg:
    blocks, note = content(fields, issuer, read_parts, origin)
    calls = read_calls(fields, issuer, index)
    if calls:
        texts: list[ContentBlock] = [TextBlock(blocks)] if blocks else []  # type: ignore[arg-type]
        blocks = [*(texts if isinstance(blocks, str) else blocks), *calls]
    m = Msg.trusted("", blocks, "assistant")
    notes = [note] if note else []
    if isinstance(fields.get("prefix"), bool):
        notes.append(_PREFIX[fields.pop("prefix")])
    m.spelling = " ".join(notes) or None
    return m


def message_as_read(m: Msg, issuer: str) -> Json:
    """The entry of `messages` that `read_message` read."""
    content = m.content
    entry: JsonObject = {"role": m.role, "content": content}
    if not isinstance(content, str):
        if len(content) == 1 and type(content[0]) is RawBlock and content[0].role == "message":
            return content[0].data
        if m.role == "tool":
            entry = result_as_read(content[0], partial(part_as_read, issuer=issuer))
        else:
            entry = _blocks_as_read(m, issuer)
    for prefix, note in _PREFIX.items():
        if note in (m.spelling or "").split():
            entry["prefix"] = prefix
    entry.update((m.extras or {}).get(issuer, {}))
    return entry


def _blocks_as_read(m: Msg, issuer: str) -> JsonObject:
    entry: JsonObject = {"role": m.role}
    chunks: list[ContentBlock] = []
    calls: list[Json] = []
    for block in m.blocks:
        if type(block) is ToolUseBlock or (type(block) is RawBlock and block.role == "call"):
            calls.append(call_as_read(block, issuer, len(calls)))
        else:
            chunks.append(block)
    if calls:
        entry["tool_calls"] = calls
    note = (m.spelling or "").partition(" ")[0]
    write = partial(part_as_read, issuer=issuer)
    content_as_read(entry, chunks, note, lambda text: text.spelling != CHUNK, write)
    return entry


def write_messages(history: RoledHistory, caps: Capabilities, report: Report) -> list[JsonObject]:
    """One entry for each message or result; a last one of the assistant is to be continued."""
    entries: list[JsonObject] = []
    for m, role, unusual in zip(history.msgs, history.roles, history.marks(), strict=True):
        content: Any = m.content
        if type(content) is str:
            entry: JsonObject = {"role": _ROLES[role], "content": content}
        elif role == TOOL:
            entries += [_write_result(block, caps, report) for block in content]
            continue
        elif len(content) == 1 and type(content[0]) is ToolUseBlock:  # most turns of an agent
            calls = [_write_call(content[0], caps)]
            entry = {"role": "assistant", "content": "", "tool_calls": calls}
        else:
            entry = _write_blocks(content, role, caps, report)
            if not (entry["content"] or "tool_calls" in entry):
                continue  # each of its blocks is a loss
        if unusual and m.extras is not None:
            entry.update(own_extras(m, caps))
        entries.append(entry)
    if history.roles[-1:] == [ASSISTANT] and entries:
        last = entries[-1]
        if last["role"] == "assistant" and "tool_calls" not in last:
            last["prefix"] = True
    return entries


def _write_blocks(
    blocks: list[ContentBlock], role: int, caps: Capabilities, report: Report
) -> JsonObject:
    chunks: list[Json] = []
    calls: list[JsonObject] = []
    thoughts: list[Json] = []
    thinking: JsonObject = {"type": "thinking", "thinking": thoughts, "closed": True}
    for block in blocks:
        if type(block) is ToolUseBlock:
            calls.append(_write_call(block, caps))
        elif type(block) is not ThinkingBlock:
            chunks.append(_write_part(block, caps, report))
        elif not block.thinking:
            report.lost("text.blank", block, "thinking")
        else:
            if chunks or calls:
                report.lost("thinking.moved", block, did="stands first")
            thoughts += _write_thoughts(block, thinking, caps)
    if thoughts:
        chunks.insert(0, thinking)
    entry: JsonObject = {"role": _ROLES[role], "content": _content(chunks)}
    if calls:
        entry["tool_calls"] = calls
    return entry


def _write_call(block: ToolUseBlock, caps: Capabilities) -> JsonObject:
    # a part of the answers names no type; such a call goes back as it came
    typed = block.spelling is None or UNTYPED not in block.spelling
    return write_call(block, arguments_of(block), own_extras(block, caps), typed)


def _write_thoughts(block: ThinkingBlock, thinking: JsonObject, caps: Capabilities) -> list[Json]:
    """The pieces of the thinking, as they came if they were more than text.

    Other fields of its chunk are added to the chunk `thinking`.
    """
    fields = own_extras(block, caps)
    pieces = fields.pop("thinking", None) or ()
    thinking.update(fields)
    texts = [piece.get("text", "") for piece in pieces if piece.get("type") == "text"]
    if pieces and "".join(texts) == block.thinking:
        return list(pieces)
    return [{"type": "text", "text": block.thinking}]


def _write_result(block: ContentBlock, caps: Capabilities, report: Report) -> JsonObject:
    """A result as a string; as chunks only where it holds more than one text."""
    if type(block) is not ToolResultBlock:
        raise WriteError(f"{block.type} at the tools' seat", code="seat.unsaid")
    output: Any = block.output
    if isinstance(output, list):
        output = _content([_write_part(part, caps, report) for part in output])
    elif type(output) is not str:
        output = result_text(block, bullets=False)
    entry: JsonObject = {"role": "tool", "content": output, "tool_call_id": block.id}
    return entry if block.extras is None else filled(entry, own_extras(block, caps))


def _content(chunks: list[Json]) -> Json:
    """Text alone as a string, which every model reads; else the list of chunks."""
    if len(chunks) == 1 and chunks[0].keys() == {"type", "text"}:
        return chunks[0]["text"]
    return chunks or ""


def _write_part(block: ContentBlock, caps: Capabilities, report: Report) -> Json:
    """The chunk of a block; fields of a medium that the API does not know are losses."""
    if type(block) is DocumentBlock and type(block.source) is FileSource:
        if block.title is not None:
            report.lost("media.detail", block, "title")
    elif type(block) is ImageBlock and block.detail not in _DETAILS:
        report.lost("media.detail", block, "detail")
        block = replace(block, detail=None)
    return write_part(block, None if block.extras is None else own_extras(block, caps))
