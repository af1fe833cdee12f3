"""Messages of a request, read into the tree, and said again as they were read.

`read_messages` and `message_as_read` are each other's inverse. Reference: Model Studio, "Qwen API
via DashScope", `input.messages`; requests of its SDKs, AgentScope and Qwen-Agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import retold
from ...jsontext import Json, JsonObject
from ...message import (
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
from .parts import marked, part_as_read, read_part, unmarked

__all__ = ["message_as_read", "read_messages"]

_ROLES = ("system", "user", "assistant", "tool")
_UNKNOWN = "nobody's"  # the spelling of a result that does not say whose call it answers


def read_messages(listed: Sequence[Json], issuer: str, model: str | None) -> list[Msg]:
    """The entries of `messages`; a result that names no call belongs to the first of its name."""
    origin = Origin(issuer, model)
    return retold.read_messages(listed, lambda told, at: _read_message(told, issuer, origin, at))


def _read_message(told: Json, issuer: str, origin: Origin, place: int) -> Msg:
    """One of them; what is no message of a known role is kept as it came."""
    role = told.get("role") if isinstance(told, dict) else None
    if not isinstance(told, dict) or not isinstance(role, str) or role not in _ROLES:
        return no_message(told, issuer)
    rest = {key: value for key, value in told.items() if key != "role"}
    if role == "tool":
        return _result(rest, issuer)
    blocks: list[ContentBlock] = []
    thinking = rest.get("reasoning_content") if role == "assistant" else None
    if isinstance(thinking, str) and thinking:
        blocks.append(ThinkingBlock(rest.pop("reasoning_content"), origin=origin))
    said, word = _content(rest, issuer)
    calls = read_calls(rest, issuer, place) if role == "assistant" else []
    content: Any = said
    if not isinstance(said, str):
        content = [*blocks, *said, *calls]
    elif blocks or calls:
        content = [*blocks, *([TextBlock(said)] if said else []), *calls]
        word = "string"
    made = Msg.trusted("", content, role)  # type: ignore[arg-type]  # one of the roles
    made.spelling = word or None
    if rest:
        made.cache = unmarked(rest)
    if rest:
        made.extras = {issuer: rest}
    return made


def _content(rest: JsonObject, issuer: str) -> tuple[str | list[ContentBlock], str]:
    """(what is said, how it is spelled); what is no content stays among the other fields."""
    if "content" not in rest:
        return [], "absent"
    said = rest["content"]
    if isinstance(said, str):
        return rest.pop("content"), ""
    if isinstance(said, list):
        del rest["content"]
        return [read_part(part, issuer) for part in said], "list"
    if said is None:
        del rest["content"]
        return [], "null"
    return [], "absent"


def _result(rest: JsonObject, issuer: str) -> Msg:
    block = ToolResultBlock("")
    words = []
    if isinstance(rest.get("tool_call_id"), str) and rest["tool_call_id"]:
        block.id = rest.pop("tool_call_id")
    else:
        words.append(_UNKNOWN)
    if isinstance(rest.get("name"), str) and rest["name"]:
        block.name = rest.pop("name")
    said, word = _content(rest, issuer)
    block.output = said if word in ("", "list") else None
    block.spelling = " ".join(filter(None, [word, *words])) or None
    made = Msg.trusted("", [block], "tool")
    if rest:
        made.cache = unmarked(rest)
    if rest:
        block.extras = {issuer: rest}
    return made


def message_as_read(m: Msg, issuer: str) -> Json:
    """The entry of `messages` that `read_messages` made the message of."""
    content: Any = m.content
    own: JsonObject = (m.extras or {}).get(issuer, {})
    made: JsonObject
    if type(content) is str:
        made = {"role": m.role, "content": content}
    elif m.role == "tool":
        made = _result_as_read(content[0], issuer)
    elif len(content) == 1 and type(content[0]) is RawBlock and content[0].role == "message":
        return content[0].data
    else:
        made = _blocks_as_read(m, issuer)
    return {**made, **marked(m.cache), **own}


def _blocks_as_read(m: Msg, issuer: str) -> JsonObject:
    made: JsonObject = {"role": m.role}
    parts: list[ContentBlock] = []
    calls: list[Json] = []
    for block in m.blocks:
        if type(block) is ToolUseBlock or (type(block) is RawBlock and block.role == "call"):
            calls.append(call_as_read(block, issuer, len(calls)))
        elif type(block) is ThinkingBlock:
            made["reasoning_content"] = block.thinking
        else:
            parts.append(block)
    if m.spelling == "string":
        made["content"] = "".join(part.text for part in parts if type(part) is TextBlock)
    elif m.spelling == "list":
        made["content"] = [part_as_read(part, issuer) for part in parts]
    elif m.spelling == "null":
        made["content"] = None
    if calls:
        made["tool_calls"] = calls
    return made


def _result_as_read(block: ToolResultBlock, issuer: str) -> JsonObject:
    words = (block.spelling or "").split()
    made: JsonObject = {"role": "tool"}
    if isinstance(block.output, list):
        made["content"] = [part_as_read(part, issuer) for part in block.output]
    elif "absent" not in words:
        made["content"] = block.output
    if _UNKNOWN not in words:
        made["tool_call_id"] = block.id
    if block.name:
        made["name"] = block.name
    return {**made, **(block.extras or {}).get(issuer, {})}
