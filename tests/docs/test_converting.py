"""docs/*/converting.md: both languages run the same code, and every figure and command is told.

That the code and the commands run and print what the page says is tested with the other pages.
"""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from dragoman import analysis
from dragoman.analysis.fidelity import WirePair
from dragoman.cli import app

from .pages import FOLDERS, ROOT, blocks, rows

PAGES = {name: (folder / "converting.md").read_text("utf-8") for name, folder in FOLDERS.items()}
WORDS = re.compile(r"`([^`]+)`")
REMARK = re.compile(r"#.*")
# commands of other pages
OURS = ("format", "read", "wires", "demo", "explain", "matrix", "ask", "chat", "serve", "play",
        "view", "export", "trust")  # fmt: skip


def test_both_languages_run_the_same_code() -> None:
    code = [[(block.info, REMARK.sub("", block.text)) for block in blocks(page)]
            for page in PAGES.values()]  # fmt: skip
    assert len(code[0]) > 20
    assert code[0] == code[1]


@pytest.mark.parametrize("language", PAGES)
def test_every_figure_of_a_pair_is_told(language: str) -> None:
    told = {word for cells in rows(PAGES[language]) for word in WORDS.findall(cells[0])}
    apart = {"kind", "source", "target", "count", "weight", "codes", "examples"}
    assert {f.name for f in fields(WirePair)} - apart <= told


@pytest.mark.parametrize("language", PAGES)
def test_every_command_that_converts_is_shown_with_its_exit_codes(language: str) -> None:
    names = {one.name for one in app.registered_commands} - set(OURS)
    assert len(names) == 5
    [shell] = [block.text for block in blocks(PAGES[language]) if block.info == "sh"]
    assert {line.split()[1] for line in shell.splitlines()} == names
    [heads] = [cells for cells in rows(PAGES[language]) if "`convert`" in cells]
    assert {word for cell in heads for word in WORDS.findall(cell)} == names


@pytest.mark.parametrize("language", PAGES)
def test_every_question_of_the_analysis_stands_there(language: str) -> None:
    asked = {name for name in analysis.__all__ if name.islower()} - {"sourcemap"}
    text = PAGES[language]
    assert (
        sorted(name for name in asked if f"analysis.{name}" not in text and f"`{name}" not in text)
        == []
    )


@pytest.mark.parametrize("page", ["docs/answers.md", "docs/zh/answers.md"])
def test_the_page_is_found(page: str) -> None:
    assert "converting.md)" in (ROOT / page).read_text("utf-8")
