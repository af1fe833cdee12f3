"""`dragoman explain`: what a loss code means, its example run on the spot, and what to do."""

from __future__ import annotations

import logging
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Annotated, TypeAlias

import typer

from .._old_names import OLD_ERROR_CODES
from ..losses.codes import CODES, KINDS, Code, rename_codes
from ..text.json_text import Json, JsonObject
from . import options
from .examples import WireExample, examples
from .output import COLOURS, CommandError, Screen, excerpt, grid, loss_table, print_json, style_text

_MOST = 32  # lines of an example on either side
Pattern: TypeAlias = Annotated[
    str | None, typer.Argument(metavar="[CODE]", help="A code, or several by a glob: 'cache.*'.")
]


def explain(code: Pattern = None, as_json: options.Json = False) -> None:
    """Explain a loss code: its meaning, an example, what to do.

    Without CODE: all codes, by kind.
    """
    rows = _matching(code) if code is not None else list(CODES.values())
    if as_json:
        print_json({"codes": [_code_json(row, code is not None) for row in rows]})
        return
    screen = Screen()
    if code is None:
        _list(screen, rows)
        return
    for i, row in enumerate(rows):
        if i:
            screen.print()
        _show(screen, row)


def _matching(pattern: str) -> list[Code]:
    names = rename_codes(pattern)
    rows = [row for row in CODES.values() if any(fnmatchcase(row.name, name) for name in names)]
    if rows:
        return rows
    if new := OLD_ERROR_CODES.get(pattern):
        text = f"{pattern} is {new} now, and the code of an error, not of a loss"
        raise CommandError(text, "the error itself says what cannot be written, where, and why")
    glob = any(sign in pattern for sign in "*?[")
    close = [] if glob else get_close_matches(pattern, CODES, 3, 0.5)
    hint = f"did you mean {' or '.join(close)}?" if close else "`dragoman explain` lists them all"
    raise CommandError(f"unknown code {pattern!r}", hint)


def _list(screen: Screen, rows: list[Code]) -> None:
    for i, kind in enumerate(kind for kind in KINDS if any(row.kind == kind for row in rows)):
        if i:
            screen.print()
        screen.print(style_text(kind, style=f"bold {COLOURS[kind]}"))
        of_kind = ((row.name, row.meaning) for row in rows if row.kind == kind)
        screen.print(grid(of_kind, "", "fold", gap=2))


def _show(screen: Screen, row: Code) -> None:
    level = logging.getLevelName(row.level).lower()
    kind = row.kind, COLOURS[row.kind]
    screen.print(style_text((row.name, "bold"), "  ", kind, (f", logged as {level}", "dim")))
    screen.print(f"{row.meaning[0].upper()}{row.meaning[1:]}.")
    screen.print(style_text(("\nWhat to do: ", "bold"), row.fix))
    if row.asks:
        screen.print(style_text(("Decided by: ", "bold"), ", ".join(row.asks)))
    example = examples().get(row.name)
    if example is not None:
        screen.print()
        _show_example(screen, row, example)


def _show_example(screen: Screen, row: Code, example: WireExample) -> None:
    out = example.run()
    losses = [loss for loss in out.losses if loss.code == row.name]
    _show_json(screen, f"Example: {example.call()}", example.describe_source())
    _show_json(screen, "becomes", out.written)
    screen.print(loss_table(losses, meanings=False))
    fix = example.apply_fix()
    if fix is None:
        return
    if fix.given == example.given:
        screen.print(style_text(("Instead: ", "bold"), fix.call()))
    else:
        _show_json(screen, "Instead:", fix.describe_source())


def _show_json(screen: Screen, title: str, value: Json) -> None:
    screen.print(style_text(title, style="bold"))
    screen.line(excerpt(value, screen.width, _MOST))


def _code_json(row: Code, with_example: bool) -> JsonObject:
    """A code as JSON; its example only if the code was named."""
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
        fix = example.apply_fix()
        data["example"] = {
            "call": example.call(),
            "given": example.given,
            "written": out.written,
            "losses": [loss.to_dict() for loss in out.losses],
            "instead": fix and {"call": fix.call(), "given": fix.given},
        }
    return data
