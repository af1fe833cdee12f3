"""Gateways of the faults' tests: their settings, and clients on raw sockets."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.gateway.faults.wires import WIRES, Wire
from tests.gateway.running import LONG, Gateway

SECRET = "upstream-secret-0123456789-of-the-host-7q9vzk"
KEY_VARIABLE = "FAULTS_PROVIDER_KEY"
APP = "dragoman.gateway.server.asgi:app"


def route(models: str, targets: Iterable[tuple[str, str]], **more: Any) -> str:
    """A route of the settings: patterns of models, and the targets with their base URLs."""
    first, *others = [[f'to = "{to}"', f'base_url = "{url}"', f'key = "{KEY_VARIABLE}"']
                      for to, url in targets]  # fmt: skip
    rest = ", ".join(f"{{{', '.join(one)}}}" for one in others)
    lines = ["[[routes]]", f'models = ["{models}"]', *first, f"fallbacks = [{rest}]"]
    lines += [f"{name} = {json.dumps(value)}" for name, value in more.items()]
    return "\n".join(lines) + "\n"


def routes(url: str, **more: Any) -> str:
    """A route to each protocol of a provider at this address."""
    return "".join(route(wire.model, [(wire.target, url + wire.base)], **more) for wire in WIRES)


@contextmanager
def serving(settings: str, folder: Path, workers: int = 1, grace: int = 30) -> Iterator[Gateway]:
    """The gateway of these settings, in a process of its own."""
    file = folder / "gateway.toml"
    file.write_text(settings, "utf-8")
    command = ("tests.gateway.running", str(file), str(workers), str(grace), APP)
    with Gateway(*command, state=folder / "state") as gateway:
        assert gateway.line, gateway.stderr
        yield gateway


@dataclass(slots=True)
class Answer:
    """An answer as a client read it; `whole`: it came to its end as its head promised."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    whole: bool = True


def ask(
    gateway: Gateway, wire: Wire, model: str, stream: bool = True, text: str = "Hi", **headers: str
) -> Answer:
    """What a client of this protocol is answered."""
    body = wire.request(model, stream, text)
    return post(gateway, wire.path(model, stream), body, **headers)


def at_once(checks: Mapping[str, Callable[[], None]]) -> None:
    """Make checks that mostly wait, all at once; each that fails is told by its name."""
    with ThreadPoolExecutor(len(checks)) as pool:
        running = {name: pool.submit(check) for name, check in checks.items()}
    failed = {name: one.exception() for name, one in running.items() if one.exception()}
    assert not failed, "\n\n".join(f"{name}: {error}" for name, error in failed.items())


def post(gateway: Gateway, path: str, body: bytes, method: str = "POST", **headers: str) -> Answer:
    with connected(gateway) as client:
        client.sendall(request(path, body, method, **headers))
        return read(client, method)


def request(path: str, body: bytes = b"", method: str = "POST", **headers: str) -> bytes:
    """A request as bytes; `_` in the name of a header stands for `-`."""
    given = {name.replace("_", "-"): text for name, text in headers.items()}
    fields = {"host": "localhost", "content-type": "application/json",
              "content-length": str(len(body)), **given}  # fmt: skip
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {text}" for name, text in fields.items())]
    return "\r\n".join((*lines, "", "")).encode("utf-8") + body


def read_until(client: socket.socket, mark: bytes) -> bytes:
    """What has come when a mark has come."""
    data, seen = bytearray(), 0
    while data.find(mark, max(0, seen - len(mark))) < 0:
        seen = len(data)
        piece = client.recv(1 << 20)
        assert piece, f"closed before {mark!r}: {bytes(data[-500:])!r}"
        data += piece
    return bytes(data)


@contextmanager
def connected(gateway: Gateway) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=LONG) as client:
        yield client


def read(client: socket.socket, method: str = "POST") -> Answer:
    """One answer, read from the socket to its end."""
    top = b""
    while b"\r\n\r\n" not in top:
        piece = client.recv(65536)
        assert piece, f"the connection was closed in the head: {top!r}"
        top += piece
    top, _, body = top.partition(b"\r\n\r\n")
    line, *lines = top.decode("latin-1").split("\r\n")
    headers: dict[str, str] = {}
    for one in lines:
        name, _, text = one.partition(":")
        headers[name.lower()] = text.strip()
    status = int(line.split()[1])
    if status == 100:
        assert not body
        return read(client, method)
    if method == "HEAD" or status in (204, 304):
        return Answer(status, headers, b"")
    if "content-length" in headers:
        size = int(headers["content-length"])
        while len(body) < size and (piece := client.recv(65536)):
            body += piece
        return Answer(status, headers, body, len(body) == size)
    return Answer(status, headers, *_dechunked(client, body))


def _dechunked(client: socket.socket, begun: bytes) -> tuple[bytes, bool]:
    """A body in chunks, and whether its last chunk came."""
    data, whole, at = bytearray(begun), bytearray(), 0
    while True:
        end = data.find(b"\r\n", at)
        if end >= 0 and len(data) >= end + 4 + (count := int(data[at:end], 16)):
            if count == 0:
                return bytes(whole), True
            whole += data[end + 2 : end + 2 + count]
            at = end + count + 4
        elif piece := client.recv(1 << 20):
            data += piece
        else:
            return bytes(whole), False
