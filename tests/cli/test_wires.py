"""`dragoman wires`: the table is what the code says, for every wire and vendor."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from dragoman import wire, wires
from dragoman.capabilities import MEDIA
from dragoman.vendors import VENDORS, vendor

from .running import run, shell, widest


def as_json(*args: str) -> dict[str, Any]:
    ran = run("wires", "--json", *args)
    assert ran.exit_code == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert isinstance(found, dict)
    return found


def rows(*args: str) -> dict[str, list[str]]:
    """The table's rows, by wire, cut at the beginnings of its headings."""
    lines = run("wires", *args, width=120).stdout.split("\n")
    heads = ("wire", "image", "audio", "video", "doc", "think", "tools", "result", "system",
             "names", "cache")  # fmt: skip
    starts = [lines[1].index(head) for head in heads] + [None]
    cut = [slice(a, b) for a, b in pairwise(starts)]
    body = lines[2 : 2 + len(wires())]
    return {line.split()[0]: [line[part].strip() for part in cut[1:]] for line in body}


@pytest.mark.parametrize("model", [None, "deepseek-flash", "gpt-5.6", "qwen-vl-max"])
def test_the_table_is_what_wires_can(model: str | None) -> None:
    table = rows(*(["--model", model] if model else []))
    assert list(table) == wires()
    for name, cells in table.items():
        can = wire(name).can(model)
        assert [cell != "-" for cell in cells[:4]] == [kind in can.user for kind in MEDIA]
        for cell, kind in zip(cells[:4], MEDIA, strict=True):
            taken = {"u": "url", "b": "base64", "f": "file"}
            sources = can.sources.get(kind, frozenset({"url", "base64"}))
            assert cell == "-" or {taken[letter] for letter in cell.split()} == sources
        assert (cells[4] == "-") == (can.thinking == "never")
        assert (cells[5] == "-") == (not can.tools)
        within, _, behind = cells[6].strip(")-").partition("(")
        assert set(within) == {kind[0] for kind in MEDIA if kind in can.result}
        assert set(behind) == {kind[0] for kind in can.move_media - can.result}
        assert cells[7] == can.system_place
        assert (cells[8] == "-") == (can.name_field == "never")
        assert cells[9] == (str(can.cache_hints) if can.cache_hints else "-")


def test_json_holds_every_capability() -> None:
    found = as_json()
    assert list(found["wires"]) == wires()
    for name, row in found["wires"].items():
        one = wire(name)
        can = one.can()
        assert row["protocol"] == one.room.protocol
        assert row["can"]["user"] == sorted(can.user)
        assert row["can"]["ids"]["max"] == can.ids.max
        assert row["can"]["sources"] == {k: sorted(v) for k, v in can.sources.items()}
        assert row["can"]["thinking"] == can.thinking


def test_json_holds_every_vendor() -> None:
    found = as_json()["vendors"]
    assert list(found) == list(VENDORS)
    for name, row in found.items():
        known = vendor(name)
        assert row == {
            "base_url": known.base_url, "key": known.key, "wires": list(known.wires),
        }  # fmt: skip


def test_vendors_are_listed_with_address_and_key() -> None:
    shown = run("wires").stdout
    for name in VENDORS:
        known = vendor(name)
        assert known.base_url in shown
        assert f"key: {known.key}" in shown


def test_a_model_changes_what_is_carried() -> None:
    assert rows()["deepseek"][0] == "-"
    assert rows("--model", "deepseek-flash")["deepseek"][0] == "u b"


def test_what_is_known_of_a_model_has_a_date_and_a_source() -> None:
    [fact] = as_json("--model", "org/DeepSeek-Flash")["wires"]["deepseek"]["facts"]
    assert fact["since"] == "2026-09-10"
    assert "DeepSeek API docs" in fact["source"]
    shown = run("wires", "--model", "deepseek-flash", width=100).stdout
    assert "since 2026-09-10: DeepSeek API docs" in shown


def test_the_age_of_the_facts_is_shown() -> None:
    newest = {name: row["newest_fact"] for name, row in as_json()["wires"].items()}
    assert newest["deepseek"] >= "2026-09-10"
    facts = run("wires").stdout.partition("Facts\n")[2]
    for name, date in newest.items():
        line = next(line for line in facts.split("\n") if line.split()[:1] == [name])
        assert date in line


def test_a_profile_shows_what_was_known_then() -> None:
    table = rows("--facts", "documents-2025")
    carried = {name: [cell != "-" for cell in cells[:5]] for name, cells in table.items()}
    # image, audio, video, document, thinking: the table of document 001
    assert carried["openai"] == [True, True, False, False, False]
    assert carried["dashscope"] == [True, True, False, False, False]
    assert carried["anthropic"] == [True, False, False, False, True]
    assert carried["gemini"] == [True, True, True, False, False]
    assert carried["ollama"] == [True, False, False, False, False]
    assert carried["deepseek"] == [False, False, False, False, False]


def test_an_unknown_profile_is_a_usage_error() -> None:
    ran = run("wires", "--facts", "1999")
    assert ran.exit_code == 2
    assert ran.stderr == "error: unknown fact profile '1999' (known: documents-2025)\n"


@pytest.mark.parametrize("width", [60, 75, 76, 80, 120])
def test_no_line_is_wider_than_the_screen(width: int) -> None:
    ran = run("wires", "--model", "qwen-vl-max", width=width)
    assert ran.exit_code == 0
    assert widest(ran.stdout) <= width


def test_a_narrow_screen_shows_the_same_in_sentences() -> None:
    shown = " ".join(run("wires", width=60).stdout.split())
    for name, cells in rows().items():
        heads = ("image", "audio", "video", "doc", "think", "tools", "result", "system", "names",
                 "cache")  # fmt: skip
        said = ", ".join(f"{head} {cell}" for head, cell in zip(heads, cells, strict=True))
        assert f"{name}: {said}" in shown


def test_in_a_shell() -> None:
    ran = shell("wires")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert widest(ran.stdout) <= 80
    assert "\x1b" not in ran.stdout
