"""docs/*/why-dragoman.md and the README's table say of measurements what our pages have."""

from __future__ import annotations

import re

import pytest

from .pages import DOCS, FOLDERS, ROOT, rows

PAGES = {name: (folder / "why-dragoman.md").read_text("utf-8") for name, folder in FOLDERS.items()}
README = (ROOT / "README.md").read_text("utf-8")
OTHERS = ("LiteLLM", "pydantic-ai", "AI SDK", "Bifrost")


def scores() -> list[tuple[int, int]]:
    """(passed, of all) in `llm-comply`, of ours, LiteLLM and llm-rosetta, in that order."""
    table = rows((DOCS / "gateway-compliance.md").read_text("utf-8"))
    cells = [row[2:5] for row in table if row[0].startswith("llm-comply")]
    assert len(cells) > 15
    found = []
    for column in zip(*cells, strict=True):
        pairs = [cell.split("/") for cell in column]
        found.append((sum(int(one) for one, _ in pairs), sum(int(all_) for _, all_ in pairs)))
    return found


def translated(gateway: str) -> list[float]:
    """How many times our CPU time a translated call takes, each way."""
    page = (DOCS / "performance.md").read_text("utf-8")
    table = page.partition("### A gateway: ms of CPU for a whole call")[2].partition("\n### ")[0]
    [found] = [row[1:3] for row in rows(table) if row[0] == gateway]
    return [float(re.findall(r"\(([\d.]+)\)", cell)[0]) for cell in found]


@pytest.mark.parametrize("language", PAGES)
def test_the_scores_are_those_of_the_suites(language: str) -> None:
    [row] = [row for row in rows(PAGES[language]) if "llm-comply" in row[0]]
    numbers = [tuple(map(int, re.findall(r"\d+", cell))) for cell in row[1:4]]
    assert numbers == scores()


@pytest.mark.parametrize("language", PAGES)
def test_the_times_are_those_of_the_benchmark(language: str) -> None:
    [row] = [row for row in rows(PAGES[language]) if "CPU" in row[0] and row[1] == "1"]
    for cell, gateway in zip(row[2:4], ("LiteLLM", "llm-rosetta"), strict=True):
        about = float(re.findall(r"[\d.]+", cell)[0])
        assert all(0.7 * about <= times <= 1.4 * about for times in translated(gateway))


def test_the_readme_says_the_same() -> None:
    table = rows(README)
    assert any({*OTHERS} <= {*row} for row in table)
    [time] = [row for row in table if row[0].startswith("CPU time")]
    about = float(re.findall(r"\[about ([\d.]+)\]", time[2])[0])
    assert all(0.7 * about <= times <= 1.4 * about for times in translated("LiteLLM"))
    assert "(docs/why-dragoman.md)" in README


@pytest.mark.parametrize("language", PAGES)
def test_every_statement_about_others_has_a_source(language: str) -> None:
    table = [row for row in rows(PAGES[language]) if row[0].startswith(OTHERS)]
    assert len(table) >= 2 * len(OTHERS)
    assert [row for row in table if "](http" not in row[-1]] == []
    assert re.search(r"20\d\d-\d\d-\d\d", PAGES[language])


def test_both_languages_have_the_same_sources() -> None:
    links = [re.findall(r"\]\((https?://[^)]+)\)", page) for page in PAGES.values()]
    assert links[0] == links[1]
