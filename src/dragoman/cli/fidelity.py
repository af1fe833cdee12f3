"""`dragoman fidelity`: every wire to every other over somebody's own logs, for trust and for CI.

`study.fidelity` counts; this reads the files and shows the figures.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from .._core.jsontext import Json, JsonObject, loads
from ..errors import ConfigError, DragomanError
from ..study.fidelity import SILENT, Example, Fidelity, Pair, Worse, fidelity, worse
from . import options
from .inputs import values
from .output import REFUSED, USAGE, CommandError, console, json_text, plain, report, say

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


_TOLD = 3  # lines of one kind that are shown


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
    if source != "auto":
        options.known(source)
    before = _stored(baseline) if baseline is not None else None
    run = _measured(files, source, options.targets(to) or None)
    if save is not None:
        Path(save).write_text(json.dumps(run.to_dict(), indent=1) + "\n", "utf-8")
    found = worse(run, before) if before is not None else []
    if as_json:
        said: JsonObject = run.to_dict()
        if before is not None:
            said["worse"] = [_plain(one) for one in found]
        say(json_text(said))
    else:
        _show(console(), run)
        if found:
            _show_worse(console(), found)
    if found:
        report(f"{len(found)} figures are worse than in {baseline}", REFUSED)
        raise typer.Exit(REFUSED)


def _measured(files: list[str], source: str, targets: dict[str, str | None] | None) -> Fidelity:
    rows: list[tuple[str, Json]] = []
    broken: list[tuple[str, str]] = []
    for file in files:
        for one in values(file, "logs of requests and answers")[0]:
            if isinstance(one.value, CommandError):
                broken.append((one.place, str(one.value)))
            else:
                rows.append((one.place, one.value))
    run = fidelity(rows, source, targets)
    run.unread = broken + run.unread
    if not run.read:
        place, error = run.unread[0] if run.unread else (files[0], "there is nothing in it")
        said = error if error.startswith(place) else f"{place}: {error}"
        raise CommandError(said, "nothing in the logs could be read")
    return run


def _stored(file: str) -> Fidelity:
    try:
        return Fidelity.of(loads(Path(file).read_text("utf-8")))
    except UnicodeDecodeError as error:
        raise CommandError(f"{file}: byte {error.start} is no UTF-8") from error
    except DragomanError as error:
        hint = error.hint if isinstance(error, ConfigError) else "`--save FILE` makes one"
        raise CommandError.of(error, file, USAGE, hint) from error


def _plain(one: Worse) -> JsonObject:
    return {"pair": one.pair, "what": one.what, "was": one.was, "now": one.now,
            "codes": list(one.codes)}  # fmt: skip


def _show(screen: Console, run: Fidelity) -> None:
    """The pairs by their source, the losses by code, and an example for each code."""
    from rich.text import Text

    said = f"{run.read} bodies" + (
        f", and {len(run.unread)} that cannot be read" if run.unread else ""
    )
    screen.print(Text(said, "bold"))
    for place, error in run.unread[:_TOLD]:
        screen.print(Text(plain(error if error.startswith(place) else f"{place}: {error}"), "red"))
    pairs = sorted(run.pairs, key=lambda pair: (pair.kind, pair.source))
    for (kind, source), group in groupby(pairs, key=lambda pair: (pair.kind, pair.source)):
        listed = list(group)
        screen.print(Text(f"\n{kind}s of {source}", "bold"))
        screen.print(_shares(listed))
        if any(pair.codes or pair.refused for pair in listed):
            screen.print(_matrix(listed))
    examples = list(_examples(run.pairs))
    if examples:
        screen.print(Text("\nAn example of each", "bold"))
    for code, pair, example in examples:
        _show_example(screen, code, pair, example)


def _shares(pairs: list[Pair]) -> Table:
    table = _table("", "to", "bodies", "lossless", "clean", "same", "silent", "refused")
    for nth, pair in enumerate(pairs, 1):
        table.add_row(
            str(nth), pair.target, str(pair.count),
            *(_percent(pair.share(what)) for what in ("lossless", "clean", "same")),
            str(pair.silent), str(pair.refused.total()),
        )  # fmt: skip
    return table


def _matrix(pairs: list[Pair]) -> Table:
    """In how many bodies a code comes, on the way to each target."""
    table = _table("", "in bodies", *(str(nth) for nth in range(1, len(pairs) + 1)))
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
    for nth, head in enumerate(heads):
        table.add_column(head, justify="left" if nth == 1 else "right", no_wrap=nth != 1,
                         overflow="fold")  # fmt: skip
    return table


def _percent(share: float) -> str:
    """Rounded, but 100% is said of nothing less, and 0% of nothing more."""
    whole = min(max(round(share * 100), 1), 99) if 0 < share < 1 else round(share * 100)
    return f"{whole}%"


def _examples(pairs: list[Pair]) -> Iterator[tuple[str, Pair, Example]]:
    """For each code the first pair that has an example of it; what nobody named first."""
    found: dict[str, tuple[Pair, Example]] = {}
    for pair in pairs:
        for code, example in pair.examples.items():
            found.setdefault(code, (pair, example))
    for code in sorted(found, key=lambda code: (code != SILENT, code)):
        yield code, *found[code]


def _show_example(screen: Console, code: str, pair: Pair, example: Example) -> None:
    from rich.text import Text

    head = Text.assemble(
        (code, "bold"), f"  {plain(example.place)}, {pair.source} -> {pair.target}"
    )
    screen.print(head, soft_wrap=True)
    for line in (*_losses(example), *_differences(example)):
        screen.print(Text(f"  {plain(line)}"), soft_wrap=True)


def _losses(example: Example) -> Iterator[str]:
    for loss in example.losses[:_TOLD]:
        did = f" -> {loss['did']}" if loss.get("did") else ""
        kind = loss.get("kind", "refused")
        yield f"{kind} at {loss['where'] or '$'}: {loss.get('what', '')}{did}"


def _differences(example: Example) -> Iterator[str]:
    for one in example.near()[:_TOLD]:
        sides = [
            f"{one[side]} {one[text]}".strip() for side, text in (("left", "was"), ("right", "now"))
        ]
        yield f"{one['change']} {one['kind']}: {' => '.join(filter(None, sides))}"


def _show_worse(screen: Console, found: list[Worse]) -> None:
    from rich.text import Text

    screen.print(Text("\nWorse than before", "bold red"))
    table = _table("", "pair", "what", "was", "now")
    for one in found:
        table.add_row("", one.pair or "all", one.what, *_figures(one))
    for pair, codes in dict.fromkeys((one.pair, one.codes) for one in found if one.codes):
        table.add_row("", Text(f"more often, {pair}: {', '.join(codes)}", "dim"))
    screen.print(table)


def _figures(one: Worse) -> tuple[Any, Any]:
    if one.what == "weight":
        return f"{one.was:.2f}", f"{one.now:.2f}"
    return f"{one.was:.1%}", f"{one.now:.1%}"
