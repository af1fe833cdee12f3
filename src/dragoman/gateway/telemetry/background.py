"""Background: a thread that writes what a loop gives it, so that a slow disk blocks no loop.

Waiting items are bounded in number and in bytes; those beyond the bound are discarded and counted.
"""

from __future__ import annotations

import atexit
from collections import deque
from collections.abc import Callable
from threading import Condition, Thread
from typing import Generic, TypeVar

T = TypeVar("T")

_SECONDS = 5.0  # that `close` waits for what is still to be written


class Background(Generic[T]):
    """Gives items to `write`, several at once in their order, in a daemon thread of its own.

    The thread starts with the first item, and again in a process that was forked later.

    Args:
        name: The name of the thread.
        write: Gets items, and how many were discarded since its last call; it may raise nothing.
        items: How many items may wait.
        size: How many bytes they may have together.
    """

    def __init__(
        self, name: str, write: Callable[[list[T], int], None], *, items: int, size: int
    ) -> None:
        self._name = name
        self._write = write
        self._most = items
        self._most_bytes = size
        self._waiting: deque[tuple[T, int]] = deque()
        self._held = 0
        self._left_out = 0
        self._busy = False
        self._ended = False
        self._changed = Condition()
        self._thread: Thread | None = None

    def put(self, item: T, size: int) -> bool:
        """Add an item of so many bytes; False if it is discarded. Never waits for `write`."""
        with self._changed:
            full = len(self._waiting) >= self._most or self._held + size > self._most_bytes
            taken = not (full or self._ended)
            if taken:
                self._waiting.append((item, size))
                self._held += size
            else:
                self._left_out += 1
            if not (self._ended or (self._thread is not None and self._thread.is_alive())):
                self._thread = Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
                atexit.register(self.close)
            self._changed.notify()
        return taken

    def _run(self) -> None:
        while True:
            with self._changed:
                self._busy = False
                self._changed.notify_all()
                while not (self._waiting or self._left_out or self._ended):
                    self._changed.wait()
                if not self._waiting and not self._left_out:
                    return
                taken = list(self._waiting)
                self._waiting.clear()
                left_out, self._left_out = self._left_out, 0
                self._busy = True
            self._write([item for item, _ in taken], left_out)
            with self._changed:
                self._held -= sum(size for _, size in taken)

    def flush(self, seconds: float = _SECONDS) -> bool:
        """Wait until all is written; False if that takes longer than so many seconds."""
        with self._changed:
            return self._changed.wait_for(self._is_idle, seconds)

    def _is_idle(self) -> bool:
        return not (self._waiting or self._left_out or self._busy)

    def close(self, seconds: float = _SECONDS) -> bool:
        """Write what waits and end the thread; False if that takes longer than so many seconds."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
            thread = self._thread
        if thread is None:
            return True
        thread.join(seconds)
        atexit.unregister(self.close)
        return not thread.is_alive()
