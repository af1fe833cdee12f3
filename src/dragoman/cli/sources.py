"""The input of commands with many files: files, folders, patterns, stdin, compressed or not.

This module does not interpret the content. A source is opened when it is needed, and read row by
row, so that neither the number of files nor their length costs memory.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..batch.compression import HEAD, broken, compression, unpack, without_suffix
from ..batch.input_files import ENDINGS, LINES, files_below, files_like, stands_for_many
from .output import CommandError

REQUEST = "a request as it was sent to a provider"
_NAMES = (*ENDINGS, ".sse")  # files of a folder that are read, also compressed
_PACKED = {".gz": "gzip", ".bz2": "bzip2", ".zst": "zstd"}


@dataclass(frozen=True, slots=True)
class InputFile:
    """One file, with its name in messages; stdin without a path."""

    name: str
    path: Path | None = None
    wanted: str = REQUEST

    @property
    def has_lines(self) -> bool:
        """Whether the file's name says that each line is a value."""
        return _plain_suffix(self.name) in LINES

    def empty(self) -> CommandError:
        """The error for an empty source."""
        return CommandError(f"{self.name}: there is nothing in it", self.wanted)

    def rows(self) -> Iterator[bytes]:
        """The lines with their ends, decompressed, without a byte order mark; blank ones, too.

        Raises CommandError if compressed data is broken, OSError if the file cannot be read.
        """
        with self._open() as packed_file:
            packed = compression(packed_file.peek(HEAD))
            with unpack(cast("BinaryIO", packed_file), packed) as file:
                try:
                    for number, row in enumerate(file):
                        yield row.removeprefix(b"\xef\xbb\xbf") if not number else row
                except Exception as error:
                    if not (packed and broken(error)):
                        raise
                    text = f"{self.name}: the {_PACKED[packed]} data is broken: {error}"
                    raise CommandError(text) from error

    def _open(self) -> io.BufferedReader:
        if self.path is not None:
            return self.path.open("rb")
        if sys.stdin.isatty():
            sys.stderr.write(f"reading {self.wanted} from the keyboard; Ctrl-D ends it\n")
        beginning = sys.stdin.buffer.read(HEAD)
        return io.BufferedReader(_Rejoined(beginning, sys.stdin.buffer))


class _Rejoined(io.RawIOBase):
    """A stream whose first bytes have been read already."""

    def __init__(self, beginning: bytes, rest: BinaryIO) -> None:
        super().__init__()
        self._beginning = beginning
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        if self._beginning:
            data, self._beginning = self._beginning[: len(buffer)], self._beginning[len(buffer) :]
        else:
            # read1 returns what has come, so that lines of a pipe are read as they are written
            read = getattr(self._rest, "read1", self._rest.read)
            data = read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _plain_suffix(name: str) -> str:
    """The suffix; that of the inner file if it is compressed."""
    return Path(without_suffix(name)).suffix


def sources(
    files: Sequence[str], wanted: str = REQUEST
) -> tuple[Iterator[InputFile | CommandError], bool]:
    """The files that these arguments name, in their order; True if there may be several.

    `-` is stdin. A folder means its JSON, JSON lines and recorded streams in the order of their
    names, then those of the folders in it. `*`, `?` and `[` make a pattern unless there is a file
    of exactly this name (`**` goes into folders). An argument that names nothing is an error in its
    place. Raises CommandError if stdin is named twice.
    """
    if list(files).count("-") > 1:
        raise CommandError("stdin is named twice", "name - once")
    several = len(files) > 1 or any(stands_for_many(file) for file in files)
    return (source for file in files for source in _find_sources(file, wanted)), several


def only(found: Iterator[InputFile | CommandError]) -> InputFile:
    """The source, if there is exactly one."""
    [one] = found
    assert isinstance(one, InputFile)
    return one


def failure_at(source: InputFile, error: CommandError | OSError) -> CommandError:
    """The error for one of many sources."""
    if isinstance(error, CommandError):
        return error
    return CommandError(f"{source.name}: {error.strerror or error}")


def _find_sources(file: str, wanted: str) -> Iterator[InputFile | CommandError]:
    if not stands_for_many(file):
        stdin = file == "-"
        yield InputFile("stdin" if stdin else file, None if stdin else Path(file), wanted)
        return
    is_folder = Path(file).is_dir()
    found = False
    for path in files_below(file) if is_folder else files_like(file):
        if path.is_file() and not (is_folder and _plain_suffix(path.name) not in _NAMES):
            found = True
            yield InputFile(str(path), path, wanted)
    if not found:
        if is_folder:
            names = ", ".join(_NAMES)
            hint = f"read are {names}, also with .gz, .bz2 or .zst"
            yield CommandError(f"{file}: there is no file to read in this folder", hint)
        else:
            yield CommandError(f"{file}: no file has such a name")
