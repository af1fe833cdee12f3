"""The parts of messages that only Mistral has: `prefix`, and thinking before all else.

Reference: Mistral API, "Chat Completion", `messages`.
"""

from __future__ import annotations

from typing import Any

from ... import message as tree
from ...capabilities import Capabilities
from ...history.passes.survey import ASSISTANT, FOLLOWED, RoledHistory
from ...losses import Report
from ...message import ContentBlock, Msg, ThinkingBlock, ToolResultBlock
from ...text.json_text import Json, JsonObject
from ..chat_like import messages as chat_messages
from ..chat_like.messages import own_extras
from ..chat_like.protocol import ChatRoom
from .blocks import piece_texts, write_part

_UNFIXED = "unfixed"  # in the spelling of a message: its `prefix` is false


def read_other_fields(room: ChatRoom, m: Msg, fields: JsonObject) -> None:
    """Note a `prefix` that is false, which means nothing; a true one is an extra field."""
    if fields.get("prefix") is False:
        del fields["prefix"]
        m.spelling = f"{m.spelling} {_UNFIXED}" if m.spelling else _UNFIXED


def other_fields_as_read(room: ChatRoom, entry: JsonObject, m: Msg) -> None:
    """Put a `prefix` that is false into the entry."""
    if _UNFIXED in (m.spelling or "").split():
        entry["prefix"] = False


def write_messages(
    room: ChatRoom, history: RoledHistory, caps: Capabilities, report: Report
) -> list[JsonObject]:
    """Write one entry for each message or result; the model continues a last assistant message."""
    entries = ChatRoom.messages(room, history, caps, report)
    for entry in entries if history.flags & FOLLOWED else entries[:-1]:
        entry.pop("prefix", None)  # it was the last message before
    if history.roles[-1:] == [ASSISTANT] and entries and not history.flags & FOLLOWED:
        last = entries[-1]
        if last["role"] == "assistant" and "tool_calls" not in last:
            last["prefix"] = True
    return entries


def write_blocks(room: ChatRoom, m: Msg, caps: Capabilities, report: Report) -> JsonObject:
    """Write `content` and `tool_calls`; all thinking is one chunk, before the others."""
    if len(m.content) == 1 and type(m.content[0]) is tree.ToolUseBlock:  # most turns of an agent
        return {"content": "", "tool_calls": [chat_messages.compose_call(m.content[0], caps)]}
    chunks: list[Json] = []
    calls: list[JsonObject] = []
    thoughts: list[Json] = []
    thinking: JsonObject = {"type": "thinking", "thinking": thoughts, "closed": True}
    for block in m.blocks:
        if type(block) is tree.ToolUseBlock:
            calls.append(chat_messages.compose_call(block, caps))
        elif type(block) is not ThinkingBlock:
            chunks.append(_write_part(block, caps, report))
        elif not block.thinking:
            report.add_loss("text.blank", block, "thinking")
        else:
            if chunks or calls:
                report.add_loss("thinking.moved", block, did="put first")
            thoughts += _write_thoughts(block, thinking, caps)
    content = _content([thinking, *chunks] if thoughts else chunks)
    if calls:
        return {"content": content, "tool_calls": calls}
    return {"content": content} if content else {}


def _write_thoughts(block: ThinkingBlock, thinking: JsonObject, caps: Capabilities) -> list[Json]:
    """Write the pieces of the thinking, unchanged if they were more than text.

    Other fields of its chunk are added to the chunk `thinking`.
    """
    fields = own_extras(block, caps)
    pieces = fields.pop("thinking", None) or ()
    thinking.update(fields)
    if pieces and "".join(piece_texts(pieces)) == block.thinking:
        return list(pieces)
    return [{"type": "text", "text": block.thinking}]


def write_result(
    room: ChatRoom, block: ToolResultBlock, caps: Capabilities, report: Report
) -> JsonObject:
    """Write a result as a string; as chunks only if it has more than one text."""
    content: Any = block.output
    if isinstance(content, list) and len(content) == 1 and chat_messages.is_plain(content[0]):
        content = content[0].text
    elif isinstance(content, list):
        content = _content([_write_part(part, caps, report) for part in content])
    elif type(content) is not str:
        content = chat_messages.result_text(block, bullets=False)
    entry: JsonObject = {"role": "tool", "content": content, "tool_call_id": block.id}
    return (
        entry if block.extras is None else chat_messages.fill_fields(entry, own_extras(block, caps))
    )


def _content(chunks: list[Any]) -> Json:
    """Return text alone as a string, which every model reads; otherwise the list of chunks."""
    if len(chunks) == 1 and chunks[0].keys() == {"type", "text"}:
        return chunks[0]["text"]
    return chunks or ""


def _write_part(block: ContentBlock, caps: Capabilities, report: Report) -> Json:
    """Write the chunk of a block; fields of a medium that the API does not know are losses."""
    if type(block) is tree.DocumentBlock:
        if block.title is not None and type(block.source) is tree.FileSource:
            report.add_loss("media.detail", block, "title")
    else:
        block = chat_messages.with_usual_detail(block, report)
    return write_part(block, own_extras(block, caps))
