"""docs/*/page.md: the commands do what the page says, and both languages say the same."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from dragoman.page import export
from dragoman.page.open_file import read_exchanges
from tests.cli.running import run, shell
from tests.page import samples

from .pages import DOCS, FOLDERS, blocks, rows

PAGES = {name: (folder / "page.md").read_text("utf-8") for name, folder in FOLDERS.items()}
FILES = {
    "request.json": json.dumps(samples.JOURNEY).encode(),
    "answer.sse": samples.STREAM.encode(),
    "gateway.jsonl": samples.lines([samples.gateway()]),
}


def commands(page: str) -> list[list[str]]:
    [block] = [block for block in blocks(page) if block.info == "sh staged"]
    return [shlex.split(line, comments=True) for line in block.text.splitlines()]


def test_both_languages_show_the_same() -> None:
    assert commands(PAGES["en"]) == commands(PAGES["zh"])
    assert len(rows(PAGES["en"])) == len(rows(PAGES["zh"]))
    headings = [re.findall(r"(?m)^#+", page) for page in PAGES.values()]
    assert headings[0] == headings[1]
    lists = [re.findall(r"(?m)^- ", page) for page in PAGES.values()]
    assert lists[0] == lists[1]


def test_the_commands_are_there_and_the_files_are_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    view, play, export_one = commands(PAGES["en"])
    assert (view[:2], play) == (["dragoman", "view"], ["dragoman", "play"])
    for name in view[2:]:
        assert all(not exchange.fault for exchange in read_exchanges(FILES[name], name))
    ran = run(*export_one[1:])
    assert (ran.exit_code, ran.output) == (0, "")
    assert (tmp_path / "page.html").read_text("utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize("command", ["play", "view"])
def test_the_options_are_those_of_the_commands(command: str) -> None:
    said = shell(command, "--help").stdout
    options = set(re.findall(r"`(--[a-z-]+)`", PAGES["en"]))
    assert options == {"--port", "--no-open", "--counter"}
    assert [option for option in options if option not in said] == []


def test_the_limit_of_an_export_is_the_one_that_is_named() -> None:
    for page in PAGES.values():
        assert f"{export.MOST >> 20} MB" in page


def test_the_pictures_are_small_and_there() -> None:
    readme = (DOCS.parent / "README.md").read_text("utf-8")
    shown = re.findall(r"!\[[^\]]+\]\((docs/images/[\w-]+\.png)\)", readme)
    assert len(shown) == 2
    for name in shown:
        assert 10_000 < (DOCS.parent / name).stat().st_size < 200_000
