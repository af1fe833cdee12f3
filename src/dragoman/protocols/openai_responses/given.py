"""Input parts of a request, read into blocks, and said again as they were read.

`read_part` and `part_as_read` are each other's inverse. Reference: OpenAI API, "Create a model
response", `input_text`, `input_image`, `input_file`, `input_audio`; requests of a dozen clients.
"""

from __future__ import annotations

from typing import Any, TypeAlias

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
    Source,
    TextBlock,
    URLSource,
)
from ...message.blocks import ContentBlock
from .parts import PART, mark

__all__ = ["MARK", "part_as_read", "read_part"]

_Part: TypeAlias = TextBlock | ImageBlock | DocumentBlock | AudioBlock
MARK = "prompt_cache_breakpoint"
_TEXTS = ("input_text", "text", "output_text")
_KEYS = {"input_image": "image_url", "input_file": "file_data"}  # where a medium mostly is
_FORMATS = {"wav": "audio/wav", "mp3": "audio/mpeg"}


def read_part(told: Json, issuer: str) -> ContentBlock:
    """One part of a message or of a result; what no block models is kept as it came."""
    kind = told.get("type") if isinstance(told, dict) else None
    if kind == "input_text" and len(told) == 2 and type(told.get("text")) is str:
        return TextBlock(told["text"])
    block = _block(kind, told, issuer) if isinstance(kind, str) else None
    if block is None:
        return RawBlock(issuer, told, by="client", spelling=PART)
    said = _said(block)
    if rest := {key: value for key, value in told.items() if key not in said}:
        hint = _hint(rest.get(MARK))
        if hint is not None:
            block.cache = hint
            del rest[MARK]
        block.extras = {issuer: rest} if rest else None
    return block


def _block(kind: str, told: JsonObject, issuer: str) -> _Part | None:
    if kind in _TEXTS:
        said = told.get("text")
        spelling = None if kind == "input_text" else kind
        return TextBlock(said, spelling=spelling) if isinstance(said, str) else None
    if kind == "input_audio" and isinstance(sound := told.get(kind), dict):
        form, data = str(sound.get("format")), sound.get("data")
        if form not in _FORMATS or not isinstance(data, str) or len(sound) != 2:
            return None
        return AudioBlock(Base64Source(_FORMATS[form], data))
    if kind not in _KEYS:
        return None
    source, note = _source(told, _KEYS[kind], issuer)
    if source is None:
        return None
    detail, name = told.get("detail"), told.get("filename")
    seen = detail if isinstance(detail, str) else None
    if kind == "input_image":
        return ImageBlock(source, detail=seen, spelling=note)
    title = name if isinstance(name, str) else None
    return DocumentBlock(source, title, seen, spelling=note)


def _source(told: JsonObject, key: str, issuer: str) -> tuple[Source | None, str | None]:
    """(where the medium is, how its data URI began if that is not kept); the first that is told."""
    if isinstance(url := told.get(key), str) and url:
        source, note = read_url(url)
        # a file's bytes without their type are nothing that another wire could send
        return (None, None) if key == "file_data" and type(source) is URLSource else (source, note)
    if isinstance(url := told.get("file_url"), str) and url and key == "file_data":
        return URLSource(url), None
    id = told.get("file_id")
    return (FileSource(id, issuer) if isinstance(id, str) and id else None), None


def _hint(told: Json) -> CacheHint | None:
    """A breakpoint that says no more than that, and how long it holds."""
    if not isinstance(told, dict) or told.get("mode") != "explicit":
        return None
    ttl = told.get("ttl")
    known = isinstance(ttl, str) if "ttl" in told else True
    return CacheHint(ttl) if known and {*told} <= {"mode", "ttl"} else None


def part_as_read(block: ContentBlock, issuer: str) -> Json:
    """The part that `read_part` made the block of."""
    if type(block) is RawBlock:
        return block.data
    made = _said(block)
    if (hint := getattr(block, "cache", None)) is not None:
        made[MARK] = mark(hint)
    if block.extras is not None:
        made.update(block.extras.get(issuer, {}))
    return made


def _said(block: Any) -> JsonObject:
    """What the block itself says of the part."""
    if type(block) is TextBlock:
        return {"type": block.spelling or "input_text", "text": block.text}
    source = block.source
    if type(block) is AudioBlock:
        form = next(form for form, kind in _FORMATS.items() if kind == source.media_type)
        return {"type": "input_audio", "input_audio": {"data": source.data, "format": form}}
    image = type(block) is ImageBlock
    made: JsonObject = {"type": "input_image" if image else "input_file"}
    if type(source) is FileSource:
        made["file_id"] = source.file_id
    elif image or type(source) is Base64Source:
        made["image_url" if image else "file_data"] = url_of(source, block.spelling)
    else:
        made["file_url"] = source.url
    if block.title is not None:
        made["filename"] = block.title
    if block.detail is not None:
        made["detail"] = block.detail
    return made
