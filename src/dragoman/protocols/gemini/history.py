"""Contents of a request, read into the tree, and said again as they were read.

`read_content` and `content_as_read` are each other's inverse. Reference: Gemini API, "Content"
and `systemInstruction`; requests of a dozen clients.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...jsontext import Json, JsonObject
from ...message import Msg, Origin, RawBlock, TextBlock, ThinkingBlock, ToolResultBlock
from ...message.blocks import ContentBlock
from ...message.msg import Role
from .again import part_as_read
from .keys import read_keys, spell_keys
from .parts import TEXT, read_part
from .results import result_of

__all__ = ["content_as_read", "read_content", "read_system", "system_as_read"]

_ROLES: dict[Any, Role] = {"user": "user", "model": "assistant"}
_OLD = ("function", "tool")  # who said results before the user did
_SAID = ("user", "model", "system")  # roles of a system instruction
_ABSENT, _LONE, _UNSAID, _LIST, _PART = "absent", "lone", "unsaid", "list", "part"
_STRING = "string"  # the spelling of a whole content that is but a text


def read_content(told: Json, issuer: str, origin: Origin) -> Msg:
    """One entry of `contents`; what is no content of a known role is kept as it came."""
    if isinstance(told, str):
        made = Msg.trusted("", told, "user")
        made.spelling = _STRING
        return made
    role = told.get("role") if isinstance(told, dict) else 0
    if not (role is None or role in (*_ROLES, *_OLD)):
        return Msg.trusted("", [RawBlock(issuer, told, "message", by="client")], "user")
    assert isinstance(told, dict)  # what has a role
    if len(told) == 2 and role in _ROLES and isinstance(told.get("parts"), list):
        blocks = _blocks(told["parts"], issuer, origin)
        return Msg.trusted("", _plain(blocks), _ROLES[role])
    rest, words = read_keys(told)
    content, spelling = _content(rest, issuer, origin)
    rest = {key: value for key, value in rest.items() if key not in ("role", *spelling[1])}
    seat: Role = _ROLES.get(role, "user")
    if role is None and "role" not in told:
        words.append(_UNSAID)
    elif role in _OLD:
        words.append(role)
        results = isinstance(content, list) and bool(content)
        if results and all(type(one) is ToolResultBlock for one in content):
            seat = "tool"
    made = Msg.trusted("", content, seat)
    made.spelling = " ".join([*spelling[0], *words]) or None
    made.extras = {issuer: rest} if rest else None
    return made


def _content(
    told: JsonObject, issuer: str, origin: Origin
) -> tuple[str | list[ContentBlock], tuple[list[str], tuple[str, ...]]]:
    """(what is said, (how it is spelled, the key that is read by that))."""
    parts = told.get("parts")
    if isinstance(parts, list):
        return _plain(_blocks(parts, issuer, origin)), ([], ("parts",))
    if isinstance(parts, dict):
        return _plain(_blocks([parts], issuer, origin)), ([_LONE], ("parts",))
    if isinstance(parts, str):
        return parts, ([TEXT], ("parts",))
    return [], ([_ABSENT], ())


def _blocks(parts: Sequence[Json], issuer: str, origin: Origin) -> list[ContentBlock]:
    made: list[ContentBlock] = []
    for part in parts:
        block = _block(part, issuer)
        if type(block) is ThinkingBlock:
            block.origin = origin
        made.append(block)
    return made


def _block(part: Json, issuer: str) -> ContentBlock:
    if isinstance(part, dict) and ("functionResponse" in part or "function_response" in part):
        said, words = read_keys(part)
        try:
            if "functionResponse" in said and "functionCall" not in said:
                return result_of(said, words, issuer)
        except TypeError:
            return RawBlock(issuer, part, by="client")
    return read_part(part, issuer)


def _plain(blocks: list[ContentBlock]) -> str | list[ContentBlock]:
    """Text, where that is all."""
    if len(blocks) == 1:
        only = blocks[0]
        if type(only) is TextBlock and only.spelling is None and only.extras is None:
            return only.text
    return blocks


def content_as_read(m: Msg, issuer: str) -> Json:
    """The entry of `contents` that the message was read from."""
    content: Any = m.content
    spelling = m.spelling
    if type(content) is not str:
        if len(content) == 1 and type(content[0]) is RawBlock and content[0].role == "message":
            return content[0].data
    elif spelling == _STRING:
        return content
    role = "model" if m.role == "assistant" else "user"
    if spelling is None and m.extras is None:
        return {"role": role, "parts": _parts(content, issuer)}
    words = (spelling or "").split()
    made: JsonObject = _said(content, words, issuer)
    if _UNSAID not in words:
        made["role"] = next((old for old in _OLD if old in words), role)
    return spell_keys({**made, **(m.extras or {}).get(issuer, {})}, words)


def _parts(content: Any, issuer: str) -> list[Json]:
    if type(content) is str:
        return [{"text": content}]
    return [part_as_read(block, issuer) for block in content]


def _said(content: Any, words: Iterable[str], issuer: str) -> JsonObject:
    if _ABSENT in words:
        return {}
    if TEXT in words:
        return {"parts": content}
    parts = _parts(content, issuer)
    return {"parts": parts[0] if _LONE in words else parts}


def read_system(told: Json, issuer: str, origin: Origin) -> Msg | None:
    """The system instruction; None for what says nothing, or is none."""
    words: list[str] = []
    rest: JsonObject = {}
    content: str | list[ContentBlock] = ""
    if isinstance(told, str):
        content, words = told, [_STRING]
    elif isinstance(told, list):
        content, words = _plain(_blocks(told, issuer, origin)), [_LIST]
    elif isinstance(told, dict) and "parts" not in told and isinstance(told.get("text"), str):
        content, words = _plain(_blocks([told], issuer, origin)), [_PART]
    elif isinstance(told, dict):
        rest, nulls = read_keys(told)
        content, (words, read) = _content(rest, issuer, origin)
        rest = {key: value for key, value in rest.items() if key not in read}
        if rest.get("role") in _SAID:  # which nobody reads
            words.append(rest.pop("role"))
        words += nulls
    if not content:
        return None
    made = Msg.trusted("", content, "system")
    made.spelling = " ".join(["top", *words])
    made.extras = {issuer: rest} if rest else None
    return made


def system_as_read(m: Msg, issuer: str) -> Json:
    """The system instruction that the message was read from."""
    words = (m.spelling or "").split()[1:]
    if _STRING in words:
        return m.content
    if _LIST in words:
        return _parts(m.content, issuer)
    if _PART in words:
        return _parts(m.content, issuer)[0]
    made = _said(m.content, words, issuer)
    if (role := next((one for one in _SAID if one in words), None)) is not None:
        made["role"] = role
    return spell_keys({**made, **(m.extras or {}).get(issuer, {})}, words)
