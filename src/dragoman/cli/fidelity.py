"""`dragoman fidelity`: every wire to every other over the user's own logs, for trust and for CI.

`analysis.fidelity` counts; this module reads the files and shows the figures.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from ..analysis.fidelity import SILENT, Example, Fidelity, WirePair, Worse, fidelity, worse
from ..errors import ConfigError, DragomanError
from ..text.json_text import Json, JsonObject, loads
from . import inputs, options, output
from .output import REFUSED, CommandError, Screen, grid, plain, print_json, report, style_text

_SHOWN = 3  # how many lines of one kind are shown

Files: TypeAlias = Annotated[
    list[str], options.file("Logs: JSON or JSONL of bodies or of records; - is stdin.", "FILES...")
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
    """Count what your logs would lose on every wire.

    They are written for each wire and read back. Each row is a request, an answer, or {"request":
    ..., "response": ...}. For each pair of wires: how many lose nothing (lossless), gain nothing
    either (clean), say the same when they are read back (same), do not although no loss names it
    (silent), or cannot be sent (refused).
    """
    options.known_source(source)
    before = _load_fidelity(baseline) if baseline is not None else None
    run = _measure_files(files, source, options.targets(to) or None)
    if save is not None:
        Path(save).write_text(json.dumps(run.to_dict(), indent=1) + "\n", "utf-8")
    changes = worse(run, before) if before is not None else []
    if as_json:
        data: JsonObject = run.to_dict()
        if before is not None:
            data["worse"] = [asdict(change) for change in changes]
        print_json(data)
    else:
        show_fidelity(Screen(), run)
        if changes:
            _show_worse(Screen(), changes)
    if changes:
        report(f"{len(changes)} figures are worse than in {baseline}", REFUSED)
        raise typer.Exit(REFUSED)


def _measure_files(
    files: list[str], source: str, targets: dict[str, str | None] | None
) -> Fidelity:
    rows: list[tuple[str, Json]] = []
    broken: list[tuple[str, str]] = []
    for file in files:
        for entry in inputs.read_values(file, "logs of requests and answers")[0]:
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


def _load_fidelity(file: str) -> Fidelity:
    try:
        return Fidelity.of(loads(Path(file).read_text("utf-8")))
    except UnicodeDecodeError as error:
        raise CommandError(f"{file}: byte {error.start} is no UTF-8") from error
    except DragomanError as error:
        hint = error.hint if isinstance(error, ConfigError) else "`--save FILE` makes one"
        raise CommandError.of(error, file, hint) from error


def show_fidelity(screen: Screen, run: Fidelity) -> None:
    """The pairs by their source, the losses by code, and an example for each code."""
    unread = f", and {len(run.unread)} that cannot be read" if run.unread else ""
    screen.print(style_text(f"{run.read} bodies{unread}", style="bold"))
    for place, error in run.unread[:_SHOWN]:
        screen.print(style_text(plain(_with_place(place, error)), style="red"))
    pairs = sorted(run.pairs, key=lambda pair: (pair.kind, pair.source))
    for (kind, source), group in groupby(pairs, key=lambda pair: (pair.kind, pair.source)):
        of_source = list(group)
        screen.print(style_text(f"\n{kind}s of {source}", style="bold"))
        screen.print(_shares(of_source))
        if any(pair.codes or pair.refused for pair in of_source):
            screen.print(_matrix(of_source))
    examples: dict[str, tuple[WirePair, Example]] = {}  # by code, of the first pair that has one
    for pair in run.pairs:
        for code, example in pair.examples.items():
            examples.setdefault(code, (pair, example))
    if examples:
        screen.print(style_text("\nAn example of each", style="bold"))
    for code in sorted(examples, key=lambda code: (code != SILENT, code)):  # unnamed ones first
        _show_example(screen, code, *examples[code])


def _shares(pairs: list[WirePair]) -> output.Table:
    rows = (
        (
            str(number),
            pair.target,
            str(pair.count),
            *(_percent(pair.share(name)) for name in ("lossless", "clean", "same")),
            str(pair.silent),
            str(pair.refused.total()),
        )
        for number, pair in enumerate(pairs, 1)
    )
    return _figures(rows, "", "to", "bodies", "lossless", "clean", "same", "silent", "refused")


def _matrix(pairs: list[WirePair]) -> output.Table:
    """In how many bodies a code occurs, for each target."""
    bodies = [pair.codes + pair.refused for pair in pairs]
    sums = sum(bodies, Counter[str]())
    rows = (
        ("", code, *(str(codes[code] or "-") for codes in bodies))
        for code in sorted(sums, key=lambda code: (-sums[code], code))
    )
    return _figures(rows, "", "in bodies", *(str(number) for number in range(1, len(pairs) + 1)))


def _figures(rows: Iterable[Sequence[str | output.Text]], *heads: str) -> output.Table:
    """A table whose first two columns are names, the others figures."""
    return grid(rows, "right", "fold", *["right"] * (len(heads) - 2), heads=heads, gap=2)


def _percent(share: float) -> str:
    """A rounded percentage; 100% only for all, and 0% only for none."""
    percent = round(share * 100)
    return f"{min(max(percent, 1), 99) if 0 < share < 1 else percent}%"


def _show_example(screen: Screen, code: str, pair: WirePair, example: Example) -> None:
    place = f"  {plain(example.place)}, {pair.source} -> {pair.target}"
    screen.line((code, "bold"), place)
    for line in (*_losses(example), *_differences(example)):
        screen.line(f"  {plain(line)}")


def _losses(example: Example) -> Iterator[str]:
    for loss in example.losses[:_SHOWN]:
        did = f" -> {loss['did']}" if loss.get("did") else ""
        kind = loss.get("kind", "refused")
        yield f"{kind} at {loss['where'] or '$'}: {loss.get('what', '')}{did}"


def _differences(example: Example) -> Iterator[str]:
    for change in example.near()[:_SHOWN]:
        ends = [
            f"{change[side]} {change[text]}".strip()
            for side, text in (("left", "was"), ("right", "now"))
        ]
        yield f"{change['change']} {change['kind']}: {' => '.join(filter(None, ends))}"


def _show_worse(screen: Screen, changes: list[Worse]) -> None:
    screen.print(style_text("\nWorse than before", style="bold red"))
    rows: list[tuple[str | output.Text, ...]] = []
    for change in changes:
        form = ".2f" if change.what == "weight" else ".1%"
        figures = format(change.was, form), format(change.now, form)
        rows.append(("", change.pair or "all", change.what, *figures))
    for pair, codes in dict.fromkeys((change.pair, change.codes) for change in changes):
        if codes:
            rows.append(("", style_text(f"more often, {pair}: {', '.join(codes)}", style="dim")))
    screen.print(_figures(rows, "", "pair", "what", "was", "now"))
