"""A server on loopback for batch interfaces: calls come in as values, replies go out as values.

A host keeps its files and batches in memory, as its provider's documentation says. `cut` names
calls after which the connection breaks although they were done. Knows no protocol.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

KEY = "sk-batch"


@dataclass
class Call:
    """A call that came in."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def form(self) -> dict[str, tuple[str, bytes]]:
        """The parts of a form: name -> (name of the file, bytes)."""
        head = f"content-type: {self.headers['content-type']}\r\n\r\n".encode()
        message: Any = BytesParser().parsebytes(head + self.body)
        parts = {}
        for part in message.get_payload():
            name = str(part.get_param("name", header="content-disposition"))
            parts[name] = (part.get_filename() or "", part.get_payload(decode=True))
        return parts


@dataclass
class Out:
    """A reply."""

    status: int = 200
    body: Any = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)

    def data(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


# the body of a request -> the body of its answer, or (status, body) of a refusal
Answering = Callable[[dict[str, Any]], Any]


class Loopback:
    """A host for a `with` block; `handle` is the provider's."""

    base = "/v1"

    def __init__(self, answer: Answering) -> None:
        self.answer = answer
        self.calls: list[Call] = []
        self.cut: Callable[[Call], bool] = lambda call: False  # done, and no reply
        self.refuse: Callable[[Call], Out | None] = lambda call: None  # not done
        self.halve: Callable[[Call], bool] = lambda call: False  # half of the reply comes
        self.backwards = True  # results are in another order than the requests
        self._lock = threading.Lock()
        self._ids = 0
        self._clients: list[Any] = []

    def keep(self, client: Any) -> Any:
        """A client that is closed with the host."""
        self._clients.append(client)
        return client

    def handle(self, call: Call) -> Out:
        raise NotImplementedError

    def new_id(self, kind: str) -> str:
        self._ids += 1
        return f"{kind}{self._ids}"

    def take(self, call: Call) -> Out | None:
        """The reply to a call; None if the connection breaks instead."""
        with self._lock:
            self.calls.append(call)
            if (out := self.refuse(call)) is None:
                out = self.handle(call)
            return None if self.cut(call) else out

    def answered(self, body: dict[str, Any]) -> tuple[int, Any]:
        found = self.answer(body)
        return found if isinstance(found, tuple) else (200, found)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}{self.base}"

    def __enter__(self) -> Self:
        host = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # else each body waits 40 ms

            def reply(self) -> None:
                size = int(self.headers.get("content-length") or 0)
                body = self.rfile.read(size)
                parts = urlsplit(self.path)
                query = {name: values[0] for name, values in parse_qs(parts.query).items()}
                headers = {name.lower(): text for name, text in self.headers.items()}
                path = parts.path.removeprefix(host.base)
                call = Call(self.command, path, query, headers, body)
                out = host.take(call)
                if out is None:
                    self.close_connection = True
                    return
                data = out.data()
                self.send_response(out.status)
                for name, text in {"content-type": "application/json", **out.headers}.items():
                    self.send_header(name, text)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                if host.halve(call):
                    data, self.close_connection = data[: len(data) // 2], True
                with suppress(ConnectionError):
                    self.wfile.write(data)

            do_GET = do_POST = do_DELETE = reply

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for client in self._clients:
            client.close()
        self._server.shutdown()
        self._server.server_close()
