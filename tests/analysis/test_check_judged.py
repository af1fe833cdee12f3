"""The checker beside the judges of the contract tests: bodies that differ in one refused place.

The judges know far more shapes than a checker for users has rows; this holds what it has reached.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from dragoman.analysis import check
from tests.contract.judges.cases import changed
from tests.contract.test_judges import ROWS

# the least share of refused bodies that is found, in percent: measured, and some slack
FOUND = {"anthropic": 50, "openai/openai-chat": 90, "deepseek/openai-chat": 38, "mistral": 35}
LEAST = 38


def _codes(row: Any, changes: Any, path: str | None) -> Counter[str]:
    body = changed(row.base, changes)
    made = check(body, row.wire, None if body.get("model") else "m", path)
    return Counter(one.code for one in made)


@pytest.fixture(scope="module")
def shares() -> dict[str, tuple[int, int]]:
    """(found, all) of each wire: found is what the refused body has and its taken twin has not."""
    found: Counter[str] = Counter()
    count: Counter[str] = Counter()
    for row in ROWS:
        if row.wire.startswith("cohere"):
            continue
        bad = _codes(row, row.bad, row.path)
        good = _codes(row, row.good, row.good_path or row.path)
        count[row.wire] += 1
        found[row.wire] += bool(bad - good)
    return {wire: (found[wire], count[wire]) for wire in count}


@pytest.mark.parametrize("wire", FOUND)
def test_of_what_the_judges_refuse_a_share_is_found(
    wire: str, shares: dict[str, tuple[int, int]]
) -> None:
    found, count = shares[wire]
    assert found / count * 100 >= FOUND[wire]


def test_of_all_wires_together(shares: dict[str, tuple[int, int]]) -> None:
    found, count = (sum(column) for column in zip(*shares.values(), strict=True))
    assert count > 900
    assert found / count * 100 >= LEAST
