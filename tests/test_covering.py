"""The rows of `covering`: all pairs, and few."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from tests.covering import covering


@pytest.mark.parametrize(
    "sizes", [(3,), (2, 3), (6, 5, 4), (2, 2, 2, 2), (10, 10, 2, 3), (2, 7, 7)]
)
def test_any_two_values_share_a_row(sizes: tuple[int, ...]) -> None:
    axes = [[f"{axis}{value}" for value in range(size)] for axis, size in enumerate(sizes)]
    rows = covering(*axes)
    for one, two in combinations(range(len(sizes)), 2):
        assert {(row[one], row[two]) for row in rows} == set(product(axes[one], axes[two]))
    assert all(value in axis for row in rows for value, axis in zip(row, axes, strict=True))
    assert len(set(rows)) == len(rows)
    assert len(rows) <= 1.5 * max((one * two for one, two in combinations(sizes, 2)), default=3)
