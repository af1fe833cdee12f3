"""The input of commands with many files: files, folders, patterns, stdin, compressed or not.

This module does not interpret the content. A source is opened when it is needed, and read row by
row, so that neither the number of files nor their length costs memory.
"""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from glob import has_magic, iglob
from os import walk
from pathlib import Path
from typing import Any, BinaryIO, cast

from .output import CommandError

LINES = (".jsonl", ".ndjson")  # files with a value on each line
REQUEST = "a request as it was sent to a provider"
_NAMES = (".json", *LINES, ".sse")  # files of a folder that are read, also with .gz at the end
_GZIP = b"\x1f\x8b"  # RFC 1952, 2.3.1: how gzip data begins, whatever the file's name


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

    def open(self) -> BinaryIO:
        """Open the file, decompressed if it is gzip. Raises OSError if it cannot be read."""
        if self.path is not None:
            with self.path.open("rb") as file:
                packed = file.read(2) == _GZIP
            return cast("BinaryIO", gzip.open(self.path)) if packed else self.path.open("rb")
        if sys.stdin.isatty():
            sys.stderr.write(f"reading {self.wanted} from the keyboard; Ctrl-D ends it\n")
        beginning = sys.stdin.buffer.read(2)
        stdin = io.BufferedReader(_Rejoined(beginning, sys.stdin.buffer))
        return cast("BinaryIO", gzip.open(stdin)) if beginning == _GZIP else stdin

    def rows(self) -> Iterator[bytes]:
        """The lines with their ends, including blank ones, without a byte order mark.

        Raises CommandError if compressed data is broken.
        """
        with self.open() as file:
            try:
                for number, row in enumerate(file):
                    yield row.removeprefix(b"\xef\xbb\xbf") if not number else row
            except (gzip.BadGzipFile, EOFError, zlib.error) as error:
                raise self._gzip_error(error) from error

    def _gzip_error(self, error: Exception) -> CommandError:
        return CommandError(f"{self.name}: the gzip data is broken: {error}")


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
    path = Path(name)
    return Path(path.stem).suffix if path.suffix == ".gz" else path.suffix


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
    several = len(files) > 1 or any(_stands_for_many(file) for file in files)
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


def _stands_for_many(file: str) -> bool:
    return file != "-" and (Path(file).is_dir() or (has_magic(file) and not Path(file).exists()))


def _find_sources(file: str, wanted: str) -> Iterator[InputFile | CommandError]:
    if not _stands_for_many(file):
        stdin = file == "-"
        yield InputFile("stdin" if stdin else file, None if stdin else Path(file), wanted)
        return
    is_folder = Path(file).is_dir()
    # not Path.glob: patterns may be absolute
    paths = _below(file) if is_folder else iter(sorted(iglob(file, recursive=True)))  # noqa: PTH207
    found = False
    for path in paths:
        if Path(path).is_file():
            found = True
            yield InputFile(path, Path(path), wanted)
    if not found:
        if is_folder:
            names = ", ".join(_NAMES)
            hint = f"read are {names}, also with .gz"
            yield CommandError(f"{file}: there is no file to read in this folder", hint)
        else:
            yield CommandError(f"{file}: no file has such a name")


def _below(folder: str) -> Iterator[str]:
    """The files of a folder that are read, without hidden ones."""
    for place, folders, names in walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith(".") and _plain_suffix(name) in _NAMES:
                yield str(Path(place, name))
