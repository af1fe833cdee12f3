"""Messages of a request: read into the tree, written as they were read, and composed.

Reference: Cohere API, "Chat", `messages`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from ..._core.jsontext import Json, JsonObject
from ..._core.passes.roles import TOOL, RoledHistory
from ...capabilities import Capabilities
from ...errors import WriteError
from ...losses import Report
from ...message import ImageBlock, Msg, Origin, RawBlock, TextBlock, ToolResultBlock, ToolUseBlock
from ...message.blocks import ContentBlock
from ..chat_shape import (
    UNTYPED,
    arguments_of,
    call_as_read,
    content,
    content_as_read,
    own_extras,
    read_calls,
    result_as_read,
    result_text,
    write_call,
)
from ..chat_shape import read_message as read_chat_message
from .blocks import (
    DOCUMENT,
    PLAN,
    TEXT,
    attach_citations,
    citations_as_read,
    part_as_read,
    read_parts,
    write_part,
)

_ROLES = ("system", "user", "assistant", "tool")
_DETAILS = (None, "auto", "low", "high")


def read_message(entry: Json, issuer: str, origin: Origin, index: int) -> Msg:
    """One entry of `messages`; an object without a known role is kept as it came."""
    return read_chat_message(
        entry, issuer, read_parts, lambda fields: _read_answer(fields, issuer, origin, index)
    )


def _read_answer(fields: JsonObject, issuer: str, origin: Origin, index: int) -> Msg:
    blocks, note = content(fields, issuer, read_parts, origin)
    following: list[ContentBlock] = []
    plan, citations = fields.get("tool_plan"), fields.get("citations")
    if isinstance(plan, str) and plan:
        del fields["tool_plan"]
        following.append(TextBlock(plan, spelling=PLAN))
    following += read_calls(fields, issuer, index)
    citations = citations if isinstance(citations, list) else []
    if isinstance(blocks, str) and (following or citations):
        blocks = [TextBlock(blocks, spelling=TEXT)] if blocks else []
    m = Msg.trusted("", [*blocks, *following] if following else blocks, "assistant")
    m.spelling = note
    if citations:
        del fields["citations"]
        items = [block for block in m.blocks if not _is_call(block)]
        if unplaced := attach_citations(items, citations, issuer):
            fields["citations"] = unplaced
    return m


def _is_call(block: ContentBlock) -> bool:
    return type(block) is ToolUseBlock or (type(block) is RawBlock and block.role == "call")


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
    return _with_extras(entry, (m.extras or {}).get(issuer, {}))


def _with_extras(entry: JsonObject, extras: JsonObject) -> JsonObject:
    """The entry with other fields; citations of both are joined."""
    citations, unplaced = entry.get("citations"), extras.get("citations")
    if citations and isinstance(unplaced, list):
        return {**entry, **extras, "citations": [*citations, *unplaced]}
    return {**entry, **extras}


def _blocks_as_read(m: Msg, issuer: str) -> JsonObject:
    entry: JsonObject = {"role": m.role}
    parts: list[ContentBlock] = []
    calls: list[Json] = []
    citations: list[Json] = []
    for block in m.blocks:
        if _is_call(block):
            calls.append(call_as_read(block, issuer, len(calls)))
            continue
        extras = {} if type(block) is RawBlock else (block.extras or {}).get(issuer, {})
        if type(block) is TextBlock and block.spelling == PLAN:
            citations += citations_as_read(extras, -1)
            entry["tool_plan"] = block.text
        else:
            citations += citations_as_read(extras, len(parts))
            parts.append(block)
    if calls:
        entry["tool_calls"] = calls
    if citations:
        entry["citations"] = citations
    write = partial(part_as_read, issuer=issuer)
    content_as_read(entry, parts, m.spelling, lambda text: text.spelling == TEXT, write)
    return entry


def write_messages(history: RoledHistory, caps: Capabilities, report: Report) -> list[JsonObject]:
    """One entry for each message, and one for each tool result."""
    entries: list[JsonObject] = []
    for m, role in zip(history.msgs, history.roles, strict=True):
        content: Any = m.content
        if type(content) is str:
            entry: JsonObject = {"role": _ROLES[role], "content": content}
        elif role == TOOL:
            entries += [_write_result(block, caps, report) for block in content]
            continue
        else:
            entry = {"role": _ROLES[role], **_write_blocks(m, caps, report)}
            if len(entry) == 1:
                continue  # each of its blocks is a loss
        if m.extras is not None:
            extras = own_extras(m, caps)
            if not (isinstance(extras.get("citations"), list) and extras["citations"]):
                extras.pop("citations", None)
            entry = _with_extras(entry, extras)
        entries.append(entry)
    return entries


def _write_blocks(m: Msg, caps: Capabilities, report: Report) -> JsonObject:
    """`content`, `tool_plan`, `tool_calls` and `citations`: those that there are."""
    parts: list[Json] = []
    plans: list[str] = []
    citations: list[Json] = []
    calls: list[Json] = []
    raw_calls: list[Json] = []
    items: list[ContentBlock] = []
    for block in m.blocks:
        if type(block) is ToolUseBlock:
            typed = block.spelling is None or UNTYPED not in block.spelling.split()
            calls.append(write_call(block, arguments_of(block), own_extras(block, caps), typed))
        elif type(block) is RawBlock and block.role == "call":
            raw_calls.append(block.data)
        else:
            items.append(block)
    calls += raw_calls
    # its own model puts beside calls what it does not mean as a plan
    plain_texts = m.origin is not None and m.origin.issuer in caps.reads
    for block in items:
        extras = own_extras(block, caps)
        if type(block) is TextBlock and calls and (block.spelling == PLAN or not plain_texts):
            citations += citations_as_read(extras, -1)
            plans += [block.text] if block.text else []
        else:
            citations += citations_as_read(extras, len(parts))
            extras.pop("citations", None)
            parts.append(_write_part(block, extras, report))
    fields = {"content": parts, "tool_plan": "\n".join(plans), "tool_calls": calls,
              "citations": citations}  # fmt: skip
    return {key: value for key, value in fields.items() if value}


def _write_part(block: ContentBlock, extras: JsonObject, report: Report) -> Json:
    if type(block) is ImageBlock and block.detail not in _DETAILS:
        report.lost("media.detail", block, "detail")
        block = replace(block, detail=None)
    return write_part(block, extras)


def _write_result(block: ContentBlock, caps: Capabilities, report: Report) -> JsonObject:
    """A result as a string; as items only where it holds more than one text, or a document."""
    if type(block) is not ToolResultBlock:
        raise WriteError(f"{block.type} at the tools' seat", code="seat.unsaid")
    output = block.output
    entry: JsonObject = {"role": "tool", "tool_call_id": block.id}
    if isinstance(output, list) and not _is_plain(output):
        entry["content"] = [_write_part(part, own_extras(part, caps), report) for part in output]
    else:
        entry["content"] = result_text(block, bullets=False)
    return entry if block.extras is None else {**entry, **own_extras(block, caps)}


def _is_plain(output: list[ContentBlock]) -> bool:
    text = output[0] if len(output) == 1 else None
    return not output or (
        type(text) is TextBlock and text.extras is None and text.spelling != DOCUMENT
    )
