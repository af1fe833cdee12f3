"""`dragoman check`: what a provider would refuse of a body, and what it would not get of it.

A body of the target's own wire is checked as it stands; any other is converted first, and what it
loses is judged by the policy. No provider is asked.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

import typer

from .._core.convert import convert
from .._core.exchange.wire import Wire
from .._core.jsontext import JsonObject
from ..errors import DragomanError, WriteError
from ..losses import Loss, Policy
from ..losses import policy as policy_of
from ..study.check import Refusal, check
from ..vendors import wire
from . import options
from .inputs import Body, Entry, body_of, read_values, sender
from .options import Losses
from .output import (
    REFUSED,
    USAGE,
    CommandError,
    console,
    grid,
    json_text,
    loss_table,
    plain,
    print_text,
    report,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_QUIET = policy_of("ignore")


@dataclass(slots=True)
class _Verdict:
    """The verdict on one body: `refused` in it or in what it becomes, `lost` against the policy."""

    place: str
    source: str
    refused: list[Refusal] = field(default_factory=list)
    lost: list[Loss] = field(default_factory=list)
    error: WriteError | None = None

    @property
    def fine(self) -> bool:
        return not (self.refused or self.lost or self.error)

    def to_dict(self) -> JsonObject:
        data: JsonObject = {
            "place": self.place,
            "ok": self.fine,
            "from": self.source,
            "refused": [asdict(refusal) for refusal in self.refused],
            "lost": [loss.to_dict() | {"fix": loss.fix} for loss in self.lost],
        }
        if self.error is not None:
            data["error"] = str(self.error)
        return data


def check_bodies(
    to: options.To,
    file: options.Bodies = "-",
    source: options.From = "auto",
    model: options.Model = None,
    as_json: options.Json = False,
    policy: options.PolicyName = Losses.refuse,
    refuse: options.Refuse = None,
    allow: options.Allow = None,
    facts: options.Facts = None,
) -> None:
    """Check whether a provider would refuse a request, or not get all of it; exit code 1 if so.

    A body of that wire is checked as it stands; any other as it would be converted, and what is
    lost on the way must be allowed. Nobody is asked: the rules are dated, and name their source.
    """
    options.known_source(source)
    target = wire(options.known(to), facts=options.facts(facts), policy="ignore")
    judge = options.policy(policy, refuse, allow)
    entries, many = read_values(file)
    fine = [_checked(entry, source, target, model, judge, as_json, many) for entry in entries]
    if not all(fine):
        raise typer.Exit(REFUSED)


def _checked(
    entry: Entry, source: str, target: Wire, model: str | None, judge: Policy, as_json: bool,
    many: bool,
) -> bool:  # fmt: skip
    """Print the verdict on one body, or why it is none if it is one of many; whether it is fine."""
    try:
        verdict = _judged(body_of(entry), source, target, model, judge)
    except CommandError as error:
        if not many:
            raise
        if as_json:
            print_text(json_text({"place": entry.place, "ok": False, "error": str(error)}, many))
        report(str(error), error.code)
        return False
    if as_json:
        print_text(json_text(verdict.to_dict(), many))
    else:
        _show(console(), verdict, target)
    return verdict.fine


def _judged(
    body: Body, source: str, target: Wire, model: str | None, judge: Policy
) -> _Verdict:  # fmt: skip
    targets_own = source == "auto" and target.room.claims(body.value, body.path)
    home = target if targets_own else sender(body, source)
    verdict = _Verdict(body.place, home.name)
    try:
        if home.room.protocol == target.room.protocol:
            value = body.value
            if model is not None and "model" in value:
                value = {**value, "model": model}
            verdict.refused = check(value, target, model, body.path)
            return verdict
        out = convert(body.value, home, target, model=model, path=body.path, policy=_QUIET)
    except WriteError as error:
        verdict.error = error
    except DragomanError as error:
        raise CommandError.of(error, body.place, USAGE) from error
    else:
        verdict.lost = [loss for loss in out.losses if judge.refuses(loss)]
        verdict.refused = check(out.body, target, out.model, out.path)
    return verdict


def _show(screen: Console, verdict: _Verdict, target: Wire) -> None:
    place = plain(verdict.place)
    if verdict.fine:
        screen.print(f"{place}: fine for {target.name}", soft_wrap=True)
        return
    refusals = list(verdict.refused)
    if (error := verdict.error) is not None:
        refusals.insert(0, Refusal(error.path, error.message, fix=error.hint, code=error.code))
    counts = [(len(refusals), "refused"), (len(verdict.lost), "lost")]
    summary = ", ".join(f"{count} {name}" for count, name in counts if count)
    screen.print(f"{place} for {target.name} - {summary}", style="bold", soft_wrap=True)
    if refusals:
        screen.print(_refusal_table(refusals))
    if verdict.lost:
        screen.print(loss_table(verdict.lost))


def _refusal_table(refusals: list[Refusal]) -> Table:
    """A row for each place: the rule, where it is written down, and the smallest fix."""
    from rich.text import Text

    table = grid("", "fold")
    for refusal in refusals:
        title = Text(plain(refusal.where or "$"), "bold").append(
            f"  {refusal.code}", "not bold dim"
        )
        table.add_row(Text("refused", "red"), title)
        table.add_row("", Text(plain(refusal.rule)))
        if refusal.fix:
            table.add_row("", Text(plain(f"fix: {refusal.fix}")))
        if refusal.source:
            since = f" ({refusal.since})" if refusal.since else ""
            table.add_row("", Text(plain(f"rule: {refusal.source}{since}"), "dim"))
    return table
