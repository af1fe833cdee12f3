"""When an answer was made: wires tell it in seconds or as a date, under names of their own.

Knows no provider: the names are those that are in use.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

__all__ = ["TIMES", "dated", "moment", "moment_of", "timeless"]

TIMES = ("created", "created_at", "createTime", "create_time")
_LAST = 253402300799  # the end of the year 9999, behind which no date is written


def moment(told: Mapping[str, Any]) -> int | None:
    """The second since 1970 that fields tell, as a number or as a date of RFC 3339.

    >>> moment({"created_at": "2026-11-22T02:00:00.5+01:00"})
    1795309200
    """
    for name in TIMES:
        if (second := _second(told.get(name))) is not None:
            return second
    return None


def moment_of(extras: Mapping[str, Mapping[str, Any]] | None) -> int | None:
    """The second that an answer's fields tell, whoever's they are."""
    return next((at for own in (extras or {}).values() if (at := moment(own)) is not None), None)


def timeless(told: Mapping[str, Any]) -> dict[str, Any]:
    """The fields without those that tell the moment, for whoever tells it; all if none does."""
    if moment(told) is None:
        return dict(told)
    return {key: value for key, value in told.items() if key not in TIMES}


def dated(second: int) -> str:
    """The second as a date: `2026-11-22T01:00:00Z`."""
    return f"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%S}Z"


def _second(value: Any) -> int | None:
    if type(value) is str:
        try:
            at = datetime.fromisoformat(value)
        except ValueError:
            return None
        value = (at if at.tzinfo is not None else at.replace(tzinfo=UTC)).timestamp()
    if type(value) in (int, float) and 0 < value <= _LAST:
        return int(value)
    return None
