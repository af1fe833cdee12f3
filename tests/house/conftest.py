"""What the tests of the house share: the trees of the sources, for as long as they run."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from .sources import drop_trees


@pytest.fixture(autouse=True)
def no_garbage_is_looked_for() -> Iterator[None]:
    """A million nodes come and stay: to look through them again and again takes a third more."""
    gc.disable()
    yield
    gc.enable()


def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Give up the trees after the last test of the folder."""
    if nextitem is None or "house" not in nextitem.path.parts:
        drop_trees()
