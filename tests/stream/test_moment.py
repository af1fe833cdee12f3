"""When an answer was made, in seconds or as a date."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.stream.pieces import answer_second, created_second, iso_date, without_times

DAY = 1795309200


@pytest.mark.parametrize("told", [
    {"created": DAY}, {"created_at": DAY + 0.5}, {"created_at": "2026-11-22T01:00:00Z"},
    {"created_at": "2026-11-22T01:00:00.123456789Z"}, {"createTime": "2026-11-22T02:00:00+01:00"},
    {"create_time": "2026-11-22T01:00:00"}, {"created": "no time", "created_at": DAY},
])  # fmt: skip
def test_every_spelling_of_a_time(told: dict[str, Any]) -> None:
    assert created_second(told) == DAY
    assert iso_date(DAY) == "2026-11-22T01:00:00Z"
    assert without_times({**told, "usage": 1}) == {"usage": 1}


@pytest.mark.parametrize("value", [None, 0, -1, True, "", "yesterday", "0001-01-01T00:00:00Z",
                                   float("nan"), float("inf"), 1e300, [], {}])  # fmt: skip
def test_what_is_no_time(value: Any) -> None:
    assert created_second({"created": value}) is None
    assert without_times({"created": value}).keys() == {"created"}, "it stays, to be named"


def test_whoever_tells_it() -> None:
    assert answer_second({"a": {"id": 1}, "b": {"created": DAY}}) == DAY
    assert answer_second(None) is None
