"""Content blocks of a request, read into the tree, and said again as they were read.

`read_part` and `part_as_read` are each other's inverse, and so are `read_parts` and
`parts_as_read`, which know the cache points between the blocks. Reference: Amazon Bedrock API
reference, "ContentBlock", "ToolResultContentBlock", "SystemContentBlock".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...jsontext import Json, JsonObject
from ...message import (
    CacheHint,
    Origin,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from ...message.blocks import ContentBlock, answered
from ...pieces.arguments import parsed
from ...shapes import filled
from .content import TEXT, TYPED, block
from .medium import medium_as_read
from .writer import cache_point, marked, thought

__all__ = ["own_fields", "part_as_read", "parts_as_read", "read_part", "read_parts", "unmarked"]

_STATUS = {"error": True, "success": False}


def read_parts(told: list[Json], issuer: str, origin: Origin | None = None) -> list[ContentBlock]:
    """The blocks of a list; a cache point is a hint on the block before it.

    `origin`: who wrote them, if that was a model; the results in its turns are the server's own.
    """
    made: list[ContentBlock] = []
    for one in told:
        if made and (hint := unmarked(one)) is not None:
            last: Any = made[-1]
            if getattr(last, "cache", hint) is None:
                last.cache = hint
                continue
        part = read_part(one, issuer, origin)
        if type(part) is ThinkingBlock:
            part.origin = origin
        made.append(part)
    return made


def parts_as_read(blocks: Iterable[ContentBlock], issuer: str) -> list[Json]:
    """The list that `read_parts` made the blocks of."""
    made: list[Json] = []
    for one in blocks:
        made.append(part_as_read(one, issuer))
        if (hint := getattr(one, "cache", None)) is not None:
            made.append(cache_point(hint))
    return made


def unmarked(told: Json) -> CacheHint | None:
    """The hint that a cache point is, if it says no more than that."""
    point = told.get("cachePoint") if type(told) is dict and len(told) == 1 else None
    if type(point) is not dict or point.get("type") != "default":
        return None
    ttl = point.get("ttl")
    usual = len(point) == 1 or (len(point) == 2 and isinstance(ttl, str))
    return CacheHint(ttl) if usual else None


def read_part(told: Json, issuer: str, origin: Origin | None = None) -> ContentBlock:
    """One content block; what no block models is kept as it came."""
    if type(told) is not dict:
        return RawBlock(issuer, told, by="client")
    try:
        inner: Any
        if len(told) == 1 and type(inner := next(iter(told.values()))) is dict:
            if "toolUse" in told:
                return _call(inner, issuer) or _whole(told, issuer)
            if "toolResult" in told:
                return _result(inner, issuer, origin) or _whole(told, issuer)
            if "guardContent" in told:
                return _guarded(inner, issuer) or _whole(told, issuer)
        made = block(told, issuer, issuer)
    except (TypeError, ValueError):
        return RawBlock(issuer, told, by="client")
    if type(made) is RawBlock and origin is None:
        made.by = "client"
    return made


def _whole(told: JsonObject, issuer: str) -> RawBlock:
    """A call, a result or a guarded image as it came, with its pairing."""
    ((key, inner),) = told.items()
    pair = inner.get("toolUseId")
    paired = pair if isinstance(pair, str) else None
    role: Any = {"toolUse": "call", "toolResult": "result"}.get(key, "item")
    server = role != "item" and ("type" in inner)
    return RawBlock(issuer, told, role, paired, by="server" if server else "client")


def _call(told: JsonObject, issuer: str) -> ContentBlock | None:
    """A call with its id, name and input; one of the server's own tools comes back whole."""
    if not ("toolUseId" in told and "name" in told and "input" in told):
        return None
    made = block({"toolUse": told}, issuer, issuer)
    if type(made) is ToolUseBlock and made.raw_input is not None:
        made.input = parsed(made.raw_input)
    return made


def _result(told: JsonObject, issuer: str, origin: Origin | None) -> ContentBlock | None:
    """A result; one of a server's own tool, which stands in the turn of the model, stays whole."""
    id, content, status = told.get("toolUseId"), told.get("content"), told.get("status")
    if origin is not None:
        return block({"toolResult": told}, issuer)
    if not isinstance(id, str) or not isinstance(content, list) or "type" in told:
        return None
    made = ToolResultBlock(id)
    known = {"toolUseId", "content"}
    if isinstance(status, str) and status in _STATUS:
        known.add("status")
        made.is_error = _STATUS[status]
        made.spelling = None if made.is_error else status
    first = content[0] if len(content) == 1 and type(content[0]) is dict else {}
    if first.keys() == {"text"} and isinstance(first["text"], str):
        made.output = first["text"]
    elif first.keys() == {"json"} and isinstance(first["json"], dict):
        made.output = first["json"]
    else:
        made.output = read_parts(content, issuer)
    rest = {key: value for key, value in told.items() if key not in known}
    made.extras = {issuer: rest} if rest else None
    return made


def _guarded(told: JsonObject, issuer: str) -> ContentBlock | None:
    """`{"text": {"text", "qualifiers"}}`: a text that a guardrail looks at."""
    said = told.get("text")
    if len(told) != 1 or not isinstance(said, dict) or not isinstance(said.get("text"), str):
        return None
    rest = {key: value for key, value in said.items() if key != "text"}
    own: JsonObject = {"guardContent": {"text": rest} if rest else {}}
    return TextBlock(said["text"], extras={issuer: own})


def own_fields(node: Any, issuer: str) -> JsonObject:
    """The fields that the issuer's requests and answers have beside what the node models."""
    extras = node.extras
    if not extras:
        return {}
    own, aside = extras.get(issuer), extras.get(answered(issuer))
    if own and aside:
        return filled(dict(own), aside)
    return own or aside or {}


def part_as_read(block: ContentBlock, issuer: str) -> Json:
    """The object that `read_part`, or the reader of answers, made the block of."""
    own = own_fields(block, issuer)
    if type(block) is TextBlock:
        return marked(block, own) if own else {"text": block.text}
    if type(block) is ToolUseBlock:
        words = (block.spelling or "").split()
        said: JsonObject = {"toolUseId": block.id, "name": block.name, "input": block.input}
        if TEXT in words:
            said["input"] = block.raw_input
        if TYPED in words:
            said["type"] = TYPED
        return {"toolUse": {**said, **own}}
    if type(block) is ToolResultBlock:
        return {"toolResult": {**_said_result(block, issuer), **own}}
    if type(block) is ThinkingBlock:
        made = thought(block)
        if block.spelling == "textless":
            del made["reasoningText"]["text"]
        return {"reasoningContent": filled(made, own)}
    if type(block) is RawBlock:
        return block.data
    return medium_as_read(block, own)  # type: ignore[arg-type]  # no refusal is ever read


def _said_result(block: ToolResultBlock, issuer: str) -> JsonObject:
    output = block.output
    made: JsonObject = {"toolUseId": block.id}
    if isinstance(output, list):
        made["content"] = parts_as_read(output, issuer)
    else:
        made["content"] = [{"json" if isinstance(output, dict) else "text": output}]
    if block.is_error or block.spelling:
        made["status"] = "error" if block.is_error else block.spelling
    return made
