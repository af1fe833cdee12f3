"""Messages of a request, read into the tree, and said again as they were read.

`read_message` and `message_as_read` are each other's inverse, whatever the API may refuse.
Reference: Cohere API, "Chat", `messages`.
"""

from __future__ import annotations

from functools import partial

from ... import retold
from ...jsontext import Json, JsonObject
from ...message import Msg, Origin, RawBlock, TextBlock, ToolUseBlock
from ...message.blocks import ContentBlock
from .cited import attached, listed
from .parts import PLAN, TEXT, part_as_read, read_parts

__all__ = ["message_as_read", "read_message"]


def read_message(told: Json, issuer: str, origin: Origin, place: int) -> Msg:
    """One entry of `messages`; what is no message of a known role is kept as it came."""
    return retold.read_message(
        told, issuer, read_parts, lambda rest: _answer(rest, issuer, origin, place)
    )


def _answer(rest: JsonObject, issuer: str, origin: Origin, place: int) -> Msg:
    said, word = retold.content(rest, issuer, read_parts, origin)
    behind: list[ContentBlock] = []
    plan, cited = rest.get("tool_plan"), rest.get("citations")
    if isinstance(plan, str) and plan:
        del rest["tool_plan"]
        behind.append(TextBlock(plan, spelling=PLAN))
    behind += retold.read_calls(rest, issuer, place)
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


def message_as_read(m: Msg, issuer: str) -> Json:
    """The entry of `messages` that `read_message` made the message of."""
    content = m.content
    made: JsonObject = {"role": m.role, "content": content}
    mine = (m.extras or {}).get(issuer, {})
    if not isinstance(content, str):
        if len(content) == 1 and type(content[0]) is RawBlock and content[0].role == "message":
            return content[0].data
        if m.role == "tool":
            made = retold.result_as_read(content[0], partial(part_as_read, issuer=issuer))
        else:
            made = _said(m, issuer)
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
            calls.append(retold.call_as_read(block, issuer, len(calls)))
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
