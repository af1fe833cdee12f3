"""Many requests at once have one step each between two looks at the sockets."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections import Counter
from functools import partial
from typing import Any, Self

import httpx2
import pytest

from dragoman.errors import ConfigError
from dragoman.gateway import App, app
from dragoman.gateway.config.config_values import config_for
from dragoman.gateway.server import asgi
from dragoman.gateway.server.loop_turns import Turns
from dragoman.gateway.telemetry.log import JsonLog
from dragoman.gateway.telemetry.observed_exchange import Observer
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


def test_further_steps_come_before_first_ones() -> None:
    async def steps() -> list[str]:
        turns, done = Turns(), []

        async def request(number: int) -> None:
            await turns.wait(is_new=True)
            done.append(f"open {number}")
            await turns.wait()
            done.append(f"send {number}")

        await asyncio.gather(*(request(number) for number in range(3)))
        return done

    assert asyncio.run(steps()) == ["open 0", "send 0", "open 1", "send 1", "open 2", "send 2"]


def test_two_loops_at_once_are_served_by_one_app(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds, many = 6, 12
    served = app("openai/*", transport=Scripted(*["Yes."] * (2 * rounds * many)), observers=())
    statuses: Counter[int] = Counter()

    async def ask() -> None:
        transport = httpx2.ASGITransport(app=served)
        body = {"model": "gpt-5.6", "messages": [{"role": "user", "content": "Hi."}]}
        async with httpx2.AsyncClient(transport=transport, base_url="http://gateway") as client:
            for _ in range(rounds):
                async with asyncio.timeout(60):
                    for answer in await asyncio.gather(
                        *(client.post("/v1/chat/completions", json=body) for _ in range(many))
                    ):
                        statuses[answer.status_code] += 1

    monkeypatch.setenv("OPENAI_API_KEY", "k")
    threads = [threading.Thread(target=asyncio.run, args=(ask(),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == {200: 2 * rounds * many}


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
from dragoman.gateway import App, app
from dragoman.gateway.config.config_values import config_for

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
    """An observer of before 0.1."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def begun(self, record: Any) -> None:
        self.heard.append("begun")

    def ended(self, record: Any) -> None:
        self.heard.append("ended")


class OldSubclass(Old, Observer):
    """One that inherits the empty methods of the protocol."""


@pytest.mark.parametrize("kind", [Old, OldSubclass])
@pytest.mark.parametrize("door", ["app", "App"])
def test_an_observer_with_the_old_names_is_called(kind: type[Old], door: str) -> None:
    observer: Any = kind()
    transport = Scripted("Yes.")
    make: Any = app if door == "app" else partial(App, config_for("openai/*"))
    arguments = ("openai/*",) if door == "app" else ()
    with pytest.warns(DeprecationWarning, match="on_begin or on_end") as warned:
        served = make(*arguments, transport=transport, observers=[observer])
    assert [one.filename for one in warned] == [__file__]

    async def ask() -> None:
        asgi_transport = httpx2.ASGITransport(app=served)
        async with httpx2.AsyncClient(transport=asgi_transport, base_url="http://g") as client:
            await client.post("/v1/chat/completions", json={"model": "m", "messages": []})

    asyncio.run(ask())
    assert observer.heard == ["begun", "ended"]


class Lost(JsonLog):
    """A class of ours whose old method is no longer called."""

    def ended(self, record: Any) -> None:
        pass


@pytest.mark.parametrize(("observer", "said"), [
    ({}, "dict is no observer"), (Lost(), "Lost has a method `ended`, which nothing calls"),
])  # fmt: skip
def test_what_is_no_observer_is_refused(observer: Any, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        app("openai/*", observers=[observer])
    assert caught.value.code == "gateway.observer"


def test_an_observer_may_leave_out_one_method() -> None:
    class Ends(Observer):
        def on_end(self, record: Any) -> None:
            pass

    observer = Ends()  # type: ignore[abstract]  # no mistake when it runs
    assert app("openai/*", observers=[observer]).observers == (observer,)
