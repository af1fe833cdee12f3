"""Small things that a reader trips over: what is not seen, broken, far into a text, or left out."""

from __future__ import annotations

import json
from collections.abc import Callable

from playwright.sync_api import FilePayload

from tests.agent_logs import test_claude_code
from tests.agent_logs.jsonl import lines

from . import samples
from .browsing import PHONE, Tab

Open = Callable[..., Tab]

_NAME = "mcp__a_server_with_a_long_name__a_tool_with_a_name_that_goes_on_and_on_and_on"
_FILE = "rollout-2026-11-24T12-00-00-of-a-session-whose-name-is-wider-than-any-phone.json"
_ODD = {
    "model": "m", "max_tokens": 9,
    "tools": [{"name": _NAME, "input_schema": {"type": "object"},
               "cache_control": {"type": "ephemeral"}}],
    "messages": [
        {"role": "user", "content": "run \u202egpj.exe\u200b now \U000e0068\U000e0069"},
        {"role": "assistant", "content": [
            {"type": "text", "text": "word " * 2000 + "needle"},
            {"type": "tool_use", "id": "t1", "name": _NAME, "input": {"path": "a" * 300}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [
            {"type": "image", "source": {"type": "base64", "media_type": "image/png",
                                         "data": "bm8gcGljdHVyZQ=="}}]}]},
    ],
}  # fmt: skip
_SUMMARY = test_claude_code.user("z", "i", "What was done so far.", isCompactSummary=True)


def test_details_of_a_conversation(serve: Callable[..., str], tab: Open) -> None:
    page = tab(serve((_FILE, json.dumps(_ODD).encode())) + "#wire=anthropic&tab=json")
    page.page.wait_for_selector(".sheet .line")
    # what is not seen is told by its number, in the chat and as escapes in the JSON
    assert page.find(".message").first.locator(".unseen").all_inner_texts() == [
        "U+202E", "U+200B", "tags: hi",
    ]  # fmt: skip
    assert "\\u202egpj.exe\\u200b now \\udb40\\udc68" in page.shown()
    assert json.loads(page.copied()) == _ODD
    assert "broken, and cannot be shown" in page.find(".picture").inner_text()
    page.find(".request summary").click()
    assert page.find(".request .cache-mark").count() == 1
    # words far into a text that was sent in part, and those in a call that is folded away
    field = page.page.get_by_label("Find in the conversation")
    for words, index in (("needle", 1), ("aaaaaa", 1)):
        field.fill(words)
        field.press("Enter")
        page.page.wait_for_selector(f".message.found >> nth={0}")
        assert page.find(".message").nth(index).get_attribute("class") == "message assistant found"
    assert page.find(".message.found details[open]").count() == 1


def test_a_card_can_be_read_with_the_pointer_in_it(serve: Callable[..., str], tab: Open) -> None:
    page = tab(serve(("journey.json", json.dumps(samples.JOURNEY).encode()))
               + "#wire=openai-chat&tab=json")  # fmt: skip
    page.page.wait_for_selector(".sheet .pill")
    page.find(".message .pill").first.hover()
    page.find("#card").hover()
    page.page.wait_for_timeout(300)
    assert page.find("#card").is_visible()
    page.page.mouse.move(0, 0)
    page.find("#card").wait_for(state="hidden")


def test_a_narrow_screen_holds_long_names(serve: Callable[..., str], tab: Open) -> None:
    page = tab(serve((_FILE, json.dumps(_ODD).encode()), ("b.sse", samples.STREAM.encode()))
               + "#wire=cohere&tab=json", viewport=PHONE)  # fmt: skip
    page.page.wait_for_selector(".sheet .pill")
    page.page.wait_for_load_state("networkidle")
    chosen = page.find(".rail [aria-pressed=true]").bounding_box()
    assert chosen is not None
    assert 0 <= round(chosen["x"]) <= round(PHONE["width"] - chosen["width"]) + 1
    page.open_tab("Chat")
    for fold in page.find("details").all():
        fold.evaluate("element => { element.open = true; }")
    wide = """() => [document.documentElement, document.querySelector("#chat .scroll")]
      .map((element) => element.scrollWidth - element.clientWidth)"""
    assert page.page.evaluate(wide) == [0, 0]


def test_what_a_log_holds_besides_is_told(serve: Callable[..., str], tab: Open) -> None:
    rows = [*test_claude_code.TURN, _SUMMARY, {"type": "mode", "mode": "plan"}]
    page = tab(serve(("log.jsonl", lines(rows).encode())) + "#wire=anthropic&tab=json")
    page.page.wait_for_selector(".sheet .line")
    head = page.find(".request")
    assert "claude-opus-4-8 · claude-code · 5 messages" in head.inner_text()
    head.locator("summary").click()
    told = head.locator("li").all_inner_texts()
    assert "mode: a setting (line 11)" in told
    assert any(row.startswith("usage ×5: ") for row in told)
    assert "went on with a summary" in page.find(".message").last.inner_text()


_PASTE = """(text) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
}"""


def test_files_that_cannot_be_opened_are_told_until_closed(
    serve: Callable[..., str], tab: Open
) -> None:
    half = samples.lines([samples.SESSION[0]]) + b'{"request": '
    page = tab(serve(("half.jsonl", half)) + "#x=1")
    assert "no JSON" in page.find(".fault").inner_text()
    assert "half.jsonl:2" in page.find(".fault").inner_text()
    assert "is written for no wire" in page.find("#panel").inner_text()
    page.page.evaluate(_PASTE, json.dumps(samples.JOURNEY))
    page.page.wait_for_selector(".transcript .message")
    assert page.faults == []
    files = [("bad.json", b"{"), ("answer.sse", samples.STREAM.encode()), ("empty.json", b"")]
    chosen: list[FilePayload] = [
        {"name": name, "mimeType": "text/plain", "buffer": data} for name, data in files
    ]
    page.page.get_by_label("Open files").set_input_files(chosen)
    page.page.wait_for_selector("#tab-replay")
    told = page.find("#problems li").all_inner_texts()
    assert [row.split()[0] for row in told] == ["bad.json", "empty.json"]
    page.button("Close").click()
    assert not page.find("#problems").is_visible()
    page.faults = [fault for fault in page.faults if "422" not in fault]  # the two refused ones
