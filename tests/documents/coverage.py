"""docs/coverage.md: which test shows which demand of the documents.

    python -m tests.documents.coverage --write

Tests name demands by `@pytest.mark.demand("S1", ...)`; demands.txt lists them all. Knows no test.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import pytest

__all__ = ["COVERAGE", "Demand", "collected", "demands", "missing", "page", "unknown"]

ROOT = Path(__file__).resolve().parents[2]
COVERAGE = ROOT / "docs" / "coverage.md"
_LIST = Path(__file__).with_name("demands.txt")
_MARK = "demand> "

_HEAD = """\
# Which test shows what the first documents ask for

Dragoman began with five documents about formatters, which are not part of the repository. Each row \
is one thing that they ask for, in our words, with the tests that show it.

This page is generated from the tests (`python -m tests.documents.coverage --write`). A test fails \
when the page is out of date, or when a row has no test.
"""
_TITLES = {
    "000": "000 and 004: AgentScope Java, formatter internals, in Chinese and in English",
    "001": "001: AgentScope Python 1.x, formatter tutorial",
    "002": "002: AgentScope, a book chapter on why the formatter is separate from the model",
    "003": "003: Agents-Flex, ChatMessageSerializer",
}


@dataclass(frozen=True)
class Demand:
    """One thing that the documents ask for, with their numbers: "000, 004"."""

    number: str
    documents: str
    text: str


def demands(path: Path = _LIST) -> list[Demand]:
    """All demands, in the order of their numbers."""
    lines = [line for line in path.read_text("utf-8").splitlines() if line.startswith("S")]
    return [Demand(*(part.strip() for part in line.split("|"))) for line in lines]


def missing(listed: Iterable[Demand], shown: Mapping[str, object]) -> list[str]:
    """Demands that no test shows."""
    return [demand.number for demand in listed if demand.number not in shown]


def unknown(listed: Iterable[Demand], shown: Mapping[str, object]) -> list[str]:
    """Numbers that a test names and that are no demand."""
    return sorted(set(shown) - {demand.number for demand in listed})


class _Collector:
    """A pytest plugin that prints the demands of every collected test."""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            for mark in item.iter_markers("demand"):
                print(f"{_MARK}{item.nodeid.partition('[')[0]} {' '.join(mark.args)}")


def collected() -> dict[str, list[str]]:
    """The tests that name each number, as `tests/...py::test_name`; asks a pytest of its own."""
    files = sorted(path for path in (ROOT / "tests").rglob("*.py") if _names_demands(path))
    asked = subprocess.run(
        [sys.executable, "-m", "tests.documents.coverage", "--collect", *map(str, files)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if asked.returncode != 0:
        raise RuntimeError(f"pytest could not collect the tests:\n{asked.stdout}{asked.stderr}")
    found: dict[str, list[str]] = {}
    for line in asked.stdout.splitlines():
        if line.startswith(_MARK):
            test, *numbers = line.removeprefix(_MARK).split()
            for number in numbers:
                tests = found.setdefault(number, [])
                if test not in tests:
                    tests.append(test)
    return found


def _names_demands(path: Path) -> bool:
    return path.name.startswith("test_") and "mark.demand(" in path.read_text("utf-8")


def page(listed: Iterable[Demand], shown: Mapping[str, list[str]]) -> str:
    """The text of docs/coverage.md: a table for each document."""
    parts = [_HEAD]
    for document, rows in groupby(listed, lambda demand: demand.documents[:3]):
        parts += [f"## {_TITLES[document]}\n", "| number | what | tests |", "|---|---|---|"]
        parts += [_row(demand, shown.get(demand.number, [])) for demand in rows]
        parts.append("")
    return "\n".join(parts)


def _row(demand: Demand, tests: list[str]) -> str:
    links = "<br>".join(map(_link, sorted(tests))) or "**nothing**"
    text = f"{demand.text} (000 alone)" if demand.documents == "000" else demand.text
    return f"| {demand.number} | {text} | {links} |"


def _link(test: str) -> str:
    path, _, name = test.partition("::")
    return f"[{name.rpartition('::')[2]}](../{path})"


def main(arguments: list[str]) -> int:
    """Write the page, or (for `collected`) print the demands of some test files."""
    parser = argparse.ArgumentParser(description="Which test shows which demand.")
    parser.add_argument("--write", action="store_true", help="write docs/coverage.md")
    parser.add_argument("--collect", nargs="+", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.collect:
        options = ["--collect-only", "-q", "-p", "no:cacheprovider"]
        return int(pytest.main([*options, *chosen.collect], plugins=[_Collector()]))
    listed, shown = demands(), collected()
    for number in missing(listed, shown):
        print(f"{number} has no test", file=sys.stderr)
    text = page(listed, shown)
    if chosen.write:
        COVERAGE.write_text(text, "utf-8")
    else:
        print(text)
    return 1 if missing(listed, shown) or unknown(listed, shown) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
