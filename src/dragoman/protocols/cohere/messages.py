"""Messages of a request, read into the tree, and said again as they were read.

`read_message` and `message_as_read` are each other's inverse, whatever the API may refuse.
Reference: Cohere API, "Chat", `messages`.
"""

from __future__ import annotations

from functools import partial
from typing import Any, assert_never

from ..._core.jsontext import Json, JsonObject, arguments
from ..._core.passes.roles import TOOL, RoledHistory
from ...capabilities import Capabilities
from ...errors import WriteError
from ...losses import Report
from ...message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    ImageBlock,
    Msg,
    Origin,
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
from ..chat_shape import (
    UNTYPED,
    arguments_of,
    call_as_read,
    content,
    filled,
    own_extras,
    read_calls,
    result_as_read,
    result_text,
)
from ..chat_shape import read_message as retold_read_message
from .blocks import DOCUMENT, PLAN, TEXT, attached, kept, listed, part_as_read, read_parts


def read_message(told: Json, issuer: str, origin: Origin, place: int) -> Msg:
    """One entry of `messages`; what is no message of a known role is kept as it came."""
    return retold_read_message(
        told, issuer, read_parts, lambda rest: _answer(rest, issuer, origin, place)
    )


def _answer(rest: JsonObject, issuer: str, origin: Origin, place: int) -> Msg:
    said, word = content(rest, issuer, read_parts, origin)
    behind: list[ContentBlock] = []
    plan, cited = rest.get("tool_plan"), rest.get("citations")
    if isinstance(plan, str) and plan:
        del rest["tool_plan"]
        behind.append(TextBlock(plan, spelling=PLAN))
    behind += read_calls(rest, issuer, place)
    cited = cited if isinstance(cited, list) else []
    if isinstance(said, str) and (behind or cited):
        said = [TextBlock(said, spelling=TEXT)] if said else []
    made = Msg.trusted("", [*said, *behind] if behind else said, "assistant")
    made.spelling = word
    if cited:
        unplaced = attached(_spoken(made), cited, issuer)
        del rest["citations"]
        if unplaced:
            rest["citations"] = unplaced
    return made


def _spoken(m: Msg) -> list[ContentBlock]:
    """The blocks of the content and the plan: all but calls."""
    return [block for block in m.blocks if not _called(block)]


def _called(block: ContentBlock) -> bool:
    return type(block) is ToolUseBlock or (type(block) is RawBlock and block.role == "call")


def message_as_read(m: Msg, issuer: str) -> Json:
    """The entry of `messages` that `read_message` made the message of."""
    content = m.content
    made: JsonObject = {"role": m.role, "content": content}
    mine = (m.extras or {}).get(issuer, {})
    if not isinstance(content, str):
        if len(content) == 1 and type(content[0]) is RawBlock and content[0].role == "message":
            return content[0].data
        if m.role == "tool":
            made = result_as_read(content[0], partial(part_as_read, issuer=issuer))
        else:
            made = _said(m, issuer)
    if (cited := made.get("citations")) and isinstance(mine.get("citations"), list):
        return {**made, **mine, "citations": [*cited, *mine["citations"]]}
    return {**made, **mine}


def _said(m: Msg, issuer: str) -> JsonObject:
    made: JsonObject = {"role": m.role}
    parts: list[ContentBlock] = []
    calls: list[Json] = []
    cited: list[Json] = []
    for block in m.blocks:
        if _called(block):
            calls.append(call_as_read(block, issuer, len(calls)))
            continue
        planned = type(block) is TextBlock and block.spelling == PLAN
        fields = (block.extras or {}).get(issuer, {})
        if type(block) is not RawBlock and "citations" in fields:
            cited += listed(fields, -1 if planned else len(parts))
        if planned:
            made["tool_plan"] = block.text  # type: ignore[union-attr]  # a text
        else:
            parts.append(block)
    if calls:
        made["tool_calls"] = calls
    if cited:
        made["citations"] = cited
    first = parts[0] if len(parts) == 1 else None
    if type(first) is TextBlock and first.spelling == TEXT:
        made["content"] = first.text
    elif parts or m.spelling == "list":
        made["content"] = [part_as_read(one, issuer) for one in parts]
    elif m.spelling != "absent":
        made["content"] = None if m.spelling == "null" else ""
    return made


_ROLES = ("system", "user", "assistant", "tool")


_DETAILS = ("auto", "low", "high")


def messages(history: RoledHistory, caps: Capabilities, report: Report) -> list[JsonObject]:
    """One wire message for each message, and one for each tool result."""
    out: list[JsonObject] = []
    for m, seat in zip(history.msgs, history.seats, strict=True):
        content: Any = m.content
        if type(content) is str:
            made: JsonObject = {"role": _ROLES[seat], "content": content}
        elif seat == TOOL:
            out.extend([_result(block, caps, report) for block in content])
            continue
        else:
            made = {"role": _ROLES[seat], **_blocks(m, caps, report)}
            if len(made) == 1:
                continue  # all of it was named as lost
        if m.extras is not None:
            own = own_extras(m, caps)
            cited = [*made.get("citations", ()), *_list(own.pop("citations", None))]
            made.update(own)
            made.update({"citations": cited} if cited else {})
        out.append(made)
    return out


def _list(value: Any) -> list[Json]:
    return value if isinstance(value, list) else []


def _blocks(m: Msg, caps: Capabilities, report: Report) -> JsonObject:
    """`content`, `tool_plan`, `tool_calls` and `citations`: those that there are."""
    parts: list[JsonObject] = []
    plans: list[str] = []
    cited: list[Json] = []
    blocks: list[ContentBlock] = m.content  # type: ignore[assignment]  # text was said before
    calls = [_call(block, caps) for block in blocks if type(block) is ToolUseBlock]
    raw = [b.data for b in blocks if type(b) is RawBlock and b.role == "call"]
    # its own model puts beside calls what it does not mean as a plan
    mine = m.origin is not None and m.origin.issuer in caps.reads
    for block in blocks:
        if type(block) is ToolUseBlock or (type(block) is RawBlock and block.role == "call"):
            continue
        own = own_extras(block, caps) if block.extras is not None else {}
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


def _call(block: ToolUseBlock, caps: Capabilities) -> JsonObject:
    """`{"id", "type": "function", "function": {"name", "arguments": JSON text}}`."""
    said = arguments(block.input) if block.raw_input is None else arguments_of(block)
    function = {"name": block.name, "arguments": said}
    made: JsonObject = {"id": block.id, "type": "function", "function": function}
    if block.spelling is not None and UNTYPED in block.spelling.split():
        del made["type"]
    return made if block.extras is None else filled(made, own_extras(block, caps))


def _result(block: ContentBlock, caps: Capabilities, report: Report) -> JsonObject:
    """A result as a string; as items only where it holds more than one text, or a document."""
    if type(block) is not ToolResultBlock:
        raise WriteError(f"{block.type} at the tools' seat", code="seat.unsaid")
    output = block.output
    made: JsonObject = {"role": "tool", "tool_call_id": block.id}
    if isinstance(output, list) and not _plain(output):
        made["content"] = [filled(_part(one, report), own_extras(one, caps)) for one in output]
    else:
        made["content"] = result_text(block, bullets=False)
    return made if block.extras is None else {**made, **own_extras(block, caps)}


def _plain(output: list[ContentBlock]) -> bool:
    first = output[0] if len(output) == 1 else None
    return not output or (
        type(first) is TextBlock and first.extras is None and first.spelling != DOCUMENT
    )
