"""A medium as a content block: its format, where it is, and for a document a name.

Opens nothing. A name is the document's own as far as the API takes it, and stands but once.
"""

from __future__ import annotations

import re
import unicodedata
from typing import assert_never

from ...capabilities import Capabilities
from ...errors import WriteError
from ...jsontext import JsonObject
from ...losses import Report
from ...message import Base64Source, DocumentBlock, FileSource, LocalSource, URLSource
from ...message.blocks import MediaBlock
from ...shapes import filled, own_extras

__all__ = ["FORMATS", "Shelf"]

# service model: ImageFormat, DocumentFormat, VideoFormat, AudioFormat
FORMATS = {
    "image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/webp": "webp",
    "application/pdf": "pdf", "text/csv": "csv", "application/msword": "doc",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.ms-excel": "xls",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "text/html": "html", "text/plain": "txt", "text/markdown": "md",
    "video/x-matroska": "mkv", "video/quicktime": "mov", "video/mov": "mov", "video/mp4": "mp4",
    "video/webm": "webm", "video/x-flv": "flv", "video/mpeg": "mpeg", "video/mpg": "mpg",
    "video/x-ms-wmv": "wmv", "video/wmv": "wmv", "video/3gpp": "three_gp",
    "audio/mp3": "mp3", "audio/mpeg": "mp3", "audio/opus": "opus", "audio/wav": "wav",
    "audio/x-wav": "wav", "audio/wave": "wav", "audio/aac": "aac", "audio/x-aac": "x-aac",
    "audio/flac": "flac", "audio/mp4": "mp4", "audio/m4a": "m4a", "audio/x-m4a": "m4a",
    "audio/ogg": "ogg", "audio/webm": "webm", "audio/pcm": "pcm", "audio/x-matroska": "mka",
}  # fmt: skip
_ENDINGS = {
    "image": {"png": "png", "jpg": "jpeg", "jpeg": "jpeg", "gif": "gif", "webp": "webp"},
    "document": {
        name: name for name in ("pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md")
    },
    "video": {
        **{name: name for name in ("mkv", "mov", "mp4", "webm", "flv", "mpeg", "mpg", "wmv")},
        "3gp": "three_gp",
    },
    "audio": {
        name: name
        for name in ("mp3", "opus", "wav", "aac", "flac", "mp4", "ogg", "mka", "m4a", "pcm", "webm")
    },
}
# By the error text letters, digits, white space, hyphens, parentheses and square brackets; an
# underscore is taken too (recorded), no other alphabet is, nor a space behind a space.
_ODD = re.compile(r"[^A-Za-z0-9_()\[\] -]+")
_SPACES = re.compile(r" {2,}")
_LONGEST = 200


class Shelf:
    """The media of one request; remembers the names of its documents."""

    __slots__ = ("can", "count", "last", "names", "report")

    def __init__(self, can: Capabilities, report: Report) -> None:
        self.can = can
        self.report = report
        self.names: set[str] = set()
        self.count = 0
        self.last: dict[str, int] = {}  # a name's last number: none is tried twice

    def block(self, block: MediaBlock) -> JsonObject:
        """`{"image": {"format", "source"}}`, or `document` with its `name`, `video`, `audio`."""
        made: JsonObject = {}
        form = _format(block)
        if form:
            made["format"] = form
        if type(block) is DocumentBlock:
            made["name"] = self._name(block)
        made["source"] = _source(block)
        if block.extras is not None:
            filled(made, own_extras(block, self.can))
        return {block.type: made}

    def _name(self, block: DocumentBlock) -> str:
        """A name that no other document of the request has."""
        self.count += 1
        plain = _plain(block.title or "")
        base = plain or f"Document {self.count}"
        name = base
        nth = self.last.get(base, 1)
        while name in self.names:
            nth += 1
            tail = f" ({nth})"
            name = f"{base[: _LONGEST - len(tail)]}{tail}"
        self.last[base] = nth
        self.names.add(name)
        if block.title is None:
            self.report.lost("document_name.made", block, did=name)
        elif name != block.title:
            self.report.lost("document_name.mapped", block, "title", did=name)
        return name


def _plain(title: str) -> str:
    """What the API takes of a title; its ending goes, for the format says it.

    >>> _plain("Café menu: May.pdf")
    'Cafe menu May'
    """
    head, dot, ending = title.rpartition(".")
    if dot and ending.lower() in _ENDINGS["document"]:
        title = head
    bare = "".join(c for c in unicodedata.normalize("NFKD", title) if not unicodedata.combining(c))
    return _SPACES.sub(" ", _ODD.sub(" ", bare)).strip()[:_LONGEST].strip()


def _format(block: MediaBlock) -> str:
    """The format by media type, else by the ending of where it is; a document needs none."""
    source = block.source
    found = FORMATS.get(source.media_type or "", "")
    if not found and not isinstance(source, Base64Source):
        place = _place(block)
        found = _ENDINGS[block.type].get(place.rpartition(".")[2].lower(), "")
    if not found and type(block) is not DocumentBlock:
        raise WriteError(
            f"the format of {block.type} cannot be told from where it is",
            hint="give its source a media_type",
            code="media.type",
        )
    return found


def _source(block: MediaBlock) -> JsonObject:
    """`{"bytes": base64 text}` or `{"s3Location": {"uri"}}`."""
    source = block.source
    if isinstance(source, Base64Source):
        return {"bytes": source.data}
    return {"s3Location": {"uri": _place(block)}}


def _place(block: MediaBlock) -> str:
    match block.source:
        case URLSource(url=url):
            return url
        case FileSource(file_id=file_id):
            return file_id
        case LocalSource() | Base64Source() as other:
            raise WriteError(f"{block.type} from a {other.type} source", code="seat.unsaid")
        case other:
            assert_never(other)
