"""LLM and AsyncLLM driven alike: each way to send, by plain functions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dragoman import LLM, AsyncLLM, ProviderError
from dragoman.model import Retries
from tests.transport.ways import KEY, guarded

FAST = Retries(attempts=3, backoff=0.0)


@dataclass
class Seen:
    """What a stream gave: texts, the answer so far or at the end, and what went wrong."""

    texts: list[str] = field(default_factory=list)
    partial: Any = None
    response: Any = None
    error: ProviderError | None = None


@dataclass(frozen=True)
class Door:
    """One of the two doors, over one transport."""

    transport: str
    asynchronous: bool

    def __str__(self) -> str:
        return f"{'async-' if self.asynchronous else ''}{self.transport}"

    def make(self, name: Any, **settings: Any) -> Any:
        kind = AsyncLLM if self.asynchronous else LLM
        settings = {"key": KEY, "retries": FAST, "policy": "ignore", **settings}
        return kind(name, transport=self.transport, **settings)

    def ask(self, name: Any, x: Any = "Hi", **settings: Any) -> Any:
        llm = self.make(name, **settings)
        if not self.asynchronous:
            with llm:
                return llm.ask(x)

        async def run() -> Any:
            async with llm:
                return await llm.ask(x)

        return guarded(run)

    def stream(self, name: Any, x: Any = "Hi", most: int | None = None, **settings: Any) -> Seen:
        """The texts of a stream, up to `most` of them, and then `break`."""
        seen = Seen()
        llm = self.make(name, **settings)
        stream = llm.stream(x)

        def take(event: Any) -> bool:
            if event.type == "text-delta":
                seen.texts.append(event.text)
            return len(seen.texts) == most

        def end() -> None:
            seen.partial = stream.partial
            seen.response = None if seen.error or most else stream.response

        if not self.asynchronous:
            with llm:
                try:
                    for event in stream:
                        if take(event):
                            break
                except ProviderError as error:
                    seen.error = error
                end()
            return seen

        async def run() -> None:
            async with llm:
                try:
                    async for event in stream:
                        if take(event):
                            break
                except ProviderError as error:
                    seen.error = error
                end()

        guarded(run)
        return seen


DOORS = [Door("httpx2", False), Door("httpx2", True), Door("aiohttp", True)]
