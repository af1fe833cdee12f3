"""Providers of Chat Completions that count what their prompt caches hold, and can be ended."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

from aiohttp import web

LETTERS = 4  # of a token


class CachingProvider:
    """A server in a thread of its own.

    A request costs tokens for its tools and messages; those of the longest beginning that came
    before are cached.

    Attributes:
        requests: How many requests came while it was alive.
        begun: How many streams have begun.
        tokens: The tokens of all requests that were answered.
        cached: How many of them were in the cache.
        fault: The status and headers of every answer from now on; None: it answers.
        pause: Seconds between the events of a stream.
    """

    def __init__(self) -> None:
        self.is_dead = False
        self.requests = self.begun = self.tokens = self.cached = 0
        self.fault: tuple[int, dict[str, str]] | None = None
        self.pause = 0.0
        self._known: set[int] = set()
        self._open: set[asyncio.WriteTransport] = set()
        self._loop = asyncio.new_event_loop()
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(started,), daemon=True)
        self._thread.start()
        started.wait()

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    def forget(self) -> None:
        """Begin to count anew, with an empty cache."""
        self.requests = self.tokens = self.cached = 0
        self._known.clear()

    def die(self) -> None:
        """Break every connection, and each that is made until `is_dead` is false again."""
        self.is_dead = True
        self._loop.call_soon_threadsafe(self._break_all)

    def _break_all(self) -> None:
        for transport in self._open:
            transport.abort()
        self._open.clear()

    def close(self) -> None:
        """End the server."""

        async def stop() -> None:
            self._break_all()
            await self._runner.cleanup()
            self._loop.stop()

        asyncio.run_coroutine_threadsafe(stop(), self._loop)
        self._thread.join()
        self._loop.close()

    def _run(self, started: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._start())
        started.set()
        self._loop.run_forever()

    async def _start(self) -> None:
        app = web.Application(client_max_size=2**26)
        app.router.add_post("/v1/chat/completions", self._answer)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port: int = self._runner.addresses[0][1]

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        assert isinstance(request.transport, asyncio.WriteTransport)
        if self.is_dead:
            request.transport.abort()
            raise ConnectionResetError
        self.requests += 1
        self._open.add(request.transport)
        body = await request.json()
        if self.fault is not None:
            status, headers = self.fault
            error = {"message": "not now", "type": "error", "code": None}
            return web.json_response({"error": error}, status=status, headers=headers)
        usage = self._count(body)
        base = {"id": "chatcmpl-1", "created": 1, "model": body["model"]}
        if not body.get("stream"):
            message = {"role": "assistant", "content": "Yes."}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            whole = {**base, "object": "chat.completion", "choices": [choice], "usage": usage}
            return web.json_response(whole)
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        for n, piece in enumerate(["Y", "e", "s", "."]):
            delta = {"content": piece} if n else {"role": "assistant", "content": piece}
            await self._send(response, base, [{"index": 0, "delta": delta, "finish_reason": None}])
            self.begun += n == 0
            await asyncio.sleep(self.pause)
        end = [{"index": 0, "delta": {}, "finish_reason": "stop"}]
        await self._send(response, base, end)
        await self._send(response, base, [], usage)
        await response.write(b"data: [DONE]\n\n")
        return response

    async def _send(
        self, response: web.StreamResponse, base: Any, choices: list[Any], usage: Any = None
    ) -> None:
        chunk = {**base, "object": "chat.completion.chunk", "choices": choices, "usage": usage}
        await response.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")

    def _count(self, body: dict[str, Any]) -> dict[str, Any]:
        """The usage of a request, whose beginnings are known from now on."""
        whole = cached = beginning = 0
        is_known = True
        for element in (body.get("tools"), *body["messages"]):
            text = json.dumps(element)
            whole += len(text) // LETTERS
            beginning = hash((beginning, text))
            is_known = is_known and beginning in self._known
            cached = whole if is_known else cached
            self._known.add(beginning)
        self.tokens += whole
        self.cached += cached
        return {
            "prompt_tokens": whole,
            "completion_tokens": 2,
            "total_tokens": whole + 2,
            "prompt_tokens_details": {"cached_tokens": cached},
        }
