"""Some rows of a product that show each pair of its values: far fewer than the product has.

    @pytest.mark.parametrize(("client", "upstream", "streams"), covering(CLIENTS, UPSTREAMS, BOTH))

What depends on two of the values at once still meets all that there are of both. Two axes that
belong together, as `product(BOTH, PLACES)`, are one axis for this: each of its values is a pair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations, product
from typing import Any

__all__ = ["covering"]


def covering(*axes: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Rows with a value of each axis, so that any two values of two axes share a row.

    The rows are the same each time; the values of an axis come about equally often.
    """
    lists = [list(axis) for axis in axes]
    sizes = [range(len(values)) for values in lists]
    by_size = sorted(range(len(lists)), key=lambda axis: -len(lists[axis]))
    missing = {
        pair
        for one, two in combinations(range(len(lists)), 2)
        for pair in product(((one, at) for at in sizes[one]), ((two, at) for at in sizes[two]))
    }
    used: Counter[tuple[int, int]] = Counter()
    rows: list[dict[int, int]] = []

    def add(row: dict[int, int]) -> None:
        """Complete a row with the values that share most of what is missing."""
        for axis in by_size:
            if axis not in row:
                row[axis] = max(
                    sizes[axis],
                    key=lambda at: (
                        sum(_pair(axis, at, *one) in missing for one in row.items()),
                        -used[axis, at],
                    ),
                )
        used.update(row.items())
        missing.difference_update(_pair(*one, *two) for one, two in combinations(row.items(), 2))
        rows.append(row)

    for values in product(*(sizes[axis] for axis in by_size[:2])):
        add(dict(zip(by_size, values, strict=False)))
    while missing:
        add(dict(min(missing)))
    rows.sort(key=lambda row: sorted(row.items()))
    return [tuple(values[row[axis]] for axis, values in enumerate(lists)) for row in rows]


def _pair(one: int, at: int, two: int, there: int) -> tuple[tuple[int, int], tuple[int, int]]:
    first, second = sorted(((one, at), (two, there)))
    return first, second
