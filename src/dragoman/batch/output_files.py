"""Files that appear under their names only when they are whole, also if the machine stops."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..text.json_text import JsonObject
from .compression import pack

_BLOCK = 2**18


@contextmanager
def naming(path: Path | str) -> Iterator[None]:
    """Have an error of the system name the file, as those of opening it do."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error


class OutputFile:
    """A file under a temporary name, with its size and checksum.

    Args:
        path: The temporary name.
        packed: The suffix of the compression; empty for none.
    """

    def __init__(self, path: Path, packed: str = "") -> None:
        self.path = path
        self._sum = _Checksum(path)
        self._plain = io.BufferedWriter(self._sum, _BLOCK)
        plain = cast("BinaryIO", self._plain)
        self._packer = pack(plain, packed)
        self.file: BinaryIO = self._packer
        if packed:  # small writes are slow in the classes that pack
            self.file = cast("BinaryIO", io.BufferedWriter(cast("Any", _Writer(self._packer))))

    def close(self, sync: bool = True) -> JsonObject:
        """Write all of it; returns its `bytes` and `sha256`.

        Args:
            sync: Whether it is on the disk then, also if the machine stops.
        """
        if self.file is not self._packer:
            self.file.flush()
            self._packer.close()
        self._plain.flush()
        if sync:
            with naming(self.path):
                os.fsync(self._sum.fileno())
        self._plain.close()
        return {"bytes": self._sum.size, "sha256": self._sum.digest.hexdigest()}

    def discard(self) -> None:
        """Remove it."""
        for file in (self._packer, self._plain, self._sum):
            with suppress(OSError, ValueError):  # what the buffers have is not wanted
                file.close()
        self.path.unlink(missing_ok=True)


class _Checksum(io.FileIO):
    """A file that knows the checksum of what is written to it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "wb")
        self._path = path
        self.digest = hashlib.sha256()
        self.size = 0

    def write(self, data: Any, /) -> int:
        with naming(self._path):
            count = super().write(data)
        assert count is not None  # the file blocks
        self.digest.update(memoryview(data)[:count])
        self.size += count
        return count


class _Writer(io.RawIOBase):
    """The stream that packs, as one that a buffer can be put before."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        self._file.write(data)
        return len(data)


def has_checksum(path: Path, stored: JsonObject) -> bool:
    """Whether a file is there with these `bytes` and this `sha256`."""
    try:
        if path.stat().st_size != stored["bytes"]:
            return False
        digest = hashlib.sha256()
        with path.open("rb") as file:
            _each_block(file, digest.update)
    except FileNotFoundError:
        return False
    checksum: str = stored["sha256"]
    return digest.hexdigest() == checksum


def copy_into(path: Path, target: BinaryIO) -> None:
    """Append a file to another."""
    with path.open("rb") as file:
        _each_block(file, target.write)


def _each_block(file: BinaryIO, use: Callable[[bytes], object]) -> None:
    while block := file.read(_BLOCK):
        use(block)
