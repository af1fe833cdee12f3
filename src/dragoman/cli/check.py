"""`dragoman check`: what a provider would refuse of a body, and what the body would lose.

A body of the target's own wire is checked unchanged; any other is converted first, and the policy
decides about its losses. No provider is called.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field

import typer

from ..analysis.check import Refusal, check
from ..codec.wire import Wire
from ..conversion.convert import convert
from ..errors import WriteError
from ..losses import Loss, Policy
from ..text.json_text import JsonObject
from ..vendors import wire
from . import inputs, options, output
from .output import plain, style_text


@dataclass(slots=True)
class _Verdict:
    """The verdict on one body: `refused` in it or its conversion, `lost` against the policy."""

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
    policy: options.PolicyName = options.LossOptions.refuse,
    refuse: options.Refuse = None,
    allow: options.Allow = None,
    facts: options.Facts = None,
) -> None:
    """Check what a provider would refuse of a request, or not get.

    Exit code 1 if there is anything. A body of that wire is checked unchanged; any other is
    converted first, and losses on the way must be allowed. No provider is called: the rules have
    dates, and name their sources.
    """
    options.known_source(source)
    target = wire(options.check_wire_name(to), facts=options.facts(facts), policy="ignore")
    judge = options.policy(policy, refuse, allow)
    entries, many = inputs.read_values(file)
    fine = True
    for entry in entries:
        try:
            verdict = _judge_body(inputs.read_body(entry), source, target, model, judge)
        except output.CommandError as error:
            if not many:
                raise
            if as_json:
                output.print_json({"place": entry.place, "ok": False, "error": str(error)}, many)
            output.report(str(error), error.code)
            fine = False
            continue
        fine = fine and verdict.fine
        if as_json:
            output.print_json(verdict.to_dict(), many)
        else:
            _show(output.Screen(), verdict, target)
    if not fine:
        raise typer.Exit(output.REFUSED)


def _judge_body(
    body: inputs.Body, source: str, target: Wire, model: str | None, judge: Policy
) -> _Verdict:
    targets_own = source == "auto" and target.room.claims(body.value, body.path)
    home = target if targets_own else inputs.sender(body, source)
    verdict = _Verdict(body.place, home.name)
    with output.errors_at(body.place):
        try:
            if home.room.protocol == target.room.protocol:
                renamed = {"model": model} if model is not None and "model" in body.value else {}
                verdict.refused = check(body.value | renamed, target, model, body.path)
                return verdict
            out = convert(body.value, home, target, model=model, path=body.path, policy="ignore")
        except WriteError as error:
            verdict.error = error
            return verdict
    verdict.lost = [loss for loss in out.losses if judge.refuses(loss)]
    verdict.refused = check(out.body, target, out.model, out.path)
    return verdict


def _show(screen: output.Screen, verdict: _Verdict, target: Wire) -> None:
    place = plain(verdict.place)
    if verdict.fine:
        screen.line(f"{place}: fine for {target.name}")
        return
    refusals = list(verdict.refused)
    if (error := verdict.error) is not None:
        refusals.insert(0, Refusal(error.path, error.message, fix=error.hint, code=error.code))
    counts = [(len(refusals), "refused"), (len(verdict.lost), "lost")]
    summary = ", ".join(f"{count} {name}" for count, name in counts if count)
    screen.line(f"{place} for {target.name} - {summary}", style="bold")
    if refusals:
        screen.print(output.grid(_refusal_rows(refusals), "", "fold"))
    if verdict.lost:
        screen.print(output.loss_table(verdict.lost))


def _refusal_rows(refusals: list[Refusal]) -> Iterator[tuple[output.Text, output.Text]]:
    """For each refusal: its path and code, the rule, the smallest fix, and the rule's source."""
    blank = style_text()
    for refusal in refusals:
        where = plain(refusal.where or "$"), "bold"
        yield style_text("refused", style="red"), style_text(where, (f"  {refusal.code}", "dim"))
        yield blank, style_text(plain(refusal.rule))
        if refusal.fix:
            yield blank, style_text(plain(f"fix: {refusal.fix}"))
        if refusal.source:
            since = f" ({refusal.since})" if refusal.since else ""
            yield blank, style_text(plain(f"rule: {refusal.source}{since}"), style="dim")
