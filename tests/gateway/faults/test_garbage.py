"""What providers and the proxies before them should never say: pages, redirects, odd framing."""

from __future__ import annotations

import gzip
import json
import zlib

import pytest

from tests.gateway.faults.provider import (
    CHUNKED,
    CUT,
    HANG,
    LAST,
    Provider,
    Step,
    answer,
    chunked,
    head,
)
from tests.gateway.faults.serving import ask, post
from tests.gateway.faults.wires import (
    CHAT,
    MESSAGES,
    OLLAMA,
    PAIRS,
    WIRES,
    Wire,
    error_of,
    errors,
    named,
    successes,
    texts,
)
from tests.gateway.running import Gateway

PAGE = b"<html><body><h1>502 Bad Gateway</h1>nginx</body></html>"
every_pair = pytest.mark.parametrize(("client", "behind"), PAIRS, ids=map(named, PAIRS))
# each client with its own wire and with the next one: what is large is large over each of them
NEIGHBOURS = [
    (client, behind) for client, behind in PAIRS
    if (WIRES.index(behind) - WIRES.index(client)) % len(WIRES) < 2
]  # fmt: skip
every_neighbour = pytest.mark.parametrize(
    ("client", "behind"), NEIGHBOURS, ids=map(named, NEIGHBOURS)
)
every_wire = pytest.mark.parametrize("wire", WIRES, ids=str)
either_way = pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])


@either_way
@pytest.mark.parametrize("status", [200, 204, 302, 502])
@every_pair
def test_a_page_is_told_as_an_error(
    gateway: Gateway, provider: Provider, client: Wire, behind: Wire, status: int, stream: bool
) -> None:
    location = "location: http://elsewhere.example/v1"
    body = b"" if status == 204 else PAGE
    provider.will([answer(body, status, location, kind="text/html"), CUT])
    told = ask(gateway, client, behind.model, stream)
    assert told.status == 502
    assert told.headers["content-type"] == "application/json"
    assert "location" not in told.headers
    assert error_of(client, told.body)[0]


@every_wire
def test_a_switch_of_protocols_is_told_as_an_error(
    gateway: Gateway, provider: Provider, wire: Wire
) -> None:
    provider.will(
        [b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"]
    )
    told = ask(gateway, wire, wire.model)
    assert told.status == 502
    assert error_of(wire, told.body)[0]


@every_wire
def test_interim_answers_are_skipped(gateway: Gateway, provider: Provider, wire: Wire) -> None:
    interim = b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
    provider.will([interim, answer(wire.whole), CUT])
    assert ask(gateway, wire, wire.model, stream=False).body == wire.whole


@either_way
@every_pair
def test_a_body_that_is_longer_than_its_length(
    gateway: Gateway, provider: Provider, client: Wire, behind: Wire, stream: bool
) -> None:
    """What was promised is read, the rest is nobody's."""
    body = b"".join(behind.events) if stream else behind.whole
    provider.will([answer(body) + b"HTTP/1.1 200 OK\r\n\r\nand more", CUT])
    told = ask(gateway, client, behind.model, stream)
    assert told.status == 200
    assert b"and more" not in told.body
    assert b"Hel" in told.body


@every_pair
def test_a_body_that_is_shorter_than_its_length(
    gateway: Gateway, provider: Provider, client: Wire, behind: Wire
) -> None:
    promised = head(200, f"content-length: {len(behind.whole) + 9}", kind="application/json")
    provider.will([promised + behind.whole, CUT])
    told = ask(gateway, client, behind.model, stream=False)
    assert told.status == 502
    assert error_of(client, told.body)[0]


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
@either_way
@every_pair
def test_packed_answers(
    gateway: Gateway, provider: Provider, client: Wire, behind: Wire, coding: str, stream: bool
) -> None:
    body = b"".join(behind.events) if stream else behind.whole
    packed = gzip.compress(body) if coding == "gzip" else zlib.compress(body)
    length = f"content-length: {len(packed)}"
    kind = "text/event-stream" if stream else "application/json"
    provider.will([head(200, f"content-encoding: {coding}", length, kind=kind), *_bytewise(packed)])
    told = ask(gateway, client, behind.model, stream)
    assert "content-encoding" not in told.headers
    if client is behind:
        assert told.body == body
    elif stream:
        assert successes(client, told.body)
        assert not errors(client, told.body)
    assert b"Hel" in told.body


@every_pair
def test_a_packed_stream_that_breaks_off(
    gateway: Gateway, provider: Provider, client: Wire, behind: Wire
) -> None:
    pack = zlib.compressobj(wbits=31)
    begun = pack.compress(_up_to_text(behind)) + pack.flush(zlib.Z_SYNC_FLUSH)
    provider.will([head(200, "content-encoding: gzip"), begun, 0.02, CUT])
    told = ask(gateway, client, behind.model)
    assert told.status == 200
    assert len(errors(client, told.body)) == 1
    assert not successes(client, told.body)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
@either_way
def test_what_is_not_packed_as_it_says(
    gateway: Gateway, provider: Provider, coding: str, stream: bool
) -> None:
    provider.will([head(200, f"content-encoding: {coding}"), b"\x01\x02this is not packed", CUT])
    told = ask(gateway, CHAT, CHAT.model, stream)
    assert told.status == 502
    assert error_of(CHAT, told.body)[0]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
@every_wire
def test_the_same_wire_passes_exactly_however_it_is_cut(
    gateway: Gateway, provider: Provider, wire: Wire, size: int
) -> None:
    body = b"".join(wire.events)
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    provider.will([CHUNKED, *chunked(pieces), LAST])
    assert ask(gateway, wire, wire.model).body == body


_ODD = {
    "CRLF": lambda body: body.replace(b"\n", b"\r\n"),
    "a BOM": lambda body: b"\xef\xbb\xbf" + body,
    "comments": lambda body: b": hello\n\n" + body.replace(b"\n\n", b"\n\n: still here\n\n"),
    "comments with CRLF": lambda body: (
        b": hello\n\n" + body.replace(b"\n\n", b"\n\n: x\n\n")
    ).replace(b"\n", b"\r\n"),
    "other fields": lambda body: b"retry: 100\nid: 1\n\n" + body.replace(b"data:", b"id: 7\ndata:"),
    "no last empty line": lambda body: body.removesuffix(b"\n"),
}  # fmt: skip


@pytest.mark.parametrize("odd", _ODD)
@pytest.mark.parametrize("size", [1, 10_000])
@every_pair
def test_odd_but_regular_event_streams(
    gateway: Gateway, provider: Provider, client: Wire, behind: Wire, odd: str, size: int
) -> None:
    if behind is OLLAMA:
        return  # its lines are no event stream
    body = _ODD[odd](b"".join(behind.events))
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    provider.will([CHUNKED, *chunked(pieces), LAST])
    told = ask(gateway, client, behind.model)
    assert told.status == 200
    if client is behind:
        if behind.name != "gemini":  # what stands behind the last event is left out
            body = body.removesuffix(b": still here\n\n").removesuffix(b": x\r\n\r\n")
        # an event that nothing closes is closed: clients would drop it
        assert told.body == (body if body.endswith((b"\n\n", b"\r\n\r\n")) else body + b"\n")
    else:
        assert texts(client, told.body) == "Hello"
        assert successes(client, told.body)


@every_wire
def test_zeros_and_odd_bytes_between_events(
    gateway: Gateway, provider: Provider, wire: Wire
) -> None:
    """Bytes that nobody knows pass over the same wire, and disturb no other."""
    odd = b'{"odd": "\x00\x01"}\n' if wire is OLLAMA else b"data: \x00\xff\xfe\n\n"
    body = b"".join([wire.events[0], odd, *wire.events[1:]])
    provider.will([CHUNKED, *chunked([body]), LAST])
    assert ask(gateway, wire, wire.model).body == body
    provider.will([CHUNKED, *chunked([body]), LAST])
    client = MESSAGES if wire is not MESSAGES else CHAT
    told = ask(gateway, client, wire.model)
    assert successes(client, told.body)


@every_pair
def test_nothing_but_noise(
    gateway: Gateway, provider: Provider, client: Wire, behind: Wire
) -> None:
    noise = bytes(range(256)) * 40
    provider.will([CHUNKED, *chunked([noise]), LAST])
    told = ask(gateway, client, behind.model)
    assert told.status == 502
    assert error_of(client, told.body)[0]


@every_neighbour
def test_an_event_of_ten_megabytes(
    gateway: Gateway, provider: Provider, client: Wire, behind: Wire
) -> None:
    size = 10 * 2**20
    events = [event.replace(b'"lo"', b'"lo%s"' % (b"x" * size)) for event in behind.events]
    body = b"".join(events)
    provider.will([CHUNKED, *chunked([body]), LAST])
    told = ask(gateway, client, behind.model)
    assert told.status == 200
    assert not errors(client, told.body)
    assert successes(client, told.body)
    assert told.body.count(b"x" * 1000) >= size // 1000
    if client is behind:
        assert told.body == body


@pytest.mark.parametrize("ends", [True, False], ids=["ends", "never ends"])
@every_pair
def test_an_event_beyond_the_bound(
    hasty: Gateway, provider: Provider, client: Wire, behind: Wire, ends: bool
) -> None:
    """It is told as an error and not kept in memory; what came before it stays."""
    large = behind.events[1].replace(b'"lo"', b'"lo%s"' % (b"x" * 2**21))
    large = large if b"xxx" in large else b"data: " + b"x" * 2**21
    rest = [large, *behind.events[2:]] if ends else [large.rstrip(), HANG]
    plan: list[Step] = [head(), _up_to_text(behind), 0.05, *rest]
    provider.will([*plan, CUT] if ends else plan)
    told = ask(hasty, client, behind.model)
    assert told.status == 200
    assert told.whole
    assert len(errors(client, told.body)) == 1
    assert not successes(client, told.body)
    assert b"is larger than 1048576 bytes" in told.body


def _up_to_text(wire: Wire) -> bytes:
    """The events up to the first text."""
    at = next(i for i, event in enumerate(wire.events) if b"Hel" in event)
    return b"".join(wire.events[: at + 1])


def _bytewise(data: bytes) -> list[Step]:
    """The data in small pieces, each of which is written by itself."""
    return [data[at : at + 16] for at in range(0, len(data), 16)]


def test_a_stream_where_none_was_asked_for(gateway: Gateway, provider: Provider) -> None:
    for wire in (CHAT, MESSAGES):
        provider.will([answer(b"".join(wire.events), kind="text/event-stream")])
        told = ask(gateway, wire, wire.model, stream=False)
        assert told.status == 502
        assert error_of(wire, told.body)[0]


def test_names_of_headers_that_no_client_must_see(gateway: Gateway, provider: Provider) -> None:
    fields = ("set-cookie: a=b", "openai-organization: org", "anthropic-organization-id: o",
              "openai-processing-ms: 7", "x-request-id: req_1", "cf-ray: x", "server: x",
              "connection: x-private", "x-private: secret")  # fmt: skip
    for wire in WIRES:
        for stream in (True, False):
            body = b"".join(wire.events) if stream else wire.whole
            provider.will([answer(body, 200, *fields)])
            told = ask(gateway, wire, wire.model, stream)
            assert told.body == body
            seen = set(told.headers)
            hidden = {"set-cookie", "openai-organization", "anthropic-organization-id", "cf-ray",
                      "server", "x-private"}  # fmt: skip
            assert not seen & hidden
            assert {"x-request-id", "openai-processing-ms"} <= seen


def test_a_provider_s_words_never_become_headers(gateway: Gateway, provider: Provider) -> None:
    """Errors carry what a provider chose into headers; none of it may begin another one."""
    error = {
        "message": "no\r\nset-cookie: a=b",
        "type": "x\r\nset-cookie: a=b",
        "code": "\x00\r\ny",
    }
    for client in (CHAT, MESSAGES):
        provider.will([answer(json.dumps({"error": error}).encode(), 400)])
        told = post(gateway, client.path("to-openai-chat", False),
                    client.request("to-openai-chat", False))  # fmt: skip
        assert told.status == 400
        assert "set-cookie" not in told.headers
        assert error_of(client, told.body)
