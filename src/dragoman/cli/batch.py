"""`dragoman batch`: conversations by the million, on all processors, resumed where they broke."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from ..batch import Converter
from ..batch.lines import MAX_LINE
from ..batch.run import SEGMENT, Progress, convert_files
from ..batch.record_forms import FORMS
from ..llm.batches.files import write_whole
from ..text.json_text import JsonObject
from . import options, output
from .output import style_text
from .provider_batch import cancel_batch, fetch_batch, show_batch, submit_batch

app = typer.Typer(help="Conversations by the million.", no_args_is_help=True)

QUARANTINED = 3  # the exit code where a record was not converted
_PAUSE = 10.0  # seconds between two lines where there is no terminal


class EngineChoice(StrEnum):
    """What runs the processes."""

    local = "local"


Inputs: TypeAlias = Annotated[
    list[str],
    options.file("JSON lines, also packed: files, folders, patterns; - is stdin.", "IN..."),
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
    EngineChoice, typer.Option("--engine", help="What runs the processes: this machine.")
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
_WRITTEN = [name for name, form in FORMS.items() if form.is_written]
Target: TypeAlias = Annotated[
    str,
    options.wire_option(
        "--to",
        "-t",
        help=f"See `dragoman wires`; or a form of records: {', '.join(_WRITTEN)}.",
        metavar="WIRE|FORM",
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
SegmentSize: TypeAlias = Annotated[int, typer.Option("--segment", min=1, hidden=True)]
PolicyName: TypeAlias = Annotated[
    options.LossOptions,
    typer.Option("--policy", help="Tell losses, be silent, or quarantine what is lossy."),
]


@app.callback()
def _batch() -> None:
    """Conversations by the million."""


@app.command("convert")
def convert_records(
    files: Inputs,
    to_file: Out,
    to: Target,
    source: options.From = "auto",
    form: FormName = None,
    model: AskedModel = None,
    jobs: Jobs = None,
    engine: EngineName = EngineChoice.local,
    report: ReportFile = None,
    max_line: MaxLine = MAX_LINE,
    policy: PolicyName = options.LossOptions.log,
    refuse: options.Refuse = None,
    allow: options.Allow = None,
    segment: SegmentSize = SEGMENT,
) -> None:
    """Convert files of records to another provider's wire, each to a file of its name in OUT.

    A record is a line: the body of a request or of an answer, an exchange of both, or an example of
    training data. One that cannot be converted goes, with its place and the reason, to
    NAME.quarantine.jsonl beside the output, which can be fed in again. A run that was killed goes
    on where it was if the same command is given again.

    Exit codes: 0 all converted, 3 something is in quarantine, 2 usage or unreadable input.
    """
    options.known_source(source)
    if to not in _WRITTEN:
        options.check_wire_name(to)
    if form is not None and form not in FORMS:
        text = f"no form of records is called {output.plain(form)}"
        raise output.CommandError(text, f"forms: {', '.join(FORMS)}")
    rule = options.policy(policy, refuse, allow)
    converter = Converter(source, to, model, rule, form)
    fixed = {
        "dragoman": _version(),
        "from": source,
        "form": form,
        "to": to,
        "model": model,
        "refuse": list(rule.refuse),
        "allow": list(rule.allow),
    }
    count = jobs or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else jobs or 1
    begin = time.monotonic()
    display = _Display(begin)
    try:
        with display.shown():
            sums = convert_files(
                files, to_file, converter, options=fixed, jobs=count, max_line=max_line,
                segment=segment, watch=display.update, note=display.note,
            )  # fmt: skip
    except KeyboardInterrupt:
        done = display.progress
        text = f"stopped: {done.parts} of {done.total} files are finished"
        typer.echo(f"{text}; the same command goes on from here", err=True)
        raise typer.Exit(output.INTERRUPTED) from None
    seconds = time.monotonic() - begin
    if report is not None:
        data = {**fixed, "engine": engine.value, "jobs": count, "seconds": round(seconds, 3)}
        write_whole(Path(report), json.dumps({**data, **sums}, indent=2).encode() + b"\n")
    _show_sums(sums, to, seconds, loud=policy is not options.LossOptions.ignore)
    if sums["quarantined"]:
        raise typer.Exit(QUARANTINED)


app.command("submit")(submit_batch)
app.command("status")(show_batch)
app.command("fetch")(fetch_batch)
app.command("cancel")(cancel_batch)


def _version() -> str:
    from importlib import metadata

    try:
        return metadata.version("dragoman")
    except metadata.PackageNotFoundError:
        return "not installed"


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


def _show_sums(sums: JsonObject, target: str, seconds: float, loud: bool) -> None:
    """Show on stderr what became of the records, and the sums of codes, the weightiest first."""
    screen = output.Screen(stderr=True)
    counts = f"{sums['in']:,} in = {sums['out']:,} out + {sums['quarantined']:,} in quarantine"
    screen.line(f"{counts}, {len(sums['parts']):,} file(s), {seconds:.1f} s", style="bold")
    if sums["faults"]:
        screen.line("quarantine", style="bold")
        rows = [(f"{row['count']:,}", style_text((row["code"], "red"))) for row in sums["faults"]]
        screen.print(output.grid(rows, "right", "fold"))
        for part in [part for part in sums["parts"] if "quarantine" in part][:_SHOWN]:
            screen.line(f"  {output.plain(part['quarantine'])}", style="dim")
    if loud and sums["losses"]:
        screen.line(f"losses for {target}", style="bold")
        table = [_loss_row(row) for row in sums["losses"]]
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
