"""What networks do to calls, by every transport: a typed error, no hang, no socket left."""

from __future__ import annotations

import asyncio
import gc
import gzip
import pickle
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from dragoman.caches import CACHES
from dragoman.errors import (
    ConfigError,
    ConnectionFailed,
    ProviderError,
    StreamBroken,
    Timeout,
)
from dragoman.transport import over_aiohttp, over_httpx2
from dragoman.transport.call import HttpCall, Timeouts, choose_transport

from .servers import GUARD, Peer, refused, serving
from .ways import ASYNC, KEY, SYNC, WAYS, Way, call, guarded

every_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
sync_ways = pytest.mark.parametrize("way", SYNC, ids=lambda way: way.name)
async_ways = pytest.mark.parametrize("way", ASYNC, ids=lambda way: way.name)


def good(peer: Peer) -> bool:
    peer.answer(200, b'{"ok": true}', X_Request_Id="req-1")
    return True


def endless(peer: Peer) -> None:
    """A stream that says one thing and then waits for its client to go."""
    peer.begin()
    peer.chunk(b"data: 1\n\n")
    peer.wait_for_end()


@every_way
def test_a_whole_answer(way: Way) -> None:
    with serving(good) as server:
        replies = way.send(server.url, times=3)
        server.wait_closed()
    for reply in replies:
        assert (reply.status, reply.body) == (200, b'{"ok": true}')
        assert reply.headers["x-request-id"] == "req-1"
    assert server.opened == 1  # one connection served all
    [first, *_] = server.requests
    assert first.body == b'{"a": 1}'
    assert first.headers["authorization"] == f"Bearer {KEY}"
    assert first.headers["content-type"] == "application/json"
    assert first.path == "/v1/chat/completions"


@every_way
@pytest.mark.parametrize("status", [400, 429, 500, 529])
def test_an_answer_with_an_error_status_is_given_as_it_is(way: Way, status: int) -> None:
    def refusing(peer: Peer) -> bool:
        peer.answer(status, b'{"error": {"message": "no"}}', Retry_After="7")
        return True

    with serving(refusing) as server:
        [reply] = way.send(server.url)
        pieces, error = way.chunks(server.url)
    assert (reply.status, reply.body) == (status, b'{"error": {"message": "no"}}')
    assert reply.headers["retry-after"] == "7"
    assert (b"".join(pieces), error) == (reply.body, None)


@every_way
def test_pieces_come_as_they_are_sent(way: Way) -> None:
    heard = threading.Event()

    def streaming(peer: Peer) -> None:
        peer.begin()
        peer.chunk(b"data: 1\n\n")
        assert heard.wait(GUARD)  # the first piece is there before the second is sent
        peer.chunk(b'event: error\ndata: {"error": {"message": "overloaded"}}\n\n')
        peer.end()

    with serving(streaming) as server:
        got: list[bytes] = []
        if way.asynchronous:

            async def reading() -> None:
                transport = way.make(server.url)
                async with await transport.astream(call(server.url), Timeouts()) as reply:
                    assert reply.status == 200
                    async for piece in reply:
                        got.append(piece)
                        heard.set()
                await transport.aclose()

            guarded(reading)
        else:
            transport = way.make(server.url)
            with transport.stream(call(server.url), Timeouts()) as reply:
                assert reply.headers["content-type"] == "text/event-stream"
                for piece in reply:
                    got.append(piece)
                    heard.set()
            transport.close()
    assert got[0] == b"data: 1\n\n"
    assert b"".join(got[1:]) == b'event: error\ndata: {"error": {"message": "overloaded"}}\n\n'
    assert server.faults == []


@every_way
def test_nobody_listens(way: Way) -> None:
    url = refused()
    with pytest.raises(ConnectionFailed, match="cannot connect to") as raised:
        way.send(url)
    assert raised.value.kind == "connection"
    assert url.removeprefix("http://") in str(raised.value)
    assert "is the server running?" in raised.value.hint  # it is one of this machine


@every_way
def test_a_connection_that_ends_without_an_answer(way: Way) -> None:
    with serving(lambda peer: None) as server, pytest.raises(ConnectionFailed) as raised:
        way.send(server.url)
    assert raised.value.kind == "connection"


def cut(peer: Peer) -> None:
    peer.sock.sendall(b"HTTP/1.1 200 X\r\ncontent-length: 100\r\n\r\nhalf")


@every_way
def test_a_body_that_breaks_off(way: Way) -> None:
    with serving(cut) as server:
        with pytest.raises(ConnectionFailed) as raised:
            way.send(server.url)
        server.wait_closed()
    assert raised.value.kind == "connection"


@every_way
def test_a_stream_that_breaks_off_keeps_what_came(way: Way) -> None:
    def breaking(peer: Peer) -> None:
        peer.begin()
        peer.chunk(b"data: 1\n\n")

    with serving(breaking) as server:
        got, error = way.chunks(server.url)
        server.wait_closed()
    assert got == [b"data: 1\n\n"]
    assert isinstance(error, StreamBroken)
    assert error.kind == "connection"


@every_way
def test_a_server_that_never_answers(way: Way) -> None:
    with serving(Peer.wait_for_end) as server:
        with pytest.raises(Timeout, match="sent nothing within") as raised:
            way.send(server.url, Timeouts(read=0.1))
        server.wait_closed()
    assert (raised.value.kind, raised.value.type) == ("timeout", "read_timeout")


@every_way
def test_a_stream_that_stops(way: Way) -> None:
    with serving(endless) as server:
        got, error = way.chunks(server.url, Timeouts(read=0.1))
        server.wait_closed()
    assert got == [b"data: 1\n\n"]
    assert isinstance(error, StreamBroken)
    assert (error.kind, error.type) == ("timeout", "read_timeout")


def trickling(peer: Peer) -> None:
    """Something every now and then, so that no read takes long."""
    peer.begin()
    for _ in range(200):
        peer.chunk(b"data: 1\n\n")
        time.sleep(0.05)


@every_way
def test_a_total_timeout_ends_what_trickles(way: Way) -> None:
    with serving(trickling) as server:
        got, error = way.chunks(server.url, Timeouts(read=5, total=0.3))
        server.wait_closed()
        with pytest.raises(Timeout) as raised:
            way.send(server.url, Timeouts(read=5, total=0.3))
        server.wait_closed(2)
    assert got
    assert isinstance(error, StreamBroken)
    assert error.type == raised.value.type == "total_timeout"


@every_way
def test_a_break_closes_the_connection(way: Way) -> None:
    with serving(endless) as server:
        got, error = way.chunks(server.url, most=1)
        server.wait_closed()
    assert (got, error) == ([b"data: 1\n\n"], None)
    assert server.open == 0


@sync_ways
def test_a_break_closes_at_once_and_the_next_call_works(way: Way) -> None:
    answers = iter([endless, good])
    with serving(lambda peer: next(answers)(peer)) as server:  # noqa: PLW0108 - each time the next
        transport = way.make(server.url)
        for _ in transport.stream(call(server.url), Timeouts()):
            break
        server.wait_closed()
        assert transport.send(call(server.url), Timeouts()).status == 200
        transport.close()
        server.wait_closed(2)


@async_ways
def test_the_same_in_a_loop(way: Way) -> None:
    answers = iter([endless, good])
    with serving(lambda peer: next(answers)(peer)) as server:  # noqa: PLW0108 - each time the next

        async def both() -> None:
            transport = way.make(server.url)
            async for _ in await transport.astream(call(server.url), Timeouts()):
                break
            await asyncio.to_thread(server.wait_closed)
            assert (await transport.asend(call(server.url), Timeouts())).status == 200
            await transport.aclose()

        guarded(both)
        server.wait_closed(2)


@async_ways
@pytest.mark.parametrize("script", [endless, Peer.wait_for_end], ids=["in the body", "before"])
def test_a_cancelled_task_closes_its_connection(way: Way, script: Any) -> None:
    got: list[bytes] = []
    first = asyncio.Event()
    with serving(lambda peer: script(peer) if server.opened == 1 else good(peer)) as server:

        async def reading(transport: Any) -> None:
            async for piece in await transport.astream(call(server.url), Timeouts()):
                got.append(piece)
                first.set()

        async def cancelled() -> None:
            transport = way.make(server.url)
            task = asyncio.create_task(reading(transport))
            await asyncio.to_thread(server.wait_asked)
            if script is endless:
                await first.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.to_thread(server.wait_closed)
            assert (await transport.asend(call(server.url), Timeouts())).status == 200
            await transport.aclose()

        guarded(cancelled)
        server.wait_closed(2)
    assert got == ([b"data: 1\n\n"] if script is endless else [])


@sync_ways
def test_a_stream_closed_from_another_thread(way: Way) -> None:
    with serving(lambda peer: endless(peer) if server.opened == 1 else good(peer)) as server:
        transport = way.make(server.url)
        reply = transport.stream(call(server.url), Timeouts())
        first = threading.Event()

        def closing() -> None:
            assert first.wait(GUARD)
            time.sleep(0.05)  # by then the reader waits for the second piece
            reply.close()

        thread = threading.Thread(target=closing)
        thread.start()
        pieces = iter(reply)
        got = [next(pieces)]
        first.set()
        with pytest.raises(StreamBroken, match="was closed while it was read"):
            next(pieces)
        thread.join(GUARD)
        server.wait_closed()
        assert got == [b"data: 1\n\n"]
        assert transport.send(call(server.url), Timeouts()).status == 200
        transport.close()
        server.wait_closed(2)


@sync_ways
def test_a_stream_closed_where_nobody_reads(way: Way) -> None:
    with serving(endless) as server:
        transport = way.make(server.url)
        reply = transport.stream(call(server.url), Timeouts())
        reply.close()
        reply.close()
        server.wait_closed()
        transport.close()


@async_ways
def test_a_stream_closed_by_another_task(way: Way) -> None:
    with serving(endless) as server:

        async def closing() -> list[bytes]:
            transport = way.make(server.url)
            reply = await transport.astream(call(server.url), Timeouts())
            got: list[bytes] = []
            first = asyncio.Event()

            async def reading() -> None:
                async for piece in reply:
                    got.append(piece)
                    first.set()

            task = asyncio.create_task(reading())
            await first.wait()
            await reply.aclose()
            with pytest.raises(StreamBroken, match="was closed while it was read"):
                await task
            await asyncio.to_thread(server.wait_closed)
            await transport.aclose()
            return got

        assert guarded(closing) == [b"data: 1\n\n"]


@sync_ways
def test_one_transport_serves_many_threads(way: Way) -> None:
    with serving(good) as server, ThreadPoolExecutor(8) as threads:
        transport = way.make(server.url)
        made = [threads.submit(transport.send, call(server.url), Timeouts()) for _ in range(64)]
        assert [reply.result(GUARD).status for reply in made] == [200] * 64
        transport.close()
        server.wait_closed(server.opened)
    assert server.opened <= 8


@async_ways
def test_one_transport_serves_many_tasks(way: Way) -> None:
    with serving(good) as server:

        async def all_of_them() -> list[int]:
            transport = way.make(server.url)
            calls = [transport.asend(call(server.url), Timeouts()) for _ in range(64)]
            replies = await asyncio.gather(*calls)
            await transport.aclose()
            return [reply.status for reply in replies]

        assert guarded(all_of_them) == [200] * 64
        server.wait_closed(server.opened)


def test_a_transport_closed_while_a_thread_waits_for_an_answer() -> None:
    with serving(Peer.wait_for_end) as server:
        transport = choose_transport(None, asynchronous=False)

        def closing() -> None:
            server.wait_asked()
            transport.close()

        thread = threading.Thread(target=closing)
        thread.start()
        with pytest.raises(ConnectionFailed):
            transport.send(call(server.url), Timeouts())
        thread.join(GUARD)
        server.wait_closed()


@async_ways
def test_one_transport_serves_one_loop_after_another(way: Way) -> None:
    transport = way.make("")
    with serving(good) as server:
        for _ in range(2):
            reply = guarded(lambda: transport.asend(call(server.url), Timeouts()))
            assert reply.status == 200
        server.wait_closed(2)  # the end of a loop closes what it had opened


@async_ways
def test_a_transport_keeps_no_loop_that_has_ended(way: Way) -> None:
    transport = way.make("")
    loops: list[weakref.ref[Any]] = []

    async def one() -> None:
        loops.append(weakref.ref(asyncio.get_running_loop()))
        await transport.asend(call(server.url), Timeouts())

    with serving(good) as server:
        for _ in range(3):
            guarded(one)
        gc.collect()
        assert [loop() is None for loop in loops] == [True, True, False]


@every_way
def test_a_compressed_answer_is_unpacked(way: Way) -> None:
    packed = gzip.compress(b"data: 1\n\n" * 50)

    def packing(peer: Peer) -> bool:
        peer.answer(200, packed, Content_Encoding="gzip")
        return True

    with serving(packing) as server:
        [reply] = way.send(server.url)
        got, error = way.chunks(server.url)
    assert reply.body == b"".join(got) == b"data: 1\n\n" * 50
    assert error is None


def sent(way: Way, odd: HttpCall) -> Any:
    transport = way.make("http://127.0.0.1:1")
    if way.asynchronous:
        return guarded(lambda: transport.asend(odd, Timeouts()))
    return transport.send(odd, Timeouts())


@every_way
@pytest.mark.parametrize("value", [KEY + "\n", KEY + "é"])
def test_a_header_that_http_forbids_is_refused_without_its_value(way: Way, value: str) -> None:
    wrong = HttpCall("POST", "http://127.0.0.1:1", {"x-api-key": value}, b"")
    with pytest.raises(ConfigError, match="x-api-key") as raised:
        sent(way, wrong)
    assert "S3cr3t" not in repr(raised.value) + str(raised.value.__cause__)


@every_way
@pytest.mark.parametrize("name", ["", "x a: b", "x\nb", "é"])
def test_what_is_no_name_of_a_header(way: Way, name: str) -> None:
    with pytest.raises(ConfigError, match="is no name of a header"):
        sent(way, HttpCall("POST", "http://127.0.0.1:1", {name: "S3cr3t"}, b""))


@pytest.mark.parametrize(
    "url",
    ["", "localhost:80", "ftp://host/", "http://[::1", "http://host:99999/", "http://host:x/",
     "http://lo cal/", "http://host/a b", "http://host/a\x00", "http://ho<st/"],
)  # fmt: skip
@every_way
def test_what_is_no_address(way: Way, url: str) -> None:
    with pytest.raises(ConfigError, match=r"no address of an HTTP server.*or http://"):
        sent(way, HttpCall("POST", url, {}, b""))


def test_redirects_are_not_followed_with_a_key() -> None:
    with serving(good) as other:

        def moved(peer: Peer) -> bool:
            peer.answer(307, b"", Location=other.url)
            return True

        with serving(moved) as server:
            for way in WAYS:
                [reply] = way.send(server.url)
                assert reply.status == 307
        assert other.requests == []


@every_way
def test_a_proxy_of_the_environment_is_used(way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    CACHES[f"{over_aiohttp.__name__}.find_proxy"].clear()
    with serving(good) as proxy:
        named = proxy.url.replace("http://", "http://user:p%40ss@")
        monkeypatch.setenv("HTTP_PROXY", named)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        [reply] = way.send("http://api.nowhere.example")
        with serving(good) as direct:
            way.send(direct.url)
        assert len(direct.requests) == 1
    CACHES[f"{over_aiohttp.__name__}.find_proxy"].clear()
    assert reply.status == 200
    [asked] = proxy.requests
    assert asked.path == "http://api.nowhere.example/v1/chat/completions"
    assert asked.headers["proxy-authorization"] == "Basic dXNlcjpwQHNz"


def test_certificates_are_loaded_once_for_all_clients(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cache = CACHES[f"{over_httpx2.__name__}._load_certificates"]
    cache.clear()
    with serving(good) as server:
        for entries, folder in [(1, None), (1, None), (2, tmp_path)]:
            if folder is not None:
                monkeypatch.setenv("SSL_CERT_DIR", str(folder))
            transport = over_httpx2.Httpx2Transport()
            assert transport.send(call(server.url), Timeouts()).status == 200
            transport.close()
            assert cache.entries() == entries
    cache.clear()


def test_names_and_objects() -> None:
    with pytest.raises(ConfigError, match="asynchronous calls alone"):
        choose_transport("aiohttp", asynchronous=False)
    with pytest.raises(ConfigError, match="unknown transport 'curl'"):
        choose_transport("curl", asynchronous=True)
    own = choose_transport(None, asynchronous=False)
    assert choose_transport(own, asynchronous=False) is own
    with pytest.raises(ConfigError, match="is no transport"):
        choose_transport(object(), asynchronous=True)  # type: ignore[call-overload]


def test_without_the_library_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dragoman.transport.call.find_spec", lambda name: None)
    for name, extra in (("httpx2", "http"), ("aiohttp", "fast")):
        with pytest.raises(ConfigError, match=rf'pip install "dragoman\[{extra}\]"'):
            choose_transport(name, asynchronous=True)


@every_way
def test_a_transport_is_pickled_without_its_sockets(way: Way) -> None:
    with serving(good) as server:
        if way.asynchronous:

            async def both() -> None:
                transport = way.make(server.url)
                await transport.asend(call(server.url), Timeouts())
                again = pickle.loads(pickle.dumps(transport))
                assert (await again.asend(call(server.url), Timeouts())).status == 200
                await transport.aclose()
                await again.aclose()

            guarded(both)
        else:
            transport = way.make(server.url)
            transport.send(call(server.url), Timeouts())
            again = pickle.loads(pickle.dumps(transport))
            assert again.send(call(server.url), Timeouts()).status == 200
            transport.close()
            again.close()
        server.wait_closed(2)


def test_a_call_shows_no_key() -> None:
    secret = HttpCall("POST", f"https://u:{KEY}@h/p?key={KEY}", {"x-api-key": KEY, "accept": "*"},
                      b"{}")  # fmt: skip
    assert repr(secret) == "HttpCall(POST https://h/p, headers: accept, x-api-key, 2 bytes)"
    plain = call("https://api.example")
    assert KEY.encode() not in pickle.dumps(plain)
    again = pickle.loads(pickle.dumps(plain))
    assert again.headers == {"content-type": "application/json"}
    assert (again.url, again.body) == (plain.url, plain.body)


@pytest.mark.parametrize("value", [0, -1, True, "5", float("nan")])
def test_a_timeout_is_a_positive_number(value: Any) -> None:
    with pytest.raises(ConfigError) as raised:
        Timeouts(read=value)
    assert raised.value.path == "$.read"


@every_way
def test_no_error_shows_a_key(way: Way, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    faults: list[BaseException] = []
    for script in (cut, lambda peer: None, endless):
        with serving(script) as server:
            try:
                way.send(server.url, Timeouts(read=0.1))
            except ProviderError as error:
                faults.append(error)
    assert len(faults) == 3
    for fault in faults:
        below: BaseException | None = fault
        while below is not None:
            assert KEY not in repr(below) + str(below) + repr(vars(below))
            below = below.__cause__ or below.__context__
        assert KEY.encode() not in pickle.dumps(fault)
    assert KEY not in "".join(record.getMessage() + repr(record.args) for record in caplog.records)
