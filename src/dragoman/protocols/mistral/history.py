"""Messages of a request, read into the tree, and said again as they were read.

`read_message` and `message_as_read` are each other's inverse, whatever the API may refuse.
Reference: Mistral API, "Chat Completion", `messages`.
"""

from __future__ import annotations

from functools import partial

from ... import retold
from ...jsontext import Json, JsonObject
from ...message import Msg, Origin, RawBlock, TextBlock, ToolUseBlock
from ...message.blocks import ContentBlock
from .chunks import CHUNK
from .parts import part_as_read, read_parts

__all__ = ["message_as_read", "read_message"]

_PREFIX = {True: "prefix", False: "unfixed"}  # how a message says whether it is to be continued


def read_message(told: Json, issuer: str, origin: Origin, place: int) -> Msg:
    """One entry of `messages`; what is no message of a known role is kept as it came."""
    return retold.read_message(
        told, issuer, read_parts, lambda rest: _answer(rest, issuer, origin, place)
    )


def _answer(rest: JsonObject, issuer: str, origin: Origin, place: int) -> Msg:
    said, word = retold.content(rest, issuer, read_parts, origin)
    calls = retold.read_calls(rest, issuer, place)
    if calls and isinstance(said, str):
        said = [TextBlock(said)] if said else []
    made = Msg.trusted("", [*said, *calls] if calls else said, "assistant")
    words = [word] if word else []
    if isinstance(rest.get("prefix"), bool):
        words.append(_PREFIX[rest.pop("prefix")])
    made.spelling = " ".join(words) or None
    return made


def message_as_read(m: Msg, issuer: str) -> Json:
    """The entry of `messages` that `read_message` made the message of."""
    content = m.content
    made: JsonObject = {"role": m.role, "content": content}
    if not isinstance(content, str):
        if len(content) == 1 and type(content[0]) is RawBlock and content[0].role == "message":
            return content[0].data
        if m.role == "tool":
            made = retold.result_as_read(content[0], partial(part_as_read, issuer=issuer))
        else:
            made = _said(m, issuer)
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
            calls.append(retold.call_as_read(block, issuer, len(calls)))
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
