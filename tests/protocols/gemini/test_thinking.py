"""How much to think: a level or a budget, as each family of models takes it."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import ChatRequest, Msg, Options, wire
from tests.contract.judges import judge_request
from tests.each_case import each_case


def thinking(model: str, **options: Any) -> tuple[Any, list[str]]:
    request = ChatRequest([Msg.user("Hello")], model=model, options=Options(**options))
    out = wire("gemini", policy="ignore").write_request(request)
    assert judge_request("gemini", out.body, f"/v1beta{out.path}") == []
    config = out.body.get("generationConfig", {}).get("thinkingConfig")
    return config, [f"{loss.code} {loss.field}" for loss in out.losses]


RANGED = ["option.range reasoning"]
ALWAYS = ["reasoning.always reasoning"]


@each_case(
    ("model", "effort", "config", "lost"),
    [
        ("gemini-2.5-pro", "low", {"thinkingBudget": 1024}, []),
        ("gemini-2.5-pro", "medium", {"thinkingBudget": 8192}, []),
        ("gemini-2.5-flash", "high", {"thinkingBudget": 24576}, []),
        ("gemini-2.5-pro", "max", {"thinkingBudget": 32768}, []),
        ("gemini-2.5-flash", "off", {"thinkingBudget": 0}, []),
        ("gemini-2.5-flash-lite", "none", {"thinkingBudget": 0}, []),
        ("gemini-2.5-pro", "off", {"thinkingBudget": 128}, ALWAYS),
        ("gemini-3-pro-preview", "low", {"thinkingLevel": "LOW"}, []),
        ("gemini-3-pro-preview", "medium", {"thinkingLevel": "HIGH"}, RANGED),
        ("gemini-3.1-pro-preview", "medium", {"thinkingLevel": "MEDIUM"}, []),
        ("gemini-3.1-pro-preview", "minimal", {"thinkingLevel": "LOW"}, RANGED),
        ("gemini-3-flash-preview", "minimal", {"thinkingLevel": "MINIMAL"}, []),
        ("gemini-3-flash-preview", "off", {"thinkingLevel": "MINIMAL"}, ALWAYS),
        ("gemini-3.6-flash", "minimal", {"thinkingLevel": "MINIMAL"}, []),
        ("gemini-3.8-flash", "minimal", {"thinkingLevel": "LOW"}, RANGED),
        ("gemini-3.8-flash", "off", {"thinkingLevel": "LOW"}, ALWAYS),
        ("gemini-3.8-flash", "xhigh", {"thinkingLevel": "HIGH"}, RANGED),
        ("gemini-4-neon", "xhigh", {"thinkingLevel": "XHIGH"}, []),
        ("gemini-4-argon", "xhigh", {"thinkingLevel": "HIGH"}, RANGED),
        ("gemini-4-argon", "auto", None, ["reasoning.moot reasoning"]),
        ("gemma-4-31b", "low", {"thinkingLevel": "HIGH"}, RANGED),
        ("my-own-model", "medium", {"thinkingLevel": "MEDIUM"}, []),
        ("my-own-model", "off", {"thinkingLevel": "LOW"}, ALWAYS),
    ],
)
def test_an_effort(model: str, effort: str, config: Any, lost: list[str]) -> None:
    assert thinking(model, reasoning=effort) == (config, lost)


def test_an_effort_that_no_model_knows_is_left_out() -> None:
    assert thinking("gemini-3.8-flash", reasoning="lots") == (None, ["option.refused reasoning"])


@pytest.mark.parametrize(
    ("model", "budget", "said"),
    [
        ("gemini-2.5-pro", 2000, 2000),
        ("gemini-2.5-pro", 5, 128),
        ("gemini-2.5-pro", 99_999, 32_768),
        ("gemini-2.5-pro", -1, -1),
        ("gemini-2.5-flash", 0, 0),
        ("gemini-2.5-flash", 30_000, 24_576),
        ("gemini-2.5-flash-lite", 0, 0),
        ("gemini-2.5-flash-lite", 5, 512),
        ("gemini-3-pro-preview", 2000, 2000),  # tolerated, of the models with levels by these alone
        ("gemini-3.1-pro-preview", 99_999, 32_768),
    ],
)
def test_a_budget(model: str, budget: int, said: int) -> None:
    found, lost = thinking(model, reasoning_budget=budget)
    assert found == {"thinkingBudget": said}
    assert lost == ([] if said == budget else ["option.range reasoning_budget"])


@pytest.mark.parametrize(
    ("model", "budget", "level"),
    [
        ("gemini-3-flash-preview", 1000, "MINIMAL"),
        ("gemini-3.8-flash", 1000, "LOW"),
        ("gemini-3.8-flash", 5000, "MEDIUM"),
        ("gemini-4-argon", 99_999, "HIGH"),
        ("gemini-4-neon", 99_999, "XHIGH"),
    ],
)
def test_a_budget_that_is_refused_becomes_a_level(model: str, budget: int, level: str) -> None:
    found = thinking(model, reasoning_budget=budget)
    assert found == ({"thinkingLevel": level}, ["option.range reasoning_budget"])


def test_no_tokens_are_as_few_as_the_model_takes() -> None:
    always = ["reasoning.always reasoning_budget"]
    assert thinking("gemini-2.5-pro", reasoning_budget=0) == ({"thinkingBudget": 128}, always)
    assert thinking("gemini-4-argon", reasoning_budget=0) == ({"thinkingLevel": "LOW"}, always)


@pytest.mark.parametrize(
    ("model", "config", "lost"),
    [
        ("gemini-2.5-pro", {"thinkingBudget": 2000}, "option.unsupported reasoning"),
        ("gemini-3-pro-preview", {"thinkingBudget": 2000}, "option.unsupported reasoning"),
        ("gemini-4-argon", {"thinkingLevel": "LOW"}, "option.unsupported reasoning_budget"),
    ],
)
def test_never_both(model: str, config: Any, lost: str) -> None:
    assert thinking(model, reasoning="low", reasoning_budget=2000) == (config, [lost])
