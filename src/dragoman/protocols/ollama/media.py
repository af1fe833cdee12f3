"""Bytes without a type, as they stand in `images`: what they begin with tells their kind.

Reference: ollama api/types.go, ImageData; the server sniffs them in the same way.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error

from ...media import read_url
from ...message import AudioBlock, Base64Source, ImageBlock

__all__ = ["medium"]

_BEGINNINGS = {"/9j/": "image/jpeg", "iVBORw0KGgo": "image/png", "R0lGOD": "image/gif",
               "SUQz": "audio/mpeg", "//": "audio/mpeg", "T2dn": "audio/ogg",
               "ZkxhQ": "audio/flac"}  # fmt: skip
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}


def medium(data: str) -> ImageBlock | AudioBlock:
    """The image or sound that the base64 text holds; what nobody knows is taken for an image.

    The server refuses URLs; whoever sent one to it meant an image.
    """
    if data[:8].lower().startswith(("http://", "https://", "data:")):
        source, head = read_url(data)
        return ImageBlock(source, spelling=head)
    kind = next((kind for start, kind in _BEGINNINGS.items() if data.startswith(start)), "")
    if data.startswith("UklGR"):
        kind = _RIFF.get(_head(data), "")
    if kind.startswith("audio/"):
        return AudioBlock(Base64Source(kind, data))
    return ImageBlock(Base64Source(kind or "image/png", data))


def _head(data: str) -> bytes:
    """What a RIFF file says that it holds."""
    try:
        return b64decode(data[:16])[8:12]
    except Error:
        return b""
