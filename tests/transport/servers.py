"""A loopback server that does to a client what networks do, and counts its open connections."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

GUARD = 60.0  # seconds, after which a test is taken to hang


@dataclass
class Peer:
    """One connection, as the server's script sees it."""

    sock: socket.socket
    head: str = ""
    body: bytes = b""

    def read(self) -> bool:
        """Read one request; False at the end of the connection."""
        data = b""
        while b"\r\n\r\n" not in data:
            piece = self.sock.recv(65536)
            if not piece:
                return False
            data += piece
        head, _, rest = data.partition(b"\r\n\r\n")
        self.head = head.decode("latin-1")
        lengths = [
            int(line.split(":")[1])
            for line in self.head.split("\r\n")
            if line.lower().startswith("content-length:")
        ]
        while len(rest) < sum(lengths):
            rest += self.sock.recv(65536)
        self.body = rest
        return True

    @property
    def headers(self) -> dict[str, str]:
        lines = [line.partition(":") for line in self.head.split("\r\n")[1:]]
        return {name.lower(): text.strip() for name, _, text in lines}

    @property
    def path(self) -> str:
        return self.head.split(" ")[1]

    def answer(self, status: int, body: bytes = b"{}", **headers: str) -> None:
        lines = [f"HTTP/1.1 {status} X", f"content-length: {len(body)}"]
        lines += [f"{name.replace('_', '-')}: {text}" for name, text in headers.items()]
        self.sock.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)

    def begin(self, status: int = 200) -> None:
        """The head of a stream in chunks."""
        head = f"HTTP/1.1 {status} X\r\ncontent-type: text/event-stream\r\n"
        self.sock.sendall(head.encode() + b"transfer-encoding: chunked\r\n\r\n")

    def chunk(self, data: bytes) -> None:
        self.sock.sendall(b"%x\r\n%s\r\n" % (len(data), data))

    def end(self) -> None:
        self.sock.sendall(b"0\r\n\r\n")

    def wait_for_end(self) -> None:
        """Until the client closes the connection."""
        self.sock.settimeout(GUARD)
        with contextlib.suppress(ConnectionError):
            while self.sock.recv(65536):
                pass


Script = Callable[[Peer], bool | None]  # True: go on with the next request of the connection


@dataclass
class Server:
    """Runs a script for each request; `gone` is when the client closed each connection."""

    script: Script
    requests: list[Peer] = field(default_factory=list)
    opened: int = 0
    gone: list[float] = field(default_factory=list)
    faults: list[BaseException] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.changed = threading.Condition()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                sock, _ = self.listener.accept()
                with self.changed:
                    self.opened += 1
                threading.Thread(target=self._talk, args=(sock,), daemon=True).start()

    def _talk(self, sock: socket.socket) -> None:
        try:
            with sock:
                self._answered(sock)
        except (OSError, AssertionError) as error:
            self.faults.append(error)
        with self.changed:
            self.gone.append(time.monotonic())
            self.changed.notify_all()

    def _answered(self, sock: socket.socket) -> None:
        while True:
            peer = Peer(sock)
            if not peer.read():
                return
            with self.changed:
                self.requests.append(peer)
                self.changed.notify_all()
            if not self.script(peer):
                return

    @property
    def open(self) -> int:
        with self.changed:
            return self.opened - len(self.gone)

    def wait_closed(self, count: int = 1) -> None:
        """Until so many connections are closed."""
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.gone) >= count, GUARD)

    def wait_asked(self, count: int = 1) -> None:
        """Until so many requests have come."""
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.requests) >= count, GUARD)


@contextlib.contextmanager
def serving(script: Script) -> Iterator[Server]:
    server = Server(script)
    try:
        yield server
    finally:
        server.listener.close()


def refused() -> str:
    """An address where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    return f"http://127.0.0.1:{port}"
