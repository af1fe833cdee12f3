"""The examples with a page of the AI SDK's own hook, in a real browser."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable
from contextlib import closing
from http.client import HTTPConnection
from time import sleep
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from dragoman.errors import ProviderError
from dragoman.message import ChatRequest, TextBlock, ThinkingBlock, ToolUseBlock
from dragoman.testing import Fault, Scripted
from tests.docs.pages import ROOT
from tests.docs.test_examples import answered_by
from tests.page.browsing import ARTIFACTS

LONG = "I would pay her now, if I may: seven dollars, from the purse on the shelf by the door."


def say(request: ChatRequest) -> Any:
    """What the model answers to what was said last."""
    last = request.messages[-1]
    said = last.text or str(last.blocks[-1])
    if "Break" in said:
        return Fault("This never", error=ProviderError("secret", status=529), after=3)
    if "Pay" in said:
        call = ToolUseBlock(f"toolu_{len(request.messages)}", "pay", {"name": "Ann", "dollars": 7})
        answer = [ThinkingBlock("She was promised it.", "c2ln"), TextBlock(LONG), call]
        return Fault(answer, pause=0.02)
    return "She has it." if "went to Ann" in said else f"Heard: {said[-60:]}"


def send(page: Page, text: str) -> None:
    page.get_by_label("Message").fill(text)
    page.keyboard.press("Enter")


@pytest.mark.parametrize("name", ["chat_for_a_page.py", "chat_for_a_page_fastapi.py"])
def test_typed_streamed_approved_reloaded_and_gone_on(
    name: str, serve: Callable[[Any], str], browser: Browser
) -> None:
    with answered_by(Scripted(say, repeat=True)):
        app = runpy.run_path(str(ROOT / "examples" / name))["app"]
        page = browser.new_page(viewport={"width": 760, "height": 480})
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(serve(app))
        page.wait_for_selector("main[data-status=ready]")
        page.evaluate("""() => {
            window.seen = new Set();
            new MutationObserver(() => {
                for (const one of document.querySelectorAll(".assistant .text"))
                    window.seen.add(one.textContent);
            }).observe(document, { subtree: true, childList: true, characterData: true });
        }""")
        # typed and streamed
        send(page, "Pay Ann.")
        expect(page.get_by_role("button", name="Allow")).to_be_visible()
        expect(page.locator(".thought")).to_have_text("She was promised it.")
        seen = page.evaluate("[...window.seen]")
        assert len(seen) > 3, "the text grew while it came"
        assert all(LONG.startswith(text) for text in seen)
        # approved
        page.get_by_role("button", name="Allow").click()
        expect(page.locator(".call output")).to_have_text("7 dollars went to Ann.")
        expect(page.locator(".text").last).to_have_text("She has it.")
        assert page.locator("article.assistant").count() == 1, "the message went on"
        page.wait_for_selector("main[data-status=ready]")
        shown = page.locator("main").inner_text()
        # reloaded
        page.reload()
        page.wait_for_selector("main[data-status=ready]")
        assert page.locator("main").inner_text() == shown
        # gone on: a call that waits is there after a reload, too, and can be refused
        send(page, "Pay her again.")
        expect(page.get_by_role("button", name="Refuse")).to_be_visible()
        ARTIFACTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=ARTIFACTS / f"ui-{name}.png", full_page=True)
        page.reload()
        page.get_by_role("button", name="Refuse").click()
        expect(page.locator(".call output").last).to_have_text("not allowed")
        expect(page.locator(".text").last).to_contain_text("not allowed: no")
        page.wait_for_selector("main[data-status=ready]")
        # an error is one, and the conversation goes on after it
        send(page, "Break.")
        alert = page.get_by_role("alert")
        expect(alert).to_contain_text("The answer could not be finished")
        assert "secret" not in page.content()
        send(page, "Hello?")
        expect(page.locator(".text").last).to_contain_text("Hello?")
        page.wait_for_selector("main[data-status=ready]")
        assert faults == []
        page.close()


def test_who_leaves_ends_the_run_and_can_come_back(
    serve: Callable[[Any], str], bundle: bytes
) -> None:
    """The connection closes while the model answers: the run is cancelled, its lock is free."""
    slow = Fault("This is never read to its end. " * 40, pause=0.05)
    with answered_by(Scripted(slow, "Here.")):
        url = urlsplit(serve(runpy.run_path(str(ROOT / "examples" / "chat_for_a_page.py"))["app"]))

        def post(id: str, text: str) -> HTTPConnection:
            message = {"id": id, "role": "user", "parts": [{"type": "text", "text": text}]}
            connection = HTTPConnection(url.hostname or "", url.port or 0, timeout=60)
            body = json.dumps({"id": "left", "messages": [message]})
            connection.request("POST", "/api/chat", body, {"content-type": "application/json"})
            return connection

        left = post("u1", "Hi.")
        answer = left.getresponse()
        assert b"start" in answer.readline()
        answer.close()
        left.close()
        read = "RunConflict"
        for nth in range(600):
            if "RunConflict" not in read:
                break
            sleep(0.05)
            with closing(post(f"u{2 + nth}", "Are you there?")) as connection:
                read = connection.getresponse().read().decode()
        assert "Here." in read
        with urlopen(f"{url.geturl()}/api/chat/left") as history:
            stored = history.read().decode()
        assert "never read to its end" not in stored


def test_a_request_that_is_none_is_refused(serve: Callable[[Any], str], browser: Browser) -> None:
    app = runpy.run_path(str(ROOT / "examples" / "chat_for_a_page.py"))["app"]
    page = browser.new_page()
    url = serve(app)
    for body in ({}, {"id": "a", "messages": [{"role": "user"}]}, {"id": "a", "messages": []}):
        answer = page.request.post(f"{url}/api/chat", data=body)
        assert (answer.status, "error" in answer.json()) == (400, True), body
    page.close()
