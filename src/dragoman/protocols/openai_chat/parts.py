"""Content parts of a request, read into blocks, and said again as they were read.

`read_part` and `part_as_read` are each other's inverse. Reference: OpenAI API, "Create chat
completion", `messages[].content[]`, and the parts that compatible servers take beside them.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import Json, JsonObject
from ...media import read_url, url_of
from ...message import (
    AudioBlock,
    Base64Source,
    CacheHint,
    DocumentBlock,
    FileSource,
    ImageBlock,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    VideoBlock,
)
from ...message.blocks import ContentBlock

__all__ = ["MARKS", "PART", "marked", "part_as_read", "read_part", "read_said", "unmarked"]

_LINKS: dict[str, type[Any]] = {"image_url": ImageBlock, "video_url": VideoBlock,
                                "audio_url": AudioBlock}  # fmt: skip
_FORMATS = {"wav": "audio/wav", "mp3": "audio/mpeg"}
PART = "part"  # the spelling of calls and results among the parts of a content
_CLAUDES = {"tool_use": ("type", "id", "input"), "tool_result": ("type", "tool_use_id", "content")}
# cache marks: their key, and what stands in them beside the time that they hold
MARKS = {"cache_control": {"type": "ephemeral"}, "prompt_cache_breakpoint": {"mode": "explicit"}}


def read_part(told: Json, issuer: str) -> ContentBlock:
    """One entry of a content list; what no block models is kept as it came."""
    if not isinstance(told, dict):
        return RawBlock(issuer, told, by="client")
    kind = told.get("type")
    block: ContentBlock | None = None
    if kind == "text":
        block = TextBlock(told["text"]) if isinstance(told.get("text"), str) else None
    elif kind == "refusal":
        block = RefusalBlock(told["refusal"]) if isinstance(told.get("refusal"), str) else None
    elif isinstance(kind, str) and isinstance(told.get(kind), dict):
        block = _medium(kind, told[kind], issuer)
    if block is None:
        return RawBlock(issuer, told, by="client")
    _rest(block, {k: v for k, v in told.items() if k not in ("type", kind)}, issuer)
    return block


def _rest(block: ContentBlock, rest: JsonObject, issuer: str) -> None:
    """Hang on the block what stands in its part beside what it says."""
    if rest:
        hint, key = unmarked(rest)
        if hint is not None and type(block) is not RefusalBlock:
            block.spelling = " ".join(filter(None, (block.spelling, key)))
            block.cache = hint  # type: ignore[union-attr]  # every block that is made here has one
            rest = {name: value for name, value in rest.items() if name != key}
    if rest:
        own = (block.extras or {}).get(issuer, {})
        block.extras = {issuer: {**own, **rest}}


def read_said(told: Json, issuer: str) -> ContentBlock:
    """One entry of what a message says: some histories hold calls and results in Claude's form."""
    kind = told.get("type") if isinstance(told, dict) else None
    if not isinstance(told, dict) or not isinstance(kind, str) or kind not in _CLAUDES:
        return read_part(told, issuer)
    rest = {key: value for key, value in told.items() if key not in _CLAUDES[kind]}
    id, said = (told.get(key) for key in _CLAUDES[kind][1:3])
    made: ToolUseBlock | ToolResultBlock | None = None
    if isinstance(id, str) and kind == "tool_use":
        name = rest.pop("name", None)
        if isinstance(said, dict) and isinstance(name, str):
            made = ToolUseBlock(id, name, said, spelling=PART)
    elif isinstance(id, str) and isinstance(said, (str, list)):
        output: Any = said if isinstance(said, str) else [read_part(one, issuer) for one in said]
        made = ToolResultBlock(id, "", output, spelling=PART)
        if told.get("is_error") is True:
            made.is_error = rest.pop("is_error")
    if made is None:
        return RawBlock(issuer, told, by="client")
    _rest(made, rest, issuer)
    return made


def _medium(kind: str, inner: JsonObject, issuer: str) -> ContentBlock | None:
    rest = dict(inner)
    made: Any = None
    if kind in _LINKS and isinstance(inner.get("url"), str):
        source, head = read_url(rest.pop("url"))
        made = _LINKS[kind](source, spelling=head)
        if isinstance(inner.get("detail"), str):
            made.detail = rest.pop("detail")
    elif kind == "input_audio" and isinstance(inner.get("data"), str):
        form = inner.get("format")
        if isinstance(form, str) and form in _FORMATS and not inner["data"].startswith("data:"):
            made = AudioBlock(Base64Source(_FORMATS[form], rest.pop("data")), spelling="bytes")
            del rest["format"]
    elif kind == "file" and isinstance(inner.get("file_data"), str):
        source, head = read_url(rest.pop("file_data"))
        made = DocumentBlock(source, spelling=head)
    elif kind == "file" and isinstance(inner.get("file_id"), str):
        made = DocumentBlock(FileSource(rest.pop("file_id"), issuer))
    if made is None:
        return None
    if type(made) is DocumentBlock and isinstance(inner.get("filename"), str):
        made.title = rest.pop("filename")
    if rest:
        made.extras = {issuer: {kind: rest}}
    return made  # type: ignore[no-any-return]  # a block of one of the kinds above


def unmarked(told: JsonObject) -> tuple[CacheHint | None, str]:
    """(the cache hint that a part, message or tool carries, the key that it stands under)."""
    for key, fixed in MARKS.items():
        mark = told.get(key)
        if isinstance(mark, dict) and {k: v for k, v in mark.items() if k != "ttl"} == fixed:
            ttl = mark.get("ttl")
            if isinstance(ttl, str) or "ttl" not in mark:
                return CacheHint(ttl), key
    return None, ""


def marked(hint: CacheHint, key: str) -> JsonObject:
    """The mark as it was read."""
    made: JsonObject = dict(MARKS[key])
    if hint.ttl is not None:
        made["ttl"] = hint.ttl
    return {key: made}


def part_as_read(block: ContentBlock, issuer: str) -> Json:
    """The part that `read_part` made the block of."""
    if type(block) is RawBlock:
        return block.data
    spelling, _, key = (block.spelling or "").partition(" ")
    key = key.partition(" ")[0]
    if spelling in MARKS:
        spelling, key = "", spelling
    own = (block.extras or {}).get(issuer, {})
    made: JsonObject
    if type(block) is TextBlock:
        made = {"type": "text", "text": block.text, **own}
    elif type(block) is RefusalBlock:
        made = {"type": "refusal", "refusal": block.text, **own}
    elif type(block) is ToolUseBlock:
        made = {"type": "tool_use", "id": block.id, "name": block.name, "input": block.input, **own}
    elif type(block) is ToolResultBlock:
        said = block.output
        if isinstance(said, list):
            said = [part_as_read(one, issuer) for one in said]
        made = {"type": "tool_result", "tool_use_id": block.id, "content": said, **own}
        made.update({"is_error": True} if block.is_error else {})
    else:
        kind, inner = _said(block, spelling)
        made = {"type": kind, kind: inner}
        if own:
            made.update(own)
            made[kind] = {**inner, **own.get(kind, {})}
    hint = getattr(block, "cache", None)
    return made if hint is None else {**made, **marked(hint, key)}


def _said(block: Any, spelling: str) -> tuple[str, JsonObject]:
    source = block.source
    if type(block) is DocumentBlock:
        named = {} if block.title is None else {"filename": block.title}
        if isinstance(source, FileSource):
            return "file", {"file_id": source.file_id, **named}
        return "file", {"file_data": url_of(source, spelling), **named}
    if spelling == "bytes":
        form = next(form for form, kind in _FORMATS.items() if kind == source.media_type)
        return "input_audio", {"data": source.data, "format": form}
    kind = next(kind for kind, made in _LINKS.items() if made is type(block))
    inner = {"url": url_of(source, spelling)}
    return kind, inner if block.detail is None else {**inner, "detail": block.detail}
