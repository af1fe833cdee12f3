"""Messages of a request, read into the tree, and said again as they were read.

`read_messages` and `message_as_read` are each other's inverse. Reference: ollama docs/api.md,
"Chat"; api/types.go, Message.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import retold
from ...jsontext import Json, JsonObject
from ...media import url_of
from ...message import (
    AudioBlock,
    Base64Source,
    ImageBlock,
    Msg,
    Origin,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from ...message.blocks import ContentBlock
from ...retold import call_as_read, no_message, read_calls
from .media import medium

__all__ = ["message_as_read", "read_messages"]

_ROLES = ("system", "developer", "user", "assistant", "tool")
_UNKNOWN = "nobody's"  # the spelling of a result that does not say whose call it answers


def read_messages(listed: Sequence[Json], issuer: str, model: str | None) -> list[Msg]:
    """The entries of `messages`.

    Few clients send ids: a call without one gets one here, and a result that names none belongs
    to the first call of its name that waits for one.
    """
    origin = Origin(issuer, model)
    return retold.read_messages(listed, lambda told, at: _read_message(told, issuer, origin, at))


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
