"""`dragoman explain`: what a loss code means, its example run on the spot, and what to do."""

from __future__ import annotations

import logging
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from .._core.jsontext import Json, JsonObject
from ..losses.codes import CODES
from ..losses.codes.code import KINDS, Code
from . import options
from .examples import Example, examples
from .output import COLOURS, CommandError, console, excerpt, grid, json_text, loss_table, print_text

if TYPE_CHECKING:
    from rich.console import Console

_MOST = 32  # lines of an example on either side
Pattern: TypeAlias = Annotated[
    str | None, typer.Argument(metavar="[CODE]", help="A code, or several by a glob: 'cache.*'.")
]


def explain(code: Pattern = None, as_json: options.Json = False) -> None:
    """Explain a loss code: what it means, an example, and what can be done about it.

    Without CODE: all codes, by kind.
    """
    rows = _matching(code) if code is not None else list(CODES.values())
    if as_json:
        print_text(json_text({"codes": [_code_json(row, code is not None) for row in rows]}))
        return
    screen = console()
    if code is None:
        _list(screen, rows)
        return
    for i, row in enumerate(rows):
        if i:
            screen.print()
        _show(screen, row)


def _matching(pattern: str) -> list[Code]:
    rows = [row for row in CODES.values() if fnmatchcase(row.name, pattern)]
    if rows:
        return rows
    glob = any(sign in pattern for sign in "*?[")
    close = [] if glob else get_close_matches(pattern, CODES, 3, 0.5)
    hint = f"did you mean {' or '.join(close)}?" if close else "`dragoman explain` lists them all"
    raise CommandError(f"unknown code {pattern!r}", hint)


def _list(screen: Console, rows: list[Code]) -> None:
    from rich.text import Text

    for i, kind in enumerate(kind for kind in KINDS if any(row.kind == kind for row in rows)):
        if i:
            screen.print()
        screen.print(Text(kind, f"bold {COLOURS[kind]}"))
        table = grid("", "fold", gap=2)
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

    out = example.run()
    losses = [loss for loss in out.losses if loss.code == row.name]
    _show_json(screen, f"Example: {example.call()}", example.said())
    _show_json(screen, "becomes", out.written)
    screen.print(loss_table(losses, meanings=False))
    fix = example.mended()
    if fix is None:
        return
    if fix.given == example.given:
        screen.print(Text.assemble(("Instead: ", "bold"), fix.call()))
    else:
        _show_json(screen, "Instead:", fix.said())


def _show_json(screen: Console, title: str, value: Json) -> None:
    from rich.text import Text

    screen.print(Text(title, "bold"))
    screen.print(Text(excerpt(value, screen.width, _MOST)), soft_wrap=True)


def _code_json(row: Code, with_example: bool) -> JsonObject:
    """A code as JSON; its example only where it was asked for by name."""
    data: JsonObject = {
        "code": row.name,
        "kind": row.kind,
        "level": logging.getLevelName(row.level).lower(),
        "meaning": row.meaning,
        "fix": row.fix,
        "asks": list(row.asks),
    }
    example = examples().get(row.name) if with_example else None
    if example is not None:
        out = example.run()
        fix = example.mended()
        data["example"] = {
            "call": example.call(),
            "given": example.given,
            "written": out.written,
            "losses": [loss.to_dict() for loss in out.losses],
            "instead": fix and {"call": fix.call(), "given": fix.given},
        }
    return data
