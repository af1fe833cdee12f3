"""Law 5: a client that leaves closes the upstream, and an upstream that leaves is told.

What it said stays. Who reads slowly is waited for, in bounded memory.
"""

from __future__ import annotations

from time import monotonic, sleep

import pytest

from tests.gateway.corpus.asking import asked_body
from tests.gateway.corpus.kinds import HOME

from .heard import hear
from .sockets import LONG, Upstream, connected, gateway, read_until, upstream

# the same wire, and two others
CLIENTS = ["anthropic", "openai-chat", "openai-responses"]
LARGE = "x" * 2**16


@pytest.mark.parametrize("protocol", CLIENTS)
def test_a_client_that_leaves_closes_the_upstream(protocol: str) -> None:
    with upstream(Upstream()) as provider, gateway(provider.url) as port:
        with connected(port, HOME[protocol], asked_body(protocol, stream=True)) as client:
            assert b"first" in read_until(client, b"first")
        assert provider.closed.wait(LONG)
        assert provider.sent == 1  # it was told while it had more to say


@pytest.mark.parametrize("protocol", CLIENTS)
def test_an_upstream_that_leaves_is_told(protocol: str) -> None:
    asked = asked_body(protocol, stream=True)
    with (
        upstream(Upstream(breaks=True)) as provider,
        gateway(provider.url) as port,
        connected(port, HOME[protocol], asked) as client,
    ):
        data = read_until(client, b"\r\n0\r\n\r\n")
    assert data.startswith(b"HTTP/1.1 200")
    heard = hear(protocol, _dechunked(data.partition(b"\r\n\r\n")[2]))
    assert heard.text == "first"
    assert heard.error
    assert heard.finish is None


@pytest.mark.parametrize("protocol", CLIENTS)
def test_a_client_that_reads_slowly_is_waited_for(protocol: str) -> None:
    """What lies between is what sockets hold, far less than the answer; then all of it comes."""
    times = 1000  # 64 MB
    made = Upstream(text=LARGE, times=times, waits=False)
    asked = asked_body(protocol, stream=True)
    with (
        upstream(made) as provider,
        gateway(provider.url) as port,
        connected(port, HOME[protocol], asked, buffer=2**16) as client,
    ):
        read_until(client, b"first")
        _until_it_waits(provider)
        assert provider.sent < times / 2
        data = read_until(client, b"\r\n0\r\n\r\n")
    assert provider.sent == times + 1
    assert data.count(b"x" * 1000) >= times


def _until_it_waits(provider: Upstream) -> None:
    """Until nothing more is read from the upstream."""
    end, last, same = monotonic() + LONG, -1, 0
    while same < 20:
        assert monotonic() < end, "the upstream is read on and on"
        last, same = provider.sent, same + 1 if provider.sent == last else 0
        sleep(0.05)


def _dechunked(data: bytes) -> bytes:
    whole = b""
    while data:
        size, _, rest = data.partition(b"\r\n")
        count = int(size, 16)
        whole, data = whole + rest[:count], rest[count + 2 :] if count else b""
    return whole
