"""`dragoman plan`: where a conversation can go, ranked by what it would lose there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, TypeAlias

import typer

from ..analysis.plan import Plan, Route, plan
from ..text.json_text import JsonObject
from ..vendors import wires
from . import inputs, options, output
from .output import plain, style_text

_PLACES = 4  # paths that are listed one by one

File: TypeAlias = Annotated[
    str, options.file("Requests, or messages of ours; JSON or JSONL; - stdin.")
]

Changes: TypeAlias = Annotated[
    bool, typer.Option(help="Look for the leaves without which nothing would be lost.")
]


def plan_conversations(
    file: File = "-",
    source: options.From = "auto",
    to: options.Targets = None,
    changes: Changes = True,
    as_json: options.Json = False,
) -> None:
    """Rank wires by what a conversation would lose on them.

    Each loss is explained. The model is each wire's default unless --to names another. If something
    would be lost, the smallest change that avoids all losses is searched for, and tried before it
    is shown.
    """
    options.known_source(source)
    targets = options.targets(to) or dict.fromkeys(wires())
    entries, many = inputs.read_values(file)
    failed = False
    for entry in entries:
        try:
            result = _plan_entry(entry, source, targets, changes)
        except output.CommandError as error:
            if not many:
                raise
            output.report(str(error), error.code)
            failed = True
            continue
        if as_json:
            routes = [_route_json(route) for route in result.routes]
            change = result.change and result.change.wire
            output.print_json({"place": entry.place, "routes": routes, "change": change}, many)
        else:
            _show(output.Screen(), entry.place, result, changes)
    if failed:
        raise typer.Exit(output.REFUSED)


def _plan_entry(
    entry: inputs.Entry, source: str, targets: dict[str, str | None], changes: bool
) -> Plan:
    models = {name: model for name, model in targets.items() if model}
    with output.errors_at(entry.place):
        if inputs.is_ours(entry.value):
            request = inputs.read_request(entry)
            return plan(request, targets=targets, models=models, changes=changes)
        body = inputs.read_body(entry)
        home = inputs.sender(body, source)
        return plan(body.value, home, targets=targets, models=models, changes=changes)


def _route_json(route: Route) -> JsonObject:
    refused = route.refused
    names = ("wire", "model", "strategy", "lossless", "weight")
    return {
        **{name: getattr(route, name) for name in names},
        "refused": None if refused is None else {"code": refused.code, "error": str(refused)},
        "losses": [loss.to_dict() for loss in route.losses],
        "change": list(route.change) if route.change is not None else None,
    }


def _show(screen: output.Screen, place: str, result: Plan, changes: bool) -> None:
    """Show the routes, those with equal losses together, with losses and smallest changes."""
    free = sum(route.lossless for route in result.routes)
    head = f"{plain(place)} - {free} of {len(result.routes)} routes lose nothing"
    screen.line(head, style="bold")
    for alike in _alike(result.routes):
        route = alike[0]
        style = "green" if route.lossless else "red" if route.refused else "yellow"
        names = style_text("; ").join(_title(alike_route, style) for alike_route in alike)
        screen.print(style_text(names, ": ", (_verdict(route), style)))
        if rows := list(_reasons(route, changes)):
            screen.print(output.grid(rows, "indent", "kind", "fold"))
    if (best := result.change) is not None and not free:
        text = f"The smallest change, for {best.wire}: {_change(best)}"
        screen.print(style_text(text, style="bold"))


def _alike(routes: list[Route]) -> list[list[Route]]:
    """Groups of routes with equal losses and equal smallest changes, in the order of the best."""
    groups: dict[object, list[Route]] = {}
    for route in routes:
        losses = frozenset((loss.code, loss.where) for loss in route.lost)
        change = route.change and frozenset(route.change)
        groups.setdefault((losses, str(route.refused), change), []).append(route)
    return list(groups.values())


def _title(route: Route, style: str) -> output.Text:
    strategy = f", {route.strategy}" if route.strategy != "as it is" else ""
    return style_text((route.wire, f"bold {style}"), f" {plain(route.model)}{strategy}")


def _verdict(route: Route) -> str:
    if route.refused is not None:
        return "cannot be sent"
    if route.lossless:
        count = len(route.losses)
        return f"loses nothing, adds {count}" if count else "loses nothing"
    return f"loses {len(route.lost)}, weight {route.weight}"


def _reasons(route: Route, changes: bool) -> Iterator[tuple[str, output.Text, str]]:
    """The losses, each with its kind first; at last the change that would avoid them."""
    if (error := route.refused) is not None:
        text = f"{error.code}  {error.path or '$'}: {error.message}"
        yield "", style_text("refused", style="red"), plain(text if error.code else text[2:])
    for (kind, code), losses in output.group_losses(route.lost).items():
        places = _first(list(dict.fromkeys(loss.where for loss in losses)))
        yield "", style_text(kind, style=output.COLOURS[kind]), plain(f"{code}  {places}")
    if not route.lossless and changes:
        yield "", style_text("change", style="dim"), plain(_change(route))


def _change(route: Route) -> str:
    if route.change is None:
        return "no small one is found that makes it lossless"
    return plain(f"lossless without {_first(route.change)}")


def _first(paths: Sequence[str]) -> str:
    """The first few paths, and how many more there are."""
    more = f" and {len(paths) - _PLACES} more" if len(paths) > _PLACES else ""
    return ", ".join(paths[:_PLACES]) + more
