"""docs/losses.md is up to date, says of each code what the code says, and leads somewhere."""

from __future__ import annotations

import re

from dragoman.losses.codes import CODES
from dragoman.losses.codes.code import KINDS

from .losses import PAGE, page
from .pages import ROOT, plain, rows


def test_the_page_is_up_to_date() -> None:
    written = PAGE.read_text("utf-8") if PAGE.is_file() else ""
    assert written == page(), "python -m tests.docs.losses --write"


def test_every_code_has_its_section_under_its_kind() -> None:
    found: dict[str, str] = {}
    kind = ""
    for line in PAGE.read_text("utf-8").splitlines():
        if line.startswith("## "):
            kind = line.removeprefix("## ").lower()
        elif line.startswith("### "):
            found[line.removeprefix("### ")] = kind
    assert found == {code: row.kind for code, row in CODES.items()}


def test_every_section_says_what_it_means_and_what_to_do() -> None:
    sections = re.split(r"(?m)^### ", PAGE.read_text("utf-8"))[1:]
    for section in sections:
        row = CODES[section.splitlines()[0]]
        assert f"{row.meaning[1:]}." in section
        assert f"**What to do:** {row.fix}" in section
        assert f"\n{row.kind} {row.name} at $" in section, "its example with the loss"


def test_links_lead_to_their_sections() -> None:
    text = plain(PAGE.read_text("utf-8"))
    # as GitHub makes anchors of headings: without the full stops
    anchors = {line[4:].replace(".", "") for line in text.splitlines() if line.startswith("### ")}
    links = re.findall(r"\]\(#([^)]+)\)", text)
    assert len(links) == len(CODES)
    assert set(links) == anchors


def test_every_kind_is_explained() -> None:
    kinds = {row[0]: row for row in rows(PAGE.read_text("utf-8")) if row[0] in KINDS}
    assert list(kinds) == list(KINDS)
    assert all(len(row) == 4 and all(row) for row in kinds.values())


def test_the_readme_leads_to_the_page() -> None:
    assert "(docs/losses.md)" in (ROOT / "README.md").read_text("utf-8")
