"""DropOldest and KeepFirst: leave whole messages out, the least important and oldest first."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

from ..._old_names import keeps_old_names
from ...errors import ConfigError
from ...message import Msg
from ...text.redaction import show
from . import plan as cutting
from .plan import Candidates, Keeping
from .search import first_that_fits, per_unit, running, weights

Priority: TypeAlias = Callable[[Msg], float]


class Dropped(NamedTuple):
    """A history that fits, and the steps that went, each with the indexes of its messages."""

    msgs: list[Msg]
    steps: list[list[int]]


@keeps_old_names
@dataclass(frozen=True, slots=True, kw_only=True)
class DropOldest(Keeping):
    """Leave out the oldest messages until the rest fits (first in, first out).

    The system prompt, the latest user message, the last turn and what is pinned stay; a call goes
    with its results. The given list comes back itself if it fits.

    Args:
        pin: Further messages that stay: a predicate, or ids as `Msg.id` and receipts have them.
        reserve: How many of the tokens stay free for the answer.
        priority: Gives a number for a message: the lowest go first, a unit by its highest; None
            gives 0 for all.
        step: Cut only at every so many messages of the history. A history that grows then keeps
            the same beginning, and with it the prompt cache, for some turns before the next cut.
            Only where that would take everything the last messages go one by one.

    Raises:
        ConfigError: A value is of the wrong type or too small.
    """

    priority: Priority | None = None
    step: int = 1

    def __post_init__(self) -> None:
        Keeping.__post_init__(self)
        cutting.at_least(1, self, "step")
        if self.priority is not None and not callable(self.priority):
            raise _no_priority(self.priority)

    def candidates(self, msgs: list[Msg], limit: int) -> Candidates:
        """Find the longest history that fits, by estimates that each count makes better.

        Args:
            msgs: The whole history.
            limit: The most tokens that history and reserve may take.

        Yields:
            A candidate, for which the token count is sent back.

        Returns:
            The history that fits.

        Raises:
            ContextOverflow: What must stay does not fit.
        """
        return (yield from self.plan_cut(msgs, limit)).msgs

    def plan_cut(self, msgs: list[Msg], limit: int) -> Generator[list[Msg], int, Dropped]:
        """Find the longest history that fits, with the steps that went.

        Args:
            msgs: The whole history.
            limit: The most tokens that history and reserve may take.

        Yields:
            A candidate, for which the token count is sent back.

        Returns:
            The history that fits, and the steps that are not in it.

        Raises:
            ContextOverflow: What must stay does not fit.
        """
        available = self.room(limit)
        tokens = yield msgs
        if tokens <= available:
            return Dropped(msgs, [])
        groups = cutting.units(msgs)
        stays = self.stays(msgs, groups)
        may_go = [group for group in groups if stays.isdisjoint(group)]
        return (yield from self.shorter(msgs, self.steps(msgs, may_go), tokens, limit))

    def shorter(
        self, msgs: list[Msg], steps: list[list[int]], tokens: int, limit: int
    ) -> Generator[list[Msg], int, Dropped]:
        """Find the first history that fits among those that each lack one more step.

        Args:
            msgs: The whole history.
            steps: What may go, in the order in which it goes, each the indexes of its messages.
            tokens: The tokens of all messages.
            limit: The most tokens that history and reserve may take.

        Yields:
            A candidate, for which the token count is sent back.

        Returns:
            The history that fits, and the steps that are not in it.

        Raises:
            ContextOverflow: The history does not fit without all of the steps either.
        """
        limit = self.room(limit)
        if not steps:
            raise cutting.overflow(tokens, limit, msgs)
        goes = [len(steps) + 1] * len(msgs)  # with which step each message goes
        for n, step in enumerate(steps, 1):
            for i in step:
                goes[i] = n
        each = weights(msgs, tokens)
        exact = each is getattr(tokens, "each", None)
        freed = [each[step[0]] if len(step) == 1 else sum(each[i] for i in step) for step in steps]
        rate = None if exact else per_unit(tokens, sum(each))

        def without(n: int) -> list[Msg]:
            return [m for m, step in zip(msgs, goes, strict=True) if step > n]

        result = yield from first_that_fits(without, running(freed), tokens, limit, rate)
        if result.step is None:
            raise cutting.overflow(result.tokens, limit, result.msgs)
        return Dropped(result.msgs, steps[: result.step])

    def steps(self, msgs: list[Msg], may_go: list[list[int]], before: int = 0) -> list[list[int]]:
        """Group the units that may go into steps, in the order in which they go.

        Args:
            msgs: The history, or its end.
            may_go: The units that may go, each the indexes of its messages.
            before: How many messages of the history come before `msgs`.

        Returns:
            The steps, each the indexes of the messages that go at once.

        Raises:
            ConfigError: `priority` gave something else than a number.
        """
        ranks: list[float] = [0] * len(may_go)
        if (priority := self.priority) is not None:
            ranks = [max(_rank(priority(msgs[i])) for i in group) for group in may_go]
            order = sorted(range(len(may_go)), key=ranks.__getitem__)
            may_go, ranks = [may_go[i] for i in order], [ranks[i] for i in order]
        if self.step == 1:
            return may_go
        last = (len(msgs) + before - 1) // self.step  # this step still grows
        steps: list[list[int]] = []
        earlier: tuple[float, int] | None = None
        for rank, group in zip(ranks, may_go, strict=True):
            at = (rank, (group[0] + before) // self.step)
            if at == earlier and at[1] < last:
                steps[-1] += group
            else:
                steps.append([*group])
            earlier = at
        return steps


@dataclass(frozen=True, slots=True)
class KeepFirst(DropOldest):
    """Leave out the oldest messages as DropOldest does, but for the first ones.

    These hold the task, or examples; what goes is between them and the newest messages.

    Args:
        n: How many messages stay after the system prompt.
        pin: Further messages that stay: a predicate, or ids as `Msg.id` and receipts have them.
        reserve: How many of the tokens stay free for the answer.
        priority: Gives a number for a message: the lowest go first; None gives 0 for all.
        step: Cut only at every so many messages of the history.

    Raises:
        ConfigError: A value is of the wrong type or too small.
    """

    n: int

    def __post_init__(self) -> None:
        DropOldest.__post_init__(self)
        cutting.at_least(0, self, "n")

    def stays(self, msgs: Sequence[Msg], groups: Sequence[Sequence[int]]) -> set[int]:
        """Find the messages that must stay, the first ones among them.

        Args:
            msgs: The history.
            groups: Its units, as `units` returns them.

        Returns:
            The indexes of these messages.
        """
        first = cutting.head(msgs)
        return Keeping.stays(self, msgs, groups).union(range(first, min(first + self.n, len(msgs))))


def _rank(given: Any) -> Any:
    """The rank that a priority gave. Raises ConfigError if it is no number."""
    if isinstance(given, Real):
        return given
    raise _no_priority(given)


def _no_priority(given: object) -> ConfigError:
    text = f"priority must be a function that gives each message a number, not {show(given)}"
    hint = "priority=lambda msg: ..., 0 for all that is like the rest"
    return ConfigError(text, hint=hint, code="truncate.option")


def without_oldest(msgs: list[Msg]) -> list[Msg]:
    """Leave out the oldest unit that may go.

    Args:
        msgs: The history.

    Returns:
        The messages without it; the very list if none may go.
    """
    groups = cutting.units(msgs)
    stays = Keeping().stays(msgs, groups)
    oldest = next((set(group) for group in groups if stays.isdisjoint(group)), None)
    return msgs if oldest is None else [m for i, m in enumerate(msgs) if i not in oldest]
