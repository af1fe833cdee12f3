"""Messages of a request, read into the tree, and said again as they were read.

`read_message` and `message_as_read` are each other's inverse, whatever a model may take; so are
`read_system` and `system_as_read`. Reference: Amazon Bedrock API reference, "Message".
"""

from __future__ import annotations

from typing import Any

from ...jsontext import Json, JsonObject
from ...message import Msg, Origin, RawBlock
from ...message.blocks import ContentBlock
from .parts import parts_as_read, read_parts

__all__ = ["message_as_read", "read_message", "read_system", "system_as_read"]

_ROLES = ("user", "assistant", "system")
_ABSENT = "absent"  # the spelling of a message without content


def read_message(told: Json, issuer: str, origin: Origin) -> Msg:
    """One entry of `messages`; what is no message of a known role is kept as it came."""
    role: Any = told.get("role") if isinstance(told, dict) else None
    if not isinstance(role, str) or role not in _ROLES:
        return Msg.trusted("", [RawBlock(issuer, told, "message", by="client")], "user")
    content = told.get("content")
    known = {"role", "content"}
    made = Msg.trusted("", [], role)  # type: ignore[arg-type]  # one of the roles
    if type(content) is list:
        made.content = read_parts(content, issuer, origin if role == "assistant" else None)
    elif type(content) is str:  # which the API itself refuses
        made.content = content
    else:
        made.spelling = _ABSENT
        known.remove("content")
    if len(told) > len(known):
        rest = {key: value for key, value in told.items() if key not in known}
        made.extras = {issuer: rest} if rest else None
    return made


def message_as_read(m: Msg, issuer: str) -> Json:
    """The entry of `messages` that `read_message` made the message of."""
    content: str | list[ContentBlock] = m.content
    made: JsonObject = {"role": m.role, "content": content}
    if not isinstance(content, str):
        if len(content) == 1 and type(content[0]) is RawBlock and content[0].role == "message":
            return content[0].data
        made["content"] = parts_as_read(content, issuer)
    if m.spelling == _ABSENT:
        del made["content"]
    if m.extras:
        made.update(m.extras.get(issuer, {}))
    return made


def read_system(told: Json, issuer: str) -> Msg | None:
    """The system prompt that stands beside the messages; None for what is none."""
    if isinstance(told, str):
        made = Msg.trusted("", told, "system")
        made.spelling = "top string"
    elif isinstance(told, list) and told:
        made = Msg.trusted("", read_parts(told, issuer), "system")
        made.spelling = "top list"
    else:
        return None
    return made


def system_as_read(m: Msg, issuer: str) -> Json:
    """What `read_system` made the message of."""
    return m.content if isinstance(m.content, str) else parts_as_read(m.content, issuer)
