"""A process that converts one segment after the other, and the parent's side of it.

What a process says is one of these tuples: `("at", Position)`, `("done", FinishedSegment)`,
`("failed", error)`. What it is told to do is a Segment.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any

from .record_work import RecordWork
from .segment import Segment, convert_segment

_START = multiprocessing.get_context("spawn")  # a fork would copy the locks of this process


class Worker:
    """A process.

    Args:
        work: What is done with each record.
    """

    def __init__(self, work: RecordWork) -> None:
        self.connection, theirs = _START.Pipe()
        self.process = _START.Process(target=_run, args=(theirs, work), daemon=True)
        with _interrupts_blocked():
            self.process.start()
        theirs.close()  # so that reading ends when the process does

    def begin(self, segment: Segment) -> None:
        """Have it convert a segment."""
        with suppress(OSError):  # a process that has come to an end is noticed by `receive`
            self.connection.send(segment)

    def receive(self) -> tuple[str, Any] | None:
        """What the process says next; None if it has come to an end."""
        try:
            message: tuple[str, Any] = self.connection.recv()
        except (EOFError, OSError):
            return None
        return message

    def end(self) -> None:
        """End the process, whatever it does."""
        self.process.kill()
        self.process.join()
        self.connection.close()


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Have Ctrl-C wait until a process is started: both would print where they were.

    The new process inherits the mask. This one may get the signal in another thread nevertheless,
    and would stop between the start and the data that the process waits for.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not (is_main and hasattr(signal, "pthread_sigmask")):  # not on Windows
        yield
        return
    from multiprocessing import resource_tracker  # not on Windows

    # it starts a process beside the first of ours, and would let interrupts through after that
    resource_tracker.ensure_running()
    arrived: list[tuple[int, FrameType | None]] = []
    handler = signal.signal(signal.SIGINT, lambda *signalled: arrived.append(signalled))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        signal.signal(signal.SIGINT, signal.SIG_DFL if handler is None else handler)
        if arrived and callable(handler):
            handler(*arrived[0])


def _run(connection: Connection, work: RecordWork) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the command, and it ends this
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):  # the parent is gone
        while True:
            _convert(connection, work, connection.recv())


def _convert(connection: Connection, work: RecordWork, segment: Segment) -> None:
    try:
        finished = convert_segment(segment, work, lambda at: connection.send(("at", at)))
    except MemoryError:
        os._exit(1)  # nothing that is still done here can be trusted
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001  # raised where the user sees it
        connection.send(("failed", error))
    else:
        connection.send(("done", finished))


def _end_with_parent() -> None:
    """End this process as soon as its parent is gone, so that it never works beside a new run."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
