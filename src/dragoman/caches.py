"""What the process remembers from one call to the next: each cache, what it holds, and how much.

A cache outlives the call that filled it. So each is listed in `CACHES`, each has a bound in bytes,
and none gives one caller an object of another's, or one that a caller could change for the next.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import lru_cache, update_wrapper
from threading import Lock
from typing import Any, Generic, ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")
_CHARACTER = 4  # bytes at most
_ENTRY = 256  # bytes that an entry takes besides its key and value


@dataclass(frozen=True, slots=True)
class Cache:
    """One cache of the process: `most_bytes` bounds its keys and values together."""

    name: str
    holds: str
    most_bytes: int
    entries: Callable[[], int]
    clear: Callable[[], None]


CACHES: dict[str, Cache] = {}


def remember(
    holds: str, *, entries: int, longest: int = 256, size: int = 512
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Remember a function's results, which nobody can change: the `entries` used last.

    A call with a text of over `longest` characters is worked out each time; what can be long is
    given by position. `size` is what a result takes at most, in bytes.
    """

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        known: Any = lru_cache(maxsize=entries)(function)

        def call(*args: Any, **options: Any) -> Any:
            for value in args:
                if type(value) is str and len(value) > longest:
                    return function(*args, **options)
            return known(*args, **options)

        name = f"{function.__module__}.{function.__qualname__}"
        most = entries * (_ENTRY + longest * _CHARACTER + size)
        count = lambda: known.cache_info().currsize  # noqa: E731
        CACHES[name] = Cache(name, holds, most, count, known.cache_clear)
        update_wrapper(call, function)
        return call

    return decorate


class BoundedCache(Generic[_R]):
    """Values by key, at most `most_bytes` of them together: the oldest make room for new ones."""

    def __init__(self, name: str, holds: str, most_bytes: int) -> None:
        self._rows: dict[Hashable, tuple[_R, int]] = {}
        self._most = most_bytes
        self._size = 0
        self._lock = Lock()
        CACHES[name] = Cache(name, holds, most_bytes, self._rows.__len__, self.clear)

    def get(self, key: Hashable) -> _R | None:
        """The value, if it is still there."""
        row = self._rows.get(key)
        return None if row is None else row[0]

    def put(self, key: Hashable, value: _R, size: int) -> None:
        """Keep a value, unless it is too large; `size` is that of key and value, in bytes."""
        size += _ENTRY
        if size > self._most // 4:  # one entry may not drive out most of the others
            return
        with self._lock:
            _, before = self._rows.pop(key, (None, 0))
            self._rows[key] = value, size
            self._size += size - before
            while self._size > self._most:
                _, oldest = self._rows.pop(next(iter(self._rows)))
                self._size -= oldest

    def clear(self) -> None:
        """Forget all of it."""
        with self._lock:
            self._rows.clear()
            self._size = 0


def frozen_json(value: Any) -> bytes:
    """A JSON value as bytes, of which `thawed_json` makes a new one each time.

    Raises ValueError for what is no plain JSON, or is nested very deeply.
    """
    return marshal.dumps(value)


def thawed_json(data: bytes) -> Any:
    """The value of which `frozen_json` made the bytes: new lists and dicts for each caller."""
    return marshal.loads(data)  # noqa: S302 - bytes of our own making
