"""What one request may cost the others: values are bounded as bytes are, long work is no loop's."""

from __future__ import annotations

import asyncio
import gc
import gzip
import json
import sys
import threading
import tracemalloc
import zlib
from collections.abc import Iterator
from os import urandom
from typing import Any

import httpx2
import pytest
import uvicorn
from zstandard import ZstdCompressor

from dragoman.errors import ProviderError, ReadError
from dragoman.gateway.bodies import check_values
from dragoman.gateway.config.config_values import Config, Limits, Route, Target
from dragoman.gateway.exchange.convert_stream import ConvertedAnswer
from dragoman.gateway.exchange.exchange import GatewayExchange
from dragoman.gateway.exchange.forward_bytes import Passing, with_model
from dragoman.gateway.exchange.forward_stream import PassedAnswer
from dragoman.gateway.exchange.off_loop import MANY, OffLoop, is_long
from dragoman.gateway.in_process.clients import http_client
from dragoman.gateway.server.asgi import App
from dragoman.gateway.server.asgi_client import unzip_body
from dragoman.gateway.server.process.serving import OneServer
from dragoman.gateway.surfaces import ClientRequest, surfaces
from dragoman.stream.framing import Framing
from dragoman.text.json_pieces import end_of_text
from dragoman.transport.answer_bounds import WrappedReply
from dragoman.transport.call import HttpCall, Reply, Timeouts
from dragoman.transport.retries import Retries
from tests.gateway import hostile
from tests.gateway.asking import PATHS, request
from tests.gateway.numbered import asked, numbered

linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")


# -- values ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "values"),
    [
        (b"[]", 1), (b"[1]", 1), (b"[1,2]", 2), (b"{}", 1), (b'{"a":[{},{}]}', 5),
        (b'{"a,[{":",,,[[[{{{"}', 1), (b'["\\"," , "\\\\" , ","]', 3), (b'["\\\\\\",",1]', 2),
        (b'["x', 1), (b'["', 1),
    ],
)  # fmt: skip
def test_values_are_counted_and_texts_are_not(data: bytes, values: int) -> None:
    check_values(data, values)
    with pytest.raises(ProviderError) as caught:
        check_values(data, values - 1)
    assert (caught.value.status, caught.value.code) == (413, "body.values")


def test_the_end_of_a_text_is_behind_an_even_number_of_backslashes() -> None:
    for slashes in range(9):
        data = b"x" + b"\\" * slashes + b'" "'
        assert end_of_text(data, 0) == (slashes + 2 if slashes % 2 == 0 else len(data))
    assert end_of_text(b"no quote", 0) == 8


REFUSALS: dict[str, tuple[str, dict[str, Any]]] = {
    "openai-chat": ("/v1/chat/completions", {"messages": []}),
    "responses": ("/v1/responses", {"input": []}),
    "anthropic": ("/v1/messages", {"messages": [], "max_tokens": 9}),
    "gemini": ("/v1beta/models/m:generateContent", {"contents": []}),
    "ollama": ("/api/chat", {"messages": []}),
    "count": ("/v1/messages/count_tokens", {"messages": []}),
}


@pytest.mark.parametrize("wire", REFUSALS)
@pytest.mark.parametrize("packed", [False, True])
def test_more_values_than_may_be_are_refused_in_the_client_s_words(wire: str, packed: bool) -> None:
    path, body = REFUSALS[wire]
    data = json.dumps({"model": "m", **body, "x": [1] * 400}).encode()
    headers = {"content-encoding": "gzip"} if packed else {}
    config = Config(routes=(Route(Target("openai/*", secret="none")),), limits=Limits(values=300))
    status, told, app = asyncio.run(
        _asked(config, path, gzip.compress(data) if packed else data, headers)
    )
    assert status == 413
    error = json.loads(told)["error"]
    assert "300 values" in (error["message"] if isinstance(error, dict) else error)
    assert app.off_loop.pieces == packed  # what is packed may be anything


async def _asked(
    config: Config, path: str, body: bytes, headers: dict[str, str]
) -> tuple[int, bytes, App]:
    app, came, out = App(config, ()), False, []

    async def receive() -> Any:
        nonlocal came
        if came:
            await asyncio.Event().wait()
        came = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        out.append(message)

    pairs = [(name.encode(), text.encode()) for name, text in headers.items()]
    await app({"type": "http", "method": "POST", "path": path, "headers": pairs,
               "query_string": b""}, receive, send)  # fmt: skip
    await app.aclose()
    return out[0]["status"], b"".join(one.get("body", b"") for one in out[1:]), app


def test_a_program_s_own_gateway_has_the_bound_too() -> None:
    config = Config(routes=(Route(Target("openai/*", secret="none")),), limits=Limits(values=300))
    with http_client(config) as client:
        answer = client.post("http://x/v1/messages", json={"model": "m", "messages": [1] * 400})
    assert answer.status_code == 413


MANY_VALUES = [1] * 400
CHOICE = {"index": 0, "finish_reason": "stop"}
HELLO: dict[str, Any] = {
    "id": "c", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{**CHOICE, "message": {"role": "assistant", "content": "Hello"}}],
}  # fmt: skip
EVENT: dict[str, Any] = {
    **HELLO, "object": "chat.completion.chunk",
    "choices": [{**CHOICE, "delta": {"role": "assistant", "content": "Hello"}}],
}  # fmt: skip


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages"])
@pytest.mark.parametrize(("bound", "status"), [(400, 502), (500, 200)])
def test_an_answer_has_a_bound_of_values(path: str, bound: int, status: int) -> None:
    data = json.dumps({**HELLO, "x": MANY_VALUES}).encode()
    answer, _ = _answered(path, [data], bound, stream=False)
    assert answer.status_code == status
    assert ("more than 400 values" in answer.text) == (status == 502)


@pytest.mark.parametrize("size", [10, 64, 10_000])
@pytest.mark.parametrize("bound", [400, 1200])
def test_an_event_that_is_converted_has_it_too(bound: int, size: int) -> None:
    events = [EVENT, {**EVENT, "x": MANY_VALUES * 2}, EVENT]
    data = b"".join(b"data: " + json.dumps(one).encode() + b"\n\n" for one in events)
    data += b"data: [DONE]\n\n"
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    _, text = _answered("/v1/messages", pieces, bound, stream=True)
    assert ("more than 400 values" in text) == (bound == 400)
    assert ("message_stop" in text) == (bound != 400)


def _answered(
    path: str, pieces: list[bytes], bound: int, stream: bool
) -> tuple[httpx2.Response, str]:
    """What a client of one wire gets of these pieces, and as text."""
    target = Target("openai/openai-chat/m", secret="none", base_url="http://provider.test")
    config = Config(routes=(Route(target, retries=Retries(attempts=1)),),
                    limits=Limits(answer_values=bound))  # fmt: skip
    body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}],
            "stream": stream}  # fmt: skip
    with http_client(config, transport=_Scripted(pieces, stream)) as client:
        answer = client.post(f"http://x{path}", json=body)
    return answer, answer.text


class _Scripted:
    """A transport whose every answer is these pieces."""

    def __init__(self, pieces: list[bytes], stream: bool) -> None:
        self._pieces = pieces
        self._kind = "text/event-stream" if stream else "application/json"

    def send(self, call: HttpCall, timeouts: Timeouts) -> Reply:
        raise AssertionError("the gateway streams")

    def stream(self, call: HttpCall, timeouts: Timeouts) -> Any:
        return _Pieces(Reply(200, {"content-type": self._kind}, b""), self._pieces)

    def close(self) -> None:
        """Nothing is open."""


class _Pieces(WrappedReply):
    def __init__(self, reply: Any, pieces: list[bytes]) -> None:
        super().__init__(reply)
        self._pieces = pieces

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._pieces)

    def close(self) -> None:
        """Nothing is open."""


# -- the loop --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def upstream() -> Iterator[str]:
    with numbered() as url:
        yield url


def test_small_and_usual_requests_stay_in_the_loop() -> None:
    assert not is_long(b"{" * 8000)
    assert not is_long(request("anthropic", "m", "Hello, there. " * 5000, stream=True))
    assert is_long(b"{}," * MANY)
    assert is_long(b"x" * 2**20)


@pytest.mark.parametrize(("client", "model"), [("anthropic", "gpt-4o"), ("openai-chat", "gpt-4o"),
                                               ("openai-chat", "claude-sonnet-4-5")])  # fmt: skip
@pytest.mark.parametrize("stream", [False, True])
def test_others_go_on_while_a_long_request_is_read_and_written(
    upstream: str, client: str, model: str, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: dict[str, set[str]] = {}
    ticks = 0
    for name in ("__init__", "call"):
        usual = getattr(GatewayExchange, name)

        def noted(*args: Any, _name: str = name, _usual: Any = usual) -> Any:
            threads.setdefault(_name, set()).add(threading.current_thread().name)
            return _usual(*args)

        monkeypatch.setattr(GatewayExchange, name, noted)
    routes = (
        Route(Target("openai/openai-chat/*", base_url=f"{upstream}/v1", secret="none"),
              models=("gpt-*",)),
        Route(Target("anthropic/*", base_url=upstream, secret="none")),
    )  # fmt: skip
    body = json.loads(request(client, model, asked(1, 2), stream=stream))
    body["messages"] += [{"role": "user", "content": [{"type": "text", "text": "x"}] * 9000}]
    body["messages"] += [{"role": "user", "content": asked(1, 2)}]

    async def both() -> tuple[int, bytes, App]:
        nonlocal ticks

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0)
                ticks += 1

        ticking = asyncio.ensure_future(tick())
        try:
            return await _asked(Config(routes=routes), PATHS[client], json.dumps(body).encode(), {})
        finally:
            ticking.cancel()

    status, told, app = asyncio.run(both())
    assert status == 200
    assert b"0001:0000 " in told
    assert app.off_loop.pieces == 2 + (not stream)
    assert set().union(*threads.values()) == {"dragoman-long_0"}
    assert ticks > 20


@pytest.mark.parametrize("client", PATHS)
@pytest.mark.parametrize("model", ["gpt-4o", "claude-sonnet-4-5"])
@pytest.mark.parametrize("stream", [False, True])
def test_an_exchange_leaves_nothing_to_the_garbage_collector(
    upstream: str, client: str, model: str, stream: bool
) -> None:
    """Else the collector stops all streams for a tenth of a second to find what they left."""
    routes = (
        Route(Target("openai/openai-chat/*", base_url=f"{upstream}/v1", secret="none"),
              models=("gpt-*",)),
        Route(Target("anthropic/*", base_url=upstream, secret="none")),
    )  # fmt: skip
    body = request(client, model, asked(1, 5), stream=stream)
    kinds = (GatewayExchange, ConvertedAnswer, PassedAnswer)
    gc.collect()
    gc.freeze()  # what other tests have left is no longer listed, and not walked again
    gc.disable()
    try:
        status, _, _ = asyncio.run(_asked(Config(routes=routes), PATHS[client], body, {}))
        left = [one for one in gc.get_objects() if isinstance(one, kinds)]
    finally:
        gc.enable()
    assert status == 200
    assert left == []


def test_threads_switch_as_before_once_the_long_work_is_over() -> None:
    async def main() -> None:
        off_loop, before = OffLoop(), sys.getswitchinterval()
        fast = await asyncio.gather(*(off_loop.run(sys.getswitchinterval) for _ in range(3)))
        with pytest.raises(ZeroDivisionError):
            await off_loop.run(lambda: 1 / 0)
        waiting = asyncio.ensure_future(off_loop.run(threading.Event().wait, 0.01))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.sleep(0.1)
        off_loop.close()
        assert max(fast) < before
        assert sys.getswitchinterval() == before

    asyncio.run(main())


def test_what_is_packed_is_unpacked_in_small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step of 64 MiB would hold up every other thread while its parts are put together."""
    steps: list[int] = []
    usual = zlib.decompressobj

    class Steps:
        def __init__(self, window: int) -> None:
            self._unpack = usual(window)

        def decompress(self, data: bytes, *most: int) -> bytes:
            part = self._unpack.decompress(data, *most)
            steps.append(max(len(data), len(part)))
            return part

        def __getattr__(self, name: str) -> Any:
            return getattr(self._unpack, name)

    monkeypatch.setattr("dragoman.gateway.server.asgi_client.zlib.decompressobj", Steps)
    asking = ClientRequest("POST", "/", "", {"content-encoding": "gzip"})
    for data in (b"", b"x", bytes(range(256)) * 2**13, b"a" * 2**24):
        assert unzip_body(gzip.compress(data), asking, 2**24) == data
    with pytest.raises(ProviderError, match="may have"):
        unzip_body(gzip.compress(b"a" * 2**26), asking, 2**24)
    assert max(steps) <= 2**20
    for broken in (b"", b"x", gzip.compress(b"a") + b"z", gzip.compress(b"a") * 2,
                   gzip.compress(b"a")[:-1], gzip.compress(b"a") + bytes(2**17)):  # fmt: skip
        with pytest.raises(ReadError, match="packed as gzip"):
            unzip_body(broken, asking, 2**24)


def test_a_body_packed_as_zstd_is_unpacked_in_small_steps_and_whole() -> None:
    asking, pack = ClientRequest("POST", "/", "", {"content-encoding": "zstd"}), ZstdCompressor()
    for data in (b"", b"x", bytes(range(256)) * 2**13, b"a" * 2**24, urandom(2**20)):
        assert unzip_body(pack.compress(data), asking, 2**24) == data
        unsized = ZstdCompressor(write_content_size=False).compressobj()
        streamed = unsized.compress(data) + unsized.flush()
        assert unzip_body(streamed, asking, 2**24) == data
    large = pack.compress(b"a" * 2**28)
    tracemalloc.start()
    try:
        with pytest.raises(ProviderError, match="may have"):
            unzip_body(large, asking, 2**20)
        assert tracemalloc.get_traced_memory()[1] < 2**26
    finally:
        tracemalloc.stop()
    one = pack.compress(b"a" * 3000)
    for broken in (b"", b"x", one + b"z", one * 2, one[:-1], one + bytes(2**17)):
        with pytest.raises(ReadError, match="packed as zstd"):
            unzip_body(broken, asking, 2**24)


def test_the_collector_does_not_walk_the_program_while_a_request_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def nothing(*_: object) -> None:
        pass

    monkeypatch.setattr(uvicorn.Server, "startup", nothing)
    gc.unfreeze()
    try:
        asyncio.run(OneServer(uvicorn.Config("x:y"), announce=lambda: None).startup())
        assert gc.get_freeze_count() > 10_000
    finally:
        gc.unfreeze()


# -- in proportion ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        b'{"model":"m","x":"' + b"\\n" * 2**17 + b'","model":"m"}',
        b'{"x":"\\u006d' + b"x" * 2**18 + b'","model":"m"}',
        b'{"model":"' + b'\\"' * 2**17 + b'","model":"m"}',
        b'{"x":"' + b"\\\\" * 2**17 + b'","model":"m","model":"m"}',
        b"{" + b'"a":1,' * 2**14 + b'"model":"m","model":"m"}',
        b"{" + b'"model":"x",' * 2**14 + b'"model":"m"}',
    ],
    ids=["escapes", "an escape", "a long model", "backslashes", "members", "models"],
)
def test_the_model_of_a_body_is_changed_in_memory_of_its_size(body: bytes) -> None:
    tracemalloc.start()
    try:
        changed = with_model(body, "m", "other")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert json.loads(changed)["model"] == "other"
    assert most < 16 * len(body) + 2**20


@pytest.mark.parametrize(
    ("protocol", "framing", "event"),
    [
        ("gemini", "sse",
         b'data: {"candidates":[{"finishReason":"STOP","content":{"parts":[{"x":{%b}}]}}]}\n\n'),
        ("ollama", "ndjson", b'{"message":{"role":"assistant","content":"","x":{%b}}}\n'),
        ("openai-chat", "sse",
         b'data: {"choices":[{"index":0,"finish_reason":"stop","delta":{}}],"x":{%b}}\n\n'),
    ],
)  # fmt: skip
def test_an_event_is_read_once_however_often_it_names_an_error(
    protocol: str, framing: Framing, event: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    surface = next(one for one in surfaces() if one.protocol == protocol)
    members = b",".join(b'"k%d":{"error":{}}' % nth for nth in range(3000))
    reads, usual = 0, type(surface).read

    def read(*args: Any) -> Any:
        nonlocal reads
        reads += 1
        return usual(*args)

    monkeypatch.setattr(type(surface), "read", read)
    passing = Passing(surface, framing, 2**26)
    whole = event % members
    out = passing.feed(whole) + passing.feed(whole) + passing.rest()
    assert out == whole * 2
    assert not passing.over
    assert reads <= 4


# -- all of it at once -----------------------------------------------------------------------------


@linux
def test_a_worker_that_has_no_memory_left_takes_no_request() -> None:
    path, body = REFUSALS["anthropic"]
    data = json.dumps({"model": "m", **body}).encode()
    routes = (Route(Target("openai/*", secret="none")),)
    config = Config(routes=routes, limits=Limits(memory=2**20))
    status, told, _ = asyncio.run(_asked(config, path, data, {}))
    assert (status, json.loads(told)["error"]["type"]) == (529, "overloaded_error")
    config = Config(routes=routes, limits=Limits(memory=2**40, values=1))
    status, _, _ = asyncio.run(_asked(config, path, data, {}))
    assert status == 413  # it was read


@linux
def test_streams_lose_nothing_beside_hostile_requests(upstream: str) -> None:
    """For a short time; `python -m tests.gateway.hostile` takes as long as it is told."""
    with hostile.guarded(upstream) as (served, key):
        calm, seen, most, statuses = asyncio.run(hostile.hour(served, key.key, 2, small=True))
    assert calm.faults == seen.faults == []
    assert seen.events >= hostile.STREAMS * 100
    assert most < hostile.MEMORY
    assert {told.rpartition(": ")[0] for told in statuses} == {*hostile.bodies(small=True)}
    assert not [told for told in statuses if ": 5" in told]
