"""The live page: a server for one browser on this machine.

It listens on loopback only, and requests need the token in its address. A page of another site can
neither read from it nor write to it: the server answers only under its own names (against DNS
rebinding), and only requests of its own page (against CSRF). It writes no file.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress
from importlib import resources
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import DragomanError
from .open_file import MOST
from .queries import Page

HOST = "127.0.0.1"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
    " require-trusted-types-for 'script'; trusted-types 'none'"
)
_FIGURES = ("tokens", "losses", "cuts")  # answers that the page asks for in the background
HEADERS = {
    "content-security-policy": _POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}
STATIC = resources.files(__package__) / "static"


class PageGuard:
    """Admits requests of this machine's own page, and sets the headers of every answer."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse with 403."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                taken = {name for name, _ in own}
                kept = [pair for pair in message["headers"] if pair[0].lower() not in taken]
                message = {**message, "headers": [*kept, *own]}
            await send(message)

        fault = self._fault(Request(scope))
        app = self._app if not fault else PlainTextResponse(fault, 403)
        await app(scope, receive, send_guarded)

    def _fault(self, request: Request) -> str:
        """The reason why the request is refused; empty if it is answered."""
        headers = request.headers
        if headers.get("host") not in self._hosts:
            return "this server is asked under its own name only"
        origin = headers.get("origin")
        if origin is not None and origin.removeprefix("http://") not in self._hosts:
            return "another page must not ask this server"
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return "another site must not ask this server"
        return ""


def application(page: Page, token: str, port: int) -> ASGIApp:
    """The server as an ASGI application, for the address `http://127.0.0.1:PORT/TOKEN/`."""
    # one answer at a time, but those for figures do not block the ones that a person waits for
    asked, figures = asyncio.Lock(), asyncio.Lock()

    async def compute_response(
        work: Callable[..., Any], *given: Any, lock: asyncio.Lock = asked
    ) -> Response:
        async with lock:
            try:
                value = await asyncio.to_thread(work, *given)
            except DragomanError as error:
                shown = {"error": error.message, "hint": error.hint, "code": error.code}
                return JSONResponse(shown, 404 if error.code == "page.key" else 422)
        text = await asyncio.to_thread(json.dumps, value)
        return Response(text, media_type="application/json")

    async def answer(request: Request) -> Response:
        key = request.path_params["key"]
        lock = figures if key.partition("/")[0] in _FIGURES else asked
        return await compute_response(page.answer, key, lock=lock)

    async def open_file(request: Request) -> Response:
        if request.headers.get("content-type") != "application/octet-stream":
            return PlainTextResponse("a file is sent as its bytes", 415)
        data = bytearray()
        async for chunk in request.stream():
            data += chunk
            if len(data) > MOST:
                return JSONResponse({"error": f"the file has more than {MOST} bytes"}, 413)
        return await compute_response(
            page.open, bytes(data), request.query_params.get("name", "pasted")
        )

    async def index(_: Request) -> Response:
        return HTMLResponse((STATIC / "page.html").read_bytes())

    routes = [
        Route("/", index),
        Route("/open", open_file, methods=["POST"]),
        Route("/api/{key:path}", answer),
        Mount("/static", StaticFiles(packages=[(str(__package__), "static")])),
    ]
    app = Starlette(routes=[Mount(f"/{token}", routes=routes)])
    return PageGuard(app, frozenset({f"{HOST}:{port}", f"localhost:{port}"}))


class Server:
    """A server that listens: `url` is its address, `run` answers until it is interrupted.

    Raises OSError for a port that is in use.
    """

    def __init__(self, page: Page, port: int = 0) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((HOST, port))
            self._socket.listen()  # the port is ours from here on, and early clients wait
        except OSError:
            self._socket.close()
            raise
        self.port: int = self._socket.getsockname()[1]
        token = secrets.token_urlsafe(24)
        self.url = f"http://{HOST}:{self.port}/{token}/"
        self._app = application(page, token, self.port)
        self._running: Any = None

    def run(self, ready: Callable[[], None] = lambda: None) -> None:
        """Answer until Ctrl-C; `ready` is called when the server has started."""

        class Announced(uvicorn.Server):
            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                ready()

        config = uvicorn.Config(
            self._app,
            log_level="warning",
            access_log=False,
            lifespan="off",
            server_header=False,
            ws="none",
        )
        self._running = Announced(config)
        with suppress(KeyboardInterrupt):  # the usual way to stop it
            self._running.run(sockets=[self._socket])

    def stop(self) -> None:
        """Let `run` return, from another thread."""
        if self._running is not None:
            self._running.should_exit = True
        else:
            self._socket.close()
