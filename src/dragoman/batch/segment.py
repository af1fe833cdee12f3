"""Convert one segment: the records of a file, or of a range of its bytes."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeAlias, cast

from ..errors import ReadError
from ..text.json_text import Json, loads
from .compression import suffix, unpack
from .input_files import InputPart
from .lines import Line, LineReader
from .manifest import FinishedSegment
from .output_files import OutputFile, naming
from .quarantine import Fault, encode_place, unwrap, write_entry
from .record_work import RecordWork, add_sums, encode_record
from .summary import Summary
from .table_reading import TableReader

_PAUSE = 0.5  # seconds between two reports of how far a segment is

DIED = Fault(
    "worker.died",
    "each process that converted it came to an end (it may need more memory than there is)",
)


@dataclass(frozen=True, slots=True)
class Segment:
    """What a process has to do.

    Attributes:
        part: The file.
        start: The first byte; a line belongs to the segment in which it begins.
        end: The first byte behind it; None for the end of the file.
        temporary: Where the records go; the quarantine has `.quarantine` after it.
        max_line: How many bytes a line may have.
        sync: Whether its files are to be on the disk, also if the machine stops: they get their
            final names, or another machine reads them.
        one_by_one: Whether each line is reported before it is converted.
        deadly: The lines that no process survived; `-n` where that is reading the rows from n on.
    """

    part: InputPart
    start: int
    end: int | None
    temporary: Path
    max_line: int
    sync: bool = True
    one_by_one: bool = False
    deadly: frozenset[int] = frozenset()

    @property
    def quarantine(self) -> Path:
        """The temporary name of its quarantine."""
        return self.temporary.with_name(f"{self.temporary.name}.quarantine")


@dataclass(frozen=True, slots=True)
class Position:
    """How far a process is: bytes of the file, records, and the line that comes next.

    While rows of a table are read, the line is the number of the first, with a minus.
    """

    read: int
    converted: int
    quarantined: int
    line: int


Watch: TypeAlias = Callable[[Position], object]


def convert_segment(segment: Segment, work: RecordWork, watch: Watch) -> FinishedSegment:
    """Convert the records of a segment, and put those that fail into quarantine.

    Raises ConfigError if the file was changed meanwhile, OSError if it cannot be read or written.
    """
    state = _Work(segment, work, watch)
    try:
        return state.run()
    finally:
        state.end()


class _Work:
    """The state of the work at one segment."""

    def __init__(self, segment: Segment, work: RecordWork, watch: Watch) -> None:
        self.segment = segment
        self.work = work
        self.watch = watch
        self.summary = Summary()
        packed = "" if segment.part.writes else suffix(segment.part.output)
        self.output = OutputFile(segment.temporary, packed)
        self.quarantine: OutputFile | None = None
        self.finished = False
        self._due = time.monotonic() + _PAUSE  # of the next report

    def run(self) -> FinishedSegment:
        part = self.segment.part
        with part.path.open("rb") as raw, naming(part.source):
            part.check_unchanged(raw)
            if part.table:
                self._convert_rows(raw)
            else:
                self._convert_lines(raw)
            part.check_unchanged(raw)
        sync = self.segment.sync
        output = self.output.close(sync)
        quarantine = None if self.quarantine is None else self.quarantine.close(sync)
        self.finished = True
        return FinishedSegment(self.summary, output, quarantine)

    def _convert_lines(self, raw: BinaryIO) -> None:
        segment = self.segment
        with _opened(raw, segment) as file:
            whole = segment.part.is_log
            reader = LineReader(
                file, segment.start, segment.end, segment.max_line, self._spool, whole
            )
            for line in reader:
                self._report(line, raw.tell() if segment.part.packed else line.offset or 0)
                if line.data.strip() or line.too_long or line.fault:
                    self._convert(line, reader.overflow)

    def _convert_rows(self, raw: BinaryIO) -> None:
        segment, part = self.segment, self.segment.part
        reader = TableReader(
            raw, part.table, part.groups, segment.start, segment.end, self._may_read
        )
        for line in reader:
            self._report(line, reader.at)
            line.too_long = line.size > segment.max_line
            self._convert(line, None)

    def _may_read(self, number: int) -> bool:
        """Whether the rows of a table from this one on are read; reports that they are."""
        if -number in self.segment.deadly:
            return False
        if self.segment.one_by_one:
            self._watch(0, -number)
        return True

    def _convert(self, line: Line, overflow: BinaryIO | None) -> None:
        if line.fault or line.too_long or line.number in self.segment.deadly:
            self._refuse(line, self._fault(line), overflow)
            return
        try:
            value = self._parse(line)
            if value is None:
                result = self.work.apply_to_log(_decode(line.data), self._name(line))
            else:
                result = self.work.apply(value)
            data = b"" if result.record is None else encode_record(result.record)
        except Exception as error:  # noqa: BLE001  # one record never ends the run
            self._refuse(line, Fault.from_error(error), None)
            return
        if result.losses:
            self.summary.count_losses(line.number, result.losses)
        if result.sums:
            add_sums(self.summary.sums, result.sums, place={"line": line.number})
        if result.fault is not None:
            self._refuse(line, result.fault, None)
            return
        self.summary.converted += 1
        if data:
            self.output.file.write(self._located(line, data) + b"\n")

    def _parse(self, line: Line) -> Json:
        """The value of a line, also of one from a quarantine; None for a log."""
        if self.segment.part.is_log:
            return None
        value = loads(line.data)
        while (wrapped := unwrap(value)) is not None:
            line.data, line.first = wrapped
            if not line.data.strip():
                text, hint = "the record could not be read where it was", "mend that file"
                raise ReadError(text, path="$", code="input.broken", hint=hint)
            if self.work.reads_logs and b"\n" in line.data.strip():
                return None
            value = loads(line.data)
        if value is None:
            raise ReadError("a record is a JSON object, not null", path="$", code="request.shape")
        return value

    def _name(self, line: Line) -> str:
        source = None if line.first is None else line.first.get("source")
        return source if isinstance(source, str) else self.segment.part.source

    def _located(self, line: Line, data: bytes) -> bytes:
        """What is written of a record, behind its place if the work wants that."""
        if not self.work.located:
            return data
        place = {"line": line.number, "source": self.segment.part.source}
        head = encode_place(place)
        return head + data[1:] if data == b"{}" else head + b"," + data[1:]

    def _fault(self, line: Line) -> Fault:
        if -line.number in self.segment.deadly:
            return DIED
        if line.fault:
            return Fault("json.invalid" if line.goes_on else "input.broken", line.fault)
        if line.too_long:
            most = self.segment.max_line
            text = f"the line has {line.size} bytes, and at most {most} are read (--max-line)"
            return Fault("line.long", text)
        return DIED

    def _refuse(self, line: Line, fault: Fault, overflow: BinaryIO | None) -> None:
        if self.work.is_written:
            if self.quarantine is None:
                self.quarantine = OutputFile(self.segment.quarantine)
            source = self.segment.part.source
            write_entry(self.quarantine.file, source, line, fault, overflow)
        self.summary.count_fault(line.number, fault, line.rows)
        self.summary.unread += line.unread

    def _report(self, line: Line, at: int) -> None:
        """Count a line, and say now and then how far the work is."""
        self.summary.lines += line.rows
        if self.segment.one_by_one or time.monotonic() > self._due:
            self._watch(at - self.segment.start, line.number)
            self._due = time.monotonic() + _PAUSE

    def _watch(self, read: int, line: int) -> None:
        self.watch(Position(read, self.summary.converted, self.summary.quarantined, line))

    def _spool(self) -> BinaryIO:
        return cast("BinaryIO", tempfile.TemporaryFile(dir=self.segment.temporary.parent))

    def end(self) -> None:
        """Remove what is written if it is not whole."""
        if not self.finished:
            self.output.discard()
            if self.quarantine is not None:
                self.quarantine.discard()


def _decode(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        text = f"byte {error.start} is no UTF-8"
        raise ReadError(text, path="$", code="json.invalid") from error


@contextmanager
def _opened(raw: BinaryIO, segment: Segment) -> Iterator[BinaryIO]:
    """The unpacked file at the beginning of the segment."""
    if segment.start:
        raw.seek(segment.start - 1)
    if not segment.part.packed:
        yield raw
        return
    with unpack(raw, segment.part.packed) as file:
        yield file
