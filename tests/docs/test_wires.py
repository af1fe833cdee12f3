"""docs/wires.md is what the code says, and nothing in it ages by itself."""

from __future__ import annotations

import dragoman
from dragoman.capabilities.families import FAMILIES
from dragoman.losses.codes import CODES
from dragoman.vendors import PROTOCOLS, VENDORS, vendor

from .pages import blocks, rows
from .wire_pages import FOLDER, TITLES, table, wire_pages
from .wires import PAGE, listed, page


def test_the_page_is_up_to_date() -> None:
    written = PAGE.read_text("utf-8") if PAGE.is_file() else ""
    assert written == page(), "python -m tests.docs.wires --write"


def test_each_protocol_has_a_page_that_is_up_to_date() -> None:
    made = wire_pages(listed())
    assert {path.stem for path in made} == {*PROTOCOLS} == {*TITLES}
    written = {path: path.read_text("utf-8") for path in FOLDER.glob("*.md")}
    assert written == made, "python -m tests.docs.wires --write"


def test_the_page_of_a_protocol_shows_a_request_that_its_wire_reads() -> None:
    for path, text in wire_pages(listed()).items():
        [block] = [block for block in blocks(text) if block.info == "json"]
        request = dragoman.wire(path.stem, policy="ignore").read_request(block.text)
        assert [call.name for m in request.messages for call in m.calls] == ["warmth"]
        assert [getattr(one, "name", "") for one in request.tools] == ["warmth"]
        named = {row[1].strip("`") for row in rows(text) if row[0] in ("dropped", "moved", "added")}
        assert named <= set(CODES)
        assert named
        assert "## Sources\n\n- " in text


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
