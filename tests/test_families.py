"""Model families: which names each fact holds for, whoever hosts them, and what it changes."""

from __future__ import annotations

from datetime import date

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options
from dragoman.capabilities import Capabilities, Fact, override
from dragoman.families import FAMILIES
from dragoman.profiles import PROFILES
from dragoman.vendors import VENDORS, vendor

ROWS: list[Fact] = [
    *FAMILIES.rows,
    *(row for name in VENDORS for facts in vendor(name).facts.values() for row in facts.rows),
    *(row for table in PROFILES.values() for facts in table.values() for row in facts.rows),
]


@pytest.mark.parametrize("fact", ROWS, ids=lambda fact: fact.models[0])
def test_every_fact_has_a_date_a_source_and_known_changes(fact: Fact) -> None:
    date.fromisoformat(fact.since)
    assert fact.source.strip()
    assert override(Capabilities(), fact.changes) is not None
    for pattern in (*fact.models, *fact.but):
        assert pattern == pattern.lower(), "facts are asked by the name in lower case"


@pytest.mark.parametrize("model", ["gpt-5", "gpt-5.6", "gpt-6-mini", "o1", "o3-mini", "o4-mini",
                                   "openai/gpt-5.6", "azure/team/GPT-5"])  # fmt: skip
def test_reasoning_models_refuse_sampling(model: str) -> None:
    req = ChatRequest([Msg.user("x")], options=Options(temperature=0.5, top_p=0.5, seed=1))
    out = dragoman.wire("openai-chat", policy="ignore").write_request(req, model)
    assert "temperature" not in out.body
    assert "top_p" not in out.body
    assert out.body["seed"] == 1
    assert [(loss.code, loss.where) for loss in out.losses] == [
        ("option.refused", "$.options.temperature"), ("option.refused", "$.options.top_p"),
    ]  # fmt: skip


@pytest.mark.parametrize("model", ["gpt-5-chat-latest", "gpt-4.1", "gpt-4o", "llama-3", "o"])
def test_other_models_sample(model: str) -> None:
    req = ChatRequest([Msg.user("x")], options=Options(temperature=0.5))
    out = dragoman.wire("openai-chat").write_request(req, model)
    assert out.body["temperature"] == 0.5
    assert out.losses == []


@pytest.mark.parametrize(
    ("model", "prefill"),
    [
        ("claude-3-5-haiku-20241022", True), ("claude-haiku-4-5", True),
        ("claude-sonnet-4-5-20250929", True), ("claude-opus-4-5", True),
        ("claude-opus-4-6", False), ("claude-opus-5-5", False), ("claude-sonnet-5-5", False),
    ],
)  # fmt: skip
def test_which_models_continue_an_assistants_turn(model: str, prefill: bool) -> None:
    wire = dragoman.wire("anthropic", policy="ignore")
    body = wire.write_request(ChatRequest([Msg.user("x"), Msg.assistant("{")]), model).body
    assert (body["messages"][-1]["role"] == "assistant") is prefill


def test_a_family_is_known_behind_every_host() -> None:
    for host in ("openai", "vllm", "deepseek"):
        assert dragoman.wire(host).can("gpt-5.6").options["temperature"] == "refuses"
    assert "temperature" not in dragoman.wire("openai").can(None).options
