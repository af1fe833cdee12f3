"""Long work in one thread beside the event loop, with short turns of the interpreter.

A thread that computes holds the interpreter for 5 ms at a time, and each system call of the loop
waits for it: of 64 streams the last would wait for a second. While long work runs, threads switch
every 0.1 ms instead. Only one piece of work runs at a time, so that long requests delay each other
but not the short ones.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Protocol, TypeVar

from ...message.known_text import KnownParts, count_signs

_T = TypeVar("_T")

SWITCH = 0.0001  # seconds
SMALL = 2**13  # bytes that are never long work
LARGE = 2**18  # bytes that always are
MANY = 8000  # signs before a value; a body of medium size is long work if it has more of them


class LongEvent(Exception):
    """A chunk completes so large an event that its stream is not to be read in the event loop."""


class LeavesLong(Protocol):
    """A stream that is fed with chunks, and leaves long ones.

    Attributes:
        leaves_long: Whether it does so; else `feed` reads them at once.
        long: The chunk that it has left.
        over: Whether no more chunks are wanted at all.
        halted: Whether no more chunks are wanted for now.
    """

    leaves_long: bool
    long: bytes
    over: bool
    halted: bool

    def feed(self, chunk: bytes) -> bytes:
        """The bytes for the client."""


def read_left(stream: LeavesLong) -> bytes:
    """Feed the chunk that a stream has left."""
    chunk, stream.long, stream.leaves_long = stream.long, b"", False
    try:
        return stream.feed(chunk)
    finally:
        stream.leaves_long, stream.halted = True, stream.over


def is_long(data: bytes, parts: KnownParts | None = None) -> bool:
    """Whether reading or writing this JSON takes so long that other requests would notice.

    `parts` are those of it that came before.
    """
    size = len(data)
    if size <= SMALL:
        return False
    return size > LARGE or (count_signs(data) if parts is None else parts.count_signs()) > MANY


class OffLoop:
    """Runs long work in a thread of its own, which starts with the first piece of work."""

    def __init__(self) -> None:
        self._thread: ThreadPoolExecutor | None = None
        self._waiting = 0
        self._interval = 0.0
        self.pieces = 0  # how many pieces of work were started

    async def run(self, work: Callable[..., _T], *args: object) -> _T:
        """Run the work in the thread; its result, or its exception."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "dragoman-long")
        if not self._waiting:
            self._interval = sys.getswitchinterval()
            sys.setswitchinterval(SWITCH)
        self._waiting += 1
        self.pieces += 1
        future = asyncio.get_running_loop().run_in_executor(self._thread, partial(work, *args))
        future.add_done_callback(self._finish_job)  # also if the caller has been cancelled
        return await future

    async def run_to_end(self, work: Callable[..., _T], *args: object) -> _T:
        """`run` for work on what its caller goes on to use: who is cancelled waits for its end."""
        task = asyncio.ensure_future(self.run(work, *args))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait({task})
            if not task.cancelled():
                task.exception()  # else asyncio would report that nobody looked at it
            raise

    def _finish_job(self, _: object) -> None:
        self._waiting -= 1
        if not self._waiting:
            sys.setswitchinterval(self._interval)

    def close(self) -> None:
        """Start no more work."""
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)
