"""docs/wires.md is what the code says, and nothing in it ages by itself."""

from __future__ import annotations

import dragoman
from dragoman._core.families import FAMILIES
from dragoman.vendors import VENDORS, vendor

from .pages import rows
from .wires import PAGE, listed, page, table


def test_the_page_is_up_to_date() -> None:
    written = PAGE.read_text("utf-8") if PAGE.is_file() else ""
    assert written == page(), "python -m tests.docs.wires --write"


def test_every_wire_stands_in_both_tables() -> None:
    first = [row[0].strip("`") for row in rows(page())]
    for one in listed():
        assert first.count(one.name) >= 2, one.name
    assert {one.name for one in listed()} >= {*dragoman.wires(), *VENDORS}


def test_every_fact_has_its_date_and_its_source() -> None:
    said = page().replace("\\", "")
    for known in (FAMILIES, *(facts for name in VENDORS for facts in vendor(name).facts.values())):
        for fact in known.rows:
            assert f"| {fact.since} | {fact.source} |" in said, fact.source
        assert known.source in said


def test_every_condition_is_shown() -> None:
    shown = {(row[0], row[1]) for row in rows(page()) if len(row) > 4}
    for fact in (fact for fact in FAMILIES.rows if fact.when):
        name = fact.models[0].replace("[-.]", "-")
        assert any(name in models and when == fact.when for models, when in shown), fact.models


def test_nothing_ages_by_itself() -> None:
    assert "days" not in page()
    assert page() == page()


def test_cells_cannot_break_a_table() -> None:
    made = list(table(("a", "b"), [("x|y", "`p|q*`"), ("gpt-*", "<b>")]))
    assert made == ["| a | b |", "|---|---|", "| x\\|y | `p\\|q*` |", "| gpt-\\* | \\<b> |", ""]
