"""Messages of a request: flat, with a field each for text, thinking, calls and images.

`message_as_read` writes messages as `read_message` read them, `write_messages` writes those of
others in this wire's form. Media are bytes without a type, which their first bytes show.

Reference: ollama api/types.go, Message and ImageData.
"""

from __future__ import annotations

from base64 import b64decode
from typing import Any, assert_never

from ... import message as tree
from ...capabilities import Capabilities
from ...errors import WriteError
from ...history.passes.survey import TOOL, RoledHistory
from ...losses import Report
from ...message import ContentBlock, Msg, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from ...message.media_urls import read_url, write_url
from ...stream.think_tags import join_think_tags
from ...text.json_text import Json, JsonObject
from ..base import Room
from ..chat_like import messages as chat_messages
from ..chat_like.messages import UNTYPED, call_as_read, own_extras
from .dialect import Dialect

_BEGINNINGS = {
    "/9j/": "image/jpeg",
    "iVBORw0KGgo": "image/png",
    "R0lGOD": "image/gif",
    "SUQz": "audio/mpeg",
    "//": "audio/mpeg",
    "T2dn": "audio/ogg",
    "ZkxhQ": "audio/flac",
}
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}


def read_medium(data: str) -> tree.ImageBlock | tree.AudioBlock:
    """Return the image or sound in the base64 text; unknown data is taken for an image.

    The server refuses URLs, so a URL in this list was meant as an image.
    """
    if data[:8].lower().startswith(("http://", "https://", "data:")):
        source, head = read_url(data)
        return tree.ImageBlock(source, spelling=head)
    kind = next((kind for start, kind in _BEGINNINGS.items() if data.startswith(start)), "")
    if data.startswith("UklGR"):
        kind = _RIFF.get(_head(data), "")
    if kind.startswith("audio/"):
        return tree.AudioBlock(tree.Base64Source(kind, data))
    return tree.ImageBlock(tree.Base64Source(kind or "image/png", data))


def _head(data: str) -> bytes:
    """Return the kind of content that a RIFF file names."""
    try:
        return b64decode(data[:16])[8:12]
    except ValueError:  # no base64, or not ASCII
        return b""


_READ_ROLES = ("system", "developer", "user", "assistant", "tool")
_ROLES = ("system", "user", "assistant", "tool")
_NO_CALL = "nobody's"  # the spelling of a result that does not name the call that it answers


def read_message(entry: Json, issuer: str, origin: tree.Origin, index: int) -> Msg:
    """Read one entry of `messages`; one without a known role is kept unchanged.

    Few clients send ids: a call without one gets one here.
    """
    written = entry.get("role") if isinstance(entry, dict) else None
    role = written.lower() if isinstance(written, str) else ""  # the server takes any case
    if not isinstance(entry, dict) or role not in _READ_ROLES:
        return chat_messages.no_message(entry, issuer)
    fields = {key: value for key, value in entry.items() if key != "role"}
    notes = [] if written == role else [str(written)]
    node: Any
    if role == "tool":
        node = _read_result(fields, notes)
        node.read_from = entry
        m = Msg.create_unchecked("", [node], "tool")
    else:
        blocks: list[ContentBlock] = []
        thinking = fields.get("thinking") if role == "assistant" else None
        if isinstance(thinking, str) and thinking:
            blocks.append(ThinkingBlock(fields.pop("thinking"), origin=origin))
        text = _read_text(fields, notes)
        media = _read_media(fields)
        calls = chat_messages.read_calls(fields, issuer, index) if role == "assistant" else []
        content: Any = text
        if text is None or blocks or media or calls:
            content = [*blocks, *([TextBlock(text)] if text else []), *media, *calls]
        node = m = Msg.create_unchecked("", content, role)  # type: ignore[arg-type]  # one of the roles
    m.read_from = entry
    node.spelling = " ".join(notes) or None
    if fields:
        node.extras = {issuer: fields}
    return m


def _read_text(fields: JsonObject, notes: list[str]) -> str | None:
    """Return the text; what is no text stays among the other fields."""
    if isinstance(fields.get("content"), str):
        return str(fields.pop("content"))
    if "content" in fields and fields["content"] is None:
        del fields["content"]
        notes.append("null")
    else:
        notes.append("absent")
    return None


def _read_media(fields: JsonObject) -> list[ContentBlock]:
    images = fields.get("images")
    if not (isinstance(images, list) and images and all(isinstance(i, str) for i in images)):
        return []
    media: list[ContentBlock] = []
    for data in fields.pop("images"):
        block = read_medium(data)
        block.read_from = data
        media.append(block)
    return media


def _read_result(fields: JsonObject, notes: list[str]) -> ToolResultBlock:
    block = ToolResultBlock("")
    if isinstance(fields.get("tool_call_id"), str) and fields["tool_call_id"]:
        block.id = fields.pop("tool_call_id")
    else:
        notes.append(_NO_CALL)
    key = next((key for key in ("tool_name", "name") if isinstance(fields.get(key), str)), "")
    if key and fields[key]:
        block.name = fields.pop(key)
        notes += [key] if key == "name" else []
    text = _read_text(fields, notes)
    media = _read_media(fields)
    block.output = [*([TextBlock(text)] if text else []), *media] if media else text
    return block


def message_as_read(room: Room, m: Msg) -> Json:
    """Return the entry of `messages` that `read_message` read, as the nodes are spelled."""
    content: Any = m.content
    node: Any = m
    if type(content) is str:
        entry: JsonObject = {"role": m.role, "content": content}
    elif m.role == "tool":
        node = content[0]
        entry = _result_as_read(node)
    elif len(content) == 1 and type(content[0]) is tree.RawBlock and content[0].role == "message":
        return content[0].data
    else:
        entry = _write_blocks(room, m, m.role)
    if node.spelling:
        notes = node.spelling.split()
        if notes[0].lower() in _READ_ROLES:
            entry["role"] = notes[0]
        if "absent" in notes:
            del entry["content"]
        elif "null" in notes:
            entry["content"] = None
    if node.extras is not None:
        entry.update(node.extras.get(room.issuer, {}))
    return entry


def _result_as_read(block: ToolResultBlock) -> JsonObject:
    notes = (block.spelling or "").split()
    output = block.output or ""
    parts = output if isinstance(output, list) else []
    text = "".join(part.text for part in parts if type(part) is TextBlock)
    entry: JsonObject = {"role": "tool", "content": text if parts else output}
    if _NO_CALL not in notes:
        entry["tool_call_id"] = block.id
    if block.name:
        entry["name" if "name" in notes else "tool_name"] = block.name
    if parts:
        entry["images"] = [_medium_as_read(part) for part in parts if type(part) is not TextBlock]
    return entry


def _medium_as_read(block: ContentBlock) -> str:
    """Return an entry of `images`: bytes in base64, or a URL if that was read."""
    assert type(block) is tree.ImageBlock or type(block) is tree.AudioBlock  # no other is read
    source = block.source
    if type(source) is tree.Base64Source and source.uri is None and block.spelling is None:
        return source.data
    return write_url(source, block.spelling)


def _write_blocks(room: Room, m: Msg, role: str, caps: Capabilities | None = None) -> JsonObject:
    """Return the entry of a message of blocks: as they were read, unless `caps` are given."""
    issuer = room.issuer
    dialect: Dialect = room.dialect
    no_text = None if caps and dialect.no_text == "null" else ""
    image_gaps = caps and dialect.image_gaps and not m.name  # the merged history has no speaker
    texts: list[str] = []
    calls: list[Json] = []
    thoughts: list[str] = []
    images: list[str] = []
    for block in join_think_tags(m.blocks) if caps and dialect.think_tags else m.blocks:
        if type(block) is TextBlock:
            texts.append(block.text)
        elif type(block) is ToolUseBlock or type(block) is tree.RawBlock:
            call = _write_call(block, caps) if caps else call_as_read(block, issuer, len(calls))
            calls.append(call)
        elif type(block) is ThinkingBlock:
            thoughts.append(block.thinking)
        else:
            images.append(_write_medium(block) if caps else _medium_as_read(block))
            texts.extend([""] if image_gaps else [])
    entry: JsonObject = {"role": role, "content": "\n".join(texts) or no_text}
    if thoughts:
        entry["thinking"] = "\n".join(thoughts)
    if calls:
        entry["tool_calls"] = calls
    if images:
        entry["images"] = images
    return entry


def write_messages(
    room: Room, history: RoledHistory, caps: Capabilities, report: Report
) -> list[JsonObject]:
    """Write one entry for each message, and one for each tool result."""
    dialect: Dialect = room.dialect
    no_text = None if dialect.no_text == "null" else ""
    entries: list[JsonObject] = []
    for m, role in zip(history.msgs, history.roles, strict=True):
        content: Any = m.content
        if type(content) is str:
            entry: JsonObject = {"role": _ROLES[role], "content": content}
        elif role == TOOL:
            entries += [_write_result(block, dialect, caps) for block in content]
            continue
        elif len(content) == 1 and type(content[0]) is ToolUseBlock:  # most turns of an agent
            calls = [_write_call(content[0], caps)]
            entry = {"role": _ROLES[role], "content": no_text, "tool_calls": calls}
        else:
            entry = _write_blocks(room, m, _ROLES[role], caps)
        if m.extras is not None:
            entry.update(own_extras(m, caps))
        entries.append(entry)
    return entries


def _write_result(block: ContentBlock, dialect: Dialect, caps: Capabilities) -> JsonObject:
    """Write the entry of a tool result; its media are beside its text."""
    if type(block) is not ToolResultBlock:
        raise WriteError(f"{block.type} at the tools' seat", code="placement.unsupported")
    text = chat_messages.result_text(block, dialect.bullets)
    entry: JsonObject = {
        "role": "tool",
        "tool_call_id": block.id,
        "content": text,
        "tool_name": block.name,
    }
    for part in block.output if type(block.output) is list else ():
        if type(part) is not TextBlock:
            image = _write_medium(part, "inside a tool result")
            entry.setdefault("images", []).append(image)
    return entry if block.extras is None else entry | own_extras(block, caps)


def _write_call(block: ContentBlock, caps: Capabilities) -> JsonObject:
    """Write an entry of `tool_calls`. Arguments are an object here, never text."""
    if type(block) is not ToolUseBlock:
        raise WriteError(f"{block.type} in this role", code="placement.unsupported")
    typed = block.spelling is None or UNTYPED not in block.spelling.split()
    return chat_messages.write_call(block, block.input, own_extras(block, caps), typed)


def _write_medium(block: ContentBlock, where: str = "in this role") -> str:
    """Write the bytes of an image or of sound.

    Raises:
        WriteError: For any other block or source.
    """
    match block:
        case tree.ImageBlock() | tree.AudioBlock():
            if type(block.source) is tree.Base64Source:
                return block.source.data
            what = f"{block.type} from a {block.source.type} source"
            raise WriteError(what, code="placement.unsupported")
        case (
            TextBlock()
            | tree.VideoBlock()
            | tree.DocumentBlock()
            | ToolUseBlock()
            | ToolResultBlock()
            | ThinkingBlock()
            | tree.RefusalBlock()
            | tree.RawBlock()
        ):
            raise WriteError(f"{block.type} {where}", code="placement.unsupported")
        case _:
            assert_never(block)
