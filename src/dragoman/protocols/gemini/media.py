"""A medium as a part: bytes inline, or a file that the provider fetches or holds.

Opens nothing. A URL's media type is read off its ending.
"""

from __future__ import annotations

from typing import assert_never

from ...capabilities import Capabilities
from ...errors import WriteError
from ...jsontext import JsonObject
from ...losses import Report
from ...message import Base64Source, FileSource, LocalSource, URLSource
from ...message.blocks import MediaBlock
from .dialect import Dialect
from .spelling import keys

__all__ = ["DETAILS", "kind_of", "level_of", "media_part"]

_TYPES = {
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp",
    "heic": "image/heic", "heif": "image/heif",
    "mp3": "audio/mpeg", "wav": "audio/wav", "aiff": "audio/aiff", "aac": "audio/aac",
    "ogg": "audio/ogg", "flac": "audio/flac",
    "mp4": "video/mp4", "mpeg": "video/mpeg", "mpg": "video/mpg", "mov": "video/mov",
    "avi": "video/avi", "flv": "video/x-flv", "webm": "video/webm", "wmv": "video/wmv",
    "3gp": "video/3gpp",
    "pdf": "application/pdf", "txt": "text/plain", "md": "text/markdown", "html": "text/html",
    "csv": "text/csv",
}  # fmt: skip
# The field is required for a URL, and not every URL has an ending.
_COMMONEST = {
    "image": "image/jpeg", "audio": "audio/mpeg", "video": "video/mp4",
    "document": "application/pdf",
}  # fmt: skip
_FILM = "video/*"
_YOUTUBE = ("youtube.com", "youtu.be")
_LEVELS = {
    name: f"MEDIA_RESOLUTION_{name.upper()}" for name in ("low", "medium", "high", "ultra_high")
}
DETAILS = {level: name for name, level in _LEVELS.items()}


def media_part(
    block: MediaBlock, can: Capabilities, dialect: Dialect, report: Report
) -> JsonObject:
    """`{"inlineData": ...}` or `{"fileData": ...}`, with the resolution to look at it in."""
    key = keys(dialect)
    source = block.source
    made: JsonObject
    match source:
        case Base64Source(media_type=media_type, data=data):
            spelled = dialect.mime.get(media_type, media_type)
            made = {key.inline: {key.mime: spelled, "data": data}}
        case URLSource(url=url):
            kind = source.media_type or kind_of(url)
            if kind is None:
                kind = _COMMONEST[block.type]
                report.lost("media.type_assumed", block, "source", did=kind)
            made = {key.file: _file(url, None if kind == _FILM else kind, dialect)}
        case FileSource(file_id=file_id):
            made = {key.file: _file(file_id, source.media_type, dialect)}
        case LocalSource():
            raise WriteError(f"{block.type} from a local file", code="seat.unsaid")
        case _:
            assert_never(source)
    if block.detail is not None and block.type in can.details and block.detail != "auto":
        level = _LEVELS.get(block.detail.lower())
        if level is None:
            report.lost("media.detail", block, "detail")
        else:
            made[key.resolution] = {"level": level}
    return made


def level_of(detail: str) -> JsonObject:
    """The resolution that a word for it stands for."""
    return {"level": _LEVELS[detail]}


def _file(uri: str, media_type: str | None, dialect: Dialect) -> JsonObject:
    key = keys(dialect)
    if media_type is None:
        return {key.uri: uri}
    return {key.mime: dialect.mime.get(media_type, media_type), key.uri: uri}


def kind_of(url: str) -> str | None:
    """The media type of a URL by its ending; `video/*` for a film of YouTube's, which needs none.

    None if the URL does not tell.
    """
    place = url.partition("://")[2].partition("?")[0].partition("#")[0]
    host, _, path = place.partition("/")
    if host.lower().removeprefix("www.").removeprefix("m.") in _YOUTUBE:
        return _FILM
    return _TYPES.get(path.rpartition(".")[2].lower())
