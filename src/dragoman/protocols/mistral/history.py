"""Messages of a request, read into the tree, and said again as they were read.

`read_message` and `message_as_read` are each other's inverse, whatever the API may refuse.
Reference: Mistral API, "Chat Completion", `messages`.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import Json, JsonObject
from ...message import Msg, Origin, RawBlock, TextBlock, ToolResultBlock, ToolUseBlock
from ...message.blocks import ContentBlock
from ...pieces.arguments import parsed
from ...shapes import filled
from .choice import UNTYPED
from .chunks import CHUNK
from .parts import part_as_read, read_parts

__all__ = ["call_as_read", "message_as_read", "read_message"]

_ROLES = ("system", "user", "assistant", "tool")
_CALL = ("id", "function", "type")
_PREFIX = {True: "prefix", False: "unfixed"}  # how a message says whether it is to be continued


def read_message(told: Json, issuer: str, origin: Origin) -> Msg:
    """One entry of `messages`; what is no message of a known role is kept as it came."""
    role: Any = told.get("role") if isinstance(told, dict) else None
    if not isinstance(role, str) or role not in _ROLES:
        return Msg.trusted("", [RawBlock(issuer, told, "message", by="client")], "user")
    rest = {key: value for key, value in told.items() if key != "role"}
    if role == "tool":
        made = Msg.trusted("", [_result(rest, issuer)], "tool")
    elif role == "assistant":
        made = _answer(rest, issuer, origin)
    else:
        said, word = _content(rest, issuer, None)
        made = Msg.trusted("", said, role)  # type: ignore[arg-type]  # one of the roles
        made.spelling = word
    if rest:
        made.extras = {issuer: rest}
    return made


def _content(
    rest: JsonObject, issuer: str, origin: Origin | None
) -> tuple[str | list[ContentBlock], str | None]:
    """(what is said, how it is spelled): taken out of `rest`."""
    said = rest.get("content")
    if isinstance(said, str):
        del rest["content"]
        return said, None
    if isinstance(said, list):
        del rest["content"]
        return read_parts(said, issuer, origin), None if said else "list"
    if said is None and "content" in rest:
        del rest["content"]
        return [], "null"
    return [], "absent"


def _answer(rest: JsonObject, issuer: str, origin: Origin) -> Msg:
    said, word = _content(rest, issuer, origin)
    calls: list[ContentBlock] = []
    told = rest.get("tool_calls")
    if isinstance(told, list) and told:
        del rest["tool_calls"]
        calls = [_call(one, nth, issuer) for nth, one in enumerate(told)]
    if calls and isinstance(said, str):
        said = [TextBlock(said)] if said else []
    made = Msg.trusted("", [*said, *calls] if calls else said, "assistant")
    words = [word] if word else []
    if isinstance(rest.get("prefix"), bool):
        words.append(_PREFIX[rest.pop("prefix")])
    made.spelling = " ".join(words) or None
    return made


def _call(told: Json, nth: int, issuer: str) -> ContentBlock:
    function = told.get("function") if isinstance(told, dict) else None
    id = told.get("id") if isinstance(told, dict) else None
    if not isinstance(function, dict) or not isinstance(id, str):
        return RawBlock(issuer, told, "call", by="client")
    name, said = function.get("name"), function.get("arguments")
    if not isinstance(name, str) or not isinstance(said, (str, dict)):
        return RawBlock(issuer, told, "call", id, by="client")
    words: list[str] = []
    if isinstance(said, str):
        block = ToolUseBlock(id, name, parsed(said), said)
    else:
        block = ToolUseBlock(id, name, said)
    rest = {key: value for key, value in told.items() if key not in _CALL}
    if told.get("type") != "function":
        words.append(UNTYPED)
        rest |= {"type": told["type"]} if "type" in told else {}
    if type(rest.get("index")) is int and rest["index"] == nth:
        words.append("placed")
        del rest["index"]
    if len(function) > 2:
        rest["function"] = {k: v for k, v in function.items() if k not in ("name", "arguments")}
    block.spelling = " ".join(words) or None
    block.extras = {issuer: rest} if rest else None
    return block


def _result(rest: JsonObject, issuer: str) -> ToolResultBlock:
    id, name = rest.get("tool_call_id"), rest.get("name")
    block = ToolResultBlock(
        rest.pop("tool_call_id") if isinstance(id, str) else "",
        rest.pop("name") if isinstance(name, str) and name else "",
    )
    said, word = _content(rest, issuer, None)
    block.output = None if word in ("null", "absent") else said
    words = [word or "", "" if isinstance(id, str) else "nobody's"]
    block.spelling = " ".join(filter(None, words)) or None
    return block


def message_as_read(m: Msg, issuer: str) -> Json:
    """The entry of `messages` that `read_message` made the message of."""
    content = m.content
    made: JsonObject = {"role": m.role, "content": content}
    if not isinstance(content, str):
        if len(content) == 1 and type(content[0]) is RawBlock and content[0].role == "message":
            return content[0].data
        made = _said_result(content[0], issuer) if m.role == "tool" else _said(m, issuer)
    for flag, word in _PREFIX.items():
        if word in (m.spelling or "").split():
            made["prefix"] = flag
    made.update((m.extras or {}).get(issuer, {}))
    return made


def _said(m: Msg, issuer: str) -> JsonObject:
    made: JsonObject = {"role": m.role}
    chunks: list[ContentBlock] = []
    calls: list[Json] = []
    for block in m.blocks:
        if type(block) is ToolUseBlock or (type(block) is RawBlock and block.role == "call"):
            calls.append(call_as_read(block, len(calls), issuer))
        else:
            chunks.append(block)
    if calls:
        made["tool_calls"] = calls
    word = (m.spelling or "").partition(" ")[0]
    first = chunks[0] if len(chunks) == 1 else None
    if type(first) is TextBlock and first.spelling != CHUNK:
        made["content"] = first.text
    elif chunks or word == "list":
        made["content"] = [part_as_read(chunk, issuer) for chunk in chunks]
    elif word != "absent":
        made["content"] = None if word == "null" else ""
    return made


def call_as_read(block: ContentBlock, nth: int, issuer: str) -> Json:
    """The entry of `tool_calls`, the `nth` of its message."""
    if type(block) is RawBlock:
        return block.data
    assert type(block) is ToolUseBlock  # the caller has looked
    words = (block.spelling or "").split()
    said = block.input if block.raw_input is None else block.raw_input
    made: JsonObject = {"id": block.id, "function": {"name": block.name, "arguments": said}}
    if UNTYPED not in words:
        made["type"] = "function"
    if "placed" in words:
        made["index"] = nth
    return filled(made, (block.extras or {}).get(issuer, {}))


def _said_result(block: Any, issuer: str) -> JsonObject:
    made: JsonObject = {"role": "tool"}
    words = (block.spelling or "").split()
    if "nobody's" not in words:
        made["tool_call_id"] = block.id
    if block.name:
        made["name"] = block.name
    output = block.output
    if isinstance(output, list):
        made["content"] = [part_as_read(one, issuer) for one in output]
    elif "absent" not in words:
        made["content"] = output
    return made
