"""A server in a process of its own that answers every request from prepared bytes.

It parses next to nothing of a request, so that what a client costs is the client's alone. Of
several answers it gives the one whose place is the number of the assistant's messages in the
request, and below `/9/v1` the last one from the ninth place on. Where the request says `traveller
000123`, the answer says 000123 in place of 000000: whoever gets another one's answer finds out.

Below `/v1` it sends a stream as fast as the connection takes it. Below `/slow/v1` it sends the next
piece when the client has told that it has read the one before (`Server.next_piece`), so that nobody
finds two of them at once: as with a provider whose model is slower than all clients. It is told by
a byte in shared memory at which it looks again and again, which costs the client no system call.
"""

from __future__ import annotations

import json
import mmap
import re
import socketserver
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

_GLANCE = 0.00002  # seconds between two looks
_PATIENCE = 1.0  # seconds, for a client that lost count
NOBODY = b"000000"
_TRAVELLER = re.compile(rb"traveller (\d{6})")
_STEPS = re.compile(rb" /(\d+)/")
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\n%s\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Server:
    """A server that runs."""

    address: str
    told: mmap.mmap

    def next_piece(self) -> None:
        """Ask for the next piece of a slow stream."""
        self.told[0] = (self.told[0] + 1) % 256


class Prepared(NamedTuple):
    """One answer: the body that calls get, and the pieces of a body that streams get."""

    whole: bytes
    pieces: Sequence[bytes]


@contextmanager
def serving(*answers: Prepared) -> Iterator[Server]:
    """A server that gives these answers, each in its place."""
    prepared = json.dumps(
        [[one.whole.decode(), [piece.decode() for piece in one.pieces]] for one in answers]
    )
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
    answers: list[Prepared]
    told: mmap.mmap

    def handle(self) -> None:
        """Read a request to its end, and send what is prepared."""
        while line := self.rfile.readline():
            slow, steps, length = b" /slow/" in line, _STEPS.search(line), 0
            while (line := self.rfile.readline()) not in (b"\r\n", b""):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            body = self.rfile.read(length)
            said = body.replace(b": ", b":")
            answer = self.answers[-1]
            if (place := said.count(b'"role":"assistant"')) < (int(steps[1]) if steps else 0):
                answer = self.answers[place]
            who = traveller[1] if (traveller := _TRAVELLER.search(body)) else NOBODY
            if b'"stream":true' not in said:
                self.wfile.write(answer.whole.replace(NOBODY, who))
            elif slow:
                self._send_slowly(answer.pieces)
            else:
                self.wfile.write(b"".join(answer.pieces).replace(NOBODY, who))

    def _send_slowly(self, given: Sequence[bytes]) -> None:
        count = self.told[0]
        first, *pieces = given
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
    request_queue_size = 2_048


def _with_heads(whole: bytes, pieces: list[bytes]) -> Prepared:
    head = _HEAD % (b"application/json", b"content-length: %d" % len(whole))
    chunks = [b"%x\r\n%s\r\n" % (len(one), one) for one in pieces]
    begun = _HEAD % (b"text/event-stream; charset=utf-8", b"transfer-encoding: chunked")
    return Prepared(head + whole, [begun + chunks[0], *chunks[1:-1], chunks[-1] + b"0\r\n\r\n"])


def main() -> None:
    """Read what is prepared from the standard input, and print the port."""
    _Handler.answers = [
        _with_heads(whole.encode(), [piece.encode() for piece in pieces])
        for whole, pieces in json.load(sys.stdin)
    ]
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
