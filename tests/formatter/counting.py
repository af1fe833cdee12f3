"""Counters for tests: sync and async, by messages or by characters, and one that awaits."""

from __future__ import annotations

import asyncio
from typing import Any

from dragoman.tokens import TokenCounterBase

__all__ = ["Chars", "Messages", "Suspending"]


class Messages(TokenCounterBase):
    """One token a message; keeps what it was asked to count."""

    def __init__(self) -> None:
        self.seen: list[list[dict[str, Any]]] = []

    async def count(self, messages: list[dict[str, Any]], tools: Any = None, **kwargs: Any) -> int:
        self.seen.append(messages)
        return len(messages)


class Chars(Messages):
    """One token a character of the messages' text; also without an event loop."""

    async def count(self, messages: list[dict[str, Any]], tools: Any = None, **kwargs: Any) -> int:
        return self.count_sync(messages)

    def count_sync(self, messages: list[dict[str, Any]], tools: Any = None, **kwargs: Any) -> int:
        self.seen.append(messages)
        return sum(len(str(message)) for message in messages)


class Suspending(Messages):
    """Really awaits, as a counter that asks an API does."""

    async def count(self, messages: list[dict[str, Any]], tools: Any = None, **kwargs: Any) -> int:
        await asyncio.sleep(0)
        return await super().count(messages)
