"""Finds images whose bytes are no image: providers look at those, not at what is said of them."""

from __future__ import annotations

import re
from binascii import Error, a2b_base64
from collections.abc import Iterator
from typing import Any

from ..losses import InBody
from ..message import Base64Source, ChatRequest, ImageBlock, URLSource
from ..message import places as all_places
from ..shown import clipped
from .refusal import Refusal

__all__ = ["media_refusals"]

_SAID = frozenset({"image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp"})
_STARTS = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF")
_URI = re.compile(r"data:([\w/+.-]+);base64,")
_SOURCE = "W3C PNG, ISO 10918 (JPEG), GIF89a and RIFF (WebP): the first bytes of a file"
_ENOUGH = 64  # characters of base64 that hold the first bytes of a file


def media_refusals(req: ChatRequest) -> Iterator[Refusal]:
    """The images whose bytes are of no type that an image can have."""
    for path, node in all_places(req.messages, req):
        block = node.node if type(node) is InBody else node
        if type(block) is ImageBlock:
            said, data = _bytes_of(block.source)
            if said in _SAID and not _an_image(data):
                rule = clipped(f"the bytes are no image, though they are said to be {said}")
                yield Refusal(path, rule, _SOURCE, "", _FIX, "media.bytes")


_FIX = "Give the bytes of a PNG, JPEG, GIF or WebP image, base64 of them, and its own type."


def _bytes_of(source: Any) -> tuple[str, str]:
    """(media type, the beginning of the base64) of what is given in the body itself."""
    if type(source) is Base64Source:
        return source.media_type, source.data[:_ENOUGH]
    if type(source) is URLSource and (uri := _URI.match(source.url[:_ENOUGH])):
        return uri[1], source.url[uri.end() : uri.end() + _ENOUGH]
    return "", ""


def _an_image(data: str) -> bool:
    head = re.sub(r"\s", "", data).replace("-", "+").replace("_", "/")
    try:
        start = a2b_base64(head[: len(head) // 4 * 4])
    except (Error, ValueError):
        return False
    return start.startswith(_STARTS)
