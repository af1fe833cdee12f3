"""LLM and AsyncLLM against servers that nobody here wrote, over every transport."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dragoman import LLM, AsyncLLM, Msg, tool
from dragoman._core.stream.events import FinishEvent
from tests.servers.real import SENTENCE
from tests.servers.test_real import AIMOCK, LLAMACPP

HOSTS = {
    "openai-chat": "openai", "openai-responses": "openai", "anthropic": "anthropic",
    "gemini": "gemini", "gemini-interactions": "gemini", "ollama": "ollama",
    "mistral": "mistral", "bedrock-converse": "bedrock", "cohere": "cohere",
}  # fmt: skip
# Interactions: aimock streams unless a body says `false`; Google's default is a whole answer
WHOLE = [wire for wire in AIMOCK if wire != "gemini-interactions"]


@tool
def warmth(city: str) -> str:
    """How warm it is."""
    return f"31 degrees in {city}"


def settings(base: str, wire: str, **more: Any) -> dict[str, Any]:
    return {"key": "none", "base_url": base, "tools": [warmth], "policy": "ignore",
            "system": "Be brief.", **more}  # fmt: skip


def name_of(wire: str) -> str:
    return f"{HOSTS[wire]}/{wire}/bigrams"


def converse(llm: LLM) -> None:
    called = llm.ask("How warm is it in Samarkand?")
    assert [(call.name, call.input) for call in called.calls] == [("warmth", {"city": "Samarkand"})]
    history = [Msg.user("How warm is it in Samarkand?"), called.msg]
    history += llm.toolkit.run(called.calls)
    assert llm.ask(history).text == SENTENCE
    stream = llm.stream(history)
    events = list(stream)
    assert "".join(event.text for event in events if event.type == "text-delta") == SENTENCE
    assert type(events[-1]) is FinishEvent
    assert stream.response.text == SENTENCE
    assert stream.response is events[-1].response
    assert stream.response.status == "complete"


@pytest.mark.parametrize("wire", LLAMACPP)
def test_llamacpp(llamacpp_server: str, wire: str) -> None:
    with LLM(name_of(wire), **settings(llamacpp_server + LLAMACPP[wire], wire)) as llm:
        converse(llm)


@pytest.mark.parametrize("wire", WHOLE)
def test_aimock(aimock_server: str, wire: str) -> None:
    with LLM(name_of(wire), **settings(aimock_server + AIMOCK[wire], wire)) as llm:
        converse(llm)


async def aconverse(llm: AsyncLLM) -> None:
    called = await llm.ask("How warm is it in Samarkand?")
    history = [Msg.user("How warm is it in Samarkand?"), called.msg]
    history += await llm.toolkit.arun(called.calls)
    assert (await llm.ask(history)).text == SENTENCE
    stream = llm.stream(history)
    texts = [event.text async for event in stream if event.type == "text-delta"]
    assert "".join(texts) == SENTENCE
    assert stream.response.text == SENTENCE


@pytest.mark.parametrize("transport", ["httpx2", "aiohttp"])
@pytest.mark.parametrize("wire", LLAMACPP)
def test_llamacpp_in_a_loop(llamacpp_server: str, wire: str, transport: str) -> None:
    async def run() -> None:
        base = llamacpp_server + LLAMACPP[wire]
        async with AsyncLLM(name_of(wire), **settings(base, wire, transport=transport)) as llm:
            await aconverse(llm)

    asyncio.run(run())


@pytest.mark.parametrize("transport", ["httpx2", "aiohttp"])
@pytest.mark.parametrize("wire", WHOLE)
def test_aimock_in_a_loop(aimock_server: str, wire: str, transport: str) -> None:
    async def run() -> None:
        base = aimock_server + AIMOCK[wire]
        async with AsyncLLM(name_of(wire), **settings(base, wire, transport=transport)) as llm:
            await aconverse(llm)

    asyncio.run(run())
