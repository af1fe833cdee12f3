"""Every fact in the house: it has a date, a source, and changes that capabilities take."""

from __future__ import annotations

from datetime import date

import pytest

import dragoman
from dragoman.capabilities import Capabilities, Fact, Facts, override
from dragoman.capabilities.families import FAMILIES
from dragoman.capabilities.families.earlier_facts import PROFILES
from dragoman.vendors import VENDORS, vendor
from tests.each_case import each_case

HOSTS: list[tuple[str, Facts]] = [
    (f"{name}/{protocol}", facts)
    for name in VENDORS
    for protocol, facts in vendor(name).facts.items()
]
ROWS: list[Fact] = [
    *FAMILIES.rows,
    *(row for _, facts in HOSTS for row in facts.rows),
    *(row for table in PROFILES.values() for facts in table.values() for row in facts.rows),
]


@each_case("fact", ROWS, ids=lambda fact: fact.models[0])
def test_every_fact_has_a_date_a_source_and_known_changes(fact: Fact) -> None:
    date.fromisoformat(fact.since)
    assert fact.source.strip()
    assert override(Capabilities(), fact.changes) is not None
    for pattern in (*fact.models, *fact.but):
        assert pattern == pattern.lower(), "facts are asked by the name in lower case"


@each_case("facts", [facts for _, facts in HOSTS])
def test_what_always_holds_at_a_host_has_a_date_and_a_source(facts: Facts) -> None:
    assert override(Capabilities(), facts.always) is not None
    if facts.always:
        date.fromisoformat(facts.since)
        assert facts.source.strip()


def test_a_family_is_known_behind_every_host() -> None:
    for host in ("openai", "vllm", "deepseek", "openrouter", "azure"):
        assert dragoman.wire(host).can("gpt-5.6").options["temperature"] == "refuses"
    assert "temperature" not in dragoman.wire("openai").can(None).options


@pytest.mark.parametrize("model", ["gpt-4.1", "llama-3", "o", "somebody-new"])
def test_models_that_nothing_is_known_of_sample(model: str) -> None:
    out = dragoman.wire("openai-chat").write_request(
        dragoman.ChatRequest([dragoman.Msg.user("x")], options=dragoman.Options(temperature=0.5)),
        model,
    )
    assert out.body["temperature"] == 0.5
    assert out.losses == []
