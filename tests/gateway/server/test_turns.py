"""Many requests at once have one step each between two looks at the sockets."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections import Counter
from typing import Any, Self

import httpx2
import pytest

from dragoman.errors import ConfigError
from dragoman.gateway import app
from dragoman.gateway.server import asgi
from dragoman.gateway.server.turns import Turns
from dragoman.testing import Scripted

MANY = 24


class LoopTurns:
    """Counts the turns of the running loop, for as long as it is entered."""

    def __init__(self) -> None:
        self.number = 0
        self._is_counting = True

    def __enter__(self) -> Self:
        self._count()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_counting = False

    def _count(self) -> None:
        self.number += 1
        if self._is_counting:
            asyncio.get_running_loop().call_soon(self._count)


def test_each_step_has_a_turn_of_its_own() -> None:
    async def steps() -> list[int]:
        turns, seen = Turns(), []
        with LoopTurns() as loop_turns:

            async def step() -> None:
                await turns.wait()
                seen.append(loop_turns.number)

            await asyncio.gather(*(step() for _ in range(MANY)))
        return seen

    seen = asyncio.run(steps())
    assert len(set(seen)) == MANY
    assert seen == sorted(seen)
    assert seen[-1] - seen[0] <= MANY  # and none goes by unused


def test_a_step_that_is_alone_does_not_wait() -> None:
    async def steps() -> None:
        turns = Turns()
        for _ in range(3):
            with pytest.raises(StopIteration):
                turns.wait().send(None)
            await asyncio.sleep(0)

    asyncio.run(steps())


def test_a_step_that_is_given_up_keeps_no_turn() -> None:
    async def steps() -> list[int]:
        turns, done = Turns(), []

        async def step(number: int) -> None:
            await turns.wait()
            done.append(number)

        tasks = [asyncio.create_task(step(number)) for number in range(MANY)]
        await asyncio.sleep(0)
        for task in tasks[2::2]:
            task.cancel()
        async with asyncio.timeout(30):
            await asyncio.gather(*tasks, return_exceptions=True)
        return done

    assert asyncio.run(steps()) == [0, *range(1, MANY, 2)]


def test_a_loop_that_was_left_holds_back_no_other() -> None:
    turns = Turns()

    async def leave() -> None:
        await turns.wait()  # the loop ends before its next turn
        waiting = asyncio.create_task(turns.wait())
        await asyncio.sleep(0)
        waiting.cancel()

    async def steps() -> None:
        async with asyncio.timeout(30):
            for _ in range(3):
                await turns.wait()

    for _ in range(3):
        asyncio.run(leave())
        asyncio.run(steps())


def test_requests_that_come_at_once_are_opened_one_in_each_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: Counter[int] = Counter()
    open_exchange = asgi._open_exchange

    async def ask() -> None:
        served = app("openai/*", transport=Scripted(*["Yes."] * MANY), observers=())
        transport = httpx2.ASGITransport(app=served)
        body = {"model": "gpt-5.6", "messages": [{"role": "user", "content": "Hi."}]}
        with LoopTurns() as loop_turns:

            def note(*args: Any) -> Any:
                opened[loop_turns.number] += 1
                return open_exchange(*args)

            monkeypatch.setattr(asgi, "_open_exchange", note)
            async with httpx2.AsyncClient(transport=transport, base_url="http://gateway") as client:
                answers = await asyncio.gather(
                    *(client.post("/v1/chat/completions", json=body) for _ in range(MANY))
                )
            assert {answer.status_code for answer in answers} == {200}

    monkeypatch.setenv("OPENAI_API_KEY", "k")
    asyncio.run(ask())
    assert sum(opened.values()) == MANY
    assert max(opened.values()) == 1


PRELOAD = """
import asyncio, sys
from dragoman.gateway import app

async def start():
    served = app("openai/*")
    before = "aiohttp" in sys.modules
    sent, messages = [], [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]
    async def receive():
        if len(messages) == 1:
            print(before, "aiohttp" in sys.modules, len(sent))
        return messages.pop(0)
    async def send(message):
        sent.append(message["type"])
    await served({"type": "lifespan"}, receive, send)

asyncio.run(start())
"""


def test_a_server_loads_its_client_before_the_first_request() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PRELOAD], capture_output=True, text=True, check=False, timeout=120
    )
    assert ran.stdout.split() == ["False", "True", "1"], ran.stderr


class Old:
    def __init__(self) -> None:
        self.heard: list[str] = []

    def begun(self, record: Any) -> None:
        self.heard.append("begun")

    def ended(self, record: Any) -> None:
        self.heard.append("ended")


def test_an_observer_with_the_old_names_is_called_and_told_the_new_ones() -> None:
    observer = Old()
    with pytest.warns(DeprecationWarning, match="on_begin and on_end") as warned:
        served = app("openai/*", transport=Scripted("Yes."), observers=[observer])  # type: ignore[list-item]  # as before 0.1
    assert warned[0].filename == __file__

    async def ask() -> None:
        transport = httpx2.ASGITransport(app=served)
        async with httpx2.AsyncClient(transport=transport, base_url="http://gateway") as client:
            await client.post("/v1/chat/completions", json={"model": "m", "messages": []})

    asyncio.run(ask())
    assert observer.heard == ["begun", "ended"]


def test_what_is_no_observer_is_refused() -> None:
    with pytest.raises(ConfigError, match="dict is no observer") as caught:
        app("openai/*", observers=[{}])  # type: ignore[list-item]
    assert caught.value.code == "gateway.observer"
