"""The size of an image from its first bytes, with Pillow as the one who made the image."""

from __future__ import annotations

import base64
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from dragoman.tokens.media_sizes import Payload, pixels
from tests.each_case import each_case

FORMATS: dict[str, tuple[str, dict[str, Any]]] = {
    "png": ("PNG", {}),
    "jpeg": ("JPEG", {}),
    "progressive jpeg": ("JPEG", {"progressive": True}),
    "jpeg with a profile": ("JPEG", {"icc_profile": b"p" * 150_000, "comment": b"c" * 900}),
    "gif": ("GIF", {}),
    "bmp": ("BMP", {}),
    "webp": ("WEBP", {}),
    "lossless webp": ("WEBP", {"lossless": True}),
    "extended webp": ("WEBP", {"exif": b"Exif\0\0MM\0*" + b"\0" * 12}),
}


def made(kind: str, width: int, height: int) -> bytes:
    form, options = FORMATS[kind]
    file = io.BytesIO()
    Image.new("RGB", (width, height), (200, 30, 90)).save(file, form, **options)
    return file.getvalue()


@each_case("kind", FORMATS)
@each_case("size", [(1, 1), (640, 480), (33, 1999)])
def test_every_format_by_every_spelling(kind: str, size: tuple[int, int]) -> None:
    data = made(kind, *size)
    text = base64.b64encode(data).decode()
    for payload in (data, text, f"data:image/x;base64,{text}"):
        assert pixels(Payload(payload)) == size


@pytest.mark.parametrize("kind", FORMATS)
@given(st.integers(0, 400))
def test_a_cut_image_has_its_size_or_none(kind: str, kept: int) -> None:
    assert pixels(Payload(made(kind, 12, 34)[:kept])) in ((12, 34), None)


NO_IMAGES = (
    *(b"", "", None, "https://example.com/a.png", b"%PDF-1.4", "data:image/png;base64,", "!!!", 3),
    *(b"\xff\xd8\xff\xe0" + b"\0" * 60, b"\x89PNG\r\n\x1a\n" + b"\0" * 30),
)


@pytest.mark.parametrize("payload", NO_IMAGES)
def test_what_is_no_image_has_no_size(payload: Any) -> None:
    assert pixels(Payload(payload)) is None


def test_a_bmp_that_stands_on_its_head() -> None:
    data = bytearray(made("bmp", 12, 34))
    data[22:26] = (-34).to_bytes(4, "little", signed=True)
    assert pixels(Payload(bytes(data))) == (12, 34)


def test_a_jpeg_with_fill_bytes_and_markers_without_a_length() -> None:
    data = made("jpeg", 12, 34)
    for alone in (b"\xff\x01", b"\xff\xd0", b"\xff\xd7"):
        for filled in (alone, alone + b"\xff", alone + b"\xff\xff\xff"):
            assert pixels(Payload(data[:2] + filled + data[2:])) == (12, 34)


def test_a_jpeg_that_never_ends_is_given_up() -> None:
    assert pixels(Payload(b"\xff\xd8\xff" + b"\xff\xe0\x00\x02" * 5000)) is None


@given(st.binary(max_size=90), st.integers(0, 95), st.integers(0, 40))
def test_a_payload_reads_what_stands_there(data: bytes, offset: int, length: int) -> None:
    text = base64.b64encode(data).decode()
    for payload in (data, text, f"data:,{text}"):
        held = Payload(payload)
        assert held.read(offset, length) == data[offset : offset + length]
        assert held.size == len(data)


def test_base64_in_lines_is_read_as_far_as_its_first() -> None:
    text = base64.encodebytes(made("png", 640, 480)).decode()
    assert pixels(Payload(text)) == (640, 480)
