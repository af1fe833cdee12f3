"""A counter that remembers: each message is counted once, however often it is formatted.

An agent loop formats a history that grows at its end; without this every round pays for all of
it again. Knows counters and formatted messages, never formatters or truncation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from typing import Any, cast

from ..errors import ConfigError
from .base import TokenCounterBase, counts_sync, decomposes
from .content import content_key
from .kept import LISTS, Json, Kept, Parts
from .rough import rough_message, rough_tools

__all__ = ["CachedTokenCounter", "cached"]


class CachedTokenCounter(TokenCounterBase):
    """Counts with another counter and keeps what it has counted, by content.

    `count` is always the wrapped counter's own figure: of one that decomposes the sum of kept
    parts, of any other a count of the whole list. `size` is how many messages are remembered at
    least; twice as many at most. Messages are neither changed nor kept.
    """

    def __init__(self, counter: TokenCounterBase | Any, *, size: int = 65_536) -> None:
        if isinstance(counter, type) or not callable(getattr(counter, "count", None)):
            raise ConfigError(
                f"the class {counter.__name__} is no token counter yet: make one of it"
                if isinstance(counter, type)
                else f"{type(counter).__name__} is no token counter: it has no count method",
                hint="dragoman.token has counters; TokenCounterBase is the base of one's own",
                code="token.no_counter",
            )
        if size < 1:
            raise ConfigError("size must be at least 1", code="token.cache_size")
        self.counter: Any = counter
        self.size = size
        self._forget()

    def _forget(self) -> None:
        self._exact = Parts(self.size)
        self._rough = Parts(self.size)
        self._lists = Kept(LISTS)
        self._scale = 1.0  # what an estimate has to be multiplied with, by the last exact count

    def __getstate__(self) -> dict[str, Any]:
        """The counter alone: a copy remembers nothing."""
        return {"counter": self.counter, "size": self.size}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    @property
    def decomposes(self) -> bool:  # type: ignore[override]  # it is what the wrapped one says
        """Whether `count_each` and `overhead` make up the count; if not they are estimates."""
        return decomposes(self.counter)

    @property
    def counts_sync(self) -> bool:
        """Whether `count_sync` gives a figure."""
        return self.decomposes or counts_sync(self.counter)

    async def count(
        self,
        messages: list[Json],
        tools: list[Json] | None = None,
        **kwargs: Any,
    ) -> int:
        """The exact count; keywords go to the wrapped counter, and then nothing is kept."""
        if kwargs:
            return cast("int", await self.counter.count(messages, tools, **kwargs))
        if self.decomposes:
            known = self._exact.total(messages, tools)
            return await asyncio.to_thread(self._sum, messages, tools) if known is None else known
        key = self._list_key(messages, tools)
        known = self._lists.get(key)
        if known is None:
            known = await self.counter.count(messages, *(() if tools is None else (tools,)))
            self._verified(key, known, messages, tools)
        return known

    def count_sync(
        self,
        messages: list[Json],
        tools: list[Json] | None = None,
        **kwargs: Any,
    ) -> int:
        """The same without an event loop. Raises ConfigError if the wrapped counter needs one."""
        if kwargs:
            return cast("int", self.counter.count_sync(messages, tools, **kwargs))
        if self.decomposes:
            return self._sum(messages, tools)
        key = self._list_key(messages, tools)
        known = self._lists.get(key)
        if known is None:
            known = self.counter.count_sync(messages, *(() if tools is None else (tools,)))
            self._verified(key, known, messages, tools)
        return known

    async def count_each(self, messages: list[Json]) -> list[int]:
        """The tokens of each message, as `count_each_sync`; new ones in a worker thread."""
        if self.decomposes and self._exact.known(messages) is None:
            return await asyncio.to_thread(self.count_each_sync, messages)
        return self.count_each_sync(messages)

    def count_each_sync(self, messages: list[Json]) -> list[int]:
        """The tokens of each message, in order.

        Exact if `decomposes`. Else an estimate by the length of the texts, in proportion to the
        last exact count, made without asking the counter.
        """
        if self.decomposes:
            return self._exact.each(messages, self.counter.count_message)
        scale = self._scale
        return [round(part * scale) for part in self._rough.each(messages, rough_message)]

    def count_message(self, message: Json) -> int:
        """The tokens of one message; exact if `decomposes`."""
        return self.count_each_sync([message])[0]

    def overhead(self, tools: list[Json] | None = None) -> int:
        """The tokens beside the messages', tool schemas above all; an estimate as above."""
        if self.decomposes:
            return self._exact.overhead(tools, getattr(self.counter, "overhead", _nothing))
        return round(self._rough.overhead(tools, rough_tools) * self._scale)

    def estimate(self, messages: list[Json], tools: list[Json] | None = None) -> int:
        """The count as far as it is known without asking the counter; exact if `decomposes`."""
        return max(0, self.overhead(tools) + sum(self.count_each_sync(messages)))

    def _sum(self, messages: list[Json], tools: list[Json] | None) -> int:
        parts = self._exact.each(messages, self.counter.count_message)
        aside = self._exact.overhead(tools, getattr(self.counter, "overhead", _nothing))
        return max(0, aside + sum(parts))

    def _list_key(self, messages: list[Json], tools: list[Json] | None) -> Hashable:
        return content_key(tools), *(content_key(message) for message in messages)

    def _verified(
        self,
        key: Hashable,
        tokens: int,
        messages: list[Json],
        tools: list[Json] | None,
    ) -> None:
        """Keep an exact count, and let it correct the estimates to come."""
        self._lists.put(key, tokens)
        rough = sum(self._rough.each(messages, rough_message))
        rough += self._rough.overhead(tools, rough_tools)
        if rough:
            self._scale = tokens / rough


def cached(counter: TokenCounterBase | Any, *, size: int = 65_536) -> CachedTokenCounter:
    """The counter with a memory; the very object if it has one already."""
    if isinstance(counter, CachedTokenCounter):
        return counter
    return CachedTokenCounter(counter, size=size)


def _nothing(_tools: list[Json] | None) -> int:
    return 0
