"""`dragoman wires`: what each wire can carry, who speaks it where, and how old the facts are.

`carried` makes the sheets; this arranges them for a screen or as JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from .._wire import Wire
from ..capabilities import Fact
from ..families import FAMILIES
from ..jsontext import Json, JsonObject
from ..vendors import Vendor
from . import options
from .carried import Sheet, all_wires, asked, carried, vendors
from .carried import options as not_taken
from .known import ages, families, told
from .output import console, json_text, say

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["list_wires"]

_TABLE = 80  # columns that the tables need


def list_wires(
    model: options.Model = None,
    facts: options.Facts = None,
    as_json: options.Json = False,
) -> None:
    """List wires, vendors and model families, and what each can carry.

    Without a model: what every current model on that wire accepts. A dash: not carried; what a
    conversation loses by that is named when it is written.
    """
    listed = all_wires(options.facts(facts))
    if as_json:
        dated = ages(listed)
        say(json_text({"model": model, "facts": facts,
                       "wires": {one.name: _wire(one, model, dated[one.name]) for one in listed},
                       "vendors": {row.name: _vendor(row) for row in vendors()},
                       "families": _json(FAMILIES.rows)}))  # fmt: skip
        return
    screen = console()
    if model is not None:
        screen.print(f"For {model}:\n", style="bold")
    for sheet in (carried(listed, model), asked(listed, model), not_taken(listed, model)):
        _show(screen, sheet)
    screen.print("Vendors", style="bold")
    screen.print(_grid(
        (row.name, ", ".join(row.wires), "\n".join(_places(row))) for row in vendors()
    ))  # fmt: skip
    if model is not None:
        screen.print(f"\nWhat is known of {model}", style="bold")
        screen.print(_grid(_known(listed, model)))
    else:
        screen.print("\nAge of the facts", style="bold")
        screen.print(_grid((name, _age(found)) for name, found in ages(listed).items()))
        sheet = families()
        screen.print(f"\n{sheet.title}", style="bold")
        screen.print(_grid((row[0], _worded(sheet.heads, row)) for row in sheet.rows))
        for line in sheet.notes:
            screen.print(line, style="dim")


def _show(screen: Console, sheet: Sheet) -> None:
    """A sheet as a table, or in sentences where the screen is too narrow for one."""
    screen.print(sheet.title, style="bold")
    if screen.width < _TABLE:
        for name, *cells in sheet.rows:
            said = zip(sheet.heads[1:], cells, strict=True)
            screen.print(f"{name}: " + ", ".join(f"{head} {cell}" for head, cell in said))
    else:
        screen.print(_table(sheet))
    for line in sheet.notes:
        screen.print(line, style="dim")
    screen.print()


def _worded(heads: tuple[str, ...], row: tuple[str, ...]) -> str:
    """The cells of a row that say something, each behind its head."""
    said = zip(heads[1:], row[1:], strict=True)
    cells = [cell if head == "besides" else f"{head} {cell}" for head, cell in said if cell]
    return "; ".join(cells)


def _table(sheet: Sheet) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    for head in sheet.heads:
        table.add_column(head, overflow="fold", no_wrap=head == "wire")
    for name, *cells in sheet.rows:
        vendor, _, protocol = name.partition("/")
        table.add_row(f"/{protocol}" if protocol else vendor, *cells)
    return table


def _grid(rows: Iterable[tuple[str, ...]]) -> Table:
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0))
    for row in rows:
        while len(table.columns) < len(row):
            table.add_column(overflow="fold", ratio=1 + 2 * len(table.columns))
        table.add_row(*row)
    return table


def _places(row: Vendor) -> Iterable[str]:
    yield row.base_url
    yield from (f"{protocol}: {url}" for protocol, url in row.urls.items())
    yield from (f"{region}: {url}" for region, url in row.regions.items())
    yield f"key: {row.key or 'none'}"


def _known(listed: list[Wire], model: str) -> Iterable[tuple[str, ...]]:
    """Each fact that holds for a model, with the wires on which it does."""
    found: dict[int, tuple[Fact, list[str]]] = {}
    for one in listed:
        for fact in (*one.known(model), *one.conditional(model)):
            found.setdefault(id(fact), (fact, []))[1].append(one.name)
    for fact, names in found.values():
        where = "everywhere" if len(names) == len(listed) else ", ".join(names)
        when = f"while {fact.when}: " if fact.when else ""
        said = f"{when}{'; '.join(told(fact.changes))}"
        yield where, f"{said}\n{f'since {fact.since}: ' if fact.since else ''}{fact.source}"
    if not found:
        yield ("nothing in particular",)


def _age(found: list[str]) -> str:
    if not found:
        return "no date"
    days = _days(found[-1])
    return f"{len(found)}, from {found[0]} to {found[-1]}" + (
        f", {days} days ago" if days is not None else ""
    )


def _days(since: str) -> int | None:
    """How many days ago a date was; None where only its month or year is known."""
    if len(since) < 10:
        return None
    return (datetime.now(UTC).date() - date.fromisoformat(since)).days


def _wire(one: Wire, model: str | None, found: list[str]) -> JsonObject:
    return {
        "protocol": one.room.protocol,
        "vendor": one.vendor.name if one.vendor is not None else None,
        "default_model": one.room.model,
        "oldest_fact": found[0] if found else None,
        "newest_fact": found[-1] if found else None,
        "age_days": _days(found[-1]) if found else None,
        "facts": [] if model is None else _json([*one.known(model), *one.conditional(model)]),
        "can": _json(one.can(model)),
    }


def _vendor(row: Vendor) -> JsonObject:
    return {
        "base_url": row.base_url,
        "urls": dict(row.urls),
        "regions": dict(row.regions),
        "key": row.key,
        "wires": list(row.wires),
    }


def _json(value: Any) -> Json:
    """Values of capabilities and facts as JSON: sets sorted, rows as objects."""
    if is_dataclass(value):
        return {f.name: _json(getattr(value, f.name)) for f in fields(value)}
    match value:
        case Mapping():
            return {str(key): _json(inner) for key, inner in value.items()}
        case frozenset() | set():
            return sorted(value)
        case tuple() | list():
            return [_json(inner) for inner in value]
        case _:
            return value
