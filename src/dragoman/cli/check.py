"""`dragoman check`: what a provider would refuse of a body, and what it would not get of it.

A body of the target's own wire is checked as it stands; any other is converted first, and what it
loses is judged by the policy. Puts together what the library offers, and asks no provider.
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
from .inputs import Body, Found, body, sender, values
from .options import Losses
from .output import REFUSED, USAGE, CommandError, console, json_text, loss_table, plain, report, say

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


_QUIET = policy_of("ignore")


@dataclass(slots=True)
class _Verdict:
    """What is said of one body: `refused` in it or in what it becomes, `lost` beyond the policy."""

    place: str
    source: str
    refused: list[Refusal] = field(default_factory=list)
    lost: list[Loss] = field(default_factory=list)
    error: WriteError | None = None

    @property
    def fine(self) -> bool:
        return not (self.refused or self.lost or self.error)


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
    if source != "auto":
        options.known(source)
    target = wire(options.known(to), facts=options.facts(facts), policy="ignore")
    judge = options.policy(policy, refuse, allow)
    found, many = values(file)
    code = 0
    for one in found:
        code = max(code, _told(one, source, target, model, judge, as_json, many))
    if code:
        raise typer.Exit(REFUSED)


def _told(
    found: Found, source: str, target: Wire, model: str | None, judge: Policy, as_json: bool,
    many: bool,
) -> int:  # fmt: skip
    """Print the verdict on one body; the exit code. One of many that is broken is told of."""
    try:
        verdict = _judged(body(found), source, target, model, judge)
    except CommandError as error:
        if not many:
            raise
        if as_json:
            say(json_text({"place": found.place, "ok": False, "error": str(error)}, many))
        return report(str(error), error.code)
    if as_json:
        say(json_text(_plain(verdict), many))
    else:
        _show(console(), verdict, target)
    return 0 if verdict.fine else REFUSED


def _judged(one: Body, source: str, target: Wire, model: str | None, judge: Policy) -> _Verdict:
    if source == "auto" and target.room.claims(one.value, one.path):
        home = target
    else:
        home = sender(one, source)
    verdict = _Verdict(one.place, home.name)
    try:
        if home.room.protocol == target.room.protocol:
            named = model is not None and "model" in one.value
            asked = {**one.value, "model": model} if named else one.value
            verdict.refused = check(asked, target, model, one.path)
            return verdict
        out = convert(one.value, home, target, model=model, path=one.path, policy=_QUIET)
    except WriteError as error:
        verdict.error = error
    except DragomanError as error:
        raise CommandError.of(error, one.place, USAGE) from error
    else:
        verdict.lost = [loss for loss in out.losses if judge.refuses(loss)]
        verdict.refused = check(out.body, target, out.model, out.path)
    return verdict


def _plain(verdict: _Verdict) -> JsonObject:
    made: JsonObject = {
        "place": verdict.place,
        "ok": verdict.fine,
        "from": verdict.source,
        "refused": [asdict(one) for one in verdict.refused],
        "lost": [loss.to_dict() | {"fix": loss.fix} for loss in verdict.lost],
    }
    if verdict.error is not None:
        made["error"] = str(verdict.error)
    return made


def _show(screen: Console, verdict: _Verdict, target: Wire) -> None:
    place = plain(verdict.place)
    if verdict.fine:
        screen.print(f"{place}: fine for {target.name}", soft_wrap=True)
        return
    counts = [(len(verdict.refused) + (verdict.error is not None), "refused"),
              (len(verdict.lost), "lost")]  # fmt: skip
    said = ", ".join(f"{count} {word}" for count, word in counts if count)
    screen.print(f"{place} for {target.name} - {said}", style="bold", soft_wrap=True)
    if verdict.error is not None or verdict.refused:
        screen.print(_refusals(verdict))
    if verdict.lost:
        screen.print(loss_table(verdict.lost))


def _refusals(verdict: _Verdict) -> Table:
    """A row for each place: the rule, where it is written down, and the smallest fix."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    rows = list(verdict.refused)
    if (error := verdict.error) is not None:
        rows.insert(0, Refusal(error.path, error.message, fix=error.hint, code=error.code))
    for one in rows:
        title = Text(plain(one.where or "$"), "bold").append(f"  {one.code}", "not bold dim")
        table.add_row(Text("refused", "red"), title)
        table.add_row("", Text(plain(one.rule)))
        if one.fix:
            table.add_row("", Text(plain(f"fix: {one.fix}")))
        if one.source:
            since = f" ({one.since})" if one.since else ""
            table.add_row("", Text(plain(f"rule: {one.source}{since}"), "dim"))
    return table
