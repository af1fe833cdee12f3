"""How long cache hints hold, in the wire's own words."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.capabilities import Capabilities
from dragoman.history.passes.lower.state import hint_minutes, limit_ttl, shortest_minutes
from dragoman.message import CacheHint

CAN = Capabilities(cache_ttls=frozenset({"5m", "1h"}), cache_longest_first=True)
ANY = Capabilities(cache_longest_first=True)


@pytest.mark.parametrize(("ttl", "long"), [
    ("90s", 1.5), ("5m", 5), ("24h", 1440), ("30d", 43200), (None, 5), ("1y", 0), ("m", 0),
    ("soon", 0), ("-5m", 0), ("5", 0),
])  # fmt: skip
def test_minutes(ttl: str | None, long: float) -> None:
    assert hint_minutes(CacheHint(ttl), CAN) == long


def test_a_time_that_the_wire_does_not_tell_is_none() -> None:
    assert hint_minutes(CacheHint(), ANY) == 0
    assert shortest_minutes([CacheHint(), CacheHint("1h")], ANY) == 0
    assert shortest_minutes([CacheHint("1h"), CacheHint("5m")], CAN) == 5
    assert shortest_minutes([], CAN) is None


@pytest.mark.parametrize(("ttl", "most", "kept"), [
    ("1h", None, True), ("1h", 60.0, True), ("1h", 59.0, False), ("5m", 60.0, True),
    ("2h", None, False), (None, 0.0, True),
])  # fmt: skip
def test_a_hint_outlasts_none_before_it(ttl: Any, most: float | None, kept: bool) -> None:
    hint = CacheHint(ttl)
    made = limit_ttl(hint, CAN, most)
    assert made is hint if kept else made == CacheHint()
    assert limit_ttl(CacheHint("2h"), ANY, None).ttl == "2h"
    assert limit_ttl(CacheHint("1h"), Capabilities(), 5.0).ttl == "1h"
