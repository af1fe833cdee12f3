"""Join the segments of a file, as soon as each is finished and those before it are."""

from __future__ import annotations

from pathlib import Path

from .manifest import FinishedPart, FinishedSegment
from .output_files import OutputFile, copy_into
from .quarantine import copy_entries


class Join:
    """The files that the segments of a part are joined to, in their order.

    Args:
        name: The temporary name of the output.

    Attributes:
        segments: How many segments are joined.
        lines: How many lines of the input these have.
    """

    def __init__(self, name: Path) -> None:
        self.segments = 0
        self.lines = 0
        self.output = OutputFile(name)
        self.quarantine_path = name.with_name(f"{name.name}.quarantine")
        self.quarantine: OutputFile | None = None

    def add(self, segment: FinishedSegment, output: Path, quarantine: Path) -> None:
        """Append the files of the next segment."""
        copy_into(output, self.output.file)
        if segment.quarantine is not None:
            if self.quarantine is None:
                self.quarantine = OutputFile(self.quarantine_path)
            with quarantine.open("rb") as file:
                copy_entries(file, self.quarantine.file, self.lines)
        self.segments += 1
        self.lines += segment.summary.lines

    def close(self) -> FinishedPart:
        """Write the files to the disk."""
        quarantine = None if self.quarantine is None else self.quarantine.close()
        return FinishedPart(self.output.close(), quarantine)

    def discard(self) -> None:
        """Remove the files."""
        self.output.discard()
        if self.quarantine is not None:
            self.quarantine.discard()
