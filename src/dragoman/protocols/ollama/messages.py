"""Bytes without a type, as they stand in `images`: what they begin with tells their kind.

Reference: ollama api/types.go, ImageData; the server sniffs them in the same way.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error
from collections.abc import Sequence
from typing import Any, assert_never

from ..._core.jsontext import Json, JsonObject
from ..._core.media import read_url, url_of
from ..._core.passes.roles import TOOL, RoledHistory
from ..._core.stream.think_tags import glued
from ...capabilities import Capabilities
from ...errors import WriteError
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
    VideoBlock,
)
from ...message.blocks import ContentBlock
from ..chat_shape import (
    UNTYPED,
    call_as_read,
    filled,
    no_message,
    own_extras,
    read_calls,
    result_text,
)
from ..chat_shape import read_messages as retold_read_messages
from .dialect import Dialect

_BEGINNINGS = {"/9j/": "image/jpeg", "iVBORw0KGgo": "image/png", "R0lGOD": "image/gif",
               "SUQz": "audio/mpeg", "//": "audio/mpeg", "T2dn": "audio/ogg",
               "ZkxhQ": "audio/flac"}  # fmt: skip


_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}


def medium(data: str) -> ImageBlock | AudioBlock:
    """The image or sound that the base64 text holds; what nobody knows is taken for an image.

    The server refuses URLs; whoever sent one to it meant an image.
    """
    if data[:8].lower().startswith(("http://", "https://", "data:")):
        source, head = read_url(data)
        return ImageBlock(source, spelling=head)
    kind = next((kind for start, kind in _BEGINNINGS.items() if data.startswith(start)), "")
    if data.startswith("UklGR"):
        kind = _RIFF.get(_head(data), "")
    if kind.startswith("audio/"):
        return AudioBlock(Base64Source(kind, data))
    return ImageBlock(Base64Source(kind or "image/png", data))


def _head(data: str) -> bytes:
    """What a RIFF file says that it holds."""
    try:
        return b64decode(data[:16])[8:12]
    except Error:
        return b""


_ROLES = ("system", "developer", "user", "assistant", "tool")


_UNKNOWN = "nobody's"  # the spelling of a result that does not say whose call it answers


def read_messages(listed: Sequence[Json], issuer: str, model: str | None) -> list[Msg]:
    """The entries of `messages`.

    Few clients send ids: a call without one gets one here, and a result that names none belongs
    to the first call of its name that waits for one.
    """
    origin = Origin(issuer, model)
    return retold_read_messages(listed, lambda told, at: _read_message(told, issuer, origin, at))


def _read_message(told: Json, issuer: str, origin: Origin, place: int) -> Msg:
    """One of them; what is no message of a known role is kept as it came."""
    role = told.get("role") if isinstance(told, dict) else None
    known = role.lower() if isinstance(role, str) else ""  # the server takes any case
    if not isinstance(told, dict) or known not in _ROLES:
        return no_message(told, issuer)
    rest = {key: value for key, value in told.items() if key != "role"}
    words = [] if role == known else [str(role)]
    if known == "tool":
        return _result(rest, issuer, words)
    blocks: list[ContentBlock] = []
    if known == "assistant" and isinstance(rest.get("thinking"), str) and rest["thinking"]:
        blocks.append(ThinkingBlock(rest.pop("thinking"), origin=origin))
    said = _said(rest, words)
    media = _media(rest)
    calls = read_calls(rest, issuer, place) if known == "assistant" else []
    content: Any = said
    if said is None or blocks or media or calls:
        text = [TextBlock(said)] if said else []
        content = [*blocks, *text, *media, *calls]
    made = Msg.trusted("", content, known)  # type: ignore[arg-type]  # one of the roles
    made.spelling = " ".join(words) or None
    if rest:
        made.extras = {issuer: rest}
    return made


def _said(rest: JsonObject, words: list[str]) -> str | None:
    """The text; what is no text stays among the other fields."""
    if isinstance(rest.get("content"), str):
        return str(rest.pop("content"))
    if "content" in rest and rest["content"] is None:
        del rest["content"]
        words.append("null")
    else:
        words.append("absent")
    return None


def _media(rest: JsonObject) -> list[ContentBlock]:
    listed = rest.get("images")
    if not (isinstance(listed, list) and listed and all(isinstance(one, str) for one in listed)):
        return []
    del rest["images"]
    return [medium(one) for one in listed]


def _result(rest: JsonObject, issuer: str, words: list[str]) -> Msg:
    block = ToolResultBlock("")
    if isinstance(rest.get("tool_call_id"), str) and rest["tool_call_id"]:
        block.id = rest.pop("tool_call_id")
    else:
        words.append(_UNKNOWN)
    key = next((key for key in ("tool_name", "name") if isinstance(rest.get(key), str)), "")
    if key and rest[key]:
        block.name = rest.pop(key)
        words += [key] if key == "name" else []
    said = _said(rest, words)
    media = _media(rest)
    block.output = [*([TextBlock(said)] if said else []), *media] if media else said
    block.spelling = " ".join(words) or None
    if rest:
        block.extras = {issuer: rest}
    return Msg.trusted("", [block], "tool")


def message_as_read(m: Msg, issuer: str) -> Json:
    """The entry of `messages` that `read_messages` made the message of."""
    content: Any = m.content
    if type(content) is str:
        node: Any = m
        made: JsonObject = {"role": m.role, "content": content}
    elif m.role == "tool":
        node = content[0]
        made = _result_as_read(node)
    elif len(content) == 1 and type(content[0]) is RawBlock and content[0].role == "message":
        return content[0].data
    else:
        node = m
        made = _blocks_as_read(m, issuer)
    words = (node.spelling or "").split()
    if words and words[0].lower() in _ROLES:
        made["role"] = words[0]
    if "absent" in words:
        del made["content"]
    elif "null" in words:
        made["content"] = None
    made.update((node.extras or {}).get(issuer, {}))
    return made


def _blocks_as_read(m: Msg, issuer: str) -> JsonObject:
    made: JsonObject = {"role": m.role, "content": ""}
    media: list[str] = []
    calls: list[Json] = []
    for block in m.blocks:
        if type(block) is TextBlock:
            made["content"] = block.text
        elif type(block) is ThinkingBlock:
            made["thinking"] = block.thinking
        elif type(block) is ToolUseBlock or type(block) is RawBlock:
            calls.append(call_as_read(block, issuer, len(calls)))
        else:
            media.append(_data(block))
    if media:
        made["images"] = media
    if calls:
        made["tool_calls"] = calls
    return made


def _result_as_read(block: ToolResultBlock) -> JsonObject:
    words = (block.spelling or "").split()
    made: JsonObject = {"role": "tool", "content": block.output or ""}
    if _UNKNOWN not in words:
        made["tool_call_id"] = block.id
    if block.name:
        made["name" if "name" in words else "tool_name"] = block.name
    if isinstance(block.output, list):
        said = [inner.text for inner in block.output if type(inner) is TextBlock]
        made["content"] = "".join(said)
        made["images"] = [_data(inner) for inner in block.output if type(inner) is not TextBlock]
    return made


def _data(block: ContentBlock) -> str:
    assert type(block) is ImageBlock or type(block) is AudioBlock  # no other is read from here
    source = block.source
    if type(source) is Base64Source and source.uri is None and block.spelling is None:
        return source.data
    return url_of(source, block.spelling)


_WRITER_ROLES = ("system", "user", "assistant", "tool")


def messages(history: RoledHistory, caps: Capabilities, dialect: Dialect) -> list[JsonObject]:
    """One wire message for each message, and one for each tool result."""
    out: list[JsonObject] = []
    nothing = None if dialect.no_text == "null" else ""
    for m, seat, odd in zip(history.msgs, history.seats, history.marks(), strict=True):
        content: Any = m.content
        if type(content) is str:
            made: JsonObject = {"role": _WRITER_ROLES[seat], "content": content}
        elif not odd and len(content) == 1 and type(one := content[0]) is ToolUseBlock:
            made = {"role": "assistant", "content": nothing, "tool_calls": [_call(one, caps)]}
        elif seat == TOOL:
            out.extend(_writer_result(block, caps, dialect) for block in m.blocks)
            continue
        else:
            made = {"role": _WRITER_ROLES[seat], **_flat(m, caps, dialect)}
        if m.extras is not None:
            made.update(own_extras(m, caps))
        out.append(made)
    return out


def _flat(m: Msg, caps: Capabilities, dialect: Dialect) -> JsonObject:
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
            calls.append(_call(block, caps))
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


def _call(block: ToolUseBlock, caps: Capabilities) -> JsonObject:
    """Arguments are an object here, never text."""
    function: JsonObject = {"name": block.name, "arguments": block.input}
    made: JsonObject = {"id": block.id, "type": "function", "function": function}
    if block.spelling is not None and UNTYPED in block.spelling.split():
        del made["type"]
    if block.extras is not None:
        filled(made, own_extras(block, caps))
    return made


def _bytes(block: ImageBlock | AudioBlock) -> str:
    source = block.source
    if type(source) is not Base64Source:
        raise WriteError(f"{block.type} from a {source.type} source", code="seat.unsaid")
    return source.data


def _writer_result(block: ContentBlock, caps: Capabilities, dialect: Dialect) -> JsonObject:
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
        made.update(own_extras(block, caps))
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
