"""docs/coverage.md is true and up to date: every demand has a test that names it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from .coverage import COVERAGE, Demand, collected, demands, missing, page, unknown


@pytest.fixture(scope="module")
def shown() -> dict[str, list[str]]:
    return collected()


def test_every_demand_stands_in_the_list_once() -> None:
    listed = demands()
    assert [demand.number for demand in listed] == [f"S{n}" for n in range(1, 208)]
    assert all(demand.documents and demand.text for demand in listed)
    repeated = Counter(demand.text for demand in listed)
    assert [text for text, times in repeated.items() if times > 1] == []


def test_every_demand_has_a_test(shown: dict[str, list[str]]) -> None:
    assert missing(demands(), shown) == []


def test_tests_name_no_demand_that_is_none(shown: dict[str, list[str]]) -> None:
    assert unknown(demands(), shown) == []


def test_the_page_is_up_to_date(shown: dict[str, list[str]]) -> None:
    written = COVERAGE.read_text("utf-8") if COVERAGE.is_file() else ""
    assert written == page(demands(), shown), "python -m tests.documents.coverage --write"


def test_a_demand_without_a_test_is_found(tmp_path: Path) -> None:
    path = tmp_path / "demands.txt"
    path.write_text("# a list\n\nS1 | 000 | one\nS2 | 000, 004 | two\nS3 | 003 | three\n")
    listed = demands(path)
    assert listed[1] == Demand("S2", "000, 004", "two")
    shown = {"S1": ["tests/a/test_b.py::test_c"], "S3": ["x::y"], "S4": ["x::y"]}
    assert missing(listed, shown) == ["S2"]
    assert unknown(listed, shown) == ["S4"]
    lines = page(listed, shown).splitlines()
    assert [line for line in lines if line.startswith(("| S", "## "))] == [
        "## 000 and 004: AgentScope Java, formatter internals, in Chinese and in English",
        "| S1 | one (000 alone) | [test_c](../tests/a/test_b.py) |",
        "| S2 | two | **nothing** |",
        "## 003: Agents-Flex, ChatMessageSerializer",
        "| S3 | three | [y](../x) |",
    ]
