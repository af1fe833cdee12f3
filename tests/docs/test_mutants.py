"""docs/mutants.md speaks of groups, files, functions and lines that are there, and adds up."""

from __future__ import annotations

import ast
import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.each_case import each_case
from tests.mutants.groups import GROUPS

from .pages import DOCS, ROOT, rows

PAGE = (DOCS / "mutants.md").read_text("utf-8")
PACKAGE = ROOT / "src" / "dragoman"
SPAN = re.compile(r"``(?: )?(.+?)(?: )?``|`([^`]+)`")
SECTIONS = {
    part.partition("\n")[0]: rows(part.replace("\\|", "\0"))[1:]
    for part in re.split(r"(?m)^## ", PAGE)[1:]
}
LEFT = [(name, row) for name, table in SECTIONS.items() for row in table]


def spans(cell: str) -> list[str]:
    """What a cell quotes."""
    return [(one or two).replace("\0", "|") for one, two in SPAN.findall(cell)]


def function(file: Path, name: str) -> str:
    """The source of a function, or of a method: `Class.method`."""
    text = file.read_text("utf-8")
    body: list[ast.stmt] = ast.parse(text).body
    found: ast.stmt | None = None
    for part in name.split("."):
        found = next(node for node in body if getattr(node, "name", "") == part)
        body = getattr(found, "body", [])
    assert found is not None
    return ast.get_source_segment(text, found) or ""


def test_every_group_and_its_figures() -> None:
    table = [row for row in rows(PAGE.partition("## ")[0]) if row[0].startswith("`")]
    assert [spans(row[0])[0] for row in table] == list(SECTIONS) == list(GROUPS)
    for _, mutants, killed, left, share, _ in table:
        assert int(mutants) == int(killed) + int(left)
        assert float(share.removesuffix(" %")) == pytest.approx(
            100 * int(killed) / int(mutants), abs=0.05
        )
        assert int(killed) >= 0.85 * int(mutants)


def test_every_path_of_a_group_is_there() -> None:
    for group in GROUPS.values():
        assert all(list(PACKAGE.glob(one)) for one in group.modules)
        for one in (*group.tests, *group.without):
            file, _, test = one.partition("::")
            assert (ROOT / "tests" / file).exists(), one
            assert f"def {test}" in (ROOT / "tests" / file).read_text("utf-8") if test else True


@each_case(("section", "row"), LEFT)
def test_what_is_left_stands_there(section: str, row: list[str]) -> None:
    """A row quotes the piece that was changed; where that piece has gone, so has its reason."""
    where, change, why = row
    file, _, name = spans(where)[0].partition(": ")
    assert any(fnmatch(file, one) for one in GROUPS[section].modules)
    said = " ".join(function(PACKAGE / file, name).split())
    assert " ".join(spans(change)[0].split()) in said
    assert len(why) > 3
