"""The manifest of a run: its options and inputs, then a line for each thing that is finished.

A line is added only after the file that it names is on the disk. The last line may be cut where
the run was killed, and then does not count.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import BinaryIO

from ..errors import ConfigError
from ..llm.batches.files import write_whole
from ..text.json_text import JsonObject
from .input_files import InputPart
from .output_files import naming
from .summary import Summary

_VERSION = 2


@dataclass(slots=True)
class FinishedSegment:
    """A segment that is converted.

    Attributes:
        summary: Its sums; lines are counted from its beginning.
        output: The `bytes` and `sha256` of its records.
        quarantine: The same of its quarantine; None if it has none.
    """

    summary: Summary
    output: JsonObject
    quarantine: JsonObject | None

    def to_dict(self) -> JsonObject:
        """The segment as JSON."""
        files = {"output": self.output, "quarantine": self.quarantine}
        return {"summary": self.summary.to_dict(), **files}

    @classmethod
    def from_dict(cls, stored: JsonObject) -> FinishedSegment:
        """The segment that `to_dict` wrote."""
        summary = Summary.from_dict(stored["summary"])
        return cls(summary, stored["output"], stored["quarantine"])


@dataclass(slots=True)
class FinishedPart:
    """The files of a part that is converted, each with `bytes` and `sha256`."""

    output: JsonObject
    quarantine: JsonObject | None


@dataclass(slots=True)
class Manifest:
    """What a run has finished; `path` is where that is kept.

    Attributes:
        segments: Segments by the number of their part and their own.
        parts: Parts by their number.
    """

    path: Path
    segments: dict[tuple[int, int], FinishedSegment] = field(default_factory=dict)
    parts: dict[int, FinishedPart] = field(default_factory=dict)
    _file: BinaryIO | None = None

    @classmethod
    def open(cls, path: Path, options: JsonObject, parts: Sequence[InputPart]) -> Manifest:
        """Begin a manifest, or go on with the one that is there.

        Raises ConfigError if it is of a run with other options or inputs.
        """
        header = {
            "dragoman": "batch",
            "version": _VERSION,
            "options": options,
            "inputs": [part.identity for part in parts],
        }
        manifest = cls(path)
        if path.exists():
            manifest._load(header)
        else:
            write_whole(path, json.dumps(header).encode() + b"\n")
        manifest._file = path.open("ab")
        return manifest

    def _load(self, header: JsonObject) -> None:
        with self.path.open("rb+") as file:
            whole = 0
            for number, line in enumerate(file):
                if not line.endswith(b"\n"):
                    break
                whole += len(line)
                row = json.loads(line)
                if not number:
                    _check_header(row, header, self.path)
                elif "segment" in row:
                    key = row["part"], row["segment"]
                    self.segments[key] = FinishedSegment.from_dict(row)
                else:
                    self.parts[row["part"]] = FinishedPart(row["output"], row["quarantine"])
            file.truncate(whole)

    def add_segment(self, part: int, number: int, segment: FinishedSegment) -> None:
        """Record a segment.

        Neither its files nor this need be on the disk already: checksums are compared before a
        segment is taken for finished, and what is missing is done again.
        """
        self.segments[part, number] = segment
        self._append({"part": part, "segment": number, **segment.to_dict()}, sync=False)

    def add_part(self, number: int, part: FinishedPart) -> None:
        """Record a part whose files have their names."""
        self.parts[number] = part
        row = {"part": number, "output": part.output, "quarantine": part.quarantine}
        self._append(row, sync=True)

    def forget(self, part: int) -> None:
        """Forget a part whose files are not there as they were written; it is done again."""
        self.parts.pop(part, None)
        for key in [key for key in self.segments if key[0] == part]:
            del self.segments[key]

    def _append(self, row: JsonObject, sync: bool) -> None:
        assert self._file is not None
        with naming(self.path):
            self._file.write(json.dumps(row).encode() + b"\n")
            self._file.flush()
            if sync:
                os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


def own_version() -> str:
    """The version of this library: another one may write other bytes."""
    try:
        return metadata.version("dragoman")
    except metadata.PackageNotFoundError:
        return "not installed"


def has_begun(path: Path) -> bool:
    """Whether the run of a manifest has finished anything."""
    try:
        with path.open("rb") as file:
            file.readline()  # the options and inputs
            return bool(file.readline())
    except FileNotFoundError:
        return False


def _check_header(stored: JsonObject, header: JsonObject, path: Path) -> None:
    """Raise ConfigError if a run with other options or inputs began here."""
    hint = f"name another output for this run, or remove {path.parent} and what it has written"
    if stored.get("version") != header["version"]:
        raise ConfigError(f"{path} is of another version of dragoman", hint=hint)
    before, now = stored["options"], header["options"]
    changed = sorted(key for key in {*before, *now} if before.get(key) != now.get(key))
    if changed:
        shown = ", ".join(f"{key} was {before.get(key)!r}, is {now.get(key)!r}" for key in changed)
        text = f"the run that began here had other options: {shown}"
        raise ConfigError(text, hint=hint, code="batch.options")
    old = {row[0]: row for row in stored["inputs"]}
    new = {row[0]: row for row in header["inputs"]}
    if stored["inputs"] == json.loads(json.dumps(header["inputs"])):
        return
    for name in [*old, *new]:
        if old.get(name) != new.get(name):
            what = "is new" if name not in old else "is gone" if name not in new else "was changed"
            text = f"since the run began here, the input {name} {what}"
            raise ConfigError(text, hint=hint, code="batch.inputs")
    text = "the run that began here had its inputs in another order"
    raise ConfigError(text, hint=hint, code="batch.inputs")
