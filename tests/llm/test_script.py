"""One conversation of twelve steps, over every wire, through both doors and every transport.

The server judges each request by the rules of its wire and by the types of the official SDK.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from dragoman import LLM, AsyncLLM, ByName, DropOldest, Msg, ProviderError, tool
from dragoman.message import (
    Base64Source,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from dragoman.model import Retries
from dragoman.testing import Fault, StrictServer
from dragoman.tokens import CharTokenCounter
from tests.llm.hosts import CITY, HOSTS, PIXEL, other_than
from tests.llm.test_servers import client_of, left_open, sockets_go
from tests.transport.servers import GUARD

__all__ = ["sockets_go"]  # a fixture of this module too

# the wires whose official client takes bytes of ours, or is called by `out.sdk()`
WITH_CLIENTS = ["openai-chat", "openai-responses", "anthropic", "gemini", "mistral", "cohere",
                "ollama"]  # fmt: skip


@tool
def warmth(city: str) -> str:
    """How warm it is."""
    return f"31 degrees in {city}"


@tool
def photo(city: str) -> list[TextBlock | ImageBlock]:
    """A photo of a city."""
    return [TextBlock(f"This is {city}."), ImageBlock(Base64Source("image/png", PIXEL))]


def answers() -> list[Any]:
    busy = ProviderError("busy", status=429, type="rate_limit")
    return [
        "It is warm.",
        "Tony, it is warm.",
        [ToolUseBlock("call_00001", "warmth", {"city": "Samarkand"}),
         ToolUseBlock("call_00002", "photo", {"city": "Bukhara"})],
        "Both are fine.",
        [ThinkingBlock("Let me see."), TextBlock("Samarkand.")],
        "As I said.",
        '{"name": "Samarkand", "degrees": 31}',
        "It is warm there.",
        [ToolUseBlock("call_00003", "warmth", {"city": "Khiva"})],
        Fault(busy, headers={"retry-after": "0"}),
        "After all.",
        "Cut.",
    ]  # fmt: skip


class Conversation:
    """The steps, for whichever door: `ask` and `stream` give an Answer, all in one loop."""

    def __init__(self, server: StrictServer, llm: Any, loop: asyncio.Runner) -> None:
        self.server = server
        self.llm = llm
        self.loop = loop
        self.history: list[Msg] = []

    def ask(self, x: Any, **settings: Any) -> Any:
        if isinstance(self.llm, LLM):
            return self.llm.ask(x, **settings)
        return self.loop.run(self._within(self.llm.ask(x, **settings)))

    async def _within(self, work: Any) -> Any:
        async with asyncio.timeout(GUARD):
            return await work

    def stream(self, x: Any) -> tuple[str, Any]:
        """(the text of the events, the answer at the end)."""
        stream = self.llm.stream(x)
        if isinstance(self.llm, LLM):
            texts = [event.text for event in stream if event.type == "text-delta"]
        else:
            texts = self.loop.run(self._within(self._texts(stream)))
        return "".join(texts), stream.response

    async def _texts(self, stream: Any) -> list[str]:
        return [event.text async for event in stream if event.type == "text-delta"]

    def said(self, x: str | None, **settings: Any) -> Any:
        """The answer to one more message, which stays in the history with it."""
        if x is not None:
            self.history.append(Msg.user(x))
        answer = self.ask(self.history, **settings)
        self.history.append(answer.msg)
        assert self.server.judged[-1] == []
        return answer


def run(server: StrictServer, make: Callable[..., Any], other: StrictServer) -> None:
    with asyncio.Runner() as loop:
        steps(server, make, other, loop)


def steps(
    server: StrictServer, make: Callable[..., Any], other: StrictServer, loop: asyncio.Runner
) -> None:
    talk = Conversation(server, make(system="Be brief.", tools=[warmth, photo]), loop)
    # 1 a system prompt
    assert talk.said("How warm is it in Samarkand?").text == "It is warm."
    assert server.requests[0].messages[0].text == "Be brief."
    # 2 two speakers
    both = [Msg("Tony", "Is it warm?", "user"), Msg("Ann", "I wonder.", "user")]
    named = Conversation(server, make(speakers=ByName()), loop)
    assert named.ask(both).text == "Tony, it is warm."
    assert "Ann" in str(server.calls[-1].body)
    # 3 parallel tools, 4 an image in a result
    called = talk.said("And a photo?")
    assert [call.name for call in called.calls] == ["warmth", "photo"]
    results = talk.llm.toolkit.run(called.calls)
    assert [type(m.blocks[0]) for m in results] == [ToolResultBlock, ToolResultBlock]
    talk.history += results
    assert talk.said(None).text == "Both are fine."
    # 5 thinking, which goes back or is named
    assert talk.said("Which is older?").text == "Samarkand."
    assert talk.said("Sure?").text == "As I said."
    # 6 structured output
    answer = talk.said("As data.", response_format=CITY)
    assert answer.parsed == {"name": "Samarkand", "degrees": 31}
    # 7 a stream
    talk.history.append(Msg.user("Tell me."))
    text, answer = talk.stream(talk.history)
    assert text == answer.text == "It is warm there."
    assert answer.status == "complete"
    # 8 a streamed call
    talk.history += [answer.msg, Msg.user("And Khiva?")]
    _, answer = talk.stream(talk.history)
    assert [(call.name, call.input) for call in answer.calls] == [("warmth", {"city": "Khiva"})]
    talk.history += [answer.msg, *talk.llm.toolkit.run(answer.calls)]
    # 9 a provider that is busy
    assert talk.said(None).text == "After all."
    assert len(server.calls) == 11
    # 10 truncation
    short = Conversation(
        server,
        make(history_tokens=200, token_counter=CharTokenCounter(), truncate=DropOldest()),
        loop,
    )
    assert short.ask([*talk.history, Msg.user("Short?")]).text == "Cut."
    assert len(server.requests[-1].messages) < len(talk.history)
    # 11 another provider in mid-conversation
    name, model = HOSTS[other.wire.room.protocol]
    with LLM(f"{name}/{model}", key="k", base_url=other.url, tools=[warmth, photo],
             policy="ignore") as elsewhere:  # fmt: skip
        answer = elsewhere.ask([*talk.history, Msg.user("And you?")])
    assert answer.text == "Hello."
    # 12 nothing that was sent was wrong
    assert [faults for faults in (*server.judged, *other.judged) if faults] == []


def maker(wire: str, server: StrictServer, kind: Any, **connection: Any) -> Callable[..., Any]:
    name, model = HOSTS[wire]
    if "client" not in connection:
        connection |= {"key": "k", "base_url": server.url}
    retries = Retries(attempts=2, backoff=0.0)
    return lambda **settings: kind(
        f"{name}/{model}", policy="ignore", retries=retries, **connection, **settings
    )


def served(wire: str) -> StrictServer:
    return StrictServer(HOSTS[wire][0], *answers())


@pytest.mark.parametrize("wire", HOSTS)
def test_in_threads(wire: str) -> None:
    with (
        StrictServer(HOSTS[wire][0], *answers()) as server,
        StrictServer(other_than(wire)) as other,
    ):
        run(server, maker(wire, server, LLM), other)


@pytest.mark.parametrize("transport", ["httpx2", "aiohttp"])
@pytest.mark.parametrize("wire", HOSTS)
def test_in_a_loop(wire: str, transport: str) -> None:
    with (
        StrictServer(HOSTS[wire][0], *answers()) as server,
        StrictServer(other_than(wire)) as other,
    ):
        run(server, maker(wire, server, AsyncLLM, transport=transport), other)


@left_open
@pytest.mark.parametrize("door", [LLM, AsyncLLM])
@pytest.mark.parametrize("wire", WITH_CLIENTS)
def test_through_an_official_client(wire: str, door: Any) -> None:
    with served(wire) as server, StrictServer(other_than(wire)) as other:
        client = client_of(wire, server.url, door is AsyncLLM)
        run(server, maker(wire, server, door, client=client), other)
