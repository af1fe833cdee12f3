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
from pathlib import Path

import pytest

__all__ = ["COVERAGE", "Demand", "collected", "demands", "missing", "page", "unknown"]

ROOT = Path(__file__).resolve().parents[2]
COVERAGE = ROOT / "docs" / "coverage.md"
_LIST = Path(__file__).with_name("demands.txt")
_MARK = "demand> "

_HEAD = """\
# What the documents ask for, and the tests that show it

Dragoman began with five documents about formatters. Each row is one thing that they ask for.

| number | document |
|---|---|
| 000 | AgentScope Java: formatter internals, Chinese |
| 001 | AgentScope Python 1.x: formatter tutorial, Chinese |
| 002 | AgentScope, a book chapter: why the formatter is separate from the model, Chinese |
| 003 | Agents-Flex: ChatMessageSerializer, Chinese |
| 004 | AgentScope Java: formatter internals, English (000 in another language) |

This page is generated from the tests (`python -m tests.documents.coverage --write`); a test fails \
when it is out of date, or when a demand that is due has no test.
"""


@dataclass(frozen=True)
class Demand:
    """One thing that the documents ask for; `later` says when it comes, if it is not due yet."""

    number: str
    documents: str
    text: str
    later: str = ""


def demands(path: Path = _LIST) -> list[Demand]:
    """All demands, in the order of their numbers."""
    lines = [line for line in path.read_text("utf-8").splitlines() if line.startswith("S")]
    return [Demand(*(part.strip() for part in line.split("|"))) for line in lines]


def missing(listed: Iterable[Demand], shown: Mapping[str, object]) -> list[str]:
    """Demands that are due and that no test shows."""
    return [demand.number for demand in listed if not demand.later and demand.number not in shown]


def unknown(listed: Iterable[Demand], shown: Mapping[str, object]) -> list[str]:
    """Numbers that a test names and that are no demand, or one that is said to come later."""
    due = {demand.number for demand in listed if not demand.later}
    return sorted(set(shown) - due)


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
    """The text of docs/coverage.md."""
    rows = ["| demand | documents | what | shown by |", "|---|---|---|---|"]
    for demand in listed:
        if demand.later:
            by = f"comes with {demand.later}"
        else:
            by = "<br>".join(map(_link, sorted(shown.get(demand.number, [])))) or "**nothing**"
        rows.append(f"| {demand.number} | {demand.documents} | {demand.text} | {by} |")
    return "\n".join([_HEAD, *rows, ""])


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
        print(f"{number} is due and has no test", file=sys.stderr)
    text = page(listed, shown)
    if chosen.write:
        COVERAGE.write_text(text, "utf-8")
    else:
        print(text)
    return 1 if missing(listed, shown) or unknown(listed, shown) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
