"""`dragoman plan`: where a conversation can go, ranked by what it would lose there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from ..errors import DragomanError
from ..jsontext import JsonObject
from ..study.plan import Plan, Route, plan
from ..vendors import wires
from . import options
from .bodies import Found, body, is_ours, ours, sender, values
from .errors import REFUSED, USAGE, CommandError, report
from .output import COLOURS, console, grouped, json_text, plain, say

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = ["plan_conversations"]

_CHANGES = 4  # leaves that are told one by one

File: TypeAlias = Annotated[
    str,
    typer.Argument(metavar="FILE", help="Requests, or messages of ours; JSON or JSONL; - stdin."),
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
    """Rank the wires that a conversation can go to by what it would lose there, and say why.

    Each is asked for its default model unless --to names another. Where something would be lost,
    the smallest change without which nothing is lost is looked for, and tried before it is told.
    """
    if source != "auto":
        options.known(source)
    targets = options.targets(to) or dict.fromkeys(wires())
    found, many = values(file)
    failed = False
    for one in found:
        try:
            made = _planned(one, source, targets, changes)
        except CommandError as error:
            if not many:
                raise
            report(str(error), error.code)
            failed = True
            continue
        if as_json:
            say(json_text({"place": one.place, **_plain(made)}, many))
        else:
            _show(console(), one.place, made, changes)
    if failed:
        raise typer.Exit(REFUSED)


def _planned(found: Found, source: str, targets: dict[str, str | None], changes: bool) -> Plan:
    models = {name: model for name, model in targets.items() if model}
    try:
        if not isinstance(found.value, CommandError) and is_ours(found.value):
            said = ours(found)
            return plan(said, targets=targets, models=models, changes=changes)
        one = body(found)
        return plan(one.value, sender(one, source), targets=targets, models=models,
                    changes=changes)  # fmt: skip
    except DragomanError as error:
        raise CommandError.of(error, found.place, USAGE) from error


def _plain(made: Plan) -> JsonObject:
    best = made.change
    return {
        "routes": [_route(route) for route in made.routes],
        "change": _route(best)["wire"] if best is not None else None,
    }


def _route(route: Route) -> JsonObject:
    refused = route.refused
    return {
        "wire": route.wire,
        "model": route.model,
        "strategy": route.strategy,
        "lossless": route.lossless,
        "weight": route.weight,
        "refused": None if refused is None else {"code": refused.code, "error": str(refused)},
        "losses": [loss.to_dict() for loss in route.losses],
        "change": list(route.change) if route.change is not None else None,
    }


def _show(screen: Console, place: str, made: Plan, changes: bool) -> None:
    """A line for each route, and below it what it loses and what would have to go."""
    from rich.text import Text

    free = sum(route.lossless for route in made.routes)
    head = f"{plain(place)} - {free} of {len(made.routes)} routes lose nothing"
    screen.print(Text(head, "bold"), soft_wrap=True)
    for route in made.routes:
        style = "green" if route.lossless else "red" if route.refused else "yellow"
        strategy = f", {route.strategy}" if route.strategy != "as it is" else ""
        screen.print(Text.assemble(
            (route.wire, f"bold {style}"), f"  {plain(route.model)}{strategy}  ", _verdict(route)
        ))  # fmt: skip
        for line in _reasons(route, changes):
            screen.print(line)
    best = made.change
    if best is not None and not free:
        screen.print(Text(f"The cheapest change: {_change(best)} ({best.wire})", "bold"))


def _verdict(route: Route) -> Text:
    from rich.text import Text

    if route.refused is not None:
        return Text("cannot be sent", "red")
    if route.lossless:
        count = len(route.losses)
        return Text(f"loses nothing, adds {count}" if count else "loses nothing", "green")
    return Text(f"loses {len(route.lost)}, weight {route.weight}", "yellow")


def _reasons(route: Route, changes: bool) -> list[Text]:
    from rich.text import Text

    made = []
    if (error := route.refused) is not None:
        made.append(Text(plain(f"  {error.code}: {error.message} at {error.path}")))
    for (kind, code), losses in grouped(route.lost).items():
        where = dict.fromkeys(loss.where for loss in losses)
        said = ", ".join([*where][:3]) + (f" and {len(where) - 3} more" if len(where) > 3 else "")
        made.append(Text.assemble("  ", (kind, COLOURS[kind]), f" {code}  {plain(said)}"))
    if not route.lossless and changes:
        made.append(Text(f"  {_change(route)}", "dim"))
    return made


def _change(route: Route) -> str:
    if route.change is None:
        return "no small change makes it lossless"
    cuts = route.change
    said = ", ".join(cuts[:_CHANGES])
    more = f" and {len(cuts) - _CHANGES} more" if len(cuts) > _CHANGES else ""
    return plain(f"lossless without {said}{more}")
