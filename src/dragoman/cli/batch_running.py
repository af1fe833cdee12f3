"""What the commands over files share: options, a run with its progress, the sums at its end."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, TypeAlias

import typer

from ..batch.engines import LocalEngine, MakeEngine
from ..batch.lines import MAX_LINE
from ..batch.manifest import own_version
from ..batch.record_forms import FORMS
from ..batch.record_work import RecordWork, SumsAlone
from ..batch.run import SEGMENT, Progress, convert_files
from ..llm.batches.files import write_whole
from ..text.json_text import JsonObject
from . import options, output
from .output import style_text

QUARANTINED = 3  # the exit code where a record was not converted
_PAUSE = 10.0  # seconds between two lines where there is no terminal


class EngineChoice(StrEnum):
    """What runs the processes."""

    local = "local"
    ray = "ray"


class FileKind(StrEnum):
    """What files of records are."""

    jsonl = "jsonl"
    parquet = "parquet"
    arrow = "arrow"


Inputs: TypeAlias = Annotated[
    list[str],
    options.file(
        "JSON lines, also packed, Parquet, Arrow: files, folders, patterns; - is stdin.", "IN..."
    ),
]
Out: TypeAlias = Annotated[
    str, typer.Option("--output", "-o", metavar="OUT", help="A folder; of one file also a file.")
]
AskedModel: TypeAlias = Annotated[
    str | None,
    typer.Option("--model", "-m", metavar="MODEL", help="The model to ask, or that answers."),
]
Jobs: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--jobs", "-j", min=1, max=256, metavar="N", help="Processes; by default the processors."
    ),
]
EngineName: TypeAlias = Annotated[
    EngineChoice,
    typer.Option("--engine", help="What runs the processes: this machine, or Ray on many."),
]
Address: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--address",
        metavar="HOST:PORT",
        help="The Ray cluster, or auto; by default Ray is started on this machine.",
    ),
]
OutIfAny: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--output", "-o", metavar="OUT", help="Write a line for each record: a folder, or a file."
    ),
]
ReportFile: TypeAlias = Annotated[
    str | None, typer.Option("--report", metavar="FILE", help="Write all sums as JSON.")
]
MaxLine: TypeAlias = Annotated[
    int,
    typer.Option(
        "--max-line", min=1, metavar="BYTES", help="A longer line is quarantined, not read."
    ),
]
FormName: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--form",
        metavar="FORM",
        help=f"The form of the records, where they are no bodies: {', '.join(FORMS)}.",
    ),
]
FilesAs: TypeAlias = Annotated[
    FileKind | None,
    typer.Option("--files", help="What the outputs are; by default what their inputs are."),
]
SegmentSize: TypeAlias = Annotated[int, typer.Option("--segment", min=1, hidden=True)]


@dataclass(slots=True)
class _Display:
    """Shows how far the run is: a bar on a terminal, elsewhere a line now and then."""

    begin: float
    progress: Progress = field(default_factory=Progress)
    due: float = 0.0

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show it while the run goes on."""
        if not sys.stderr.isatty():
            self.due = self.begin + _PAUSE
            yield
            return
        with output.Screen(stderr=True).live(self._bar):
            yield

    def update(self, progress: Progress) -> None:
        """Take how far the run is."""
        self.progress = progress
        if self.due and time.monotonic() >= self.due:
            self.due = time.monotonic() + _PAUSE
            share = progress.read / progress.size if progress.size else 1.0
            typer.echo(f"{share:.0%} - {self._words()}", err=True)

    def note(self, text: str) -> None:
        """Show what a user should know of the inputs."""
        typer.echo(output.plain(text), err=True)

    def _words(self) -> str:
        done = self.progress
        seconds = max(time.monotonic() - self.begin, 0.001)
        records = done.converted + done.quarantined
        now = done.read - done.before
        texts = [f"{records:,} records", f"{done.quarantined:,} in quarantine"]
        if now > 0:
            pace = max(records - done.records_before, 0) / seconds
            texts.insert(1, f"{pace:,.0f} a second")
            left = (done.size - done.read) * seconds / now
            texts.append(f"{_duration(left)} left")
        return ", ".join(texts)

    def _bar(self) -> Any:
        from rich.progress_bar import ProgressBar

        done = self.progress
        bar: Any = ProgressBar(total=max(done.size, 1), completed=done.read, width=24)
        share = done.read / done.size if done.size else 0.0
        row = (bar, f"{share:4.0%}", style_text(self._words(), style="dim"))
        return output.grid([row], "", "", "fold")


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


@dataclass(frozen=True, slots=True)
class FilesRun:
    """How files are read and where the results go; the options that all these commands have.

    Attributes:
        files: Files, folders and patterns.
        output: Where records are written; None for the sums alone.
        jobs: How many processes there are; None for the processors.
        engine: What runs them.
        report: The file for all sums.
        max_line: How many bytes a line may have.
        segment: How many bytes of a plain file a process converts at a time.
        address: The Ray cluster; None for Ray on this machine.
        kind: What the outputs are; None: what their inputs are.
    """

    files: list[str]
    output: str | None
    jobs: int | None = None
    engine: EngineChoice = EngineChoice.local
    report: str | None = None
    max_line: int = MAX_LINE
    segment: int = SEGMENT
    address: str | None = None
    kind: FileKind | None = None

    def run(self, work: RecordWork, fixed: JsonObject, done: str = "out") -> JsonObject:
        """Do the work at all records, show how far it is, and then what became of them.

        Args:
            work: What is done with each record.
            fixed: The options that decide how the outputs look.
            done: What has become of a record that is not in quarantine, in a word.

        Returns:
            The sums.
        """
        fixed = {"dragoman": own_version(), **fixed}
        if self.report is not None:  # before hours of work
            place = Path(self.report)
            if place.is_dir() or not place.parent.is_dir():
                text = f"--report {output.plain(self.report)}: no file can be written there"
                raise output.CommandError(text, "name a file in a folder that exists")
        begin = time.monotonic()
        display = _Display(begin)
        try:
            with display.shown():
                if self.output is not None:
                    sums = self._run(work, self.output, fixed, display)
                else:
                    with TemporaryDirectory(prefix="dragoman-") as folder:
                        sums = self._run(SumsAlone(work), f"{folder}/out", fixed, display)
        except KeyboardInterrupt:
            at = display.progress
            text = f"stopped: {at.parts} of {at.total} files are finished"
            if self.output is not None:
                text += "; the same command goes on from here"
            typer.echo(text, err=True)
            raise typer.Exit(output.INTERRUPTED) from None
        seconds = time.monotonic() - begin
        data = {**fixed, "engine": self.engine.value, "jobs": self._count_jobs()}
        report = {**data, "seconds": round(seconds, 3), **sums}
        if self.output is None:
            report["parts"] = [_without_files(part) for part in report["parts"]]
        if self.report is not None:
            write_whole(Path(self.report), json.dumps(report, indent=2).encode() + b"\n")
        show_counts(report, seconds, done, self.output is not None)
        return report

    def _run(
        self, work: RecordWork, place: str, fixed: JsonObject, display: _Display
    ) -> JsonObject:
        return convert_files(
            self.files, place, work, options=fixed, jobs=self._count_jobs(), engine=self._engine(),
            max_line=self.max_line, segment=self.segment, watch=display.update,
            note=display.note, ending="" if self.kind is None else f".{self.kind.value}",
        )  # fmt: skip

    def _count_jobs(self) -> int | None:
        if self.jobs or self.engine is EngineChoice.ray:
            return self.jobs
        has_affinity = hasattr(os, "sched_getaffinity")  # not on macOS and Windows
        return len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count()

    def _engine(self) -> MakeEngine:
        if self.engine is EngineChoice.ray:
            from ..batch.ray_engine import RayEngine

            return partial(RayEngine, address=self.address)
        if self.address is not None:
            raise output.CommandError("--address is that of a Ray cluster", "add --engine ray")
        return LocalEngine


def _without_files(part: JsonObject) -> JsonObject:
    """A part of a report without the files that were written for the time of a run alone."""
    kept = ("source", "in", "out", "quarantined", "unread")
    return {key: part[key] for key in kept if key in part}


def leave(report: JsonObject) -> None:
    """Leave with the exit code for records that are in quarantine, if there are some."""
    if report["quarantined"]:
        raise typer.Exit(QUARANTINED)


def check_form_name(form: str | None) -> None:
    """Raise CommandError if there is no such form of records."""
    if form is not None and form not in FORMS:
        text = f"no form of records is called {output.plain(form)}"
        raise output.CommandError(text, f"forms: {', '.join(FORMS)}")


def show_counts(report: JsonObject, seconds: float, done: str, is_written: bool) -> None:
    """Show on stderr what became of the records, and why some are in quarantine."""
    screen = output.Screen(stderr=True)
    left = "in quarantine" if is_written else "not"
    counts = f"{report['in']:,} in = {report['out']:,} {done} + {report['quarantined']:,} {left}"
    if report["unread"]:
        cut = sum("unread" in part for part in report["parts"])
        counts += f" + the unread rest of {cut:,} file(s), uncounted"
    screen.line(f"{counts}, {len(report['parts']):,} file(s), {seconds:.1f} s", style="bold")
    if report["faults"]:
        screen.line("quarantine" if is_written else "why not", style="bold")
        rows = [(f"{row['count']:,}", style_text((row["code"], "red"))) for row in report["faults"]]
        screen.print(output.grid(rows, "right", "fold"))
    if is_written:
        for part in [part for part in report["parts"] if "quarantine" in part][:_SHOWN]:
            screen.line(f"  {output.plain(part['quarantine'])}", style="dim")
        return
    for fault in report["faults"]:
        for one in fault["examples"]:
            place = f"{one['source']}:{one['line']}"
            where = f"{one['where']}: " if one["where"] else ""
            screen.line(output.plain(f"  {place}: {where}{one['words']}"), style="dim")


def show_loss_sums(screen: output.Screen, report: JsonObject, target: str) -> None:
    """Show the sums of losses by code, the weightiest first."""
    if report["losses"]:
        screen.line(f"losses for {target}", style="bold")
        table = [_loss_row(row) for row in report["losses"]]
        screen.print(output.grid(table, "right", "", "", "fold"))


_SHOWN = 10  # files of quarantine that are named
_LossRow: TypeAlias = tuple[str, Any, str, Any]


def _loss_row(row: JsonObject) -> _LossRow:
    kind = style_text(row["kind"], style=output.COLOURS[row["kind"]])
    return (
        f"{row['count']:,}",
        kind,
        row["weight"],
        style_text((row["code"], "bold"), f": {row['meaning']}"),
    )
