"""Answers that are poured: what comes goes on without a task to wake, and bounds hold as ever."""

from __future__ import annotations

import asyncio
import gzip
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from dragoman.errors import ReadError, StreamBroken
from dragoman.transport.call import AsyncStreamReply, Pouring, Take, Timeouts, choose_transport

from .servers import GUARD, Peer, serving
from .ways import call

PIECES = [b"data: %d\n\n" % number for number in range(50)]
UNWATCHED = Timeouts(read=None)
BIG = 2**16


def _loops() -> Iterator[str]:
    yield "asyncio"
    if sys.platform != "win32":
        yield "uvloop"


@pytest.fixture(params=_loops())
def run(request: pytest.FixtureRequest) -> Callable[[Callable[[], Awaitable[Any]]], Any]:
    """Runs a coroutine function, in each kind of loop that serves a gateway."""
    factory = None
    if request.param == "uvloop":
        factory = pytest.importorskip("uvloop").new_event_loop

    def running(work: Callable[[], Awaitable[Any]]) -> Any:
        async def guarded() -> Any:
            async with asyncio.timeout(GUARD):
                return await work()

        with asyncio.Runner(loop_factory=factory) as runner:
            return runner.run(guarded())

    return running


Run = Callable[[Callable[[], Awaitable[Any]]], Any]


def keeping(got: list[bytes], most: int = sys.maxsize) -> Take:
    """Takes so many pieces at most."""

    def take(piece: bytes) -> bool:
        got.append(piece)
        return len(got) < most

    return take


def telling(came: asyncio.Event) -> Take:
    """Takes all, and tells that something has come."""

    def take(_: bytes) -> bool:
        came.set()
        return True

    return take


class _Asked:
    """A call to a server, whose answer is left to the test."""

    def __init__(self, url: str, timeouts: Timeouts = UNWATCHED) -> None:
        self._transport = choose_transport("aiohttp", asynchronous=True)
        self._url, self._timeouts = url, timeouts

    async def __aenter__(self) -> Any:
        self.reply: AsyncStreamReply = await self._transport.astream(
            call(self._url), self._timeouts
        )
        assert isinstance(self.reply, Pouring)
        return self.reply

    async def __aexit__(self, *_: object) -> None:
        await self.reply.aclose()
        await self._transport.aclose()


def streamed(peer: Peer) -> bool:
    peer.begin()
    for piece in PIECES:
        peer.chunk(piece)
    peer.end()
    return True


def whole(peer: Peer) -> bool:
    peer.answer(200, b"".join(PIECES))
    return True


def packed(peer: Peer) -> bool:
    peer.answer(200, gzip.compress(b"".join(PIECES)), Content_Encoding="gzip")
    return True


def without_length(peer: Peer) -> None:
    peer.sock.sendall(b"HTTP/1.1 200 X\r\n\r\n" + b"".join(PIECES))


@pytest.mark.parametrize("script", [streamed, whole, packed, without_length])
def test_all_of_an_answer_comes_in_order(run: Run, script: Any) -> None:
    got: list[bytes] = []

    async def work() -> bool:
        async with _Asked(server.url) as reply:
            more: bool = await reply.pour(keeping(got))
            return more

    with serving(script) as server:
        assert run(work) is False
    assert b"".join(got) == b"".join(PIECES)


@pytest.mark.parametrize("timeouts", [UNWATCHED, Timeouts(total=GUARD)], ids=["poured", "timed"])
def test_whoever_takes_says_when_it_is_enough(run: Run, timeouts: Timeouts) -> None:
    """Each piece by itself; what is left then can be had by iterating as well."""
    got: list[bytes] = []

    def take(piece: bytes) -> bool:
        got.append(piece)
        return False

    async def work() -> None:
        async with _Asked(server.url, timeouts) as reply:
            while len(b"".join(got)) < len(b"".join(PIECES[:-1])):
                assert await reply.pour(take)
                await asyncio.sleep(0)
            while await reply.pour(take):
                pass
            assert not await reply.pour(take)

    with serving(streamed) as server:
        run(work)
    assert b"".join(got) == b"".join(PIECES)


def test_what_is_not_poured_can_be_iterated(run: Run) -> None:
    async def work() -> bytes:
        first: list[bytes] = []
        async with _Asked(server.url) as reply:
            assert await reply.pour(keeping(first, most=1))
            return b"".join([*first, *[piece async for piece in reply]])

    with serving(streamed) as server:
        assert run(work) == b"".join(PIECES)


def test_a_connection_serves_again_behind_what_was_poured(run: Run) -> None:
    async def work() -> None:
        transport = choose_transport("aiohttp", asynchronous=True)
        for _ in range(3):
            got: list[bytes] = []
            reply: Any = await transport.astream(call(server.url), UNWATCHED)
            assert not await reply.pour(keeping(got))
            assert b"".join(got) == b"".join(PIECES)
        assert (await transport.asend(call(server.url), Timeouts())).body == b"".join(PIECES)
        await transport.aclose()

    with serving(streamed) as server:
        run(work)
    assert server.opened == 1


def test_who_takes_nothing_lets_nothing_more_be_read(run: Run) -> None:
    """What lies between is what aiohttp and the sockets hold, far less than the answer."""
    sent = 0

    def endless(peer: Peer) -> None:
        nonlocal sent
        peer.begin()
        peer.sock.settimeout(1)
        try:
            while sent < 2000:
                peer.chunk(b"x" * BIG)
                sent += 1
        except OSError:
            pass  # nobody reads

    async def work() -> None:
        async with _Asked(server.url) as reply:
            assert await reply.pour(lambda _: False)
            await asyncio.to_thread(server.wait_closed)

    with serving(endless) as server:
        run(work)
    assert 0 < sent < 1000


def test_what_the_taker_raises_is_raised(run: Run) -> None:
    def take(piece: bytes) -> bool:
        raise ReadError("no event", code="test")

    async def work() -> None:
        async with _Asked(server.url) as reply:
            await reply.pour(take)

    def begun(peer: Peer) -> None:
        peer.begin()
        peer.chunk(PIECES[0])
        peer.wait_for_end()

    with serving(begun) as server:
        with pytest.raises(ReadError, match="no event"):
            run(work)
        server.wait_closed()


PACKED = gzip.compress(bytes(range(256)) * 64)
CHUNKED = b"transfer-encoding: chunked\r\n\r\n"
BROKEN = {
    "cut": (CHUNKED + b"3\r\n1\n\n\r\n", b""),
    "cut in a chunk": (CHUNKED + b"3\r\n1\n\n\r\n", b"9\r\n2\n"),
    "no length of a chunk": (CHUNKED + b"3\r\n1\n\n\r\n", b"no length\r\n"),
    "ill packed": (
        b"content-length: 9999\r\ncontent-encoding: gzip\r\n\r\n" + PACKED[:200], b"\xff" * 200,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_an_answer_that_breaks_off_is_told(run: Run, case: str) -> None:
    first, last = BROKEN[case]
    asked = threading.Event()

    def breaking(peer: Peer) -> None:
        peer.sock.sendall(b"HTTP/1.1 200 X\r\n" + first)
        assert asked.wait(GUARD)
        peer.sock.sendall(last)
        if len(last) > 10:  # the client sees by itself that this is nothing
            peer.wait_for_end()

    async def work() -> None:
        async with _Asked(server.url) as reply:
            asked.set()
            await reply.pour(lambda _: True)

    with serving(breaking) as server:
        with pytest.raises(StreamBroken):
            run(work)
        server.wait_closed()
    assert not server.faults


def _waiting(peer: Peer) -> None:
    peer.begin()
    peer.chunk(PIECES[0])
    peer.wait_for_end()


def test_closing_ends_what_is_poured(run: Run) -> None:
    async def work() -> None:
        came = asyncio.Event()
        async with _Asked(server.url) as reply:
            pouring = asyncio.ensure_future(reply.pour(telling(came)))
            await came.wait()
            await reply.aclose()
            await pouring

    with serving(_waiting) as server:
        with pytest.raises(StreamBroken, match="closed"):
            run(work)
        server.wait_closed()


def test_a_cancelled_task_closes_its_connection(run: Run) -> None:
    async def work() -> None:
        came = asyncio.Event()
        async with _Asked(server.url) as reply:
            pouring = asyncio.ensure_future(reply.pour(telling(came)))
            await came.wait()
            pouring.cancel()
            with pytest.raises(asyncio.CancelledError):
                await pouring
            await asyncio.to_thread(server.wait_closed)

    with serving(_waiting) as server:
        run(work)
