"""A gateway in a process of its own: started, asked, signalled, and ended in any case.

`python -m tests.gateway.running SOURCE WORKERS GRACE [APP]` is what runs in it.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from types import TracebackType
from typing import Self

SMALL = "tests.gateway.small_app:SmallApp"
LONG = 120.0  # seconds after which a test is given up, however slow the machine is


class Gateway:
    """A gateway for a `with` block; `line` is what it has said when it was ready."""

    def __init__(self, *command: str, state: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "XDG_STATE_HOME": str(state), "PYTHONUNBUFFERED": "1"},
            # a shell starts what runs in the background with the signal ignored
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL) and None,  # noqa: PLW1509
        )
        self.stderr = ""
        self._reader = threading.Thread(target=self._read_stderr, daemon=True)
        self._reader.start()
        assert self.process.stdout is not None
        self.line = self.process.stdout.readline().decode().rstrip("\n")

    def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.stderr += line.decode("utf-8", "replace")

    @property
    def port(self) -> int:
        return int(self.line.rpartition(":")[2])

    def get(self, path: str = "/") -> str:
        """The body of an answer, over a connection of its own."""
        with self.open(path) as answer:
            return answer.read().decode()

    def open(
        self, path: str = "/", method: str = "GET", body: bytes | None = None, **headers: str
    ) -> HTTPResponse:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=LONG)
        try:
            connection.request(method, path, body, headers)
            return connection.getresponse()
        finally:
            if connection.sock is not None:
                connection.sock.close()  # once the answer, which reads from it, is closed too

    def raw(self, *pieces: bytes) -> bytes:
        """What the server says to these bytes, which are sent one after the other."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=LONG) as connection:
            for piece in pieces:
                connection.sendall(piece)
                time.sleep(0.02)  # so that they arrive as pieces
            connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(65536), b""))

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def wait(self) -> int:
        code = self.process.wait(LONG)
        self._reader.join(LONG)
        return code

    def rest(self) -> str:
        """What stands on stdout behind the first line, when it has ended."""
        assert self.process.stdout is not None
        return self.process.stdout.read().decode()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join(LONG)
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()


def until(condition: Callable[[], bool]) -> None:
    """Wait until something holds, and fail if it never does."""
    deadline = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.02)


def lines(answer: HTTPResponse) -> Iterator[str]:
    """The lines of an answer as they come."""
    while line := answer.readline():
        yield line.decode().rstrip("\n")


def main() -> int:
    """Run a gateway as the arguments say."""
    from dragoman.gateway.server.process.server import serve
    from dragoman.gateway.server.process.serving import ConfigSource

    file, workers, grace, *app = sys.argv[1:]
    source = ConfigSource(Path(file), {"port": 0, "workers": int(workers)})
    return serve(source, grace=int(grace), app=app[0] if app else SMALL)


if __name__ == "__main__":
    sys.exit(main())
