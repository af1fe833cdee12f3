"""Seated messages as the `messages` of `/api/chat`: flat, with images beside the text.

Order between text, images and calls has no place on this wire.
"""

from __future__ import annotations

from typing import Any, assert_never

from ...capabilities import Capabilities
from ...errors import WriteError
from ...jsontext import JsonObject
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
    VideoBlock,
)
from ...message.blocks import ContentBlock
from ...retold import UNTYPED
from ...seats import TOOL, Seated
from ...shapes import filled, own_extras, result_text
from ...thinktags import glued
from .dialect import Dialect

__all__ = ["messages"]

_ROLES = ("system", "user", "assistant", "tool")


def messages(seated: Seated, can: Capabilities, dialect: Dialect) -> list[JsonObject]:
    """One wire message for each message, and one for each tool result."""
    out: list[JsonObject] = []
    nothing = None if dialect.no_text == "null" else ""
    for m, seat, odd in zip(seated.msgs, seated.seats, seated.marks(), strict=True):
        content: Any = m.content
        if type(content) is str:
            made: JsonObject = {"role": _ROLES[seat], "content": content}
        elif not odd and len(content) == 1 and type(one := content[0]) is ToolUseBlock:
            made = {"role": "assistant", "content": nothing, "tool_calls": [_call(one, can)]}
        elif seat == TOOL:
            out.extend(_result(block, can, dialect) for block in m.blocks)
            continue
        else:
            made = {"role": _ROLES[seat], **_flat(m, can, dialect)}
        if m.extras is not None:
            made.update(own_extras(m, can))
        out.append(made)
    return out


def _flat(m: Msg, can: Capabilities, dialect: Dialect) -> JsonObject:
    pieces: list[str] = []
    calls: list[JsonObject] = []
    thoughts: list[str] = []
    images: list[str] = []
    # the merged history has no speaker of its own
    gaps = dialect.image_gaps and not m.name
    for block in glued(m.blocks) if dialect.think_tags else m.blocks:
        if type(block) is TextBlock:
            pieces.append(block.text)
        elif type(block) is ToolUseBlock:
            calls.append(_call(block, can))
        elif type(block) is ThinkingBlock:
            thoughts.append(block.thinking)
        elif type(block) is ImageBlock or type(block) is AudioBlock:
            images.append(_bytes(block))
            pieces.extend([""] if gaps else [])
        elif (
            type(block) is VideoBlock
            or type(block) is DocumentBlock
            or type(block) is ToolResultBlock
            or type(block) is RefusalBlock
            or type(block) is RawBlock
        ):
            raise WriteError(f"{block.type} at this seat", code="seat.unsaid")
        else:
            assert_never(block)
    nothing = None if dialect.no_text == "null" else ""
    made: JsonObject = {"content": "\n".join(pieces) or nothing}
    if thoughts:
        made["thinking"] = "\n".join(thoughts)
    if calls:
        made["tool_calls"] = calls
    if images:
        made["images"] = images
    return made


def _call(block: ToolUseBlock, can: Capabilities) -> JsonObject:
    """Arguments are an object here, never text."""
    function: JsonObject = {"name": block.name, "arguments": block.input}
    made: JsonObject = {"id": block.id, "type": "function", "function": function}
    if block.spelling is not None and UNTYPED in block.spelling.split():
        del made["type"]
    if block.extras is not None:
        filled(made, own_extras(block, can))
    return made


def _bytes(block: ImageBlock | AudioBlock) -> str:
    source = block.source
    if type(source) is not Base64Source:
        raise WriteError(f"{block.type} from a {source.type} source", code="seat.unsaid")
    return source.data


def _result(block: ContentBlock, can: Capabilities, dialect: Dialect) -> JsonObject:
    if type(block) is not ToolResultBlock:
        raise WriteError(f"{block.type} at the tools' seat", code="seat.unsaid")
    made: JsonObject = {
        "role": "tool",
        "tool_call_id": block.id,
        "content": result_text(block, dialect.bullets),
        "tool_name": block.name,
    }
    output = block.output
    if type(output) is list and not (len(output) == 1 and type(output[0]) is TextBlock):
        shown = [_shown(inner) for inner in output]
        if images := [data for data in shown if data is not None]:
            made["images"] = images
    if block.extras is not None:
        made.update(own_extras(block, can))
    return made


def _shown(block: ContentBlock) -> str | None:
    """The bytes of a medium inside a result; text is told in its content."""
    match block:
        case TextBlock():
            return None
        case ImageBlock() | AudioBlock():
            return _bytes(block)
        case (
            VideoBlock() | DocumentBlock() | ToolUseBlock() | ToolResultBlock() | ThinkingBlock()
            | RefusalBlock() | RawBlock()
        ):  # fmt: skip
            raise WriteError(f"{block.type} inside a tool result", code="seat.unsaid")
        case _:
            assert_never(block)
