"""Messages and the system prompt of a request, read into the tree and written.

What `read_message` and `read_system` read, `message_as_read` and `system_as_read` write back as it
was, whatever a model may take. Reference: Amazon Bedrock API reference, "Message".
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from ..._core.jsontext import Json, JsonObject
from ..._core.passes.roles import RoledHistory
from ...capabilities import Capabilities
from ...losses import Report
from ...message import Msg, Origin, RawBlock
from ...message.blocks import ContentBlock
from ..chat_shape import own_extras
from .blocks import BlockWriter, ComposingWriter, read_parts, write_plain

_ROLES = ("user", "assistant", "system")


_ABSENT = "absent"  # the spelling of a message without content


def read_message(data: Json, issuer: str, origin: Origin) -> Msg:
    """One entry of `messages`; what is no message of a known role is kept as it came."""
    role: Any = data.get("role") if isinstance(data, dict) else None
    if not isinstance(role, str) or role not in _ROLES:
        return Msg.trusted("", [RawBlock(issuer, data, "message", by="client")], "user")
    content = data.get("content")
    known = {"role", "content"}
    m = Msg.trusted("", [], role)  # type: ignore[arg-type]  # one of the roles
    if type(content) is list:
        m.content = read_parts(content, issuer, origin if role == "assistant" else None)
    elif type(content) is str:  # which the API itself refuses
        m.content = content
    else:
        m.spelling = _ABSENT
        known.remove("content")
    if len(data) > len(known):
        fields = {key: value for key, value in data.items() if key not in known}
        m.extras = {issuer: fields} if fields else None
    return m


def message_as_read(m: Msg, issuer: str) -> Json:
    """The entry of `messages` that `read_message` read."""
    content: str | list[ContentBlock] = m.content
    if type(content) is list and len(content) == 1:
        block = content[0]
        if type(block) is RawBlock and block.role == "message":
            return block.data
    entry: JsonObject = {"role": m.role}
    if m.spelling != _ABSENT:
        entry["content"] = content_as_read(m, issuer)
    if m.extras:
        entry.update(m.extras.get(issuer, {}))
    return entry


def content_as_read(m: Msg, issuer: str) -> Json:
    """The `content` of a message, or the `system`, that the message was read from."""
    return m.content if isinstance(m.content, str) else BlockWriter(issuer).parts(m.content)


def read_system(data: Json, issuer: str) -> Msg | None:
    """The system prompt that stands beside the messages; None for what is none."""
    if isinstance(data, str):
        m = Msg.trusted("", data, "system")
        m.spelling = "top string"
    elif isinstance(data, list) and data:
        m = Msg.trusted("", read_parts(data, issuer), "system")
        m.spelling = "top list"
    else:
        return None
    return m


def at_top(m: Msg) -> bool:
    """Whether the message was read from `system`, and not from among the messages."""
    return (m.spelling or "").startswith("top")


_WIRE_ROLES = ("system", "user", "assistant", "user")  # of SYSTEM, USER, ASSISTANT, TOOL


def write_messages(
    history: RoledHistory, caps: Capabilities, report: Report, start: int = 0
) -> list[JsonObject]:
    """One wire message for each message from `start` on; a system prompt keeps its role."""
    entries: list[JsonObject] = []
    writer = ComposingWriter(caps, report)
    rows = zip(history.msgs, history.roles, history.marks(), strict=True)
    for m, role, unusual in islice(rows, start, None):
        content: Any = m.content
        parts: list[Json]
        if type(content) is str:
            parts = [{"text": content}]
        elif not unusual and len(content) == 1 and (plain := write_plain(content[0])) is not None:
            parts = [plain]
        else:
            parts = writer.parts(content)
        entry: JsonObject = {"role": _WIRE_ROLES[role], "content": parts}
        if unusual and m.extras is not None:
            entry.update(own_extras(m, caps))
        entries.append(entry)
    return entries


def write_system(history: RoledHistory, caps: Capabilities, report: Report, end: int) -> list[Json]:
    """The messages before `end` as the blocks of `system`."""
    writer = ComposingWriter(caps, report)
    return [part for m in history.msgs[:end] for part in writer.parts(m.blocks)]
