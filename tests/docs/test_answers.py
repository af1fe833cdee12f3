"""docs/*/answers.md: both languages run the same code, and every event, reason and status is told.

That the code runs and prints what the page says is tested with the other pages.
"""

from __future__ import annotations

import re
from dataclasses import fields
from typing import get_args, get_type_hints

import pytest

from dragoman import StreamEvent
from dragoman.message import ChatResponse
from dragoman.message.answer import FinishReason, Status

from .pages import FOLDERS, blocks, rows

PAGES = {name: (folder / "answers.md").read_text("utf-8") for name, folder in FOLDERS.items()}
WORDS = re.compile(r"`([^`]+)`")
REMARK = re.compile(r'#.*|""".*?"""')


def words(page: str, row: str) -> set[str]:
    """The words of code in the table rows that begin with this one."""
    found = [" ".join(cells) for cells in rows(page) if WORDS.findall(cells[0])[:1] == [row]]
    return set(WORDS.findall(" ".join(found)))


def test_both_languages_run_the_same_code() -> None:
    code = [[(block.info, REMARK.sub("", block.text)) for block in blocks(page)]
            for page in PAGES.values()]  # fmt: skip
    assert len(code[0]) > 15
    assert code[0] == code[1]


@pytest.mark.parametrize("language", PAGES)
def test_every_reason_status_and_field_is_told(language: str) -> None:
    page = PAGES[language]
    assert set(get_args(FinishReason)) <= words(page, "finish")
    assert set(get_args(Status)) <= words(page, "status")
    told = {word for cells in rows(page) for word in WORDS.findall(cells[0])}
    assert {f.name for f in fields(ChatResponse)} - {"error"} <= told


@pytest.mark.parametrize("language", PAGES)
def test_every_event_is_told(language: str) -> None:
    told: set[str] = set()
    for cells in rows(PAGES[language]):
        found = WORDS.findall(cells[0])
        if found:
            kind = found[0].partition("-")[0]
            told.update(kind + word if word.startswith("-") else word for word in found)
    types = [get_type_hints(event)["type"] for event in get_args(StreamEvent)]
    assert {name for kind in types for name in get_args(kind)} <= told
