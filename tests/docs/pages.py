"""Pages as tests see them: fenced blocks with their info string and line, tables, links.

    ```python            runs, in one namespace for the whole page
    ```output            what the block before it prints
    ```python no-run     needs a client or a network; it must compile
    ```python staged     finds names that its own test gives it: test_api.py
    ```sh staged         asks a model: test_terminal.py has a server for it
    ```python a/file.py  quotes a file; ` ... ` lines leave something out

Knows no page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["DOCS", "FOLDERS", "ROOT", "Block", "anchors", "blocks", "pages", "plain", "rows"]

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FOLDERS = {"en": DOCS, "zh": DOCS / "zh"}  # of each language
_FENCE = re.compile(r"(?ms)^```([^\n`]*)\n(.*?)^```$")
_RULE = re.compile(r"\|[\s:|-]+\|")


@dataclass(frozen=True)
class Block:
    """A fenced block: its info string, its text, and the line where the text begins."""

    info: str
    text: str
    line: int


def pages() -> list[Path]:
    """The README and every page below docs/."""
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    for found in _FENCE.finditer(page):
        yield Block(found[1], found[2], page.count("\n", 0, found.start(2)) + 1)


def anchors(page: str) -> set[str]:
    """What a link may name behind `#`: the headings, spelled as GitHub spells them there."""
    heads = re.findall(r"(?m)^#+ (.+)$", plain(page))
    return {re.sub(r"[^\w -]", "", head).lower().replace(" ", "-") for head in heads}


def plain(page: str) -> str:
    """The page without its fenced blocks."""
    return _FENCE.sub("", page)


def rows(page: str) -> list[list[str]]:
    """The cells of every table row; the rules under the heads are left out."""
    lines = [line for line in plain(page).splitlines() if line.startswith("|")]
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines
        if not _RULE.fullmatch(line)
    ]
