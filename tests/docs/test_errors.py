"""docs/errors.md lists every row of the table of errors, in both languages."""

from __future__ import annotations

import pytest

from .errors import HEADS, all_rows, page, path


@pytest.mark.parametrize("language", HEADS)
def test_the_rows_are_up_to_date(language: str) -> None:
    assert path(language).read_text("utf-8") == page(language), (
        "python -m tests.docs.errors --write"
    )


@pytest.mark.parametrize("language", HEADS)
def test_every_row_is_listed_with_its_date_and_source(language: str) -> None:
    section = path(language).read_text("utf-8").partition(HEADS[language])[2]
    assert len(all_rows()) > 150
    for row in all_rows():
        assert f"| {', '.join(row.hosts)} | {row.since} | {row.source} |" in section
        assert row.text in section
        assert row.code in section
