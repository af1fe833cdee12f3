"""Keyboard, contrast and names: axe-core, by width and scheme, and what keys alone can reach."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe

from dragoman.page import Page, export_page

from . import samples
from .browsing import PHONE, Tab
from .conftest import serving

GATEWAY, FIRST, SECOND, THIRD, STREAM, JOURNEY = range(6)
VIEWS = {
    "json": f"x={JOURNEY}&wire=gemini&tab=json",
    "losses": f"x={JOURNEY}&wire=openai-chat&tab=losses",
    "replay": f"x={STREAM}&wire=anthropic&tab=replay",
    "changes": f"x={THIRD}&wire=anthropic&tab=changes",
    "gateway": f"x={GATEWAY}&wire=openai-chat&tab=json",
    "chat": f"x={JOURNEY}&wire=openai-chat&tab=chat",
}

Open = Callable[..., Tab]


@pytest.fixture(scope="module")  # no test of these opens another file
def url() -> Iterator[str]:
    with serving() as start:
        yield start(
            ("gateway.jsonl", samples.lines([samples.gateway()])),
            ("session.jsonl", samples.lines(samples.SESSION)),
            ("answer.sse", samples.STREAM.encode()),
            ("journey.json", json.dumps(samples.JOURNEY).encode()),
        )


def settled(tab: Tab) -> None:
    """Wait until nothing more is on its way."""
    tab.page.wait_for_load_state("networkidle")
    tab.page.wait_for_timeout(100)


# the rules that a scheme can break: all others look at what is in the document
COLOURS = ["color-contrast", "link-in-text-block"]
SCHEMES: list[tuple[Literal["light", "dark"], list[str] | None]] = [
    ("light", None),
    ("dark", COLOURS),
]


def violations(tab: Tab, rules: list[str] | None = None) -> list[str]:
    """What axe-core finds, by all its rules or by some, as `impact rule: element`."""
    options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
    found: list[Any] = Axe().run(tab.page, options=options).response["violations"]
    return [f"{row['impact']} {row['id']}: {node['html'][:120]} {node.get('failureSummary', '')}"
            for row in found for node in row["nodes"]]  # fmt: skip


@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing(url: str, tab: Open, view: str) -> None:
    """At each width in the light by every rule, and then in the dark by those about colours."""
    page = tab(f"{url}#{VIEWS[view]}", viewport=PHONE)
    settled(page)
    for width in (PHONE["width"], 1280):  # in this order, for a wide window has no tab of the chat
        if width != PHONE["width"]:
            page.page.set_viewport_size({"width": width, "height": 800})
            page.page.evaluate("new Promise(requestAnimationFrame)")  # the page sees it
            page.page.wait_for_selector("#panel:not([aria-busy=true])")
        for scheme, rules in SCHEMES:
            page.page.emulate_media(color_scheme=scheme)
            assert is_dark(page) is (scheme == "dark")
            path = page.keep(f"{view}-{width}-{scheme}")
            assert path.is_file()
            assert violations(page, rules) == [], (width, scheme)
            overflow = page.page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert overflow <= 0, (width, scheme)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_an_empty_page(
    serve: Callable[..., str], tab: Open, scheme: str
) -> None:
    page = tab(serve(), scheme=scheme)
    page.page.wait_for_selector(".welcome")
    assert violations(page) == []


def test_axe_finds_nothing_in_an_exported_page(tmp_path: Path, tab: Open) -> None:
    opened = Page()
    opened.open(json.dumps(samples.JOURNEY).encode(), "journey.json")
    path = tmp_path / "page.html"
    path.write_text(export_page(opened), "utf-8")
    page = tab(f"{path.as_uri()}#wire=openai-chat&tab=json")
    page.page.wait_for_selector(".sheet .pill")
    page.page.get_by_label("Keep").wait_for()
    assert violations(page) == []
    assert "live page: dragoman view" in page.find(".rail").inner_text()
    page.keep("exported-1280-light")


def test_an_open_card_has_no_violation(url: str, tab: Open) -> None:
    page = tab(f"{url}#{VIEWS['json']}")
    page.page.wait_for_selector(".sheet .pill")
    page.find(".sheet .pill").first.focus()
    assert page.find("#card").is_visible()
    assert violations(page) == []
    page.page.keyboard.press("Escape")
    assert not page.find("#card").is_visible()


def is_dark(tab: Tab) -> bool:
    colour = str(tab.page.evaluate("getComputedStyle(document.body).backgroundColor"))
    return int(colour.removeprefix("rgb(").split(",")[0]) < 128


_FOCUSED = """() => {
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const unseen = getComputedStyle(at).outlineStyle === "none" && !at.closest(".file");
  if (unseen) return "no outline: " + at.className;
  return at.getAttribute("aria-label") || at.labels?.[0]?.textContent || at.textContent.trim();
}"""


def reached(tab: Tab, limit: int = 400) -> list[str]:
    """What the Tab key comes by, from the top of the page until it comes round."""
    tab.page.evaluate("document.activeElement?.blur()")
    names: list[str] = []
    for _ in range(limit):
        tab.page.keyboard.press("Tab")
        name = tab.page.evaluate(_FOCUSED)
        if name is None:
            break
        names.append(str(name))
    return names


def test_keys_alone_reach_everything(url: str, tab: Open) -> None:
    page = tab(f"{url}#{VIEWS['json']}")
    settled(page)
    names = reached(page)
    assert [name for name in names if name.startswith("no outline")] == []
    wanted = (
        "Skip to the conversation", "Skip to the JSON", "Previous exchange", "Exchange", "Keep",
        "Open files", "Light or dark", "Find in the conversation", "Raw", "Messages",
        "Show in JSON", "Another vendor", "JSON for gemini", "Copy the JSON for gemini",
    )  # fmt: skip
    assert [name for name in wanted if name not in names] == []
    assert any(name.startswith("dropped: ") for name in names)
    assert any(name.startswith("mistral") for name in names)
    assert any("read_table" in name for name in names)  # a call that is folded away


def test_tabs_are_chosen_with_arrows(url: str, tab: Open) -> None:
    page = tab(f"{url}#{VIEWS['replay']}")
    settled(page)
    page.page.get_by_role("tab", name="Replay").focus()
    page.page.keyboard.press("ArrowLeft")
    assert page.page.get_by_role("tab", name="Losses").get_attribute("aria-selected") == "true"
    page.page.keyboard.press("ArrowLeft")
    page.page.wait_for_selector(".sheet .line")
    page.page.keyboard.press("ArrowLeft")
    assert page.page.get_by_role("tab", name="Replay").get_attribute("aria-selected") == "true"


def test_calls_are_unfolded_and_wires_chosen_with_keys(url: str, tab: Open) -> None:
    page = tab(f"{url}#{VIEWS['json']}")
    page.page.wait_for_selector(".sheet .line")
    summary = page.find("summary").filter(has_text="read_table").nth(1)
    summary.focus()
    page.page.keyboard.press("Enter")
    assert "2026-11-16" in page.find("details[open] pre").first.inner_text()
    page.find('.rail [data-wire="mistral"]').focus()
    page.page.keyboard.press("Space")
    page.page.wait_for_function(
        "() => document.querySelector('.sheet h2').textContent === 'mistral'"
    )
    assert page.find('.rail [data-wire="mistral"]').get_attribute("aria-pressed") == "true"


def test_a_phone_shows_one_thing_at_a_time(url: str, tab: Open) -> None:
    page = tab(f"{url}#{VIEWS['chat']}", viewport=PHONE)
    settled(page)
    assert page.find("#chat").is_visible()
    assert not page.find("#panel").is_visible()
    page.open_tab("JSON")
    page.page.wait_for_selector(".sheet .line")
    assert not page.find("#chat").is_visible()
    page.open_tab("Losses")
    page.button("$.messages[1].content[0]").click()
    page.page.wait_for_selector("#chat .block.flash")
    assert page.find("#chat").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_scheme_is_the_systems_until_it_is_switched(url: str, tab: Open, scheme: str) -> None:
    page = tab(url, scheme=scheme)
    assert is_dark(page) is (scheme == "dark")
    page.button("Light or dark").click()
    assert is_dark(page) is (scheme == "light")
    page.page.reload()
    page.page.wait_for_selector("main[aria-busy=false]")
    assert is_dark(page) is (scheme == "light")


def test_words_are_found(url: str, tab: Open) -> None:
    page = tab(f"{url}#{VIEWS['json']}")
    field = page.page.get_by_label("Find in the conversation")
    field.fill("get off")
    field.press("Enter")
    assert "where did they get off" in page.find(".message.found").inner_text()
    field.fill("no such words")
    field.press("Enter")
    page.page.wait_for_selector("#status :text('Nothing found')")


def test_what_is_pasted_is_opened(serve: Callable[..., str], tab: Open) -> None:
    page = tab(serve())
    field = page.page.get_by_label("A request, an answer or a recording")
    field.fill("{")
    page.button("Show").click()
    page.page.wait_for_selector("#problems li")
    assert "pasted no JSON" in page.find("#problems").inner_text()
    field.fill(json.dumps(samples.JOURNEY))
    page.button("Show").click()
    page.page.wait_for_selector(".transcript .message")
    assert "night train" in page.find(".message").first.inner_text()
    page.page.get_by_label("Open files").set_input_files(
        {"name": "answer.sse", "mimeType": "text/plain", "buffer": samples.STREAM.encode()}
    )
    page.page.wait_for_selector("#tab-replay")
    page.faults = [fault for fault in page.faults if "422" not in fault]  # the first one, refused
