"""docs/error-rows.md lists every row of the table of errors; docs/errors.md explains the kinds."""

from __future__ import annotations

import re

import pytest

from dragoman import errors
from dragoman.errors import ProviderError

from .errors import PAGE, all_rows, page
from .pages import FOLDERS, rows

PAGES = {name: (folder / "errors.md").read_text("utf-8") for name, folder in FOLDERS.items()}


def test_the_rows_are_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == page(), "python -m tests.docs.errors --write"


def test_every_row_is_listed_with_its_date_and_source() -> None:
    text = PAGE.read_text("utf-8")
    assert len(all_rows()) > 150
    for row in all_rows():
        assert f"| {', '.join(row.hosts)} | {row.since} | {row.source} |" in text
        assert row.text in text
        assert row.code in text


@pytest.mark.parametrize("language", PAGES)
def test_every_kind_and_every_class_of_a_provider_is_explained(language: str) -> None:
    cells = [cell for row in rows(PAGES[language]) for cell in row]
    named = {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}
    kinds = {one.kind for one in all_rows()}
    classes = {
        name for name, found in vars(errors).items()
        if isinstance(found, type) and issubclass(found, ProviderError)
    }  # fmt: skip
    assert len(classes) > 8
    assert (kinds | classes) - named == set()


@pytest.mark.parametrize("language", PAGES)
def test_no_row_is_repeated_on_the_page_for_users(language: str) -> None:
    """A new row is a file of rows and one generated page: no Chinese prose."""
    assert PAGES[language].count("\n") < 200
    assert "error-rows.md" in PAGES[language]
