"""DropOldest and KeepFirst: leave whole messages out, the least important and oldest first."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

from ...errors import ConfigError
from ...message import Msg
from ...shown import shown
from .figures import first_that_fits, per_unit, running, weights
from .keeping import Keeping, at_least, head, overflow
from .plan import Candidates
from .units import units

__all__ = ["DropOldest", "Dropped", "KeepFirst", "Priority", "without_oldest"]

Priority: TypeAlias = Callable[[Msg], float]


class Dropped(NamedTuple):
    """A history that fits, and the steps that went, each with the indexes of its messages."""

    msgs: list[Msg]
    steps: list[list[int]]


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
        if self.priority is not None and not callable(self.priority):
            raise _no_priority(self.priority)

    def candidates(self, msgs: list[Msg], limit: int) -> Candidates:
        """The longest history that fits, found by estimates that each count makes better."""
        return (yield from self.dropped(msgs, limit)).msgs

    def dropped(self, msgs: list[Msg], limit: int) -> Generator[list[Msg], int, Dropped]:
        """The same, and what went."""
        room = self.room(limit)
        tokens = yield msgs
        if tokens <= room:
            return Dropped(msgs, [])
        groups = units(msgs)
        stays = self.stays(msgs, groups)
        going = [group for group in groups if stays.isdisjoint(group)]
        return (yield from self.shorter(msgs, self.steps(msgs, going), tokens, limit))

    def shorter(
        self, msgs: list[Msg], steps: list[list[int]], tokens: int, limit: int
    ) -> Generator[list[Msg], int, Dropped]:
        """The first of the histories that fits, each without one more of `steps`.

        `tokens` is what all of the messages take.
        """
        limit = self.room(limit)
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
        return Dropped(found.msgs, steps[: found.step])

    def steps(self, msgs: list[Msg], going: list[list[int]], before: int = 0) -> list[list[int]]:
        """What goes together of the units that may go, in the order in which it goes.

        `before`: how many messages of the history stand before these.
        """
        ranks: list[float] = [0] * len(going)
        if (priority := self.priority) is not None:
            ranks = [max(_rank(priority(msgs[i])) for i in group) for group in going]
            order = sorted(range(len(going)), key=ranks.__getitem__)
            going, ranks = [going[i] for i in order], [ranks[i] for i in order]
        if self.step == 1:
            return going
        last = (len(msgs) + before - 1) // self.step  # this step still grows
        steps: list[list[int]] = []
        earlier: tuple[float, int] | None = None
        for rank, group in zip(ranks, going, strict=True):
            at = (rank, (group[0] + before) // self.step)
            if at == earlier and at[1] < last:
                steps[-1] += group
            else:
                steps.append([*group])
            earlier = at
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
        return Keeping.stays(self, msgs, groups).union(range(first, min(first + self.n, len(msgs))))


def _rank(given: Any) -> Any:
    """What a priority said. Raises ConfigError if it is no number."""
    if isinstance(given, Real):
        return given
    raise _no_priority(given)


def _no_priority(given: object) -> ConfigError:
    return ConfigError(
        f"priority must be a function that gives each message a number, not {shown(given)}",
        hint="priority=lambda msg: ..., 0 for all that is like the rest",
        code="truncate.option",
    )


def without_oldest(msgs: list[Msg]) -> list[Msg]:
    """The messages without the oldest unit that may go; the very list if none may."""
    groups = units(msgs)
    stays = Keeping().stays(msgs, groups)
    oldest = next((set(group) for group in groups if stays.isdisjoint(group)), None)
    return msgs if oldest is None else [m for i, m in enumerate(msgs) if i not in oldest]
