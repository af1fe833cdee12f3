"""A process that is killed at any moment loses no batch, and the next one submits none twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dragoman import LLM, ConfigError, ConnectionFailed, ProviderError
from dragoman.llm import Batch
from dragoman.model import Retries, Timeouts
from dragoman.protocols.batches import BatchLimits
from dragoman.transport.call import HttpCall, Reply
from dragoman.transport.over_httpx2 import Httpx2Transport
from dragoman.vendors import vendor

from .loopback import KEY, Call
from .openai_host import OpenAIHost

CHAT = "openai/openai-chat/gpt-5.6"
COUNT = 5


class Killed(BaseException):
    """The end of a process: nothing of ours catches it."""


class Cutting(Httpx2Transport):
    """Dies before the call of a number, or after it was done."""

    def __init__(self, at: int, done: bool, die: Callable[[], Any]) -> None:
        super().__init__()
        self.left, self.done, self.die = at, done, die

    def send(self, call: HttpCall, timeouts: Timeouts) -> Reply:
        self.left -= 1
        if not self.left and not self.done:
            self.die()
        reply = super().send(call, timeouts)
        if not self.left:
            self.die()
        return reply


@pytest.fixture
def two_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = dict.fromkeys(("openai-chat", "openai-responses"), BatchLimits(2, 10**6))
    monkeypatch.setattr(type(vendor("openai")), "batches", limits)


def asking(url: str, transport: Any = None) -> LLM:
    retries = Retries(attempts=2, backoff=0.0)
    return LLM(CHAT, key=KEY, base_url=url, retries=retries, transport=transport)


def closing(host: OpenAIHost, transport: Any = None) -> LLM:
    if transport is not None:
        host.keep(transport)
    llm: LLM = host.keep(asking(host.url, transport))
    return llm


def asked(host: OpenAIHost) -> list[str]:
    """What every request of every batch asks."""
    return [
        row["body"]["messages"][-1]["content"]
        for held in host.batches.values()
        for row in host.rows(held["input_file_id"])
    ]


def die() -> None:
    raise Killed


@pytest.mark.parametrize("done", [False, True])
@pytest.mark.parametrize("at", range(1, 8))
@pytest.mark.usefixtures("two_a_batch")
def test_every_request_is_submitted_once(tmp_path: Path, at: int, done: bool) -> None:
    words = [f"n{n}" for n in range(COUNT)]
    with OpenAIHost() as host:
        llm = closing(host, Cutting(at, done, die))
        batch = llm.batch(words, file=tmp_path / "b.json")
        if at < 7:
            with pytest.raises(Killed):
                batch.submit()
        else:  # there are six calls: an upload and a batch for each part
            batch.submit()
        later = Batch.load(tmp_path / "b.json", closing(host))
        later.submit()
        assert sorted(asked(host)) == words
        assert len(host.batches) == 3
        answers = [item.answer.text for item in later.results() if item.answer]
        assert answers == [f"You said {word}" for word in words]


@pytest.mark.usefixtures("two_a_batch")
def test_a_lost_reply_is_asked_for(tmp_path: Path) -> None:
    with OpenAIHost() as host:
        cut: list[Call] = []

        def breaks(call: Call) -> bool:
            if (call.method, call.path) == ("POST", "/batches") and len(cut) < 2:
                cut.append(call)
                return True
            return False

        host.cut = breaks
        batch = closing(host).batch([f"n{n}" for n in range(COUNT)], file=tmp_path / "b.json")
        batch.submit()
        assert len(cut) == 2
        assert len(host.batches) == 3
        assert sorted(asked(host)) == [f"n{n}" for n in range(COUNT)]


def test_a_batch_is_not_created_blindly_while_the_list_cannot_be_read(tmp_path: Path) -> None:
    with OpenAIHost() as host:
        host.cut = lambda call: call.path == "/batches"
        batch = closing(host).batch(["one"], file=tmp_path / "b.json")
        for _ in range(3):
            with pytest.raises(ConnectionFailed):
                batch.submit()
        assert len(host.batches) == 1
        host.cut = lambda call: False
        batch.submit()
        assert len(host.batches) == 1


def test_results_that_break_off_are_downloaded_anew(tmp_path: Path) -> None:
    with OpenAIHost() as host:
        batch = closing(host).batch(["one", "two"], file=tmp_path / "b.json")
        batch.submit()
        halved: list[Call] = []

        def halve(call: Call) -> bool:
            if call.path.endswith("/content") and len(halved) < 1:
                halved.append(call)
                return True
            return False

        host.halve = halve
        assert [item.answer is not None for item in batch.results()] == [True, True]
        assert len(halved) == 1
        place = tmp_path / "b.json.d" / "results-0.jsonl"
        assert len(place.read_bytes().splitlines()) == 2
        place.unlink()
        assert [item.answer is not None for item in batch.results()] == [True, True]


def test_results_that_break_off_for_good_leave_no_half(tmp_path: Path) -> None:
    with OpenAIHost() as host:
        batch = closing(host).batch(["one", "two"], file=tmp_path / "b.json")
        batch.submit()
        host.halve = lambda call: call.path.endswith("/content")
        with pytest.raises(ProviderError):
            batch.results()
        assert not (tmp_path / "b.json.d" / "results-0.jsonl").exists()
        host.halve = lambda call: False
        assert [item.answer is not None for item in batch.results()] == [True, True]


def test_two_processes_do_not_submit_the_same(tmp_path: Path) -> None:
    with OpenAIHost() as host:
        first = closing(host).batch(["one"], file=tmp_path / "b.json")
        second = Batch.load(tmp_path / "b.json", closing(host))
        first.submit()
        second.submit()  # its state is older
        assert len(host.batches) == 1
        with first._store.lock(), pytest.raises(ConfigError, match="another run"):
            second.submit()


_SCRIPT = """
import os, signal, sys
from tests.llm.batches.test_killed import Cutting, asking
from dragoman.llm import Batch

url, file, at, done = sys.argv[1:]
llm = asking(url, Cutting(int(at), done == "1", lambda: os.kill(os.getpid(), signal.SIGKILL)))
Batch.load(file, llm).submit()
"""


@pytest.mark.parametrize(("at", "done"), [(1, "1"), (2, "0"), (2, "1")])
def test_kill_minus_nine(tmp_path: Path, at: int, done: str) -> None:
    with OpenAIHost() as host:
        closing(host).batch(["one", "two"], file=tmp_path / "b.json")
        ran = subprocess.run(
            [sys.executable, "-c", _SCRIPT, host.url, str(tmp_path / "b.json"), str(at), done],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=False,
        )
        assert ran.returncode == -signal.SIGKILL, ran.stderr
        later = Batch.load(tmp_path / "b.json", closing(host))
        later.submit()
        assert len(host.batches) == 1
        assert [item.answer is not None for item in later.results()] == [True, True]


def test_a_run_that_broke_while_it_wrote_is_begun_anew(tmp_path: Path) -> None:
    llm = asking("http://127.0.0.1:9/v1")

    def breaking() -> Any:
        yield "one"
        raise Killed

    with pytest.raises(Killed):
        llm.batch(breaking(), file=tmp_path / "b.json")
    assert len(llm.batch(["one", "two"], file=tmp_path / "b.json")) == 2


def test_requests_that_were_changed_are_refused(tmp_path: Path) -> None:
    llm = asking("http://127.0.0.1:9/v1")
    batch = llm.batch(["one"], file=tmp_path / "b.json")
    place = tmp_path / "b.json.d" / "requests-0.jsonl"
    place.write_bytes(place.read_bytes() + b"\n")
    with pytest.raises(ConfigError, match="not those that were written"):
        batch.submit()
