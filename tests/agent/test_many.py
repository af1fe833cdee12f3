"""Many agents at once in one process: each keeps its own conversation, whatever befalls others."""

from __future__ import annotations

import asyncio
import gc
import re
import time
import weakref
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from dragoman import AsyncLLM, Msg, ProviderError, ReActAgent, tool
from dragoman.message import ChatRequest, ToolResultBlock, ToolUseBlock
from dragoman.testing import Scripted, StrictServer
from tests.transport.servers import GUARD

STEPS = 2  # with two calls each, and an answer behind them
MODELS = ("anthropic/claude-opus-5-5", "openai/gpt-5.6", "gemini/gemini-3.5-flash")
SOCKETS = Path("/proc/self/fd")
FAILS, CANCELLED, PAUSES = 3, 5, 7  # the last digits of agents that do not get through at once


def calls_of(number: int, step: int) -> list[ToolUseBlock]:
    return [
        ToolUseBlock(f"call_{number}_{step}_{name}", f"{name}_{number}", {"step": step})
        for name in ("look", "ask")
    ]


def answered(request: ChatRequest) -> Any:
    """What the model says to the agent whose number stands in the prompt, in the step it is in."""
    found = re.search(r"agent (\d+)\.", (request.system or "") + request.messages[0].text)
    assert found is not None
    number = int(found[1])
    step = sum(1 for m in request.messages if m.role == "assistant")
    return calls_of(number, step) if step < STEPS else f"That was all for agent {number}."


class One:
    """An agent with a name, tools and a question of its own, and the calls that its tools got."""

    def __init__(self, number: int, model: Any, **settings: Any) -> None:
        self.number = number
        self.got: list[tuple[str, int]] = []
        self.both = asyncio.Event()  # both calls of the second step run
        self.held: asyncio.Event | None = None  # where those wait
        one = self

        @tool(name=f"look_{number}")
        async def look(step: int) -> str:
            """Look."""
            return await one.ran("look", step)

        @tool(name=f"ask_{number}")
        async def ask(step: int) -> str:
            """Ask."""
            return await one.ran("ask", step)

        self.agent = ReActAgent(
            f"agent_{number}", f"You are agent {number}.", model, toolkit=[look, ask], **settings
        )

    async def ran(self, name: str, step: int) -> str:
        self.got.append((name, step))
        if self.got.count(("look", 1)) + self.got.count(("ask", 1)) == 2:
            self.both.set()
        for _ in range(self.number % 5):  # they come back in another order
            await asyncio.sleep(0)
        if self.held is not None and step == 1:
            await self.held.wait()
        return f"{name} {step} of {self.number}"

    @property
    def question(self) -> str:
        return f"What is there for number {self.number}?"

    async def reply(self) -> str:
        reply = await self.agent.reply(self.question)
        assert (reply.finish, reply.pending) == ("done", ())
        return "" if reply.msg is None else reply.msg.text

    async def streamed(self) -> str:
        """The text of its stream, whose calls and results are its own."""
        text, told = "", list[str]()
        async for event in self.agent.events(self.question):
            text += event.text if event.type == "text-delta" else ""
            if event.type in ("call", "result"):
                told.append(event.call.id)
        due = [call.id for step in range(STEPS) for call in calls_of(self.number, step)]
        assert sorted(told) == sorted(due * 2)
        return text

    def check(self) -> None:
        """Its history is its own and whole, and its tools ran once for each call."""
        assert said(self.agent.messages) == self.due()
        assert {m.name for m in self.agent.messages if m.role == "assistant"} == {self.agent.name}
        assert sorted(self.got) == sorted((n, s) for n in ("look", "ask") for s in range(STEPS))

    def due(self) -> list[Any]:
        out: list[Any] = [("user", self.question)]
        for step in range(STEPS):
            calls = calls_of(self.number, step)
            out.append([(call.id, call.name, dict(call.input)) for call in calls])
            out += [
                (call.id, f"{name} {step} of {self.number}")
                for call, name in zip(calls, ("look", "ask"), strict=True)
            ]
        return [*out, ("assistant", f"That was all for agent {self.number}.")]


def said(messages: Sequence[Msg]) -> list[Any]:
    """Calls, results and texts, without what a provider adds."""
    out: list[Any] = []
    for msg in messages:
        results = [block for block in msg.blocks if isinstance(block, ToolResultBlock)]
        if results:
            out += [(block.id, block.output) for block in results]
        elif msg.calls:
            out.append([(call.id, call.name, call.input) for call in msg.calls])
        else:
            out.append((msg.role, msg.text))
    return out


def models(transport: Any) -> list[AsyncLLM]:
    """One for each provider, which all agents share."""
    return [
        AsyncLLM(name, key="none", policy="ignore", transport=transport, retries=0)
        for name in MODELS
    ]


async def all_of(ones: Iterable[One]) -> list[str]:
    """What they answer, every other one as a stream."""
    return await asyncio.gather(
        *(one.streamed() if one.number % 2 else one.reply() for one in ones)
    )


def test_hundreds_of_agents_each_keep_their_own() -> None:
    count = 300

    async def work() -> list[weakref.ref[ReActAgent]]:
        llms = models(Scripted(answered, repeat=True))
        ones = [One(n, llms[n % len(llms)]) for n in range(count)]
        texts = await all_of(ones)
        assert texts == [f"That was all for agent {n}." for n in range(count)]
        for one in ones:
            one.check()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return [weakref.ref(one.agent) for one in ones]

    kept = asyncio.run(work())
    gc.collect()
    assert [ref for ref in kept if ref() is not None] == []


@pytest.mark.parametrize("transport", ["httpx2", "aiohttp"])
def test_many_agents_over_sockets(transport: str) -> None:
    pytest.importorskip(transport)
    count = 120  # more than clients by themselves have connections

    async def work(url: str) -> int:
        llm = AsyncLLM(
            "openai/openai-chat/gpt-5.6", key="none", policy="ignore", base_url=url,
            transport=transport, retries=0,
        )  # fmt: skip
        ones = [One(n, llm) for n in range(count)]
        assert await all_of(ones) == [f"That was all for agent {n}." for n in range(count)]
        for one in ones:
            one.check()
        most = sockets()
        await llm.aclose()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return most

    before = sockets()
    with StrictServer("openai/openai-chat", answered, strict=False) as server:
        most = asyncio.run(work(server.url))
        assert len(server.calls) == count * (STEPS + 1)
        assert most <= before + 2 * count + 20  # both ends of a connection for each are here
        until = time.monotonic() + GUARD
        while sockets() > before + 1 and time.monotonic() < until:  # the server's own
            time.sleep(0.01)
    assert sockets() <= before


def sockets() -> int:
    """The open file descriptors of this process, where the system tells them."""
    return len([*SOCKETS.iterdir()]) if SOCKETS.exists() else 0


def overloading(failed: set[int]) -> Scripted:
    """A model that once fails each agent that FAILS, in its second step."""

    def answer(request: ChatRequest) -> Any:
        calls = answered(request)
        number = int(calls[0].name.rpartition("_")[2]) if isinstance(calls, list) else -1
        if number % 10 == FAILS and calls == calls_of(number, 1) and number not in failed:
            failed.add(number)
            return ProviderError("overloaded", status=529)
        return calls

    return Scripted(answer, repeat=True)


async def stopped(one: One) -> None:
    """Run it until it ends or is stopped, in the way that its number says."""
    ways = {FAILS: fails, CANCELLED: is_cancelled, PAUSES: pauses}
    if way := ways.get(one.number % 10):
        await way(one)
    else:
        await (one.streamed() if one.number % 2 else one.reply())


async def fails(one: One) -> None:
    with pytest.raises(ProviderError, match="overloaded"):
        await (one.streamed() if one.number % 20 == FAILS else one.reply())
    assert said(one.agent.messages) == one.due()[:4]


async def is_cancelled(one: One) -> None:
    one.held = asyncio.Event()
    task = asyncio.create_task(one.streamed() if one.number % 20 == CANCELLED else one.reply())
    await one.both.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    one.held = None


async def pauses(one: One) -> None:
    reply = await one.agent.reply(one.question)
    assert (reply.finish, one.got) == ("paused", [])
    assert [waits.call.id for waits in reply.pending] == [c.id for c in calls_of(one.number, 0)]


async def goes_on(one: One) -> None:
    """Go on until it is done, where it was stopped; its calls may run."""
    finish = ""
    while one.number % 10 in (FAILS, CANCELLED, PAUSES) and finish != "done":
        for waits in one.agent.pending:
            one.agent.decide(waits.call.id, True)
        finish = (await one.agent.reply()).finish


def test_agents_that_fail_pause_or_are_cancelled_leave_the_others_alone() -> None:
    count = 100
    failed: set[int] = set()

    async def work() -> None:
        llms = models(overloading(failed))
        ones = [
            One(n, llms[n % len(llms)], approve="ask" if n % 10 == PAUSES else None,
                interrupted="rerun")
            for n in range(count)
        ]  # fmt: skip
        await asyncio.gather(*(stopped(one) for one in ones))
        assert asyncio.all_tasks() == {asyncio.current_task()}
        for one in ones:
            if one.number % 10 not in (FAILS, CANCELLED, PAUSES):
                one.check()
        await asyncio.gather(*(goes_on(one) for one in ones))
        for one in ones:
            if one.number % 10 == CANCELLED:  # its calls ran again, as it was told
                one.got.remove(("look", 1))
                one.got.remove(("ask", 1))
            one.check()

    asyncio.run(work())
    assert failed == {n for n in range(count) if n % 10 == FAILS}
