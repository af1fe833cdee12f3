"""A web server on loopback whose pages are functions of the test's."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 8


class Web:
    """A web server whose every path is a function of the test's."""

    def __init__(self, address: str = "127.0.0.1") -> None:
        self.asked: list[tuple[str, str]] = []  # (Host, path)
        self.pages: dict[str, Callable[[Any], None]] = {}
        web = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                web.asked.append((self.headers["Host"], self.path))
                self.close_connection = True
                with suppress(OSError):  # who asked may have gone
                    web.pages.get(self.path.partition("?")[0], png)(self)

            def log_message(self, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer((address, 0), Handler)
        self.port = self.server.server_address[1]
        self.host = f"media.test:{self.port}"
        self.url = f"http://{self.host}"

    def __enter__(self) -> Self:
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.server.shutdown()
        self.server.server_close()


def answer(data: bytes, status: int = 200, **headers: str) -> Callable[[Any], None]:
    def page(handler: Any) -> None:
        handler.send_response(status)
        for name, value in {"Content_Length": str(len(data)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    return page


def moved(where: str) -> Callable[[Any], None]:
    return answer(b"", 302, Location=where)


png = answer(PNG, Content_Type="image/png")
