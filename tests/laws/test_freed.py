"""What was read or written is freed as soon as nobody holds it, without the garbage collector.

Objects that refer to each other in a circle would keep whole histories, with their media, until a
full collection; a server that sends many requests would grow by them.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.errors import DragomanError, StreamError
from dragoman.tokens import CharTokenCounter
from tests.fuzz.seeds import ANSWERS

from .conversations import CONVERSATIONS, TOOLS
from .streams import STREAMS
from .test_append_only import SPOKEN


@pytest.fixture(scope="module", autouse=True)
def frozen() -> None:
    """What other tests left is not looked at again and again; nor later, so it stays frozen."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """Keep what the collector finds, for the test to look at."""
    yield
    gc.set_debug(0)
    gc.garbage.clear()
    gc.enable()


def left(work: Callable[[], object]) -> list[str]:
    """The kinds of our objects that the work leaves to the garbage collector."""
    for _ in range(2):  # what is made once and kept is made now
        work()
    gc.collect()
    gc.garbage.clear()
    gc.disable()
    work()
    gc.set_debug(gc.DEBUG_SAVEALL)
    gc.collect()
    gc.set_debug(0)
    found = {f"{type(one).__module__}.{type(one).__name__}" for one in gc.garbage}
    gc.garbage.clear()
    gc.enable()
    return sorted(name for name in found if name.startswith("dragoman"))


def messages(wire: str, make: Any) -> list[Msg]:
    issuer = min(dragoman.wire(wire).can().reads, default=wire)
    return [m for turn in make(issuer) for m in turn]


def test_a_circle_is_found() -> None:
    def circle() -> None:
        m = Msg.user("Hi.")
        m.metadata = {"itself": m}

    assert left(circle) == ["dragoman.message.msg.Msg"]


@pytest.mark.parametrize("make", CONVERSATIONS, ids=lambda make: make.__name__)
@pytest.mark.parametrize("wire", SPOKEN)
def test_a_request(wire: str, make: Any) -> None:
    msgs = messages(wire, make)

    def work() -> None:
        with suppress(DragomanError):
            here = dragoman.wire(wire, policy="ignore")
            out = here.write_request(ChatRequest(msgs, tools=TOOLS, system="Be."))
            assert list(out.losses) is not None
            req = here.read_request(out.body)
            here.write_request(req)
            for target in SPOKEN:
                assert dragoman.convert(out.body, here, target, policy="ignore").body

    assert left(work) == []


@pytest.mark.parametrize("make", CONVERSATIONS, ids=lambda make: make.__name__)
@pytest.mark.parametrize("wire", SPOKEN)
def test_a_session_with_a_budget(wire: str, make: Any) -> None:
    msgs = messages(wire, make)
    counter = CharTokenCounter()

    def work() -> None:
        with suppress(DragomanError):
            made = dragoman.Formatter(wire, policy="ignore")
            session = made.session()
            for end in range(2, len(msgs), 2):
                session.write(msgs[:end])
            limit = counter.count_sync(made.write(msgs).messages) // 2
            fitting = dragoman.Formatter(
                wire, policy="ignore", token_counter=counter, max_tokens=limit
            )
            fitting.write(msgs)

    assert left(work) == []


@pytest.mark.parametrize("wire", STREAMS)
def test_an_answer(wire: str) -> None:
    def work() -> None:
        for body in ANSWERS[wire]:
            for target in STREAMS:
                with suppress(DragomanError):
                    dragoman.convert(body, wire, target, kind="response", policy="ignore")

    assert left(work) == []


@pytest.mark.parametrize("wire", STREAMS)
def test_a_stream(wire: str) -> None:
    here = dragoman.wire(wire)

    def work() -> None:
        for events in STREAMS[wire]:
            for target in STREAMS:
                encoder = dragoman.wire(target, policy="ignore").stream_encoder()
                decoder = here.stream_decoder()
                with suppress(DragomanError):
                    for name, payload in events:
                        for event in decoder.feed(payload, name):
                            encoder.feed(event)
                    resp = decoder.finish()
                    if isinstance(resp.error, StreamError):
                        resp.error.response = None  # the one circle that users are promised

    assert left(work) == []
