"""Onward: DropOldest over a history that grows at its end, from the last cut on.

It returns what the strategy returns for the whole history, as long as nothing before the cut has
changed. To be sure of it, the next longer history is counted as well, and must not fit. Where a
longer history can take fewer tokens than a shorter one, there are several answers, and this may be
another than the strategy finds. Knows no wire.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeGuard

from ...message import Msg, ToolResultBlock, ToolUseBlock
from ...message.blocks import ToolBlock
from .plan import Candidates, has_results, latest, latest_summary, read_pair_id, units
from .strategies import DropOldest, Dropped, KeepFirst


@dataclass(slots=True)
class _Cut:
    """A cut: every unit before `end` went but for `kept`, and none after it."""

    end: int
    kept: list[int]
    last: list[int]  # what went last
    size: int  # messages there were
    asked: bool  # the latest question comes before it
    pinned: set[int]
    growing: int | None  # the cut is within this step, to which more messages may come


class Onward:
    """A strategy that remembers its last cut: for one conversation, and not for two threads.

    The caller must call `forget` when a message that it has seen was replaced, or when the same
    messages may take other tokens than before.
    """

    def __init__(self, strategy: DropOldest) -> None:
        self.strategy = strategy
        self._cut: _Cut | None = None

    @staticmethod
    def knows(strategy: object) -> TypeGuard[DropOldest]:
        """Whether it supports this strategy: one that drops in order, without pins and priority."""
        kind = type(strategy)
        plain = kind is DropOldest or kind is KeepFirst
        return plain and strategy.priority is None and strategy.pin == frozenset()  # type: ignore[attr-defined]  # one of the two

    def forget(self) -> None:
        """Look at the whole history again."""
        self._cut = None

    def candidates(self, msgs: list[Msg], limit: int) -> Candidates:
        """The candidates of the strategy, those that are known not to fit left out."""
        cut, self._cut = self._cut, None
        if cut is not None and self._holds(cut, msgs):
            longer = sorted([*cut.kept, *cut.last])
            tokens = yield _with(msgs, longer, cut.end)
            if not tokens <= self.strategy.room(limit):
                return (yield from self._further(cut, msgs, limit))
        result = yield from self.strategy.plan_cut(msgs, limit)
        if result.steps:
            self._remember(msgs, result.steps, None)
        return result.msgs

    def _holds(self, cut: _Cut, msgs: list[Msg]) -> bool:
        """Whether what the cut took would still be what goes first."""
        if len(msgs) < cut.size or cut.growing not in (None, self._last(msgs)):
            return False  # a step that is whole by now goes or stays as one
        new = msgs[cut.size :]
        if cut.asked and latest(new) is not None:
            return False  # the question that stayed may go
        if latest_summary(new) is not None:
            return False  # and so may the summary that stayed
        if not _answered_at_once(new, _waiting(msgs, cut.size)):
            return False  # a late result joins all messages between into one unit
        return self.strategy.find_pinned(msgs[: cut.end]) == cut.pinned

    def _last(self, msgs: list[Msg]) -> int:
        """The number of the step that still grows."""
        return (len(msgs) - 1) // self.strategy.step

    def _further(self, cut: _Cut, msgs: list[Msg], limit: int) -> Candidates:
        """The history with the same cut, or the next that fits."""
        same = _with(msgs, cut.kept, cut.end)
        tokens = yield same
        if tokens <= self.strategy.room(limit):
            cut.size = len(msgs)
            self._cut = cut
            return same
        others, shift = msgs[cut.end :], cut.end - len(cut.kept)
        groups = units(others)
        stays = self.strategy.newest(others, groups)
        going = [group for group in groups if stays.isdisjoint(group)]
        steps = self.strategy.steps(others, going, cut.end)
        here = [[i + len(cut.kept) for i in step] for step in steps]
        result: Dropped = yield from self.strategy.shorter(same, here, tokens, limit)
        self._remember(msgs, [[i + shift for i in step] for step in result.steps], cut)
        return result.msgs

    def _remember(self, msgs: list[Msg], steps: list[list[int]], cut: _Cut | None) -> None:
        """Remember the cut after these steps, which follow an earlier cut."""
        end = max(chain.from_iterable(steps)) + 1
        each, last = self.strategy.step, self._last(msgs)
        number = steps[-1][0] // each
        if each > 1 and number < last and end // each == number:
            return  # messages of that step which stayed go with it as soon as they may
        missing = {*chain.from_iterable(steps)}
        start, remaining = (cut.end, cut.kept) if cut is not None else (0, [])
        self._cut = _Cut(
            end,
            [*remaining, *(i for i in range(start, end) if i not in missing)],
            steps[-1],
            len(msgs),
            latest(msgs[end:]) is None,
            self.strategy.find_pinned(msgs[:end]),
            last if each > 1 and number >= last else None,
        )


def _with(msgs: list[Msg], first: Sequence[int], end: int) -> list[Msg]:
    """The messages of `first`, and all from `end` on; the very list if that is all of them."""
    return msgs if len(first) == end else [*[msgs[i] for i in first], *msgs[end:]]


def _pairs(msgs: Iterable[Msg], kind: type[ToolBlock]) -> list[str]:
    """The ids of the calls, or of the results, in order."""
    blocks = (block for m in msgs if not isinstance(m.content, str) for block in m.content)
    return [pair for block in blocks if (pair := read_pair_id(block, kind)) is not None]


def _answered_at_once(msgs: Iterable[Msg], waiting: Counter[str]) -> bool:
    """Whether each result follows its calls at once; `waiting` are calls before `msgs`."""
    for m in msgs:
        results = Counter(_pairs([m], ToolResultBlock))
        if not results <= waiting:
            return False
        calls = _pairs([m], ToolUseBlock)
        waiting = waiting - results if results and not calls else Counter(calls)
    return True


def _waiting(msgs: Sequence[Msg], size: int) -> Counter[str]:
    """The ids of the last turn's calls, in so many messages, that wait for their results."""
    here: list[str] = []
    for i in range(size - 1, -1, -1):
        if calls := _pairs([msgs[i]], ToolUseBlock):
            return Counter(calls) - Counter(here)
        if not has_results(msgs[i]):
            break
        here += _pairs([msgs[i]], ToolResultBlock)
    return Counter()
