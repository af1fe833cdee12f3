"""How the time of some work grows with its size, told from ratios alone."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["grows_in_proportion"]

TIMES = 4
ATTEMPTS = 8


def grows_in_proportion(work: Callable[[int], object], size: int) -> bool:
    """Whether work of four times the size takes some four times as long, and not sixteen.

    Only this thread's own processor time counts, and of each size the best of several runs:
    a busy machine makes a run longer and never shorter.
    """

    def seconds(size: int) -> float:
        began = time.thread_time()
        work(size)
        return time.thread_time() - began

    seconds(size)
    small = large = float("inf")
    for _ in range(ATTEMPTS):
        small, large = min(small, seconds(size)), min(large, seconds(TIMES * size))
        if large < 2 * TIMES * small:
            return True
    return False
