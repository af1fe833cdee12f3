"""A conversation of 2,000 messages and 100 pictures: of it the document holds what is near the eye.

What it takes is measured and kept beside the screenshots; no time is judged here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from dragoman.page import Page

from . import samples
from .browsing import Tab, keep

_SCROLL = """async () => {
  const root = document.querySelector("#chat .scroll");
  const frames = [];
  let last = performance.now();
  let pictures = 0;
  for (let i = 0; i < 180; i += 1) {
    root.scrollTop += 400;
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    frames.push(now - last);
    last = now;
    pictures = Math.max(pictures, document.querySelectorAll("#chat .message").length);
  }
  frames.sort((a, b) => a - b);
  return { frames: frames.length, median: frames[90], p95: frames[171], worst: frames[179],
           most_messages: pictures, scrolled: root.scrollTop };
}"""

_OPENED = """() => {
  const [entry] = performance.getEntriesByType("navigation");
  return { loaded: entry.loadEventEnd, now: performance.now() };
}"""


@pytest.fixture(scope="module")
def data() -> bytes:
    return json.dumps(samples.long()).encode()


def test_it_opens_and_scrolls_with_what_is_near_in_the_document(
    data: bytes, serve: Callable[..., str], tab: Callable[..., Tab]
) -> None:
    page = tab(f"{serve(('long.json', data))}#wire=anthropic&tab=json")
    page.page.wait_for_selector(".message")
    opened: dict[str, Any] = page.page.evaluate(_OPENED)
    assert page.find(".message").count() <= 200
    page.page.wait_for_selector(".sheet .line")
    shown: dict[str, Any] = page.page.evaluate(_OPENED)
    assert page.find(".sheet .line").count() <= 1000
    page.page.wait_for_load_state("networkidle")
    scrolled: dict[str, Any] = page.page.evaluate(_SCROLL)
    assert scrolled["most_messages"] <= 400
    assert scrolled["scrolled"] > 50_000
    page.page.wait_for_timeout(500)
    assert page.find("figure img").count() >= 1
    figures = {"conversation_ms": opened["now"], "json_ms": shown["now"], **scrolled}
    keep("long", figures)
    page.keep("long-1280-light")


def test_the_last_message_is_there_when_it_is_asked_for(
    data: bytes, serve: Callable[..., str], tab: Callable[..., Tab]
) -> None:
    page = tab(f"{serve(('long.json', data))}#wire=openai-chat&tab=json")
    page.page.wait_for_selector(".message")
    field = page.page.get_by_label("Find in the conversation")
    field.fill("1999")
    field.press("Enter")
    page.page.wait_for_selector(".message.found")
    assert page.find(".message.found").get_attribute("aria-label") == "Assistant, message 2000"
    page.find(".message.found").get_by_role("button", name="Show in JSON").click()
    page.page.wait_for_selector('.sheet .line.flash[data-path="$.messages[1999]"]')
    assert page.find(".message").count() <= 300


def test_its_pictures_travel_when_they_are_looked_at(data: bytes) -> None:
    page = Page()
    page.open(data, "long.json")
    shown = page.answer("conversation/0")
    pictures = [b for m in shown["messages"] for b in m["blocks"] if b["kind"] == "image"]
    assert len({picture["data"] for picture in pictures}) > 1
    assert len(pictures) == 100
    assert len(json.dumps(shown)) < len(data)
