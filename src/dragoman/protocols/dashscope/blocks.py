"""Parts of a content: text and media, in requests and in answers.

The kind of a part is its key (`{"text": "..."}`, `{"image": "https://..."}`); it may have other
keys, too.

Reference: Model Studio, "Qwen API via DashScope", `messages[].content`.
"""

from __future__ import annotations

from typing import Any

from ... import message as tree
from ...errors import WriteError
from ...message import AudioBlock, CacheHint, ContentBlock, ImageBlock, Origin, TextBlock
from ...message.media_urls import read_url, write_url
from ...text.json_text import Json, JsonObject
from ..chat_like.messages import are_texts

MEDIA: dict[str, Any] = {"image": ImageBlock, "audio": AudioBlock, "video": tree.VideoBlock}

_TYPED = "typed"  # the spelling of a part that also has its kind in a key `type`
_NULL = "null"  # of a text that is null


def read_part(part: Any, issuer: str) -> Any:
    """Read one entry of a content list; an unknown one is kept unchanged."""
    kinds = [key for key in ("text", *MEDIA) if key in part] if isinstance(part, dict) else []
    kind = kinds[0] if len(kinds) == 1 else ""
    value: Any = part[kind] if kind else None
    block: Any
    spelling = None
    if kind == "text" and (value is None or isinstance(value, str)):
        block = TextBlock(value or "")
        spelling = _NULL if value is None else None
    elif kind == "video" and are_texts(value):
        block = tree.VideoBlock(tree.FramesSource(value))
    elif kind and isinstance(value, str):
        if value.startswith("oss://"):  # a file that was uploaded to the provider
            block = MEDIA[kind](tree.FileSource(value, issuer))
        else:
            source, spelling = read_url(value)
            block = MEDIA[kind](source)
    else:
        block = tree.RawBlock(issuer, part, by="client")
        block.read_from = part
        return block
    if len(part) > 1:
        other_fields = {key: value for key, value in part.items() if key != kind}
        if other_fields.get("type") == kind:
            del other_fields["type"]
            spelling = f"{_TYPED} {spelling}" if spelling else _TYPED
        block.cache = read_cache(other_fields)
        if other_fields:
            block.extras = {issuer: other_fields}
    block.spelling = spelling
    block.read_from = part
    return block


def read_parts(parts: list[Json], issuer: str, origin: Origin | None = None) -> list[ContentBlock]:
    """Read the blocks of a content list."""
    return [read_part(part, issuer) for part in parts]


def write_part(block: Any, fields: JsonObject, spelling: str | None = None) -> JsonObject:
    """Write the part of a text or medium, with the `fields` beside it.

    `spelling` is the block's own if it was read from a request of this wire.
    """
    first, _, head = (spelling or "").partition(" ")
    part: JsonObject = {"type": block.type} if first == _TYPED else {}
    note = head if first == _TYPED else spelling
    if type(block) is TextBlock:
        part["text"] = None if note == _NULL else block.text
    else:
        part[block.type] = media_link(block, note)
    return {**part, **cache_field(block.cache), **fields}


def media_link(block: Any, head: str | None = None) -> str | list[str]:
    """Return the URL, file or data URI of a medium, or those of a video's frames.

    `head` is the start of the URI as it was read.
    """
    source = block.source
    if type(source) is tree.FramesSource:
        return list(source.frames)
    if type(source) is tree.FileSource:
        return source.file_id
    if type(source) is tree.LocalSource or type(source) is tree.TextSource:
        raise WriteError(f"{block.type} from a {source.type} source", code="placement.unsupported")
    return write_url(source, head)


def read_cache(fields: JsonObject) -> CacheHint | None:
    """Take the cache mark out of the fields beside it; None if there is none."""
    mark = fields.get("cache_control")
    if not isinstance(mark, dict) or mark.get("type") != "ephemeral":
        return None
    if mark.keys() - {"type", "ttl"} or not isinstance(mark.get("ttl", ""), str):
        return None
    del fields["cache_control"]
    return CacheHint(mark.get("ttl"))


def cache_field(hint: CacheHint | None) -> JsonObject:
    """Return the field of a cache mark; no field without one."""
    if hint is None:
        return {}
    ttl = {} if hint.ttl is None else {"ttl": hint.ttl}
    return {"cache_control": {"type": "ephemeral", **ttl}}
