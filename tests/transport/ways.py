"""Every way to send, driven alike by plain functions: in threads, in a loop, through SDKs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from dragoman.errors import DragomanError
from dragoman.transport.call import (
    AsyncTransport,
    HttpCall,
    Reply,
    Timeouts,
    Transport,
    choose_transport,
)

from .servers import GUARD

T = TypeVar("T")
KEY = "sk-" + "S3cr3tKey" * 4


def call(url: str, body: bytes = b'{"a": 1}', **headers: str) -> HttpCall:
    given = {"content-type": "application/json", "authorization": f"Bearer {KEY}", **headers}
    return HttpCall("POST", url + "/v1/chat/completions", given, body)


def guarded(work: Callable[[], Awaitable[T]]) -> T:
    async def run() -> T:
        async with asyncio.timeout(GUARD):
            return await work()

    return asyncio.run(run())


@dataclass(frozen=True)
class Way:
    """`make(url)` gives a transport for the server of this address."""

    name: str
    make: Callable[[str], Any]
    asynchronous: bool

    def send(self, url: str, timeouts: Timeouts | None = None, times: int = 1) -> list[Reply]:
        """Whole answers, one after another from one transport, which is closed then."""
        limits = timeouts or Timeouts()
        if not self.asynchronous:
            plain: Transport = self.make(url)
            try:
                return [plain.send(call(url), limits) for _ in range(times)]
            finally:
                plain.close()

        async def all_of_them() -> list[Reply]:
            transport: AsyncTransport = self.make(url)
            try:
                return [await transport.asend(call(url), limits) for _ in range(times)]
            finally:
                await transport.aclose()

        return guarded(all_of_them)

    def chunks(
        self, url: str, timeouts: Timeouts | None = None, most: int | None = None
    ) -> tuple[list[bytes], Exception | None]:
        """The first pieces of a stream, then `break`; and what went wrong, if anything did."""
        limits = timeouts or Timeouts()
        got: list[bytes] = []
        if not self.asynchronous:
            plain: Transport = self.make(url)
            try:
                for piece in plain.stream(call(url), limits):
                    got.append(piece)
                    if len(got) == most:
                        break
            except DragomanError as error:
                return got, error
            finally:
                plain.close()
            return got, None

        async def some_of_them() -> Exception | None:
            transport: AsyncTransport = self.make(url)
            try:
                async for piece in await transport.astream(call(url), limits):
                    got.append(piece)
                    if len(got) == most:
                        break
            except DragomanError as error:
                return error
            finally:
                await transport.aclose()
            return None

        return got, guarded(some_of_them)


SYNC = [Way("httpx2", lambda url: choose_transport(None, asynchronous=False), False)]
ASYNC = [
    Way("httpx2-async", lambda url: choose_transport("httpx2", asynchronous=True), True),
    Way("aiohttp", lambda url: choose_transport("aiohttp", asynchronous=True), True),
]
WAYS = [*SYNC, *ASYNC]
