"""`dragoman diff`: a request on two wires side by side, or how two conversations differ.

A body is cut into units: its fields, and the elements of its lists, such as messages. Units of the
two bodies are in one row if they come from the same units of the source.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import Annotated, TypeAlias

import typer

from ..analysis.paths import format_path, inside, value_at
from ..analysis.sameness import Difference, diff
from ..analysis.sources import sourcemap
from ..conversion.convert import convert
from ..errors import WriteError
from ..losses import Loss
from ..message import ChatRequest, Written
from ..text.json_text import Json, JsonObject
from ..vendors import wire
from . import inputs, options, output
from .options import wire_option
from .output import CommandError, Screen, plain, shorten_text, style_text


@dataclass(slots=True)
class DiffRow:
    """One row: paths in the source, and for each side paths and losses."""

    source: list[str]
    sides: list[list[str]]
    losses: list[list[Loss]]


def align_rows(body: JsonObject, outs: Sequence[Written]) -> list[DiffRow]:
    """The rows, in the order of the source; what a side adds is where the side has it."""
    units = list(_units(body))
    unit_sources = [_sources(out, units) for out in outs]
    first = list(range(len(units)))  # for each unit, the first of those in its row
    for side_units in unit_sources:
        for _, sources in side_units:
            joined = {first[number] for number in sources}
            if len(joined) > 1:
                first = [min(joined) if number in joined else number for number in first]
    rows: dict[float, DiffRow] = defaultdict(
        lambda: DiffRow([], [[] for _ in outs], [[] for _ in outs])
    )
    for i, path in enumerate(units):
        rows[first[i]].source.append(path)
    for index, side_units in enumerate(unit_sources):
        key = -1.0
        for path, sources in side_units:
            if sources:
                key = first[sources[0]]
            else:  # added: beside the same path of the other side, or in a row of its own
                behind = min((later for later in rows if later > key), default=key + 1)
                key = next((k for k, row in rows.items() if _has(row, path)), (key + behind) / 2)
            rows[key].sides[index].append(path)
    for index, out in enumerate(outs):
        for loss in out.losses:
            _find_row(loss, rows).losses[index].append(loss)
    return [row for _, row in sorted(rows.items()) if any(row.sides) or any(row.losses)]


def _has(row: DiffRow, path: str) -> bool:
    """Whether the row is one for this path, which the other side added."""
    return not row.source and any(path in side for side in row.sides)


def _find_row(loss: Loss, rows: dict[float, DiffRow]) -> DiffRow:
    """The row whose source contains the loss; the last one, if none does."""
    where = loss.where
    for row in rows.values():
        for unit in row.source:
            if inside(where, unit) or (where != "$" and inside(unit, where)):
                return row
    return rows[float("inf")]


def _units(body: JsonObject) -> Iterator[str]:
    """The paths of the units: objects at the top are opened once, lists of objects too."""
    for key, value in body.items():
        fields = [((key,), value)]
        if isinstance(value, dict) and value:
            fields = [((key, name), item) for name, item in value.items()]  # type: ignore[misc]
        for way, item in fields:
            if isinstance(item, list) and item and all(isinstance(i, dict) for i in item):
                yield from (format_path((*way, i)) for i in range(len(item)))
            else:
                yield format_path(way)


def _sources(out: Written, units: list[str]) -> list[tuple[str, list[int]]]:
    """Each unit of a written body with the source's units that it comes from."""
    pairs = [(path, source.path) for path, source in sourcemap(out).paths() if source.path != "$"]
    result = []
    for unit in _units(out.body):
        sources = [source_path for path, source_path in pairs if inside(path, unit)]
        sources = sources or [source_path for path, source_path in pairs if inside(unit, path)][-1:]
        sources = sources or [unit]  # if nothing else is found, the same name in the source
        numbers = {i for i, u in enumerate(units) for source in sources if inside(source, u)}
        result.append((unit, sorted(numbers)))
    return result


_GAP = 3  # columns between the sides

_LINES = 16  # of one unit

_LONG = 3  # lines that one line of text may be folded to

Files: TypeAlias = Annotated[
    list[str], options.file("A request to a provider; or two, also of ours.")
]

Both: TypeAlias = Annotated[
    tuple[str, str] | None,
    wire_option("--to", "-t", metavar="WIRE WIRE", help="Each may name a model: WIRE=MODEL."),
]

From: TypeAlias = Annotated[
    list[str] | None, wire_option("--from", "-f", help="Whose FILE is; twice for two of them.")
]


def diff_conversations(
    files: Files, to: Both = None, source: From = None, as_json: options.Json = False
) -> None:
    """Compare a request on two wires, or two conversations.

    With --to: what each wire gets, beside its source and its losses. With two FILEs: what only one
    of them contains, on whatever wires they are; the exit code is 1 if they are not the same.
    """
    if (to is None) != (len(files) == 2) or len(files) > 2:
        raise CommandError("give one FILE and --to WIRE WIRE, or two FILEs")
    sources = source or ["auto"]
    for name in sources:
        options.known_source(name)
    if len(sources) > len(files):
        raise CommandError("--from is given more often than there are files")
    if to is not None:
        _show_sides(inputs.read_body(_single(files[0])), sources[0], list(to), as_json)
        return
    changes = diff(*map(_request, map(_single, files), (sources[0], sources[-1])))
    if as_json:
        differences = [asdict(change) for change in changes]
        output.print_json({"same": not changes, "differences": differences})
    else:
        _show_changes(Screen(), files, changes)
    if changes:
        raise typer.Exit(output.REFUSED)


def _single(file: str) -> inputs.Entry:
    entries, _ = inputs.read_values(file)
    if len(entries) > 1:
        hint = "diff takes one of each file"
        raise CommandError(f"{entries[1].place}: a second conversation", hint)
    if isinstance(entries[0].value, CommandError):
        raise entries[0].value
    return entries[0]


def _request(entry: inputs.Entry, source: str) -> ChatRequest:
    """The conversation of a file: messages of this library, or a body that is read."""
    if inputs.is_ours(entry.value):
        return inputs.read_request(entry)
    body = inputs.read_body(entry)
    with output.errors_at(body.place):
        return inputs.sender(body, source).read_request(body.value, body.path)


def _show_sides(body: inputs.Body, source: str, to: list[str], as_json: bool) -> None:
    home = inputs.sender(body, source)
    sides = [_write_body(body, home.name, target) for target in to]
    rows = align_rows(body.value, [out for _, out in sides])
    if as_json:
        output.print_json(
            {
                "from": home.name,
                "sides": [_side_json(name, out) for name, out in sides],
                "rows": [
                    {
                        "source": row.source,
                        "sides": row.sides,
                        "losses": [[loss.to_dict() for loss in side] for side in row.losses],
                    }
                    for row in rows
                ],
            }
        )
        return
    screen = Screen()
    screen.line(f"{plain(body.place)}, a request of {home.name}", style="bold")
    width = (screen.width - _GAP) // 2
    _print(screen, [_head(name, out, width) for name, out in sides], width)
    for row in rows:
        screen.print()
        screen.print(plain(", ".join(row.source) or "added"), style="dim")
        cells = zip(sides, row.sides, row.losses, strict=True)
        _print(
            screen,
            [list(_cell(out.body, paths, losses, width)) for (_, out), paths, losses in cells],
            width,
        )


def _write_body(body: inputs.Body, home: str, target: str) -> tuple[str, Written]:
    name, _, model = target.partition("=")
    to = wire(options.check_wire_name(name), policy="ignore")
    with output.errors_at(body.place):
        try:
            out = convert(body.value, home, to, model=model or None, path=body.path)
        except WriteError as error:
            place = f"{body.place} for {name}"
            raise CommandError.of(error, place, code=output.REFUSED) from error
    return name, out


def _side_json(name: str, out: Written) -> JsonObject:
    return {
        "wire": name,
        "model": out.model,
        "path": out.path,
        "body": out.body,
        "losses": [loss.to_dict() for loss in out.losses],
    }


def _head(name: str, out: Written, width: int) -> list[output.Text]:
    head = (
        (name, "bold reverse"),
        (plain(out.path), "dim"),
        (output.count_losses(out.losses), "dim"),
    )
    return [
        line
        for text, style in head
        for line in shorten_text(style_text(text, style=style), width, 2)
    ]


def _cell(body: Json, paths: list[str], losses: list[Loss], width: int) -> Iterator[output.Text]:
    """The content of a side in a row, and its losses there."""
    for path in paths:
        yield from shorten_text(style_text(plain(path), style="cyan"), width, 2)
        for line in output.excerpt(value_at(body, path), width, _LINES).splitlines():
            yield from shorten_text(style_text(plain(line)), width, _LONG)
    for loss in losses:
        did = f" -> {loss.did}" if loss.did else ""
        text = style_text(
            (loss.kind, output.COLOURS[loss.kind]),
            f" {loss.code}: ",
            plain(f"{loss.what}{did} ({loss.where})"),
        )
        yield from shorten_text(text, width, _LONG)


def _print(screen: Screen, cells: list[list[output.Text]], width: int) -> None:
    for left, right in zip_longest(*cells, fillvalue=style_text()):
        line = left.copy()
        line.append(" " * (width + _GAP - line.cell_len))
        line.append_text(right)
        line.rstrip()
        screen.print(line)


def _show_changes(screen: Screen, files: list[str], changes: list[Difference]) -> None:
    names = " and ".join(plain(inputs.file_name(file)) for file in files)
    if not changes:
        screen.line(f"{names} say the same")
        return
    places = f"{len(changes)} place{'s' * (len(changes) > 1)}"
    screen.line(f"{names} differ in {places}", style="bold")
    for change in changes:
        where = " => ".join(filter(None, (change.left, change.right)))
        screen.print(style_text((change.change, "bold"), f" {change.kind}  {plain(where)}"))
        for sign, text, style in (("-", change.was, "red"), ("+", change.now, "green")):
            if text:
                screen.print(style_text(f"  {sign} {plain(text)}", style=style))
