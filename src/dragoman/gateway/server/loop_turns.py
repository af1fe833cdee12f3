"""One long step for each turn of the event loop, so that streams are served between two of them.

A loop runs all that is ready before it looks at its sockets again. If 64 requests come at once and
each takes 5 ms to be read and written, a stream that is under way waits for a third of a second.
With a queue of steps it waits for one of them.

A request takes several steps. Those of requests that have begun come first: or of 64 requests none
would reach its provider before all were read.
"""

from __future__ import annotations

import asyncio
from collections import deque
from weakref import WeakKeyDictionary


class Turns:
    """Queues of steps that take milliseconds, one queue for each event loop."""

    __slots__ = ("_queues",)

    def __init__(self) -> None:
        self._queues: WeakKeyDictionary[asyncio.AbstractEventLoop, _Queue] = WeakKeyDictionary()

    async def wait(self, is_new: bool = False) -> None:
        """Wait until no other step has this turn of the loop; the caller then runs its own step.

        A step that is alone starts at once.

        Args:
            is_new: Whether it is the first step of a request; further steps of others come before.
        """
        loop = asyncio.get_running_loop()
        queue = self._queues.get(loop)
        if queue is None:
            queue = self._queues[loop] = _Queue()
        if queue.is_taken:
            place = loop.create_future()
            (queue.first if is_new else queue.further).append(place)
            await place  # a cancelled waiter is skipped
        else:
            queue.is_taken = True
            loop.call_soon(queue.end_turn, loop)


class _Queue:
    """The steps of one loop that wait: first ones of requests, and further ones."""

    __slots__ = ("first", "further", "is_taken")

    def __init__(self) -> None:
        self.first: deque[asyncio.Future[None]] = deque()
        self.further: deque[asyncio.Future[None]] = deque()
        self.is_taken = False

    def end_turn(self, loop: asyncio.AbstractEventLoop) -> None:
        """Give the next turn to the next step, or leave it free."""
        for waiting in (self.further, self.first):
            while waiting:
                place = waiting.popleft()
                if not place.done():
                    place.set_result(None)
                    loop.call_soon(self.end_turn, loop)
                    return
        self.is_taken = False
