"""Media as wires carry them: base64 text, data URIs, and what the first bytes say.

The rules of which media a wire takes live with the wire.
"""

from __future__ import annotations

import base64
import binascii
import re

# The kinds that chat APIs take, by their first bytes.
SIGNATURES = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "application/pdf": (b"%PDF-",),
}
DATA_URI = re.compile(r"data:([\w.+-]+/[\w.+-]+)?((?:;[\w.+-]+=[^;,]*)*);base64,", re.ASCII)
WEB_URL = re.compile(r"https?://[^\s/]+", re.ASCII | re.IGNORECASE)


def base64_fault(data: object) -> str | None:
    """Say what is wrong with bare base64 text, or None."""
    if not isinstance(data, str) or not data:
        return "no base64 text"
    if data.startswith("data:"):
        return "a data URI where bare base64 is wanted"
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return "not valid base64"
    return None


def sniff(data: str) -> str | None:
    """The media type that the first bytes of base64 text announce, where they do."""
    try:
        head = base64.b64decode(data[:32])
    except (binascii.Error, ValueError):
        return None
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    for media_type, starts in SIGNATURES.items():
        if head.startswith(starts):
            return media_type
    return None


def typed_fault(media_type: object, data: object, allowed: tuple[str, ...]) -> str | None:
    """Say what is wrong with base64 data that claim a media type, or None."""
    if media_type not in allowed:
        return f"media type {media_type!r} is not one of {', '.join(allowed)}"
    if wrong := base64_fault(data):
        return wrong
    found = sniff(str(data))
    if found is not None and found != media_type:
        return f"announced as {media_type}, but the bytes are {found}"
    return None


def link_fault(url: object, allowed: tuple[str, ...]) -> str | None:
    """Say what is wrong with a web address or base64 data URI, or None."""
    if not isinstance(url, str):
        return "no URL text"
    if not url.startswith("data:"):
        return None if WEB_URL.match(url) else "neither a web address nor a data URI"
    head = DATA_URI.match(url)
    if head is None:
        return "not a base64 data URI"
    return typed_fault(head.group(1), url[head.end() :], allowed)
