"""A tap between agent and gateway: what was asked, what status came back, and all bytes of both.

It changes nothing: bytes pass as they come, and an answer that breaks off breaks off here, too.
"""

from __future__ import annotations

import http.client
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import urlsplit

__all__ = ["Passed", "Tap"]

_HOP = {"connection", "transfer-encoding", "content-length", "keep-alive"}


@dataclass(slots=True)
class Passed:
    """One exchange: `status` is 0 until the answer begins; `whole`: it came to its end."""

    method: str
    path: str
    request: bytes
    status: int = 0
    answer: bytes = b""
    whole: bool = False


class Tap:
    """A proxy on loopback to the address `target`, for a `with` block; `passed` is all of it."""

    def __init__(self, target: str) -> None:
        self.host = urlsplit(target).netloc
        self.passed: list[Passed] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        handler = type("Handler", (_Handler,), {"tap": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone is no fault of the tap's."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each body waits 40 ms
    tap: Tap

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        passed = Passed(self.command, self.path, body)
        self.tap.passed.append(passed)
        headers = {k: v for k, v in self.headers.items() if k.lower() not in _HOP}
        connection = http.client.HTTPConnection(self.tap.host, timeout=300)
        try:
            connection.request(self.command, self.path, body or None, headers)
            self._pass_back(connection.getresponse(), passed)
        except (OSError, http.client.HTTPException):
            self.close_connection = True
        finally:
            connection.close()

    do_GET = do_HEAD = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_POST

    def _pass_back(self, answer: http.client.HTTPResponse, passed: Passed) -> None:
        passed.status = answer.status
        self.send_response_only(answer.status)
        for name, text in answer.getheaders():
            if name.lower() not in _HOP:
                self.send_header(name, text)
        if self.command == "HEAD" or answer.length is not None:
            data = answer.read()
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            passed.answer, passed.whole = data, True
            self.wfile.write(data)
        else:
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            while data := answer.read1(65_536):
                passed.answer += data
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                self.wfile.flush()
            passed.whole = True  # said before the client can know it
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed."""
