"""A part of the recorded traffic through the gateway; `make corpus` runs all of it."""

from __future__ import annotations

import pytest

from tests.contract.agents.recorded import AGENTS
from tests.contract.reading.recorded import PRESENT

from .answers import Heard, answered, recorded_answers
from .kinds import CLIENTS, UPSTREAMS
from .requests import Tally, of_agents, recorded, sent

pytestmark = pytest.mark.skipif(not PRESENT, reason="needs the recorded traffic in ../shared")

# what may be refused: state that only the client's provider keeps, envelopes of another gateway,
# a body without a model (Bedrock's stand in its path), and nothing to ask
_EVERY = {"openai-chat": 250, "openai-responses": 150, "anthropic": 60, "gemini": 50, "ollama": 10}
REASONS = {"state.server_side", "envelope.changed", "request.model", "messages.empty"}


@pytest.mark.parametrize("protocol", CLIENTS)
def test_requests_are_answered_or_refused_with_a_reason(protocol: str) -> None:
    tallies = {kind: Tally() for kind in UPSTREAMS}
    for one in recorded(protocol, every=150 if protocol == "openai-chat" else 20):
        for kind, tally in tallies.items():
            sent(one, kind, tally)
    assert {kind: tally.faults for kind, tally in tallies.items() if tally.faults} == {}
    assert all(tally.refused.keys() <= REASONS for tally in tallies.values())
    assert all(tally.passed + tally.converted > 0 for tally in tallies.values())


@pytest.mark.parametrize("agent", AGENTS)
def test_what_agents_send_is_answered_or_refused(agent: str) -> None:
    tallies = {kind: Tally() for kind in UPSTREAMS}
    for one in list(of_agents(agent))[::5]:
        for kind, tally in tallies.items():
            sent(one, kind, tally)
    assert {kind: tally.faults for kind, tally in tallies.items() if tally.faults} == {}
    assert all(tally.refused.keys() <= {"envelope.changed"} for tally in tallies.values())


@pytest.mark.parametrize("kind", UPSTREAMS)
def test_clients_hear_what_the_upstream_said(kind: str) -> None:
    made = {protocol: Heard() for protocol in CLIENTS}
    for one in recorded_answers(kind, every=_EVERY[kind]):
        for protocol, heard in made.items():
            answered(one, kind, protocol, heard)
    assert {name: heard.faults for name, heard in made.items() if heard.faults} == {}
    assert all(heard.whole + heard.streams > 0 for heard in made.values())
