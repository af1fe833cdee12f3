"""docs/*/sessions.md: both languages run the same code, and tell every field of a CacheBreak.

That the code runs and prints what the page says is tested with the other pages.
"""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from dragoman.analysis import CacheBreak

from .pages import FOLDERS, blocks, rows

PAGES = {name: (folder / "sessions.md").read_text("utf-8") for name, folder in FOLDERS.items()}
WORD = re.compile(r"`(\w+)`")


def test_both_languages_run_the_same_code() -> None:
    one, other = ([(b.info, b.text) for b in blocks(page)] for page in PAGES.values())
    assert one == other


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_every_field_is_told(page: str) -> None:
    told = {word for cells in rows(page) for word in WORD.findall(cells[0])}
    assert told == {field.name for field in fields(CacheBreak)} - {"wire", "counted"}
