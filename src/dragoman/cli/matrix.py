"""`dragoman matrix`: which formatter goes with which model, over which endpoint, or why not."""

from __future__ import annotations

from dataclasses import asdict

from ..model.pairing import Cell, matrix
from . import options, output
from .output import style_text

_FORMATTERS = ("MultiAgentFormatter", "ChatFormatter")
_MODELS = ("ChatModel", "Model")


def show_matrix(as_json: options.Json = False) -> None:
    """Show which formatter works with which model.

    Each row names the endpoint, or says why the formatter does not fit. A formatter for one
    conversation and the one for many agents write the same form and share a row. With --json: a
    list of all pairs, with formatter, model, works, wire and reason.
    """
    cells = matrix()
    if as_json:
        output.print_json([asdict(cell) for cell in cells])
        return
    screen = output.Screen()
    table = _by_row(cells)
    models = list(dict.fromkeys(cell.model for cell in cells))
    heads = ["", *(_short(model, *_MODELS) for model in models)]
    rows = [
        [style_text(row), *(_mark(found[model]) for model in models)]
        for row, found in table.items()
    ]
    screen.print(output.grid(rows, *[""] * len(heads), heads=heads, gap=1))
    screen.print("\nOver which endpoint", style="bold")
    screen.print(
        output.grid([(row, _endpoints(found)) for row, found in table.items()], "", "fold")
    )
    screen.print("\nWhy not", style="bold")
    reasons = [line for row, found in table.items() for line in _reasons(row, found)]
    screen.print(output.grid(reasons, "", "", "fold"))


def _by_row(cells: list[Cell]) -> dict[str, dict[str, Cell]]:
    """The cells by formatter and model; formatters of one provider with equal cells are one row."""
    by_name: dict[str, dict[str, Cell]] = {}
    for cell in cells:
        by_name.setdefault(cell.formatter, {})[cell.model] = cell
    rows: dict[str, dict[str, Cell]] = {}
    for name, found in by_name.items():
        short = _short(name, *_FORMATTERS)
        first = rows.setdefault(short, found)
        if [cell.wire for cell in first.values()] != [cell.wire for cell in found.values()]:
            rows[name] = found
    return rows


def _short(name: str, *endings: str) -> str:
    for ending in endings:
        name = name.removesuffix(ending)
    return name


def _mark(cell: Cell) -> output.Text:
    return style_text("works", style="green") if cell.works else style_text("-", style="dim")


def _endpoints(found: dict[str, Cell]) -> str:
    """The wires over which a row works, each with its models."""
    models: dict[str, list[str]] = {}
    for model, cell in found.items():
        if cell.works:
            models.setdefault(cell.wire, []).append(_short(model, *_MODELS))
    return ", ".join(f"{wire} ({', '.join(names)})" for wire, names in models.items())


def _reasons(row: str, found: dict[str, Cell]) -> list[tuple[str, str, str]]:
    """(formatter, models, reason), with the models of one reason together."""
    models: dict[str, list[str]] = {}
    for model, cell in found.items():
        if not cell.works:
            models.setdefault(cell.reason, []).append(_short(model, *_MODELS))
    return [(row, "\n".join(names), reason) for reason, names in models.items()]
