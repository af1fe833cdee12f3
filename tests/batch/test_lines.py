"""Lines of a file and of its ranges: each in exactly one, with its place, in bounded memory."""

from __future__ import annotations

import bz2
import gzip
import io
from collections.abc import Callable
from typing import Any, BinaryIO, cast

import pytest
import zstandard

from dragoman.batch.compression import compression, pack, unpack
from dragoman.batch.lines import BLOCK, Line, LineReader

TEXT = b'{"a": 1}\n\n  \nx\r\n\xe2\x80\xa8y\xc2\x85z\nlast'


def read(data: bytes, start: int = 0, end: int | None = None, most: int = 2**20) -> list[Line]:
    file = io.BufferedReader(cast("Any", io.BytesIO(data)))
    if start:
        file.seek(start - 1)
    return list(LineReader(file, start, end, most))


def test_only_a_newline_ends_a_line() -> None:
    lines = read(TEXT)
    assert [line.data for line in lines] == TEXT.split(b"\n")
    assert [line.number for line in lines] == [1, 2, 3, 4, 5, 6]
    assert all(TEXT[line.offset :].startswith(line.data) for line in lines)
    assert [line.data for line in read(b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n")] == [
        b"a", b"\xef\xbb\xbfb",
    ]  # fmt: skip


@pytest.mark.parametrize("size", [*range(1, 14), 40, 100])
def test_each_line_is_in_one_range(size: int) -> None:
    ranges = [(at, min(at + size, len(TEXT))) for at in range(0, len(TEXT), size)]
    found = [line for start, end in ranges for line in read(TEXT, start, end)]
    assert [(line.offset, line.data) for line in found] == [
        (line.offset, line.data) for line in read(TEXT)
    ]


@pytest.mark.parametrize("length", [BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK])
def test_lines_may_be_longer_than_a_block(length: int) -> None:
    data = b"a\n" + b"x" * length + b"\nb\n"
    assert [(line.offset, len(line.data)) for line in read(data)] == [
        (0, 1), (2, length), (length + 3, 1),
    ]  # fmt: skip


@pytest.mark.parametrize("length", [11, BLOCK, 3 * BLOCK + 5])
def test_a_line_over_the_bound_goes_to_a_file(length: int) -> None:
    file = io.BufferedReader(cast("Any", io.BytesIO(b"0123456789\n" + b"x" * length + b"\nb")))
    reader = LineReader(file, 0, None, 10)
    found: list[tuple[bytes, int, bytes]] = []
    for line in reader:
        if line.too_long:
            assert reader.overflow is not None
            reader.overflow.seek(0)
            found.append((line.data, line.size, reader.overflow.read()))
        else:
            found.append((line.data, line.size, b""))
    assert found == [(b"0123456789", 10, b""), (b"", length, b"x" * length), (b"b", 1, b"")]


_PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": lambda data: zstandard.ZstdCompressor(write_checksum=True).compress(data),
}


@pytest.mark.parametrize("how", _PACK)
def test_packed_data_is_read_in_several_parts(how: str) -> None:
    data = _PACK[how](b"one\ntw") + _PACK[how](b"o\nthree\n")
    assert compression(data) == how
    file = unpack(cast("BinaryIO", io.BytesIO(data)), how)
    assert [line.data for line in LineReader(file, 0, None, 99)] == [b"one", b"two", b"three"]


@pytest.mark.parametrize("how", _PACK)
@pytest.mark.parametrize("cut", [1, 5, 60])
def test_packed_data_that_is_cut_gives_what_is_whole_and_a_fault(how: str, cut: int) -> None:
    text = b"".join(b"%d %d\n" % (n, n * n * 7919) for n in range(30_000))
    file = unpack(cast("BinaryIO", io.BytesIO(_PACK[how](text)[:-cut])), how)
    *whole, last = LineReader(file, 0, None, 99)
    assert last.fault
    assert not any(line.fault for line in whole)
    read_text = b"".join(line.data + b"\n" for line in whole) + last.data
    assert text.startswith(read_text)


@pytest.mark.parametrize("how", _PACK)
def test_damaged_data_is_a_fault(how: str) -> None:
    data = bytearray(_PACK[how](bytes(range(256)) * 999))
    data[len(data) // 2] ^= 0xFF
    data[len(data) // 2 + 1] ^= 0xFF
    lines = list(LineReader(unpack(cast("BinaryIO", io.BytesIO(data)), how), 0, None, 2**20))
    assert lines[-1].fault


@pytest.mark.parametrize("how", _PACK)
def test_the_same_data_is_packed_to_the_same_bytes(how: str) -> None:
    def packed() -> bytes:
        file = io.BytesIO()
        writer = pack(cast("BinaryIO", file), how)
        writer.write(b"a\n" * 999)
        writer.close()
        return file.getvalue()

    assert packed() == packed()
    assert unpack(cast("BinaryIO", io.BytesIO(packed())), how).read() == b"a\n" * 999
