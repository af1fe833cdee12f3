"""Requests of the recorded agents: over their own wire equal, to every host valid, whole.

A few of each agent, which say things of every kind; `make corpus` takes all.
"""

from __future__ import annotations

import json

import pytest

import dragoman
from dragoman import Tool
from dragoman.vendors import VENDORS
from tests.each_case import each_case

from .hosts import HOSTS, Way, request_faults, restored, tools_of
from .recorded import AGENTS, CORPUS, sample, sent

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="needs ../shared: recorded traffic")


@pytest.mark.parametrize("agent", AGENTS)
def test_over_its_own_wire_a_request_is_equal(agent: str) -> None:
    wire = dragoman.wire(AGENTS[agent], policy="ignore")
    assert len(sent(agent)) >= 20
    for one in sent(agent):
        out = wire.write_request(one.request)
        assert (one.id, out.body) == (one.id, one.body)
        assert out.losses == []


@pytest.mark.parametrize("host", HOSTS)
def test_to_every_host_it_is_valid_and_nothing_is_silent(host: str) -> None:
    asked = [one for agent in AGENTS for one in sample(agent)]
    assert [fault for one in asked for fault in request_faults(one, host)] == []


def test_every_wire_of_every_vendor_is_asked() -> None:
    assert {host.partition("/")[0] for host in HOSTS} == {*VENDORS}
    assert {host.partition("/")[2] for host in HOSTS} >= {*AGENTS.values()}


@pytest.mark.parametrize("agent", AGENTS)
def test_the_sample_has_all_kinds_of_things_that_are_sent(agent: str) -> None:
    """Or these tests would show less than they say: tools of each kind among them."""
    assert len(sample(agent)) < len(sent(agent)) / 4
    kinds = frozenset[str]().union(*(one.kinds for one in sent(agent)))
    assert frozenset[str]().union(*(one.kinds for one in sample(agent))) == kinds
    if agent == "codex":
        tools = [tool for one in sample(agent) for tool in tools_of(one)]
        assert any(tool.freeform for tool in tools)
        assert any(tool.namespace for tool in tools)
        others = {t.type for one in sample(agent) for t in one.request.tools if type(t) is not Tool}
        assert others


def test_a_host_that_says_less_is_found() -> None:
    one = sample("claude")[0]
    body = json.loads(json.dumps(one.body))
    del body["tools"][0]
    body["messages"][0]["content"][0]["text"] += " Really."
    less = type(one)(one.id, one.wire, body, one.path, one.request, one.facts, one.kinds)
    found = [fault.partition(": ")[2] for fault in request_faults(less, "openai/openai-chat")]
    assert f"{tools_of(one)[0].name} is not offered" in found
    assert any(fault.startswith("$.tools[0]") for fault in found)


@pytest.mark.parametrize("agent", AGENTS)
def test_calls_and_results_stay_together(agent: str) -> None:
    assert any(m.calls for one in sent(agent) for m in one.request.messages)
    for one in sent(agent):
        results = [block.id for m in one.request.messages for block in m.blocks
                   if block.type == "tool_result"]  # fmt: skip
        assert {call.id for m in one.request.messages for call in m.calls} == {*results}


@each_case("way", ["whole", "streamed"])
@each_case("host", [host for host in HOSTS if dragoman.wire(host).can().tools])
def test_calls_of_every_tool_of_codex_come_back_as_its_own(host: str, way: Way) -> None:
    """Custom tools and tools in namespaces are functions there, and the client's own here."""
    asked = [one for one in sample("codex") if tools_of(one)]
    assert asked
    for one in asked:
        heard, meant = restored(one, host, way)
        assert heard == meant
