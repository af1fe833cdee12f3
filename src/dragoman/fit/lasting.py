"""How long cache hints last: known times, and where a wire wants it, the longest ones first."""

from __future__ import annotations

from collections.abc import Iterable

from ..capabilities import Capabilities
from ..message import CacheHint

__all__ = ["lasting", "least", "minutes"]

_UNITS = {"s": 1 / 60, "m": 1, "h": 60, "d": 24 * 60}


def lasting(hint: CacheHint, can: Capabilities, most: float | None) -> CacheHint:
    """The hint for as long as the wire lets it hold, which is its own time if need be.

    `most`: the minutes of the hints before it, which it must not outlast.
    """
    if hint.ttl is None:
        return hint
    if can.cache_ttls and hint.ttl not in can.cache_ttls:
        return CacheHint()
    if can.cache_longest_first and most is not None and minutes(hint, can) > most:
        return CacheHint()
    return hint


def least(hints: Iterable[CacheHint], can: Capabilities) -> float | None:
    """The minutes of the hint that ends first; None without one."""
    return min((minutes(hint, can) for hint in hints), default=None)


def minutes(hint: CacheHint, can: Capabilities) -> float:
    """How long a hint holds; without a time of its own, the shortest that the wire has."""
    if hint.ttl is None:
        return min(map(_minutes, can.cache_ttls), default=0.0)
    return _minutes(hint.ttl)


def _minutes(ttl: str) -> float:
    number, unit = ttl[:-1], ttl[-1:]
    return int(number) * _UNITS[unit] if number.isdecimal() and unit in _UNITS else 0.0
