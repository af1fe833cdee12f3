"""Messages and the system prompt of a request, read into the tree, and said again as read.

`read_message` and `message_as_read` are each other's inverse, and so are `read_system` and
`system_as_read`. Reference: Anthropic API, "Create a Message", `messages` and `system`.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import Json, JsonObject
from ...message import Msg, Origin, RawBlock
from ...message.blocks import ContentBlock
from .parts import part_as_read, read_part

__all__ = ["at_top", "message_as_read", "read_message", "read_system", "system_as_read"]

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
