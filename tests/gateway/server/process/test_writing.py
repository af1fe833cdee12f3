"""What a connection offers an app beyond `send`: to write a part of a body at once."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from dragoman.gateway.server.asgi_client import WRITE
from dragoman.gateway.server.process.connection import ClientConnection

PATIENCE = 30.0
ASKED = b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
START = {"type": "http.response.start", "status": 200, "headers": []}
LARGE = b"x" * 2**16


@contextmanager
def serving(app: Any) -> Iterator[int]:
    """The port of a server of this app, over connections of the gateway's."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        app, http=ClientConnection, ws="none", interface="asgi3", lifespan="off", log_level="error"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(PATIENCE)


def part(data: bytes, more: bool = True) -> dict[str, Any]:
    return {"type": "http.response.body", "body": data, "more_body": more}


def answer_of(app: Any, asked: bytes = ASKED, before: Callable[[], object] = lambda: None) -> bytes:
    """All bytes that a client gets, which reads nothing until `before` has returned."""
    with serving(app) as port, socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**14)
        client.settimeout(PATIENCE)
        client.connect(("127.0.0.1", port))
        client.sendall(asked)
        before()
        data = b""
        while piece := client.recv(2**20):
            data += piece
    return data


def test_what_is_written_stands_where_it_was_between_what_is_sent() -> None:
    told: list[bool] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        write = scope["extensions"][WRITE]
        told.append(write(b"too early"))
        await send(START)
        await send(part(b"1"))
        told.append(write(b"23"))
        await send(part(b"4"))
        told.append(write(b"5"))
        await send(part(b"", more=False))
        told.append(write(b"too late"))

    body = answer_of(app).partition(b"\r\n\r\n")[2]
    assert body == b"1\r\n1\r\n2\r\n23\r\n1\r\n4\r\n1\r\n5\r\n0\r\n\r\n"
    assert told == [False, True, True, False]


def test_bodies_that_are_not_in_chunks_are_left_to_send() -> None:
    told: list[bool] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        head = [(b"content-length", b"4")] if scope["method"] == "GET" else []
        await send({**START, "headers": head})
        told.append(scope["extensions"][WRITE](b"no"))
        await send(part(b"body", more=False))

    assert answer_of(app).endswith(b"\r\n\r\nbody")
    assert answer_of(app, ASKED.replace(b"GET", b"HEAD")).endswith(b"\r\n\r\n")
    assert told == [False, False]


def test_where_the_client_reads_slowly_send_waits() -> None:
    written: list[bool] = []
    full = threading.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send(START)
        while True:
            written.append(scope["extensions"][WRITE](LARGE))
            if not written[-1]:
                break
            assert len(written) < 1000, "nothing bounds what is written"
        full.set()
        await send(part(b"last"))
        await send(part(b"", more=False))

    body = answer_of(app, before=lambda: full.wait(PATIENCE)).partition(b"\r\n\r\n")[2]
    assert body == b"10000\r\n%b\r\n" % LARGE * (len(written) - 1) + b"4\r\nlast\r\n0\r\n\r\n"


def test_of_pipelined_requests_each_writes_its_own_answer() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send(START)
        assert scope["extensions"][WRITE](scope["path"].encode())
        await send(part(b"", more=False))

    both = ASKED.replace(b"connection: close\r\n", b"").replace(b"/ ", b"/one ") + ASKED
    data = answer_of(app, both)
    assert data.count(b"HTTP/1.1 200") == 2
    assert data.index(b"4\r\n/one\r\n0\r\n\r\n") < data.index(b"1\r\n/\r\n0\r\n\r\n")
