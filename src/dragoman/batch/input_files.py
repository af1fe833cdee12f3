"""Which files are read, what each becomes, and whether one was changed since."""

from __future__ import annotations

import hashlib
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from glob import has_magic, iglob
from pathlib import Path, PurePath
from typing import BinaryIO

from ..agent_logs import begins_log
from ..errors import ConfigError
from . import quarantine, tables
from .compression import (
    HEAD,
    broken,
    compression,
    find_other,
    require_zstandard,
    suffix,
    unpack,
    without_suffix,
)
from .table_reading import find_groups

LINES = (".jsonl", ".ndjson")  # files with a value on each line
ENDINGS = (".json", *LINES)
STDIN = "stdin.jsonl"  # the name of its output
_BLOCK = 2**20
_HEAD_OF_LOG = 2**18  # bytes by which a log is known


@dataclass(frozen=True, slots=True)
class InputPart:
    """A file of records, and the names of what it becomes.

    Attributes:
        source: Its name in messages, as it was given.
        path: Where it is.
        output: The name of the output below the folder of the outputs.
        quarantine: The name of the file for records that are not converted.
        size: Its bytes.
        stamp: What changes when it is changed: the time in nanoseconds, or a checksum.
        packed: The suffix of its compression; empty if it has none.
        is_log: Whether it is one record: the log of an agent's session.
        table: Which kind of table it is; empty for lines.
        groups: Where each group of rows of a table begins.
        writes: Which kind of table it becomes; empty for lines.
    """

    source: str
    path: Path
    output: str
    quarantine: str
    size: int
    stamp: str
    packed: str
    is_log: bool = False
    table: str = ""
    groups: tuple[int, ...] = ()
    writes: str = ""

    @property
    def identity(self) -> list[str | int]:
        """What must be the same for a run that goes on."""
        return [self.source, self.output, self.size, self.stamp]

    def check_unchanged(self, file: BinaryIO) -> None:
        """Raise ConfigError if the open file is not as it was when the run began."""
        state = os.fstat(file.fileno())
        # the copy of stdin has a checksum, and is ours
        if self.source != "stdin" and (state.st_size, str(state.st_mtime_ns)) != (
            self.size,
            self.stamp,
        ):
            text = f"{self.source} was changed while it was converted"
            raise ConfigError(text, hint="choose another folder and convert it anew")


def _resolve(path: Path) -> Path:
    """The path without links; of one that leads to itself as it is (`Path.resolve` raises)."""
    return Path(os.path.realpath(path))


def stands_for_many(name: str) -> bool:
    """Whether an argument is a folder or a pattern; an existing file is no pattern."""
    return name != "-" and (Path(name).is_dir() or (has_magic(name) and not Path(name).exists()))


def files_below(folder: str, linked: list[str] | None = None) -> Iterator[Path]:
    """All files in a folder and those below it, in the order of their names, no hidden ones.

    Links to folders are not followed, since they may lead back; `linked` takes their names.
    """
    for place, folders, names in os.walk(folder, onerror=_raise):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if linked is not None:
            linked += [name for name in folders if Path(place, name).is_symlink()]
        for name in sorted(names):
            if not name.startswith("."):
                yield Path(place, name)


def _raise(error: OSError) -> None:
    """Let no folder be left out because it cannot be read."""
    raise error


def files_like(pattern: str) -> Iterator[Path]:
    """The files whose names match a pattern, in the order of their names."""
    # not Path.glob: patterns may be absolute
    paths = map(Path, sorted(iglob(pattern, recursive=True)))  # noqa: PTH207
    return (path for path in paths if path.is_file())


def find_parts(
    names: Sequence[str],
    output: str | None,
    state: Path,
    outputs: Path,
    logs: bool | None = False,
    ending: str = "",
) -> tuple[list[InputPart], list[str]]:
    """The parts that the arguments of a command name, in their order, and notes on what is not.

    Args:
        names: Files, folders and patterns; "-" is stdin, which is copied into `state`.
        output: The name of the output of a single file; None: its own.
        state: The folder for what a run needs.
        outputs: The folder of the outputs; its files are no inputs.
        logs: Whether each file is the log of an agent's session; None looks at it.
        ending: How the names of all outputs end; empty: as those of their inputs.

    Raises:
        ConfigError: An argument names nothing, or two inputs would be written to one file.
    """
    if list(names).count("-") > 1:
        raise ConfigError("stdin is named twice", hint="name - once")
    parts: list[InputPart] = []
    notes: list[str] = []
    for name in names:
        if not name:
            raise ConfigError("the name of an input is empty", hint="a file, a folder, a pattern")
        if name == "-":
            parts.append(_stdin_part(state, logs))
        elif stands_for_many(name):
            parts += _many(name, outputs, notes, logs)
        else:
            parts.append(_part(Path(name), name, Path(name).name, logs))
    if output is not None:
        if suffix(output) == ".zst":
            require_zstandard()
        named_after = _quarantine_name(output)
        parts = [replace(part, output=output, quarantine=named_after) for part in parts]
    elif ending:
        parts = [_renamed(part, ending) for part in parts]
    parts = [replace(part, writes=_written_kind(part)) for part in parts]
    named = Counter(part.quarantine for part in parts)
    parts = [  # `a.jsonl` and `a.ndjson` have one each
        replace(part, quarantine=f"{part.output}{quarantine.SUFFIX}")
        if named[part.quarantine] > 1
        else part
        for part in parts
    ]
    _check_names(parts, outputs)
    return parts, notes


def _many(name: str, outputs: Path, notes: list[str], logs: bool | None) -> Iterator[InputPart]:
    is_folder = Path(name).is_dir()
    root = Path(name) if is_folder else _fixed_root(name)
    within = outputs.resolve()
    skipped: dict[str, int] = {}
    linked: list[str] = []
    found = False
    for path in files_below(name, linked) if is_folder else files_like(name):
        if within != root.resolve() and within in _resolve(path).parents:
            continue
        if is_folder and path.name.endswith(quarantine.SUFFIX):
            skipped["quarantine"] = skipped.get("quarantine", 0) + 1
        elif is_folder and not _is_known(without_suffix(path.name)):
            skipped["other"] = skipped.get("other", 0) + 1
        else:
            found = True
            yield _part(path, str(path), path.relative_to(root).as_posix(), logs)
    if not found:
        endings, others = ", ".join(ENDINGS), ", ".join(tables.ENDINGS)
        hint = f"read are {endings}, also with .gz, .bz2 or .zst; {others}"
        text = "there is no file to read in this folder" if is_folder else "no file has such a name"
        raise ConfigError(f"{name}: {text}", hint=hint if is_folder else "")
    if count := skipped.get("quarantine"):
        notes.append(f"{name}: {count} quarantine file(s) left out; name them to try them again")
    if linked:
        notes.append(f"{name}: {len(linked)} link(s) to folders left out; name them to read them")
    if count := skipped.get("other"):
        notes.append(f"{name}: {count} file(s) left out, which are no records by their names")


def _renamed(part: InputPart, ending: str) -> InputPart:
    inner = without_suffix(part.output)
    stem = inner.removesuffix(PurePath(inner).suffix) if _is_known(inner) else inner
    output = f"{stem}{ending}"
    return replace(part, output=output, quarantine=_quarantine_name(output))


def _written_kind(part: InputPart) -> str:
    """The kind of table that a part becomes by the name of its output."""
    kind = tables.named_kind(part.output)
    if not kind:
        if tables.named_kind(without_suffix(part.output)):
            text = f"{part.output}: a table packs its columns itself"
            raise ConfigError(text, hint=f"name it {without_suffix(part.output)}")
        return ""
    tables.require_pyarrow()
    # a file of datasets is a stream, and is called .arrow as well
    return part.table if kind != tables.PARQUET and part.table == tables.STREAM else kind


def _is_known(name: str) -> bool:
    """Whether a name, without the suffix of a compression, ends as that of a file of records."""
    return PurePath(name).suffix in (*ENDINGS, *tables.ENDINGS)


def _fixed_root(pattern: str) -> Path:
    """The folder above the first part of a pattern that matches several names."""
    root = Path()
    for piece in Path(pattern).parts[:-1]:
        if has_magic(piece):
            break
        root /= piece
    return root


def _part(path: Path, source: str, name: str, logs: bool | None) -> InputPart:
    if not os.path.exists(path):  # noqa: PTH110  # also for links that lead to themselves
        what = "this link leads to no file" if path.is_symlink() else "there is no such file"
        raise ConfigError(f"{source}: {what}")
    if not path.is_file():
        raise ConfigError(f"{source}: this is no file", hint="what comes by a pipe is read with -")
    with path.open("rb") as file:
        head = file.read(HEAD)
        packed, table = compression(head), tables.table_kind(head, name)
        file.seek(0)
        is_log = not table and (_is_log(file, packed) if logs is None else logs)
        _refuse_unread(file, head, packed, source)
        if not (is_log or table):
            _refuse_document(file, packed, source)
        state = os.fstat(file.fileno())
    output = _output_name(name)
    if ".zst" in (packed, suffix(output)):
        require_zstandard()
    named = _quarantine_name(output)
    groups = find_groups(path, table) if table else ()
    stamp = str(state.st_mtime_ns)
    return InputPart(
        source, path, output, named, state.st_size, stamp, packed, is_log, table, groups
    )


def _is_log(file: BinaryIO, packed: str) -> bool:
    """Whether the file begins as the log of a session does; it is at its beginning again."""
    head = _read_head(lambda: unpack(file, packed).read(_HEAD_OF_LOG))
    file.seek(0)
    return begins_log(head.decode(errors="replace"), whole=len(head) < _HEAD_OF_LOG)


def _refuse_unread(file: BinaryIO, head: bytes, packed: str, source: str) -> None:
    """Raise ConfigError for data of which each line would be in quarantine, also in packed data."""
    if packed:
        head = _read_head(lambda: unpack(file, packed).read(HEAD))
        file.seek(0)
        if inner := compression(head) or tables.table_kind(head, ""):
            text = f"{source}: in the packed data there is {inner.removeprefix('.')} data"
            raise ConfigError(text, hint="unpack it first")
    if (found := find_other(head)) is not None:
        what, command = found
        hint = f"put `{command} FILE |` before the command, and - in the place of the file"
        raise ConfigError(f"{source}: this is {what}, which is not read", hint=hint)


def _read_head(read: Callable[[], bytes]) -> bytes:
    """How data begins; nothing of damaged data, which is quarantined where it is converted."""
    try:
        return read()
    except Exception as error:
        if not broken(error):
            raise
        return b""


def _refuse_document(file: BinaryIO, packed: str, source: str) -> None:
    """Raise ConfigError for JSON on several lines: each line would be a record."""
    first = _read_head(lambda: unpack(file, packed).readline(_BLOCK)).strip()
    if first in (b"{", b"["):
        hint = "`dragoman convert` reads it; here each line is a record"
        raise ConfigError(f"{source}: this is one JSON document on several lines", hint=hint)


def _stdin_part(state: Path, logs: bool | None) -> InputPart:
    copy = state / "stdin"
    digest = hashlib.sha256()
    with copy.open("wb") as file:
        while block := sys.stdin.buffer.read1(_BLOCK):  # type: ignore[union-attr]
            digest.update(block)
            file.write(block)
        size = file.tell()
    with copy.open("rb") as file:
        head = file.read(HEAD)
        packed, table = compression(head), tables.table_kind(head, STDIN)
        file.seek(0)
        is_log = not table and (_is_log(file, packed) if logs is None else logs)
        _refuse_unread(file, head, packed, "stdin")
    groups = find_groups(copy, table) if table else ()
    named, stamp = _quarantine_name(STDIN), digest.hexdigest()
    return InputPart("stdin", copy, STDIN, named, size, stamp, packed, is_log, table, groups)


def _output_name(name: str) -> str:
    """The name of an output: that of its input, but what was in quarantine is so no longer."""
    inner = without_suffix(name)
    if inner.endswith(quarantine.SUFFIX):
        return f"{inner.removesuffix(quarantine.SUFFIX)}.jsonl{suffix(name)}"
    return name


def _quarantine_name(output: str) -> str:
    """`a.quarantine.jsonl` for `a.jsonl` and `a.jsonl.gz`."""
    inner = without_suffix(output)
    end = PurePath(inner).suffix
    return f"{inner.removesuffix(end) if _is_known(inner) else inner}{quarantine.SUFFIX}"


def _check_names(parts: Sequence[InputPart], outputs: Path) -> None:
    """Raise ConfigError if two files would have one name, or an output that of an input."""
    inputs = {_resolve(part.path) for part in parts}
    by_name: dict[str, str] = {}
    for part in parts:
        for name in (part.output, part.quarantine):
            if _resolve(outputs / name) in inputs:
                raise ConfigError(
                    f"{outputs / name} is an input", hint="name another folder for the output"
                )
            if (other := by_name.get(name)) is not None:
                text = f"{other} and {part.source} would both be written to {outputs / name}"
                raise ConfigError(text, hint="convert them into two folders")
            by_name[name] = part.source
