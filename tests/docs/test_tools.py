"""docs/*/tools.md and structured-output.md: both languages are one page, and the tables are whole.

That the code runs and prints what the pages say is tested with the other pages.
"""

from __future__ import annotations

import inspect
import re
from typing import get_args

import pytest

from dragoman import Toolkit
from dragoman.losses.codes import CODES
from dragoman.message.response_format import Way

from .pages import FOLDERS, blocks, plain, rows

CODE = re.compile(r"`([^`]+)`")


def page(language: str, name: str) -> str:
    return (FOLDERS[language] / f"{name}.md").read_text("utf-8")


@pytest.mark.parametrize("name", ["tools", "structured-output"])
def test_both_languages_have_the_same_headings_blocks_and_rows(name: str) -> None:
    english, chinese = page("en", name), page("zh", name)
    assert [block.text for block in blocks(english)] == [block.text for block in blocks(chinese)]
    depths = [re.findall(r"(?m)^(#+) ", plain(text)) for text in (english, chinese)]
    assert depths[0] == depths[1]
    codes = [[CODE.findall(cell) for row in rows(text) for cell in row[:1]]
             for text in (english, chinese)]  # fmt: skip
    assert codes[0] == codes[1]
    assert len(re.findall(r"[\u4e00-\u9fff]", plain(chinese))) > 400


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_way_stands_in_the_table_with_its_losses(language: str) -> None:
    table = {CODE.findall(row[0])[0]: row for row in rows(page(language, "structured-output"))[1:]}
    assert tuple(table) == get_args(Way)
    named = {code for row in table.values() for code in CODE.findall(row[2])}
    assert named <= set(CODES)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_argument_of_a_toolkit_is_told(language: str) -> None:
    told = dict(
        cell.split("=")
        for row in rows(page(language, "tools"))
        for cell in CODE.findall(row[0])
        if "=" in cell
    )
    known = inspect.signature(Toolkit).parameters
    assert told == {name: str(known[name].default) for name in [*known][1:]}
