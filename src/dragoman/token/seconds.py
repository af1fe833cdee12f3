"""How long a WAV or an MP3 plays, from its first bytes, without an audio library.

The two formats that OpenAI's messages carry. RIFF WAVE as its specification has it; MPEG audio
frames by ISO 11172-3: an MP3 of constant bit rate exactly, one of variable rate by its Xing header.
"""

from __future__ import annotations

from .payload import Payload

__all__ = ["seconds"]

_CHUNKS = 50
# kbit/s of layer III by the frame header's index: MPEG 1, then MPEG 2 and 2.5.
_RATES = (
    (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0),
    (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0),
)
_SAMPLING = (44_100, 48_000, 32_000)


def seconds(audio: Payload) -> float | None:
    """The length in seconds, or None if it cannot be told from the bytes."""
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
    side = (21 if mono else 36) if version == 3 else (13 if mono else 21)
    if frame[side : side + 4] in (b"Xing", b"Info") and frame[side + 7] & 1:
        frames = int.from_bytes(frame[side + 8 : side + 12], "big")
        hertz = _SAMPLING[sampling] >> {3: 0, 2: 1, 0: 2}[version]
        return frames * (1152 if version == 3 else 576) / hertz
    return max(0, audio.size - offset) * 8 / (kilobits * 1000)
