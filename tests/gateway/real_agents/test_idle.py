"""Codex before a provider that thinks for longer than its idle timer: signs of life keep it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from time import sleep

import pytest

from tests.gateway.real_agents.programs import AGENTS, OPEN, Place
from tests.house.needs import program

CODEX = AGENTS["codex"]
PAUSE = 2.5  # seconds of the provider's silence
IDLE = 1_500  # milliseconds after which Codex gives up; 300,000 where nobody says otherwise


def _events() -> Iterator[tuple[float, str]]:
    """Seconds to wait, and what then comes: an answer of another wire, silent in its middle."""
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}

    def chunk(delta: dict[str, str], reason: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return f"data: {json.dumps({**head, 'choices': [choice]})}\n\n"

    yield 0.0, chunk({"role": "assistant", "content": "It"})
    yield PAUSE, chunk({"content": " is done."})
    yield 0.0, chunk({}, "stop") + "data: [DONE]\n\n"


class _Slow(BaseHTTPRequestHandler):
    asked = 0

    def do_POST(self) -> None:
        type(self).asked += 1
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for pause, text in _events():
            sleep(pause)
            self.wfile.write(text.encode())
            self.wfile.flush()
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed."""


@pytest.fixture
def slow() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Slow", (_Slow,), {"asked": 0}))
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()
    assert server.RequestHandlerClass.asked == 1  # type: ignore[attr-defined]  # not asked again


def test_codex_waits_for_as_long_as_signs_of_life_come(
    slow: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OPEN, "1")
    program("node", "coding agents run in it")
    program(str(CODEX.executable()), "a coding agent that `make pytest` installs")
    config = tmp_path / "gateway.toml"
    config.write_text(
        f'[server]\nport = 0\n[limits]\nkeep_alive = "500ms"\n'
        f'[[routes]]\nto = "openai/openai-chat/m"\nbase_url = "{slow}"\n',
        "utf-8",
    )
    environment = {**os.environ, "OPENAI_API_KEY": "sk-test"}
    command = [sys.executable, "-m", "dragoman", "serve", "--config", str(config)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=environment, cwd=tmp_path
    ) as gateway:
        try:
            assert gateway.stdout is not None
            found = re.search(r"http://[\d.]+:\d+", gateway.stdout.readline())
            assert found
            place = Place(tmp_path / "codex")
            place.make()
            settings = CODEX.environment(place, found[0])
            file = place.home / ".codex" / "config.toml"
            file.write_text(file.read_text("utf-8") + f"stream_idle_timeout_ms = {IDLE}\n", "utf-8")
            ran = subprocess.run(
                CODEX.command("Say so.", resumed=False), cwd=place.work, env=settings, text=True,
                stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False,
            )  # fmt: skip
        finally:
            gateway.terminate()
    assert "It is done." in ran.stdout
    assert "Reconnecting" not in ran.stdout + ran.stderr
    assert ran.returncode == 0
