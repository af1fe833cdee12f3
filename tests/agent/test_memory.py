"""A stored conversation of which two have hold at once: one goes on, the other is told so."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Awaitable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from dragoman import Msg, ReActAgent, tool
from dragoman.agent import SqliteMemory, Stored
from dragoman.errors import RunConflict

from .scripts import agent_of, call


class Till:
    """A tool that pays, and waits until the test lets it."""

    def __init__(self) -> None:
        self.paid: list[str] = []
        self.begun, self.go = threading.Event(), threading.Event()
        till = self

        @tool
        def pay(city: str) -> str:
            """Pay."""
            till.begun.set()
            till.go.wait(20)
            till.paid.append(city)
            return "paid"

        self.tool = pay

    def agent(self, path: Path, *answers: Any, **settings: Any) -> ReActAgent:
        return agent_of(*answers, toolkit=[self.tool], memory=SqliteMemory(path), approve="ask",
                        **settings)  # fmt: skip


def paused(path: Path) -> None:
    """A conversation that waits for an approval."""
    assert Till().agent(path, [call("a", "Paris", "pay")]).run("Pay.").finish == "paused"


@pytest.mark.parametrize("loads", ["before", "meanwhile"])
@pytest.mark.parametrize("streams", [False, True])
def test_a_run_that_is_resumed_twice_at_once_pays_once(
    tmp_path: Path, streams: bool, loads: str
) -> None:
    path = tmp_path / "talk.db"
    paused(path)
    till = Till()
    first = till.agent(path, "Paid.")
    second = till.agent(path, "Paid.")
    first.decide(first.pending[0], True)
    second.decide(second.pending[0], True)
    running = threading.Thread(target=first.run)
    running.start()
    assert till.begun.wait(20)
    if loads == "meanwhile":
        second = till.agent(path, "Paid.")
    with pytest.raises(RunConflict, match="somebody works on") as caught:
        list(second.run_events()) if streams else second.run()
    assert caught.value.code == "run.claimed"
    till.go.set()
    running.join()
    assert till.paid == ["Paris"]
    assert SqliteMemory(path).load().messages[-1].text == "Paid."
    assert [*tmp_path.iterdir()] == [path]  # a claim leaves nothing behind


def test_a_run_that_somebody_else_has_ended_meanwhile_is_not_begun_again(tmp_path: Path) -> None:
    path = tmp_path / "talk.db"
    paused(path)
    till = Till()
    till.go.set()
    agents = [till.agent(path, "Paid.") for _ in range(2)]
    for agent in agents:
        agent.decide(agent.pending[0], True)
    assert agents[0].run().finish == "done"
    for _ in range(2):
        with pytest.raises(RunConflict, match="saved by somebody else") as caught:
            agents[1].run()
        assert caught.value.code == "run.stale"
    assert till.paid == ["Paris"]
    again = till.agent(path, "Good bye.")
    assert again.run("Bye.").finish == "done"  # a new one is where the first has got to
    assert len(SqliteMemory(path).load().messages) == 6


@pytest.mark.parametrize("message", [None, "More."])
def test_nothing_is_asked_for_a_stale_conversation(tmp_path: Path, message: str | None) -> None:
    path = tmp_path / "talk.db"
    agent_of("Hello.", memory=SqliteMemory(path)).run("Hi")
    asked: list[Any] = []
    one = agent_of("One.", memory=SqliteMemory(path))
    two = agent_of("Two.", memory=SqliteMemory(path),
                   hooks={"pre_reasoning": lambda *given: asked.append(given)})  # fmt: skip
    one.run("More.")
    with pytest.raises(RunConflict):
        two.run(message)
    with pytest.raises(RunConflict):
        asyncio.run(two.observe("Listen."))
    assert asked == []
    assert SqliteMemory(path).load().messages == one.messages


def test_two_conversations_of_a_file_are_worked_on_at_once(tmp_path: Path) -> None:
    path = tmp_path / "talks.db"
    till = Till()
    first = agent_of([call("a", "Paris", "pay")], "Paid.", toolkit=[till.tool],
                     memory=SqliteMemory(path, "one"))  # fmt: skip
    running = threading.Thread(target=first.run, args=("Pay.",))
    running.start()
    assert till.begun.wait(20)
    assert agent_of("Hello.", memory=SqliteMemory(path, "two")).run("Hi").finish == "done"
    till.go.set()
    running.join()
    assert len(SqliteMemory(path, "one").load().messages) == 4


def test_one_memory_given_to_two_agents_is_claimed_by_one(tmp_path: Path) -> None:
    memory = SqliteMemory(tmp_path / "talk.db")
    till = Till()
    first = agent_of([call("a", "Paris", "pay")], "Paid.", toolkit=[till.tool], memory=memory)
    running = threading.Thread(target=first.run, args=("Pay.",))
    running.start()
    assert till.begun.wait(20)
    for _ in range(2):  # the refused one gives nothing back that is not its own
        with pytest.raises(RunConflict):
            agent_of("Hello.", memory=memory).run("Hi")
    till.go.set()
    running.join()


@pytest.mark.parametrize("way", ["failed", "cancelled", "left"])
def test_a_claim_ends_with_the_run_however_it_ends(tmp_path: Path, way: str) -> None:
    path = tmp_path / "talk.db"

    async def stopped(agent: ReActAgent) -> None:
        if way == "left":
            events = agent.events("Hi")
            await anext(events)
            await events.aclose()
            return
        running = asyncio.create_task(agent.reply("Hi"))
        if way == "cancelled":
            await asyncio.sleep(0)
            running.cancel()
        await asyncio.wait([running])
        assert running.cancelled() or running.exception() is not None

    answers = ["Hello."] if way == "left" else []
    asyncio.run(stopped(agent_of(*answers, memory=SqliteMemory(path))))
    assert agent_of("Hello.", memory=SqliteMemory(path)).run("Hi").finish == "done"


PROGRAM = """
import sys, time
from dragoman import AsyncLLM, ReActAgent, tool
from dragoman.agent import SqliteMemory
from dragoman.message import ToolUseBlock
from dragoman.testing import Scripted

@tool
def pay(amount: int) -> str:
    "Pay."
    print("begun", flush=True)
    time.sleep(60)
    return "paid"

llm = AsyncLLM("openai/gpt-5.6", key="none", policy="ignore",
               transport=Scripted([ToolUseBlock("a", "pay", {"amount": 7})]))
ReActAgent("Friday", None, llm, toolkit=[pay], memory=SqliteMemory(sys.argv[1])).run("Pay 7.")
"""


def test_the_claim_of_another_process_holds_until_that_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "talk.db"
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        with pytest.raises(RunConflict):
            agent_of("Hello.", memory=SqliteMemory(path)).run()
        process.kill()
    agent = agent_of("It is not known.", memory=SqliteMemory(path))
    assert agent.run().finish == "done"
    assert "not known" in str(agent.messages[2].blocks[0].output)  # type: ignore[union-attr]


def test_a_file_of_an_earlier_release_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "talk.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE entries (conversation TEXT, position INTEGER, value TEXT,"
                   " PRIMARY KEY (conversation, position))")  # fmt: skip
        db.execute("INSERT INTO entries VALUES ('main', -1, 'null')")
        hello = json.dumps(Msg.user("Hello.").to_dict())
        db.execute("INSERT INTO entries VALUES ('main', 0, ?)", (hello,))
    db.close()
    assert agent_of("Hi.", memory=SqliteMemory(path)).run().finish == "done"
    assert [msg.text for msg in SqliteMemory(path).load().messages] == ["Hello.", "Hi."]


class Shelf:
    """A memory of one's own, whose store several of them share; all of it is async."""

    def __init__(self, store: dict[str, Any]) -> None:
        self.store, self.version = store, store.setdefault("version", 0)

    def load(self) -> Stored:
        self.version = self.store["version"]
        messages = [Msg.from_dict(one) for one in self.store.get("messages", ())]
        return Stored(messages, self.store.get("run"))

    def save(self, messages: Sequence[Msg], run: Mapping[str, Any] | None) -> Awaitable[None]:
        async def saved() -> None:
            await asyncio.sleep(0)
            if self.store["version"] != self.version:
                raise RunConflict("somebody else has saved it", code="run.stale")
            self.version += 1
            kept = [msg.to_dict() for msg in messages]
            self.store.update(version=self.version, messages=kept, run=run)

        return saved()

    async def claim(self) -> None:
        if self.store.get("claimed"):
            raise RunConflict("somebody works on it", code="run.claimed")
        self.store["claimed"] = True

    async def release(self) -> None:
        self.store["claimed"] = False

    def clear(self) -> None:
        self.store.clear()


def test_a_memory_of_ones_own_is_claimed_and_released() -> None:
    store: dict[str, Any] = {}
    begun: list[str] = []

    @tool
    async def pay(city: str) -> str:
        """Pay."""
        begun.append(city)
        await asyncio.sleep(0.05)
        return "paid"

    async def both() -> list[Any]:
        agents = [agent_of([call("a", "Paris", "pay")], "Paid.", toolkit=[pay],
                           memory=Shelf(store)) for _ in range(2)]  # fmt: skip
        replies = (agent.reply("Pay.") for agent in agents)
        return await asyncio.gather(*replies, return_exceptions=True)

    ends = asyncio.run(both())
    assert begun == ["Paris"]
    assert [type(end).__name__ for end in ends] == ["Reply", "RunConflict"]
    assert store["claimed"] is False
    assert agent_of("Bye.", memory=Shelf(store)).run("Bye.").finish == "done"
