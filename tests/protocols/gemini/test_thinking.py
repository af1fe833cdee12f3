"""How much to think: a level or a budget, as each family of models takes it."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import ChatRequest, Msg, Options, wire
from tests.contract.judges import judge_request


def thinking(model: str, **options: Any) -> tuple[Any, list[str]]:
    request = ChatRequest([Msg.user("Hello")], model=model, options=Options(**options))
    out = wire("gemini", policy="ignore").write_request(request)
    assert judge_request("gemini", out.body, f"/v1beta{out.path}") == []
    config = out.body.get("generationConfig", {}).get("thinkingConfig")
    return config, [f"{loss.code} {loss.field}" for loss in out.losses]


@pytest.mark.parametrize(
    ("model", "effort", "config", "ranged"),
    [
        ("gemini-2.5-pro", "low", {"thinkingBudget": 1024}, False),
        ("gemini-2.5-pro", "medium", {"thinkingBudget": 8192}, False),
        ("gemini-2.5-flash", "high", {"thinkingBudget": 24576}, False),
        ("gemini-2.5-pro", "max", {"thinkingBudget": 32768}, False),
        ("gemini-2.5-flash", "off", {"thinkingBudget": 0}, False),
        ("gemini-2.5-flash-lite", "none", {"thinkingBudget": 0}, False),
        ("gemini-2.5-pro", "off", {"thinkingBudget": 128}, True),
        ("gemini-3-pro-preview", "low", {"thinkingLevel": "LOW"}, False),
        ("gemini-3-pro-preview", "medium", {"thinkingLevel": "HIGH"}, True),
        ("gemini-3.1-pro-preview", "medium", {"thinkingLevel": "MEDIUM"}, False),
        ("gemini-3.1-pro-preview", "minimal", {"thinkingLevel": "LOW"}, True),
        ("gemini-3-flash-preview", "minimal", {"thinkingLevel": "MINIMAL"}, False),
        ("gemini-3-flash-preview", "off", {"thinkingLevel": "MINIMAL"}, True),
        ("gemini-3.6-flash", "minimal", {"thinkingLevel": "MINIMAL"}, False),
        ("gemini-3.8-flash", "minimal", {"thinkingLevel": "LOW"}, True),
        ("gemini-3.8-flash", "xhigh", {"thinkingLevel": "HIGH"}, True),
        ("gemini-4-neon", "xhigh", {"thinkingLevel": "XHIGH"}, False),
        ("gemini-4-argon", "xhigh", {"thinkingLevel": "HIGH"}, True),
        ("gemini-4-argon", "auto", None, False),
        ("gemma-4-31b", "low", {"thinkingLevel": "HIGH"}, True),
        ("my-own-model", "medium", {"thinkingLevel": "MEDIUM"}, False),
        ("my-own-model", "off", {"thinkingLevel": "MINIMAL"}, True),
    ],
)
def test_an_effort(model: str, effort: str, config: Any, ranged: bool) -> None:
    found, lost = thinking(model, reasoning=effort)
    assert found == config
    assert lost == (["option.range reasoning"] if ranged else [])


def test_an_effort_that_no_model_knows_is_left_out() -> None:
    assert thinking("gemini-3.8-flash", reasoning="lots") == (None, ["option.refused reasoning"])


@pytest.mark.parametrize(
    ("model", "budget", "said"),
    [
        ("gemini-2.5-pro", 2000, 2000),
        ("gemini-2.5-pro", 5, 128),
        ("gemini-2.5-pro", 99_999, 32_768),
        ("gemini-2.5-pro", 0, 128),
        ("gemini-2.5-pro", -1, -1),
        ("gemini-2.5-flash", 0, 0),
        ("gemini-2.5-flash", 30_000, 24_576),
        ("gemini-2.5-flash-lite", 0, 0),
        ("gemini-2.5-flash-lite", 5, 512),
        ("gemini-3-pro-preview", 2000, 2000),
    ],
)
def test_a_budget(model: str, budget: int, said: int) -> None:
    found, lost = thinking(model, reasoning_budget=budget)
    assert found == {"thinkingBudget": said}
    assert lost == ([] if said == budget else ["option.range reasoning_budget"])


@pytest.mark.parametrize(
    ("model", "config", "lost"),
    [
        ("gemini-2.5-pro", {"thinkingBudget": 2000}, "option.unsaid reasoning"),
        ("gemini-3-pro-preview", {"thinkingLevel": "LOW"}, "option.unsaid reasoning_budget"),
        ("gemini-4-argon", {"thinkingLevel": "LOW"}, "option.refused reasoning_budget"),
    ],
)
def test_never_both(model: str, config: Any, lost: str) -> None:
    assert thinking(model, reasoning="low", reasoning_budget=2000) == (config, [lost])
