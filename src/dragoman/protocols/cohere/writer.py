"""Seated messages as Cohere's `messages`.

Every seat's message becomes one wire message, every tool result one of its own. What is said before
a call is its plan: of a content beside calls the model sees the thinking alone.
"""

from __future__ import annotations

from typing import Any, assert_never

from ...capabilities import Capabilities
from ...errors import WriteError
from ...jsontext import Json, JsonObject, arguments
from ...losses import Report
from ...message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    ImageBlock,
    Msg,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from ...message.blocks import ContentBlock
from ...retold import UNTYPED
from ...seats import TOOL, Seated
from ...shapes import arguments_of, filled, own_extras, result_text
from .cited import listed
from .parts import DOCUMENT, PLAN, kept

__all__ = ["messages"]

_ROLES = ("system", "user", "assistant", "tool")
_DETAILS = ("auto", "low", "high")


def messages(seated: Seated, can: Capabilities, report: Report) -> list[JsonObject]:
    """One wire message for each message, and one for each tool result."""
    out: list[JsonObject] = []
    for m, seat in zip(seated.msgs, seated.seats, strict=True):
        content: Any = m.content
        if type(content) is str:
            made: JsonObject = {"role": _ROLES[seat], "content": content}
        elif seat == TOOL:
            out.extend([_result(block, can, report) for block in content])
            continue
        else:
            made = {"role": _ROLES[seat], **_blocks(m, can, report)}
            if len(made) == 1:
                continue  # all of it was named as lost
        if m.extras is not None:
            own = own_extras(m, can)
            cited = [*made.get("citations", ()), *_list(own.pop("citations", None))]
            made.update(own)
            made.update({"citations": cited} if cited else {})
        out.append(made)
    return out


def _list(value: Any) -> list[Json]:
    return value if isinstance(value, list) else []


def _blocks(m: Msg, can: Capabilities, report: Report) -> JsonObject:
    """`content`, `tool_plan`, `tool_calls` and `citations`: those that there are."""
    parts: list[JsonObject] = []
    plans: list[str] = []
    cited: list[Json] = []
    blocks: list[ContentBlock] = m.content  # type: ignore[assignment]  # text was said before
    calls = [_call(block, can) for block in blocks if type(block) is ToolUseBlock]
    raw = [b.data for b in blocks if type(b) is RawBlock and b.role == "call"]
    # its own model puts beside calls what it does not mean as a plan
    mine = m.origin is not None and m.origin.issuer in can.reads
    for block in blocks:
        if type(block) is ToolUseBlock or (type(block) is RawBlock and block.role == "call"):
            continue
        own = own_extras(block, can) if block.extras is not None else {}
        planned = type(block) is TextBlock and (block.spelling == PLAN or not mine)
        if type(block) is TextBlock and planned and (calls or raw):
            cited += listed(own, -1)
            plans += [block.text] if block.text else []
        else:
            cited += listed(own, len(parts))
            own.pop("citations", None)
            parts.append(filled(_part(block, report), own))
    made: JsonObject = {"content": parts} if parts else {}
    made.update({"tool_plan": "\n".join(plans)} if plans else {})
    made.update({"tool_calls": [*calls, *raw]} if calls or raw else {})
    return {**made, "citations": cited} if cited else made


def _part(block: ContentBlock, report: Report) -> JsonObject:
    if type(block) is TextBlock:
        data = kept(block) if block.spelling == DOCUMENT else None
        if data is not None:
            return {"type": "document", "document": {"data": data}}
        return {"type": "text", "text": block.text}
    if type(block) is ThinkingBlock:
        return {"type": "thinking", "thinking": block.thinking}
    if type(block) is ImageBlock:
        return _image(block, report)
    if type(block) is RawBlock and isinstance(block.data, dict):
        return block.data
    if (
        type(block) is RawBlock
        or type(block) is AudioBlock
        or type(block) is VideoBlock
        or type(block) is DocumentBlock
        or type(block) is RefusalBlock
        or type(block) is ToolUseBlock
        or type(block) is ToolResultBlock
    ):
        raise WriteError(f"{block.type} has no item at this seat", code="seat.unsaid")
    assert_never(block)


def _image(block: ImageBlock, report: Report) -> JsonObject:
    match block.source:
        case URLSource(url=url):
            image: JsonObject = {"url": url}
        case Base64Source() as source:
            image = {"url": source.data_uri()}
        case other:
            raise WriteError(f"image from a {other.type} source", code="seat.unsaid")
    if block.detail in _DETAILS:
        image["detail"] = block.detail
    elif block.detail is not None:
        report.lost("media.detail", block, "detail")
    return {"type": "image_url", "image_url": image}


def _call(block: ToolUseBlock, can: Capabilities) -> JsonObject:
    """`{"id", "type": "function", "function": {"name", "arguments": JSON text}}`."""
    said = arguments(block.input) if block.raw_input is None else arguments_of(block)
    function = {"name": block.name, "arguments": said}
    made: JsonObject = {"id": block.id, "type": "function", "function": function}
    if block.spelling is not None and UNTYPED in block.spelling.split():
        del made["type"]
    return made if block.extras is None else filled(made, own_extras(block, can))


def _result(block: ContentBlock, can: Capabilities, report: Report) -> JsonObject:
    """A result as a string; as items only where it holds more than one text, or a document."""
    if type(block) is not ToolResultBlock:
        raise WriteError(f"{block.type} at the tools' seat", code="seat.unsaid")
    output = block.output
    made: JsonObject = {"role": "tool", "tool_call_id": block.id}
    if isinstance(output, list) and not _plain(output):
        made["content"] = [filled(_part(one, report), own_extras(one, can)) for one in output]
    else:
        made["content"] = result_text(block, bullets=False)
    return made if block.extras is None else {**made, **own_extras(block, can)}


def _plain(output: list[ContentBlock]) -> bool:
    first = output[0] if len(output) == 1 else None
    return not output or (
        type(first) is TextBlock and first.extras is None and first.spelling != DOCUMENT
    )
