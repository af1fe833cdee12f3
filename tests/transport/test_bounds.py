"""An answer without an end costs no more than its bound, whoever carries it; and forks, and times.

Servers on loopback send what only their makers would: bombs, endless streams, bytes that trickle.
"""

from __future__ import annotations

import asyncio
import gzip
import itertools
import json
import multiprocessing
import os
import time
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from dragoman import LLM, AsyncLLM
from dragoman.errors import (
    AnswerTooLarge,
    ConfigError,
    ConnectionFailed,
    ProviderError,
    StreamBroken,
    Timeout,
)
from dragoman.testing import Scripted
from dragoman.transport.call import HttpCall, Reply, Timeouts

from .servers import Peer, Script, serving
from .ways import guarded

MIB = 2**20


def openai_client(url: str, asynchronous: bool) -> Any:
    import openai

    kind = openai.AsyncOpenAI if asynchronous else openai.OpenAI
    return {"client": kind(api_key="sk-none", base_url=f"{url}/v1")}


def own(url: str, asynchronous: bool) -> Any:
    from dragoman.transport.over_httpx2 import Httpx2Transport

    class Forgetful(Httpx2Transport):
        """A program's own, which knows nothing of bounds."""

        def send(self, call: HttpCall, timeouts: Timeouts) -> Reply:
            call.max_answer_bytes, most = None, call.max_answer_bytes
            reply = super().send(call, timeouts)
            call.max_answer_bytes = most
            return reply

        def stream(self, call: HttpCall, timeouts: Timeouts) -> Any:
            bare = HttpCall(call.method, call.url, call.headers, call.body)
            return super().stream(bare, timeouts)

        async def asend(self, call: HttpCall, timeouts: Timeouts) -> Reply:
            call.max_answer_bytes, most = None, call.max_answer_bytes
            reply = await super().asend(call, timeouts)
            call.max_answer_bytes = most
            return reply

        async def astream(self, call: HttpCall, timeouts: Timeouts) -> Any:
            bare = HttpCall(call.method, call.url, call.headers, call.body)
            return await super().astream(bare, timeouts)

    return {"transport": Forgetful()}


Make = Callable[[str, bool], dict[str, Any]]
WAYS: list[tuple[str, Make, bool]] = [
    ("httpx2", lambda url, _: {}, False),
    ("httpx2-async", lambda url, _: {}, True),
    ("aiohttp", lambda url, _: {"transport": "aiohttp"}, True),
    ("openai", openai_client, False),
    ("openai-async", openai_client, True),
    ("own", own, False),
    ("own-async", own, True),
]
CARRIED = [way for way in WAYS if not way[0].startswith("own")]


def asked(way: tuple[str, Make, bool], url: str, stream: bool, **settings: Any) -> Any:
    """The answer of an LLM over a way. Raises what it raises."""
    _, make, asynchronous = way
    given = {"retries": 0, **settings, **make(url, asynchronous)}
    if "client" not in given:
        given |= {"key": "sk-none", "base_url": f"{url}/v1"}
    if not asynchronous:
        with LLM("openai/openai-chat/gpt-5.6", **given) as llm:
            if not stream:
                return llm.ask("Hi")
            events = llm.stream("Hi")
            for _event in events:
                pass
            return events.response

    async def ask() -> Any:
        async with AsyncLLM("openai/openai-chat/gpt-5.6", **given) as llm:
            if not stream:
                return await llm.ask("Hi")
            events = llm.stream("Hi")
            async for _event in events:
                pass
            return events.response

    return guarded(ask)


def answer(text: str = "Hi.") -> bytes:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return json.dumps({"object": "chat.completion", "choices": [choice]}).encode()


def delta(text: str) -> bytes:
    choice = {"index": 0, "delta": {"content": text}}
    chunk = {"object": "chat.completion.chunk", "choices": [choice]}
    return f"data: {json.dumps(chunk)}\n\n".encode()


# -- sizes -------------------------------------------------------------------------------------


def packed(size: int) -> Script:
    """A small body that unpacks to so much."""
    body = gzip.compress(answer(" " * size))

    def script(peer: Peer) -> None:
        peer.answer(200, body, content_type="application/json", content_encoding="gzip")

    return script


def endless(piece: bytes, first: bytes = b"") -> Script:
    """A stream that says the same until the client has enough."""

    def script(peer: Peer) -> None:
        peer.begin()
        if first:
            peer.chunk(first)
        for _ in range(4096):  # as good as endless
            peer.chunk(piece)

    return script


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[0])
def test_a_whole_answer_has_a_bound(way: tuple[str, Make, bool]) -> None:
    with serving(packed(8 * MIB)) as server, pytest.raises(AnswerTooLarge) as raised:
        asked(way, server.url, stream=False, max_answer_bytes=MIB)
    assert "max_answer_bytes" in raised.value.hint
    assert str(MIB) in str(raised.value)
    with serving(packed(MIB // 2)) as server:
        assert len(asked(way, server.url, stream=False, max_answer_bytes=MIB).text) == MIB // 2


@pytest.mark.parametrize("way", CARRIED, ids=lambda way: way[0])
@pytest.mark.parametrize("named", [b"", b'{"error": "'], ids=["chunked", "an error"])
def test_a_body_without_an_end_has_a_bound(way: tuple[str, Make, bool], named: bytes) -> None:
    script = endless(b" " * 65536, named)
    with serving(script) as server, pytest.raises(AnswerTooLarge):
        asked(way, server.url, stream=False, max_answer_bytes=MIB)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[0])
@pytest.mark.parametrize("piece", [delta("a" * 1000) * 60, b": life\n\n" * 8000])
def test_a_stream_has_a_bound(way: tuple[str, Make, bool], piece: bytes) -> None:
    with serving(endless(piece, delta("Once"))) as server, pytest.raises(AnswerTooLarge) as raised:
        asked(way, server.url, stream=True, max_answer_bytes=MIB)
    assert "max_answer_bytes" in raised.value.hint
    assert raised.value.response.msg.text.startswith("Once")  # what came is not lost


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[0])
@pytest.mark.parametrize("piece", [b"a" * 65536, b"data: a\n" * 8192], ids=["a line", "lines"])
def test_one_event_has_a_bound(way: tuple[str, Make, bool], piece: bytes) -> None:
    script = endless(piece, delta("Once") + b"data: ")
    with serving(script) as server, pytest.raises(AnswerTooLarge) as raised:
        asked(way, server.url, stream=True, max_event_bytes=MIB)
    assert "max_event_bytes" in raised.value.hint
    assert raised.value.response.msg.text == "Once"


@pytest.mark.parametrize(
    "way", [way for way in CARRIED if "openai" not in way[0]], ids=lambda way: way[0]
)
@pytest.mark.parametrize("stream", [False, True])
def test_answers_of_status_1xx_have_a_bound(way: tuple[str, Make, bool], stream: bool) -> None:
    def hinting(hints: int) -> Script:
        def script(peer: Peer) -> None:
            for _ in range(hints):
                peer.sock.sendall(b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n" * 10)
            body = delta("Hi.") + b"data: [DONE]\n\n" if stream else answer()
            kind = "text/event-stream" if stream else "application/json"
            peer.answer(200, body, content_type=kind)

        return script

    with serving(hinting(4)) as server:
        assert asked(way, server.url, stream=stream).text == "Hi."
    with serving(hinting(4096)) as server, pytest.raises(ConnectionFailed, match="1xx"):
        asked(way, server.url, stream=stream, timeout=30)


@pytest.mark.parametrize("way", CARRIED, ids=lambda way: way[0])
@pytest.mark.parametrize("stream", [False, True])
def test_what_is_refused_is_not_kept(way: tuple[str, Make, bool], stream: bool) -> None:
    errors = []
    with serving(endless(b"a" * 65536)) as server:
        with pytest.raises(AnswerTooLarge):  # what a client loads with its first answer stays
            asked(way, server.url, stream=stream, max_answer_bytes=8 * MIB)
        tracemalloc.start()
        try:
            for _ in range(3):
                with pytest.raises(AnswerTooLarge) as raised:
                    asked(way, server.url, stream=stream, max_answer_bytes=8 * MIB)
                errors.append(raised.value)  # with its traceback, and the frames of that
            kept, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 32 * MIB
    assert kept < 6 * MIB


def test_bounds_are_on_by_default_and_can_be_taken_off() -> None:
    llm = LLM("openai/gpt-5.6", key="k")
    assert llm._door.target.model.connection.max_answer_bytes == 128 * MIB
    assert llm._door.target.model.connection.max_event_bytes == 64 * MIB
    script = Scripted("a" * 5000, "b" * 5000)
    free = LLM("openai/gpt-5.6", key="k", transport=script, max_answer_bytes=None)
    assert len(free.ask("Hi").text) == 5000
    with pytest.raises(AnswerTooLarge):
        LLM("openai/gpt-5.6", key="k", transport=script, max_answer_bytes=1000).ask("Hi")


@pytest.mark.parametrize("value", [0, -1, True, "5", 1.5])
@pytest.mark.parametrize("name", ["max_answer_bytes", "max_event_bytes"])
def test_a_bound_is_a_number_of_bytes(name: str, value: Any) -> None:
    with pytest.raises(ConfigError) as raised:
        LLM("openai/gpt-5.6", key="k", **{name: value})
    assert raised.value.path == f"$.{name}"


def test_an_answer_that_is_too_large_is_not_asked_for_again_but_another_model_is() -> None:
    script = Scripted("a" * 5000, "Short.")
    models = ["openai/gpt-5.6", "ollama/qwen3"]
    llm = LLM(models, key="k", transport=script, retries=5, max_answer_bytes=4000)
    assert llm.ask("Hi").text == "Short."
    assert len(script.calls) == 2


# -- times -------------------------------------------------------------------------------------


def trickle(head: bytes, piece: bytes) -> Script:
    """So much at once, and then a little at a time, without an end."""

    def script(peer: Peer) -> None:
        peer.sock.sendall(head)
        for _ in range(600):
            peer.sock.sendall(piece)
            time.sleep(0.05)

    return script


HEAD = b"HTTP/1.1 200 X\r\ncontent-type: application/json\r\n"
SLOW: dict[str, Script] = {
    "nothing": lambda peer: peer.wait_for_end(),
    "a head that trickles": trickle(b"HTTP/1.1 200 X\r\n", b"x-y: z\r\n"),
    "1xx without an end": trickle(b"", b"HTTP/1.1 102 Processing\r\n\r\n"),
    "a body of a length": trickle(HEAD + b"content-length: 99999\r\n\r\n", b" "),
    "a body in chunks": trickle(HEAD + b"transfer-encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "a body until the end": trickle(HEAD + b"connection: close\r\n\r\n", b" "),
    "a packed body": trickle(
        HEAD + b"content-encoding: gzip\r\nconnection: close\r\n\r\n", gzip.compress(b"  ")
    ),
}


@pytest.mark.parametrize(
    ("way", "name"),
    [
        (way, name)
        for way in CARRIED
        for name in SLOW
        # the SDK's plain client tells nobody which connection waits for a head
        if way[0] != "openai" or name not in ("a head that trickles", "1xx without an end")
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_one_timeout_is_one_error(way: tuple[str, Make, bool], name: str) -> None:
    with serving(SLOW[name]) as server, pytest.raises(Timeout) as raised:
        asked(way, server.url, stream=False, timeout=0.2)
    assert raised.value.type == "total_timeout"
    assert raised.value.kind == "timeout"


@pytest.mark.parametrize("way", CARRIED, ids=lambda way: way[0])
@pytest.mark.parametrize("name", ["a body of a length", "a body in chunks", "a body until the end"])
def test_a_stream_out_of_time_is_one_error(way: tuple[str, Make, bool], name: str) -> None:
    def script(peer: Peer) -> None:
        peer.begin()
        peer.chunk(delta("Once"))
        for _ in range(600):
            peer.chunk(b": life\n\n")
            time.sleep(0.05)

    with serving(script) as server, pytest.raises(StreamBroken) as raised:
        asked(way, server.url, stream=True, timeout=0.5)
    assert (raised.value.kind, raised.value.type) == ("timeout", "total_timeout")
    assert raised.value.response.msg.text == "Once"


@pytest.mark.parametrize("way", CARRIED, ids=lambda way: way[0])
def test_a_silence_is_one_error(way: tuple[str, Make, bool]) -> None:
    def begun(peer: Peer) -> None:
        peer.sock.sendall(HEAD + b"content-length: 99\r\n\r\n")
        peer.wait_for_end()

    for script in (SLOW["nothing"], begun):
        with serving(script) as server, pytest.raises(Timeout) as raised:
            asked(way, server.url, stream=False, timeout=Timeouts(read=0.15))
        assert raised.value.type == "read_timeout"


@pytest.mark.parametrize("way", CARRIED, ids=lambda way: way[0])
def test_a_connection_that_breaks_is_no_timeout(way: tuple[str, Make, bool]) -> None:
    def script(peer: Peer) -> None:
        peer.sock.sendall(HEAD + b"content-length: 99\r\n\r\n{")

    with serving(script) as server, pytest.raises(ConnectionFailed):
        asked(way, server.url, stream=False, timeout=30)


# -- forks -------------------------------------------------------------------------------------


def echo(peer: Peer) -> bool:
    """Says who asked, after a while, in which others could take the answer."""
    body = json.loads(peer.body)
    time.sleep(0.1)
    peer.answer(200, answer(body["messages"][-1]["content"]), content_type="application/json")
    return True


FORKED = multiprocessing.get_context("fork")


def asked_whole(llm: LLM, question: str) -> str:
    return llm.ask(question).text


def streamed(llm: LLM, question: str) -> str:
    with llm.stream(question) as stream:
        return "".join(stream.text)


@pytest.mark.parametrize("ask", [asked_whole, streamed])
def test_no_answer_goes_to_another_process(ask: Callable[[LLM, str], str]) -> None:
    with serving(echo) as server:
        llm = LLM("openai/openai-chat/gpt-5.6", key="k", base_url=f"{server.url}/v1", retries=0)
        with ThreadPoolExecutor(4) as threads:  # four connections are kept
            assert list(threads.map(lambda who: ask(llm, who), "abcd")) == list("abcd")
        results = FORKED.Queue()

        def work(number: int) -> None:
            try:
                results.put([(f"{number}.{i}", ask(llm, f"{number}.{i}")) for i in range(3)])
                llm.close()
            except ProviderError as error:
                results.put([("", repr(error))])

        processes = [FORKED.Process(target=work, args=(number,)) for number in range(4)]
        for process in processes:
            process.start()
        said = [(f"p.{i}", ask(llm, f"p.{i}")) for i in range(6)]  # the parent goes on meanwhile
        said += itertools.chain.from_iterable(results.get(timeout=60) for _ in processes)
        for process in processes:
            process.join(60)
        assert [pair for pair in said if pair[0] != pair[1]] == []
        assert len(said) == 18
        assert ask(llm, "at last") == "at last"  # a child that closes ends nothing of the parent's
        assert server.opened == 4 + 4
        llm.close()


def test_a_fork_while_a_thread_makes_a_connection_locks_nobody_out() -> None:
    with serving(echo) as server:
        llm = LLM("openai/openai-chat/gpt-5.6", key="k", base_url=f"{server.url}/v1", retries=0)
        llm.ask("a")
        endpoint = llm._door.target.model.endpoint
        transport: Any = endpoint._sync
        with endpoint._lock, transport._lock:
            child = FORKED.Process(target=lambda: os._exit(llm.ask("b").text != "b"))
            child.start()
            child.join(30)
            assert child.exitcode == 0
        llm.close()


async def aecho(url: str) -> list[str]:
    llm = AsyncLLM("openai/openai-chat/gpt-5.6", key="k", base_url=f"{url}/v1", retries=0)
    said = [(await llm.ask("a")).text]
    if (child := os.fork()) == 0:
        try:
            os._exit(guarded(lambda: llm.ask("b")).text != "b")
        finally:
            os._exit(2)
    said.append((await llm.ask("c")).text)
    status = await asyncio.to_thread(os.waitpid, child, 0)
    assert os.waitstatus_to_exitcode(status[1]) == 0
    await llm.aclose()
    return said


def test_a_fork_in_a_loop() -> None:
    with serving(echo) as server:
        assert guarded(lambda: aecho(server.url)) == ["a", "c"]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Python 3.12 and later warn of forks where threads run, as the servers here do."""
    import warnings

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
        yield
