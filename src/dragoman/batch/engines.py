"""What runs the conversion of segments: processes of this machine, or (`ray_engine`) a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Protocol, TypeAlias

from .manifest import FinishedSegment
from .record_work import RecordWork
from .segment import Position, Segment
from .worker import Worker


@dataclass(slots=True, eq=False)
class Task:
    """A segment that is under way.

    Attributes:
        key: The number of its part, and its own in that part.
        segment: What is to be done.
        at: How far it is; None before the first report.
    """

    key: tuple[int, int]
    segment: Segment
    at: Position | None = None


class Engine(Protocol):
    """Converts segments, several at a time.

    Attributes:
        is_local: Whether this machine does it, so that what was written can be read at once.
    """

    is_local: bool

    def is_free(self) -> bool:
        """Whether it takes another segment."""

    def begin(self, task: Task) -> None:
        """Convert a segment."""

    def wait(self, seconds: float) -> Iterator[tuple[Task, FinishedSegment | None]]:
        """Wait until something happens, at most some seconds, and bring `Task.at` up to date.

        Args:
            seconds: How long.

        Yields:
            The tasks that have ended; None with one whose process has died.

        Raises:
            ConfigError: A file was changed, or the engine cannot run.
            OSError: A file cannot be read or written.
        """

    def close(self) -> None:
        """End all that is under way."""


MakeEngine: TypeAlias = Callable[[RecordWork, int | None], Engine]


class LocalEngine:
    """Processes of this machine.

    Args:
        work: What is done with each record.
        jobs: How many processes there are; None for one.
    """

    is_local = True

    def __init__(self, work: RecordWork, jobs: int | None = None) -> None:
        self._work = work
        self._jobs = jobs or 1
        self._idle: list[Worker] = []
        self._busy: dict[Worker, Task] = {}

    def is_free(self) -> bool:
        """Whether a process is idle, or can be started."""
        return len(self._busy) < self._jobs

    def begin(self, task: Task) -> None:
        """Have a process convert a segment."""
        worker = self._idle.pop() if self._idle else Worker(self._work)
        self._busy[worker] = task
        worker.begin(task.segment)

    def wait(self, seconds: float) -> Iterator[tuple[Task, FinishedSegment | None]]:
        """Take what the processes say; see `Engine.wait`."""
        by_connection = {worker.connection: worker for worker in [*self._busy, *self._idle]}
        for connection in wait(list(by_connection), timeout=seconds):
            worker = by_connection[connection]  # type: ignore[index]
            task = self._busy.get(worker)
            match worker.receive():
                case ("at", Position() as at) if task is not None:
                    task.at = at
                case ("done", FinishedSegment() as finished) if task is not None:
                    del self._busy[worker]
                    self._idle.append(worker)
                    yield task, finished
                case ("failed", Exception() as error):
                    raise error
                case _:
                    worker.end()
                    if task is None:
                        self._idle.remove(worker)
                    else:
                        del self._busy[worker]
                        yield task, None

    def close(self) -> None:
        """End the processes, whatever they do."""
        for worker in [*self._busy, *self._idle]:
            worker.end()
