"""Requests as clients should not send them: framing, addresses, methods, heads, and what leaves."""

from __future__ import annotations

import gzip
import json
import socket
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from zstandard import ZstdCompressor

from tests.gateway.faults.provider import (
    CHUNKED,
    CUT,
    HANG,
    LAST,
    RESET,
    WAIT,
    Provider,
    Step,
    answer,
    chunked,
    head,
)
from tests.gateway.faults.serving import (
    SECRET,
    ask,
    connected,
    post,
    read,
    read_until,
    request,
    routes,
    serving,
)
from tests.gateway.faults.wires import CHAT, GEMINI, MESSAGES, WIRES, Wire, error_of
from tests.gateway.running import LONG, Gateway, until

PATH = CHAT.path(CHAT.model, False)
BODY = CHAT.request(CHAT.model, stream=False)
OK = answer(CHAT.whole)
_POST = f"POST {PATH} HTTP/1.1\r\nhost: localhost\r\n"


def _sent(gateway: Gateway, *pieces: bytes) -> bytes:
    """All that comes back, until the gateway closes; then it must be alive."""
    with connected(gateway) as client:
        for piece in pieces:
            client.sendall(piece)
        client.shutdown(socket.SHUT_WR)
        said = b"".join(iter(lambda: client.recv(65536), b""))
    assert post(gateway, "/healthz", b"", "GET").status == 200
    return said


_SMUGGLED = {
    "both lengths": f"{_POST}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nX",
    "two lengths": f"{_POST}content-length: 5\r\ncontent-length: 6\r\n\r\n12345X",
    "a list of lengths": f"{_POST}content-length: 5, 6\r\n\r\n12345X",
    "a signed length": f"{_POST}content-length: +5\r\n\r\n12345",
    "a negative length": f"{_POST}content-length: -5\r\n\r\n12345",
    "a hexadecimal length": f"{_POST}content-length: 0x5\r\n\r\n12345",
    "a length beyond all": f"{_POST}content-length: {10**30}\r\n\r\n12345",
    "a coding that is none": f"{_POST}transfer-encoding: chunked, x\r\n\r\n0\r\n\r\n",
    "a chunk without a size": f"{_POST}transfer-encoding: chunked\r\n\r\nzz\r\n\r\n",
    "a chunk that is too long": f"{_POST}transfer-encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n",
    "a blank before the colon": f"{_POST}content-length : 5\r\n\r\n12345",
    "a folded line": f"{_POST}x-a: b\r\n c: d\r\ncontent-length: 0\r\n\r\n",
    "a zero in a field": f"{_POST}x-a: b\0c\r\ncontent-length: 0\r\n\r\n",
    "a bare CR": f"{_POST}x-a: b\rx-b: c\r\ncontent-length: 0\r\n\r\n",
    "no version": f"POST {PATH}\r\n\r\n",
    "another protocol": "SSH-2.0-OpenSSH_9.6\r\n\r\n",
    "the preface of HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "the hello of TLS": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "no ASCII in the address": "GET /v1/mod\xe4ls HTTP/1.1\r\nhost: localhost\r\n\r\n",
}


@pytest.mark.parametrize("shape", _SMUGGLED)
def test_what_could_be_read_in_two_ways_is_refused(
    gateway: Gateway, provider: Provider, shape: str
) -> None:
    provider.will([OK])
    said = _sent(gateway, _SMUGGLED[shape].encode("latin-1"))
    assert b"HTTP/1.1 200" not in said
    assert said.startswith(b"HTTP/1.1 400 ") or not said
    assert said.count(b"HTTP/1.1 ") <= 1
    assert not provider.asked


def test_chunked_bodies(gateway: Gateway, provider: Provider) -> None:
    for size in (1, 7, 10_000):
        pieces = [BODY[at : at + size] for at in range(0, len(BODY), size)]
        with connected(gateway) as client:
            provider.will([OK])
            client.sendall(f"{_POST}transfer-encoding: chunked\r\n\r\n".encode())
            for piece in chunked(pieces):
                client.sendall(piece)
            client.sendall(b"0\r\ntrailer: x\r\n\r\n")
            assert read(client).body == CHAT.whole
        assert json.loads(provider.asked[0].body)["messages"] == json.loads(BODY)["messages"]
        assert "trailer" not in provider.asked[0].names


def test_expect_continue(gateway: Gateway, provider: Provider) -> None:
    """100 comes before the body is sent; where the body is too large, the refusal comes instead."""
    provider.will([OK])
    with connected(gateway) as client:
        client.sendall(request(PATH, b"", expect="100-continue", content_length=str(len(BODY))))
        assert client.recv(65536).startswith(b"HTTP/1.1 100 ")
        client.sendall(BODY)
        assert read(client).body == CHAT.whole
    assert "expect" not in provider.asked[0].names
    with connected(gateway) as client:
        client.sendall(request(PATH, b"", expect="100-continue", content_length=str(2**40)))
        assert read(client).status == 413


def test_pipelined_requests_are_answered_in_their_order(
    gateway: Gateway, provider: Provider
) -> None:
    provider.will([OK], [answer(CHAT.whole.replace(b"Hello", b"Second"))])
    with connected(gateway) as client:
        client.sendall(request(PATH, BODY) * 2 + request("/v1/nothing", b"{}"))
        data = read_until(client, b"there is nothing at")
    assert data.index(b"Hello") < data.index(b"Second") < data.index(b"HTTP/1.1 404 ")


def test_a_connection_is_kept_behind_errors(gateway: Gateway, provider: Provider) -> None:
    with connected(gateway) as client:
        for body, status in ((b"{", 400), (b"[]", 400), (b'{"model": "none"}', 404)):
            client.sendall(request(PATH, body))
            assert read(client).status == status
        provider.will([OK])
        client.sendall(request(PATH, BODY))
        assert read(client).status == 200


_PATHS = ["/v1/nothing", "/V1/chat/completions", "//v1/chat/completions", "/v1//chat/completions",
          "/v1/./chat/completions", "/v1/../v1/chat/completions", "/v1/chat/completions/",
          "/v1/chat%2Fcompletions%00", "/v1/chat/completions%0d%0ax-a:%20b", "/%2e%2e/etc/passwd",
          "/v1/models/%F0%9F%8C%8D%0A", "/v1beta/models/a:explode", "/v1beta/models/:x",
          "/v1beta/models/" + "a/" * 5000 + ":generateContent", "/api/pull", "/v1/messages/batches",
          "*"]  # fmt: skip


@pytest.mark.parametrize("path", _PATHS, ids=lambda path: path[:40])
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH"])
def test_unknown_paths_and_methods(
    gateway: Gateway, provider: Provider, path: str, method: str
) -> None:
    with connected(gateway) as client:
        client.sendall(request(path, b"{}", method))
        told = read(client, method)
    assert told.status in (400, 404), told
    assert "x-a" not in told.headers
    if method != "HEAD" and told.headers["content-type"] == "application/json":
        assert json.loads(told.body)["error"]
    assert not provider.asked


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"])
def test_methods_that_a_path_does_not_have(
    gateway: Gateway, provider: Provider, method: str
) -> None:
    for wire in WIRES:
        told = post(gateway, wire.path(wire.model, False), b"", method)
        assert told.status in (400, 404, 405), (wire, told)
    assert not provider.asked


def test_absolute_addresses_and_a_bare_query(gateway: Gateway, provider: Provider) -> None:
    provider.will([OK], [OK], [OK])
    assert post(gateway, f"http://localhost:1{PATH}", BODY).status == 200
    assert post(gateway, f"{PATH}?", BODY).status == 200
    assert post(gateway, f"{PATH}?a=%0d%0ab&c=%FF&=&&", BODY).status == 200
    lines = [one.line for one in provider.asked]
    assert all(line.startswith("POST /v1/chat/completions") for line in lines)
    assert all(len(one.raw.split(b"\r\n\r\n")[0].split(b"\r\n")) == len(one.fields) + 1
               for one in provider.asked)  # fmt: skip


def test_large_heads_are_refused(gateway: Gateway) -> None:
    for fields in ("x-a: " + "b" * 70_000 + "\r\n", "x-a: b\r\n" * 300):
        said = _sent(gateway, f"{_POST}{fields}content-length: 0\r\n\r\n".encode())
        assert said.startswith(b"HTTP/1.1 431 ")
    said = _sent(gateway, f"GET /{'a' * 70_000} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
    assert said.startswith(b"HTTP/1.1 431 ")


# -- packed bodies ---------------------------------------------------------------------------------


@pytest.mark.parametrize("coding", ["gzip", "x-gzip", "deflate", "zstd", "identity", "GZIP"])
def test_packed_bodies(gateway: Gateway, provider: Provider, coding: str) -> None:
    name = coding.lower().removeprefix("x-")
    as_zstd = ZstdCompressor().compress(BODY)
    by_name = {"gzip": gzip.compress(BODY), "deflate": zlib.compress(BODY), "zstd": as_zstd}
    packed = by_name.get(name, BODY)
    provider.will([OK])
    assert post(gateway, PATH, packed, content_encoding=coding).status == 200
    assert provider.asked[0].body == BODY.replace(b"to-openai-chat", b"up")
    assert "content-encoding" not in provider.asked[0].names


_PACKED = {
    "cut": gzip.compress(BODY)[:-9],
    "no gzip": b"this is not packed",
    "empty": b"",
    "more behind it": gzip.compress(BODY) + b"more",
    "two of them": gzip.compress(BODY[:20]) + gzip.compress(BODY[20:]),
    "a wrong sum": gzip.compress(BODY)[:-8] + b"\0" * 8,
}


@pytest.mark.parametrize("how", _PACKED)
def test_bodies_that_are_packed_wrongly(gateway: Gateway, provider: Provider, how: str) -> None:
    for wire in WIRES:
        path = wire.path(wire.model, False)
        told = post(gateway, path, _PACKED[how], content_encoding="gzip")
        assert told.status == 400, told
        assert error_of(wire, told.body)[0]
    assert not provider.asked


def test_a_packed_bomb_and_codings_that_nobody_reads(hasty: Gateway, provider: Provider) -> None:
    bomb = gzip.compress(b"[" + b" " * 300_000_000 + b"]", 1)
    before = _memory(hasty)
    for wire in WIRES:
        told = post(hasty, wire.path(wire.model, False), bomb, content_encoding="gzip")
        assert told.status == 413, told
        assert error_of(wire, told.body)[0]
    assert _memory(hasty) - before < 64 * 2**20
    for coding in ("br", "zstd", "gzip, gzip", "\x7f" * 3):
        told = post(hasty, PATH, BODY, content_encoding=coding)
        assert told.status in (400, 415)
    assert not provider.asked


# -- leaving, and reading slowly -------------------------------------------------------------------


def _memory(gateway: Gateway) -> int:
    """Resident memory of the gateway in bytes."""
    status = Path(f"/proc/{gateway.process.pid}/status").read_text("ascii")
    line = next(one for one in status.splitlines() if one.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


def _left(gateway: Gateway) -> int:
    """How many clients the gateway has counted that left."""
    figures = post(gateway, "/metrics", b"", "GET").body.decode()
    line = next(
        one for one in figures.splitlines() if one.startswith("dragoman_clients_left_total ")
    )
    return round(float(line.split()[1]))


_LEAVING: dict[str, list[Step]] = {
    "before the head": [],
    "behind the head": [head()],
    "in the middle": [head(), b"".join(CHAT.events[:2])],
}


@pytest.mark.parametrize("how", ["close", "reset", "half close"])
@pytest.mark.parametrize("when", _LEAVING)
@pytest.mark.parametrize("client", [CHAT, MESSAGES], ids=["same wire", "translated"])
def test_a_client_that_leaves(
    gateway: Gateway, provider: Provider, client: Wire, when: str, how: str
) -> None:
    """The connection to the provider is closed, and the client is counted."""
    before = _left(gateway)
    provider.will([*_LEAVING[when], HANG])
    with connected(gateway) as connection:
        body = client.request(CHAT.model)
        connection.sendall(request(client.path(CHAT.model, True), body))
        asked = provider.was_asked()
        if when == "in the middle":
            read_until(connection, b"Hel")
        if how == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        if how == "half close":
            connection.shutdown(socket.SHUT_WR)
            assert asked.closed.wait(60)
    assert asked.closed.wait(60)
    until(lambda: _left(gateway) == before + 1)


def test_a_client_that_leaves_a_whole_answer(gateway: Gateway, provider: Provider) -> None:
    before = _left(gateway)
    provider.will([head(200, "content-length: 999"), b'{"id"', HANG])
    with connected(gateway) as connection:
        connection.sendall(request(PATH, BODY))
        asked = provider.was_asked()
    assert asked.closed.wait(60)
    until(lambda: _left(gateway) == before + 1)


def test_a_client_that_leaves_in_its_body(gateway: Gateway, provider: Provider) -> None:
    before = _left(gateway)
    with connected(gateway) as connection:
        connection.sendall(request(PATH, BODY)[:-5])
    until(lambda: _left(gateway) == before + 1)
    assert not provider.asked


@pytest.mark.parametrize("client", [CHAT, MESSAGES], ids=["same wire", "translated"])
def test_a_slow_reader_costs_no_memory(gateway: Gateway, provider: Provider, client: Wire) -> None:
    """60 MB wait at the provider while the client reads nothing; then all of it comes."""
    piece = CHAT.events[1].replace(b'"lo"', b'"%s"' % (b"x" * 2**18))
    provider.will([CHUNKED, *chunked([CHAT.events[0], *[piece] * 240, *CHAT.events[1:]]), LAST])
    with connected(gateway) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        body = client.request(CHAT.model)
        connection.sendall(request(client.path(CHAT.model, True), body))
        read_until(connection, b"Hel")
        before = _memory(gateway)
        assert not provider.asked[0].closed.wait(1.0)
        assert _memory(gateway) - before < 24 * 2**20
        rest = read_until(connection, b"\r\n0\r\n\r\n")
    assert rest.count(b"x" * 1000) > 60_000
    assert rest.count(b"weather") == 1


# -- paths that pass through -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def open_paths(server: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """Paths that the gateway does not know go to the first provider."""
    settings = routes(server.url, retries=0, pass_through=True)
    with serving(settings, tmp_path_factory.mktemp("open")) as running:
        yield running


def test_what_passes_through_is_the_path_alone(open_paths: Gateway, provider: Provider) -> None:
    plans = {
        "/v1/files?limit=1": "GET /v1/files?limit=1 HTTP/1.1",
        "/v1/a%20b%3Fc%23d": "GET /v1/a%20b%3Fc%23d HTTP/1.1",
        "/v1/x%0d%0aevil:%201": "GET /v1/x%0D%0Aevil:%201 HTTP/1.1",
        "/v1/%F0%9F%8C%8D": "GET /v1/%F0%9F%8C%8D HTTP/1.1",
    }
    for path, line in plans.items():
        provider.will([answer(b'{"id": 1}', 200, "set-cookie: a=b")])
        told = post(open_paths, path, b"", "GET", cookie="a=b", authorization="Bearer mine")
        assert told.body == b'{"id": 1}'
        assert "set-cookie" not in told.headers
        assert provider.asked[0].line == line
        assert "evil" not in provider.asked[0].names
        assert dict(provider.asked[0].fields)["authorization"] == f"Bearer {SECRET}"
        assert "cookie" not in provider.asked[0].names


def test_what_passes_comes_as_it_is_sent(open_paths: Gateway, provider: Provider) -> None:
    kind = "application/x-parts"
    top = head(206, "transfer-encoding: chunked", "x-more: a", kind=kind)
    provider.will([top, *chunked([b"one "]), WAIT, *chunked([b"two"]), LAST])
    with connected(open_paths) as client:
        client.sendall(request("/v1/completions", b"{}"))
        begun = read_until(client, b"one ")
        provider.go_on()
        rest = begun + read_until(client, b"\r\n0\r\n\r\n").removeprefix(begun)
    assert rest.startswith(b"HTTP/1.1 206 ")
    assert b"x-more: a\r\n" in rest
    assert f"content-type: {kind}\r\n".encode() in rest
    assert b"two" in rest


def test_what_passes_and_breaks_off_breaks_off_for_the_client(
    open_paths: Gateway, provider: Provider
) -> None:
    provider.will([CHUNKED, *chunked([b"one "]), 0.02, RESET])
    told = post(open_paths, "/v1/completions", b"{}")
    assert (told.status, told.body, told.whole) == (200, b"one ", False)
    provider.will([CUT])
    assert post(open_paths, "/v1/completions", b"{}").status == 502
    assert len(provider.asked) == 1  # it may have been done


def test_who_leaves_what_passes_closes_it(open_paths: Gateway, provider: Provider) -> None:
    provider.will([CHUNKED, *chunked([b"one "]), HANG])
    with connected(open_paths) as client:
        client.sendall(request("/v1/completions", b"{}"))
        read_until(client, b"one ")
    assert provider.was_asked().closed.wait(LONG)


def test_the_head_of_what_passes(open_paths: Gateway, provider: Provider) -> None:
    provider.will([head(200, "content-length: 12", kind="text/plain")])
    told = post(open_paths, "/v1/files/1", b"", "HEAD")
    assert (told.status, told.headers["content-length"]) == (200, "12")


@pytest.mark.parametrize("path", ["/v1/../x", "/v1/%2e%2e/x", "/../../x", "/v1/./x"])
def test_nothing_passes_that_leads_out_of_the_provider_s_base(
    open_paths: Gateway, provider: Provider, path: str
) -> None:
    assert post(open_paths, path, b"", "GET").status == 404
    assert not provider.asked


def test_gemini_s_key_in_the_query_stays_here(gateway: Gateway, provider: Provider) -> None:
    path = GEMINI.path(GEMINI.model, True)
    for name in ("key", "k%65y", "%6Bey", "access_token"):
        provider.will([answer(b"".join(GEMINI.events), kind="text/event-stream")])
        body = GEMINI.request(GEMINI.model)
        assert post(gateway, f"{path}&{name}=client-secret&x=1", body).status == 200
        assert provider.asked[0].line.split()[1].endswith("?alt=sse&x=1")
        assert b"client-secret" not in provider.asked[0].raw


def test_other_than_the_client_s_headers_go_on(gateway: Gateway, provider: Provider) -> None:
    """Nothing of keys, cookies, addresses and this connection; the rest goes on as it came."""
    hidden = {
        "cookie": "session=client-secret", "authorization": "Bearer client-secret",
        "x-api-key": "client-secret", "x-goog-api-key": "client-secret", "api-key": "client-secret",
        "x-forwarded-for": "10.9.8.7", "x-real-ip": "10.9.8.7", "forwarded": "for=10.9.8.7",
        "via": "1.1 client", "referer": "http://client-secret/", "origin": "http://localhost",
        "proxy-authorization": "Basic client-secret", "te": "trailers",
        "x-private": "client-secret",
        "connection": "keep-alive, x-private", "true-client-ip": "10.9.8.7",
        "openai-organization": "client-secret", "sec-fetch-mode": "cors",
    }  # fmt: skip
    kept = {
        "x-stainless-lang": "python",
        "x-title": "a b",
        "anthropic-beta": "x",
        "user-agent": "me",
    }
    for wire in WIRES:
        provider.will([answer(wire.whole)])
        told = ask(gateway, wire, wire.model, stream=False, **hidden, **kept)
        assert told.status == 200
        asked = provider.asked[0]
        assert b"client-secret" not in asked.raw
        assert b"10.9.8.7" not in asked.raw
        assert not (hidden.keys() - {"authorization", "x-api-key", "x-goog-api-key", "connection"}
                    & asked.names) & asked.names - {"authorization", "x-api-key", "x-goog-api-key",
                                                    "connection"}  # fmt: skip
        assert kept.items() <= dict(asked.fields).items()
        assert asked.raw.count(SECRET.encode()) == 1


def test_a_header_that_is_no_ascii_is_no_fault_of_the_gateway_s(
    gateway: Gateway, provider: Provider
) -> None:
    for wire in WIRES:
        provider.will([answer(wire.whole)])
        told = ask(
            gateway, wire, wire.model, stream=False, x_title="Caf\u00e9 \u2615", x_tab="a\tb"
        )
        assert told.status == 200
