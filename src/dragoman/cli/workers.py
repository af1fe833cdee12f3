"""The same work for many values, in this process or in several, with the order preserved.

Memory is bounded: values are taken only a few parcels ahead of the results.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Any, TypeVar

from .output import CommandError

T = TypeVar("T")
R = TypeVar("R")

_PARCEL = 32  # values that go to a process at once


def map_in_order(
    begin: Callable[..., Callable[[T], R]],
    args: tuple[Any, ...],
    values: Iterable[T],
    jobs: int = 1,
) -> Iterator[R]:
    """The results of `begin(*args)` for each value, in the order of the values.

    With several `jobs` each process calls `begin` once: it, its arguments, values and results are
    pickled. An exception of the work ends the iteration; a process that dies raises CommandError.
    """
    if jobs == 1:
        work = begin(*args)
        yield from (work(value) for value in values)
        return
    # spawn: a fork would copy this process's locks, and what it has read ahead of stdin
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, context, _begin, (begin, args))
    waiting: deque[Future[list[R]]] = deque()
    rest = iter(values)
    try:
        while True:
            while len(waiting) < 2 * jobs and (parcel := list(islice(rest, _PARCEL))):
                waiting.append(pool.submit(_work_off, parcel))
            if not waiting:
                return
            yield from waiting.popleft().result()
    except BrokenProcessPool as error:
        hint = "was there enough memory? --jobs 1 works in this process"
        raise CommandError("a process of --jobs was ended from outside", hint) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_work: Callable[[Any], Any] | None = None


def _begin(begin: Callable[..., Callable[[T], R]], args: tuple[Any, ...]) -> None:
    global _work  # noqa: PLW0603  # a process of the pool does one kind of work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the command, and it ends these
    _work = begin(*args)


def _work_off(parcel: list[Any]) -> list[Any]:
    assert _work is not None
    return [_work(value) for value in parcel]
