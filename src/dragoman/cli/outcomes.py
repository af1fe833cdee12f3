"""The outcomes of many bodies or conversations: their texts, their losses, and failures.

Texts and losses are printed as they come; only one count for each code stays in memory.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import typer

from ..losses import Loss
from ..losses.codes import CODES, KINDS
from ..losses.codes import Kind as LossKind
from . import output
from .output import CommandError, style_text

Codes = Counter[tuple[LossKind, str]]


@dataclass(slots=True)
class CommandOutcome:
    """The outcome of one value: the `text` to write, or a `failure`, or both for programs.

    `losses` are shown one by one and `codes` counted; `note` goes to stderr. Can be pickled.
    """

    place: str
    text: str = ""
    losses: list[Loss] = field(default_factory=list)
    codes: Codes = field(default_factory=Counter)
    failure: CommandError | None = None
    note: str = ""
    source: str = ""  # the file of the value

    def count(self, losses: Iterable[Loss], each: bool) -> None:
        """Add losses: one by one if `each` is to be shown, else the number for each code."""
        if each:
            self.losses = list(losses)
        else:
            self.codes = Counter((loss.kind, loss.code) for loss in losses)


@dataclass(slots=True)
class Printer:
    """Prints outcomes for one target, of a single value or as one of many."""

    target: str
    many: bool
    each: bool  # whether losses are shown one by one
    loud: bool  # whether losses are shown at all
    failed: int = 0
    code: int = output.REFUSED  # the exit code of the last failure
    values: int = 0
    losing: int = 0  # values with losses
    codes: Codes = field(default_factory=Counter)

    def texts(self, outcomes: Iterable[CommandOutcome]) -> Iterator[str]:
        """The text of each. A failure of one of many is reported on stderr; a single one raises."""
        for outcome in outcomes:
            if outcome.note:
                typer.echo(outcome.note, err=True)
            self._show(outcome)
            if outcome.text:
                yield outcome.text
            if (failure := outcome.failure) is not None:
                if not self.many:
                    raise failure
                self.failed += 1
                self.code = failure.code
                output.report(str(failure), failure.code)

    def _show(self, outcome: CommandOutcome) -> None:
        self.values += outcome.failure is None
        self.losing += bool(outcome.losses or outcome.codes)
        if self.loud and (self.each or not self.many) and outcome.losses:
            output.show_losses(outcome.place, self.target, outcome.losses)
        self.codes.update(outcome.codes)

    def end(self, name: str) -> None:
        """Show the sums of the losses. Ends the command if a value failed."""
        if self.loud and self.codes:
            self._show_sums(name)
        if self.failed:
            raise typer.Exit(output.REFUSED if self.values or self.failed > 1 else self.code)

    def _show_sums(self, name: str) -> None:
        """Show how often each code occurred, the most serious kind first."""
        screen = output.Screen(stderr=True)
        summary = f"losses in {self.losing} of {self.values}"
        screen.line(f"{output.plain(name)} for {self.target} - {summary}", style="bold")
        sums = sorted(self.codes.items(), key=lambda row: (KINDS.index(row[0][0]), -row[1]))
        rows = []
        for (kind, code), count in sums:
            title = style_text((code, "bold"), f": {CODES[code].meaning}")
            rows.append((str(count), style_text(kind, style=output.COLOURS[kind]), title))
        screen.print(output.grid(rows, "right", "", "fold"))

    @contextmanager
    def progress(self, to_file: str) -> Iterator[None]:
        """Show the progress on a terminal, unless the texts themselves go there."""
        texts_are_seen = to_file == "-" and sys.stdout.isatty()
        if not self.many or texts_are_seen or not sys.stderr.isatty():
            yield
            return
        begin = time.monotonic()

        def growing() -> object:
            pace = self.values / max(time.monotonic() - begin, 0.001)
            failed = f", {self.failed} failed" if self.failed else ""
            return style_text(f"{self.values} done{failed}, {pace:.0f} a second", style="dim")

        with output.Screen(stderr=True).live(growing):
            yield


def format_names(files: list[str]) -> str:
    """The files in the heading of the sums."""
    names = ["stdin" if file == "-" else file for file in files]
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
