"""A server in a process of its own that answers every request from prepared bytes.

It parses nothing but the length of a request, so that what a client costs is the client's alone.
Below `/v1` it sends a stream as fast as the connection takes it. Below `/slow/v1` it sends the next
piece when the client has told that it has read the one before (`Server.next_piece`), so that nobody
finds two of them at once: as with a provider whose model is slower than all clients. It is told by
a byte in shared memory at which it looks again and again, which costs the client no system call.
"""

from __future__ import annotations

import json
import mmap
import socketserver
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_GLANCE = 0.00002  # seconds between two looks
_PATIENCE = 1.0  # seconds, for a client that lost count
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\n%s\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Server:
    """A server that runs."""

    address: str
    told: mmap.mmap

    def next_piece(self) -> None:
        """Ask for the next piece of a slow stream."""
        self.told[0] = (self.told[0] + 1) % 256


@contextmanager
def serving(whole: bytes, pieces: list[bytes]) -> Iterator[Server]:
    """A server that gives this body to calls, and these pieces of a body to streams."""
    prepared = json.dumps({"whole": whole.decode(), "pieces": [one.decode() for one in pieces]})
    with tempfile.NamedTemporaryFile() as shared:
        shared.write(bytes(mmap.PAGESIZE))
        shared.flush()
        command = [sys.executable, __file__, shared.name]
        with (
            mmap.mmap(shared.fileno(), mmap.PAGESIZE) as told,
            subprocess.Popen(  # noqa: S603
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            ) as server,
        ):
            assert server.stdin is not None
            assert server.stdout is not None
            try:
                server.stdin.write(prepared.encode())
                server.stdin.close()
                yield Server(f"http://127.0.0.1:{int(server.stdout.readline())}", told)
            finally:
                server.kill()


class _Handler(socketserver.StreamRequestHandler):
    """One connection, for as many requests as come."""

    disable_nagle_algorithm = True
    whole: bytes
    pieces: list[bytes]
    told: mmap.mmap

    def handle(self) -> None:
        """Read a request to its end, and send what is prepared."""
        while line := self.rfile.readline():
            slow, length = b" /slow/" in line, 0
            while (line := self.rfile.readline()) not in (b"\r\n", b""):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            body = self.rfile.read(length)
            if b'"stream":true' not in body.replace(b" ", b""):
                self.wfile.write(self.whole)
            elif slow:
                self._send_slowly()
            else:
                self.wfile.write(b"".join(self.pieces))

    def _send_slowly(self) -> None:
        count = self.told[0]
        first, *pieces = self.pieces
        self.wfile.write(first)
        for piece in pieces:
            asked = time.monotonic()
            while self.told[0] == count:
                time.sleep(_GLANCE)
                if time.monotonic() - asked > _PATIENCE:
                    raise TimeoutError("nobody has read the last piece")
            count = self.told[0]
            self.wfile.write(piece)


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 256


def main() -> None:
    """Read what is prepared from the standard input, and print the port."""
    prepared = json.load(sys.stdin)
    whole = prepared["whole"].encode()
    head = _HEAD % (b"application/json", b"content-length: %d" % len(whole))
    _Handler.whole = head + whole
    chunks = [b"%x\r\n%s\r\n" % (len(one), one) for one in map(str.encode, prepared["pieces"])]
    head = _HEAD % (b"text/event-stream; charset=utf-8", b"transfer-encoding: chunked")
    _Handler.pieces = [head + chunks[0], *chunks[1:-1], chunks[-1] + b"0\r\n\r\n"]
    with (
        Path(sys.argv[1]).open("r+b") as shared,
        mmap.mmap(shared.fileno(), mmap.PAGESIZE) as told,
        _Server(("127.0.0.1", 0), _Handler) as server,
    ):
        _Handler.told = told
        print(server.server_address[1], flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
