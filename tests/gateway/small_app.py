"""A small ASGI app in the gateway's place: what the tests of the process ask it."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from dragoman import ConfigError
from dragoman.gateway.config.config_values import Config

Send = Callable[[dict[str, Any]], Awaitable[None]]


class SmallApp:
    """It tells the model of its first route, and how it is asked; as `dragoman.gateway.app`."""

    def __init__(self, config: Config) -> None:
        self.running = {"alive": False}
        self.reload(config)

    def reload(self, config: Config) -> None:
        model = config.routes[0].target.name
        if model == "openai/never":
            raise ConfigError("this app cannot be made", hint="choose another model")
        self.config, self.model = config, model

    async def __call__(self, scope: Any, receive: Any, send: Send) -> None:
        model = self.model
        if scope["type"] == "lifespan":
            await _live(receive, send, self.running, model)
            return
        assert self.running["alive"]
        body = await _body(scope, receive)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        if scope["path"] == "/stuck":
            await send({"type": "http.response.body", "body": b"stuck\n", "more_body": True})
            await asyncio.sleep(0.1)  # so that it is sent
            time.sleep(1000)  # noqa: ASYNC251  # blocks the loop, as no app should
        elif scope["path"] == "/stream":
            await _stream(scope, send, model)
        elif scope["path"] == "/told":
            told = f"{scope['method']} {len(body)} {dict(scope['headers']).get(b'upgrade')!r}"
            await send({"type": "http.response.body", "body": told.encode()})
        elif scope["path"] == "/sealing":
            keys = b"".join(self.config.envelopes.keys).hex()
            await send({"type": "http.response.body", "body": keys.encode()})
        else:
            await send({"type": "http.response.body", "body": f"{model} {os.getpid()}".encode()})


async def _body(scope: Any, receive: Any) -> bytes:
    body, more = b"", scope["method"] == "POST"
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


async def _live(receive: Any, send: Send, running: dict[str, bool], model: str) -> None:
    await receive()
    if model == "openai/fails":
        await send({"type": "lifespan.startup.failed", "message": "this app does not start"})
        return
    running["alive"] = True
    await send({"type": "lifespan.startup.complete"})
    await receive()
    running["alive"] = False
    await send({"type": "lifespan.shutdown.complete"})


async def _stream(scope: Any, send: Send, model: str) -> None:
    """Lines until the file of the query is there, one each twentieth of a second; then `end`."""
    last, i = Path(os.fsdecode(scope["query_string"])), 0
    while not last.exists():  # noqa: ASYNC240  # takes microseconds
        line = f"{i} {model} {os.getpid()}\n".encode()
        await send({"type": "http.response.body", "body": line, "more_body": True})
        await asyncio.sleep(0.05)
        i += 1
    await send({"type": "http.response.body", "body": b"end\n"})
