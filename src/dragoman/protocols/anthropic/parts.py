"""Content blocks of a request, read into the tree, and said again as they were read.

`read_part` and `part_as_read` are each other's inverse. Blocks of the model are read as `content`
reads them in answers. Reference: Anthropic API, "Create a Message", content block parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from ...jsontext import Json, JsonObject
from ...message import (
    CacheHint,
    DocumentBlock,
    ImageBlock,
    Origin,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from ...message.blocks import TEXTS, ContentBlock
from ...pieces.arguments import parsed
from .content import citation, raw
from .sources import read_source, source_as_read
from .writer import cache_control

__all__ = ["part_as_read", "read_part", "unmarked"]

_CLIENT = ("tool_use", "tool_result")
_WORDED = ("search_result", "document")


def read_part(
    told: Json, issuer: str, origin: Origin | None = None, inner: bool = False
) -> ContentBlock:
    """One content block; what no block models is kept as it came.

    `origin` is whose sealed thinking it is; `inner` is a block of a result, which holds no calls.
    """
    if not isinstance(told, dict):
        return RawBlock(issuer, told, by="client")
    kind = told.get("type")
    if kind == "text" and len(told) == 2 and type(told.get("text")) is str:
        return TextBlock(told["text"])
    read = (_INNER if inner else _READERS).get(kind) if isinstance(kind, str) else None
    rest = {key: value for key, value in told.items() if key != "type"}
    block: Any = read(rest, issuer) if read is not None else None
    if block is None:
        if inner:
            return RawBlock(issuer, told, by="client", spelling=TEXTS if _is_text(told) else None)
        return _raw(told, issuer)
    if type(block) is ThinkingBlock:
        # what nobody has sealed may be another model's, which a gateway showed to this client
        block.origin = origin if block.signature or block.redacted is not None else None
    elif "cache_control" in rest and (hint := unmarked(rest["cache_control"])) is not None:
        block.cache = hint  # all that is read here but thinking has one
        del rest["cache_control"]
    if rest:
        block.extras = {issuer: rest}
    return cast("ContentBlock", block)


def _raw(told: JsonObject, issuer: str) -> RawBlock:
    made = raw(told, issuer)
    if told.get("type") in _CLIENT:
        made.by = "client"
    if _is_text(told):
        made.spelling = TEXTS
    return made


def _is_text(told: JsonObject) -> bool:
    """Whether it is nothing but texts: what a search found, or a document in chunks."""
    said: Any = told if told.get("type") == "search_result" else told.get("source")
    said = said.get("content") if isinstance(said, dict) else None
    kinds = {one.get("type") if isinstance(one, dict) else None for one in said or ()
             } if isinstance(said, list) else set()  # fmt: skip
    return kinds == {"text"} and told.get("type") in _WORDED


def unmarked(told: Json) -> CacheHint | None:
    """The cache hint that a mark says, if it says nothing else."""
    if not isinstance(told, dict) or told.get("type") != "ephemeral":
        return None
    if len(told) == 1:
        return CacheHint()
    ttl = told.get("ttl")
    return CacheHint(ttl) if len(told) == 2 and isinstance(ttl, str) else None


def _text(rest: JsonObject, _: str) -> TextBlock | None:
    text = rest.pop("text", None)
    if not isinstance(text, str):
        return None
    cited = rest.get("citations")
    if isinstance(cited, list) and cited and all(isinstance(one, dict) for one in cited):
        return TextBlock(text, [citation(one) for one in cited])
    return TextBlock(text)


def _thinking(rest: JsonObject, _: str) -> ThinkingBlock | None:
    text = rest.pop("thinking", None)
    if not isinstance(text, str):
        return None
    block = ThinkingBlock(text)
    signature = rest.get("signature")
    if isinstance(signature, str):
        block.signature = rest.pop("signature")
    elif signature is None and "signature" in rest:
        del rest["signature"]
        block.spelling = "null"
    return block


def _redacted(rest: JsonObject, _: str) -> ThinkingBlock | None:
    data = rest.pop("data", None)
    return ThinkingBlock("", redacted=data) if isinstance(data, str) else None


def _call(rest: JsonObject, _: str) -> ToolUseBlock | None:
    id, name = rest.pop("id", None), rest.pop("name", None)
    if not isinstance(id, str) or not isinstance(name, str):
        return None
    block = ToolUseBlock(id, name)
    if "input" not in rest:
        block.spelling = "absent"
        return block
    given = rest.pop("input")
    if isinstance(given, str):
        block.raw_input, block.input, block.spelling = given, parsed(given), "text"
    elif given is None:
        block.spelling = "null"
    else:
        block.input = given
    return block


def _result(rest: JsonObject, issuer: str) -> ToolResultBlock | None:
    id = rest.pop("tool_use_id", None)
    if not isinstance(id, str):
        return None
    block = ToolResultBlock(id, output=None)
    said = rest.get("content")
    words = []
    if isinstance(said, (str, list)):
        del rest["content"]
        inner = isinstance(said, list)
        block.output = [read_part(one, issuer, inner=True) for one in said] if inner else said
    elif said is None and "content" in rest:
        del rest["content"]
        words.append("null")
    if isinstance(rest.get("is_error"), bool):
        block.is_error = rest.pop("is_error")
        words += [] if block.is_error else ["false"]
    block.spelling = " ".join(words) or None
    return block


def _image(rest: JsonObject, issuer: str) -> ImageBlock | None:
    found = read_source(rest.pop("source", None), issuer, document=False)
    if found is None:
        return None
    source, spelling, more = found
    if more:
        rest["source"] = more
    return ImageBlock(source, spelling=spelling)


def _document(rest: JsonObject, issuer: str) -> DocumentBlock | None:
    found = read_source(rest.pop("source", None), issuer, document=True)
    if found is None:
        return None
    source, spelling, more = found
    if more:
        rest["source"] = more
    title = rest.pop("title") if isinstance(rest.get("title"), str) else None
    return DocumentBlock(source, title=title, spelling=spelling)


_INNER: dict[str, Callable[[JsonObject, str], Any]] = {
    "text": _text,
    "image": _image,
    "document": _document,
}
_READERS = {**_INNER, "thinking": _thinking, "redacted_thinking": _redacted, "tool_use": _call,
            "tool_result": _result}  # fmt: skip


def part_as_read(block: ContentBlock, issuer: str) -> Json:
    """The content block that `read_part` made the block of."""
    if type(block) is RawBlock:
        return block.data
    own = (block.extras or {}).get(issuer, {})
    made: JsonObject
    if type(block) is TextBlock:
        made = {"type": "text", "text": block.text, **own}
    elif type(block) is ThinkingBlock:
        return {**_said_thinking(block), **own}
    elif type(block) is ToolUseBlock:
        made = {"type": "tool_use", "id": block.id, "name": block.name, **own}
        if block.spelling != "absent":
            made["input"] = _SPELLED.get(block.spelling or "", _value)(block)
    elif type(block) is ToolResultBlock:
        made = {**_said_result(block, issuer), **own}
    else:
        made = _said_medium(block, own)
    hint = getattr(block, "cache", None)
    if hint is not None:
        made["cache_control"] = cache_control(hint)
    return made


def _value(block: ToolUseBlock) -> Json:
    return block.input


_SPELLED: dict[str, Callable[[ToolUseBlock], Json]] = {
    "text": lambda block: block.raw_input,
    "null": lambda _: None,
}


def _said_thinking(block: ThinkingBlock) -> JsonObject:
    if block.redacted is not None:
        return {"type": "redacted_thinking", "data": block.redacted}
    made: JsonObject = {"type": "thinking", "thinking": block.thinking}
    if block.signature is not None or block.spelling == "null":
        made["signature"] = block.signature
    return made


def _said_result(block: ToolResultBlock, issuer: str) -> JsonObject:
    made: JsonObject = {"type": "tool_result", "tool_use_id": block.id}
    words = (block.spelling or "").split()
    output = block.output
    if isinstance(output, list):
        made["content"] = [part_as_read(one, issuer) for one in output]
    elif output is not None or "null" in words:
        made["content"] = output
    if block.is_error or "false" in words:
        made["is_error"] = block.is_error
    return made


def _said_medium(block: Any, own: JsonObject) -> JsonObject:
    made: JsonObject = {"type": block.type, **own}
    made["source"] = {**source_as_read(block.source, block.spelling), **own.get("source", {})}
    if block.title is not None:
        made["title"] = block.title
    return made
