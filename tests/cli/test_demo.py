"""`dragoman demo`: the library conversation of document 001 as every wire sees it."""

from __future__ import annotations

import json
import re
import socket
from functools import cache
from typing import Any, NoReturn

import pytest

from dragoman import ByName, Formatter, wires
from dragoman.cli.demo import Lang, library
from dragoman.vendors import PROTOCOLS

from .running import run, shell, widest

SPEAKERS = {"Bob", "Alice", "Charlie", "Friday"}


@pytest.fixture(autouse=True)
def chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    """The locale of somebody who reads Chinese; without one the demo is in English."""
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")


@cache
def shown_demo(*args: str, width: int = 80) -> str:
    """What the demo prints; several tests look at the same."""
    ran = run("demo", *args, width=width)
    assert ran.exit_code == 0
    return ran.stdout


def as_json(*args: str) -> dict[str, Any]:
    seen = json.loads(shown_demo("--json", *args))
    assert isinstance(seen, dict)
    return seen


@pytest.mark.parametrize("lang", list(Lang))
def test_the_conversation_is_the_one_of_the_documents(lang: Lang) -> None:
    msgs = library(lang)
    assert len(msgs) == 11
    assert {msg.name for msg in msgs} == SPEAKERS | {"system"}
    calls = [(call.name, call.id, call.input) for msg in msgs for call in msg.calls]
    assert calls == [
        ("get_current_location", "1", {}),
        ("search_around", "2", {"location": [104.48, 36.30], "keyword": "library"}),
    ]
    results = [b for msg in msgs for b in msg.get_content_blocks("tool_result")]
    assert [(b.id, b.output[0].text) for b in results] == [("1", "104.48, 36.30"), ("2", "[...]")]


def test_both_languages_have_the_same_shape() -> None:
    assert [(m.name, m.role, len(m.blocks)) for m in library(Lang.zh)] == [
        (m.name, m.role, len(m.blocks)) for m in library(Lang.en)
    ]
    assert all(m.text.isascii() for m in library(Lang.en))
    assert not all(m.text.isascii() for m in library(Lang.zh))


def test_json_holds_what_every_wire_is_sent() -> None:
    seen = as_json()
    assert list(seen) == wires()
    for name, found in seen.items():
        out = Formatter(name, speakers=ByName()).write(library())
        assert found["messages"] == out.messages
        assert found["losses"] == [loss.to_dict() for loss in out.losses]


def test_json_speaks_english_too() -> None:
    texts = json.dumps(as_json("--lang", "en")["openai-chat"])
    assert "Bob: Hi Alice, do you know where the nearest library is?\\nAlice: Sorry" in texts


@pytest.mark.parametrize("lang", list(Lang))
@pytest.mark.parametrize("width", [60, 79, 80, 100, 122, 164])
def test_no_line_is_wider_than_the_screen(width: int, lang: Lang) -> None:
    shown = shown_demo("--lang", lang, width=width)
    assert widest(shown) <= width
    assert not [line for line in shown.split("\n") if line.endswith(" ")]


@pytest.mark.parametrize("width", [60, 80, 122])
def test_every_wire_and_every_loss_is_shown(width: int) -> None:
    shown = shown_demo("--lang", "zh", width=width)
    seen = as_json()
    cards = _groups(seen)
    assert len(cards) >= len(PROTOCOLS)
    for names, losses in cards:
        for name in names:
            assert re.search(rf"(?:^| ){name}(?:,| |$)", shown, re.MULTILINE), name
        for loss in losses:
            assert f"{loss['kind']} {loss['code']}" in shown
    places = [loss["where"] for _, losses in cards for loss in losses]
    # once more in the sentence that explains what a path is
    assert len(re.findall(r"\$\.messages\[", shown)) == len(places) + 1
    for code in {loss["code"] for _, losses in cards for loss in losses}:
        assert f"{code}: " in shown


def _groups(seen: dict[str, Any]) -> list[tuple[list[str], list[dict[str, str]]]]:
    """Wires that write the same and lose the same, with their losses."""
    groups: dict[str, tuple[list[str], list[dict[str, str]]]] = {}
    for name, found in seen.items():
        bare = [{k: v for k, v in loss.items() if k != "target"} for loss in found["losses"]]
        groups.setdefault(json.dumps([found["messages"], bare]), ([], found["losses"]))[0].append(
            name
        )
    return list(groups.values())


def test_two_cards_stand_side_by_side_on_80_columns() -> None:
    lines = shown_demo("--lang", "en").split("\n")
    title = next(line for line in lines if line.startswith("openai-chat"))
    assert "openai-responses, xai, bedrock-mantle" in title
    system = next(line for line in lines if line.startswith("system "))
    assert system.count("content You are a helpful") == 2


def test_on_60_columns_cards_stand_below_each_other() -> None:
    lines = shown_demo(width=60).split("\n")
    assert "anthropic, foundry, anthropic-aws" in lines
    assert "gemini, vertex" in lines


@pytest.mark.parametrize("width", [60, 80, 122])
def test_an_item_without_a_role_is_named_by_its_type(width: int) -> None:
    shown = shown_demo("--lang", "zh", width=width)
    # two wires have items that are called so, of which one has steps besides
    for item, count in (("function_call", 4), ("function_call_output", 2), ("function_result", 2)):
        assert len(re.findall(rf"\b{item}(?= |$)", shown, re.MULTILINE)) == count


def test_a_vendor_shows_what_it_says_otherwise_than_its_protocol() -> None:
    shown = shown_demo("--lang", "en", width=60)
    _, found, rest = shown.partition("\ndeepseek, xiaomi\nas openai-chat, but for:\n")
    assert found
    own = rest.partition("\nlosses: ")[0]
    assert own.count('reasoning_content ""') == 2
    assert own.count("tool_calls[0]") == 2
    assert "<history>" not in own, "that it says as its protocol does"
    runs = [line for line in shown.split("\n") if line.strip() == "<history>"]
    # and one host has no tools, so that what they said is part of the history; one types messages
    assert len(runs) == 2 * (len(PROTOCOLS) + 2)


def test_the_merged_history_and_the_calls_can_be_read() -> None:
    shown = shown_demo()
    assert "[3] Charlie 没有，我们问问 Friday 吧。Friday，帮我找到最近的图书馆。" in shown
    assert "Friday: 最近的图书馆是..." in shown
    assert "get_current_location '{}'" in shown  # arguments as text
    assert "get_current_location {}" in shown  # arguments as an object
    assert 'search_around {"location":' in shown


def test_colours_are_for_terminals() -> None:
    assert "\x1b" not in run("demo").stdout
    assert "\x1b[1;35m" in run("demo", FORCE_COLOR="1").stdout
    plain = run("demo", FORCE_COLOR="1", NO_COLOR="1").stdout
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", plain)


def test_it_needs_no_network_and_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> NoReturn:
        raise AssertionError("the demo opened a socket")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "DASHSCOPE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    ran = run("demo")
    assert ran.exit_code == 0, ran.stderr


def test_a_shell_gets_80_columns_without_colours() -> None:
    ran = shell("demo")
    assert ran.returncode == 0
    assert ran.stderr == ""
    assert widest(ran.stdout) <= 80
    assert "\x1b" not in ran.stdout
    assert "你好，Alice，你知道最近的图书馆在哪里吗？" in ran.stdout


def test_a_stdout_that_is_no_utf8_still_shows_it() -> None:
    ran = shell("demo", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "Friday ?????" in ran.stdout
    found = json.loads(shell("demo", "--json", PYTHONUTF8="0", PYTHONIOENCODING="ascii").stdout)
    assert "你好，Alice" in found["openai-chat"]["messages"][1]["content"]


def test_a_language_that_there_is_not() -> None:
    ran = run("demo", "--lang", "fr")
    assert ran.exit_code == 2
    assert ran.stderr.startswith("error: ")
    assert "'fr'" in ran.stderr


@pytest.mark.parametrize(("locale", "word"), [
    ("C.UTF-8", "helpful"), ("en_US.UTF-8", "helpful"), ("zh_TW.UTF-8", "有用"), ("", "helpful"),
])  # fmt: skip
def test_the_demo_speaks_the_language_of_the_locale(
    locale: str, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LC_ALL", locale)
    assert word in run("demo").stdout
