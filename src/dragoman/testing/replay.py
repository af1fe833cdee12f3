"""Replay: a transport that answers with recorded traffic; Recording: a transport that records.

A recording is a file of JSON lines, an Exchange each. It holds no credentials: only those headers
are recorded that are needed to read a body, keys are removed from addresses, and the text of a
credential is removed from bodies.
"""

from __future__ import annotations

import base64
import difflib
import json
import os
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, Self
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from .._old_names import keeps_old_names
from ..errors import ConfigError, ReadError
from ..text.json_text import Json, loads
from ..transport.call import (
    AsyncStreamReply,
    AsyncTransport,
    HttpCall,
    Reply,
    StreamReply,
    Timeouts,
    Transport,
)
from .answers import Rendered
from .scripted import AsyncSentReply, SentReply

_KEPT = frozenset(
    {
        "content-type",
        "anthropic-version",
        "anthropic-beta",
        "x-dashscope-sse",
        "accept",
        "api-revision",
        "retry-after",
        "retry-after-ms",
        "x-should-retry",
        "request-id",
        "x-request-id",
        "x-amzn-requestid",
        "x-amzn-errortype",
    }
)
_SECRET_QUERY = ("key", "api-key", "token", "signature", "credential")
_SECRET_HEADER = re.compile("authorization|cookie|key|token|secret|signature|credential")
_REMOVED = "<removed>"
_BASE64 = "base64:"
_ENOUGH = 8  # characters; a shorter text is not a key, and may occur anywhere


@keeps_old_names
@dataclass(slots=True)
class Exchange:
    """One call and its answer.

    Attributes:
        method: The HTTP method.
        url: The address, without keys.
        request: The body, as JSON if it is JSON.
        status: The HTTP status.
        headers: The headers of the answer that are needed to read it.
        response: The whole body of the answer.
        chunks: The pieces of a stream, as text, or as base64 after `base64:` if they are not text.
    """

    method: str
    url: str
    request: Json
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    response: Json = None
    chunks: list[str] | None = None

    def render(self) -> Rendered:
        """Return the answer as bytes."""
        if self.chunks is not None:
            return Rendered(self.status, dict(self.headers), [_bytes(one) for one in self.chunks])
        body = self.response
        whole = _bytes(body) if isinstance(body, str) else json.dumps(body).encode()
        return Rendered(self.status, dict(self.headers), [whole])

    def asks(self, call: HttpCall) -> bool:
        """Return whether the call is this one: method, path and query, and the same JSON."""
        return (
            self.method == call.method
            and _path(self.url) == _path(_open_url(call.url))
            and self.request == _json(call.body)
        )


@keeps_old_names
class Replay:
    """A transport, sync and async, that returns recorded answers and refuses every other call.

    A call is identified by its method, path, query and the JSON of its body; each exchange answers
    once.

    Args:
        recorded: A file, or exchanges.
        in_order: Whether calls must come in the order of the recording.

    Raises:
        ConfigError: Raised by a call that was not recorded, with the difference to the nearest.
    """

    def __init__(
        self,
        recorded: str | os.PathLike[str] | Iterable[Exchange],
        *,
        in_order: bool = False,
    ) -> None:
        if isinstance(recorded, (str, os.PathLike)):
            recorded = _read(Path(recorded))
        self._left = list(recorded)
        self._in_order = in_order
        self._lock = Lock()
        self.calls: list[HttpCall] = []

    @property
    def remaining(self) -> int:
        """How many exchanges were not asked for yet."""
        return len(self._left)

    def send(self, call: HttpCall, timeouts: Timeouts = Timeouts()) -> Reply:
        """Return the recorded answer, whole.

        Args:
            call: The call.
            timeouts: Not used.

        Returns:
            The answer.
        """
        made = self.answer(call)
        return Reply(made.status, made.headers, b"".join(made.chunks))

    def stream(self, call: HttpCall, timeouts: Timeouts = Timeouts()) -> SentReply:
        """Return the recorded answer, in its original pieces.

        Args:
            call: The call.
            timeouts: Not used.

        Returns:
            The answer.
        """
        return SentReply(self.answer(call))

    def close(self) -> None:
        """Do nothing: no connection is open."""

    async def asend(self, call: HttpCall, timeouts: Timeouts = Timeouts()) -> Reply:
        """Return the recorded answer, whole.

        Args:
            call: The call.
            timeouts: Not used.

        Returns:
            The answer.
        """
        return self.send(call)

    async def astream(self, call: HttpCall, timeouts: Timeouts = Timeouts()) -> AsyncSentReply:
        """Return the recorded answer, in its original pieces.

        Args:
            call: The call.
            timeouts: Not used.

        Returns:
            The answer.
        """
        return AsyncSentReply(self.answer(call))

    async def aclose(self) -> None:
        """Do nothing: no connection is open."""

    def answer(self, call: HttpCall) -> Rendered:
        """Return the answer that was recorded for this call.

        Args:
            call: The call.

        Returns:
            The answer.

        Raises:
            ConfigError: The call was not recorded, or not at this place.
        """
        with self._lock:
            self.calls.append(call)
            may = self._left[:1] if self._in_order else self._left
            found = next((one for one in may if one.asks(call)), None)
            if found is None:
                raise self._build_unknown_error(call, may)
            self._left.remove(found)
        return found.render()

    def _build_unknown_error(self, call: HttpCall, may: list[Exchange]) -> ConfigError:
        text = f"{call.method} {_path(_open_url(call.url))} was not recorded"
        if not may:
            hint = "all exchanges are used up; record it"
        else:
            asked = _format_call(call.method, _open_url(call.url), _json(call.body))
            known = [_format_call(one.method, one.url, one.request) for one in may]
            near = max(known, key=lambda one: difflib.SequenceMatcher(None, asked, one).ratio())
            lines = difflib.unified_diff(near, asked, "recorded", "asked", lineterm="", n=1)
            hint = "the nearest differs:\n" + "\n".join(list(lines)[:60])
        return ConfigError(text, hint=hint, code="testing.unrecorded")


class Recording:
    """A transport that sends over another one, and writes the traffic to a file, without keys.

    A stream is written when it has been read to its end.

    Args:
        transport: The other transport, sync, async, or both.
        path: The file; exchanges are appended.
    """

    def __init__(self, transport: Transport | AsyncTransport, path: str | os.PathLike[str]) -> None:
        self._inner: Any = transport
        self._path = Path(path)
        self._lock = Lock()

    def send(self, call: HttpCall, timeouts: Timeouts) -> Reply:
        """Send a call, and record it.

        Args:
            call: The call.
            timeouts: For the other transport.

        Returns:
            The answer.
        """
        reply: Reply = self._inner.send(call, timeouts)
        self._write(call, reply.status, reply.headers, body=reply.body)
        return reply

    def stream(self, call: HttpCall, timeouts: Timeouts) -> StreamReply:
        """Send a call, and record it at the end of the stream.

        Args:
            call: The call.
            timeouts: For the other transport.

        Returns:
            The stream.
        """
        return _Recorded(self, call, self._inner.stream(call, timeouts))

    def close(self) -> None:
        """Close the other transport."""
        self._inner.close()

    async def asend(self, call: HttpCall, timeouts: Timeouts) -> Reply:
        """Send a call, and record it.

        Args:
            call: The call.
            timeouts: For the other transport.

        Returns:
            The answer.
        """
        reply: Reply = await self._inner.asend(call, timeouts)
        self._write(call, reply.status, reply.headers, body=reply.body)
        return reply

    async def astream(self, call: HttpCall, timeouts: Timeouts) -> AsyncStreamReply:
        """Send a call, and record it at the end of the stream.

        Args:
            call: The call.
            timeouts: For the other transport.

        Returns:
            The stream.
        """
        return _AsyncRecorded(self, call, await self._inner.astream(call, timeouts))

    async def aclose(self) -> None:
        """Close the other transport."""
        await self._inner.aclose()

    def _write(
        self,
        call: HttpCall,
        status: int,
        headers: Mapping[str, str],
        body: bytes = b"",
        chunks: list[bytes] | None = None,
    ) -> None:
        exchange = Exchange(
            call.method,
            _open_url(call.url),
            _json(call.body),
            status,
            _open_headers(headers),
            None if chunks is not None else _json(body),
            None if chunks is None else [_text(chunk) for chunk in chunks],
        )
        line = json.dumps(asdict(exchange), ensure_ascii=False)
        for secret in _secrets(call):
            line = line.replace(json.dumps(secret)[1:-1], _REMOVED)
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")


class _Recorded:
    """A stream that is recorded when it ends."""

    def __init__(self, recording: Recording, call: HttpCall, inner: Any) -> None:
        self._recording = recording
        self._call = call
        self._inner = inner
        self.status: int = inner.status
        self.headers: Mapping[str, str] = inner.headers

    def __iter__(self) -> Iterator[bytes]:
        chunks = []
        for chunk in self._inner:
            chunks.append(chunk)
            yield chunk
        self._record_end(chunks)

    def _record_end(self, chunks: list[bytes]) -> None:
        self._recording._write(self._call, self.status, self.headers, chunks=chunks)

    def read(self) -> bytes:
        return b"".join(self)

    def close(self) -> None:
        self._inner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _AsyncRecorded:
    """An async stream that is recorded when it ends."""

    def __init__(self, recording: Recording, call: HttpCall, inner: Any) -> None:
        self._recording = recording
        self._call = call
        self._inner = inner
        self.status: int = inner.status
        self.headers: Mapping[str, str] = inner.headers

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = []
        async for chunk in self._inner:
            chunks.append(chunk)
            yield chunk
        self._recording._write(self._call, self.status, self.headers, chunks=chunks)

    async def read(self) -> bytes:
        return b"".join([chunk async for chunk in self])

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


# -- bodies, addresses and what is secret in them --------------------------------------------------


def _read(path: Path) -> list[Exchange]:
    exchanges = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line.strip():
            try:
                exchanges.append(Exchange(**json.loads(line)))
            except (ValueError, TypeError) as error:
                text = f"line {number} of {path.name} is no exchange: {error}"
                hint = "record it with Recording"
                raise ConfigError(text, hint=hint, code="testing.recording") from error
    return exchanges


def _json(body: bytes) -> Json:
    """Return the JSON of a body, or its text."""
    try:
        return loads(body)
    except ReadError:
        return _text(body)


def _text(data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = _BASE64
    return text if not text.startswith(_BASE64) else _BASE64 + base64.b64encode(data).decode()


def _bytes(text: str) -> bytes:
    if text.startswith(_BASE64):
        return base64.b64decode(text.removeprefix(_BASE64))
    return text.encode()


def _path(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def _open_url(url: str) -> str:
    """Return the address without user, password and keys."""
    parts = urlsplit(url)
    query = [
        (name, text)
        for name, text in parse_qsl(parts.query, keep_blank_values=True)
        if not _is_secret(name)
    ]
    netloc = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, netloc, parts.path, urlencode(query), ""))


def _is_secret(name: str) -> bool:
    lower = name.lower().removeprefix("x-amz-").removeprefix("x-goog-")
    return lower in _SECRET_QUERY or lower.endswith(("token", "key"))


def _open_headers(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): text for name, text in headers.items() if name.lower() in _KEPT}


def _secrets(call: HttpCall) -> set[str]:
    """Return the texts of the call that may be credentials."""
    parts = urlsplit(call.url)
    found = [text for name, text in parse_qsl(parts.query) if _is_secret(name)]
    found += [parts.username or "", parts.password or ""]
    for name, text in call.headers.items():
        if _SECRET_HEADER.search(name.lower()):
            found += [text, *text.split()]
    return {text for text in found if len(text) >= _ENOUGH}


def _format_call(method: str, url: str, body: Json) -> list[str]:
    text = json.dumps(body, indent=1, ensure_ascii=False, sort_keys=True)
    return [f"{method} {_path(url)}", *text.splitlines()]
