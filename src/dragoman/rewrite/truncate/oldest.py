"""DropOldest and KeepFirst: leave whole messages out, the least important and oldest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ...message import Msg
from .figures import first_that_fits, per_unit, running, weights
from .keeping import Keeping, at_least, head, overflow
from .plan import Candidates
from .units import units

__all__ = ["DropOldest", "KeepFirst", "Priority", "without_oldest"]

Priority: TypeAlias = Callable[[Msg], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class DropOldest(Keeping):
    """Leave out the oldest messages until the rest fits (first in, first out).

    The system prompt, the latest user message, the last turn and what is pinned stay; a call goes
    with its results. The given list comes back itself if it fits. `priority` gives a number for a
    message: the lowest go first, 0 for all if there is none; a unit counts as its highest.

    `step` spares the prompt cache: cuts stand only at every so many messages of the history, so a
    history that grows keeps the same beginning for some turns before the next cut. Only where that
    would take everything the last messages go one by one.
    """

    priority: Priority | None = None
    step: int = 1

    def __post_init__(self) -> None:
        Keeping.__post_init__(self)
        at_least(1, self, "step")

    def candidates(self, msgs: list[Msg], limit: int) -> Candidates:
        """The longest history that fits, found by estimates that each count makes better."""
        limit = self.room(limit)
        tokens = yield msgs
        if tokens <= limit:
            return msgs
        groups = units(msgs)
        steps = self._steps(msgs, groups, self.stays(msgs, groups))
        if not steps:
            raise overflow(tokens, limit, msgs)
        goes = [len(steps) + 1] * len(msgs)  # with which step each message goes
        for n, step in enumerate(steps, 1):
            for i in step:
                goes[i] = n
        each = weights(msgs, tokens)
        told = each is getattr(tokens, "each", None)
        found = yield from first_that_fits(
            lambda n: [m for m, at in zip(msgs, goes, strict=True) if at > n],
            running(
                [each[step[0]] if len(step) == 1 else sum(each[i] for i in step) for step in steps]
            ),
            tokens,
            limit,
            None if told else per_unit(tokens, sum(each)),
        )
        if found.step is None:
            raise overflow(found.tokens, limit, found.msgs)
        return found.msgs

    def stays(self, msgs: Sequence[Msg], groups: Sequence[Sequence[int]]) -> set[int]:
        """The indexes of what must stay; a unit that holds one of them stays whole."""
        return Keeping.stays(self, msgs, groups)

    def _steps(self, msgs: list[Msg], groups: list[list[int]], stays: set[int]) -> list[list[int]]:
        """What goes together, in the order in which it goes."""
        going = [group for group in groups if stays.isdisjoint(group)]
        ranks: list[float] = [0] * len(going)
        if (priority := self.priority) is not None:
            ranks = [max(priority(msgs[i]) for i in group) for group in going]
            order = sorted(range(len(going)), key=ranks.__getitem__)
            going, ranks = [going[i] for i in order], [ranks[i] for i in order]
        if self.step == 1:
            return going
        last = (len(msgs) - 1) // self.step  # this step still grows
        steps: list[list[int]] = []
        before: tuple[float, int] | None = None
        for rank, group in zip(ranks, going, strict=True):
            at = (rank, group[0] // self.step)
            if at == before and at[1] < last:
                steps[-1] += group
            else:
                steps.append([*group])
            before = at
        return steps


@dataclass(frozen=True, slots=True)
class KeepFirst(DropOldest):
    """Like DropOldest, but the first `n` messages behind the system prompt stay as well.

    They hold the task, or examples; what goes is between them and the newest messages.
    """

    n: int

    def __post_init__(self) -> None:
        DropOldest.__post_init__(self)
        at_least(0, self, "n")

    def stays(self, msgs: Sequence[Msg], groups: Sequence[Sequence[int]]) -> set[int]:
        """The indexes of what must stay, the first messages among them."""
        first = head(msgs)
        return DropOldest.stays(self, msgs, groups).union(
            range(first, min(first + self.n, len(msgs)))
        )


def without_oldest(msgs: list[Msg]) -> list[Msg]:
    """The messages without the oldest unit that may go; the very list if none may."""
    groups = units(msgs)
    stays = Keeping().stays(msgs, groups)
    oldest = next((set(group) for group in groups if stays.isdisjoint(group)), None)
    return msgs if oldest is None else [m for i, m in enumerate(msgs) if i not in oldest]
