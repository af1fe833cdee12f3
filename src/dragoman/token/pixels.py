"""Width and height of an image from its first bytes, without an image library.

PNG, JPEG, GIF, WebP and BMP: what the vision models of the providers take. Formats as their
specifications have them (PNG 1.2; ITU T.81 B.2; GIF89a; WebP RIFF container; BITMAPINFOHEADER).
"""

from __future__ import annotations

from .payload import Payload

__all__ = ["pixels"]

_SEGMENTS = 200  # of a JPEG before its frame: metadata, thumbnails, colour profiles
# Start of frame, except the three codes in between that are tables (DHT, JPG, DAC).
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_ALONE = frozenset((0x01, *range(0xD0, 0xD9)))  # markers without a length


def pixels(image: Payload) -> tuple[int, int] | None:
    """(width, height), or None if the bytes are not there or of no format known here."""
    head = image.read(0, 32)
    size = None
    if head[:8] == b"\x89PNG\r\n\x1a\n":
        size = _pair(head, 16, 4, "big")
    elif head[:3] == b"\xff\xd8\xff":
        size = _jpeg(image)
    elif head[:6] in (b"GIF87a", b"GIF89a"):
        size = _pair(head, 6, 2, "little")
    elif head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        size = _webp(head)
    elif head[:2] == b"BM":
        size = _pair(head, 18, 4, "little")
    return size if size and size[0] > 0 and size[1] > 0 else None


def _pair(data: bytes, offset: int, width: int, order: str) -> tuple[int, int] | None:
    if len(data) < offset + 2 * width:
        return None
    first, second = (
        int.from_bytes(
            data[at : at + width],
            "big" if order == "big" else "little",
            signed=width == 4,  # a BMP of negative height stands on its head
        )
        for at in (offset, offset + width)
    )
    return abs(first), abs(second)


def _jpeg(image: Payload) -> tuple[int, int] | None:
    offset = 2
    for _ in range(_SEGMENTS):
        segment = image.read(offset, 9)
        if len(segment) < 9 or segment[0] != 0xFF:
            return None
        marker = segment[1]
        if marker in _FRAMES:
            size = _pair(segment, 5, 2, "big")
            return (size[1], size[0]) if size else None
        if marker == 0xFF:  # fill bytes may stand before a marker
            offset += 1
        elif marker in _ALONE:
            offset += 2
        else:
            offset += 2 + int.from_bytes(segment[2:4], "big")
    return None


def _webp(head: bytes) -> tuple[int, int] | None:
    chunk = head[12:16]
    if len(head) < 30:
        return None
    if chunk == b"VP8X":
        width = int.from_bytes(head[24:27], "little")
        return width + 1, int.from_bytes(head[27:30], "little") + 1
    if chunk == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if chunk == b"VP8 ":
        width, height = (int.from_bytes(head[at : at + 2], "little") for at in (26, 28))
        return width & 0x3FFF, height & 0x3FFF
    return None
