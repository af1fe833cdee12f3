"""docs/security.md: every test that it names is there, and no claim of a table stands alone."""

from __future__ import annotations

import re

import pytest

from .pages import FOLDERS, plain, rows

NAMED = re.compile(r"\[`(test_\w+)`\]\(([^)]+\.py)\)")
SHOWN = ("shown by", "由谁证明")


def named(language: str) -> list[tuple[str, str]]:
    """(test, file) of every test that the page names."""
    return NAMED.findall(plain((FOLDERS[language] / "security.md").read_text("utf-8")))


@pytest.mark.parametrize("language", FOLDERS)
def test_every_test_that_is_named_is_there(language: str) -> None:
    found = named(language)
    assert len(found) > 40
    missing = [
        (test, file)
        for test, file in found
        if f"def {test}(" not in (FOLDERS[language] / file).read_text("utf-8")
    ]
    assert missing == []


@pytest.mark.parametrize("language", FOLDERS)
def test_every_claim_of_a_table_names_a_test(language: str) -> None:
    page = plain((FOLDERS[language] / "security.md").read_text("utf-8"))
    tables = [rows(text) for text in page.split("\n\n") if text.lstrip().startswith("|")]
    claims = [row for head, *under in tables if head[-1] in SHOWN for row in under]
    assert len(claims) > 35
    assert [row[0] for row in claims if not NAMED.search(row[-1])] == []


def test_both_languages_name_the_same_tests_in_one_order() -> None:
    assert [test for test, _ in named("en")] == [test for test, _ in named("zh")]
