"""`dragoman explain`: what a loss code means, an example of it, and what can be done about it.

Everything is read from the table of codes and from their examples, which are run on the spot.
"""

from __future__ import annotations

import logging
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from ..codes import CODES, KINDS, Code
from ..jsontext import Json, JsonObject
from . import options
from .errors import CommandError
from .examples import Example, examples
from .excerpts import excerpt
from .output import COLOURS, console, json_text, loss_table, say

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["explain"]

_MOST = 32  # lines of an example on either side

Pattern: TypeAlias = Annotated[
    str | None, typer.Argument(metavar="[CODE]", help="A code, or several by a glob: 'cache.*'.")
]


def explain(code: Pattern = None, as_json: options.Json = False) -> None:
    """Explain a loss code: what it means, an example, and what can be done about it.

    Without CODE: all codes, by kind.
    """
    rows = _found(code) if code is not None else list(CODES.values())
    if as_json:
        say(json_text({"codes": [_plain(row, code is not None) for row in rows]}))
        return
    screen = console()
    if code is None:
        _list(screen, rows)
        return
    for i, row in enumerate(rows):
        if i:
            screen.print()
        _show(screen, row)


def _found(pattern: str) -> list[Code]:
    rows = [row for row in CODES.values() if fnmatchcase(row.name, pattern)]
    if rows:
        return rows
    glob = any(sign in pattern for sign in "*?[")
    close = [] if glob else get_close_matches(pattern, CODES, 3, 0.5)
    hint = f"did you mean {' or '.join(close)}?" if close else "`dragoman explain` lists them all"
    raise CommandError(f"unknown code {pattern!r}", hint)


def _list(screen: Console, rows: list[Code]) -> None:
    from rich.table import Table
    from rich.text import Text

    for i, kind in enumerate(kind for kind in KINDS if any(row.kind == kind for row in rows)):
        if i:
            screen.print()
        screen.print(Text(kind, f"bold {COLOURS[kind]}"))
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for row in rows:
            if row.kind == kind:
                table.add_row(row.name, Text(row.meaning))
        screen.print(table)


def _show(screen: Console, row: Code) -> None:
    from rich.text import Text

    level = logging.getLevelName(row.level).lower()
    screen.print(Text.assemble(
        (row.name, "bold"), "  ", (row.kind, COLOURS[row.kind]), (f", logged as {level}", "dim"),
    ))  # fmt: skip
    screen.print(f"{row.meaning[0].upper()}{row.meaning[1:]}.")
    screen.print(Text.assemble(("\nWhat to do: ", "bold"), row.fix))
    if row.asks:
        screen.print(Text.assemble(("Decided by: ", "bold"), ", ".join(row.asks)))
    example = examples().get(row.name)
    if example is not None:
        screen.print()
        _show_example(screen, row, example)


def _show_example(screen: Console, row: Code, example: Example) -> None:
    from rich.text import Text

    made = example.run()
    losses = [loss for loss in made.losses if loss.code == row.name]
    _show_json(screen, f"Example: {example.call()}", example.said())
    _show_json(screen, "becomes", made.written)
    screen.print(loss_table(losses, meanings=False))
    mended = example.mended()
    if mended is None:
        return
    if mended.given == example.given:
        screen.print(Text.assemble(("Instead: ", "bold"), mended.call()))
    else:
        _show_json(screen, "Instead:", mended.said())


def _show_json(screen: Console, title: str, value: Json) -> None:
    from rich.text import Text

    screen.print(Text(title, "bold"))
    screen.print(Text(excerpt(value, screen.width, _MOST)), soft_wrap=True)


def _plain(row: Code, shown: bool) -> JsonObject:
    """A code as JSON; its example only where it was asked for by name."""
    made: JsonObject = {
        "code": row.name,
        "kind": row.kind,
        "level": logging.getLevelName(row.level).lower(),
        "meaning": row.meaning,
        "fix": row.fix,
        "asks": list(row.asks),
    }
    example = examples().get(row.name) if shown else None
    if example is not None:
        out = example.run()
        mended = example.mended()
        made["example"] = {
            "call": example.call(),
            "given": example.given,
            "written": out.written,
            "losses": [loss.to_dict() for loss in out.losses],
            "instead": mended and {"call": mended.call(), "given": mended.given},
        }
    return made
