"""What the tests of the house share: the trees of the sources, for as long as they run."""

from __future__ import annotations

import pytest

from .sources import drop_trees


def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Give up the trees after the last test of the folder."""
    if nextitem is None or "house" not in nextitem.path.parts:
        drop_trees()
