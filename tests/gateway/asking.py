"""Clients of a gateway: what they send on each wire, and many of them at once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import aiohttp

from tests.gateway.numbered import asked, missed

PATHS = {"openai-chat": "/v1/chat/completions", "anthropic": "/v1/messages"}
SYSTEM = "You are Friday, who helps travellers on their way to Samarkand."
_HISTORY = [
    {"role": "user", "content": "Where does the road begin, and who keeps the inns on it?"},
    {
        "role": "assistant",
        "content": "At the western gate. Families keep them, as always.",
    },
]
_CITY = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "The name of the city"}},
    "required": ["city"],
}
_TOOLS = {"weather": "The weather in a city.", "inns": "The inns of a city, with their prices."}


class Answer(NamedTuple):
    """What a client got: the status, and all bytes of the body."""

    status: int
    body: bytes


def request(wire: str, model: str, question: str, *, stream: bool, turns: int = 1) -> bytes:
    """The body of a request on this wire: a system prompt, a history, two tools, a question."""
    messages = [*_HISTORY * turns, {"role": "user", "content": question}]
    body: dict[str, Any] = {"model": model, "stream": stream}
    if wire == "anthropic":
        tools = [{"name": n, "description": d, "input_schema": _CITY} for n, d in _TOOLS.items()]
        body |= {"max_tokens": 1024, "system": SYSTEM, "messages": messages, "tools": tools}
        return json.dumps(body).encode()
    functions = [{"name": n, "description": d, "parameters": _CITY} for n, d in _TOOLS.items()]
    body["messages"] = [{"role": "system", "content": SYSTEM}, *messages]
    body["tools"] = [{"type": "function", "function": function} for function in functions]
    if stream:
        body["stream_options"] = {"include_usage": True}
    return json.dumps(body).encode()


async def ask(session: aiohttp.ClientSession, url: str, wire: str, body: bytes) -> Answer:
    """Send one request and read its answer to the end."""
    headers = {"content-type": "application/json", "authorization": "Bearer none"}
    if wire == "anthropic":
        headers |= {"x-api-key": "none", "anthropic-version": "2023-06-01"}
    async with session.post(url + PATHS[wire], data=body, headers=headers) as response:
        return Answer(response.status, await response.read())


async def many_streams(
    url: str, wire: str, model: str, numbers: Sequence[int], events: int, pace: float = 0
) -> list[str]:
    """Read these streams all at once; what was wrong with each that was not as it should be."""
    async with session_for(len(numbers)) as session:

        async def one(number: int) -> str:
            question = asked(number, events, pace)
            answer = await ask(session, url, wire, request(wire, model, question, stream=True))
            if answer.status != 200:
                return f"stream {number}: {answer.status} {answer.body[:300]!r}"
            return missed(answer.body, number, events)

        return [fault for fault in await asyncio.gather(*map(one, numbers)) if fault]


async def many_calls(
    url: str, wire: str, model: str, calls: int, *, at_once: int = 16, turns: int = 1
) -> list[str]:
    """Ask for so many whole answers, some at once; what was wrong with each that was wrong."""
    faults: list[str] = []
    numbers = iter(range(calls))
    async with session_for(at_once) as session:

        async def some() -> None:
            for number in numbers:
                body = request(wire, model, asked(number), stream=False, turns=turns)
                answer = await ask(session, url, wire, body)
                if answer.status != 200:
                    faults.append(f"call {number}: {answer.status} {answer.body[:300]!r}")
                elif fault := missed(answer.body, number):
                    faults.append(fault)

        await asyncio.gather(*(some() for _ in range(at_once)))
    return faults


def session_for(clients: int) -> aiohttp.ClientSession:
    """Connections for so many clients at once, which are kept from call to call."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=clients),
        timeout=aiohttp.ClientTimeout(total=600),
    )
