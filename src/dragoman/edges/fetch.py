"""Reads local media files. The default policy: files under the current directory, no network.

Only media of messages that the program built come here; a tool's output or a provider's answer
never decides what is opened.
"""

from __future__ import annotations

import base64
import mimetypes
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ..errors import WriteError
from ..media import is_local
from ..message import Base64Source, LocalSource, Source, URLSource

__all__ = ["local_files"]

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"\x1aE\xdf\xa3", "video/webm"),
)
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}


def local_files(source: Source, path: str) -> Base64Source | None:
    """The bytes of a file under the current directory; None for anything else.

    Raises WriteError, naming `path` (of the source in the input), if such a file cannot be read.
    """
    if not is_local(source):
        return None
    file = _path(source)
    resolved = file.resolve()
    if not resolved.is_relative_to(Path.cwd().resolve()):
        return None
    try:
        data = resolved.read_bytes()
    except OSError as error:
        raise WriteError(
            f"cannot read the local file {str(file)!r}: {error.strerror or error}",
            path=path,
            hint="check the path; it is taken from the current directory",
            code="media.missing",
        ) from error
    media_type = source.media_type or _sniffed(data) or _named(file)
    if media_type is None:
        raise WriteError(
            f"cannot tell the media type of {str(file)!r}",
            path=path,
            hint="give the source a media_type",
            code="media.unknown_type",
        )
    return Base64Source(media_type, base64.b64encode(data).decode("ascii"))


def _path(source: Source) -> Path:
    if type(source) is LocalSource:
        return Path(source.path)
    assert type(source) is URLSource  # is_local knows no other
    if not source.url.startswith("file:"):
        return Path(source.url)
    parts = urlsplit(source.url)
    # AgentScope writes file://relative/path: the host part belongs to the path
    return Path(unquote(parts.netloc + parts.path))


def _sniffed(data: bytes) -> str | None:
    """The media type by its first bytes, which names and extensions often get wrong."""
    for magic, media_type in _MAGIC:
        if data.startswith(magic):
            return media_type
    if data.startswith(b"RIFF"):
        return _RIFF.get(data[8:12])
    return "video/mp4" if data[4:8] == b"ftyp" and data[8:11] != b"M4A" else None


def _named(file: Path) -> str | None:
    known = mimetypes.guess_type(file.name)[0]
    return {"audio/x-wav": "audio/wav"}.get(known or "", known)
