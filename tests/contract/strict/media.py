"""What media bytes are, by their first bytes, and whether a text is base64."""

from __future__ import annotations

import base64
import re

from ..judges.fault import Json

__all__ = ["kind_of"]

BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
MAGIC = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF", "application/pdf"),
)


def kind_of(data: Json) -> str | None:
    """The media type that base64 text holds; "" where it is not known, None for no base64."""
    if not isinstance(data, str) or len(data) % 4 or not BASE64.fullmatch(data):
        return None
    head = base64.b64decode(data[:64])
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in MAGIC if head.startswith(magic)), "")
