"""Messages of a request, read into the tree, and said again as they were read.

`read_message` and `message_as_read` are each other's inverse, whatever the API may refuse.
Reference: Cohere API, "Chat", `messages`.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import Json, JsonObject
from ...message import Msg, Origin, RawBlock, TextBlock, ToolResultBlock, ToolUseBlock
from ...message.blocks import ContentBlock
from ...pieces.arguments import parsed
from ...shapes import filled
from .cited import attached, listed
from .parts import PLAN, TEXT, part_as_read, read_parts

__all__ = ["UNTYPED", "call_as_read", "message_as_read", "read_call", "read_message"]

_ROLES = ("system", "user", "assistant", "tool")
_CALL = ("id", "function", "type")
UNTYPED = "untyped"  # the spelling of a call that names no type


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
    behind: list[ContentBlock] = []
    plan, told, cited = rest.get("tool_plan"), rest.get("tool_calls"), rest.get("citations")
    if isinstance(plan, str) and plan:
        del rest["tool_plan"]
        behind.append(TextBlock(plan, spelling=PLAN))
    if isinstance(told, list) and told:
        del rest["tool_calls"]
        behind += [read_call(one, issuer) for one in told]
    cited = cited if isinstance(cited, list) else []
    if isinstance(said, str) and (behind or cited):
        said = [TextBlock(said, spelling=TEXT)] if said else []
    made = Msg.trusted("", [*said, *behind] if behind else said, "assistant")
    made.spelling = word
    if cited:
        unplaced = attached(_spoken(made), cited, issuer)
        del rest["citations"]
        if unplaced:
            rest["citations"] = unplaced
    return made


def _spoken(m: Msg) -> list[ContentBlock]:
    """The blocks of the content and the plan: all but calls."""
    return [block for block in m.blocks if not _called(block)]


def _called(block: ContentBlock) -> bool:
    return type(block) is ToolUseBlock or (type(block) is RawBlock and block.role == "call")


def read_call(told: Json, issuer: str) -> ContentBlock:
    """One entry of `tool_calls`; what is no call of a function is kept as it came."""
    function = told.get("function") if isinstance(told, dict) else None
    id = told.get("id") if isinstance(told, dict) else None
    if not isinstance(function, dict) or not isinstance(id, str):
        return RawBlock(issuer, told, "call", by="client")
    name, said = function.get("name"), function.get("arguments")
    if not isinstance(name, str) or not isinstance(said, (str, dict)):
        return RawBlock(issuer, told, "call", id, by="client")
    block = ToolUseBlock(id, name, said)
    if isinstance(said, str):
        block.input, block.raw_input = parsed(said), said
    rest = {key: value for key, value in told.items() if key not in _CALL}
    if told.get("type") != "function":
        block.spelling = UNTYPED
        rest |= {"type": told["type"]} if "type" in told else {}
    if len(function) > 2:
        rest["function"] = {k: v for k, v in function.items() if k not in ("name", "arguments")}
    block.extras = {issuer: rest} if rest else None
    return block


def _result(rest: JsonObject, issuer: str) -> ToolResultBlock:
    id = rest.get("tool_call_id")
    block = ToolResultBlock(rest.pop("tool_call_id") if isinstance(id, str) else "")
    said, word = _content(rest, issuer, None)
    block.output = None if word in ("null", "absent") else said
    words = [word or "", "" if isinstance(id, str) else "nobody's"]
    block.spelling = " ".join(filter(None, words)) or None
    return block


def message_as_read(m: Msg, issuer: str) -> Json:
    """The entry of `messages` that `read_message` made the message of."""
    content = m.content
    made: JsonObject = {"role": m.role, "content": content}
    mine = (m.extras or {}).get(issuer, {})
    if not isinstance(content, str):
        if len(content) == 1 and type(content[0]) is RawBlock and content[0].role == "message":
            return content[0].data
        made = _said_result(content[0], issuer) if m.role == "tool" else _said(m, issuer)
    if (cited := made.get("citations")) and isinstance(mine.get("citations"), list):
        return {**made, **mine, "citations": [*cited, *mine["citations"]]}
    return {**made, **mine}


def _said(m: Msg, issuer: str) -> JsonObject:
    made: JsonObject = {"role": m.role}
    parts: list[ContentBlock] = []
    calls: list[Json] = []
    cited: list[Json] = []
    for block in m.blocks:
        if _called(block):
            calls.append(call_as_read(block, issuer))
            continue
        planned = type(block) is TextBlock and block.spelling == PLAN
        fields = (block.extras or {}).get(issuer, {})
        if type(block) is not RawBlock and "citations" in fields:
            cited += listed(fields, -1 if planned else len(parts))
        if planned:
            made["tool_plan"] = block.text  # type: ignore[union-attr]  # a text
        else:
            parts.append(block)
    if calls:
        made["tool_calls"] = calls
    if cited:
        made["citations"] = cited
    first = parts[0] if len(parts) == 1 else None
    if type(first) is TextBlock and first.spelling == TEXT:
        made["content"] = first.text
    elif parts or m.spelling == "list":
        made["content"] = [part_as_read(one, issuer) for one in parts]
    elif m.spelling != "absent":
        made["content"] = None if m.spelling == "null" else ""
    return made


def call_as_read(block: ContentBlock, issuer: str) -> Json:
    """The entry of `tool_calls` that `read_call` made the block of."""
    if type(block) is RawBlock:
        return block.data
    assert type(block) is ToolUseBlock  # the caller has looked
    said = block.input if block.raw_input is None else block.raw_input
    made: JsonObject = {"id": block.id, "function": {"name": block.name, "arguments": said}}
    if block.spelling != UNTYPED:
        made["type"] = "function"
    return filled(made, (block.extras or {}).get(issuer, {}))


def _said_result(block: Any, issuer: str) -> JsonObject:
    made: JsonObject = {"role": "tool"}
    words = (block.spelling or "").split()
    if "nobody's" not in words:
        made["tool_call_id"] = block.id
    output = block.output
    if isinstance(output, list):
        made["content"] = [part_as_read(one, issuer) for one in output]
    elif "absent" not in words:
        made["content"] = output
    return made
