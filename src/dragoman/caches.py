"""The caches that live as long as the process: what each holds, and how large it can grow.

A cache outlives the call that filled it. So each is listed in `CACHES` and has a bound in bytes,
and no caller gets an object of another caller, or one that it could change for the next.
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
    """One cache of the process.

    Attributes:
        name: The dotted name of the cached function or of the cache.
        holds: What the cache holds, in words.
        most_bytes: The bound of its keys and values together, in bytes.
        entries: Returns the number of entries.
        clear: Removes all entries.
    """

    name: str
    holds: str
    most_bytes: int
    entries: Callable[[], int]
    clear: Callable[[], None]


CACHES: dict[str, Cache] = {}


def remember(
    holds: str, *, entries: int, longest: int = 256, size: int = 512
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Return a decorator that caches the results of a function; the results must be immutable.

    A call with a text of more than `longest` characters is computed each time. Arguments that can
    be long must be given by position, because only those are measured.

    Args:
        holds: What the cache holds, in words.
        entries: How many results are kept; the least recently used one makes room.
        longest: The length of the longest text that is cached as an argument, in characters.
        size: The largest size of one result, in bytes.

    Returns:
        The decorator. It lists the cache in `CACHES`.
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
    """Values by key, bounded in bytes: the oldest entries make room for new ones.

    Args:
        name: The name of the cache in `CACHES`.
        holds: What the cache holds, in words.
        most_bytes: The bound of all keys and values together, in bytes.
    """

    def __init__(self, name: str, holds: str, most_bytes: int) -> None:
        self._rows: dict[Hashable, tuple[_R, int]] = {}
        self._most = most_bytes
        self._size = 0
        self._lock = Lock()
        CACHES[name] = Cache(name, holds, most_bytes, self._rows.__len__, self.clear)

    def get(self, key: Hashable) -> _R | None:
        """Return the value of a key, or None if it is not there or no longer there."""
        row = self._rows.get(key)
        return None if row is None else row[0]

    def put(self, key: Hashable, value: _R, size: int) -> None:
        """Store a value, unless it is larger than a quarter of the cache.

        Args:
            key: Where the value is found again.
            value: What to store.
            size: The size of the key and the value, in bytes.
        """
        size += _ENTRY
        if size > self._most // 4:  # one entry must not push out most of the others
            return
        with self._lock:
            _, before = self._rows.pop(key, (None, 0))
            self._rows[key] = value, size
            self._size += size - before
            while self._size > self._most:
                _, oldest = self._rows.pop(next(iter(self._rows)))
                self._size -= oldest

    def clear(self) -> None:
        """Remove all entries."""
        with self._lock:
            self._rows.clear()
            self._size = 0


def frozen_json(value: Any) -> bytes:
    """Turn a JSON value into bytes, from which `thawed_json` creates a new value each time.

    Args:
        value: A JSON value.

    Returns:
        The value in Python's marshal format.

    Raises:
        ValueError: The value is not plain JSON, or is nested very deeply.
    """
    return marshal.dumps(value)


def thawed_json(data: bytes) -> Any:
    """Create the value that `frozen_json` turned into bytes: new lists and dicts for each caller.

    Args:
        data: What `frozen_json` returned.

    Returns:
        The JSON value.
    """
    return marshal.loads(data)  # noqa: S302 - bytes of our own making
