"""URLs, data URIs and base64 read as sources, and the check of which media a wire takes."""

from __future__ import annotations

import base64
import re
import sys
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, TypeVar, assert_never, cast

from ..capabilities import Capabilities
from . import (
    Base64Source,
    DocumentBlock,
    FileSource,
    FramesSource,
    ImageBlock,
    LocalSource,
    Source,
    TextSource,
    URLSource,
)
from .blocks import ContentBlock, MediaBlock

Block = TypeVar("Block", bound=ContentBlock)
_ANY = frozenset({"url", "base64"})
_PASSAGES = frozenset({"text"})
_SPELLINGS = {"image/jpg": "image/jpeg"}
_REGISTERED = {"audio/mp3": "audio/mpeg", "audio/x-wav": "audio/wav", "audio/wave": "audio/wav"}


@dataclass(frozen=True, slots=True)
class MediaFault:
    """Why a wire does not take a medium; `place` is set if a text can name the medium instead."""

    code: str
    what: str
    place: str = ""


def as_base64(block: MediaBlock) -> MediaBlock:
    """Return the block with a data URI as base64 in one line, under the usual name of its type."""
    source = block.source
    data: Base64Source | None = None
    if type(source) is URLSource:
        data = (_from_uri if is_data_uri(source.url) else _from_bare)(source.url)
    elif type(source) is Base64Source:
        data = _from_uri(source.data) if is_data_uri(source.data) else None
        if data is None and (media_type := _usual(source.media_type)) != source.media_type:
            data = Base64Source(media_type, source.data)
    plain = block.source if data is None else data
    if type(plain) is Base64Source and _has_breaks(plain.uri or plain.data):
        data = Base64Source(plain.media_type, "".join(plain.data.split()))
    return block if data is None else with_source(block, data)


_BARE = re.compile(r"(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_LONGEST_PATH = 4096  # of files and URLs; a longer text is neither
_HEAD = 256  # the media type of a data URI ends before this

# How the bytes of a type begin, in base64; in a WebP, the name follows the size.
_BEGINNINGS = {"iVBORw0KGgo": "image/png", "/9j/": "image/jpeg", "R0lGOD": "image/gif"}
_PDF = "JVBERi0"
# types of text whose names do not begin with "text/": data, configuration and source code
_TEXTS = frozenset(f"application/{name}" for name in (
    "json", "jsonl", "x-ndjson", "x-jsonlines", "xml", "csv", "yaml", "x-yaml", "yml", "toml",
    "x-toml", "sql", "x-sql", "graphql", "javascript", "x-javascript", "ecmascript", "typescript",
    "x-typescript", "x-python", "x-python-code", "x-ipynb+json", "x-sh", "x-shellscript", "x-csh",
    "x-httpd-php", "x-php", "x-ruby", "x-perl", "x-tex", "x-latex", "x-tcl", "x-go", "x-rust",
    "x-java", "x-java-source", "x-c", "x-sass", "x-scss", "x-protobuf-text", "x-subrip",
))  # fmt: skip
_TEXT_SUFFIXES = ("+json", "+xml", "+yaml")


_LOWERED = "media.type_lowered"


def with_true_type(block: MediaBlock, caps: Capabilities) -> tuple[MediaBlock, str]:
    """Return the block under a correct media type that the wire knows, and the code of the change.

    An image whose bytes are of another type than declared gets the true type, because providers
    check it. A text document of a type that the wire lacks is sent as plain text, or as one
    passage, where the wire takes that.
    """
    source = block.source
    if type(source) is TextSource and source.media_type not in (None, "text/plain"):
        plain, known = (caps.media("document", one) for one in ("text/plain", source.media_type))
        if plain and not known:  # such as source code from an MCP server
            return with_source(block, replace(source, media_type="text/plain")), _LOWERED
    if type(source) is not Base64Source:
        return block, ""
    media_type = source.media_type
    if caps.sources.get(block.type) == _PASSAGES and (text := document_text(block)):
        return with_source(block, TextSource([text])), ""
    if block.type == "image" and (true_type := _detect_type(source.data)) not in ("", media_type):
        return with_source(block, Base64Source(true_type, source.data)), "media.type_corrected"

    as_plain_text = caps.media("document", "text/plain") and not caps.media("document", media_type)
    if block.type == "document" and _is_text(source) and as_plain_text:
        return with_source(block, Base64Source("text/plain", source.data)), _LOWERED
    return block, ""


def _has_breaks(text: str) -> bool:
    """Return whether base64 text has line breaks, as MIME has them and no wire takes them."""
    return "\n" in text or "\r" in text


def _from_bare(url: str) -> Base64Source | None:
    """Read base64 in place of a URL, if its first bytes show a known type."""
    kind = "application/pdf" if url.startswith(_PDF) else _detect_type(url)
    # a path could begin with `/9j/`
    is_type = kind and (len(url) > 40 or not url.startswith("/"))
    return Base64Source(kind, url) if is_type and _BARE.fullmatch(url) else None


def _detect_type(data: str) -> str:
    """Return the type of an image by its first bytes; empty if the type is not known."""
    if data.startswith("UklGR"):
        head = data[:16]
        return "image/webp" if _decode_base64(head)[8:12] == b"WEBP" else ""
    return next((kind for start, kind in _BEGINNINGS.items() if data.startswith(start)), "")


def _is_text(source: Base64Source) -> bool:
    media_type = source.media_type.partition(";")[0].rstrip()
    known = media_type in _TEXTS or media_type.endswith(_TEXT_SUFFIXES)
    return known or media_type.startswith("text/")


def document_text(block: MediaBlock) -> str:
    """Return the text of a plain-text document; empty for all other media."""
    source = block.source
    if type(source) is TextSource:
        return "\n\n".join(source.passages)
    if block.type != "document" or type(source) is not Base64Source or not _is_text(source):
        return ""
    try:
        return _decode_base64(source.data).decode().removeprefix("\ufeff")
    except UnicodeDecodeError:
        return ""


BROKEN = "media.broken"  # the code of a medium whose bytes cannot be decoded
_SIGNS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def is_base64(data: str) -> bool:
    """Return whether the text is plain base64 in one line, which every wire takes; copies little.

    >>> is_base64("aGk="), is_base64("aGk"), is_base64("a-k_"), is_base64("%%%%")
    (True, False, False, False)
    """
    if len(data) % 4 or not data.isascii():
        return False
    return not data.rstrip("=").encode().translate(None, _SIGNS) and "=" not in data[:-2]


def _is_utf8(data: str) -> bool:
    try:
        base64.b64decode(data, validate=True).decode()
    except ValueError:  # not base64, not ASCII, or in another encoding
        return False
    return True


def _decode_base64(text: str) -> bytes:
    try:
        return base64.b64decode(text)
    except ValueError:  # not base64, or not ASCII
        return b""


def is_data_uri(url: str) -> bool:
    """Whether the URL is a data URI."""
    return url[:5].lower() == "data:"


def _usual(media_type: str) -> str:
    """Return the usual spelling of a media type: in lower case, and jpeg for jpg."""
    lower = media_type if media_type.islower() else media_type.lower()
    return _SPELLINGS.get(lower, lower)


def with_registered_type(block: MediaBlock) -> MediaBlock:
    """Return the block under the registered name of its media type, for an added message."""
    source = block.source
    if type(source) is Base64Source and source.media_type in _REGISTERED:
        return with_source(block, Base64Source(_REGISTERED[source.media_type], source.data))
    return block


def with_source(block: MediaBlock, source: Source) -> MediaBlock:
    """Return the block with another source."""
    return replace(block, source=source)


def _from_uri(uri: str) -> Base64Source | None:
    end = uri.find(",", 0, _HEAD)  # the rest may be megabytes, and is not copied here
    head = uri[:end]
    if end < 0 or not head.lower().endswith(";base64"):
        return None
    spelled_type = head[5:-7].partition(";")[0] or "application/octet-stream"
    media_type = _usual(spelled_type)
    spelled_so = head.startswith("data:") and head.endswith(";base64")
    if spelled_so and media_type == spelled_type:
        # most histories have images of one type, which each of their messages names
        return Base64Source.within(sys.intern(media_type), uri)
    return Base64Source(media_type, uri[end + 1 :])


def read_source(url: str) -> Source:
    """Read a URL or data URI of a provider as a source."""
    return (_from_uri(url) if is_data_uri(url) else None) or URLSource(url, read=True)


def read_url(url: str) -> tuple[Source, str | None]:
    """Read a URL as a source; also return the head of a data URI if the source does not keep it."""
    source = read_source(url)
    if type(source) is Base64Source and source.uri is None:
        return source, url[: -len(source.data)] if source.data else url
    return source, None


def read_document(image: ImageBlock) -> ImageBlock | DocumentBlock:
    """Return a text or PDF in the data URI of an image as a document; any other image itself.

    Some clients send all attachments this way. `restore_image` is the inverse.
    """
    source = image.source
    if type(image) is not ImageBlock or type(source) is not Base64Source:
        return image  # a link in a chat need not be an image
    if source.media_type != "application/pdf" and not source.media_type.startswith("text/"):
        return image
    spelling = f"{_AS_IMAGE} {image.spelling or ''}".strip()
    return DocumentBlock(source, detail=image.detail, spelling=spelling, extras=image.extras)


_AS_IMAGE = "image_url"  # the beginning of the spelling of such a document


def restore_image(block: ContentBlock) -> ContentBlock:
    """Return the image that `read_document` read a document from; any other block itself."""
    head, _, spelling = (block.spelling or "").partition(" ")
    if type(block) is not DocumentBlock or head != _AS_IMAGE:
        return block
    return ImageBlock(
        block.source,
        detail=block.detail,
        cache=block.cache,
        spelling=spelling or None,
        extras=block.extras,
    )


def write_url(source: Source, head: str | None = None) -> str:
    """Write the URL or data URI as it was read."""
    if type(source) is URLSource:
        return source.url
    assert type(source) is Base64Source  # other sources are not read from URLs
    return f"{head}{source.data}" if head else source.data_uri()


def of_others(block: Block) -> Block:
    """Return the block with its source marked as `read`, so that nothing opens it."""
    source = getattr(block, "source", None)
    if not isinstance(source, (URLSource, LocalSource)) or source.read:
        return block
    return cast("Block", replace(cast("Any", block), source=replace(source, read=True)))


def is_local(source: Source) -> bool:
    """Return whether the source names a local file."""
    if type(source) is LocalSource:
        return True
    return type(source) is URLSource and _scheme(source.url) in ("", "file")


def _scheme(url: str) -> str:
    head, colon, _ = url.partition(":")
    # a single letter is a Windows drive
    return head.lower() if colon and len(head) > 1 and head[0].isalpha() else ""


# of documents, by the extension; with any other extension, the type is not known
_DOCUMENT_TYPES = {
    "pdf": "application/pdf",
    "txt": "text/plain",
    "md": "text/markdown",
    "csv": "text/csv",
    "htm": "text/html",
    "html": "text/html",
    "rtf": "application/rtf",
    "json": "application/json",
    "xml": "application/xml",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "toml": "application/toml",
    "py": "text/x-python",
    "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "ppt": "application/vnd.ms-powerpoint",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}


def _fits_by_url(source: URLSource, patterns: tuple[str, ...]) -> bool:
    """Return whether a medium at a URL has a type that the provider takes, or an unknown one."""
    if not patterns:
        return True
    path = source.url.partition("?")[0].partition("#")[0].rpartition("/")[2]
    media_type = source.media_type or _DOCUMENT_TYPES.get(path.rpartition(".")[2].lower(), "")
    return not media_type or any(fnmatchcase(media_type, pattern) for pattern in patterns)


def media_fault(block: MediaBlock, caps: Capabilities) -> MediaFault | None:
    """Return why the wire does not take this medium as it is; None if it does."""
    kind, source = block.type, block.source
    takes = caps.sources.get(kind, _ANY)
    match source:
        case Base64Source(media_type=media_type):
            if "base64" not in takes:
                return MediaFault("media.source", f"{kind} in base64")
            if not caps.media(kind, media_type):
                return MediaFault("media.type", media_type)
            as_text = kind == "document" and "text" in takes and _is_text(source)
            return MediaFault(BROKEN, media_type) if as_text and not _is_utf8(source.data) else None
        case FileSource(file_id=file_id, issuer=issuer):
            readable = "file" in takes and (not issuer or issuer in (caps.files or caps.reads))
            readable = readable and (not caps.file_schemes or _scheme(file_id) in caps.file_schemes)
            fault = MediaFault("media.source", f"{kind} file of {issuer or 'nobody'}")
            return None if readable else fault
        case TextSource():
            return None if "text" in takes else MediaFault("media.source", f"{kind} in passages")
        case FramesSource():
            return None if "frames" in takes else MediaFault("media.source", f"{kind} in frames")
        case LocalSource(path=path):
            return MediaFault("media.not_fetched", f"local {kind}", path)
        case URLSource(url=url):
            fetches = "url" in takes and _scheme(url) in caps.schemes
            if fetches and _fits_by_url(source, caps.url_types.get(kind, ())):
                return None
            place = "" if is_data_uri(url) or len(url) > _LONGEST_PATH else url
            code = "media.source" if is_data_uri(url) else "media.not_fetched"
            return MediaFault(code, f"{kind} by URL", place)
        case _:
            assert_never(source)


def is_drawing(block: ContentBlock, caps: Capabilities) -> bool:
    """Return whether it is an image drawn by the provider's model, in a form that it takes back."""
    extras = block.extras or {}
    return (
        block.type == "image"
        and bool(caps.drawings)
        and any(
            extras[issuer].get("type") == caps.drawings for issuer in extras if issuer in caps.reads
        )
    )


def speech_id(block: ContentBlock, caps: Capabilities) -> str | None:
    """Return the provider's id of a sound that its model spoke; None for other sounds."""
    for issuer, fields in (block.extras or {}).items():
        if issuer in caps.speech_ids and isinstance(id := fields.get("id"), str):
            return id
    return None
