"""Compressed files: recognised by how they begin, written by how their names end."""

from __future__ import annotations

import bz2
import gzip
import io
import zlib
from importlib.util import find_spec
from pathlib import PurePath
from typing import Any, BinaryIO, cast

from ..errors import ConfigError, ReadError

SUFFIXES = (".gz", ".bz2", ".zst")
_GZIP = b"\x1f\x8b"  # RFC 1952, 2.3.1
_BZIP2 = b"BZh"
_ZSTD = b"\x28\xb5\x2f\xfd"  # RFC 8878, 3.1.1
# what is not read, by how it begins, and the command that makes it readable: the .xz File Format
# 1.2, APPNOTE 4.3.7 of ZIP, 7zFormat, LZ4 Frame Format 1.6; the byte order marks of UTF-16
_OTHERS = {
    b"\xfd7zXZ": ("xz data", "xz -dc"),
    b"PK\x03\x04": ("a ZIP archive", "unzip -p"),
    b"7z\xbc\xaf": ("a 7z archive", "7z x -so"),
    b"\x04\x22\x4d\x18": ("lz4 data", "lz4 -dc"),
    b"\xff\xfe": ("UTF-16", "iconv -f UTF-16 -t UTF-8"),
    b"\xfe\xff": ("UTF-16", "iconv -f UTF-16 -t UTF-8"),
    b"{\0": ("UTF-16", "iconv -f UTF-16LE -t UTF-8"),
    b"\0{": ("UTF-16", "iconv -f UTF-16BE -t UTF-8"),
}
HEAD = 5  # bytes that show how a file is compressed
_BLOCK = 2**18


def compression(head: bytes) -> str:
    """The suffix of the compression of data that begins like this; empty if there is none."""
    if head.startswith(_GZIP):
        return ".gz"
    if head.startswith(_BZIP2):
        return ".bz2"
    return ".zst" if head.startswith(_ZSTD) else ""


def find_other(head: bytes) -> tuple[str, str] | None:
    """What data is that is not read, and the command that makes it readable; None for the rest."""
    return next((found for start, found in _OTHERS.items() if head.startswith(start)), None)


def suffix(name: str) -> str:
    """The suffix by which a name says how the file is compressed; empty if it says nothing."""
    end = PurePath(name).suffix
    return end if end in SUFFIXES else ""


def without_suffix(name: str) -> str:
    """The name of the file inside a compressed one."""
    return name.removesuffix(suffix(name))


def unpack(file: BinaryIO, how: str) -> BinaryIO:
    """A stream of the unpacked data of a file, whose compression is `how`.

    Reading it raises an error that `broken` recognises where the data is damaged or ends early.
    """
    match how:
        case ".gz":
            return cast("BinaryIO", gzip.open(file))
        case ".bz2":
            return cast("BinaryIO", bz2.open(file))
        case ".zst":
            require_zstandard()
            return cast("BinaryIO", io.BufferedReader(_ZstandardReader(file), _BLOCK))
        case _:
            return file


def pack(file: BinaryIO, how: str) -> BinaryIO:
    """A stream that writes its data compressed into a file; the same data gives the same bytes."""
    match how:
        case ".gz":
            # without a name and a time
            packed = gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0)
            return cast("BinaryIO", packed)
        case ".bz2":
            return cast("BinaryIO", bz2.open(file, "wb"))
        case ".zst":
            require_zstandard()
            import zstandard  # of the extra `batch`

            compressor = zstandard.ZstdCompressor(write_checksum=True)
            writer: Any = compressor.stream_writer(file, closefd=False)
            return cast("BinaryIO", writer)
        case _:
            return file


def broken(error: BaseException) -> bool:
    """Whether an error says that compressed data is damaged, or ends early."""
    if isinstance(error, (EOFError, zlib.error, gzip.BadGzipFile, ReadError)):
        return True
    # bz2 raises a plain OSError, without a number
    return isinstance(error, OSError) and error.errno is None


def require_zstandard() -> None:
    """Raise ConfigError if the library for .zst is not installed."""
    if find_spec("zstandard") is None:
        raise ConfigError(".zst files need zstandard", hint='pip install "dragoman[batch]"')


class _ZstandardReader(io.RawIOBase):
    """The data of zstd frames.

    The readers of zstandard 0.25 end without an error where the last frame is cut, so the frames
    are taken one by one.
    """

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        import zstandard  # of the extra `batch`

        self._file = file
        self._library: Any = zstandard
        self._frame: Any = None
        self._packed = b""
        self._data = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        while not self._data:
            if not self._packed:
                # small: a piece of packed data can become a thousand times as long
                self._packed = self._file.read(2**14)
            if not self._packed:
                if self._frame is not None:
                    raise ReadError("the zstd data ends early", code="input.broken")
                return 0
            if self._frame is None:
                self._frame = self._library.ZstdDecompressor().decompressobj()
            try:
                self._data = memoryview(self._frame.decompress(self._packed))
            except self._library.ZstdError as error:
                raise ReadError(f"the zstd data is damaged: {error}", code="input.broken") from None
            self._packed = b""
            if self._frame.eof:
                self._packed, self._frame = self._frame.unused_data, None
        count = min(len(buffer), len(self._data))
        buffer[:count] = self._data[:count]
        self._data = self._data[count:]
        return count
