"""Bytes of a stream on their way to the reader, of servers that stream and of one that does not."""

from __future__ import annotations

import asyncio
import json
from contextlib import closing
from typing import Any

import pytest

from dragoman import LLM, AsyncLLM
from dragoman.model import ChatModel
from tests.transport.servers import GUARD, Peer, Server, serving

MODEL = "some-model"
TEXTS = ["Sama", "rkand", "!"]
ASKED: list[Any] = [{"role": "user", "content": "Where to?"}]
ASYNC = pytest.mark.parametrize("transport", ["httpx2", "aiohttp"])


def event(delta: dict[str, Any], reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return b"data: %s\n\n" % json.dumps({"id": "c-1", "choices": [choice]}).encode()


def streaming(peer: Peer) -> bool:
    peer.begin()
    for text in TEXTS:
        peer.chunk(event({"content": text}))
    peer.chunk(event({}, "stop") + b"data: [DONE]\n\n")
    peer.end()
    return True


def endless(peer: Peer) -> None:
    peer.begin()
    peer.chunk(event({"content": TEXTS[0]}))
    peer.wait_for_end()


def whole(peer: Peer) -> bool:
    """A server that streams nothing, whatever it is asked for."""
    message = {"role": "assistant", "content": "".join(TEXTS)}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    body = json.dumps({"id": "c-1", "object": "chat.completion", "choices": [choice]})
    peer.answer(200, body.encode(), Content_Type="application/json; charset=utf-8")
    return True


def options(server: Server, **more: Any) -> dict[str, Any]:
    return {"base_url": server.url, "retries": 0, **more}


def door(server: Server) -> LLM:
    return LLM(f"openai/openai-chat/{MODEL}", key="none", **options(server))


def model(server: Server, **more: Any) -> ChatModel:
    return ChatModel("openai/openai-chat", MODEL, "none", **options(server, **more))


@pytest.mark.parametrize("script", [streaming, whole])
def test_a_stream_gives_all_text(script: Any) -> None:
    with serving(script) as server, door(server) as llm, closing(model(server)) as asked:
        for events in (llm.stream("Where to?"), asked.sync_events(ASKED)):
            assert "".join(event.text for event in events) == "Samarkand!"
            assert events.response.finish.reason == "stop"


@ASYNC
@pytest.mark.parametrize("script", [streaming, whole])
def test_a_stream_gives_all_text_in_a_loop(script: Any, transport: str) -> None:
    async def read(server: Server) -> None:
        name = f"openai/openai-chat/{MODEL}"
        async with AsyncLLM(name, key="none", **options(server, transport=transport)) as llm:
            asked = model(server, transport=transport)
            for events in (llm.stream("Where to?"), asked.events(ASKED)):
                async with asyncio.timeout(GUARD):
                    assert "".join([event.text async for event in events]) == "Samarkand!"
                assert events.response.finish.reason == "stop"
            await asked.aclose()

    with serving(script) as server:
        asyncio.run(read(server))


def test_a_stream_that_is_left_closes_its_connection() -> None:
    with serving(endless) as server, door(server) as llm, closing(model(server)) as asked:
        for events in (llm.stream("Where to?"), asked.sync_events(ASKED)):
            with events:
                assert next(event.text for event in events if event.text) == "Sama"
        server.wait_closed(2)


@ASYNC
def test_a_stream_that_is_left_closes_its_connection_in_a_loop(transport: str) -> None:
    async def read(server: Server) -> None:
        name = f"openai/openai-chat/{MODEL}"
        llm = AsyncLLM(name, key="none", **options(server, transport=transport))
        asked = model(server, transport=transport)
        for events in (llm.stream("Where to?"), asked.events(ASKED)):
            async with asyncio.timeout(GUARD), events:
                async for event in events:
                    if event.text:
                        assert event.text == "Sama"
                        break
        await asyncio.to_thread(server.wait_closed, 2)
        await llm.aclose()
        await asked.aclose()

    with serving(endless) as server:
        asyncio.run(read(server))
