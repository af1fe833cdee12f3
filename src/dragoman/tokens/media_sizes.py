"""The sizes of images and lengths of audio, from a few bytes of their base64.

Bytes at any place are decoded without the rest.
"""

from __future__ import annotations

import binascii
import re
from typing import Any

_HEADER = 200  # a data URI's media type and parameters end long before this


class Payload:
    """The bytes of a medium: a data URI, bare base64 or bytes; `size` is 0 if it is none of them.

    Base64 broken into lines is read as far as its first line goes.
    """

    def __init__(self, payload: Any) -> None:
        self._raw = payload if isinstance(payload, bytes) else None
        self._text = payload if isinstance(payload, str) else ""
        self._start = 0
        if self._text[:5].lower() == "data:":
            comma = self._text.find(",", 0, _HEADER)
            self._start = comma + 1 if comma >= 0 else len(self._text)
        self.size = self._size()

    def _size(self) -> int:
        if self._raw is not None:
            return len(self._raw)
        padding = self._text[-2:].count("=")
        return max(0, (len(self._text) - self._start) * 3 // 4 - padding)

    def read(self, offset: int, length: int) -> bytes:
        """Bytes from `offset`, fewer at the end or where there is no base64."""
        if self._raw is not None:
            return self._raw[offset : offset + length]
        first = offset // 3
        last = -(-(offset + length) // 3)
        quanta = self._text[self._start + first * 4 : self._start + last * 4]
        quanta = quanta.partition("\n")[0].rstrip("=\r")
        if len(quanta) % 4 == 1:
            quanta = quanta[:-1]
        try:
            data = binascii.a2b_base64(quanta + "=" * (-len(quanta) % 4))
        except ValueError:
            return b""
        skip = offset - first * 3
        return data[skip : skip + length]


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
    little = order == "little"
    first, second = (
        # a BMP of negative height has its first row at the top
        int.from_bytes(data[i : i + width], "little" if little else "big", signed=width == 4)
        for i in (offset, offset + width)
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
        if marker == 0xFF:  # fill bytes may come before a marker
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
        width, height = (int.from_bytes(head[start : start + 2], "little") for start in (26, 28))
        return width & 0x3FFF, height & 0x3FFF
    return None


_CHUNKS = 50

# kbit/s of layer III by the frame header's index: MPEG 1, then MPEG 2 and 2.5.
_RATES = (
    (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0),
    (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0),
)

_SAMPLING = (44_100, 48_000, 32_000)


def seconds(audio: Payload) -> float | None:
    """The length in seconds, or None if the bytes do not show it."""
    head = audio.read(0, 12)
    if head[:4] == b"RIFF" and head[8:12] == b"WAVE":
        return _wave(audio)
    return _mp3(audio, head)


def _wave(audio: Payload) -> float | None:
    rate, offset = 0, 12
    for _ in range(_CHUNKS):
        chunk = audio.read(offset, 24)
        size = int.from_bytes(chunk[4:8], "little")
        if len(chunk) < 8:
            return None
        if chunk[:4] == b"fmt ":
            rate = int.from_bytes(chunk[16:20], "little")
        elif chunk[:4] == b"data":
            # what is written while it is recorded gives no size, or the largest
            size = min(size or audio.size, audio.size - offset - 8)
            return max(0, size) / rate if rate else None
        offset += 8 + size + size % 2
    return None


def _mp3(audio: Payload, head: bytes) -> float | None:
    offset = 0
    if head[:3] == b"ID3":  # a tag before the sound; seven bits of size in each byte
        size = 0
        for byte in head[6:10]:
            size = size << 7 | byte & 0x7F
        offset = size + 10
    frame = audio.read(offset, 48)
    # eleven bits of sync and layer III
    if len(frame) < 48 or frame[0] != 0xFF or frame[1] & 0xE6 != 0xE2:
        return None
    version = frame[1] >> 3 & 3  # 3 is MPEG 1, 2 is MPEG 2, 0 is MPEG 2.5
    rates = _RATES[0 if version == 3 else 1]
    kilobits, sampling = rates[frame[2] >> 4], frame[2] >> 2 & 3
    if not kilobits or sampling == 3 or version == 1:
        return None
    mono = frame[3] >> 6 == 3
    side_info = (21 if mono else 36) if version == 3 else (13 if mono else 21)
    if frame[side_info : side_info + 4] in (b"Xing", b"Info") and frame[side_info + 7] & 1:
        frames = int.from_bytes(frame[side_info + 8 : side_info + 12], "big")
        hertz = _SAMPLING[sampling] >> {3: 0, 2: 1, 0: 2}[version]
        return frames * (1152 if version == 3 else 576) / hertz
    return max(0, audio.size - offset) * 8 / (kilobits * 1000)


_PAGE = re.compile(rb"/Type\s*/Page(?![a-zA-Z])")
_PAGES = re.compile(
    rb"/Type\s*/Pages\b[^>]{0,200}?/Count\s+(\d{1,6})|/Count\s+(\d{1,6})[^>]{0,200}?/Type\s*/Pages\b"
)
_LOOKED_AT = 2**22  # bytes of a PDF in which pages are looked for


def pages(document: Payload) -> int | None:
    """The pages of a PDF, or None if it is none or keeps them in compressed objects."""
    if document.read(0, 5) != b"%PDF-":
        return None
    data = document.read(0, _LOOKED_AT)
    counts = [int(one or two) for one, two in _PAGES.findall(data)]
    return max(counts, default=0) or len(_PAGE.findall(data)) or None
