"""`dragoman fidelity`: every wire to every other over somebody's own logs, for trust and for CI.

`study.fidelity` counts; this reads the files and shows the figures.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from .._core.jsontext import Json, JsonObject, loads
from ..errors import ConfigError, DragomanError
from ..study.fidelity import SILENT, Example, Fidelity, Pair, Worse, fidelity, worse
from . import options
from .inputs import read_values
from .output import REFUSED, USAGE, CommandError, console, json_text, plain, print_text, report

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_SHOWN = 3  # lines of one kind that are shown

Files: TypeAlias = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES...", help="Logs: JSON or JSONL of bodies or of records; - is stdin."
    ),
]

Baseline: TypeAlias = Annotated[
    str | None,
    typer.Option("--baseline", metavar="FILE", help="Exit with 1 if it was better in that run."),
]

Save: TypeAlias = Annotated[
    str | None, typer.Option("--save", metavar="FILE", help="Store the run, to compare with.")
]


def measure_fidelity(
    files: Files,
    source: options.From = "auto",
    to: options.Targets = None,
    baseline: Baseline = None,
    save: Save = None,
    as_json: options.Json = False,
) -> None:
    """Write your own logs for every wire, read them back, and count what is lost on the way.

    Each row is a request, an answer, or {"request": ..., "response": ...}. For each pair of wires:
    how many lose nothing (lossless), gain nothing either (clean), say the same when they are read
    back (same), do not although no loss names it (silent), or cannot be sent (refused).
    """
    options.known_source(source)
    before = _stored(baseline) if baseline is not None else None
    run = _measured(files, source, options.targets(to) or None)
    if save is not None:
        Path(save).write_text(json.dumps(run.to_dict(), indent=1) + "\n", "utf-8")
    changes = worse(run, before) if before is not None else []
    if as_json:
        data: JsonObject = run.to_dict()
        if before is not None:
            data["worse"] = [asdict(change) for change in changes]
        print_text(json_text(data))
    else:
        _show(console(), run)
        if changes:
            _show_worse(console(), changes)
    if changes:
        report(f"{len(changes)} figures are worse than in {baseline}", REFUSED)
        raise typer.Exit(REFUSED)


def _measured(files: list[str], source: str, targets: dict[str, str | None] | None) -> Fidelity:
    rows: list[tuple[str, Json]] = []
    broken: list[tuple[str, str]] = []
    for file in files:
        for entry in read_values(file, "logs of requests and answers")[0]:
            if isinstance(entry.value, CommandError):
                broken.append((entry.place, str(entry.value)))
            else:
                rows.append((entry.place, entry.value))
    run = fidelity(rows, source, targets)
    run.unread = broken + run.unread
    if not run.read:
        place, error = run.unread[0] if run.unread else (files[0], "there is nothing in it")
        raise CommandError(_with_place(place, error), "nothing in the logs could be read")
    return run


def _with_place(place: str, error: str) -> str:
    return error if error.startswith(place) else f"{place}: {error}"


def _stored(file: str) -> Fidelity:
    try:
        return Fidelity.of(loads(Path(file).read_text("utf-8")))
    except UnicodeDecodeError as error:
        raise CommandError(f"{file}: byte {error.start} is no UTF-8") from error
    except DragomanError as error:
        hint = error.hint if isinstance(error, ConfigError) else "`--save FILE` makes one"
        raise CommandError.of(error, file, USAGE, hint) from error


def _show(screen: Console, run: Fidelity) -> None:
    """The pairs by their source, the losses by code, and an example for each code."""
    from rich.text import Text

    unread = f", and {len(run.unread)} that cannot be read" if run.unread else ""
    screen.print(Text(f"{run.read} bodies{unread}", "bold"))
    for place, error in run.unread[:_SHOWN]:
        screen.print(Text(plain(_with_place(place, error)), "red"))
    pairs = sorted(run.pairs, key=lambda pair: (pair.kind, pair.source))
    for (kind, source), group in groupby(pairs, key=lambda pair: (pair.kind, pair.source)):
        of_source = list(group)
        screen.print(Text(f"\n{kind}s of {source}", "bold"))
        screen.print(_shares(of_source))
        if any(pair.codes or pair.refused for pair in of_source):
            screen.print(_matrix(of_source))
    examples = list(_examples(run.pairs))
    if examples:
        screen.print(Text("\nAn example of each", "bold"))
    for code, pair, example in examples:
        _show_example(screen, code, pair, example)


def _shares(pairs: list[Pair]) -> Table:
    table = _table("", "to", "bodies", "lossless", "clean", "same", "silent", "refused")
    for number, pair in enumerate(pairs, 1):
        table.add_row(
            str(number), pair.target, str(pair.count),
            *(_percent(pair.share(name)) for name in ("lossless", "clean", "same")),
            str(pair.silent), str(pair.refused.total()),
        )  # fmt: skip
    return table


def _matrix(pairs: list[Pair]) -> Table:
    """In how many bodies a code comes, on the way to each target."""
    table = _table("", "in bodies", *(str(number) for number in range(1, len(pairs) + 1)))
    codes = {code for pair in pairs for code in (*pair.codes, *pair.refused)}
    sums = {code: sum(pair.codes[code] + pair.refused[code] for pair in pairs) for code in codes}
    for code in sorted(codes, key=lambda code: (-sums[code], code)):
        counts = [pair.codes[code] + pair.refused[code] for pair in pairs]
        table.add_row("", code, *(str(count) if count else "-" for count in counts))
    return table


def _table(*heads: str) -> Table:
    """The first two columns are names, the others figures."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for number, head in enumerate(heads):
        table.add_column(head, justify="left" if number == 1 else "right", no_wrap=number != 1,
                         overflow="fold")  # fmt: skip
    return table


def _percent(share: float) -> str:
    """Rounded, but 100% is said of nothing less, and 0% of nothing more."""
    percent = round(share * 100)
    return f"{min(max(percent, 1), 99) if 0 < share < 1 else percent}%"


def _examples(pairs: list[Pair]) -> Iterator[tuple[str, Pair, Example]]:
    """For each code the first pair that has an example of it; what nobody named first."""
    examples: dict[str, tuple[Pair, Example]] = {}
    for pair in pairs:
        for code, example in pair.examples.items():
            examples.setdefault(code, (pair, example))
    for code in sorted(examples, key=lambda code: (code != SILENT, code)):
        yield code, *examples[code]


def _show_example(screen: Console, code: str, pair: Pair, example: Example) -> None:
    from rich.text import Text

    head = Text.assemble(
        (code, "bold"), f"  {plain(example.place)}, {pair.source} -> {pair.target}"
    )
    screen.print(head, soft_wrap=True)
    for line in (*_losses(example), *_differences(example)):
        screen.print(Text(f"  {plain(line)}"), soft_wrap=True)


def _losses(example: Example) -> Iterator[str]:
    for loss in example.losses[:_SHOWN]:
        did = f" -> {loss['did']}" if loss.get("did") else ""
        kind = loss.get("kind", "refused")
        yield f"{kind} at {loss['where'] or '$'}: {loss.get('what', '')}{did}"


def _differences(example: Example) -> Iterator[str]:
    for change in example.near()[:_SHOWN]:
        ends = [f"{change[side]} {change[text]}".strip()
                for side, text in (("left", "was"), ("right", "now"))]  # fmt: skip
        yield f"{change['change']} {change['kind']}: {' => '.join(filter(None, ends))}"


def _show_worse(screen: Console, changes: list[Worse]) -> None:
    from rich.text import Text

    screen.print(Text("\nWorse than before", "bold red"))
    table = _table("", "pair", "what", "was", "now")
    for change in changes:
        form = ".2f" if change.what == "weight" else ".1%"
        figures = format(change.was, form), format(change.now, form)
        table.add_row("", change.pair or "all", change.what, *figures)
    for pair, codes in dict.fromkeys((change.pair, change.codes) for change in changes):
        if codes:
            table.add_row("", Text(f"more often, {pair}: {', '.join(codes)}", "dim"))
    screen.print(table)
