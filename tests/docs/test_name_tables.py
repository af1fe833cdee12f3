"""The pages for who comes from AgentScope Java and Agents-Flex: their tables of names are true."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from inspect import getmembers, isclass

import pytest

import dragoman
from dragoman.message import Msg
from dragoman.suggestions.import_names import HINTS

from .pages import DOCS, FOLDERS, blocks, plain, rows

# a name of a table may be one that a module of ours had
pytestmark = pytest.mark.filterwarnings("ignore:dragoman:DeprecationWarning")
PAGES = ("coming-from-agentscope-java", "coming-from-agents-flex", "why-two-classes")
TABLES = PAGES[:2]
MODULES = [import_module(f"dragoman{name}") for name in (
    "", ".message", ".formatter", ".toolkit", ".history", ".capabilities", ".errors", ".vendors",
    ".model", ".llm",
)]  # fmt: skip
CODE = re.compile(r"`([^`]+)`")
DOTTED = re.compile(r"(?<![\w\"'.])((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(?=[\[(]|$)")
# names of the languages, of what is passed, and of a client's answer
OTHER = {"T", "await", "answer", "calls", "path", "sdk"}


def page(language: str, name: str) -> str:
    return (FOLDERS[language] / f"{name}.md").read_text("utf-8")


def table(language: str, name: str) -> list[list[str]]:
    """The rows of the first table: the names."""
    heading = r"(?m)^## (?:The names|名字对照)$"
    section = re.split(heading, page(language, name))[1].partition("\n## ")[0]
    return rows(section)[1:]


def known(dotted: str) -> bool:
    """Whether it is a name of ours: of a module, or of what one of its classes has."""
    head, _, rest = (
        dotted.removeprefix("dragoman.toolkit.").removeprefix("formatter.").partition(".")
    )
    for module in MODULES:
        found = getattr(module, head, None)
        if found is None or (found is module):
            continue
        if not rest or hasattr(found, rest) or rest in getattr(found, "__annotations__", ()):
            return True
    classes = [cls for module in MODULES for _, cls in getmembers(module, isclass)]
    wires = [dragoman.formatter.DashScopeChatFormatter, dragoman.Wire, *classes]
    return not rest and any(hasattr(cls, head) for cls in wires)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", TABLES)
def test_every_name_that_the_table_gives_is_there(name: str, language: str) -> None:
    for row in table(language, name):
        for code in CODE.findall(row[1]):
            if code.startswith('"'):
                assert Msg("", "", ast.literal_eval(code)).role == ast.literal_eval(code)
                continue
            for dotted in DOTTED.findall(code):
                last = dotted.rpartition(".")[2]
                assert last in OTHER or known(dotted), f"{code} in {row}"


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", TABLES)
def test_a_hint_that_points_to_a_table_finds_its_name_there(name: str, language: str) -> None:
    title = {"coming-from-agentscope-java": "AgentScope Java", "coming-from-agents-flex":
             "Agents-Flex"}[name]  # fmt: skip
    listed = " ".join(row[0] for row in table(language, name))
    pointing = [foreign for foreign, hint in HINTS.items() if f"Coming from {title} has" in hint]
    assert len(pointing) > 1
    assert [foreign for foreign in pointing if f"{foreign}" not in listed] == []


@pytest.mark.parametrize("name", PAGES)
def test_both_languages_have_the_same_headings_blocks_and_rows(name: str) -> None:
    english, chinese = page("en", name), page("zh", name)
    assert [block.text for block in blocks(english)] == [block.text for block in blocks(chinese)]
    depths = [re.findall(r"(?m)^(#+) ", plain(text)) for text in (english, chinese)]
    assert depths[0] == depths[1]
    assert len(rows(english)) == len(rows(chinese))
    assert len(re.findall(r"[\u4e00-\u9fff]", plain(chinese))) > 400


@pytest.mark.parametrize("name", PAGES)
def test_the_readme_leads_to_the_page(name: str) -> None:
    readme = (DOCS.parent / "README.md").read_text("utf-8")
    assert f"docs/{name}.md" in readme
    assert f"docs/zh/{name}.md" in readme
