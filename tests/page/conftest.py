"""A real browser, and servers of the page for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

from dragoman.page import Page
from dragoman.page.server import Server
from tests.house import needs

from .browsing import ARGUMENTS, Tab, Windows

Serve = Callable[..., str]


@pytest.fixture(scope="module")  # Playwright's loop runs in this thread until the browser is closed
def windows() -> Iterator[Windows]:
    """Debian's Chromium, headless."""
    path = needs.program("chromium", "the page is looked at in a real browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield Windows(browser)
        browser.close()


@contextmanager
def serving() -> Iterator[Serve]:
    """Serves what is given as (name, bytes); the URL of the page."""
    servers: list[tuple[Server, threading.Thread]] = []

    def start(*files: tuple[str, bytes]) -> str:
        page = Page()
        for name, data in files:
            page.open(data, name)
        server = Server(page)
        ready = threading.Event()
        thread = threading.Thread(target=server.run, args=(ready.set,), daemon=True)
        thread.start()
        assert ready.wait(60)
        servers.append((server, thread))
        return server.url

    yield start
    for server, thread in servers:
        server.stop()
        thread.join(60)
        assert not thread.is_alive()


@contextmanager
def opening(windows: Windows) -> Iterator[Callable[..., Tab]]:
    """Opens a URL in a window of its own; at the end nothing may have gone wrong in it."""
    tabs: list[Tab] = []

    def open_tab(url: str, **settings: Any) -> Tab:
        opened = Tab(windows, url, **settings)
        tabs.append(opened)
        return opened

    yield open_tab
    for opened in tabs:
        opened.close()
    assert [fault for opened in tabs for fault in opened.faults] == []


@pytest.fixture
def serve() -> Iterator[Serve]:
    with serving() as start:
        yield start


@pytest.fixture
def tab(windows: Windows) -> Iterator[Callable[..., Tab]]:
    with opening(windows) as open_tab:
        yield open_tab


@pytest.fixture(scope="module")
def empty_page(windows: Windows) -> Iterator[Tab]:
    """A window with nothing in it, for tests that only call its scripts."""
    with serving() as start, opening(windows) as open_tab:
        yield open_tab(start())
