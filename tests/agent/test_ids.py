"""Ids are the model's choice: two calls of one id are two calls, each with its own approval."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dragoman import AsyncLLM, InvalidMessage, Msg, ReActAgent, Tool, tool
from dragoman.agent import CallEvent, Pending, ResultEvent
from dragoman.message import ToolResultBlock, ToolUseBlock
from dragoman.testing import Scripted

from .scripts import HOSTS


class Purse:
    """A tool that pays, and knows what it has paid."""

    def __init__(self) -> None:
        self.paid: list[int] = []
        purse = self

        @tool
        def pay(amount: int) -> str:
            """Pay an amount."""
            purse.paid.append(amount)
            return f"paid {amount}"

        self.tool = pay


@pytest.fixture(autouse=True)
def _region(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-north-1")


def pays(id: str, amount: int) -> ToolUseBlock:
    return ToolUseBlock(id, "pay", {"amount": amount})


def agent_on(protocol: str, purse: Purse, *answers: Any, **settings: Any) -> ReActAgent:
    llm = AsyncLLM(
        f"{HOSTS[protocol]}/{protocol}/bigrams", key="none", policy="ignore", retries=0,
        transport=Scripted(*answers),
    )  # fmt: skip
    return ReActAgent("Friday", None, llm, toolkit=[purse.tool], **settings)


def run(agent: ReActAgent, streams: bool, words: str | None = None) -> Any:
    if not streams:
        return agent.run(words)
    *_, end = agent.run_events(words)
    return end.reply  # type: ignore[union-attr]


def outputs(agent: ReActAgent) -> list[Any]:
    return [block.output for msg in agent.messages for block in msg.blocks
            if isinstance(block, ToolResultBlock)]  # fmt: skip


IDS = [("a", "a"), ("", ""), ("a", "b")]
WIRES = [pytest.param(name, streams, id=f"{name}-{'streamed' if streams else 'whole'}")
         for name in HOSTS for streams in (False, True)]  # fmt: skip


@pytest.mark.parametrize("ids", IDS)
@pytest.mark.parametrize(("protocol", "streams"), WIRES)
def test_each_call_has_its_own_result(protocol: str, streams: bool, ids: tuple[str, str]) -> None:
    purse = Purse()
    calls = [pays(id, amount) for id, amount in zip(ids, (1, 1_000_000), strict=True)]
    agent = agent_on(protocol, purse, calls, "Both are paid.")
    assert run(agent, streams, "Pay both.").finish == "done"
    assert sorted(purse.paid) == [1, 1_000_000]
    assert outputs(agent) == ["paid 1", "paid 1000000"]


@pytest.mark.parametrize("ids", IDS)
@pytest.mark.parametrize(("protocol", "streams"), WIRES)
def test_each_call_has_its_own_approval(protocol: str, streams: bool, ids: tuple[str, str]) -> None:
    purse = Purse()
    calls = [pays(id, amount) for id, amount in zip(ids, (1, 1_000_000), strict=True)]
    first = agent_on(protocol, purse, calls, approve="ask")
    reply = run(first, streams, "Pay both.")
    assert [one.call.input["amount"] for one in reply.pending] == [1, 1_000_000]
    agent = agent_on(protocol, purse, "One is paid.", approve="ask")
    agent.load_state(json.loads(json.dumps(first.state())))
    agent.decide(reply.pending[0], True)
    assert run(agent, streams).finish == "paused"
    assert purse.paid == [1]
    agent.decide(agent.pending[0].key, "too much")
    assert run(agent, streams).finish == "done"
    assert purse.paid == [1]
    assert outputs(agent) == ["paid 1", "the call was not allowed: too much"]


@pytest.mark.parametrize("asks", [False, True])
def test_a_judge_that_allows_one_call_allows_no_other_of_its_id(asks: bool) -> None:
    purse = Purse()

    def judge(call: ToolUseBlock) -> bool | str:
        return call.input["amount"] < 100 or ("ask" if asks else False)

    agent = agent_on("anthropic", purse, [pays("a", 1), pays("a", 1_000_000)], "One is paid.",
                     approve=judge)  # fmt: skip
    assert agent.run("Pay both.").finish == ("paused" if asks else "done")
    assert purse.paid == [1]


def test_the_id_of_the_model_does_where_it_means_one_call_only() -> None:
    purse = Purse()
    agent = agent_on("anthropic", purse, [pays("a", 1), pays("b", 2)], [pays("a", 3)], "Paid.",
                     approve="ask")  # fmt: skip
    agent.run("Pay.")
    old = agent.pending[0]
    agent.decide("a", True)
    agent.decide("b", True)
    assert agent.run().finish == "paused"
    # a second click on the first button: the id is that of another call by now
    for stale in ("a", old, old.key, old.call):
        with pytest.raises(InvalidMessage):
            agent.decide(stale, True)
    with pytest.raises(InvalidMessage, match=r"2 calls .* id 'a' .*agent\.pending") as caught:
        agent.decide("a", True)
    assert caught.value.code == "agent.call_id"
    agent.run()
    assert purse.paid == [1, 2]
    agent.decide(agent.pending[0].call, True)
    agent.run()
    assert purse.paid == [1, 2, 3]


def test_of_two_equal_calls_the_very_block_is_meant() -> None:
    purse = Purse()
    agent = agent_on("anthropic", purse, [pays("a", 1), pays("a", 1)], "Paid.", approve="ask")
    agent.run("Pay.")
    with pytest.raises(InvalidMessage, match=r"agent\.pending"):
        agent.decide(pays("a", 1), True)
    agent.decide(agent.pending[1].call, True)
    agent.decide(agent.pending[0], False)
    agent.run()
    assert (purse.paid, outputs(agent)) == ([1], ["the call was not allowed", "paid 1"])


def test_an_event_of_a_call_decides_and_answers_it() -> None:
    purse = Purse()
    confirm = Tool("confirm", "Ask the user.", {"type": "object"})
    calls = [pays("a", 1), ToolUseBlock("a", "confirm", {}), ToolUseBlock("a", "confirm", {})]
    agent = agent_on("openai-chat", purse, calls, "Confirmed.", approve="ask")
    agent.toolkit.add(confirm)
    waits = [one for one in agent.run_events("Pay.") if isinstance(one, CallEvent)]
    assert [one.type for one in waits] == ["approval", "external", "external"]
    agent.decide(waits[0], True)
    agent.answer(waits[2], "no")
    agent.answer(waits[1].key, "yes")
    events = [*agent.run_events()]
    [result] = [event for event in events if isinstance(event, ResultEvent)]
    assert result.key == waits[0].key
    assert outputs(agent) == ["paid 1", "yes", "no"]


def test_a_call_that_a_new_message_leaves_behind_leaves_the_other_with_its_id() -> None:
    purse = Purse()
    agent = agent_on("anthropic", purse, [pays("a", 1), pays("a", 2)], "Well.", approve="ask")
    agent.run("Pay.")
    agent.decide(agent.pending[0], "no money")
    agent.run("Never mind.")
    assert outputs(agent)[0] == "the call was not allowed: no money"
    assert "was not run" in outputs(agent)[1]
    assert purse.paid == []


# -- states of version 1, whose keys were the ids of the model -------------------------------------


def version_1(calls: list[ToolUseBlock], **run: Any) -> dict[str, Any]:
    messages = [Msg.user("Pay."), Msg("Friday", calls, "assistant")]
    value = {
        "name": "Friday", "sys_prompt": None, "messages": [one.to_dict() for one in messages],
        "run": {"steps": 1, "seconds": 0.5, "repairs": 0, "done": False, "usage": {"input": 3},
                "cost": "0.001", "started": [], "allowed": [], "results": {}, "later": [], **run},
    }  # fmt: skip
    return {"dragoman": 1, "kind": "agent", "value": value}


def test_a_state_of_version_1_goes_on() -> None:
    purse = Purse()
    denied = Msg.tool("b", "the call was not allowed", "pay", True).to_dict()
    state = version_1([pays("a", 1), pays("b", 2), pays("c", 3)], allowed=["a"],
                      results={"b": denied})  # fmt: skip
    agent, other = (agent_on("anthropic", purse, "Paid.", approve="ask") for _ in range(2))
    for one in (agent, other):
        one.load_state(json.loads(json.dumps(state)))
    assert [one.call.id for one in agent.pending] == ["c"]
    assert agent.pending[0].key == other.pending[0].key
    agent.decide("c", True)
    agent.run()
    assert sorted(purse.paid) == [1, 3]
    assert outputs(agent) == ["paid 1", "the call was not allowed", "paid 3"]


def test_what_a_state_of_version_1_allowed_for_two_calls_is_asked_again() -> None:
    purse = Purse()
    agent = agent_on("anthropic", purse, "Paid.", approve="ask")
    agent.load_state(version_1([pays("a", 1), pays("a", 1_000_000)], allowed=["a"]))
    assert [one.call.input["amount"] for one in agent.pending] == [1, 1_000_000]
    agent.load_state(version_1([pays("a", 1), pays("a", 2)],
                     results={"a": Msg.tool("a", "paid", "pay").to_dict()}))  # fmt: skip
    agent.run()
    assert ["not known" in output for output in outputs(agent)] == [True, True]
    assert purse.paid == []


def test_a_pending_call_is_equal_whatever_its_key() -> None:
    assert Pending(pays("a", 1), "approval", "x") == Pending(pays("a", 1), "approval")
