"""docs/tour.md quotes real lines, names real files, and passes every module."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.each_case import each_case

from .pages import DOCS, ROOT, Block, anchors, blocks, pages, plain

PACKAGE = ROOT / "src" / "dragoman"
TOUR = (DOCS / "tour.md").read_text("utf-8")
GAP = "..."
QUOTE = "python src/"
PATH = re.compile(r"`([\w./-]+(?:/|\.(?:py|pyi|md|toml|json)))`")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
SECTION = re.compile(r"\]\(([^)#:]*)#([^)]*)\)")


def runs(text: str) -> list[list[str]]:
    """The lines of a quote, cut where it leaves something out."""
    made: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.strip() == GAP:
            made.append([])
        else:
            made[-1].append(line)
    return made


def stands_in(lines: list[str], file: list[str]) -> bool:
    """Whether the lines stand one after the other in a file, at any indentation."""
    assert lines, "an empty quote"
    for start in range(len(file) - len(lines) + 1):
        indent = file[start].removesuffix(lines[0])
        if not indent.isspace() and indent:
            continue
        wanted = [indent + line if line else "" for line in lines]
        if file[start : start + len(lines)] == wanted:
            return True
    return False


def gone(block: Block, root: Path = ROOT) -> list[str]:
    """The runs of a quote that its file does not hold, or no longer."""
    name = block.info.removeprefix("python ")
    file = (root / name).read_text("utf-8").splitlines()
    return [f"{name}: {run[0]}" for run in runs(block.text) if not stands_in(run, file)]


QUOTES = {
    f"{page.name}:{block.line}": block
    for page in pages()
    for block in blocks(page.read_text("utf-8"))
    if block.info.startswith(QUOTE)
}


@pytest.mark.parametrize("block", QUOTES.values(), ids=QUOTES)
def test_quoted_lines_stand_in_their_file(block: Block) -> None:
    assert gone(block) == []


def test_the_tour_quotes_every_station() -> None:
    quoted = {block.info.split("/")[2] for block in QUOTES.values()}
    assert {"message", "vendors", "codec", "history", "protocols", "losses"} <= quoted


def test_every_file_that_the_tour_names_is_there() -> None:
    named = set(PATH.findall(plain(TOUR)))
    assert len(named) > 30
    there = [(ROOT / name).exists() or (PACKAGE / name).exists() for name in named]
    assert [name for name, is_there in zip(named, there, strict=True) if not is_there] == []


def test_the_tour_passes_every_module() -> None:
    paths = PATH.findall(TOUR)
    named = {name.split("/")[0] for name in paths} | {name.rstrip("/") for name in paths}
    modules = {path.name for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert modules - named - {"__init__.py", "__pycache__"} == set()


@each_case("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    links = LINK.findall(plain(page.read_text("utf-8")))
    assert [link for link in links if not (page.parent / link).exists()] == []


@each_case("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_sections(page: Path) -> None:
    links = SECTION.findall(plain(page.read_text("utf-8")))
    there = {name: anchors((page.parent / (name or page.name)).read_text()) for name, _ in links}
    assert [f"{name}#{section}" for name, section in links if section not in there[name]] == []


def test_a_section_is_named_as_github_names_it() -> None:
    page = "# One page\n\n## 7. `x.y`: what?\n\n```sh\n# no head\n```\n\n### \u89d2\u8272\n"
    assert anchors(page) == {"one-page", "7-xy-what", "\u89d2\u8272"}


def test_a_changed_line_is_found(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("def f():\n    x = 1\n\n    return x\n")

    def left(text: str) -> list[str]:
        return gone(Block("python src/a.py", text, 1), tmp_path)

    assert left("x = 1\n\nreturn x\n") == []
    assert left("    x = 1\n") == []
    assert left("def f():\n...\n    return x\n") == []
    assert left("x = 1\nreturn x\n") == ["src/a.py: x = 1"]
    assert left("def f():\n...\nreturn y\n") == ["src/a.py: return y"]
    assert left("= 1\n") == ["src/a.py: = 1"]
