"""Pausing, and going on in another process: from JSON, and from a SQLite file."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from dragoman import (
    AsyncLLM,
    InvalidMessage,
    InvalidOutput,
    Msg,
    ReActAgent,
    Tool,
    Toolkit,
    tool,
)
from dragoman.agent import Pending, SqliteMemory
from dragoman.errors import StreamBroken
from dragoman.message import ToolResultBlock, ToolUseBlock
from dragoman.testing import Scripted
from tests.each_case import each_case

from .scripts import Counted, agent_of, call

ANSWERS: list[Any] = [
    [call("a", "Paris"), call("b", "Rome")], [call("c", "Oslo")], "All are warm.",
]  # fmt: skip


class Killed(BaseException):
    """The process is no more."""


def answering(transport: Scripted) -> Any:
    return AsyncLLM("anthropic/claude-opus-5-5", key="none", policy="ignore", transport=transport)


def scripted() -> Scripted:
    """The answer that the history asks for, however often it is asked."""

    def answer(request: Any) -> Any:
        asked = sum(1 for m in request.messages if m.role == "assistant")
        return ANSWERS[asked]

    return Scripted(answer, repeat=True)


def alone(counted: Counted) -> Toolkit:
    """Without threads a call and the saving of its result are one step, which no kill parts."""
    return Toolkit([counted.tool], threads=0)


def whole() -> tuple[list[Msg], list[str]]:
    """(the history of a run that nobody kills, its states as text)."""
    states: list[str] = []
    agent = ReActAgent(
        "Friday", "Be brief.", answering(scripted()), toolkit=alone(Counted()),
        on_step=lambda state: states.append(json.dumps(state)),
    )  # fmt: skip
    agent.run("How warm is it?")
    return agent.messages, states


def test_what_is_stored_after_every_step_goes_on(tmp_path: Path) -> None:
    """Killed as it saves: from JSON, see test_script."""
    history, states = whole()
    assert len(states) > 10
    for last in range(1, len(states)):
        path = tmp_path / f"{last}.db"
        lives = [Counted(), Counted()]
        ran: list[str] = []
        steps = 0

        class Failing(SqliteMemory):
            def save(self, messages: Any, run: Any, last: int = last) -> None:
                nonlocal steps, ran
                if steps < last:
                    super().save(messages, run)
                    steps += 1
                    ran = [*lives[0].cities]  # noqa: B023 - called in this round
                if steps == last:
                    raise Killed

        def made(memory: SqliteMemory, counted: Counted) -> Any:
            return ReActAgent(
                "Friday", "Be brief.", answering(scripted()), toolkit=alone(counted),
                memory=memory, interrupted="rerun",
            )  # fmt: skip

        with pytest.raises(Killed):
            made(Failing(path), lives[0]).run("How warm is it?")
        other = made(SqliteMemory(path), lives[1])
        other.run()
        assert other.messages == history, last
        assert SqliteMemory(path).load().messages == history
        assert sorted([*ran, *lives[1].cities]) == ["Oslo", "Paris", "Rome"], last


def test_killed_while_an_answer_is_repaired_it_is_asked_for_as_often_as_was_allowed() -> None:
    city = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    states: list[str] = []

    def made(*answers: Any) -> ReActAgent:
        return agent_of(
            *answers, response_format=city, repairs=1,
            on_step=lambda state: states.append(json.dumps(state)),
        )  # fmt: skip

    with pytest.raises(StreamBroken):
        made("Paris", StreamBroken("the network is gone")).run("Which city?")
    [state] = [one for one in states if json.loads(one)["value"]["run"]["repairs"] == 1][-1:]
    other = made('{"name": "Paris"}')
    other.load_state(json.loads(state))
    assert other.run().parsed == {"name": "Paris"}
    assert [m.role for m in other.messages] == ["user", "assistant", "user", "assistant"]
    third = made("Paris")
    third.load_state(json.loads(state))
    with pytest.raises(InvalidOutput):
        third.run()


PROGRAM = """
import os, sys
from dragoman import AsyncLLM, ReActAgent, tool
from dragoman.agent import SqliteMemory
from dragoman.message import ToolUseBlock
from dragoman.testing import Scripted

@tool
def pay(amount: int) -> str:
    "Pay."
    with open("paid.txt", "a") as file:
        file.write(f"{amount}\\n")
    if sys.argv[1] == "die":
        os._exit(3)
    return "paid"

answers = [[ToolUseBlock("a", "pay", {"amount": 7})], "It is not known."]
llm = AsyncLLM("openai/gpt-5.6", key="none", policy="ignore",
               transport=Scripted(*answers[sys.argv[1] != "die":]))
agent = ReActAgent("Friday", None, llm, toolkit=[pay], memory=SqliteMemory("talk.db"))
print(agent.run("Pay 7." if sys.argv[1] == "die" else None).msg.text)
"""


def test_a_process_that_dies_within_a_call_does_not_run_it_again(tmp_path: Path) -> None:
    program = textwrap.dedent(PROGRAM)

    def ran(way: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", program, way], cwd=tmp_path, capture_output=True, text=True,
            timeout=60, check=False,
        )  # fmt: skip

    assert ran("die").returncode == 3
    second = ran("go on")
    assert second.stdout.strip() == "It is not known.", second.stderr
    assert (tmp_path / "paid.txt").read_text() == "7\n"
    result = SqliteMemory(tmp_path / "talk.db").load().messages[2].blocks[0]
    assert isinstance(result, ToolResultBlock)
    assert result.is_error


# -- approval, and calls that run elsewhere --------------------------------------------------------


def asked(value: dict[str, Any], counted: Counted, *answers: Any, **settings: Any) -> ReActAgent:
    """An agent in another process, from the JSON of the first."""
    transport = Scripted(*answers)
    agent = ReActAgent("", None, answering(transport), toolkit=[counted.tool], **settings)
    agent.load_state(json.loads(json.dumps(value)))
    return agent


def test_approval_pauses_and_another_process_goes_on() -> None:
    counted = Counted()
    agent = agent_of([call("a", "Paris"), call("b", "Rome")], toolkit=[counted.tool], approve="ask")
    events = [*agent.run_events("Hi")]
    assert [event.call.id for event in events if event.type == "approval"] == ["a", "b"]
    assert events[-1].type == "end"
    assert events[-1].reply.finish == "paused"
    assert [one.call.id for one in agent.pending] == ["a", "b"]
    assert counted.cities == []
    other = asked(agent.state(), counted, "One is warm.", approve="ask")
    other.decide("a", True)
    other.decide("b", "Rome is a secret")
    reply = other.run()
    assert (reply.finish, counted.cities) == ("done", ["Paris"])
    outputs = [str(m.blocks[0].output) for m in other.messages if m.role == "tool"]  # type: ignore[union-attr]
    assert outputs == ["18 degrees in Paris", "the call was not allowed: Rome is a secret"]
    with pytest.raises(InvalidMessage, match="no call a that waits"):
        other.decide("a", True)


def test_calls_that_are_allowed_run_while_others_wait() -> None:
    counted = Counted()

    async def judge(call: ToolUseBlock) -> bool | str:
        return "ask" if call.input["city"] == "Rome" else call.input["city"] == "Paris"

    calls = [call("a", "Paris"), call("b", "Rome"), call("c", "Oslo")]
    agent = agent_of(calls, toolkit=[counted.tool], approve=judge)
    assert agent.run("Hi").finish == "paused"
    assert counted.cities == ["Paris"]
    assert [one.call.id for one in agent.pending] == ["b"]
    other = asked(agent.state(), counted, "Fine.", approve=judge)
    assert other.run().finish == "paused"  # nobody has decided
    other.decide("b", True)
    assert other.run().finish == "done"
    assert counted.cities == ["Paris", "Rome"]
    assert [m.blocks[0].id for m in other.messages if m.role == "tool"] == ["a", "b", "c"]  # type: ignore[union-attr]


def test_calls_of_tools_without_a_function_are_answered_from_outside() -> None:
    confirm = Tool("confirm", "Ask the user.", {"type": "object"})
    counted = Counted()
    calls = [ToolUseBlock("x", "confirm", {}), call("a", "Paris")]
    agent = agent_of(calls, "Confirmed.", toolkit=[confirm, counted.tool])
    reply = agent.run("Hi")
    assert (reply.finish, counted.cities) == ("paused", ["Paris"])
    assert reply.pending == (Pending(calls[0], "external"),)
    agent.answer("x", "yes")
    assert agent.run().msg.text == "Confirmed."  # type: ignore[union-attr]
    assert counted.cities == ["Paris"]
    assert [m.blocks[0].output for m in agent.messages if m.role == "tool"] == [  # type: ignore[union-attr]
        "yes", "18 degrees in Paris",
    ]  # fmt: skip


def test_a_new_message_leaves_open_calls_behind() -> None:
    agent = agent_of([call("a", "Paris")], "As you like.", toolkit=[Counted().tool], approve="ask")
    agent.run("Hi")
    assert agent.run("Never mind.").msg.text == "As you like."  # type: ignore[union-attr]
    roles = [m.role for m in agent.messages]
    assert roles == ["user", "assistant", "tool", "user", "assistant"]
    assert "not run" in str(agent.messages[2].blocks[0].output)  # type: ignore[union-attr]


@pytest.mark.parametrize("way", ["cancelled", "killed"])
@pytest.mark.parametrize("approve", [None, "ask"])
def test_of_a_call_that_had_begun_a_new_message_does_not_say_that_it_was_not_run(
    approve: Any, way: str
) -> None:
    """With or without a message, a call that may have taken effect is one of which none knows."""
    begun: list[str] = []
    states: list[Any] = []

    @tool
    async def pay(city: str) -> str:
        """Pay."""
        begun.append(city)
        await asyncio.sleep(0 if city == "Rome" else 60)
        return "paid"

    calls = [call("a", "Paris", "pay"), call("a", "Rome", "pay"), call("b", "Oslo", "pay")]
    judge = (lambda one: one.input["city"] != "Oslo" or "ask") if approve else None
    agent = agent_of(calls, "Well.", toolkit=[pay], approve=judge, on_step=states.append)

    async def stopped() -> None:
        running = asyncio.create_task(agent.reply("Pay."))
        while '"paid"' not in json.dumps(agent.state()):  # noqa: ASYNC110 - no event tells of it
            await asyncio.sleep(0.01)
        running.cancel()
        await asyncio.wait([running])

    asyncio.run(stopped())
    if way == "killed":
        agent = agent_of("Well.", toolkit=[pay], approve=judge)
        agent.load_state(json.loads(json.dumps(states[-1])))
    agent.run("Do something else.")
    paris, rome, oslo = (str(m.blocks[0].output) for m in agent.messages if m.role == "tool")  # type: ignore[union-attr]
    assert "not known" in paris
    assert rome == "paid"
    assert ("was not run" in oslo) is bool(approve)
    assert ("not known" in oslo) is not bool(approve)
    assert len(begun) == (2 if approve else 3)


def test_what_is_observed_while_calls_are_open_waits_behind_their_results() -> None:

    agent = agent_of([call("a", "Paris")], "Fine.", toolkit=[Counted().tool], approve="ask")
    agent.run("Hi")
    asyncio.run(agent.observe(Msg("Ann", "Hurry.", "user")))
    other = asked(agent.state(), Counted(), "Fine.", approve="ask")
    other.decide("a", True)
    other.run()
    assert [m.role for m in other.messages] == ["user", "assistant", "tool", "user", "assistant"]


@pytest.mark.parametrize(
    "state",
    [{}, [], None, "state", {"kind": "agent", "dragoman": 9}, {"kind": "agent", "dragoman": 1},
     {"kind": "agent", "dragoman": 1, "value": {"name": "x"}}],
)  # fmt: skip
def test_what_is_no_state_is_refused(state: Any) -> None:
    agent = agent_of("Hello.")
    agent.run("Hi")
    before = agent.state()
    with pytest.raises(InvalidMessage):
        agent.load_state(state)
    assert agent.state() == before


def states() -> dict[str, dict[str, Any]]:
    """A state of each kind: with calls that wait and have results, and between two steps."""
    calls = [call("a", "Paris"), call("b", "Rome"), call("c", "Oslo")]
    agent = agent_of(calls, toolkit=[Counted().tool], approve=lambda one: one.id == "a" or "ask")
    agent.run("Hi")
    agent.decide("b", True)
    asyncio.run(agent.observe(Msg("Ann", "Hurry.", "user")))
    paused = agent.state()
    kept: list[Any] = []
    agent_of("Hello.", on_step=kept.append).run("Hi")
    return {"paused": paused, "asking": kept[0], "over": kept[-1]}


WRONG: list[Any] = [
    None, True, -1, 1.5, 10**30, float("nan"), float("inf"), "NaN", "-1", "", "text", [], [1],
    ["text"], {}, {"text": 1}, [None], [[]], [{}], {"a": {}},
]  # fmt: skip


def places_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where a value stands in a state; what a message holds is the business of `Msg.from_dict`."""
    found = [path]
    if isinstance(value, dict) and "role" not in value:
        found += [place for key in value for place in places_in(value[key], (*path, key))]
    return found


def put(state: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    return {**state, path[0]: put(state[path[0]], path[1:], value)}


@pytest.mark.parametrize("kind", ["paused", "asking", "over"])
def test_a_state_that_was_tampered_with_is_taken_whole_or_not_at_all(kind: str) -> None:
    """Any value at any place: either it is one that a state may have there, or it is refused."""
    good = json.loads(json.dumps(states()[kind]))
    agent = agent_of("Hello.")
    for path in places_in(good):
        for value in WRONG:
            before = agent.state()
            try:
                agent.load_state(put(good, path, value))
            except InvalidMessage:
                assert agent.state() == before
                continue
            taken = json.loads(json.dumps(agent.state(), allow_nan=False))
            assert set(taken["value"]) == set(good["value"])
            where = ".".join(map(str, path))
            assert taken["value"]["run"] is None or kind != "over" or not path, where
            if path[-1:] in (("steps",), ("seconds",), ("repairs",), ("cost",)):
                assert value is None or (kind != "over" and float(value) >= 0), where
    for path in [*places_in(good)]:
        parent = good
        for key in path:
            parent = parent[key]
        if isinstance(parent, dict) and "role" not in parent:
            with pytest.raises(InvalidMessage):
                agent.load_state(put(good, path, {**parent, "more": 1}))


@each_case(
    ("path", "value"),
    [
        (("steps",), -1), (("steps",), True), (("steps",), 1.0), (("steps",), "1"),
        (("seconds",), float("nan")), (("seconds",), float("inf")), (("seconds",), -0.5),
        (("cost",), "NaN"), (("cost",), "-1"), (("cost",), "Infinity"), (("cost",), 1),
        (("repairs",), -3), (("done",), 1), (("usage",), None), (("usage", "input"), -5),
        (("usage", "input"), "many"), (("usage", "strange"), 1), (("started",), "abc"),
        (("started",), ["nobody"]), (("allowed",), [1]), (("allowed",), ["nobody"]),
        (("results",), []), (("results",), {"nobody": Msg.tool("a", "x").to_dict()}),
        (("later",), [1]), (("later",), {}), (("id",), 7), (("id",), None),
    ],
)  # fmt: skip
def test_a_run_of_a_wrong_shape_is_refused(path: tuple[str, ...], value: Any) -> None:
    good = json.loads(json.dumps(states()["paused"]))
    agent = agent_of("Hello.")
    if path == ("usage", "strange"):
        good["value"]["run"]["usage"]["strange"] = 0
    before = agent.state()
    with pytest.raises(InvalidMessage):
        agent.load_state(put(good, ("value", "run", *path), value))
    assert agent.state() == before


def test_a_result_of_another_call_is_refused() -> None:
    good = json.loads(json.dumps(states()["paused"]))
    [key] = good["value"]["run"]["results"]
    other = Msg.tool("b", "18 degrees", "warmth").to_dict()
    state = put(good, ("value", "run", "results", key), other)
    with pytest.raises(InvalidMessage, match="not the result of its call"):
        agent_of("Hello.").load_state(state)


def test_a_file_holds_several_conversations_and_forgets_one(tmp_path: Path) -> None:
    path = tmp_path / "talks.db"
    one, two = SqliteMemory(path, "one"), SqliteMemory(path, "two")
    agent = agent_of("Hello.", "Again.", memory=one)
    agent.run("Hi")
    agent_of("Good day.", memory=two).run("Hi")
    agent.messages[:] = agent.messages[1:]  # a plain list: it may be edited
    agent.run("More")
    assert [m.text for m in SqliteMemory(path, "one").load().messages] == [
        "Hello.",
        "More",
        "Again.",
    ]
    one.clear()
    assert SqliteMemory(path, "one").load().messages == []
    assert len(SqliteMemory(path, "two").load().messages) == 2


def test_a_list_is_a_memory() -> None:
    talk = [Msg.user("My name is Tony.")]
    agent_of("Hello, Tony.", memory=talk).run("Hi")
    assert [m.role for m in talk] == ["user", "user", "assistant"]
