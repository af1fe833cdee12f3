"""A window of the browser as the tests use it. Whatever goes wrong in it is a fault of the test."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Locator, Request

__all__ = ["ARGUMENTS", "ARTIFACTS", "PHONE", "Tab", "keep"]

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync"]  # fmt: skip
ARTIFACTS = Path(os.environ.get("DRAGOMAN_ARTIFACTS", Path(__file__).parents[2] / "build" / "page"))
PHONE = {"width": 390, "height": 844}
_DESK: Any = {"width": 1280, "height": 800}


def keep(name: str, figures: Any) -> None:
    """Keep what was measured as an artifact; it is judged by people, not by tests."""
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    (ARTIFACTS / f"{name}.json").write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


class Tab:
    """One page in a window; `faults` are console errors, exceptions, and requests elsewhere."""

    def __init__(
        self, browser: Browser, url: str, *, viewport: Any = None, scheme: Any = "light",
        javascript: bool = True,
    ) -> None:  # fmt: skip
        self.faults: list[str] = []
        self.requests: list[str] = []
        self._home = urlsplit(url)
        self._context = browser.new_context(
            viewport=viewport or _DESK, color_scheme=scheme, java_script_enabled=javascript,
            reduced_motion="reduce",
        )  # fmt: skip
        self._context.grant_permissions(["clipboard-read", "clipboard-write"])
        self._context.set_default_timeout(30_000)
        self.page = self._context.new_page()
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.faults.append(f"exception: {error}"))
        self.page.on("request", self._asked)
        self.page.goto(url)
        self.page.wait_for_selector("main[aria-busy=false]")

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(f"console: {message.text}")

    def _asked(self, request: Request) -> None:
        self.requests.append(request.url)
        parts = urlsplit(request.url)
        own = (parts.scheme, parts.netloc) == (self._home.scheme, self._home.netloc)
        if not own and parts.scheme not in ("data", "blob"):
            self.faults.append(f"request: {request.url}")

    def close(self) -> None:
        self._context.close()

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
