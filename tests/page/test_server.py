"""The live page answers this machine's own page, under its own name and token, and nobody else."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from dragoman.page import Page
from dragoman.page.server import HEADERS, Server

from . import samples
from .browsing import keep

Serve = Callable[..., str]


def ask(
    url: str, path: str = "", method: str = "GET", body: Any = None, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """(status, headers, body) of one request; underscores in names of headers are dashes."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection("127.0.0.1", parts.port or 0, timeout=60)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path if path.startswith("/") else parts.path + path, body, sent)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, {k.lower(): v for k, v in answer.getheaders()}, content


@pytest.fixture
def url(serve: Serve) -> str:
    return serve(("journey.json", json.dumps(samples.JOURNEY).encode()))


def test_every_answer_has_the_headers_that_keep_it_to_itself(url: str) -> None:
    for path in ("", "api/contents", "static/app.js", "static/none.js", "/", "/else"):
        status, headers, _ = ask(url, path)
        assert status in (200, 404), path
        for name, value in HEADERS.items():
            assert headers[name] == value, path
    policy = HEADERS["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert "http" not in policy


def test_what_the_page_asks_is_answered(url: str) -> None:
    status, headers, body = ask(url, "api/wire/0/gemini/role/0")
    assert (status, headers["content-type"]) == (200, "application/json")
    assert json.loads(body)["wire"] == "gemini"
    assert ask(url)[1]["content-type"].startswith("text/html")
    assert "javascript" in ask(url, "static/app.js")[1]["content-type"]


@pytest.mark.parametrize("path", ["/", "/api/contents", "/static/app.js", "/wrong-token/", "/.."])
def test_nothing_is_told_without_the_token(url: str, path: str) -> None:
    assert ask(url, path)[0] == 404


@pytest.mark.parametrize(
    "path", ["static/../server.py", "static/%2e%2e/server.py", "static//etc/passwd", "static/"]
)
def test_no_other_file_is_told(url: str, path: str) -> None:
    status, _, body = ask(url, path)
    assert status == 404
    assert b"import" not in body


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil:80"])
def test_another_name_is_refused(url: str, host: str) -> None:
    assert ask(url, Host=host)[0] == 403
    assert ask(url, "api/contents", Host=host)[0] == 403


def test_its_own_names_are_not_refused(url: str) -> None:
    port = urlsplit(url).port
    for host in (f"127.0.0.1:{port}", f"localhost:{port}"):
        assert ask(url, Host=host)[0] == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
)
def test_other_pages_are_refused(url: str, headers: dict[str, str]) -> None:
    assert ask(url, "api/contents", **headers)[0] == 403
    kind = "application/octet-stream"
    assert ask(url, "open", "POST", b"{}", Content_Type=kind, **headers)[0] == 403


def test_its_own_page_may_open_a_file(url: str) -> None:
    port = urlsplit(url).port
    own = {"Origin": f"http://127.0.0.1:{port}", "Sec_Fetch_Site": "same-origin",
           "Content_Type": "application/octet-stream"}  # fmt: skip
    status, _, body = ask(url, "open?name=a.sse", "POST", samples.STREAM.encode(), **own)
    assert (status, json.loads(body)) == (200, [1])
    contents = json.loads(ask(url, "api/contents")[2])
    assert [file["name"] for file in contents["files"]] == ["journey.json", "a.sse"]


def test_a_form_of_another_page_cannot_open_a_file(url: str) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        assert ask(url, "open", "POST", b"{}", Content_Type=kind)[0] == 415
    assert ask(url, "open")[0] == 405


def test_what_cannot_be_answered_says_why(url: str) -> None:
    status, _, body = ask(url, "api/wire/0/nobody/role/0")
    assert (status, "nobody" in json.loads(body)["error"]) == (422, True)
    assert ask(url, "api/conversation/7")[0] == 404
    kind = "application/octet-stream"
    status, _, body = ask(url, "open?name=x.json", "POST", b"{", Content_Type=kind)
    assert status == 422
    assert json.loads(body)["error"]


def test_it_listens_on_loopback_alone() -> None:
    server = Server(Page())
    try:
        assert server.url.startswith(f"http://127.0.0.1:{server.port}/")
        assert len(urlsplit(server.url).path) > 30
        with pytest.raises(OSError, match="in use"):
            Server(Page(), server.port)
    finally:
        server.stop()


@contextmanager
def command(*words: str, home: Path, **env: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command as a shell would run it, and the URL that it tells; stopped at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "dragoman", *words], stdout=subprocess.PIPE, text=True, cwd=home,
        env={**os.environ, "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1", **env},
    )  # fmt: skip
    with process:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


def test_the_command_serves_until_it_is_stopped_and_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "journey.json").write_text(json.dumps(samples.JOURNEY), "utf-8")
    before = sorted(tmp_path.rglob("*"))
    started = time.monotonic()
    with command("view", "journey.json", "--no-open", home=tmp_path) as (_, url):
        ready = time.monotonic() - started
        assert ask(url)[0] == 200
        contents = json.loads(ask(url, "api/contents")[2])
        assert contents["files"][0]["name"] == "journey.json"
        assert ask(url, "api/wire/0/cohere/role/0")[0] == 200
    assert sorted(tmp_path.rglob("*")) == before
    keep("ready", {"view_ready_s": round(ready, 3)})


def test_the_browser_is_told_where_the_page_is(tmp_path: Path) -> None:
    told = tmp_path / "told"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {told}\n')
    browser.chmod(0o755)
    with command("play", home=tmp_path, BROWSER=f"{browser} %s") as (_, url):
        for _ in range(400):
            if told.exists() and told.read_text().strip():
                break
            time.sleep(0.05)
        assert told.read_text().strip() == url


def test_a_port_can_be_chosen(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with command("play", "--no-open", "--port", str(port), home=tmp_path) as (_, url):
        assert urlsplit(url).port == port


def test_an_export_needs_no_server() -> None:
    code = (
        "import sys, dragoman.page;"
        "print(sorted({'starlette', 'uvicorn', 'anyio', 'aiohttp', 'typer'} & {*sys.modules}))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
