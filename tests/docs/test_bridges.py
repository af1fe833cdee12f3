"""docs/bridges.md: its tables are those of the bridges, in both languages."""

from __future__ import annotations

import pytest

from dragoman.bridges import PACKAGES
from dragoman.losses.codes import CODES

from .bridges import filled, limits, path


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_tables_are_up_to_date(language: str) -> None:
    text = path(language).read_text("utf-8")
    assert filled(text, language) == text, "python -m tests.docs.bridges --write"
    for name in PACKAGES:
        assert f"<!-- limits of {name} -->" in text


def test_every_limit_says_all() -> None:
    for name in PACKAGES:
        rows = limits(name)
        assert len({one.what for one in rows}) == len(rows)
        assert all(one.what and one.instead and all(one.zh) for one in rows)
        assert {one.code for one in rows} <= {"", *CODES}
