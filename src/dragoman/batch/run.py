"""Convert files: what there is to do, what is finished, and what becomes of both.

Large plain files are cut into segments at ends of lines, and joined in their order as segments are
finished. A process that dies loses one segment. It is done again, twice at most; then its lines are
reported one by one, and the line under way at two deaths is put into quarantine.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path, PurePath
from shutil import rmtree
from typing import TypeAlias

from ..errors import ConfigError
from ..llm.batches.files import hold_lock, publish, sync_folder
from ..text.json_text import JsonObject
from .compression import suffix, without_suffix
from .engines import Engine, LocalEngine, MakeEngine, Task
from .input_files import ENDINGS, InputPart, find_parts, stands_for_many
from .lines import MAX_LINE
from .manifest import FinishedPart, FinishedSegment, Manifest, has_begun
from .output_files import OutputFile, copy_into, has_checksum
from .quarantine import copy_entries
from .record_work import RecordWork
from .segment import Segment
from .summary import Summary
from .table_reading import group_ranges
from .tables import ENDINGS as TABLES
from .tables import write_table

SEGMENT = 2**23  # bytes of a plain file that a process converts at a time
_TICK = 0.2  # seconds between two calls of `watch`
_RETRIES = 2  # of a segment whose process died
_DEATHS = 6  # in a row that show no line to blame
_STATE = ".dragoman-batch"  # the folder for what a run needs
MANIFEST = "manifest.jsonl"


@dataclass(slots=True)
class Progress:
    """How far a run is.

    Attributes:
        size: The bytes of all inputs.
        read: How many of them are read.
        before: How many of them an earlier run had read.
        records_before: How many records an earlier run had finished.
        converted: Records that are converted.
        quarantined: Records that are not.
        parts: How many files are finished.
        total: How many files there are.
    """

    size: int = 0
    read: int = 0
    before: int = 0
    records_before: int = 0
    converted: int = 0
    quarantined: int = 0
    parts: int = 0
    total: int = 0


Watch: TypeAlias = Callable[[Progress], object]


@dataclass(slots=True)
class _Trouble:
    """What is known of a segment whose processes died."""

    deaths: int = 0
    suspect: int = 0
    deadly: set[int] = field(default_factory=set)


def convert_files(
    names: Sequence[str],
    output: str,
    work: RecordWork,
    *,
    options: JsonObject,
    jobs: int | None = None,
    engine: MakeEngine = LocalEngine,
    max_line: int = MAX_LINE,
    segment: int = SEGMENT,
    ending: str = "",
    watch: Watch = lambda _: None,
    note: Callable[[str], object] = lambda _: None,
) -> JsonObject:
    """Convert files, or go on with a run that was broken off.

    Args:
        names: Files, folders and patterns; "-" is stdin.
        output: A folder; for a single file also the name of a file.
        work: What is done with each record.
        options: What decides how the outputs look; a run goes on only with the same.
        jobs: How many segments are converted at a time; None leaves it to the engine.
        engine: Makes what runs their conversion.
        max_line: How many bytes a line may have.
        segment: How many bytes of a plain file a process converts at a time.
        ending: How the names of the outputs end; empty: as those of their inputs.
        watch: Called several times in a second.
        note: Called with what a user should know of the inputs.

    Returns:
        The sums, and what became of each file.

    Raises:
        ConfigError: An input is missing, a file was changed, another run began here, or processes
            die whatever they do.
        OSError: A file cannot be read or written.
    """
    runner = engine(work, jobs)
    folder, name = _output_place(names, output)
    state = folder / (f".{name}{_STATE}" if name is not None else _STATE)
    is_new = not folder.exists()
    state.mkdir(parents=True, exist_ok=True)
    with hold_lock(state / "lock", "wait for it, or name another output"):
        try:
            logs = True if work.only_logs else None if work.reads_logs else False
            parts, notes = find_parts(names, name, state, folder, logs, ending)
            for text in notes:
                note(text)
            run = BatchRun(parts, folder, state, work, options, max_line, segment)
            run.run(runner, watch)
            (state / "stdin").unlink(missing_ok=True)
            return run.report()
        finally:
            if not has_begun(state / MANIFEST):
                rmtree(state, ignore_errors=True)
                if is_new:
                    with suppress(OSError):
                        folder.rmdir()


def _output_place(names: Sequence[str], output: str) -> tuple[Path, str | None]:
    """The folder of the outputs, and the name of the output if it is one file."""
    if not output:
        raise ConfigError("the name of the output is empty", hint="name a folder; . is this one")
    if output == "-":
        text = "records are written to files, with a quarantine beside them, and not to stdout"
        raise ConfigError(text, hint="name a folder, or a file")
    path = Path(output)
    suffixes = (*ENDINGS, *TABLES)
    is_file = PurePath(without_suffix(path.name)).suffix in suffixes and not output.endswith("/")
    if path.is_dir() or not (is_file or path.exists()):
        return path, None
    if len(names) != 1 or stands_for_many(names[0]):
        raise ConfigError(f"{output} is one file", hint="several inputs are written to a folder")
    if not is_file:
        hint = f"a folder, or a file that ends in {', '.join(suffixes)}"
        raise ConfigError(f"{output} is no folder", hint=hint)
    return path.parent, path.name


class BatchRun:
    """One run over all parts.

    Args:
        parts: The files.
        outputs: The folder for the outputs.
        state: The folder for what a run needs.
        work: What is done with each record.
        options: What decides how the outputs look; a run goes on only with the same.
        max_line: How many bytes a line may have.
        segment: How many bytes of a plain file a process converts at a time.
    """

    def __init__(
        self,
        parts: Sequence[InputPart],
        outputs: Path,
        state: Path,
        work: RecordWork,
        options: JsonObject,
        max_line: int = MAX_LINE,
        segment: int = SEGMENT,
    ) -> None:
        self.parts = parts
        self._outputs = outputs
        self._state = state
        self._work = work
        self._max_line = max_line
        self._size = segment
        self._names = count()
        options = options | {"max_line": max_line, "segment": segment}
        self._refuse_foreign()
        self._manifest = Manifest.open(state / "manifest.jsonl", options, parts)
        self._trouble: dict[tuple[int, int], _Trouble] = {}
        self._joining: dict[int, Join] = {}
        self._tasks: set[Task] = set()
        self._is_local = True
        self._done = Progress(sum(part.size for part in parts), total=len(parts))

    # -- what there is to do ---------------------------------------------------------------------

    def _refuse_foreign(self) -> None:
        """Raise ConfigError for files with the names of outputs, if no run began here before."""
        if (self._state / MANIFEST).exists():
            return
        for part in self.parts:
            for name in (part.output, part.quarantine):
                if (path := self._outputs / name).exists():
                    hint = "name another output, or remove it"
                    raise ConfigError(f"there is a file {path} already", hint=hint)

    def _ranges(self, number: int) -> list[tuple[int, int | None]]:
        """The ranges of the segments of a part."""
        part = self.parts[number]
        if part.table:
            return group_ranges(part.groups, part.size, self._size)
        if part.is_log or part.packed or suffix(part.output) or part.size <= self._size:
            return [(0, None)]
        starts = range(0, part.size, self._size)
        return [(at, min(at + self._size, part.size)) for at in starts]

    def _unfinished(self, watch: Watch) -> Iterator[tuple[int, int]]:
        """The numbers of all segments that are to be converted; what is finished is checked."""
        for number, part in enumerate(self.parts):
            ranges = self._ranges(number)
            finished = self._manifest.parts.get(number)
            if finished is not None and self._is_there(part, finished):
                self._count(part.size, number, range(len(ranges)), resumed=True)
                self._done.parts += 1
                watch(self.progress())
                continue
            if finished is not None:
                self._manifest.forget(number)
            for at, (start, end) in enumerate(ranges):
                segment = self._manifest.segments.get((number, at))
                if segment is not None and self._has_segment(number, at, segment):
                    size = (part.size if end is None else end) - start
                    self._count(size, number, [at], resumed=True)
                    watch(self.progress())
                else:
                    self._manifest.segments.pop((number, at), None)
                    yield number, at

    def _is_there(self, part: InputPart, finished: FinishedPart) -> bool:
        pairs = ((part.output, finished.output), (part.quarantine, finished.quarantine))
        return all(
            has_checksum(self._outputs / name, stored)
            for name, stored in pairs
            if stored is not None
        )

    def _has_segment(self, number: int, at: int, segment: FinishedSegment) -> bool:
        output, quarantine = self._places(number, at)
        pairs = ((output, segment.output), (quarantine, segment.quarantine))
        return all(has_checksum(path, stored) for path, stored in pairs if stored is not None)

    def _count(self, size: int, number: int, segments: Sequence[int], resumed: bool) -> None:
        done = self._done
        done.read += size
        done.before += size if resumed else 0
        for at in segments:
            summary = self._manifest.segments[number, at].summary
            done.converted += summary.converted
            done.quarantined += summary.quarantined
            done.records_before += summary.records if resumed else 0

    def _places(self, number: int, at: int) -> tuple[Path, Path]:
        """Where the files of a finished segment wait until they are joined."""
        name = f"{number}-{at}"
        return self._state / f"{name}.output", self._state / f"{name}.quarantine"

    # -- the work --------------------------------------------------------------------------------

    def run(self, engine: Engine, watch: Watch) -> None:
        """Convert all that is not finished.

        Args:
            engine: Runs the conversion of segments; it is closed.
            watch: Called several times in a second.

        Raises:
            ConfigError: A file was changed, or processes die whatever they do.
            OSError: A file cannot be read or written.
        """
        self._remove_temporary()
        self._is_local = engine.is_local
        waiting = deque(self._unfinished(watch))
        try:
            for number in sorted({key[0] for key in self._manifest.segments}):
                self._join(number)
            while self._assign(engine, waiting):
                ended = [*engine.wait(_TICK)]
                self._tasks.difference_update(task for task, _ in ended)
                for task, finished in ended:
                    if finished is None:
                        self._note_death(task)
                        waiting.appendleft(task.key)
                # first of all, so that no process waits while this one joins what they did
                self._assign(engine, waiting)
                for task, finished in ended:
                    if finished is not None:
                        self._finish(task, finished)
                watch(self.progress())
        finally:
            engine.close()
            for join in self._joining.values():
                join.discard()
            self._manifest.close()
            self._remove_temporary()
        watch(self.progress())

    def _assign(self, engine: Engine, waiting: deque[tuple[int, int]]) -> bool:
        """Give the engine what it takes; False if nothing is to be done any more."""
        while waiting and engine.is_free():
            key = waiting.popleft()
            task = Task(key, self._segment(*key))
            self._tasks.add(task)
            engine.begin(task)
        return bool(self._tasks)

    def _segment(self, number: int, at: int) -> Segment:
        start, end = self._ranges(number)[at]
        name = self._state / f"{number}-{at}.{os.getpid()}-{next(self._names)}.tmp"
        part = self.parts[number]
        is_final = (start, end) == (0, None) and not part.writes
        sync = is_final or not self._is_local
        segment = Segment(part, start, end, name, self._max_line, sync)
        trouble = self._trouble.get((number, at))
        if trouble is None or trouble.deaths <= _RETRIES:
            return segment
        return replace(segment, one_by_one=True, deadly=frozenset(trouble.deadly))

    def _finish(self, task: Task, finished: FinishedSegment) -> None:
        segment, (number, at) = task.segment, task.key
        output, quarantine = self._places(number, at)
        if finished.quarantine is not None:
            segment.quarantine.replace(quarantine)
        segment.temporary.replace(output)
        self._manifest.add_segment(number, at, finished)
        size = (segment.part.size if segment.end is None else segment.end) - segment.start
        self._count(size, number, [at], resumed=False)
        self._join(number)

    def _note_death(self, task: Task) -> None:
        """Remove what a process that died has left, and find the line that it died of."""
        segment = task.segment
        segment.temporary.unlink(missing_ok=True)
        segment.quarantine.unlink(missing_ok=True)
        trouble = self._trouble.setdefault(task.key, _Trouble())
        trouble.deaths += 1
        if segment.one_by_one and task.at is not None:
            if trouble.suspect == task.at.line:
                trouble.deadly.add(task.at.line)
                trouble.deaths, trouble.suspect = _RETRIES + 1, 0
            else:
                trouble.suspect = task.at.line
        if trouble.deaths > _RETRIES + _DEATHS:
            text = f"processes that convert {segment.part.source} come to an end again and again"
            hint = "is there enough memory? With fewer --jobs, the same command goes on from here"
            raise ConfigError(text, hint=hint, code="batch.workers")

    # -- joining ---------------------------------------------------------------------------------

    def _join(self, number: int) -> None:
        """Append to a part the segments that are finished, and finish the part with the last."""
        total = len(self._ranges(number))
        finished = self._manifest.segments
        if number in self._manifest.parts or (number, 0) not in finished:
            return
        if total == 1:
            output, quarantine = self._places(number, 0)
            one = finished[number, 0]
            self._publish(number, FinishedPart(one.output, one.quarantine), output, quarantine)
            return
        join = self._joining.get(number)
        if join is None:
            name = self._state / f"{number}.{os.getpid()}-{next(self._names)}.tmp"
            join = self._joining[number] = Join(name, self._work.located)
        while (number, join.segments) in finished:
            segment = finished[number, join.segments]
            join.add(segment, *self._places(number, join.segments))
        if join.segments == total:
            del self._joining[number]
            self._publish(number, join.close(), join.output.path, join.quarantine_path)
            for at in range(total):
                for path in self._places(number, at):
                    path.unlink(missing_ok=True)

    def _publish(self, number: int, done: FinishedPart, output: Path, quarantine: Path) -> None:
        part = self.parts[number]
        if part.writes:
            table = self._state / f"{number}.{os.getpid()}-{next(self._names)}.tmp"
            written = write_table(output, table, part.writes, self._work.in_columns)
            done, output = replace(done, output=written), table
        place = self._outputs / part.quarantine
        if done.quarantine is not None:
            publish(quarantine, place)
        elif place.exists():  # of a run that was killed, over lines that failed by chance
            place.unlink()
            sync_folder(place.parent)
        publish(output, self._outputs / part.output)
        self._manifest.add_part(number, done)
        self._done.parts += 1

    def _remove_temporary(self) -> None:
        """Remove what a run that was killed has left."""
        for path in self._state.glob("*.tmp*"):
            path.unlink(missing_ok=True)
        for path in self._state.glob("[0-9]*-*"):
            if int(path.name.partition("-")[0]) in self._manifest.parts:
                path.unlink(missing_ok=True)

    # -- what is known of it ---------------------------------------------------------------------

    def progress(self) -> Progress:
        """How far the run is, segments that are under way included."""
        under_way = [task.at for task in self._tasks if task.at is not None]
        return replace(
            self._done,
            read=self._done.read + sum(at.read for at in under_way),
            converted=self._done.converted + sum(at.converted for at in under_way),
            quarantined=self._done.quarantined + sum(at.quarantined for at in under_way),
        )

    def part_summary(self, number: int) -> Summary:
        """The sums of one part."""
        result = Summary()
        for at in range(len(self._ranges(number))):
            segment = self._manifest.segments[number, at]
            result.add(segment.summary, result.lines, self.parts[number].source)
        return result

    def summary(self) -> Summary:
        """The sums of all parts."""
        result = Summary()
        for number in range(len(self.parts)):
            result.add(self.part_summary(number))
        return result

    def report(self) -> JsonObject:
        """The sums, and what became of each part, as JSON."""
        rows = []
        for number, part in enumerate(self.parts):
            finished = self._manifest.parts[number]
            sums = self.part_summary(number)
            row = {"source": part.source, "output": str(self._outputs / part.output)}
            counts = {"in": sums.records, "out": sums.converted, "quarantined": sums.quarantined}
            if sums.unread:
                counts["unread"] = sums.unread
            files = {"written": finished.output}
            if finished.quarantine is not None:
                row["quarantine"] = str(self._outputs / part.quarantine)
            rows.append({**row, **counts, **files})
        return {**self.summary().to_dict(), "parts": rows}


class Join:
    """The files that the segments of a part are joined to, in their order.

    Args:
        name: The temporary name of the output.
        located: Whether records begin with their lines.

    Attributes:
        segments: How many segments are joined.
        lines: How many lines of the input these have.
    """

    def __init__(self, name: Path, located: bool = False) -> None:
        self._located = located
        self.segments = 0
        self.lines = 0
        self.output = OutputFile(name)
        self.quarantine_path = name.with_name(f"{name.name}.quarantine")
        self.quarantine: OutputFile | None = None

    def add(self, segment: FinishedSegment, output: Path, quarantine: Path) -> None:
        """Append the files of the next segment."""
        if self._located:
            with output.open("rb") as file:
                copy_entries(file, self.output.file, self.lines)
        else:
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
