"""Messages of a request: flat, with text, thinking, calls and images each in a field of its own.

Two writers: `MessageWriter` writes messages as `read_messages` found them, `MessageComposer` as
this wire takes those of others. Media are bytes without a type: what they begin with tells it.

Reference: ollama api/types.go, Message and ImageData.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error
from collections.abc import Iterable, Sequence
from typing import Any, assert_never

from ..._core.jsontext import Json, JsonObject
from ..._core.media import read_url, url_of
from ..._core.passes.roles import TOOL, RoledHistory
from ..._core.stream.think_tags import join_think_tags
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
from ..chat_shape import read_messages as read_chat_messages
from .dialect import Dialect

_BEGINNINGS = {"/9j/": "image/jpeg", "iVBORw0KGgo": "image/png", "R0lGOD": "image/gif",
               "SUQz": "audio/mpeg", "//": "audio/mpeg", "T2dn": "audio/ogg",
               "ZkxhQ": "audio/flac"}  # fmt: skip


_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}


def read_medium(data: str) -> ImageBlock | AudioBlock:
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


_READ_ROLES = ("system", "developer", "user", "assistant", "tool")


_ROLES = ("system", "user", "assistant", "tool")


_NO_CALL = "nobody's"  # the spelling of a result that does not say whose call it answers


def read_messages(entries: Sequence[Json], issuer: str, model: str | None) -> list[Msg]:
    """The entries of `messages`.

    Few clients send ids: a call without one gets one here, and a result that names none belongs
    to the first call of its name that waits for one.
    """
    origin = Origin(issuer, model)
    return read_chat_messages(
        entries, lambda entry, index: _read_message(entry, issuer, origin, index)
    )


def _read_message(entry: Json, issuer: str, origin: Origin, index: int) -> Msg:
    """One of them; what is no message of a known role is kept as it came."""
    spelled = entry.get("role") if isinstance(entry, dict) else None
    role = spelled.lower() if isinstance(spelled, str) else ""  # the server takes any case
    if not isinstance(entry, dict) or role not in _READ_ROLES:
        return no_message(entry, issuer)
    fields = {key: value for key, value in entry.items() if key != "role"}
    notes = [] if spelled == role else [str(spelled)]
    node: Any
    if role == "tool":
        node = _read_result(fields, notes)
        node.read_from = entry
        m = Msg.trusted("", [node], "tool")
    else:
        blocks: list[ContentBlock] = []
        thinking = fields.get("thinking") if role == "assistant" else None
        if isinstance(thinking, str) and thinking:
            blocks.append(ThinkingBlock(fields.pop("thinking"), origin=origin))
        text = _read_text(fields, notes)
        media = _read_media(fields)
        calls = read_calls(fields, issuer, index) if role == "assistant" else []
        content: Any = text
        if text is None or blocks or media or calls:
            content = [*blocks, *([TextBlock(text)] if text else []), *media, *calls]
        node = m = Msg.trusted("", content, role)  # type: ignore[arg-type]  # one of the roles
    m.read_from = entry
    node.spelling = " ".join(notes) or None
    if fields:
        node.extras = {issuer: fields}
    return m


def _read_text(fields: JsonObject, notes: list[str]) -> str | None:
    """The text; what is no text stays among the other fields."""
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


class MessageWriter:
    """Writes messages as they were read from this wire: the `spelling` of a node is honoured."""

    __slots__ = ("issuer", "no_text")
    raw_calls = True  # calls that are no call of a function stand among the calls

    def __init__(self, issuer: str, no_text: str | None = "") -> None:
        self.issuer = issuer
        self.no_text = no_text  # content without text

    def message(self, m: Msg) -> Json:
        """The entry of `messages` that the message was read from."""
        content: Any = m.content
        node: Any = m
        if type(content) is str:
            entry: JsonObject = {"role": m.role, "content": content}
        elif m.role == "tool":
            node = content[0]
            entry = self.result(node)
        elif len(content) == 1 and type(content[0]) is RawBlock and content[0].role == "message":
            return content[0].data
        else:
            entry = self.blocks(content, m.role)
        notes = (node.spelling or "").split()
        if notes and notes[0].lower() in _READ_ROLES:
            entry["role"] = notes[0]
        if "absent" in notes:
            del entry["content"]
        elif "null" in notes:
            entry["content"] = None
        entry.update(self.fields(node))
        return entry

    def blocks(
        self, blocks: Iterable[ContentBlock], role: str, image_gaps: bool = False
    ) -> JsonObject:
        """The entry of blocks; `image_gaps`: an empty line shows where an image stood."""
        texts: list[str] = []
        calls: list[Json] = []
        thoughts: list[str] = []
        images: list[str] = []
        for block in blocks:
            if type(block) is TextBlock:
                texts.append(block.text)
            elif type(block) is ToolUseBlock:
                calls.append(self.call(block, len(calls)))
            elif type(block) is ThinkingBlock:
                thoughts.append(block.thinking)
            elif self.raw_calls and type(block) is RawBlock:
                calls.append(block.data)
            else:
                images.append(self.data(block))
                texts.extend([""] if image_gaps else [])
        entry: JsonObject = {"role": role, "content": "\n".join(texts) or self.no_text}
        if thoughts:
            entry["thinking"] = "\n".join(thoughts)
        if calls:
            entry["tool_calls"] = calls
        if images:
            entry["images"] = images
        return entry

    def result(self, block: ToolResultBlock) -> JsonObject:
        """The entry of a tool result."""
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
            entry["images"] = [self.data(part) for part in parts if type(part) is not TextBlock]
        return entry

    def call(self, block: ToolUseBlock, index: int) -> Json:
        """An entry of `tool_calls`."""
        return call_as_read(block, self.issuer, index)

    def data(self, block: ContentBlock) -> str:
        """An entry of `images`: bytes in base64, or a URL if that was read."""
        assert type(block) is ImageBlock or type(block) is AudioBlock  # no other is read
        source = block.source
        if type(source) is Base64Source and source.uri is None and block.spelling is None:
            return source.data
        return url_of(source, block.spelling)

    def fields(self, node: Any) -> JsonObject:
        """The fields of a node that nobody models."""
        return node.extras.get(self.issuer, {}) if node.extras is not None else {}


class MessageComposer(MessageWriter):
    """Writes messages as this wire takes them, whatever wire they were read from."""

    __slots__ = ("caps", "dialect")
    raw_calls = False

    def __init__(self, caps: Capabilities, dialect: Dialect) -> None:
        super().__init__(dialect.issuers[0], None if dialect.no_text == "null" else "")
        self.caps = caps
        self.dialect = dialect

    def messages(self, history: RoledHistory) -> list[JsonObject]:
        """One entry for each message, and one for each tool result."""
        entries: list[JsonObject] = []
        dialect = self.dialect
        for m, role in zip(history.msgs, history.roles, strict=True):
            content: Any = m.content
            if type(content) is str:
                entry: JsonObject = {"role": _ROLES[role], "content": content}
            elif role == TOOL:
                entries.extend(self.result(block) for block in content)
                continue
            else:
                blocks = join_think_tags(content) if dialect.think_tags else content
                # the merged history has no speaker of its own
                entry = self.blocks(blocks, _ROLES[role], dialect.image_gaps and not m.name)
            if m.extras is not None:
                entry.update(self.fields(m))
            entries.append(entry)
        return entries

    def result(self, block: ContentBlock) -> JsonObject:
        """The entry of a tool result; media in it stand beside its text."""
        if type(block) is not ToolResultBlock:
            raise WriteError(f"{block.type} at the tools' seat", code="seat.unsaid")
        entry: JsonObject = {
            "role": "tool",
            "tool_call_id": block.id,
            "content": result_text(block, self.dialect.bullets),
            "tool_name": block.name,
        }
        parts = block.output if isinstance(block.output, list) else []
        where = "inside a tool result"
        if images := [self.data(part, where) for part in parts if type(part) is not TextBlock]:
            entry["images"] = images
        if block.extras is not None:
            entry.update(self.fields(block))
        return entry

    def call(self, block: ToolUseBlock, index: int) -> JsonObject:
        """An entry of `tool_calls`. Arguments are an object here, never text."""
        function: JsonObject = {"name": block.name, "arguments": block.input}
        entry: JsonObject = {"id": block.id, "type": "function", "function": function}
        if block.spelling is not None and UNTYPED in block.spelling.split():
            del entry["type"]
        return entry if block.extras is None else filled(entry, self.fields(block))

    def data(self, block: ContentBlock, where: str = "at this seat") -> str:
        """The bytes of an image or of sound. Raises WriteError for anything else."""
        match block:
            case ImageBlock() | AudioBlock():
                source = block.source
                if type(source) is not Base64Source:
                    what = f"{block.type} from a {source.type} source"
                    raise WriteError(what, code="seat.unsaid")
                return source.data
            case (
                TextBlock() | VideoBlock() | DocumentBlock() | ToolUseBlock() | ToolResultBlock()
                | ThinkingBlock() | RefusalBlock() | RawBlock()
            ):  # fmt: skip
                raise WriteError(f"{block.type} {where}", code="seat.unsaid")
            case _:
                assert_never(block)

    def fields(self, node: Any) -> JsonObject:
        """The fields of a node that this wire understands."""
        return own_extras(node, self.caps)
