"""Messages and the system prompt of a request, read into the tree, and said again as read.

`read_message` and `message_as_read` are each other's inverse, and so are `read_system` and
`system_as_read`. Reference: Anthropic API, "Create a Message", `messages` and `system`.
"""

from __future__ import annotations

import base64
import binascii
from itertools import islice
from typing import Any, assert_never

from ..._core.jsontext import Json, JsonObject, arguments
from ..._core.passes.roles import ASSISTANT, RoledHistory
from ...capabilities import Capabilities
from ...errors import WriteError
from ...message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    FileSource,
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
from ...message.blocks import ContentBlock, MediaBlock
from ..chat_shape import filled, own_extras
from .blocks import cache_control, part_as_read, read_part
from .dialect import Dialect

_ROLES = ("user", "assistant", "system")


def read_message(told: Json, issuer: str, origin: Origin | None = None) -> Msg:
    """One entry of `messages`; what is no message of a known role is kept as it came.

    A content that is neither text nor a list stays among the fields that nobody models.
    """
    role = told.get("role") if isinstance(told, dict) else None
    if not isinstance(role, str) or role not in _ROLES:
        return Msg.trusted("", [RawBlock(issuer, told, "message", by="client")], "user")
    content = told.get("content")
    said: str | list[ContentBlock] = []
    spelling = None
    if type(content) is str:
        said = content
    elif type(content) is list:
        said = [read_part(one, issuer, origin) for one in content]
    else:
        spelling = "null" if content is None and "content" in told else "absent"
    made = Msg.trusted("", said, role)  # type: ignore[arg-type]  # one of the roles
    made.spelling = spelling
    if len(told) > 2 or spelling == "absent":
        known = ("role",) if spelling == "absent" else ("role", "content")
        rest = {key: value for key, value in told.items() if key not in known}
        made.extras = {issuer: rest} if rest else None
    return made


def message_as_read(m: Msg, issuer: str) -> Json:
    """The entry of `messages` that `read_message` made the message of."""
    content: Any = m.content
    made: JsonObject = {"role": m.role}
    if type(content) is str:
        made["content"] = content
    elif len(content) == 1 and type(content[0]) is RawBlock and content[0].role == "message":
        return content[0].data
    elif m.spelling == "null":
        made["content"] = None
    elif m.spelling != "absent":
        made["content"] = [part_as_read(block, issuer) for block in content]
    if m.extras is not None:
        made.update(m.extras.get(issuer, {}))
    return made


def read_system(told: Json, issuer: str) -> Msg | None:
    """The system prompt at the top: one message, however many blocks; None for anything else."""
    if isinstance(told, str):
        made = Msg.trusted("", told, "system")
        made.spelling = "top string"
    elif isinstance(told, list):
        made = Msg.trusted("", [read_part(one, issuer) for one in told], "system")
        made.spelling = "top list"
    else:
        return None
    return made


def at_top(m: Msg) -> bool:
    """Whether the message was read from `system`, and not from among the messages."""
    return m.spelling is not None and m.spelling.partition(" ")[0] == "top"


def system_as_read(m: Msg, issuer: str) -> Json:
    """The value of `system` that `read_system` made the message of."""
    content = m.content
    if isinstance(content, str):
        return content
    return [part_as_read(block, issuer) for block in content]


_TEXT = {"type", "text"}


_WRITER_ROLES = ("system", "user", "assistant", "user")


# one loop by design: a call for each message costs a tenth of what is said here
def messages(  # noqa: C901, PLR0912
    history: RoledHistory, caps: Capabilities, dialect: Dialect, start: int = 0
) -> list[JsonObject]:
    """One wire message for each message from `start` on; a system prompt keeps its role."""
    out: list[JsonObject] = []
    split = dialect.text == "blocks"
    empty = caps.empty_thinking and caps.thinking != "never"
    rows = zip(history.msgs, history.seats, history.marks(), strict=True)
    for m, seat, odd in islice(rows, start, None) if start else rows:
        content: Any = m.content
        said: Any
        if type(content) is str:
            said = [{"type": "text", "text": content}] if split else content
            if not odd:
                out.append({"role": _WRITER_ROLES[seat], "content": said})
                continue
        elif odd or len(content) > 1:
            said = [_block(block, caps) for block in content]
        else:  # the only block of a message that the survey found to be plain
            one = content[0]
            kind = type(one)
            if kind is ToolUseBlock and not empty:
                said = {"type": "tool_use", "id": one.id, "name": one.name, "input": one.input}
                out.append({"role": "assistant", "content": [said]})
                continue
            if kind is ToolResultBlock:
                text = one.output
                if type(text) is list and len(text) == 1:
                    text = text[0].text  # plain results hold text alone
                if type(text) is str and text and not text.isspace():
                    said = {"type": "tool_result", "tool_use_id": one.id,
                            "content": [{"type": "text", "text": text}]}  # fmt: skip
                else:
                    said = _result(one, caps)
                out.append({"role": "user", "content": [said]})
                continue
            said = [_block(one, caps)]
        if type(said) is list:
            if empty and seat == ASSISTANT:
                said = _thought(said)
            if not split and len(said) == 1 and said[0].keys() == _TEXT and not _answered(m, caps):
                said = said[0]["text"]
        made: JsonObject = {"role": _WRITER_ROLES[seat], "content": said}
        if odd and m.extras is not None:
            made.update(own_extras(m, caps))
        out.append(made)
    return out


def _answered(m: Msg, caps: Capabilities) -> bool:
    """Whether this wire answered it: an answer goes back as the list that it came as."""
    return m.role == "assistant" and m.origin is not None and m.origin.issuer in caps.reads


def _thought(said: list[JsonObject]) -> list[JsonObject]:
    """The blocks of a turn, with thinking before its calls, if only an empty one."""
    kinds = {block.get("type") for block in said}
    if "tool_use" not in kinds or kinds & {"thinking", "redacted_thinking"}:
        return said
    return [{"type": "thinking", "thinking": "", "signature": ""}, *said]


def blocks(m: Msg, caps: Capabilities) -> list[JsonObject]:
    """The content blocks of a message."""
    return [_block(block, caps) for block in m.blocks]


def _block(block: ContentBlock, caps: Capabilities) -> JsonObject:
    made: JsonObject
    if type(block) is ToolUseBlock:
        made = {"type": "tool_use", "id": block.id, "name": block.name, "input": block.input}
    elif type(block) is TextBlock:
        made = {"type": "text", "text": block.text}
    elif type(block) is ToolResultBlock:
        return _result(block, caps)
    elif type(block) is ThinkingBlock:
        return _thinking(block, caps)
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
        filled(made, own_extras(block, caps))
    if block.cache is not None:
        made["cache_control"] = cache_control(block.cache)
    return made


def _thinking(block: ThinkingBlock, caps: Capabilities) -> JsonObject:
    made: JsonObject
    if block.redacted is not None:
        made = {"type": "redacted_thinking", "data": block.redacted}
    else:
        made = {"type": "thinking", "thinking": block.thinking}
        made["signature"] = block.signature or ""  # empty for those hosts alone that sign nothing
    if block.extras is not None:
        made.update(own_extras(block, caps))
    return made


def _result(block: ToolResultBlock, caps: Capabilities) -> JsonObject:
    output = block.output
    if type(output) is list and len(output) == 1 and type(output[0]) is TextBlock:
        only = output[0]
        said = [_block(only, caps)] if only.text and not only.text.isspace() else []
    elif isinstance(output, list):
        said = [_block(inner, caps) for inner in output if not _blank(inner)]
    else:
        text = output if type(output) is str else "" if output is None else arguments(output)
        said = [{"type": "text", "text": text}] if text.strip() else []
    made: JsonObject = {"type": "tool_result", "tool_use_id": block.id}
    if said:  # an empty result has no content at all: blank text is refused
        made["content"] = said
    if block.is_error:
        made["is_error"] = True
    if block.extras is not None:
        made.update(own_extras(block, caps))
    if block.cache is not None:
        made["cache_control"] = cache_control(block.cache)
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
