"""Sources of images, sounds, videos and documents, and the detection of types by first bytes.

A source is a URL, base64 text, a local file, a file that a provider already has, a text in passages
or the frames of a video. Nothing here opens or fetches anything.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Any, ClassVar, Literal, TypeAlias, final

from ..errors import InvalidMessage
from ..text.redaction import Shown


class Readable(Shown):
    """Base class of blocks and sources: `["key"]` and `.get("key")` read fields, as of a dict."""

    __slots__ = ()
    __iter__ = None  # a value with keys, not a sequence

    def __getitem__(self, key: str) -> object:
        try:
            return getattr(self, key)
        except (AttributeError, TypeError):
            raise KeyError(key) from None

    def get(self, key: str, default: object = None) -> object:
        """Return the field `key`, or `default` if there is none."""
        return getattr(self, key, default)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and hasattr(self, key)


class _Chosen:
    """Base class with `chosen`: the program itself named this file, so it may be anywhere.

    It is not a field: JSON cannot set it, and it is not compared, copied or stored.
    """

    __slots__ = ("chosen",)
    chosen: bool


_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
)


_BRANDS = {
    b"M4A ": "audio/mp4",
    b"qt  ": "video/quicktime",
    b"avif": "image/avif",
    **dict.fromkeys((b"heic", b"heix", b"hevc", b"mif1"), "image/heic"),
}


_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}


# types whose files begin with a mark that `detect_media_type` knows
KNOWN_BY_BYTES = frozenset(
    {
        *(media_type for _, media_type in _MAGIC if media_type != "audio/mpeg"),
        *_BRANDS.values(),
        *_RIFF.values(),
        "video/mp4",
        "video/webm",
        "video/x-matroska",
    }
)


def detect_media_type(data: bytes) -> str | None:
    """Detect the media type by the first bytes; names and extensions are often wrong."""
    for magic, media_type in _MAGIC:
        if data.startswith(magic):
            return media_type
    if data.startswith(b"RIFF"):
        return _RIFF.get(data[8:12])
    if data[4:8] == b"ftyp":
        return _BRANDS.get(data[8:12], "video/mp4")
    if data.startswith(b"\x1aE\xdf\xa3"):
        return "video/x-matroska" if b"matroska" in data else "video/webm"
    return None


@final
@dataclass(slots=True, repr=False)
class URLSource(Readable):
    """Media at a URL. A path, or a `file://` URL, names a local file, as in AgentScope.

    Attributes:
        url: The URL.
        media_type: The type, None if it is not known.
        read: Whether the URL was read from a body, an answer or a tool's output; then it is never
            opened.
    """

    url: str
    media_type: str | None = None
    type: Literal["url"] = "url"
    read: bool = field(default=False, compare=False, kw_only=True)


@final
@dataclass(slots=True, repr=False)
class Base64Source(Readable):
    """Media as standard base64 text, e.g. `Base64Source("image/png", "iVBORw0...")`.

    Attributes:
        media_type: The type.
        data: The base64 text. It is cut out of `uri` at the first access, if it came in one.
        uri: The data URI that it came in, if any; a wire that takes data URIs gets the same string.
    """

    _sealed: ClassVar[frozenset[str]] = frozenset({"data", "uri"})

    media_type: str
    data: str
    uri: str | None = None
    type: Literal["base64"] = "base64"

    @classmethod
    def from_bytes(cls, data: bytes, media_type: str | None = None) -> Base64Source:
        """Encode the bytes of media.

        Args:
            data: The bytes.
            media_type: The type; without it, it is detected by the first bytes.

        Returns:
            A new source.

        Raises:
            InvalidMessage: `data` is not bytes, or its type is neither given nor detected.
        """
        if not isinstance(data, (bytes, bytearray, memoryview)):
            text = f"the bytes of a medium are bytes, not {type(data).__name__}"
            raise InvalidMessage(text, code="source.bytes")
        media_type = media_type or detect_media_type(bytes(data[:64]))
        if media_type is None:
            text = "the first bytes do not tell the media type"
            raise InvalidMessage(text, hint='give it: media_type="image/png"', code="source.bytes")
        return cls(media_type, base64.b64encode(data).decode("ascii"))

    @classmethod
    def within(cls, media_type: str, uri: str) -> Base64Source:
        """Return the media of a data URI without copying any of it.

        Args:
            media_type: The type that the URI begins with.
            uri: The data URI.

        Returns:
            A new source.
        """
        result = cls.__new__(cls)
        result.media_type = media_type
        result.uri = uri
        result.type = "base64"
        return result

    def __getattr__(self, name: str) -> str:
        """Cut the data out of the URI, once: the slot is empty until then."""
        if name != "data" or self.uri is None:
            raise AttributeError(name)
        self.data = self.uri[self.uri.index(",") + 1 :]
        return self.data

    def data_uri(self) -> str:
        """`data:<media type>;base64,<data>`."""
        return self.uri or f"data:{self.media_type};base64,{self.data}"


@final
@dataclass(slots=True, repr=False)
class LocalSource(_Chosen, Readable):
    """A local file, by its path; it is read before a request is sent.

    Attributes:
        path: The path.
        media_type: The type, None if it is not known.
        read: Whether the path was read from a body or an answer, see `URLSource`; then it is never
            opened.
    """

    path: str
    media_type: str | None = None
    type: Literal["local"] = "local"
    read: bool = field(default=False, compare=False, kw_only=True)


@final
@dataclass(slots=True, repr=False)
class FileSource(Readable):
    """A file that a provider already has.

    Attributes:
        file_id: Its id or URI.
        issuer: The provider.
        media_type: The type, None if it is not known.
    """

    file_id: str
    issuer: str = ""
    media_type: str | None = None
    type: Literal["file"] = "file"


@final
@dataclass(slots=True, repr=False)
class TextSource(Readable):
    """A document's text, in passages that an answer may cite by number.

    Attributes:
        passages: The passages.
        found_at: Where a search found it, a URL or another name. Such a document is a search
            result.
        media_type: The type.
    """

    passages: list[str]
    found_at: str | None = None
    media_type: str = "text/plain"
    type: Literal["text"] = "text"


@final
@dataclass(slots=True, repr=False)
class FramesSource(Readable):
    """A video as its frames, in order: URLs and data URIs of images."""

    frames: list[str]
    media_type: str | None = None
    type: Literal["frames"] = "frames"


Source: TypeAlias = URLSource | Base64Source | LocalSource | FileSource | TextSource | FramesSource


def make_source(where: Any, media_type: str | None = None) -> Source:
    """Return the source for a plain value.

    Args:
        where: A source, a URL, the path of a file, or bytes.
        media_type: The type, if neither the first bytes nor the name show it.

    Returns:
        A URLSource for text (a local file if it is not a URL), a LocalSource for a path, a
        Base64Source for bytes. Anything else is returned unchanged, for the checks to report.
    """
    if isinstance(where, str):
        return URLSource(where, media_type)
    if isinstance(where, PathLike):
        local = LocalSource(fspath(where), media_type)
        # JSON has no paths, so the program itself named it
        local.chosen = True  # type: ignore[misc]  # a slot that is no field
        return local
    if isinstance(where, (bytes, bytearray, memoryview)):
        return Base64Source.from_bytes(bytes(where), media_type)
    source: Source = where
    return source
