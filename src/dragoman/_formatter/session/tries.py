"""Tries: the candidates of a strategy, each written and counted as far as it is new."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ...jsontext import JsonObject
from ...losses import Report
from ...message import Msg
from ...rewrite.truncate import Counted
from ..asking import Asking
from ..tally import Tally
from .growing import Growing, Said
from .settled import Settled

__all__ = ["Tries"]

Of: TypeAlias = Callable[[list[Msg], Asking], Growing]


class Tries:
    """What the strategy of one call tries: written and counted as far as it is new."""

    def __init__(self, of: Of, formatter: Asking) -> None:
        self.of, self.formatter = of, formatter
        self.manner = formatter.manner.once()
        self.last = Said([], [], Settled(), "")

    async def said(self, msgs: list[Msg], report: Report) -> list[JsonObject]:
        """A candidate as the formatter writes it."""
        history = self.of(msgs, self.formatter)
        self.last = history.said(msgs, report, self.manner)
        return self.last.elements

    def tally(self, tools: list[JsonObject] | None, sync: bool) -> Tally:
        """What counts the candidates with a counter that decomposes."""
        counter = self.formatter._counting()
        overhead = counter.overhead(tools)

        async def counted(written: list[JsonObject], messages: int) -> int:
            held = self.last.held
            known = len(held.counts)
            new = written[known:]
            made = counter.count_each_sync(new) if sync else await counter.count_each(new)
            settled = made[: len(held.elements) - known]
            held.counts += settled
            held.tokens += sum(settled)
            made = made[len(settled) :]
            tokens = max(0, overhead + held.tokens + sum(made))
            each = [*held.counts, *made]
            return Counted(tokens, each) if len(each) == messages else tokens

        return counted
