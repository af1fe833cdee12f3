"""What a reader does with the page, in a real browser: live, and out of a file without a server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

import dragoman
from dragoman.agent_logs import read_session_log
from dragoman.message import ChatRequest
from dragoman.page import Page, export_page
from dragoman.vendors import PROTOCOLS
from tests.agent_logs import test_claude_code
from tests.agent_logs.jsonl import lines

from . import samples
from .browsing import Tab
from .conftest import serving

FILES = (
    ("gateway.jsonl", samples.lines([samples.gateway()])),
    ("session.jsonl", samples.lines(samples.SESSION)),
    ("answer.sse", samples.STREAM.encode()),
    ("journey.json", json.dumps(samples.JOURNEY).encode()),
    ("session.jsonl", lines(test_claude_code.TURN).encode()),
)
GATEWAY, FIRST, SECOND, THIRD, STREAM, JOURNEY, LOG = range(7)

Open = Callable[..., Tab]
Where = Callable[[str], str]


@pytest.fixture(scope="module")
def exported_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file with all of them: it takes a second to make, and no test changes it."""
    page = Page()
    for name, data in FILES:
        page.open(data, name)
    path = tmp_path_factory.mktemp("exported") / "page.html"
    path.write_text(export_page(page), "utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def live_url() -> Iterator[str]:
    """A server with all of them: no test opens another."""
    with serving() as start:
        yield start(*FILES)


@pytest.fixture(params=["live", "exported"])
def where(request: pytest.FixtureRequest) -> Callable[[str], str]:
    """The URL of the page with all files open, and a part behind it."""
    url = request.getfixturevalue(f"{request.param}_url")
    return lambda part: f"{url}#{part}"


def test_each_wires_json_is_what_the_library_writes(where: Where, tab: Open) -> None:
    page = tab(where(f"x={JOURNEY}&wire=anthropic&tab=json"))
    for name in PROTOCOLS:
        page.choose_wire(name)
        written = dragoman.convert(samples.JOURNEY, "anthropic", name, policy="ignore")
        assert json.loads(page.copied()) == written.body, name


def test_the_lines_of_a_body_are_its_json(where: Where, tab: Open) -> None:
    page = tab(where(f"x={FIRST}&wire=ollama&tab=json"))
    page.page.wait_for_selector(".sheet .json .line")
    for marks in page.find(".sheet .marks").all():
        marks.evaluate("element => element.remove()")
    written = dragoman.convert(
        samples.SESSION[0]["request"], "anthropic", "ollama", policy="ignore"
    )
    assert json.loads(page.shown()) == written.body


def test_a_planted_loss_is_marked_on_both_sides_and_explained(where: Where, tab: Open) -> None:
    page = tab(where(f"x={JOURNEY}&wire=openai-chat&tab=json"))
    page.page.wait_for_selector(".sheet .pill")
    block = page.find('.message [data-block="$.messages[1].content[0]"]')
    mark = block.locator(".pill")
    assert mark.inner_text().split() == ["dropped", "thinking.unsupported"]
    line = page.find('.sheet .line.lost[data-path="$.messages[2].content"]')
    assert line.locator(".pill").inner_text().split() == ["dropped", "thinking.unsupported"]
    for pill in (mark, line.locator(".pill")):
        pill.hover()
        card = page.find("#card")
        assert "The wire takes no thinking back" in card.inner_text()
        assert "$.messages[1].content[0]" in card.inner_text()
        assert "OpenAI API reference" in card.inner_text()
        page.page.mouse.move(0, 0)
        card.wait_for(state="hidden")


def test_the_json_of_a_block_is_tinted_while_it_has_the_pointer(where: Where, tab: Open) -> None:
    page = tab(where(f"x={JOURNEY}&wire=openai-chat&tab=json"))
    page.page.wait_for_selector(".sheet .pill")
    page.find('[data-block="$.messages[1].content[2]"] summary').hover()
    tinted = page.find(".sheet .line.linked").evaluate_all(
        "lines => lines.map(x => x.dataset.path)"
    )
    assert tinted[0] == "$.messages[2].tool_calls[0]"
    assert "$.messages[2].tool_calls[0].function.arguments" in tinted
    assert all(path.startswith("$.messages[2].tool_calls[0]") for path in tinted)


def test_losses_are_listed_with_their_reasons_and_lead_to_their_places(
    where: Where, tab: Open
) -> None:
    page = tab(where(f"x={JOURNEY}&wire=openai-chat&tab=losses"))
    page.page.wait_for_selector(".loss")
    codes = page.find(".list > .loss > header .code").all_inner_texts()
    assert codes == ["thinking.unsupported", "option.unsupported", "media.moved"]
    page.button("→ $.messages[2].content").click()
    page.page.wait_for_selector('.sheet .line.flash[data-path="$.messages[2].content"]')
    assert page.page.get_by_role("tab", name="JSON").get_attribute("aria-selected") == "true"


def test_what_was_read_stands_beside_what_is_written(where: Where, tab: Open) -> None:
    page = tab(where(f"x={JOURNEY}&wire=gemini&tab=json"))
    page.page.get_by_label("Beside it").select_option("recorded")
    page.page.wait_for_selector(".sheets.two")
    second = page.find(".sheet").nth(1)
    assert second.locator("h2").inner_text() == "As recorded"
    marked = second.locator(".line.lost").evaluate_all("lines => lines.map(x => x.dataset.path)")
    assert "$.messages[1].content[0]" in marked
    assert "$.system[0].cache_control" in marked


def test_speakers_are_told_in_each_way(where: Where, tab: Open) -> None:
    page = tab(where(f"x={JOURNEY}&wire=openai-chat&tab=json"))
    page.page.get_by_label("Speakers").select_option("name")
    page.page.wait_for_function(
        "() => document.querySelector('.json')?.innerText.includes('<history>')"
    )
    formatter = dragoman.Formatter("openai-chat", speakers=dragoman.ByName(), policy="ignore")
    request = dragoman.wire("anthropic").read_request(samples.JOURNEY)
    shown = json.loads(page.copied())
    assert shown == formatter.format_request(request, shown["model"]).body


def test_the_slider_moves_the_cut(where: Where, tab: Open) -> None:
    page = tab(where(f"x={JOURNEY}&wire=openai-chat&tab=json"))
    slider = page.page.get_by_label("Keep")
    slider.wait_for()
    assert page.find(".message.cut").count() == 0
    whole = json.loads(page.copied())["messages"]
    slider.focus()
    page.page.keyboard.press("ArrowLeft")
    page.page.wait_for_selector(".message.cut")
    first = page.find(".message.cut").count()
    page.page.wait_for_function(
        "() => document.querySelector('.json')?.innerText.includes('history.cut')"
    )
    assert "left out" in page.find(".cut output").inner_text()
    shorter = json.loads(page.copied())["messages"]
    assert 0 < len(shorter) < len(whole)
    slider.focus()
    page.page.keyboard.press("Home")
    assert page.find(".message.cut").count() >= first
    page.page.keyboard.press("End")
    assert page.find(".message.cut").count() == 0


def test_a_stream_is_replayed(where: Where, tab: Open) -> None:
    page = tab(where(f"x={STREAM}&wire=openai-chat&tab=replay"))
    position = page.page.get_by_label("Event", exact=True)
    position.wait_for()
    events = int(position.get_attribute("max") or 0)
    assert events == samples.STREAM.count("\n\n")
    page.find(".player .icon").first.focus()
    position.focus()
    page.page.keyboard.press("Home")
    assert "Nothing yet" in page.find(".so-far").inner_text()
    for _ in range(9):
        page.button("One event on").click()
    assert page.find(".so-far strong").inner_text() == "Vienna"
    assert "12 000" not in page.find(".so-far").inner_text()
    page.page.get_by_label("Speed").select_option("100")
    page.button("Play").click()
    page.page.wait_for_function(
        f"() => document.querySelector('.player input').value === '{events}'"
    )
    said = page.find(".so-far").inner_text()
    assert "Villach" in said
    assert '{"table": "gates"}' in said


def test_a_stream_is_shown_as_another_wire_has_it(where: Where, tab: Open) -> None:
    page = tab(where(f"x={STREAM}&wire=openai-chat&tab=replay"))
    page.page.get_by_label("Events on the wire").select_option("openai-responses")
    page.page.wait_for_function(
        "() => document.querySelector('.event .t')?.textContent === 'response.created'"
    )
    names = page.find(".event .t").all_inner_texts()
    converted = dragoman.convert_stream(
        [samples.STREAM.encode()], "anthropic", "openai-responses", policy="ignore"
    )
    assert names == [event.event for event in converted]


def test_two_requests_are_compared_and_the_cache_break_is_marked(where: Where, tab: Open) -> None:
    page = tab(where(f"x={THIRD}&wire=anthropic&tab=changes"))
    page.page.wait_for_selector(".cache-part")
    assert "The cache breaks at $.system[0]" in page.find(".cache-part").inner_text()
    rows = page.find(".difference header").all_inner_texts()
    assert [row.split() for row in rows] == [
        ["changed", "text", "$.system[0]"],
        ["new", "text", "$.messages[3].content[0]"],
        ["new", "text", "$.messages[4].content[0]"],
    ]
    assert "The prompt cache ends here" in page.find(".message").first.inner_text()
    page.page.get_by_role("tab", name="JSON").click()
    page.page.wait_for_selector('.line.lost[data-path="$.system[0]"] .pill.cache')
    page.choose_exchange(SECOND)
    page.open_tab("Changes")
    page.page.wait_for_selector(".cache-part")
    assert "The cache holds" in page.find(".cache-part").inner_text()
    assert page.find(".cache-mark.break").count() == 0


def test_both_sides_of_a_gateway_are_shown(where: Where, tab: Open) -> None:
    page = tab(where(f"x={GATEWAY}&wire=openai-chat&tab=json"))
    page.page.wait_for_selector(".sheet .pill")
    recorded = samples.gateway()
    assert json.loads(page.copied()) == recorded["upstream"]["request"]
    line = page.find('.sheet .line.lost[data-path="$.messages[2].content"]')
    assert "thinking.other_provider" in line.inner_text()
    page.button("client: anthropic").click()
    page.page.wait_for_selector(".rail [data-side=client][aria-pressed=true]")
    page.page.wait_for_function(
        "() => document.querySelector('.sheet h2').textContent === 'anthropic'"
    )
    assert json.loads(page.copied()) == samples.JOURNEY
    answer = page.find(".message").last
    assert "In Vienna." in answer.inner_text()
    assert "answer" in answer.locator(".tag").inner_text()


def test_a_session_log_is_opened(where: Where, tab: Open) -> None:
    page = tab(where(f"x={LOG}&wire=gemini&tab=json"))
    page.page.wait_for_selector(".sheet .line")
    log = read_session_log(lines(test_claude_code.TURN))
    assert page.find(".message").count() == len(log.messages)
    assert "Look at both." in page.find(".message").first.inner_text()
    page.find("summary").filter(has_text="Bash").click()
    assert '"command": "ls"' in page.find("details.call[open]").inner_text()
    assert page.find("details.failed").count() == 1  # the result that tells of an error
    request = ChatRequest(log.messages, tools=list(log.tools))
    written = dragoman.wire("gemini", policy="ignore", fetch=None).write_request(request)
    assert json.loads(page.copied()) == written.body


def test_what_is_open_can_be_found_again_by_its_address(where: Where, tab: Open) -> None:
    page = tab(where(f"x={JOURNEY}&wire=cohere&tab=json"))
    page.page.reload()
    page.page.wait_for_selector(".rail [data-wire=cohere][aria-pressed=true]")
    assert page.page.get_by_label("Exchange", exact=True).input_value() == str(JOURNEY)
