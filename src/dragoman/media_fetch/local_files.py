"""Reads local media files. The default policy: files under the current directory, no network.

Only media of messages that the program built get here; a tool's output or a provider's answer
never decides which file is opened.
"""

from __future__ import annotations

import base64
import io
import mimetypes
import os
from collections.abc import Sequence
from pathlib import Path
from stat import S_ISREG
from urllib.parse import unquote, urlsplit

from ..errors import MediaRefused, WriteError
from ..message import Base64Source, LocalSource, Source
from ..message.media import detect_media_type
from ..message.media_urls import is_local
from ..text.redaction import show


def local_files(source: Source, path: str) -> Base64Source | None:
    """Read a file under the current directory; None for a source that is no local file.

    Nothing is read if that directory is the root of a disk. Raises MediaRefused, naming `path` (of
    the source in the input), for a file that is not below it, and WriteError for one that cannot be
    read, is no regular file, or is too large.
    """
    if not is_local(source):
        return None
    names = source.path if type(source) is LocalSource else getattr(source, "url", "")
    try:
        resolved, folder = parse_path(names).resolve(), Path.cwd().resolve()
        if getattr(source, "chosen", False):  # the program chose it for this message
            folder = resolved.parent
        # everything is below the root of a disk, in which services are often started
        elif folder == folder.parent or not resolved.is_relative_to(folder):
            raise _not_allowed(names, folder, path)
        data = bytes_below(folder, resolved.relative_to(folder).parts, MOST)
    # ValueError: no valid path or URL; RuntimeError: links in a circle
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", "") or error
        text = f"cannot read the local file {show(names)}: {reason}"
        hint = "check the path; it is taken from the current directory"
        raise WriteError(text, path=path, hint=hint, code="media.missing") from error
    media_type = source.media_type or detect_media_type(data[:64]) or type_by_name(resolved)
    if media_type is None:
        text = f"cannot tell the media type of {show(names)}"
        hint = "give the source a media_type"
        raise WriteError(text, path=path, hint=hint, code="media.unknown_type")
    return Base64Source(media_type, base64.b64encode(data).decode("ascii"))


def _not_allowed(names: str, folder: Path, path: str) -> MediaRefused:
    """The error for a file that a program names and that the default policy does not open."""
    is_root = folder == folder.parent
    where = "the current directory is that of the whole disk" if is_root else "it is not below the"
    text = f"the file {show(names)} may not be read: {where}"
    text = text if is_root else f"{text} current directory"
    hint = "pick it with ImageBlock.from_path(path) or files=[path], or allow its folder with"
    hint = f"{hint} fetch=MediaFetcher(roots=[FOLDER])"
    return MediaRefused(text, path=path, hint=hint, code="fetch.root")


def parse_path(names: str) -> Path:
    """The path that a source names, as a path or as a `file:` URL."""
    if names[:5].lower() != "file:":
        return Path(names)
    parts = urlsplit(names)
    # AgentScope writes file://relative/path: the host part belongs to the path
    host = "" if parts.netloc == "localhost" else parts.netloc
    return Path(unquote(host + parts.path))


MOST = 256 * 2**20  # bytes of a file; larger ones are uploaded, and used by id
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_PATH", 0)
_FILE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # pipes: no wait
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


class TooLarge(OSError):
    """A file has more bytes than may be read."""


def bytes_below(folder: Path, names: Sequence[str], most: int) -> bytes:
    """Read a regular file in the folder; every check is of the opened file, not of its name.

    Raises OSError if it is none, TooLarge for more than `most` bytes.
    """
    with open(_open_file(folder, names), "rb", buffering=0) as file:
        state = os.fstat(file.fileno())
        if not S_ISREG(state.st_mode):  # a pipe or device would never end
            raise OSError("it is no regular file")
        data = b"" if state.st_size > most else _read_limited(file, most)
        if state.st_size > most or len(data) > most:
            raise TooLarge(f"it is larger than {most:,} bytes")
        return data


def _read_limited(file: io.FileIO, most: int) -> bytes:
    """Read the whole file, or one byte more than is allowed: it may grow, or not know its size.

    A regular file returns everything in one read, unless it is very large.
    """
    parts: list[bytes] = []
    left = most + 1
    while left > 0 and (part := file.read(min(left, _PART))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


_PART = 2**24


def _open_file(folder: Path, names: Sequence[str]) -> int:
    """A descriptor of the file; links are refused, since they were resolved before."""
    if os.open not in os.supports_dir_fd or not names:
        return os.open(folder.joinpath(*names), _FILE | _NO_LINK)
    at = os.open(folder, _FOLDER)
    try:
        for name in names[:-1]:
            below = os.open(name, _FOLDER | _NO_LINK, dir_fd=at)
            os.close(at)
            at = below
        return os.open(names[-1], _FILE | _NO_LINK, dir_fd=at)
    finally:
        os.close(at)


def type_by_name(file: Path) -> str | None:
    """The media type for a file's name."""
    known = mimetypes.guess_type(file.name)[0]
    return {"audio/x-wav": "audio/wav"}.get(known or "", known)
