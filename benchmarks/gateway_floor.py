"""The least that a gateway in Python can cost: raw ASGI in front, aiohttp behind.

    python -m benchmarks.gateway_floor PORT UPSTREAM

`/v1/chat/completions` and `/v1/messages` are forwarded byte by byte. Below `/parsed` each event of
a stream and each whole body is read as JSON and written again, with nothing done in between: what
no translation can go below. It keeps no limits, no keys, no log, and handles no failure.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import orjson
import uvicorn

_PASSED = (b"authorization", b"x-api-key", b"anthropic-version", b"content-type")


class Floor:
    """The application."""

    def __init__(self, upstream: str) -> None:
        self._upstream = upstream
        self._session: aiohttp.ClientSession | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one request, or the lifespan."""
        if scope["type"] == "lifespan":
            await receive()
            self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await self._session.close()
            await send({"type": "lifespan.shutdown.complete"})
            return
        path = scope["path"]
        if path == "/health":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"ok"})
            return
        parsed, path = path.startswith("/parsed"), path.removeprefix("/parsed")
        body = await _whole(receive)
        if parsed:
            body = orjson.dumps(orjson.loads(body))
        headers = {k.decode(): v.decode() for k, v in scope["headers"] if k in _PASSED}
        assert self._session is not None
        async with self._session.post(
            self._upstream + path, data=body, headers=headers
        ) as response:
            kind = response.headers["content-type"].encode()
            await send({
                "type": "http.response.start", "status": response.status,
                "headers": [(b"content-type", kind)],
            })  # fmt: skip
            pieces = response.content.iter_any()
            if not parsed:
                async for piece in pieces:
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
            elif kind.startswith(b"text/event-stream"):
                async for piece in _rewritten(pieces):
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
            else:
                whole = orjson.dumps(orjson.loads(await response.read()))
                await send({"type": "http.response.body", "body": whole, "more_body": True})
            await send({"type": "http.response.body", "body": b""})


async def _whole(receive: Any) -> bytes:
    parts = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


async def _rewritten(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    rest = b""
    async for piece in pieces:
        *events, rest = (rest + piece).split(b"\n\n")
        written = [_event(event) for event in events]
        if written:
            yield b"".join(written)


def _event(event: bytes) -> bytes:
    name, _, data = event.rpartition(b"data: ")
    if data == b"[DONE]":
        return event + b"\n\n"
    return b"%sdata: %s\n\n" % (name, orjson.dumps(orjson.loads(data)))


if __name__ == "__main__":
    uvicorn.run(Floor(sys.argv[2]), host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
