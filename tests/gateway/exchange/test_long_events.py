"""Streams with large events: an event loop leaves them to a thread, and serves others meanwhile."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from itertools import cycle, product
from typing import Any

import httpx2
import pytest

from dragoman import convert_stream
from dragoman.codec.stream_decoder import StreamDecoder
from dragoman.gateway import async_http_client, http_client
from dragoman.gateway.config.config_values import Config, Limits, Route, Target
from dragoman.gateway.exchange.convert_stream import ConvertedAnswer
from dragoman.gateway.exchange.exchange import GatewayExchange
from dragoman.gateway.exchange.forward_bytes import Passing
from dragoman.gateway.exchange.forward_stream import PassedAnswer
from dragoman.gateway.exchange.off_loop import LARGE
from dragoman.gateway.server.asgi import App
from dragoman.transport.retries import Retries
from tests.gateway.faults.provider import CHUNKED, CUT, LAST, Provider, Step, chunked
from tests.gateway.faults.wires import (
    CHAT,
    GEMINI,
    INTERACTIONS,
    MESSAGES,
    OLLAMA,
    RESPONSES,
    Wire,
    errors,
    texts,
)
from tests.gateway.running import LONG

SIZE = 4 * LARGE
TEXT = "far, " * (SIZE // 5)
PAIRS = [(CHAT, MESSAGES), (MESSAGES, CHAT), (RESPONSES, GEMINI), (CHAT, OLLAMA), (OLLAMA, CHAT),
         (INTERACTIONS, CHAT), (CHAT, CHAT), (MESSAGES, MESSAGES), (OLLAMA, OLLAMA),
         (RESPONSES, RESPONSES), (GEMINI, GEMINI)]  # fmt: skip
LOOPS = ("httpx2", "aiohttp", "server")


def events(wire: Wire, texts: list[str]) -> list[bytes]:
    """A stream of this protocol that says these texts, one in each event."""
    chunk = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "up"}
    choices: list[dict[str, Any]] = [
        {"index": 0, "delta": {"content": text}, "finish_reason": None} for text in texts
    ]
    choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    said = [f"data: {json.dumps({**chunk, 'choices': [one]})}\n\n".encode() for one in choices]
    said.append(b"data: [DONE]\n\n")
    if wire is CHAT:
        return said
    made = convert_stream(said, "openai-chat", wire.name)
    if wire.framing == "ndjson":
        return [event.data.encode() + b"\n" for event in made]
    return [
        (f"event: {event.event}\n" if event.event else "").encode()
        + b"data: " + event.data.encode() + b"\n\n"
        for event in made
    ]  # fmt: skip


def plan(wire: Wire, texts: list[str]) -> list[Step]:
    """The events in chunks of all lengths, so that a large event comes in many."""
    data = b"".join(events(wire, texts))
    return [CHUNKED, *chunked(data[at : at + 50_001] for at in range(0, len(data), 50_001)), LAST]


def config(provider: Provider, behind: Wire, transport: str) -> Config:
    target = Target(behind.target, secret="upstream-key", base_url=provider.url + behind.base)
    route = Route(target, transport=transport, retries=Retries(attempts=1))
    return Config((route,), limits=Limits(stall=LONG))


def ask(way: str, provider: Provider, client: Wire, behind: Wire, path: str = "") -> bytes:
    """The body that a client gets: in a thread, in a loop, or over the server's app."""
    url = f"http://gateway{path or client.path('m', True)}"
    asked = client.request("m")

    def body_of(told: httpx2.Response) -> bytes:
        assert told.status_code == 200, told.content[:500]
        return told.content

    async def in_loop() -> bytes:
        if way != "server":
            async with async_http_client(config(provider, behind, way)) as http:
                return body_of(await http.post(url, content=asked))
        app = App(config(provider, behind, "aiohttp"), ())
        try:
            async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app)) as http:
                return body_of(await http.post(url, content=asked))
        finally:
            await app.aclose()

    if way == "threads":
        with http_client(config(provider, behind, "httpx2")) as http:
            return body_of(http.post(url, content=asked))
    return asyncio.run(in_loop())


@pytest.fixture
def read_in(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The threads in which large events were read, passed on, or looked at for their usage."""
    threads: set[str] = set()

    def watch(owner: type, name: str) -> None:
        usual = getattr(owner, name)

        def noted(self: Any, data: Any, *more: Any) -> Any:
            if len(data) > LARGE:
                threads.add(threading.current_thread().name)
            return usual(self, data, *more)

        monkeypatch.setattr(owner, name, noted)

    watch(StreamDecoder, "_text")
    watch(Passing, "_look")
    return threads


# in six ways; those that are converted, and those that are passed on, each go through them
WAYS = product(LOOPS, ([], ["It is "] * 6))


@pytest.mark.parametrize(
    ("client", "behind", "way", "before"),
    [(*pair, *way) for pair, way in zip(PAIRS, cycle(WAYS), strict=False)],
)
def test_a_large_event_is_read_in_another_thread(
    client: Wire, behind: Wire, way: str, before: list[str], provider: Provider,
    read_in: set[str],
) -> None:  # fmt: skip
    said = [*before, TEXT, "away."]
    provider.will(plan(behind, said))
    read_in.clear()  # the plan was read, too
    data = ask(way, provider, client, behind)
    assert read_in == {"dragoman-long_0"}
    assert not errors(client, data)
    assert client is INTERACTIONS or texts(client, data) == "".join(said)
    provider.will(plan(behind, said))
    read_in.clear()
    assert _without_ids(ask("threads", provider, client, behind)) == _without_ids(data)
    assert read_in == {threading.current_thread().name}


def _without_ids(data: bytes) -> bytes:
    """The body without the times and the invented ids, which differ each time."""
    data = re.sub(rb'(?<="created":)\d+|(?<="created_at":)\d+|(?<="completed_at":)\d+', b"0", data)
    data = re.sub(rb"\d{4}-\d\d-\d\dT[\d:.]+Z", b"", data)
    return re.sub(rb"[0-9a-f]{24,32}", b"", data)


@pytest.mark.parametrize("way", LOOPS)
def test_an_array_is_passed_on_in_another_thread(
    way: str, provider: Provider, read_in: set[str]
) -> None:
    entries = [b[len(b"data: ") :].strip() for b in events(GEMINI, ["It is ", TEXT, "away."])]
    data = b"[" + b",\r\n".join(entries) + b"]"
    pieces = [data[at : at + 50_001] for at in range(0, len(data), 50_001)]
    provider.will([CHUNKED, *chunked(pieces), LAST])
    read_in.clear()
    assert ask(way, provider, GEMINI, GEMINI, "/v1beta/models/m:streamGenerateContent") == data
    assert read_in <= {"dragoman-long_0"}


@pytest.mark.parametrize("way", LOOPS)
@pytest.mark.parametrize(("client", "behind"), [(CHAT, OLLAMA), (OLLAMA, OLLAMA), (CHAT, MESSAGES)])
def test_a_large_event_that_the_end_of_the_body_completes(
    way: str, client: Wire, behind: Wire, provider: Provider, read_in: set[str]
) -> None:
    data = b"".join(events(behind, ["It is ", TEXT]))
    if behind is OLLAMA:  # its last line has a text, too
        *lines, last = data.splitlines()
        line = {**json.loads(last), "message": json.loads(lines[-1])["message"]}
        data = b"\n".join([*lines[:-1], json.dumps(line).encode()])
    else:
        data = data.rstrip()
    pieces = [data[at : at + 50_001] for at in range(0, len(data), 50_001)]
    provider.will([CHUNKED, *chunked(pieces), LAST])
    read_in.clear()
    told = ask(way, provider, client, behind)
    closing = b"" if client.framing == "sse" or told.endswith(b"\n") else b"\n"
    assert texts(client, told + closing) == f"It is {TEXT}"
    assert read_in == {"dragoman-long_0"}


@pytest.mark.parametrize("way", LOOPS)
@pytest.mark.parametrize(("client", "behind"), [(CHAT, MESSAGES), (CHAT, CHAT)])
def test_a_fault_after_a_large_event(
    way: str, client: Wire, behind: Wire, provider: Provider
) -> None:
    said = events(behind, ["It is ", TEXT, "away."])[:-3]
    provider.will([CHUNKED, *chunked([*said, b"data: {"]), 0.02, CUT])
    told = ask(way, provider, client, behind)
    assert texts(client, told).startswith(f"It is {TEXT}")
    assert len(errors(client, told)) == 1


@pytest.mark.parametrize("way", LOOPS)
@pytest.mark.parametrize(("client", "behind"), [(CHAT, MESSAGES), (CHAT, CHAT)])
def test_small_events_stay_in_the_loop(
    way: str, client: Wire, behind: Wire, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if all of them together are more than one large event."""
    threads: set[str] = set()
    for kind in (ConvertedAnswer, PassedAnswer):
        usual = kind.feed

        def noted(self: Any, chunk: bytes, _usual: Any = usual) -> bytes:
            threads.add(threading.current_thread().name)
            data: bytes = _usual(self, chunk)
            return data

        monkeypatch.setattr(kind, "feed", noted)
    provider.will(plan(behind, ["x" * 500] * (2 * LARGE // 500)))
    ask(way, provider, client, behind)
    assert threads == {threading.current_thread().name}


@pytest.mark.parametrize(("client", "behind"), [(CHAT, MESSAGES), (CHAT, CHAT)])
def test_a_client_that_leaves_while_a_large_event_is_read(
    client: Wire, behind: Wire, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exchange ends when the thread has: nobody reads what is being changed."""
    begun, may_end = threading.Event(), threading.Event()
    ended: list[str] = []
    for kind in (ConvertedAnswer, PassedAnswer):
        usual = kind.read_long

        def slow(self: Any, _usual: Any = usual) -> bytes:
            begun.set()
            may_end.wait(LONG)
            data: bytes = _usual(self)
            ended.append("read")
            return data

        monkeypatch.setattr(kind, "read_long", slow)
    note = GatewayExchange.note_stream_end

    def noted(*args: Any) -> None:
        ended.append("noted")
        note(*args)

    monkeypatch.setattr(GatewayExchange, "note_stream_end", noted)
    provider.will(plan(behind, ["It is ", TEXT, "away."]))

    async def leave() -> None:
        app, left = App(config(provider, behind, "aiohttp"), ()), asyncio.Event()
        body = {"type": "http.request", "body": client.request("m"), "more_body": False}
        came = [body]

        async def receive() -> Any:
            if came:
                return came.pop()
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            pass

        scope = {"type": "http", "method": "POST", "path": client.path("m", True), "headers": [],
                 "query_string": b""}  # fmt: skip
        serving = asyncio.ensure_future(app(scope, receive, send))
        await asyncio.to_thread(begun.wait, LONG)
        left.set()
        for _ in range(20):
            await asyncio.sleep(0)
        assert not serving.done()
        may_end.set()
        await serving
        await app.aclose()

    asyncio.run(leave())
    assert ended == ["read", "noted"]
