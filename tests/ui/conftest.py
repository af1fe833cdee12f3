"""The page of the examples in a real browser, served by each of the example programs."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Browser, sync_playwright
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route

from tests.docs.pages import ROOT
from tests.house import needs
from tests.page.browsing import ARGUMENTS

from .judging import PACKAGES

HTML = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Chat</title>
<link rel="icon" href="data:,"><style>
body { font: 16px/1.5 sans-serif; max-width: 38rem; margin: 2rem auto; padding: 0 1rem; }
article { margin: .7rem 0; padding: .5rem 1rem; border-radius: .7rem; background: #eef2f7; }
article.user { background: #dbe7ff; margin-left: 6rem; }
p { margin: .3rem 0; } .thought { color: #5a6474; font-style: italic; }
.call { margin: .5rem 0; padding: .5rem; border: 1px solid #b9c3d3; border-radius: .5rem; }
output { display: block; color: #0b5f2d; } button { margin-left: .6rem; font: inherit; }
input { width: 100%; box-sizing: border-box; font: inherit; padding: .5rem; }
</style><div id="root"></div><script type="module" src="/page.js"></script></html>"""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The page with the hook of the AI SDK, as one file of JavaScript."""
    needs.program("node", "esbuild is run by it")
    out = tmp_path_factory.mktemp("page") / "page.js"
    esbuild = PACKAGES / "node_modules" / ".bin" / "esbuild"
    subprocess.run(
        [str(esbuild), str(ROOT / "examples" / "chat_page.jsx"), "--bundle", "--format=esm",
         "--jsx=automatic", '--define:process.env.NODE_ENV="production"', f"--outfile={out}",
         "--log-level=error"],
        check=True, env={**os.environ, "NODE_PATH": str(PACKAGES / "node_modules")},
    )  # fmt: skip
    return out.read_bytes()


@pytest.fixture(scope="module")  # Playwright's loop runs in this thread until the browser is closed
def browser() -> Iterator[Browser]:
    path = needs.program("chromium", "the page is looked at in a real browser")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield found
        found.close()


@contextmanager
def serving(app: Any, script: bytes) -> Iterator[str]:
    """The address of the example, with the page beside it."""
    routes = [
        Route("/", lambda _: HTMLResponse(HTML)),
        Route("/page.js", lambda _: Response(script, media_type="text/javascript")),
        Mount("/", app),
    ]
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    for _ in range(6000):
        if server.started:
            break
        thread.join(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(60)
        assert not thread.is_alive()


@pytest.fixture
def serve(
    bundle: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[Any], str]]:
    """Serves an app; the example's database is in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    with ExitStack() as stack:
        yield lambda app: stack.enter_context(serving(app, bundle))
