"""A conversation whose every text would do something if it were HTML is shown as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from dragoman.page import Page, export_page

from . import samples
from .browsing import Tab
from .conftest import serving

FILE = ("hostile.json", json.dumps(samples.hostile()).encode())


@pytest.fixture(scope="module")
def exported_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    page = Page()
    page.open(FILE[1], FILE[0])
    path = tmp_path_factory.mktemp("exported") / "page.html"
    path.write_text(export_page(page), "utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def live_url() -> Iterator[str]:
    with serving() as start:
        yield start(FILE)


@pytest.fixture(params=["live", "exported"])
def url(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(f"{request.param}_url"))


def test_nothing_runs_and_nothing_is_asked(url: str, tab: Callable[..., Tab]) -> None:
    page = tab(f"{url}#wire=openai-chat&tab=json")
    page.page.wait_for_selector(".sheet .json .line")
    for fold in page.find("details").all():
        fold.evaluate("element => { element.open = true; }")
    said = page.find(".transcript").inner_text()
    for text in ("<script>window.hacked = 1</script>", "<img src=x onerror='window.hacked = 2'>",
                 "[click](javascript:window.hacked=5)"):  # fmt: skip
        assert text in said
    page.button("Raw").click()
    page.open_tab("Losses")
    page.page.wait_for_selector(".list")
    page.open_tab("JSON")
    page.choose_wire("gemini")
    page.page.wait_for_timeout(200)
    assert page.page.evaluate("window.hacked") is None
    assert (
        page.find("main script, main iframe, main svg animate, main style, main object").count()
        == 0
    )
    own = page.find("body > script").count()
    assert page.find("script").count() == own


def test_links_lead_out_safely_or_are_text(url: str, tab: Callable[..., Tab]) -> None:
    page = tab(f"{url}#wire=openai-chat&tab=json")
    links = page.find("main a").evaluate_all(
        "links => links.map(link => [link.protocol, link.rel, link.target])"
    )
    assert len(links) >= 3
    assert {tuple(link) for link in links} == {("https:", "noopener noreferrer", "_blank")}
    sources = page.find("main img").evaluate_all("images => images.map(image => image.src)")
    assert sources == []


def test_a_line_of_five_megabytes_is_cut_and_grows(url: str, tab: Callable[..., Tab]) -> None:
    page = tab(f"{url}#wire=openai-chat&tab=json")
    shown = page.find(".message").nth(1).inner_text()
    assert len(shown) < 10_000
    more = page.button("Show more of 5,000,000 characters")
    more.click()
    page.page.wait_for_function(
        "() => document.querySelectorAll('.message')[1].textContent.length > 100000"
    )
    assert len(page.find(".message").nth(1).inner_text()) < 250_000
    page.page.wait_for_selector(".sheet .more")
    page.find(".sheet .more").last.click()
    page.page.wait_for_function(
        "() => [...document.querySelectorAll('.sheet .s')].some(x => x.textContent.length > 15000)"
    )
