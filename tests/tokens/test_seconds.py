"""How long a sound is, from files of the standard library and frames made by the standard."""

from __future__ import annotations

import base64
import io
import wave

import pytest

from dragoman.tokens.media_sizes import Payload, seconds


def wav(frames: int, rate: int = 16_000, channels: int = 1, width: int = 2) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as made:
        made.setnchannels(channels)
        made.setsampwidth(width)
        made.setframerate(rate)
        made.writeframes(b"\0" * frames * channels * width)
    return file.getvalue()


@pytest.mark.parametrize(("rate", "channels", "width"), [(8000, 1, 1), (44_100, 2, 2)])
def test_a_wav_of_any_make(rate: int, channels: int, width: int) -> None:
    data = wav(rate * 3 + rate // 2, rate, channels, width)
    for payload in (data, base64.b64encode(data).decode()):
        assert seconds(Payload(payload)) == pytest.approx(3.5)


def test_other_chunks_may_stand_before_the_sound() -> None:
    data = wav(16_000)
    odd = b"LIST" + (5).to_bytes(4, "little") + b"abcde\0"
    assert seconds(Payload(data[:12] + odd + data[12:])) == pytest.approx(1.0)


@pytest.mark.parametrize("size", [0, 2**32 - 1])
def test_a_wav_written_while_it_was_recorded(size: int) -> None:
    data = wav(16_000)
    streamed = data[:40] + size.to_bytes(4, "little") + data[44:]
    assert seconds(Payload(streamed)) == pytest.approx(1.0)


def frames(header: bytes, size: int, count: int) -> bytes:
    return (header + b"\0" * (size - len(header))) * count


def test_an_mp3_of_constant_rate() -> None:
    # MPEG 1 layer III, 128 kbit/s, 44.1 kHz: 417 bytes and 1,152 samples in a frame
    data = frames(b"\xff\xfb\x90\x00", 417, 100)
    assert seconds(Payload(data)) == pytest.approx(100 * 1152 / 44_100, rel=0.01)
    tag = b"ID3\x04\0\0" + bytes((0, 0, 1, 2)) + b"\0" * 130
    assert seconds(Payload(tag + data)) == pytest.approx(100 * 1152 / 44_100, rel=0.01)


def test_an_mp3_of_half_the_sampling_rate() -> None:
    # MPEG 2 layer III, 64 kbit/s, 22.05 kHz, mono: 208 bytes and 576 samples in a frame
    data = frames(b"\xff\xf3\x80\xc0", 208, 50)
    assert seconds(Payload(data)) == pytest.approx(50 * 576 / 22_050, rel=0.01)


@pytest.mark.parametrize(
    ("header", "side", "length"),
    [
        (b"\xff\xfb\x90\x00", 36, 5000 * 1152 / 44_100),
        (b"\xff\xf3\x80\xc0", 13, 5000 * 576 / 22_050),
    ],
)
def test_an_mp3_of_variable_rate_by_its_header(header: bytes, side: int, length: float) -> None:
    first = header + b"\0" * (side - 4) + b"Xing" + (1).to_bytes(4, "big")
    data = first + (5000).to_bytes(4, "big") + b"\0" * 400
    assert seconds(Payload(data)) == pytest.approx(length)


NO_SOUNDS = (
    *(b"", b"RIFF", b"RIFF\0\0\0\0WAVE", b"OggS" + b"\0" * 60, b"\xff\xfb\x00\x00" + b"\0" * 60),
    *(b"\xff\xfb\x9c\x00" + b"\0" * 60, b"\xff\xeb\x90\x00" + b"\0" * 60, wav(9)[:30]),
    b"RIFF\0\0\0\0WAVE" + b"LIST\0\0\0\0" * 60,
)


@pytest.mark.parametrize("data", NO_SOUNDS)
def test_what_cannot_be_told(data: bytes) -> None:
    assert seconds(Payload(data)) is None
