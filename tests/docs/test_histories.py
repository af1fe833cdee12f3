"""docs/*/histories.md: both languages run the same code; strategies, figures, counters are told.

That the code runs and prints what the page says is tested with the other pages.
"""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

import dragoman.tokens
from dragoman.formatter.fitting import Receipt
from dragoman.history import truncate

from .pages import FOLDERS, ROOT, blocks, rows

PAGES = {name: (folder / "histories.md").read_text("utf-8") for name, folder in FOLDERS.items()}
WORDS = re.compile(r"`(\w+)(?:\([^`]*\))?`")
REMARK = re.compile(r" *#.*")


def first_words(page: str) -> set[str]:
    """What stands as code in the first cells of the tables."""
    return {word for cells in rows(page) for word in WORDS.findall(cells[0])}


def test_both_languages_run_the_same_code() -> None:
    code = [[(block.info, REMARK.sub("", block.text)) for block in blocks(page)]
            for page in PAGES.values()]  # fmt: skip
    assert len(code[0]) > 10
    assert code[0] == code[1]


@pytest.mark.parametrize("language", PAGES)
def test_every_strategy_is_told(language: str) -> None:
    made = {name for name in truncate.__all__ if hasattr(getattr(truncate, name), "candidates")}
    assert {"DropOldest", "KeepFirst"} <= made
    assert made - {"Truncation"} <= first_words(PAGES[language])


@pytest.mark.parametrize("language", PAGES)
def test_every_figure_of_a_receipt_is_told(language: str) -> None:
    named = {word for cells in rows(PAGES[language]) for word in WORDS.findall(" ".join(cells))}
    assert {f.name for f in fields(Receipt)} | {"freed"} <= named


@pytest.mark.parametrize("language", PAGES)
def test_every_counter_is_told(language: str) -> None:
    counters = {name for name in dragoman.tokens.__all__ if name.endswith("Counter")}
    assert len(counters) > 5
    assert counters - {"SumTokenCounter"} <= first_words(PAGES[language])


@pytest.mark.parametrize("page", ["README.md", "docs/models.md", "docs/zh/models.md"])
def test_the_page_is_found(page: str) -> None:
    assert "histories.md)" in (ROOT / page).read_text("utf-8")
