"""Parts and thinking in the form of Claude's Messages API, in bodies of other wires.

Clients of gateways mix them into Chat Completions: images and documents with a `source`, and
thinking with its signature in `thinking_blocks` or among the parts. Reference: Anthropic API,
"Create a message", `content`.
"""

from __future__ import annotations

import base64
from typing import Any

from ..message import (
    Base64Source,
    DocumentBlock,
    FileSource,
    ImageBlock,
    Origin,
    Source,
    ThinkingBlock,
    URLSource,
)
from ..text.json_text import Json, JsonObject
from .chat_like.messages import are_objects

ISSUER = "anthropic"
FORM = "claude"  # first word of the spelling of such a block
FIELD = "thinking_blocks"
_BESIDE = "reasoning_content"  # repeats the thinking as one text
_TEXT = "text"  # in the spelling of a document whose source is a text

# the keys of a source -> its kind
_SOURCES = {
    "base64": {"type", "media_type", "data"},
    "url": {"type", "url"},
    "file": {"type", "file_id"},
    "text": {"type", "media_type", "data"},
}


def read_part(
    part: JsonObject,
) -> tuple[ImageBlock | DocumentBlock | ThinkingBlock, tuple[str, ...]] | None:
    """Read a part: return its block and the keys it was read from; None for other parts."""
    kind = part.get("type")
    if kind in ("thinking", "redacted_thinking"):
        return _read_thinking(part)
    if kind not in ("image", "document"):
        return None
    source = _read_source(part.get("source"), kind == "document")
    if source is None:
        return None
    if kind == "image":
        return ImageBlock(source, spelling=FORM), ("type", "source")
    is_text = part["source"]["type"] == "text"
    block = DocumentBlock(source, spelling=f"{FORM} {_TEXT}" if is_text else FORM)
    keys = ["type", "source"]
    for name in ("title", "context"):
        if isinstance(part.get(name), str):
            setattr(block, name, part[name])
            keys.append(name)
    switch = part.get("citations")
    if (
        isinstance(switch, dict)
        and switch.keys() == {"enabled"}
        and type(switch["enabled"]) is bool
    ):
        block.cite = switch["enabled"]
        keys.append("citations")
    return block, tuple(keys)


def _read_source(data: Json, is_document: bool) -> Source | None:
    kind = data.get("type") if isinstance(data, dict) else None
    if not isinstance(kind, str) or data.keys() != _SOURCES.get(kind):
        return None
    if not all(isinstance(value, str) for value in data.values()):
        return None
    if kind == "url":
        return URLSource(data["url"], read=True)
    if kind == "file":
        return FileSource(data["file_id"], ISSUER)
    if kind == "base64":
        return Base64Source(data["media_type"], data["data"])
    if not is_document or data["media_type"] != "text/plain":
        return None
    try:
        return Base64Source("text/plain", base64.b64encode(data["data"].encode()).decode())
    except UnicodeEncodeError:  # half of a surrogate pair
        return None


def _read_thinking(part: JsonObject) -> tuple[ThinkingBlock, tuple[str, ...]] | None:
    origin = Origin(ISSUER)
    if part["type"] == "redacted_thinking":
        data = part.get("data")
        block = ThinkingBlock("", redacted=data, spelling=FORM, origin=origin)
        return (block, ("type", "data")) if isinstance(data, str) and data else None
    text, signature = part.get("thinking"), part.get("signature")
    if not isinstance(text, str):
        return None
    block = ThinkingBlock(text, spelling=FORM, origin=origin)
    if not isinstance(signature, str):
        return block, ("type", "thinking")
    block.signature = signature
    return block, ("type", "thinking", "signature")


def part_as_read(block: Any) -> JsonObject:
    """Return the part that `read_part` read the block from."""
    if type(block) is ThinkingBlock:
        if block.redacted is not None:
            return {"type": "redacted_thinking", "data": block.redacted}
        proof = {} if block.signature is None else {"signature": block.signature}
        return {"type": "thinking", "thinking": block.thinking, **proof}
    source: JsonObject
    if type(block.source) is URLSource:
        source = {"type": "url", "url": block.source.url}
    elif type(block.source) is FileSource:
        source = {"type": "file", "file_id": block.source.file_id}
    elif _TEXT in block.spelling.split():
        text = base64.b64decode(block.source.data).decode()
        source = {"type": "text", "media_type": "text/plain", "data": text}
    else:
        medium = block.source
        source = {"type": "base64", "media_type": medium.media_type, "data": medium.data}
    part: JsonObject = {"type": block.type, "source": source}
    for name in ("title", "context"):
        if getattr(block, name, None) is not None:
            part[name] = getattr(block, name)
    if getattr(block, "cite", None) is not None:
        part["citations"] = {"enabled": block.cite}
    return part


def read_thinking(fields: JsonObject, issuer: str) -> list[ThinkingBlock]:
    """Take the `thinking_blocks` of an assistant's message out of its fields, as blocks.

    If one of them has another form, none is taken. The text that repeats them in
    `reasoning_content` is taken, too.
    """
    entries = fields.get(FIELD)
    if not are_objects(entries):
        return []
    blocks: list[ThinkingBlock] = []
    for entry in entries:
        kind = entry.get("type")
        found = _read_thinking(entry) if kind in ("thinking", "redacted_thinking") else None
        if found is None:
            return []
        block, keys = found
        unknown = {key: value for key, value in entry.items() if key not in keys}
        block.extras = {issuer: unknown} if unknown else None
        block.read_from = entry
        blocks.append(block)
    del fields[FIELD]
    repeated = fields.get(_BESIDE) == "".join(block.thinking for block in blocks)
    for block in blocks:
        block.spelling = f"{FORM} {FIELD}"
        if repeated:
            block.spelling += f" {_BESIDE}"
    if repeated:
        del fields[_BESIDE]
    return blocks


def write_thinking_as_read(block: ThinkingBlock, message: JsonObject, issuer: str) -> bool:
    """Put thinking into the field that `read_thinking` took it from; False for other blocks."""
    notes = (block.spelling or "").split()
    if notes[:2] != [FORM, FIELD]:
        return False
    entry = {**part_as_read(block), **(block.extras or {}).get(issuer, {})}
    message.setdefault(FIELD, []).append(entry)
    if notes[-1] == _BESIDE:
        message[_BESIDE] = message.get(_BESIDE, "") + block.thinking
    return True
