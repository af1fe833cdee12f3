"""What answers cost: by the prices of a package, None where nobody knows them."""

from __future__ import annotations

from decimal import Decimal

from dragoman.message import Candidate, ChatResponse, Msg, Usage, Written
from dragoman.model import Answer, Cost
from dragoman.model.cost import cost_of
from dragoman.vendors import vendor

CLAUDE = vendor("anthropic")


def test_cached_tokens_have_their_own_price() -> None:
    spent = Usage(input=850, cache_read=100, cache_write=50, output=100)
    cost = cost_of(spent, CLAUDE, "claude-opus-4-5")
    assert cost is not None
    # $5, $0.5, $6.25 and $25 for a million tokens
    assert cost.input == Decimal("0.0046125")
    assert cost.total == Decimal("0.0071125")
    assert cost.source.startswith("genai-prices ")
    assert str(cost) == "$0.0071125"


def test_costs_add_up() -> None:
    one = Cost(Decimal("0.5"), Decimal("0.25"), "prices")
    assert sum([one, one]) == Cost(Decimal(1), Decimal("0.5"), "prices")


def test_what_nobody_knows_is_none() -> None:
    spent = Usage(input=1, output=1)
    assert cost_of(spent, CLAUDE, "claude-of-tomorrow-99") is None
    assert cost_of(spent, vendor("llamacpp"), "gpt-5.6") is None
    assert cost_of(Usage(), CLAUDE, "claude-opus-4-5") is None
    assert cost_of(spent, CLAUDE, None) is None


def test_an_answer_knows_its_host() -> None:
    resp = ChatResponse([Candidate(Msg("", "hi", "assistant"))], Usage(input=1000, output=0))
    answer: Answer[None] = Answer.of(
        resp, written=Written({}, model="claude-opus-4-5"), host="anthropic"
    )
    assert answer.cost is not None
    assert answer.cost.total == Decimal("0.005")
    assert Answer.of(resp, host="acme").cost is None
