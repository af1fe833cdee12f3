"""StrictServer: a server on loopback that checks requests as a provider would.

It serves one wire. A body with faults, by `analysis.check` or a judge of the test, is answered with
status 400 in the wire's own form; any other with the next answer of the script, whole or as a
stream, or with what was recorded.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, TypeAlias
from urllib.parse import urlsplit

from ..analysis.check import check
from ..codec.wire import Wire
from ..errors import DragomanError, ProviderError, StreamBroken
from ..message import ChatRequest
from ..text.json_text import arguments
from ..transport.call import HttpCall
from ..transport.timeouts import Timeouts
from ..vendors import Vendor
from .answers import Answer, asked_request, asked_wire, build_error, error_body
from .counts import counted_call, counted_path, write_count
from .official import load_types, official_faults
from .replay import Replay
from .scripted import Scripted, SentReply

# (body, path) -> what is wrong with it, in sentences
Judge: TypeAlias = Callable[[Any, str], Iterable[str]]

_KEYS = ("authorization", "x-api-key", "x-goog-api-key", "api-key")
_MOST = 512 * 2**20  # bytes of a request
_MEANT = (ConnectionError, TimeoutError)


class StrictServer:
    """A server of one wire, for a `with` block: `url` is the base URL for a client.

    Bodies are checked by `analysis.check`, by the types of the official SDK for hosts of OpenAI and
    Anthropic if that is installed, and by `judges`.

    Args:
        wire: A protocol or a vendor.
        *answers: Those of `Scripted`, of which the last is used for all further calls; or a
            `Replay`.
        judges: Functions that get the body as bytes and the path, and return faults.
        strict: False uses only the judges.
        key: Calls without this key get status 401; None accepts all.
        tokens: The answer to requests that count tokens, if the protocol has them (Anthropic's,
            Gemini's, OpenAI's Responses); None has no such path.

    Attributes:
        requests: The accepted calls as this wire reads them.
        judged: The faults that were found, a list for each call.
        calls: All calls.
    """

    def __init__(
        self,
        wire: str | Vendor | Wire,
        *answers: Answer | Replay,
        judges: Sequence[Judge] = (),
        key: str | None = None,
        strict: bool = True,
        tokens: int | None = None,
    ) -> None:
        given = asked_wire(HttpCall("POST", "", {}, b""), wire)
        self.wire = given
        self.requests: list[ChatRequest] = []
        self.judged: list[list[str]] = []
        self.calls: list[HttpCall] = []
        self.key = key
        self.tokens = tokens
        self._judges = judges
        self._strict = strict
        first = answers[0] if answers else None
        self._source: Scripted | Replay = (
            first
            if isinstance(first, (Scripted, Replay))
            else Scripted(*(answers or ("Hello.",)), wire=given, repeat=True)  # type: ignore[arg-type]
        )
        self._server: ThreadingHTTPServer | None = None
        # other hosts of a protocol add fields and roles
        self._has_types = given.vendor is None or given.vendor.own_models_only

    @property
    def url(self) -> str:
        """The base URL, with the path of this vendor's: `http://127.0.0.1:1234/v1`."""
        return self.root + urlsplit(getattr(self.wire.vendor, "base_url", "") or "").path

    @property
    def root(self) -> str:
        """The address without a path.

        Raises:
            RuntimeError: The server is not running.
        """
        if self._server is None:
            raise RuntimeError("the server runs in its `with` block only")
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        if self._strict and self._has_types:
            load_types(self.wire.room.protocol)
        handler = type("Handler", (_Handler,), {"strict": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def answer(self, call: HttpCall) -> SentReply | ProviderError:
        """Return what a call gets: an answer, or the error that refuses it.

        Args:
            call: The call.

        Returns:
            The answer or the error.
        """
        self.calls.append(call)
        path = urlsplit(call.url).path
        faults: list[str] = []
        self.judged.append(faults)
        counts = self.tokens is not None and counted_path(self.wire.room.protocol, path)
        if not (counts or _has_path(self.wire, path)):
            faults.append(f"{path} is no path of {self.wire.name}")
            return build_error(404, faults[0], "not_found_error")
        if call.method != "POST":
            faults.append(f"{call.method} is not allowed, only POST")
            return build_error(405, faults[0], "invalid_request_error")
        if self.key is not None and not self._knows(call):
            faults.append("the key is missing or wrong")
            return build_error(401, faults[0], "authentication_error")
        try:
            if counts:
                call, path = counted_call(self.wire.room.protocol, call, counts), counts
            faults += self._faults(call, path)
        except DragomanError as error:
            faults.append(str(error))
        if faults:
            return build_error(400, "; ".join(faults), "invalid_request_error")
        self.requests.append(asked_request(call, self.wire))
        if counts:
            return SentReply(write_count(self.wire.room.protocol, self.tokens or 0))
        return self._source.stream(call, Timeouts())

    def _faults(self, call: HttpCall, path: str) -> list[str]:
        found: list[str] = []
        if self._strict:
            refusals = check(call.body, self.wire, path=path)
            found += [f"{one.where}: {one.rule}" for one in refusals]
            if not found and self._has_types:
                found += official_faults(self.wire.room.protocol, call.body, call.headers)
        for judge in self._judges:
            found += judge(call.body, path)
        return found

    def _knows(self, call: HttpCall) -> bool:
        given = {name.lower(): text for name, text in call.headers.items()}
        texts = [given.get(name, "") for name in _KEYS]
        return any(text.removeprefix("Bearer ") == self.key for text in texts)


def _has_path(wire: Wire, path: str) -> bool:
    return any(fnmatchcase(path.lower(), pattern) for pattern in wire.room.addresses)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1_024  # waiting connections; the default is 5

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that have gone."""


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each body waits 40 ms for the client to confirm its head
    strict: StrictServer

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        body = self.rfile.read(min(length, _MOST))
        url = f"http://{self.headers.get('host', '127.0.0.1')}{self.path}"
        call = HttpCall(self.command, url, dict(self.headers.items()), body)
        try:
            answer = self.strict.answer(call)
        except ProviderError:  # the script has no answer on purpose
            self.close_connection = True
            return
        except DragomanError as error:  # no answer is left, or no such exchange
            answer = build_error(500, str(error), "api_error")
        with suppress(*_MEANT):
            if isinstance(answer, ProviderError):
                self._refuse(answer)
            else:
                self._send(answer)

    do_GET = do_PUT = do_DELETE = do_PATCH = do_POST

    def _refuse(self, error: ProviderError) -> None:
        data = _json(error_body(error, self.strict.wire))
        self._head(error.status or 400, {"content-type": "application/json"}, len(data))
        self.wfile.write(data)

    def _send(self, answer: SentReply) -> None:
        streamed = answer.headers.get("content-type") != "application/json"
        self._head(answer.status, answer.headers, None if streamed else answer.length)
        try:
            for chunk in answer:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk) if streamed else chunk)
                self.wfile.flush()
        except StreamBroken:
            self._break()
            return
        if streamed:
            self.wfile.write(b"0\r\n\r\n")

    def _head(self, status: int, headers: Any, length: int | None) -> None:
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name, text)
        if length is None:
            self.send_header("transfer-encoding", "chunked")
        else:
            self.send_header("content-length", str(length))
        self.end_headers()

    def _break(self) -> None:
        """End the connection without the end of the body."""
        self.wfile.flush()
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


def _json(body: Any) -> bytes:
    return arguments(body).encode()
