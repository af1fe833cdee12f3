"""`dragoman serve` as it is run: official clients on one side, a strict server on the other."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest

from dragoman.gateway.config.client_keys import new_key
from dragoman.testing import Fault, StrictServer

from .running import Gateway, until

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")

WORDS = "Caravans left Bukhara for Samarkand in the spring, when the wells were full."


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Gateway]]:
    """Start `dragoman serve` with these words; all are ended with the test."""
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "upstream-key")
    started: list[Gateway] = []

    def start(*words: str) -> Gateway:
        command = ("dragoman", "serve", *words, "--port", "0")
        started.append(Gateway(*command, state=tmp_path / "state"))
        return started[-1]

    yield start
    for gateway in started:
        gateway.__exit__(None, None, None)


def chat(gateway: Gateway, key: str = "none") -> openai.OpenAI:
    url = f"http://127.0.0.1:{gateway.port}/v1"
    return openai.OpenAI(base_url=url, api_key=key, max_retries=0)


def ask(client: openai.OpenAI, model: str = "gpt-5.6") -> str | None:
    answer = client.chat.completions.create(
        model=model, messages=[{"role": "user", "content": "Tell me of caravans."}]
    )
    return answer.choices[0].message.content


def streamed(client: openai.OpenAI) -> Iterator[str]:
    stream = client.chat.completions.create(
        model="gpt-5.6", messages=[{"role": "user", "content": "Tell me."}], stream=True
    )
    for chunk in stream:
        if chunk.choices and chunk.choices[0].delta.content:
            yield chunk.choices[0].delta.content


def figure(text: str, name: str) -> float:
    """The sum of a metric over its labels."""
    found = re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", text, re.MULTILINE)
    assert found, name
    return sum(map(float, found))


def test_one_model_without_a_file(run: Callable[..., Gateway]) -> None:
    with StrictServer("anthropic", WORDS, key="upstream-key") as server:
        gateway = run("anthropic/claude-opus-5-5", "--upstream", server.url)
        with chat(gateway) as client:
            assert ask(client) == WORDS
        with anthropic.Anthropic(
            base_url=f"http://127.0.0.1:{gateway.port}", api_key="none", max_retries=0
        ) as client:
            answer = client.messages.create(
                model="claude-x", max_tokens=99, messages=[{"role": "user", "content": "Tell."}]
            )
        assert answer.content[0].type == "text"
        assert answer.content[0].text == WORDS
        assert [json.loads(call.body)["model"] for call in server.calls] == ["claude-opus-5-5"] * 2
    gateway.signal(signal.SIGTERM)
    assert gateway.wait() == 0
    assert gateway.rest() == ""


@pytest.mark.parametrize("workers", ["1", "2"])
def test_sigterm_lets_answers_of_a_provider_end(run: Callable[..., Gateway], workers: str) -> None:
    with StrictServer("anthropic", Fault(WORDS, pause=0.05)) as server:
        args = ("anthropic/claude-opus-5-5", "--upstream", server.url, "--workers", workers)
        gateway = run(*args)
        with chat(gateway) as client:
            pieces = streamed(client)
            first = next(pieces)
            gateway.signal(signal.SIGTERM)
            assert first + "".join(pieces) == WORDS
        assert gateway.wait() == 0


FILE = """\
[[routes]]
name = "{name}"
models = ["gpt-*"]
to = "{to}"
base_url = "{url}"
"""


def test_a_reload_sends_new_requests_elsewhere(run: Callable[..., Gateway], tmp_path: Path) -> None:
    file = tmp_path / "gateway.toml"
    with StrictServer("anthropic", Fault(WORDS, pause=0.05)) as old, StrictServer("openai") as new:
        file.write_text(FILE.format(name="old", to="anthropic/claude-opus-5-5", url=old.url))
        gateway = run("--config", str(file))
        with chat(gateway) as client:
            pieces = streamed(client)
            first = next(pieces)
            file.write_text(FILE.format(name="new", to="openai/gpt-5.6", url=new.url))
            gateway.signal(signal.SIGHUP)
            until(lambda: "was read again" in gateway.stderr)
            assert ask(client) == "Hello."
            assert first + "".join(pieces) == WORDS
        metrics = gateway.get("/metrics")
        assert figure(metrics, "dragoman_exchanges_total") == 2  # a reload forgets none


def test_client_keys_of_the_file_and_of_a_reload(
    run: Callable[..., Gateway], tmp_path: Path
) -> None:
    file = tmp_path / "gateway.toml"
    first, second = new_key("first"), new_key("second")

    def written(key: Any) -> str:
        entry = f'[[keys]]\nname = "{key.entry.name}"\nhash = "{key.entry.hash}"\n'
        return entry + FILE.format(name="a", to="openai/gpt-5.6", url=server.url)

    with StrictServer("openai", key="upstream-key") as server:
        file.write_text(written(first))
        gateway = run("--config", str(file), "--host", "0.0.0.0")
        with chat(gateway, first.key) as client, chat(gateway, second.key) as other:
            assert ask(client) == "Hello."
            with pytest.raises(openai.AuthenticationError):
                ask(other)
            file.write_text(written(second))
            gateway.signal(signal.SIGHUP)
            until(lambda: "was read again" in gateway.stderr)
            assert ask(other) == "Hello."
            with pytest.raises(openai.AuthenticationError):
                ask(client)
        for key in (first.key, second.key):
            assert key not in gateway.stderr


def test_metrics_are_the_sum_over_all_workers_also_of_one_that_died(
    run: Callable[..., Gateway],
) -> None:
    with StrictServer("openai") as server:
        gateway = run("openai/gpt-5.6", "--upstream", server.url, "--workers", "2")

        def ask_often() -> None:
            for _ in range(8):
                with chat(gateway) as client:  # a connection of its own, to whichever worker
                    assert ask(client) == "Hello."

        ask_often()
        until(lambda: figure(gateway.get("/metrics"), "dragoman_exchanges_total") == 8)
        children = Path(f"/proc/{gateway.process.pid}/task/{gateway.process.pid}/children")
        pids = children.read_text().split()
        os.kill(int(pids[0]), signal.SIGKILL)
        until(lambda: "is replaced" in gateway.stderr)
        ask_often()
        until(lambda: figure(gateway.get("/metrics"), "dragoman_exchanges_total") == 16)
        assert figure(gateway.get("/metrics"), "dragoman_under_way") == 0


def test_exchanges_are_recorded_where_the_command_line_says(
    run: Callable[..., Gateway], tmp_path: Path
) -> None:
    with StrictServer("anthropic", WORDS) as server:
        folder = tmp_path / "kept"
        gateway = run(
            "anthropic/claude-opus-5-5", "--upstream", server.url, "--record", str(folder)
        )
        with chat(gateway) as client:
            ask(client)
        gateway.signal(signal.SIGTERM)
        assert gateway.wait() == 0
    (file,) = folder.iterdir()
    assert WORDS in file.read_text("utf-8")
    assert "upstream-key" not in file.read_text("utf-8")


def test_a_websocket_is_told_to_ask_over_http(run: Callable[..., Gateway]) -> None:
    gateway = run("ollama/x")
    told = gateway.raw(
        b"GET /v1/responses HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
        b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n\r\n"
    )
    assert told.startswith(b"HTTP/1.1 426 ")


def test_every_line_of_its_log_is_json(run: Callable[..., Gateway], tmp_path: Path) -> None:
    file = tmp_path / "gateway.toml"
    with StrictServer("openai") as server:
        file.write_text(FILE.format(name="a", to="openai/gpt-5.6", url=server.url))
        gateway = run("--config", str(file))
        with chat(gateway) as client:
            ask(client)
        until(lambda: '"status":200' in gateway.stderr)  # a thread writes it behind the answer
        file.write_text("[[routes")
        gateway.signal(signal.SIGHUP)
        until(lambda: "is kept" in gateway.stderr)
        gateway.signal(signal.SIGTERM)
        assert gateway.wait() == 0
    rows = [json.loads(line) for line in gateway.stderr.splitlines()]
    assert [row.get("level", row.get("status")) for row in rows] == [200, "error"]
    assert f"{file}:1: no TOML: " in rows[1]["message"]
