"""One long step for each turn of the event loop, so that streams are served between two of them.

A loop runs all that is ready before it looks at its sockets again. If 64 requests come at once and
each takes 5 ms to be read and written, a stream that is under way waits for a third of a second.
With a queue of steps it waits for one of them.
"""

from __future__ import annotations

import asyncio
from collections import deque


class Turns:
    """A queue of steps that take milliseconds; one that is alone starts at once."""

    __slots__ = ("_is_taken", "_loop", "_waiting")

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._is_taken = False
        self._loop: asyncio.AbstractEventLoop | None = None

    async def wait(self) -> None:
        """Wait until no other step has this turn of the loop; the caller then runs its own step."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:  # the last loop was closed, and its waiters with it
            self._loop, self._is_taken = loop, False
            self._waiting.clear()
        if self._is_taken:
            place = loop.create_future()
            self._waiting.append(place)
            await place  # a cancelled waiter is skipped
            return
        self._is_taken = True
        loop.call_soon(self._end_turn)

    def _end_turn(self) -> None:
        assert self._loop is not None
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                self._loop.call_soon(self._end_turn)
                return
        self._is_taken = False
