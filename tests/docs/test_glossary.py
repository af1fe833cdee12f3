"""docs/zh/glossary.md: one word for one term on all Chinese pages, and prose that reads as Chinese.

Code, links and comments do not count; nor does the page itself, which names what is not written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.each_case import each_case

from .pages import FOLDERS, rows

GLOSSARY = FOLDERS["zh"] / "glossary.md"
PAGES = {path.name: path.read_text("utf-8") for path in sorted(FOLDERS["zh"].glob("*.md"))
         if path != GLOSSARY}  # fmt: skip
NO_PROSE = re.compile(r"(?ms)^```.*?^```|`[^`\n]*`|\]\([^)]*\)|<!--.*?-->")
HISTORY = re.compile(r"历史.{0,4}截断|截断.{0,4}历史")  # a history is 裁剪, an answer 截断


def tables() -> Iterator[tuple[str, str, str]]:
    """(English, what is written, what is not) of each row of the two tables."""
    for table in GLOSSARY.read_text("utf-8").split("\n\n"):
        if table.startswith("|"):
            for english, *cells in rows(table)[1:]:
                yield english, cells[0], cells[1]


def words(cell: str) -> list[str]:
    return [word for word in re.split(r"[，、]", cell) if word]


def faults(page: str) -> list[str]:
    """The words of a page that the glossary does not write."""
    prose = NO_PROSE.sub("", page)
    found = [f"{word}: {written}" for _, written, unwritten in tables()
             for word in words(unwritten) if word in prose]  # fmt: skip
    return found + [f"{one}: 裁剪" for one in HISTORY.findall(prose)]


@each_case("name", PAGES)
def test_a_page_keeps_to_the_glossary(name: str) -> None:
    assert faults(PAGES[name]) == []


def test_what_is_written_is_used() -> None:
    whole = "".join(NO_PROSE.sub("", page) for page in PAGES.values())
    listed = [*tables()]
    assert len(listed) > 15
    assert [row for row in listed if not any(word in whole for word in words(row[1]))] == []


@pytest.mark.parametrize("page", ["每种线路", "一个词元", "服务商的字段", "截断历史", "它说出路径"])
def test_another_word_for_a_term_is_found(page: str) -> None:
    assert faults(page) != []


def test_code_and_links_do_not_count() -> None:
    assert faults("`线路` [x](线路.md)\n```text\n线路\n```\n") == []
