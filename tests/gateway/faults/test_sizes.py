"""Providers that send without end: nobody keeps it, and the client is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gateway.faults.provider import CHUNKED, CUT, HANG, Provider, Step, chunked, head
from tests.gateway.faults.serving import ask, routes, serving
from tests.gateway.faults.wires import CHAT, PAIRS, Wire, error_of, errors, named, successes
from tests.gateway.running import Gateway

MB = 2**20
_LIMITS = '[limits]\nanswer = "1MiB"\nrecorded = "16KiB"\n'
every_pair = pytest.mark.parametrize(("client", "behind"), PAIRS, ids=map(named, PAIRS))


@pytest.fixture(scope="module")
def small(server: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A megabyte of an answer."""
    settings = _LIMITS + routes(server.url, retries=0)
    with serving(settings, tmp_path_factory.mktemp("small")) as running:
        yield running


ANSWERS = [
    (stream, framed)
    for status, stream in ((200, False), (500, False), (500, True))
    for framed in (head(status, kind="application/json"),
                   head(status, "content-length: 10000000000", kind="application/json"),
                   head(status, "transfer-encoding: chunked"))
]  # fmt: skip


@pytest.mark.parametrize(("nth", "client", "behind"),
                         [(nth, *pair) for nth, pair in enumerate(PAIRS)])  # fmt: skip
def test_whole_answers_and_errors_beyond_the_bound(
    small: Gateway, provider: Provider, nth: int, client: Wire, behind: Wire
) -> None:
    """The connection is closed at once, however much is to come, with a length or without one.

    A third of the answers for each pair: a status, streamed or not, in each framing.
    """
    piece = b" " * 2**16
    for stream, framed in ANSWERS[3 * (nth % 3) :][:3]:
        pieces = chunked([piece]) if b"chunked" in framed else [piece]
        plan: list[Step] = [framed, *pieces * 40, HANG]
        provider.will(plan)
        told = ask(small, client, behind.model, stream)
        assert told.status == 502, told
        assert "larger than 1048576 bytes" in error_of(client, told.body)[0]
        assert provider.was_asked().closed.wait(60)


@every_pair
def test_streams_beyond_the_bound(
    small: Gateway, provider: Provider, client: Wire, behind: Wire
) -> None:
    """One that is converted ends with an error: what it says is kept. One that passes is not."""
    begun = next(i for i, one in enumerate(behind.events) if b"Hel" in one) + 1
    event = behind.events[begun - 1]
    count = 3 * MB // len(event)
    rest = behind.events[begun:]
    more = b"".join([event] * count)
    provider.will([CHUNKED, *chunked([*behind.events[:begun], more, *rest]), b"0\r\n\r\n"])
    told = ask(small, client, behind.model)
    assert told.whole
    if client is behind:
        assert told.body == b"".join([*behind.events[:begun], more, *rest])
        return
    assert len(errors(client, told.body)) == 1
    assert b"larger than 1048576 bytes" in told.body
    assert not successes(client, told.body)


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
def test_recordings_are_cut_and_say_so(
    server: Provider, provider: Provider, tmp_path: Path, stream: bool
) -> None:
    folder = tmp_path / "kept"
    settings = f'[server]\nrecord = "{folder}"\n{_LIMITS}{routes(server.url, retries=0)}'
    long = CHAT.whole.replace(b'"Hello"', b'"%s"' % (b"word " * 10_000))
    body = b"".join([CHAT.events[0], *[CHAT.events[1]] * 500, *CHAT.events[2:]]) if stream else long
    with serving(settings, tmp_path) as gateway:
        short = b"".join(CHAT.events) if stream else CHAT.whole
        provider.will([head(), body, CUT], [head(), short, CUT])
        assert ask(gateway, CHAT, CHAT.model, stream).body == body
        assert ask(gateway, CHAT, CHAT.model, stream).whole
        gateway.process.terminate()
        assert gateway.wait() == 0
    lines = b"".join(file.read_bytes() for file in folder.iterdir()).splitlines()
    first, second = map(json.loads, lines)
    assert len(lines[0]) < 200_000
    for side in (first, first["upstream"]):
        assert side["truncated"] is True
        if stream:
            assert 10 < len(side["events"]) < 200
            assert all(isinstance(event["data"], dict) for event in side["events"])
        else:
            assert side["response"] is None
            assert side["response_text"].startswith('{"id": "c1"')
    assert "truncated" not in second
    assert "truncated" not in second["upstream"]
