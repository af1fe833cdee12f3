"""A medium as a content part of Chat Completions. Opens nothing."""

from __future__ import annotations

from typing import assert_never

from ...errors import WriteError
from ...jsontext import JsonObject
from ...message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    FileSource,
    ImageBlock,
    URLSource,
    VideoBlock,
)
from ...message.blocks import MediaBlock
from .dialect import Dialect

__all__ = ["media_part"]

_FORMATS = {"audio/mp3": "mp3", "audio/mpeg": "mp3"}


def media_part(block: MediaBlock, dialect: Dialect) -> JsonObject:
    """A medium as a content part.

    `image_url`, `input_audio` and `file` are OpenAI's; `audio_url` and `video_url` are what
    compatible servers take.
    """
    source = block.source
    match block:
        case ImageBlock():
            image: JsonObject = {"url": _url(block)}
            if block.detail is not None:
                image["detail"] = block.detail
            return {"type": "image_url", "image_url": image}
        case AudioBlock() if dialect.audio_links:
            given = source.media_type if isinstance(source, Base64Source | URLSource) else None
            sound: JsonObject = {"data": _url(block)}
            if given is not None:
                sound["format"] = _FORMATS.get(given, given.rpartition("/")[2])
            return {"type": "input_audio", "input_audio": sound}
        case AudioBlock() if isinstance(source, Base64Source):
            form = _FORMATS.get(source.media_type, "wav")
            return {"type": "input_audio", "input_audio": {"data": source.data, "format": form}}
        case AudioBlock():
            return {"type": "audio_url", "audio_url": {"url": _url(block)}}
        case VideoBlock():
            return {"type": "video_url", "video_url": {"url": _url(block)}}
        case DocumentBlock() if isinstance(source, FileSource):
            return {"type": "file", "file": {"file_id": source.file_id}}
        case DocumentBlock():
            file = {"filename": block.title or "document.pdf", "file_data": _url(block)}
            return {"type": "file", "file": file}
        case _:
            assert_never(block)


def _url(block: MediaBlock) -> str:
    match block.source:
        case URLSource(url=url):
            return url
        case Base64Source() as source:
            return source.data_uri()
        case other:
            raise WriteError(f"{block.type} from a {other.type} source", code="seat.unsaid")
