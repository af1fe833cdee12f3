"""Long requests in a process of their own: every answer as if it had been made here."""

from __future__ import annotations

import asyncio
import gc
import gzip
import json
import os
import re
import signal
import socket
import subprocess
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from dragoman import errors
from dragoman.gateway.config.client_keys import new_key
from dragoman.gateway.config.config_values import ClientKey, Config, Limits, Route, Target
from dragoman.gateway.exchange.off_loop import LARGE
from dragoman.gateway.server import long_process, long_worker
from dragoman.gateway.server.asgi import App, serving_app
from dragoman.gateway.server.long_frames import PART, WINDOW
from dragoman.gateway.server.long_process import LongProcess
from dragoman.gateway.server.rate_limits import RateLimits
from dragoman.gateway.telemetry.observed_exchange import ExchangeRecord
from tests.gateway.asking import PATHS, request
from tests.gateway.numbered import asked, numbered
from tests.gateway.running import LONG, until

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sockets are given to a process")

FILLED = "far, {" * (LARGE // 6)  # makes a request long
NEW = new_key("tenant")
KEY = ClientKey("tenant", NEW.entry.hash)


@pytest.fixture(scope="module")
def upstream() -> Iterator[str]:
    with numbered() as url:
        yield url


def config(upstream: str, **more: Any) -> Config:
    routes = (
        Route(Target("openai/openai-chat/*", base_url=f"{upstream}/v1", secret="none"),
              models=("gpt-*",)),
        Route(Target("anthropic/*", base_url=upstream, secret="none"), models=("claude-*",)),
    )  # fmt: skip
    sealed = replace(Config(routes).envelopes, keys=(b"k" * 32,))
    return Config(routes, envelopes=sealed, **more)


class Records:
    """Keeps the records of exchanges that have ended."""

    def __init__(self) -> None:
        self.all: list[ExchangeRecord] = []

    def on_begin(self, record: ExchangeRecord) -> None:
        pass

    def on_end(self, record: ExchangeRecord) -> None:
        self.all.append(record)


class Call:
    """One request to an app over ASGI, and what came; `leave` ends the connection."""

    def __init__(self, app: App, path: str, body: bytes, **headers: str) -> None:
        self.messages: list[Any] = []
        self.taking = asyncio.Event()
        self.taking.set()
        self._body: bytes | None = body
        self._left = asyncio.Event()
        pairs = [(name.replace("_", "-").encode(), one.encode()) for name, one in headers.items()]
        scope = {"type": "http", "method": "POST", "path": path, "headers": pairs,
                 "query_string": b""}  # fmt: skip
        self.task = asyncio.ensure_future(app(scope, self._receive, self._send))

    async def _receive(self) -> Any:
        if self._body is None:
            await self._left.wait()
            return {"type": "http.disconnect"}
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def _send(self, message: Any) -> None:
        await self.taking.wait()
        self.messages.append(message)

    def leave(self) -> None:
        self._left.set()

    @property
    def status(self) -> int:
        status: int = self.messages[0]["status"]
        return status

    @property
    def headers(self) -> dict[bytes, bytes]:
        return dict(self.messages[0]["headers"])

    @property
    def body(self) -> bytes:
        return b"".join(one["body"] for one in self.messages[1:])

    @property
    def is_complete(self) -> bool:
        return bool(self.messages) and not self.messages[-1].get("more_body", True)

    async def has(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(LONG):
            while not condition():  # noqa: ASYNC110 - anything may be waited for
                await asyncio.sleep(0.01)


@asynccontextmanager
async def apps(
    config: Config, apart: bool = True, started: bool = True
) -> AsyncIterator[tuple[App, Records]]:
    records = Records()
    app = App(config, (records,))
    if apart:
        app.long_process = LongProcess(config)
        if started:
            app.long_process.start()
            await app.long_process.wait_until_ready()
    try:
        yield app, records
    finally:
        await app.aclose()


@asynccontextmanager
async def beside(app: App) -> AsyncIterator[None]:
    """A short request is under way meanwhile, with a streamed answer."""
    sent = request("anthropic", "gpt-4o", asked(1, 10**4, 0.02), stream=True)
    call = Call(app, PATHS["anthropic"], sent)
    await call.has(lambda: len(call.messages) > 2)
    try:
        yield
    finally:
        call.leave()
        await call.task


def many(client: str, model: str, stream: bool = False, events: int = 3, pace: float = 0) -> bytes:
    """A long request, whose answer is so many events."""
    body = json.loads(request(client, model, FILLED, stream=stream))
    body["messages"] += [{"role": "user", "content": [{"type": "text", "text": "x"}] * 300}]
    body["messages"] += [{"role": "user", "content": asked(1, events, pace)}]
    return json.dumps(body).encode()


# -- the same --------------------------------------------------------------------------------------

CASES: dict[str, tuple[str, bytes, dict[str, str]]] = {
    **{f"{client} to {model}, {'stream' if stream else 'whole'}":
       (PATHS[client], many(client, model, stream), {})
       for client in PATHS for model in ("gpt-4o", "claude-sonnet-4-5")
       for stream in (False, True)},
    "packed": (PATHS["anthropic"], gzip.compress(many("anthropic", "gpt-4o", True)),
               {"content_encoding": "gzip"}),
    "packed, short": (PATHS["anthropic"],
                      gzip.compress(request("anthropic", "gpt-4o", "Hi", stream=False)),
                      {"content_encoding": "gzip"}),
    "not packed so": (PATHS["anthropic"], b"x" * 100, {"content_encoding": "gzip"}),
    "unknown coding": (PATHS["anthropic"], b"x" * 100, {"content_encoding": "br"}),
    "a count": ("/v1/messages/count_tokens", many("anthropic", "gpt-4o"), {}),
    "no model": (PATHS["openai-chat"], many("openai-chat", "llama"), {}),
    "no JSON": (PATHS["openai-chat"], b"{" + b" " * LARGE, {}),
    "no object": ("/v1/responses", b"[" + b" " * LARGE + b"]", {}),
    "too many values": (PATHS["openai-chat"], b'{"x":[' + b"1," * 10_000 + b"1]}", {}),
    "another's state": ("/v1/responses", json.dumps(
        {"model": "gpt-4o", "previous_response_id": "resp_1", "input": FILLED}).encode(), {}),
    "half a pair": (PATHS["openai-chat"], many("openai-chat", "claude-sonnet-4-5").replace(
        b"far", b"\\ud800", 1), {}),
    "an unknown path": ("/v1/nothing", b"x" * 2 * LARGE, {}),
}  # fmt: skip
_CREATED = re.compile(rb'"created(?:_at)?":\d+')
_TIMES = {"id", "begun", "ended", "first_byte", "losses", "usage", "kept"}


def test_answers_and_records_are_those_of_one_process(upstream: str) -> None:
    """Status, headers, bytes, and what the log, the metrics and recordings are told."""
    settings = config(upstream, keys=(KEY,), limits=Limits(values=9000), record=Path("unused"))
    authorization = f"Bearer {NEW.key}"

    async def answers(apart: bool) -> list[tuple[Any, ...]]:
        made = []
        async with apps(settings, apart) as (app, records):
            for path, sent, headers in CASES.values():
                call = Call(app, path, sent, authorization=authorization, **headers)
                await call.task
                record = records.all[-1]
                told = {name: one for name, one in asdict(record).items() if name not in _TIMES}
                losses = [loss.to_dict() for loss in record.losses]
                ids = call.headers.pop(b"x-dragoman-id")
                assert ids.decode() == record.id
                heads = {name: one for name, one in call.headers.items()
                         if name != b"x-dragoman-id"}  # fmt: skip
                kept = asdict(record.kept) if record.kept is not None else {"response": b""}
                kept["response"] = _CREATED.sub(b"", kept["response"])
                body = _CREATED.sub(b"", call.body)
                made.append((call.status, heads, body, call.is_complete, told, losses,
                             record.usage, kept))  # fmt: skip
            assert (app.off_loop.pieces == 0) == apart
        return made

    there, here = asyncio.run(answers(True)), asyncio.run(answers(False))
    for name, one, other in zip(CASES, there, here, strict=True):
        assert one == other, name
    assert {one[0] for one in here} >= {200, 400, 404, 413, 415}
    assert any(one[5] for one in here)


def test_short_requests_are_answered_here(
    upstream: str, inside: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with apps(config(upstream)) as (app, _):
            call = Call(app, PATHS["anthropic"], request("anthropic", "gpt-4o", "Hi", stream=False))
            await call.task
            assert call.status == 200

    monkeypatch.setattr(LongProcess, "answer", None)
    asyncio.run(main())


def test_a_budget_of_a_key_is_one_for_short_and_long(upstream: str, inside: None) -> None:
    body = many("anthropic", "gpt-4o")
    key = replace(KEY, bytes=2 * len(body) + 100)

    async def main() -> list[int]:
        statuses, told = [], b""
        async with apps(config(upstream, keys=(key,))) as (app, _):
            app._bounds = RateLimits(lambda: 0.0)
            for sent in (body, body, body, request("anthropic", "gpt-4o", "Hi", stream=False)):
                call = Call(app, PATHS["anthropic"], sent, authorization=f"Bearer {NEW.key}")
                await call.task
                statuses.append(call.status)
                told = call.body
        assert b"bytes in a minute" in told
        return statuses

    assert asyncio.run(main()) == [200, 200, 429, 429]


def test_the_key_of_a_provider_is_in_no_argument_and_no_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    secret = "sk-" + "s" * 40
    routes = (Route(Target("openai/*", base_url="http://127.0.0.1:9", secret=secret)),)

    started: list[Any] = []
    usual = subprocess.Popen

    def noted(*args: Any, **more: Any) -> Any:
        started.extend([*args, more["env"]])
        return usual(*args, **more)

    async def main() -> None:
        async with apps(Config(routes)):
            pass

    monkeypatch.setattr(subprocess, "Popen", noted)
    asyncio.run(main())
    assert len(started) == 2
    assert secret not in str(started)


# -- beginning and end -----------------------------------------------------------------------------


def test_one_that_dies_is_told_and_replaced(upstream: str) -> None:
    """Before an answer begins, status 503 or what the client's wire has; later, no end."""

    async def main() -> None:
        async with apps(config(upstream)) as (app, records):
            path = PATHS["openai-chat"]
            begun = Call(app, path, many("openai-chat", "gpt-4o", True, 10**4, 0.02))
            await begun.has(lambda: len(begun.messages) > 2)
            waiting = Call(app, path, many("openai-chat", "gpt-4o", True, 10**4, 600))
            process = app.long_process
            assert process is not None
            first = process.pid
            assert first is not None
            await asyncio.sleep(0.2)
            os.kill(first, signal.SIGKILL)
            await asyncio.wait_for(asyncio.gather(begun.task, waiting.task), LONG)
            assert begun.status == 200
            assert not begun.is_complete
            if len(waiting.messages) > 1:
                assert waiting.status in (200, 503)
            assert {record.error for record in records.all} == {"overloaded"}
            async with beside(app):
                again = Call(app, path, many("openai-chat", "gpt-4o"))
                await again.task
                assert again.status == 200
                assert process.pid not in (None, first)
            assert app.off_loop.pieces == 0

    asyncio.run(main())


def test_it_starts_with_the_first_long_request_beside_others(upstream: str) -> None:
    """One that comes alone is answered in a thread: it delays nobody."""

    async def main() -> None:
        async with apps(config(upstream), started=False) as (app, _):
            process = app.long_process
            assert process is not None
            alone = Call(app, PATHS["anthropic"], many("anthropic", "gpt-4o"))
            await alone.task
            assert (alone.status, process.pid) == (200, None)
            pieces = app.off_loop.pieces
            assert pieces > 0
            async with beside(app):
                several = [Call(app, PATHS["anthropic"], many("anthropic", "gpt-4o"))
                           for _ in range(3)]  # fmt: skip
                await asyncio.gather(*(one.task for one in several))
                assert [one.status for one in several] == [200] * 3
                assert process.pid is not None
            again = Call(app, PATHS["anthropic"], many("anthropic", "gpt-4o"))
            await again.task
            assert again.status == 200
            assert app.off_loop.pieces == pieces

    asyncio.run(main())


def test_a_client_may_leave_while_it_starts(upstream: str) -> None:
    async def main() -> None:
        async with apps(config(upstream), started=False) as (app, records), beside(app):
            process = app.long_process
            assert process is not None
            call = Call(app, PATHS["anthropic"], many("anthropic", "gpt-4o"))
            await call.has(lambda: process._starting is not None)
            call.leave()
            await call.task
            assert [one.client_left for one in records.all] == [True]
            await process.wait_until_ready()
            assert process.pid is not None

    asyncio.run(main())


def test_one_that_dies_before_it_answers_is_an_error_of_the_client_s_wire(
    upstream: str, inside: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def die(*_: Any) -> None:
        raise _Died

    monkeypatch.setattr(long_worker, "answer_request", die)

    async def main() -> Call:
        async with apps(config(upstream)) as (app, _):
            call = Call(app, PATHS["anthropic"], many("anthropic", "gpt-4o"))
            await call.task
            return call

    call = asyncio.run(main())
    assert call.status in (503, 529)
    assert json.loads(call.body)["error"]["type"] == "overloaded_error"
    assert b"the process for long requests has ended" in call.body


def test_a_fault_of_ours_in_it_is_status_500(
    upstream: str, inside: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(*_: Any) -> None:
        raise RuntimeError("ours")

    monkeypatch.setattr(long_worker, "answer_request", fail)

    async def main() -> Call:
        async with apps(config(upstream)) as (app, _):
            call = Call(app, PATHS["anthropic"], many("anthropic", "gpt-4o"))
            await call.task
            return call

    call = asyncio.run(main())
    assert (call.status, call.is_complete) == (500, True)
    assert "a fault of the gateway" in caplog.text


def test_without_a_process_it_is_done_in_a_thread(
    upstream: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    starts = 0

    def refuse(_: socket.socket) -> Any:
        nonlocal starts
        starts += 1
        raise OSError("no more processes")

    monkeypatch.setattr(long_process, "_spawn", refuse)

    async def main() -> None:
        async with apps(config(upstream), started=False) as (app, _), beside(app):
            for _ in range(2):
                call = Call(app, PATHS["anthropic"], many("anthropic", "gpt-4o"))
                await call.task
                assert call.status == 200
            assert app.off_loop.pieces > 0

    asyncio.run(main())
    assert starts == 1
    assert "no more processes" in caplog.text


def test_a_client_that_leaves_ends_the_exchange_and_is_noted(upstream: str, inside: None) -> None:
    async def main() -> None:
        async with apps(config(upstream)) as (app, records):
            call = Call(app, PATHS["anthropic"], many("anthropic", "gpt-4o", True, 10**4, 0.02))
            await call.has(lambda: len(call.messages) > 2)
            call.leave()
            await asyncio.wait_for(call.task, LONG)
            (record,) = records.all
            assert record.client_left
            assert (record.vendor, record.upstream_model) == ("openai", "gpt-4o")
            assert record.losses is not None
            assert app.long_process is not None
            assert app.long_process.pid is not None
            other = Call(app, PATHS["anthropic"], many("anthropic", "gpt-4o"))
            await other.task
            assert other.status == 200

    asyncio.run(main())


def test_another_configuration_is_for_further_requests(upstream: str) -> None:
    async def main() -> None:
        async with apps(config(upstream)) as (app, _):
            path, body = PATHS["openai-chat"], many("openai-chat", "gpt-4o", True, 60, 0.02)
            first = Call(app, path, body)
            await first.has(lambda: len(first.messages) > 2)
            process = app.long_process
            assert process is not None
            pid = process.pid
            assert pid is not None
            app.reload(config(upstream, limits=Limits(values=10)))
            await process.wait_until_ready()
            second = Call(app, path, body)
            await second.task
            assert second.status == 413
            assert process.pid not in (None, pid)
            await first.task
            assert first.status == 200
            assert first.is_complete
            await first.has(lambda: not _runs(pid))

    asyncio.run(main())


def test_it_ends_with_the_app(upstream: str) -> None:
    async def main() -> int:
        async with apps(config(upstream)) as (app, _):
            assert app.long_process is not None
            assert app.long_process.pid is not None
            return app.long_process.pid

    assert not _runs(asyncio.run(main()))


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_serving_process_has_it_and_a_program_s_app_has_none(upstream: str) -> None:
    assert serving_app(config(upstream)).long_process is not None
    assert App(config(upstream), ()).long_process is None


# -- the other end, inside of this process ---------------------------------------------------------


class _Died(SystemExit):
    """The process ends at once."""


class _Thread:
    """In place of a process: a thread that serves the other end."""

    pid, returncode = 1, 0

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection.dup()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            asyncio.run(long_worker.serve(self._connection))
        except _Died:
            pass
        finally:
            self._connection.close()

    def wait(self, timeout: float | None = None) -> int:
        self._thread.join(timeout)
        if self._thread.is_alive():
            raise subprocess.TimeoutExpired("thread", timeout or 0)
        return 0

    def kill(self) -> None:
        """A thread ends with its connection."""


@pytest.fixture
def inside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_process, "_spawn", _Thread)
    monkeypatch.setattr(gc, "freeze", lambda: None)


@pytest.mark.parametrize("stream", [True, False])
def test_a_slow_client_holds_up_its_own_answer_alone(
    upstream: str, stream: bool, inside: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No more of its answer is on the way than the window, and others get theirs."""
    size, most = 4 * WINDOW, 0
    usual = long_worker._FramedExchange._put

    def put(self: Any, data: bytes) -> None:
        nonlocal most
        usual(self, data)
        most = max(most, self._under_way)

    async def answer(
        app: App, request: Any, key: Any, record: Any, client: Any, *more: Any
    ) -> None:
        await client.start(200, {})
        if b"slow" in request.body[-40:]:
            for _ in range(size // 1000 if stream else 1):
                data = b"x" * (1000 if stream else size)
                if not client.try_send(data):
                    await client.send(data)
        await client.send(b".", more=False)

    monkeypatch.setattr(long_worker._FramedExchange, "_put", put)
    monkeypatch.setattr(long_worker, "answer_request", answer)

    async def main() -> None:
        async with apps(config(upstream)) as (app, _):
            slow = Call(app, "/v1/messages", b"x" * LARGE + b"slow")
            slow.taking.clear()
            await slow.has(lambda: most > WINDOW - PART)
            other = Call(app, "/v1/messages", b"x" * 2 * LARGE)
            await other.task
            assert other.body == b"."
            assert not slow.task.done()
            slow.taking.set()
            await slow.task
            assert slow.body == b"x" * (size // 1000 * 1000 if stream else size) + b"."

    asyncio.run(main())
    assert WINDOW - PART < most < WINDOW + PART


def test_an_error_that_is_raised_there_is_the_error_here(upstream: str, inside: None) -> None:
    """Of a budget, say: with status, type and the seconds to wait."""
    key = replace(KEY, values=20)
    before = threading.active_count()

    async def main() -> Call:
        async with apps(config(upstream, keys=(key,))) as (app, records):
            call = Call(app, PATHS["openai-chat"], many("openai-chat", "gpt-4o"),
                        authorization=f"Bearer {NEW.key}")  # fmt: skip
            await call.task
            assert records.all[0].error
            return call

    call = asyncio.run(main())
    assert call.status == 413
    assert "20 values" in json.loads(call.body)["error"]["message"]
    assert issubclass(errors.RateLimited, errors.ProviderError)
    until(lambda: threading.active_count() < before + 20)
