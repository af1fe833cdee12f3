"""Recorded traffic, where ../shared has it: all of it opens, and says what the library says."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman import DragomanError
from dragoman.page import Page
from dragoman.page.export import list_keys
from tests.house.sources import ROOT

from .browsing import Tab

CORPUS = ROOT.parent / "shared" / "corpus"
FILES = sorted(CORPUS.glob("open/*.jsonl")) + sorted(CORPUS.glob("agents/*.jsonl"))
ROWS = 12  # of each file

pytestmark = pytest.mark.skipif(not FILES, reason="needs the recorded traffic in ../shared")


def some(path: Path, rows: int = ROWS) -> bytes:
    """Rows of a recording, evenly from all of it; of a session its beginning."""
    lines = path.read_bytes().splitlines(keepends=True)
    step = 1 if path.parent.name == "agents" else max(1, len(lines) // rows)
    return b"".join(lines[::step][:rows])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_all_that_can_be_asked_is_answered(path: Path) -> None:
    page = Page()
    page.open(some(path), path.name)
    answered = 0
    for key in list_keys(page):
        with suppress(DragomanError):  # of a recording that is no conversation, such as audio
            json.dumps(page.answer(key))
            answered += 1
    assert answered > len(page.exchanges)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_bodies_are_what_convert_gives(path: Path) -> None:
    page = Page()
    page.open(some(path, 6), path.name)
    compared = 0
    for exchange in page.exchanges:
        if exchange.body is None or exchange.home is None:
            continue
        for target in ("openai-chat", "anthropic", "gemini"):
            try:
                answer = page.answer(f"wire/{exchange.id}/{target}/role/0")
            except DragomanError:
                continue
            if "refused" in answer:
                continue
            written = dragoman.convert(exchange.body, exchange.home, target, path=exchange.path,
                                       policy="ignore")  # fmt: skip
            assert _whole(page, answer) == written.body
            compared += 1
    assert compared or path.stem == "other"


def _whole(page: Page, answer: dict[str, Any]) -> Any:
    for way, key, _ in answer["long"]:
        node: Any = answer["body"]
        for step in way[:-1]:
            node = node[step]
        node[way[-1]] = page.answer(f"text/{key}")
    return answer["body"]


@pytest.mark.parametrize("name", ["anthropic", "gemini", "openai-responses"])
def test_three_recorded_conversations_are_looked_at(
    name: str, serve: Callable[..., str], tab: Callable[..., Tab]
) -> None:
    path = CORPUS / "open" / f"{name}.jsonl"
    page = tab(serve((path.name, some(path))))
    for number in range(ROWS):
        page.choose_exchange(number)
        for label in page.find("#tabs [role=tab]:visible").all():
            label.click()
            page.page.wait_for_load_state("networkidle")
        said = page.find(".transcript").inner_text()
        assert said or page.find(".fault").count()
    page.keep(f"recorded-{name}")
