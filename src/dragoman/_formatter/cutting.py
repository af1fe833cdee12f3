"""Cutting: a strategy's candidates are formatted, counted and answered until one is chosen.

Also what a cut says of itself in a report. Knows no wire; what is formatted comes in as a function.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any, TypeAlias

from ..errors import ConfigError, ContextOverflow
from ..jsontext import JsonObject
from ..losses import Report
from ..message import Msg
from ..rewrite.truncate import Asked, Cut, Truncation, left_out, replaced
from .tally import Tally

__all__ = ["CUT", "Choice", "by_hook", "choose", "name_cut", "within"]

Said: TypeAlias = Callable[[list[Msg], Report], Awaitable[list[JsonObject]]]
Shorten: TypeAlias = Callable[[list[Msg]], Awaitable[list[Msg]]]
CUT = "the cut to the token budget"


@dataclass(slots=True)
class Choice:
    """What was chosen of a history; the tokens of both as far as somebody counted them."""

    msgs: list[Msg]
    before: float | None = None  # whole numbers, unless the counter lies
    after: float | None = None


async def choose(
    strategy: Truncation, msgs: list[Msg], limit: int, report: Report, said: Said, counted: Tally
) -> Choice:
    """Ask a strategy for candidates until it has chosen one. `counted` gives None for no counter.

    Raises ContextOverflow, also for a strategy that leaves nothing.
    """
    plan = strategy.candidates(msgs, limit)
    choice = Choice(msgs)
    last: list[Msg] = []
    tokens: Any = 0
    try:
        wanted = next(plan)
        while True:
            if isinstance(wanted, Asked):
                answer: Any = wanted.call(wanted.msgs)
                answer = await answer if isawaitable(answer) else answer
                wanted = plan.send(answer)
                continue
            last, trial = wanted, report.trial()
            _remember(last, trial)
            touch(msgs, last, trial)
            tokens = _figure(await counted(await said(last, trial), len(last)))
            if tokens is None:  # nobody counts, so nothing is cut
                return choice
            if choice.before is None and _same(last, msgs):
                choice.before = tokens
            wanted = plan.send(tokens)
    except StopIteration as done:
        choice.msgs = done.value
    if msgs and not choice.msgs:
        raise ContextOverflow(tokens, limit, 0)
    if _same(choice.msgs, last):
        choice.after = tokens
    return choice


async def by_hook(
    shorten: Shorten, msgs: list[Msg], limit: int, report: Report, said: Said, counted: Tally
) -> Choice:
    """Let a hook take messages away until the rest fits. Raises ContextOverflow if it cannot."""
    choice = Choice(msgs)
    before = None  # the tokens of a list of the same length, which may yet say less
    while True:
        tokens = _figure(await counted(await said(msgs, report.trial()), len(msgs)))
        if tokens is None:
            return choice
        choice.before = tokens if choice.before is None else choice.before
        if tokens <= limit:
            choice.msgs, choice.after = msgs, tokens
            return choice
        if before is not None and tokens >= before:
            raise ContextOverflow(tokens, limit, len(msgs))
        shorter = await shorten(list(msgs))
        if not shorter or len(shorter) > len(msgs):
            raise ContextOverflow(tokens, limit, len(msgs))
        before = tokens if len(shorter) == len(msgs) else None
        msgs = shorter


def _figure(tokens: object) -> Any:
    """What a counter said. Raises ConfigError if it is no number."""
    if tokens is None or isinstance(tokens, (int, float)):
        return tokens
    raise ConfigError(
        f"a token counter must give a number, not {type(tokens).__name__}", code="token.figure"
    )


def name_cut(msgs: list[Msg], chosen: list[Msg], report: Report) -> None:
    """Name what was not chosen, and what stands in its place."""
    if chosen is msgs:
        return
    made = replaced(chosen)
    how = {id(m): one.how for one in made for m in one.of}
    gone = [msgs[i] for i in left_out(msgs, chosen)]
    if cut := [(m, "", "") for m in gone if id(m) not in how]:
        report.each("history.cut", cut)
    if told := [(m, "", "") for m in gone if how.get(id(m)) == "summary"]:
        report.each("history.told", told)
    _remember(chosen, report)
    for one in made:
        if one.how == "summary":
            report.lost("history.summary", one.msg, did=f"said by the {one.msg.role}")
            continue
        for new, old in zip(one.msg.blocks, one.of[0].blocks, strict=False):
            if new is not old:
                report.made(new, old)
                report.lost("history.cleared", old, "output", getattr(old, "name", ""))
    touch(msgs, chosen, report)


def within(msgs: list[Msg], whole: list[Msg], chosen: list[Msg]) -> list[Msg]:
    """What was chosen without the system prompt that stands before `msgs` in the whole.

    The very list if nothing was cut.
    """
    if chosen is whole:
        return msgs
    before = set(map(id, whole[: len(whole) - len(msgs)]))
    return Cut((m for m in chosen if id(m) not in before), getattr(chosen, "made", ()))


def touch(msgs: list[Msg], chosen: list[Msg], report: Report) -> None:
    """Tell from which message on another history is said than the one that was given."""
    if chosen is not msgs:
        first = next((new for new, old in zip(chosen, msgs, strict=False) if new is not old), None)
        if first is not None:
            report.touched(CUT, first)


def _remember(chosen: list[Msg], report: Report) -> None:
    for one in replaced(chosen):
        report.made(one.msg, list(one.of))


def _same(one: list[Msg], other: list[Msg]) -> bool:
    if one is other:
        return True
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))
