"""Seated messages as the Messages API's `messages`.

Results are said by the user. A medium, a result or a thought is a content block of its own.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any, assert_never

from ...capabilities import Capabilities
from ...errors import WriteError
from ...jsontext import JsonObject, arguments
from ...message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    FileSource,
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
from ...message.blocks import CacheHint, ContentBlock, MediaBlock
from ...seats import Seated
from ...shapes import own_extras
from .dialect import Dialect

__all__ = ["blocks", "cache_control", "messages"]

_ROLES = ("system", "user", "assistant", "user")


def messages(
    seated: Seated, can: Capabilities, dialect: Dialect, start: int = 0
) -> list[JsonObject]:
    """One wire message for each message from `start` on; a system prompt keeps its role."""
    out: list[JsonObject] = []
    split = dialect.text == "blocks"
    seats = seated.seats
    msgs = seated.msgs if not start else seated.msgs[start:]
    for m, seat in zip(msgs, seats[start:] if start else seats, strict=True):
        content: Any = m.content
        said: Any
        if type(content) is str:
            said = [{"type": "text", "text": content}] if split else content
        else:
            said = [_block(block, can) for block in content]
            if not split and len(said) == 1 and said[0].keys() == {"type", "text"}:
                said = said[0]["text"]
        made: JsonObject = {"role": _ROLES[seat], "content": said}
        if m.extras is not None:
            made.update(own_extras(m, can))
        out.append(made)
    return out


def blocks(m: Msg, can: Capabilities) -> list[JsonObject]:
    """The content blocks of a message."""
    return [_block(block, can) for block in m.blocks]


def _block(block: ContentBlock, can: Capabilities) -> JsonObject:
    made: JsonObject
    if type(block) is ToolUseBlock:
        made = {"type": "tool_use", "id": block.id, "name": block.name, "input": block.input}
    elif type(block) is ToolResultBlock:
        made = _result(block, can)
    elif type(block) is TextBlock:
        made = {"type": "text", "text": block.text}
    elif type(block) is ThinkingBlock:
        return _thinking(block, can)
    elif type(block) is ImageBlock:
        made = {"type": "image", "source": _source(block)}
    elif type(block) is DocumentBlock:
        made = {"type": "document", "source": _source(block)}
        if block.title is not None:
            made["title"] = block.title
    elif type(block) is RawBlock and isinstance(block.data, dict):
        return block.data
    elif (
        type(block) is AudioBlock
        or type(block) is VideoBlock
        or type(block) is RefusalBlock
        or type(block) is RawBlock
    ):
        raise WriteError(f"{block.type} has no content block", code="seat.unsaid")
    else:
        assert_never(block)
    if block.extras is not None:
        made.update(own_extras(block, can))
    if block.cache is not None:
        made["cache_control"] = cache_control(block.cache)
    return made


def cache_control(hint: CacheHint) -> JsonObject:
    """`{"type": "ephemeral"}`, with a `ttl` if one was given."""
    return {"type": "ephemeral"} if hint.ttl is None else {"type": "ephemeral", "ttl": hint.ttl}


def _thinking(block: ThinkingBlock, can: Capabilities) -> JsonObject:
    if block.redacted is not None:
        return {"type": "redacted_thinking", "data": block.redacted}
    made: JsonObject = {"type": "thinking", "thinking": block.thinking}
    if block.signature is not None:
        made["signature"] = block.signature
    if block.extras is not None:
        made.update(own_extras(block, can))
    return made


def _result(block: ToolResultBlock, can: Capabilities) -> JsonObject:
    output = block.output
    made: JsonObject = {"type": "tool_result", "tool_use_id": block.id}
    said: list[JsonObject]
    if type(output) is str:
        said = [{"type": "text", "text": output}] if output.strip() else []
    elif isinstance(output, list):
        said = [_block(inner, can) for inner in output if not _blank(inner)]
    else:
        said = [{"type": "text", "text": arguments(output)}] if output is not None else []
    if said:  # an empty result has no content at all: blank text is refused
        made["content"] = said
    if block.is_error:
        made["is_error"] = True
    return made


def _blank(block: ContentBlock) -> bool:
    return type(block) is TextBlock and not block.text.strip()


def _source(block: MediaBlock) -> JsonObject:
    """`base64`, `url`, `file`, or `text` for a document of plain text."""
    match block.source:
        case Base64Source(media_type="text/plain", data=data) if block.type == "document":
            return {"type": "text", "media_type": "text/plain", "data": _decoded(data)}
        case Base64Source(media_type=media_type, data=data):
            return {"type": "base64", "media_type": media_type, "data": data}
        case URLSource(url=url):
            return {"type": "url", "url": url}
        case FileSource(file_id=file_id):
            return {"type": "file", "file_id": file_id}
        case other:
            raise WriteError(f"{block.type} from a {other.type} source", code="seat.unsaid")


def _decoded(data: str) -> str:
    try:
        return base64.b64decode(data, validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError) as error:
        raise WriteError(
            "a document of type text/plain holds no UTF-8 text in base64",
            hint="give its true media type",
            code="media.decode",
        ) from error
