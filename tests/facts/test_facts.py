"""The comparison itself: what counts as a difference, what excuses it, what is passed over."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.facts.__main__ import Better, better, differences, run
from tests.facts.tables import OURS, TABLES, Claim, NotInstalled, version

SEES = Claim("table 1.0", "openai", "gpt-5.6", "sees", True)
BLIND = Claim("table 1.0", "openai", "gpt-5.6", "sees", False)
EXCUSE = Better("table", "openai", "gpt-5.*", "sees", "we have tried it")


def said(*claims: Claim, known: list[Better] | None = None) -> tuple[int, list[str]]:
    lines: list[str] = []
    return run({"table": lambda: claims}, known or [], lines.append), lines


def test_what_is_equal_is_not_named() -> None:
    assert said(SEES) == (0, ["1 claims, 0 differences that stand in no list"])


def test_a_difference_is_named_with_both_sources() -> None:
    count, (line, _) = said(BLIND)
    assert count == 1
    assert line.startswith("openai: gpt-5.6: sees: False by table 1.0, True by OpenAI")
    assert "(2026-07-09)" in line


def test_what_we_know_better_is_excused_and_nothing_else() -> None:
    assert said(BLIND, known=[EXCUSE])[0] == 0
    other = Claim("table 1.0", "openai", "gpt-4o", "sees", False)
    assert said(BLIND, other, known=[EXCUSE])[0] == 1


def test_an_excuse_that_nothing_needs_is_named() -> None:
    count, lines = said(SEES, known=[EXCUSE])
    assert count == 0
    assert lines[0] == "no longer needed: table, openai, gpt-5.*, sees"


def test_a_package_that_is_not_installed_is_passed_over() -> None:
    def table() -> Iterator[Claim]:
        version("a-package-that-nobody-has")
        yield SEES

    lines: list[str] = []
    assert run({"table": table}, [EXCUSE], lines.append) == 0
    assert lines[0] == "skipped: a-package-that-nobody-has is not installed"
    with pytest.raises(NotInstalled):
        version("a-package-that-nobody-has")


def test_a_name_without_a_fact_is_a_difference() -> None:
    claims = [Claim("t", "openai", name, "known", True) for name in ("gpt-6.2-sol", "somebody-new")]
    assert [one.claim.model for one in differences(claims)] == ["somebody-new"]


@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_every_model_that_an_sdk_names_is_known(name: str) -> None:
    claims = list(TABLES[name]())
    assert len(claims) > 5
    assert [str(one) for one in differences(claims)] == []


def test_each_line_of_what_we_know_better_has_its_reason() -> None:
    lines = better()
    assert all(len(one.why) > 20 for one in lines)
    assert {one.table for one in lines} <= set(TABLES)
    assert {one.about for one in lines if "*" not in one.about} <= set(OURS)
