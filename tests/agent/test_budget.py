"""Budgets where a host tells no usage, or one that cannot be."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dragoman import Msg
from dragoman.agent import Budget
from dragoman.agent.run import Run
from dragoman.message import Candidate, ChatResponse, Usage

from .scripts import Counted, agent_of, call

USAGES = {
    "none": Usage(), "negative": Usage(input=-5, output=-3), "half": Usage(input=-1),
    "one": Usage(output=4), "huge": Usage(input=10**30, output=2), "cached": Usage(cache_read=-1),
}  # fmt: skip


@pytest.mark.parametrize("usage", USAGES)
@pytest.mark.parametrize("words", ["How warm is it? " * 200, "天气怎么样？" * 140])
def test_a_budget_of_tokens_holds_where_no_usage_is_told(
    usage: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [[call(str(number), "Paris")] for number in range(9)]
    agent = agent_of(*answers, toolkit=[Counted().tool], budget=Budget(tokens=2000), max_iters=9)
    original = Run.spend

    def spend(self: Run, response: Any, asked: Any) -> Any:
        response.usage = USAGES[usage]
        return original(self, response, asked)

    monkeypatch.setattr(Run, "spend", spend)
    reply = agent.run(words)
    assert reply.finish == "tokens"
    assert 1 < sum(msg.role == "assistant" for msg in agent.messages) < 8
    assert all(part is None or part >= 0 for part in (reply.usage.input, reply.usage.output))
    assert json.loads(json.dumps(agent.state()))["value"]["run"] is None


def test_what_is_told_is_not_estimated() -> None:
    run = Run()
    msg = Msg("Friday", "Hello. " * 1000, "assistant")
    response = ChatResponse([Candidate(msg)], Usage(input=10, output=5))
    run.spend(response, [Msg.user("Hi " * 1000)])
    assert (run.estimated, run.end(Budget(tokens=16), 9), run.end(Budget(tokens=15), 9)) == (
        0, None, "tokens",
    )  # fmt: skip
    run.spend(ChatResponse([Candidate(msg)], Usage(output=5)), [Msg.user("word " * 400)])
    assert run.estimated == 500


def test_a_cost_that_cannot_be_worked_out_is_not_known() -> None:
    class Odd(ChatResponse):
        """An answer whose cost cannot be worked out."""

        @property
        def cost(self) -> Any:
            raise ValueError("negative tokens")

    run = Run()
    msg = Msg("Friday", "Hello.", "assistant")
    assert run.spend(Odd([Candidate(msg)], Usage(input=-10, output=-5)), []) is None
    assert run.cost is None
