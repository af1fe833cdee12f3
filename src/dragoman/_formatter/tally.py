"""Tallies: what the candidates of one cut take, each message counted once where that can be.

Knows counters and formatted messages, no strategy and no wire.
"""

from __future__ import annotations

from typing import Any, Protocol

from ..jsontext import JsonObject
from ..rewrite.truncate import Counted
from ..token.base import counts_sync, figure
from ..token.cached import CachedTokenCounter, cached

__all__ = ["BySums", "Tally", "Whole", "remembering"]


class Tally(Protocol):
    """Counts formatted messages that say so many messages; None if there is no counter."""

    async def __call__(self, written: list[JsonObject], messages: int) -> Any:
        """The tokens, tool schemas included."""
        ...


class BySums:
    """A tally of a counter that decomposes.

    What a candidate has in common with the first one, the whole, is not counted again.
    """

    __slots__ = ("_counter", "_each", "_sync", "_tools", "_whole")

    def __init__(
        self, counter: CachedTokenCounter, tools: list[JsonObject] | None, sync: bool
    ) -> None:
        self._counter = counter
        self._tools = tools
        self._sync = sync
        self._whole: list[JsonObject] = []
        self._each: list[int] = []

    async def __call__(self, written: list[JsonObject], messages: int) -> int:
        """The tokens, and those of each message where they are as many as the formatted ones."""
        whole = self._whole
        if not whole:
            self._whole = written
            self._each = each = await self._counted(written)
        elif len(written) == len(whole):
            each = [*self._each]
            new = [i for i, m in enumerate(written) if m != whole[i]]
            for i, tokens in zip(new, await self._counted([written[i] for i in new]), strict=True):
                each[i] = tokens
        else:
            head, tail = _common(whole, written)
            made = await self._counted(written[head : len(written) - tail])
            each = [*self._each[:head], *made, *self._each[len(whole) - tail :]]
        total = max(0, self._counter.overhead(self._tools) + sum(each))
        return Counted(total, each) if len(each) == messages else total

    async def _counted(self, written: list[JsonObject]) -> list[int]:
        counter = self._counter
        return counter.count_each_sync(written) if self._sync else await counter.count_each(written)


class Whole:
    """A tally of any other counter: every candidate is counted from its beginning."""

    __slots__ = ("_counter", "_sync", "_tools")

    def __init__(self, counter: Any, tools: list[JsonObject] | None, sync: bool) -> None:
        self._counter = counter
        self._tools = tools
        self._sync = sync and counts_sync(counter)

    async def __call__(self, written: list[JsonObject], messages: int) -> Any:
        """The tokens; a counter that knows nothing of tools is not told of none."""
        given = (written, self._tools) if self._tools else (written,)
        made = self._counter.count_sync(*given) if self._sync else await self._counter.count(*given)
        return figure(made)


def remembering(counter: object) -> CachedTokenCounter | None:
    """The counter with a memory; None for what only a hook of the formatter counts with."""
    return cached(counter) if callable(getattr(counter, "count", None)) else None


def _common(whole: list[JsonObject], part: list[JsonObject]) -> tuple[int, int]:
    """How many messages are the same at the beginning, and how many at the end."""
    tail = 0
    for a, b in zip(reversed(whole), reversed(part), strict=False):
        if a != b:
            break
        tail += 1
    most = min(len(whole), len(part)) - tail
    head = 0
    while head < most and whole[head] == part[head]:
        head += 1
    return head, tail
