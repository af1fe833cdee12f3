"""Two bodies of one conversation, aligned by what they come from: rows for `dragoman diff`.

A body is cut into units: its fields, and the elements of its lists, such as messages. Units whose
sources meet stand in one row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from .._core.convert import convert
from .._core.jsontext import Json, JsonObject
from ..errors import DragomanError, WriteError
from ..losses import Loss
from ..losses import policy as policy_of
from ..message import ChatRequest, Written
from ..study.paths import found, inside, spelled
from ..study.sameness import Difference, diff
from ..study.sources import sourcemap
from ..vendors import wire
from . import options
from .inputs import Body, Found, body, is_ours, ours, sender, values
from .output import (
    COLOURS,
    REFUSED,
    USAGE,
    CommandError,
    console,
    counted,
    excerpt,
    json_text,
    plain,
    say,
    shortened,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


@dataclass(slots=True)
class Row:
    """What belongs together: paths in the source, and for each side paths and losses."""

    source: list[str] = field(default_factory=list)
    sides: list[list[str]] = field(default_factory=list)
    losses: list[list[Loss]] = field(default_factory=list)


def aligned(body: JsonObject, sides: Sequence[Written]) -> list[Row]:
    """The rows, in the order of the source; what a side adds stands where it adds it."""
    units = list(_units(body))
    found = [_sources(out, units) for out in sides]
    groups = _Groups(len(units))
    for rows in found:
        for _, sources in rows:
            groups.join(sources)
    made: dict[float, Row] = {}
    for at, path in enumerate(units):
        made.setdefault(groups.first(at), _row(sides)).source.append(path)
    for side, rows in enumerate(found):
        last = -1.0
        for path, sources in rows:
            if sources:
                last = groups.first(sources[0])
            else:  # nobody gave it: beside the same of the other side, or in a row of its own
                last = next((at for at, row in made.items() if _has(row, path)), _free(made, last))
            made.setdefault(last, _row(sides)).sides[side].append(path)
    made[float("inf")] = _row(sides)
    for side, out in enumerate(sides):
        for loss in out.losses:
            _home(loss, made).losses[side].append(loss)
    return [row for _, row in sorted(made.items()) if any(row.sides) or any(row.losses)]


def _row(sides: Sequence[Written]) -> Row:
    return Row([], [[] for _ in sides], [[] for _ in sides])


def _has(row: Row, path: str) -> bool:
    """Whether the row is that of an added path on the other side."""
    return not row.source and any(path in side for side in row.sides)


def _free(made: dict[float, Row], last: float) -> float:
    """A place behind the last row and before the next one."""
    later = min((at for at in made if at > last), default=last + 1)
    return (last + later) / 2


def _home(loss: Loss, made: dict[float, Row]) -> Row:
    """The row in whose source the loss is; the last one, if it is in none."""
    where = loss.where
    for row in made.values():
        for unit in row.source:
            if inside(where, unit) or (where != "$" and inside(unit, where)):
                return row
    return made[float("inf")]


def _units(body: JsonObject) -> Iterator[str]:
    """The paths of the units: objects at the top are opened once, lists of objects too."""
    for key, value in body.items():
        opened = isinstance(value, dict) and value
        inner = [((key, name), one) for name, one in value.items()] if opened else [((key,), value)]
        for way, one in inner:
            if _is_list(one):
                yield from (spelled((*way, i)) for i in range(len(one)))
            else:
                yield spelled(way)


def _is_list(value: Json) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _sources(out: Written, units: list[str]) -> list[tuple[str, list[int]]]:
    """Each unit of a written body with the source's units that it says."""
    told = [(path, source.path) for path, source in sourcemap(out).paths() if source.path != "$"]
    made = []
    for unit in _units(out.body):
        within = [where for path, where in told if inside(path, unit)]
        around = [where for path, where in told if inside(unit, path)][-1:]
        wheres = within or around or [unit]  # at last what bears the same name in the source
        sources = {at for at, one in enumerate(units) for where in wheres if inside(where, one)}
        made.append((unit, sorted(sources)))
    return made


class _Groups:
    """Numbers that belong together; each group is known by its first."""

    def __init__(self, count: int) -> None:
        self._up = list(range(count))

    def first(self, at: int) -> int:
        while self._up[at] != at:
            at = self._up[at]
        return at

    def join(self, numbers: Sequence[int]) -> None:
        firsts = sorted({self.first(at) for at in numbers})
        for at in firsts[1:]:
            self._up[at] = firsts[0]


_QUIET = policy_of("ignore")


_GAP = 3  # columns between the sides


_LINES = 16  # of one unit


_LONG = 3  # lines that one line of text may be folded to


Files: TypeAlias = Annotated[
    list[str],
    typer.Argument(metavar="FILE", help="A request to a provider; or two, also of ours."),
]


Both: TypeAlias = Annotated[
    tuple[str, str] | None,
    typer.Option("--to", "-t", metavar="WIRE WIRE", help="Each may name a model: WIRE=MODEL.",
                 autocompletion=options.beginning),
]  # fmt: skip


From: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--from", "-f", metavar="WIRE", help="Whose FILE is; twice for two of them.",
                 autocompletion=options.beginning),
]  # fmt: skip


def diff_conversations(
    files: Files,
    to: Both = None,
    source: From = None,
    as_json: options.Json = False,
) -> None:
    """Show a request on two wires side by side, or how two conversations differ.

    With --to: what each wire gets, beside what it comes from and what is lost. With two FILEs: what
    only one of them says, whatever wires they are of; the exit code is 1 if they are not the same.
    """
    if (to is None) != (len(files) == 2) or len(files) > 2:
        raise CommandError("give one FILE and --to WIRE WIRE, or two FILEs")
    sources = [one if one == "auto" else options.known(one) for one in source or ["auto"]]
    if len(sources) > len(files):
        raise CommandError("--from is given more often than there are files")
    if to is not None:
        _show_sides(body(_single(files[0])), sources[0], list(to), as_json)
        return
    both = [
        _said(_single(file), one)
        for file, one in zip(files, [sources[0], sources[-1]], strict=True)
    ]
    changes = diff(*both)
    if as_json:
        say(json_text({"same": not changes, "differences": [asdict(one) for one in changes]}))
    else:
        _show_changes(console(), files, changes)
    if changes:
        raise typer.Exit(REFUSED)


def _single(file: str) -> Found:
    read, _ = values(file)
    if len(read) > 1:
        raise CommandError(f"{read[1].place}: a second conversation", "diff takes one of each file")
    if isinstance(read[0].value, CommandError):
        raise read[0].value
    return read[0]


def _said(given: Found, source: str) -> ChatRequest:
    """The conversation of a file: ours, or a body that is read."""
    if is_ours(given.value):
        return ours(given)
    one = body(given)
    try:
        return sender(one, source).read_request(one.value, one.path)
    except DragomanError as error:
        raise CommandError.of(error, one.place, USAGE) from error


def _show_sides(one: Body, source: str, to: list[str], as_json: bool) -> None:
    home = sender(one, source)
    sides = [_written(one, home.name, target) for target in to]
    rows = aligned(one.value, [out for _, out in sides])
    if as_json:
        say(json_text({
            "from": home.name,
            "sides": [_plain(name, out) for name, out in sides],
            "rows": [_plain_row(row) for row in rows],
        }))  # fmt: skip
        return
    screen = console()
    screen.print(f"{plain(one.place)}, a request of {home.name}", style="bold", soft_wrap=True)
    width = (screen.width - _GAP) // 2
    heads = [_head(name, out, width) for name, out in sides]
    _print(screen, heads, width)
    for row in rows:
        said = ", ".join(row.source) or "added"
        screen.print()
        screen.print(plain(said), style="dim")
        cells = zip(sides, row.sides, row.losses, strict=True)
        _print(screen, [list(_cell(out.body, paths, lost, width))
                        for (_, out), paths, lost in cells], width)  # fmt: skip


def _written(one: Body, home: str, target: str) -> tuple[str, Written]:
    name, _, model = target.partition("=")
    known = wire(options.known(name), policy="ignore")
    try:
        out = convert(one.value, home, known, model=model or None, path=one.path, policy=_QUIET)
    except WriteError as error:
        raise CommandError.of(error, f"{one.place} for {name}", REFUSED) from error
    except DragomanError as error:
        raise CommandError.of(error, one.place, USAGE) from error
    return name, out


def _plain(name: str, out: Written) -> JsonObject:
    return {"wire": name, "model": out.model, "path": out.path, "body": out.body,
            "losses": [loss.to_dict() for loss in out.losses]}  # fmt: skip


def _plain_row(row: Row) -> JsonObject:
    return {"source": row.source, "sides": row.sides,
            "losses": [[loss.to_dict() for loss in side] for side in row.losses]}  # fmt: skip


def _head(name: str, out: Written, width: int) -> list[Text]:
    from rich.text import Text

    said = [
        Text(name, "bold reverse"),
        Text(plain(out.path), "dim"),
        Text(counted(out.losses), "dim"),
    ]
    return [line for text in said for line in shortened(text, width, 2)]


def _cell(written: Json, paths: list[str], losses: list[Loss], width: int) -> Iterator[Text]:
    """What a side says in a row, and what it loses there."""
    from rich.text import Text

    for path in paths:
        yield from shortened(Text(plain(path), "cyan"), width, 2)
        for line in excerpt(found(written, path), width, _LINES).splitlines():
            yield from shortened(Text(plain(line)), width, _LONG)
    for loss in losses:
        did = f" -> {loss.did}" if loss.did else ""
        said = Text.assemble((loss.kind, COLOURS[loss.kind]), f" {loss.code}: ",
                             plain(f"{loss.what}{did} ({loss.where})"))  # fmt: skip
        yield from shortened(said, width, _LONG)


def _print(screen: Console, cells: list[list[Text]], width: int) -> None:
    from rich.text import Text

    for left, right in zip_longest(*cells, fillvalue=Text("")):
        line = left.copy()
        line.append(" " * (width + _GAP - line.cell_len))
        line.append_text(right)
        line.rstrip()
        screen.print(line)


def _show_changes(screen: Console, files: list[str], changes: list[Difference]) -> None:
    from rich.text import Text

    names = " and ".join(plain("stdin" if file == "-" else file) for file in files)
    if not changes:
        screen.print(f"{names} say the same", soft_wrap=True)
        return
    places = f"{len(changes)} place{'s' * (len(changes) > 1)}"
    screen.print(Text(f"{names} differ in {places}", "bold"), soft_wrap=True)
    for one in changes:
        where = " => ".join(filter(None, (one.left, one.right)))
        screen.print(Text.assemble((one.change, "bold"), f" {one.kind}  {plain(where)}"))
        for sign, text, style in (("-", one.was, "red"), ("+", one.now, "green")):
            if text:
                screen.print(Text(f"  {sign} {plain(text)}", style))
