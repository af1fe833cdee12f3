"""Long work beside the loop: one thread that gives the interpreter back many times in a second.

A thread that computes holds the interpreter for 5 ms at a time, and each call of a loop's to the
system waits for it: of 64 streams the last would wait for a second. While something long is under
way threads switch every 0.1 ms instead. What runs here at once is one piece of work, so that
requests that take long wait for each other and for nobody else.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

_T = TypeVar("_T")

SWITCH = 0.0001  # seconds
SMALL = 2**13  # bytes that are no long work, whatever they are
LARGE = 2**18  # bytes that always are
MANY = 8000  # signs that may stand between two values


def is_long(data: bytes) -> bool:
    """Whether to read or to write JSON of this kind takes so long that others would notice."""
    size = len(data)
    if size <= SMALL:
        return False
    return size > LARGE or data.count(b",") + data.count(b"{") + data.count(b"[") > MANY


class OffLoop:
    """Runs long work in a thread of its own, which begins with the first of it."""

    def __init__(self) -> None:
        self._thread: ThreadPoolExecutor | None = None
        self._waiting = 0
        self._interval = 0.0
        self.pieces = 0  # of work that were begun

    async def run(self, work: Callable[..., _T], *args: object) -> _T:
        """What the work gives, or raises."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "dragoman-long")
        if not self._waiting:
            self._interval = sys.getswitchinterval()
            sys.setswitchinterval(SWITCH)
        self._waiting += 1
        self.pieces += 1
        future = asyncio.get_running_loop().run_in_executor(self._thread, partial(work, *args))
        future.add_done_callback(self._finish_job)  # also of work that nobody waits for any more
        return await future

    def _finish_job(self, _: object) -> None:
        self._waiting -= 1
        if not self._waiting:
            sys.setswitchinterval(self._interval)

    def close(self) -> None:
        """Begin nothing more."""
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)
