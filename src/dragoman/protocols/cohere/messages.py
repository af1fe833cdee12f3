"""The fields of messages that only Cohere has: a plan beside calls, citations beside content.

Reference: Cohere API, "Chat", `messages`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...capabilities import Capabilities
from ...losses import Report
from ...message import (
    ContentBlock,
    DocumentBlock,
    Msg,
    RawBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from ...text.json_text import Json, JsonObject
from ..chat_like import messages as chat_messages
from ..chat_like.messages import own_extras
from ..chat_like.protocol import ChatRoom
from .blocks import (
    DOCUMENT,
    PLAN,
    attach_citations,
    but_citations,
    citations_as_read,
    is_apart,
    write_found,
    write_part,
)


def read_other_blocks(room: ChatRoom, fields: JsonObject, index: int) -> list[ContentBlock]:
    """Take the plan and the calls out of the fields."""
    plan: list[ContentBlock] = []
    if isinstance(fields.get("tool_plan"), str) and fields["tool_plan"]:
        plan.append(TextBlock(fields.pop("tool_plan"), spelling=PLAN))
    return plan + chat_messages.read_calls(fields, room.issuer, index)


def read_other_fields(room: ChatRoom, m: Msg, fields: JsonObject) -> None:
    """Give the blocks their citations; citations about none of them stay in the field."""
    citations = fields.get("citations")
    if isinstance(citations, list) and citations:
        del fields["citations"]
        m.content = room.content_list(m.content)
        items = chat_messages.split_calls(m.content)[1]
        if unplaced := attach_citations(items, citations, room.issuer):
            fields["citations"] = unplaced


def add_fields(room: ChatRoom, entry: JsonObject, fields: JsonObject) -> None:
    """Put other fields into the entry; the citations of both are joined."""
    citations, unplaced = entry.get("citations"), fields.get("citations")
    entry.update(fields)
    if citations and isinstance(unplaced, list):
        entry["citations"] = [*citations, *unplaced]


def own_fields(room: ChatRoom, m: Msg, caps: Capabilities) -> JsonObject:
    """Return the extra fields of a new message; an empty list of citations is left out."""
    fields = own_extras(m, caps)
    if not (isinstance(fields.get("citations"), list) and fields["citations"]):
        fields.pop("citations", None)
    return fields


def _split_plans(
    blocks: Iterable[ContentBlock],
    fields_of: Callable[[ContentBlock], JsonObject],
    is_plan: Callable[[TextBlock], bool],
) -> tuple[list[ContentBlock], list[str], list[Json]]:
    """Return the items of the content, the texts of plans, and the citations of both."""
    items: list[ContentBlock] = []
    plans: list[str] = []
    citations: list[Json] = []
    for block in blocks:
        plan = block.text if type(block) is TextBlock and is_plan(block) else None
        if block.extras is not None:
            index = len(items) if plan is None else -1
            citations += citations_as_read(fields_of(block), index)
        if plan is None:
            items.append(block)
        elif plan:
            plans.append(plan)
    return items, plans, citations


def blocks_as_read(room: ChatRoom, m: Msg) -> JsonObject:
    """Return the entry of a message of blocks."""
    calls, others = chat_messages.split_calls(m.blocks)
    items, plans, citations = _split_plans(
        [block for block in others if not is_apart(block)],
        lambda block: (block.extras or {}).get(room.issuer, {}),
        lambda text: text.spelling == PLAN,
    )
    fields = {
        "role": m.role,
        "tool_plan": "".join(plans),
        "tool_calls": chat_messages.calls_as_read(calls, room.issuer),
        "citations": citations,
    }
    return room.content_as_read({key: value for key, value in fields.items() if value}, items, m)


def write_blocks(room: ChatRoom, m: Msg, caps: Capabilities, report: Report) -> JsonObject:
    """Write `content`, `tool_plan`, `tool_calls` and `citations`, without missing fields."""
    calls, others = chat_messages.split_calls(m.blocks)
    others = [block for block in others if type(block) is not DocumentBlock]  # `write` handles them
    entries = [
        chat_messages.compose_call(call, caps) for call in calls if type(call) is ToolUseBlock
    ]
    if not others and len(entries) == len(calls):  # most turns of an agent
        return {"tool_calls": entries} if entries else {}
    # its own model puts text beside calls that is no plan
    plain_texts = m.origin is not None and m.origin.issuer in caps.reads
    items, plans, citations = _split_plans(
        others,
        lambda block: own_extras(block, caps),
        lambda text: bool(calls) and (text.spelling == PLAN or not plain_texts),
    )
    fields = {
        "content": [
            _write_part(item, but_citations(own_extras(item, caps)), report) for item in items
        ],
        "tool_plan": "\n".join(plans),
        "tool_calls": entries + [call.data for call in calls if type(call) is RawBlock],
        "citations": citations,
    }
    return {key: value for key, value in fields.items() if value}


def _write_part(block: ContentBlock, extras: JsonObject, report: Report) -> Json:
    return write_part(chat_messages.with_usual_detail(block, report), extras)


def write_result(
    room: ChatRoom, block: ToolResultBlock, caps: Capabilities, report: Report
) -> JsonObject:
    """Write a result as a string; as items only if it has more than one text, or a document."""
    entry: JsonObject = {"role": "tool", "tool_call_id": block.id}
    output = block.output
    text = output[0] if isinstance(output, list) and len(output) == 1 else None
    is_plain = type(text) is TextBlock and text.extras is None and text.spelling != DOCUMENT
    if isinstance(output, list) and output and not is_plain:
        entry["content"] = [
            part for item in output for part in _result_parts(item, own_extras(item, caps), report)
        ]
    else:
        entry["content"] = chat_messages.result_text(block, bullets=False)
    return entry if block.extras is None else {**entry, **own_extras(block, caps)}


def _result_parts(block: ContentBlock, extras: JsonObject, report: Report) -> list[Json]:
    """Write the items of a result: one for each passage of a document."""
    if type(block) is not DocumentBlock:
        return [_write_part(block, extras, report)]
    items = [{"type": "document", "document": document} for document in write_found(block)]
    return [chat_messages.fill_fields(item, extras) for item in items]
