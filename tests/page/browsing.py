"""A window of the browser as the tests use it. Whatever goes wrong in it is a fault of the test."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Error, Locator, Page, Request

__all__ = ["ARGUMENTS", "ARTIFACTS", "PHONE", "Tab", "Windows", "keep"]

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync"]  # fmt: skip
ARTIFACTS = Path(os.environ.get("DRAGOMAN_ARTIFACTS", Path(__file__).parents[2] / "build" / "page"))
PHONE = {"width": 390, "height": 844}
_DESK: Any = {"width": 1280, "height": 800}


def keep(name: str, figures: Any) -> None:
    """Keep what was measured as an artifact; it is judged by people, not by tests."""
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    (ARTIFACTS / f"{name}.json").write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


class Windows:
    """Windows of one browser. One that a test has closed is the next test's, as if it were new.

    A process of the browser for each window takes as long as loading the page does.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._free: list[Page] = []

    def open(self) -> Page:
        """A window with nothing in it."""
        if self._free:
            return self._free.pop()
        context = self._browser.new_context(reduced_motion="reduce")
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        context.set_default_timeout(30_000)
        return context.new_page()

    def close(self, page: Page) -> None:
        """End what runs in a window, and forget what it has stored."""
        try:
            page.evaluate("localStorage.clear()")
            page.goto("about:blank")
            page.mouse.move(0, 0)
        except Error:  # it crashed
            page.context.close()
        else:
            self._free.append(page)


class Tab:
    """One page in a window; `faults` are console errors, exceptions, and requests elsewhere."""

    def __init__(
        self, windows: Windows, url: str, *, viewport: Any = None, scheme: Any = "light"
    ) -> None:
        self.faults: list[str] = []
        self.requests: list[str] = []
        self._home = urlsplit(url)
        self._windows = windows
        self.page = windows.open()
        self.page.set_viewport_size(viewport or _DESK)
        self.page.emulate_media(color_scheme=scheme)
        self.page.on("console", self._said)
        self.page.on("pageerror", self._failed)
        self.page.on("request", self._asked)
        self.page.goto(url)
        self.page.wait_for_selector("main[aria-busy=false]")

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(f"console: {message.text}")

    def _failed(self, error: Error) -> None:
        self.faults.append(f"exception: {error}")

    def _asked(self, request: Request) -> None:
        self.requests.append(request.url)
        parts = urlsplit(request.url)
        own = (parts.scheme, parts.netloc) == (self._home.scheme, self._home.netloc)
        if not own and parts.scheme not in ("data", "blob"):
            self.faults.append(f"request: {request.url}")

    def close(self) -> None:
        self.page.remove_listener("request", self._asked)  # that of an empty page
        self._windows.close(self.page)
        self.page.remove_listener("console", self._said)
        self.page.remove_listener("pageerror", self._failed)

    # -- what a reader does -----------------------------------------------------------------------

    def find(self, selector: str) -> Locator:
        return self.page.locator(selector)

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name)

    def choose_wire(self, name: str) -> None:
        """Choose a wire at the left of the JSON, and wait for its body."""
        self.find(f'.rail button[data-wire="{name}"]').click()
        self.page.wait_for_function(
            "name => document.querySelector('.sheet h2')?.textContent === name", arg=name
        )

    def choose_exchange(self, number: int) -> None:
        self.page.get_by_label("Exchange", exact=True).select_option(str(number))
        self.page.wait_for_selector("main[aria-busy=false]")
        self.page.wait_for_function(
            "number => new URLSearchParams(location.hash.slice(1)).get('x') === number",
            arg=str(number),
        )

    def open_tab(self, name: str) -> None:
        self.page.get_by_role("tab", name=name).click()

    def copied(self) -> str:
        """What the copy button of the first body puts on the clipboard."""
        self.page.evaluate("navigator.clipboard.writeText('')")
        self.find(".sheet button[aria-label^='Copy the JSON']").first.click()
        for _ in range(1000):
            if text := str(self.page.evaluate("navigator.clipboard.readText()")):
                return text
            self.page.wait_for_timeout(20)
        raise AssertionError("nothing was copied")

    def shown(self, selector: str = ".sheet .json .line") -> str:
        """The lines of a body as they are read."""
        return "\n".join(self.find(selector).all_inner_texts())

    def keep(self, name: str) -> Path:
        """Keep a screenshot as an artifact."""
        ARTIFACTS.mkdir(parents=True, exist_ok=True)
        path = ARTIFACTS / f"{name}.png"
        self.page.screenshot(path=path)
        return path
