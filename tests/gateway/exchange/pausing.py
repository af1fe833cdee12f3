"""What the tests of paused streams share: bodies of Gemini that pause, and clients of all kinds."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx2
import pytest

from dragoman.gateway import async_http_client, http_client
from dragoman.gateway.config.config_values import Config, Limits, Route, Target
from dragoman.message import ChatResponse
from dragoman.transport.call import Timeouts
from dragoman.transport.retries import Retries
from dragoman.vendors import wire as wire_of
from tests.gateway.faults.provider import (
    CHUNKED,
    LAST,
    Provider,
    Step,
    answer,
    chunked,
)
from tests.gateway.faults.serving import ask as ask_server
from tests.gateway.faults.wires import CHAT, GEMINI, INTERACTIONS, MESSAGES, OLLAMA, RESPONSES, Wire
from tests.gateway.running import LONG, Gateway

KEY = "upstream-key-0123456789"
MODEL = "to-gemini-4"
WAYS = ("threads", "httpx2", "aiohttp", "server")
CLIENTS = (CHAT, RESPONSES, MESSAGES, INTERACTIONS, OLLAMA)
clients = pytest.mark.parametrize("client", CLIENTS, ids=str)
ways = pytest.mark.parametrize("way", WAYS)
BUSY = answer(b'{"error": {"message": "Busy", "code": 503}}', 503)
BUSY_EVENT = b'data: {"error": {"code": 503, "message": "Busy", "status": "UNAVAILABLE"}}\n\n'


def chunk(*parts: dict[str, Any], reason: str = "", token: str = "", **more: Any) -> bytes:
    """One event of Gemini's."""
    entry: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    if reason:
        entry["finishReason"] = reason
    if token:
        entry["continuationToken"] = token
    return b"data: " + json.dumps({"candidates": [entry], **more}).encode() + b"\n\n"


def says(text: str) -> dict[str, Any]:
    return {"text": text}


def events(*parts: dict[str, Any], token: str = "", output: int = 5) -> list[bytes]:
    """The events of one body: a part each, and the end."""
    usage = {"promptTokenCount": 10, "candidatesTokenCount": output,
             "totalTokenCount": 10 + output}  # fmt: skip
    about = {"modelVersion": "gemini-4-argon", "responseId": f"r{output}"}
    end = chunk(says(""), reason="CONTINUATION" if token else "STOP", token=token,
                usageMetadata=usage, **about)  # fmt: skip
    return [*(chunk(part, **about) for part in parts), end]


def body(*parts: dict[str, Any], token: str = "", output: int = 5) -> list[Step]:
    return [CHUNKED, *chunked(events(*parts, token=token, output=output)), LAST]


ONE = body(says("Think"), says("ing. "), says("One, "), token="dDE=")
TWO = body(says("two, "), says("three, "), says("four, "), says("five, "), token="dDI=", output=6)
THREE = body(says("six."), output=7)


def config(provider: Provider, transport: str, **more: Any) -> Config:
    target = more.pop("target", "gemini/gemini/gemini-4-argon")
    base = more.pop("base", GEMINI.base)
    at = Target(target, secret=KEY, base_url=provider.url + base)
    retries = Retries(attempts=more.pop("attempts", 2), backoff=0)
    timeouts = more.pop("timeouts", Timeouts())
    record = more.pop("record", None)
    limits = Limits(stall=more.pop("stall", LONG), **more)
    return Config((Route(at, transport=transport, retries=retries, timeouts=timeouts),),
                  limits=limits, record=record)  # fmt: skip


def ask(
    way: str, provider: Provider, gateway: Gateway | None, client: Wire = CHAT, **more: Any
) -> bytes:
    """What a client gets, over a server or in a program."""
    path, asked = client.path(MODEL, True), client.request(MODEL)
    if way == "server":
        assert gateway is not None
        got = ask_server(gateway, client, MODEL)
        assert got.status == 200, got
        assert got.whole
        return got.body

    def body_of(told: httpx2.Response) -> bytes:
        assert told.status_code == 200, told.content
        return told.content

    async def in_loop() -> bytes:
        async with async_http_client(config(provider, way, **more)) as http:
            return body_of(await http.post(f"http://gateway{path}", content=asked))

    if way != "threads":
        return asyncio.run(in_loop())
    with http_client(config(provider, "httpx2", **more)) as http:
        return body_of(http.post(f"http://gateway{path}", content=asked))


def read(client: Wire, data: bytes) -> ChatResponse:
    """The answer as a client of the protocol reads it."""
    stream = wire_of(client.name).read_stream([data])
    for _ in stream:
        pass
    return stream.response


def tokens(provider: Provider) -> list[str | None]:
    return [json.loads(one.body).get("continuationToken") for one in provider.asked]
