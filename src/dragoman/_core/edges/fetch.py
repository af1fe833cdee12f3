"""Reads local media files. The default policy: files under the current directory, no network.

Only media of messages that the program built come here; a tool's output or a provider's answer
never decides what is opened.
"""

from __future__ import annotations

import base64
import mimetypes
from pathlib import Path
from stat import S_ISREG
from urllib.parse import unquote, urlsplit

from ...errors import WriteError
from ...message import Base64Source, LocalSource, Source
from ...message.blocks import media_type_of
from ..media import is_local
from ..redaction import shown


def local_files(source: Source, path: str) -> Base64Source | None:
    """The bytes of a file under the current directory; None for anything else.

    Raises WriteError, naming `path` (of the source in the input), if such a file cannot be read.
    """
    if not is_local(source):
        return None
    names = source.path if type(source) is LocalSource else getattr(source, "url", "")
    try:
        resolved = _path(names).resolve()
        if not resolved.is_relative_to(Path.cwd().resolve()):
            return None
        data = _bytes(resolved)
    # ValueError: no path or no URL at all; RuntimeError: links in a circle
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", "") or error
        text = f"cannot read the local file {shown(names)}: {reason}"
        hint = "check the path; it is taken from the current directory"
        raise WriteError(text, path=path, hint=hint, code="media.missing") from error
    media_type = source.media_type or media_type_of(data[:64]) or _by_name(resolved)
    if media_type is None:
        text = f"cannot tell the media type of {shown(names)}"
        hint = "give the source a media_type"
        raise WriteError(text, path=path, hint=hint, code="media.unknown_type")
    return Base64Source(media_type, base64.b64encode(data).decode("ascii"))


def _path(names: str) -> Path:
    if names[:5].lower() != "file:":
        return Path(names)
    parts = urlsplit(names)
    # AgentScope writes file://relative/path: the host part belongs to the path
    host = "" if parts.netloc == "localhost" else parts.netloc
    return Path(unquote(host + parts.path))


def _bytes(file: Path) -> bytes:
    if not S_ISREG(file.stat().st_mode):  # a pipe would never end
        raise OSError("it is no regular file")
    return file.read_bytes()


def _by_name(file: Path) -> str | None:
    known = mimetypes.guess_type(file.name)[0]
    return {"audio/x-wav": "audio/wav"}.get(known or "", known)
