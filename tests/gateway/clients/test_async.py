"""The official clients for event loops: an answer and a stream, over the server and in process."""

from __future__ import annotations

import asyncio
from typing import Any

import anthropic
import httpx
import httpx2
import ollama
import openai
import pytest
from google import genai
from google.genai import types

from dragoman.gateway import async_http_client, async_http_transport
from dragoman.gateway.config.config_values import Config, config_for
from dragoman.testing import StrictServer

from .serving import Served

TEXT = "Thirty-one degrees, and dry."
QUESTION: Any = [{"role": "user", "content": "How warm is Samarkand?"}]


async def chat(url: str, http: Any, _: Any) -> list[str]:
    sdk = openai.AsyncOpenAI(api_key="c", base_url=f"{url}/v1", http_client=http, max_retries=0)
    whole = await sdk.chat.completions.create(model="m", messages=QUESTION)
    parts = await sdk.chat.completions.create(model="m", messages=QUESTION, stream=True)
    texts = [part.choices[0].delta.content or "" async for part in parts if part.choices]
    return [whole.choices[0].message.content or "", "".join(texts)]


async def responses(url: str, http: Any, _: Any) -> list[str]:
    sdk = openai.AsyncOpenAI(api_key="c", base_url=f"{url}/v1", http_client=http, max_retries=0)
    whole = await sdk.responses.create(model="m", input=QUESTION, store=False)
    async with sdk.responses.stream(model="m", input=QUESTION, store=False) as parts:
        return [whole.output_text, (await parts.get_final_response()).output_text]


async def messages(url: str, http: Any, _: Any) -> list[str]:
    sdk = anthropic.AsyncAnthropic(api_key="c", base_url=url, http_client=http, max_retries=0)
    whole: Any = await sdk.messages.create(model="m", max_tokens=99, messages=QUESTION)
    async with sdk.messages.stream(model="m", max_tokens=99, messages=QUESTION) as parts:
        return [whole.content[0].text, await parts.get_final_text()]


async def gemini(url: str, http: Any, _: Any) -> list[str]:
    options = types.HttpOptions(base_url=url, httpx_async_client=http)
    sdk = genai.Client(api_key="c", http_options=options).aio
    asked = QUESTION[0]["content"]
    whole = await sdk.models.generate_content(model="m", contents=asked)
    parts = await sdk.models.generate_content_stream(model="m", contents=asked)
    return [whole.text or "", "".join([part.text or "" async for part in parts])]


async def native(url: str, _: Any, transport: Any) -> list[str]:
    sdk = ollama.AsyncClient(host=url, transport=transport)
    whole = await sdk.chat(model="m", messages=QUESTION)
    parts = await sdk.chat(model="m", messages=QUESTION, stream=True)
    return [whole.message.content or "", "".join([p.message.content or "" async for p in parts])]


async def over_the_server(ask: Any, server: Served, config: Config) -> list[str]:
    door = server.door(config)
    async with httpx2.AsyncClient(timeout=60) as http, httpx.AsyncHTTPTransport() as transport:
        told: list[str] = await ask(door.url, http, transport)
        return told


async def in_process(ask: Any, config: Config, calls: str) -> list[str]:
    transport = async_http_transport(config, transport=calls)
    async with async_http_client(config, transport=calls) as http, transport:
        told: list[str] = await ask("http://gateway.test", http, transport)
        return told


ASKING = {"openai-chat": chat, "openai-responses": responses, "anthropic": messages,
          "gemini": gemini, "ollama": native}  # fmt: skip


@pytest.mark.parametrize("way", ["server", "httpx2", "aiohttp"])
@pytest.mark.parametrize("client", ASKING)
def test_an_answer_and_a_stream(server: Served, client: str, way: str) -> None:
    model = "gemini/gemini-3.8-flash" if client == "anthropic" else "anthropic/claude-opus-5-5"
    with StrictServer(model.partition("/")[0], TEXT) as judge:
        config = config_for(model, key="k", base_url=judge.url)
        ask = ASKING[client]
        work = (
            over_the_server(ask, server, config)
            if way == "server"
            else in_process(ask, config, way)
        )
        assert asyncio.run(work) == [TEXT, TEXT]
    assert not any(judge.judged)
    assert [req.stream for req in judge.requests] == [False, True]
