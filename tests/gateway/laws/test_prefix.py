"""Law 1: a turn's upstream body begins with that of the turn before, unless the client changed it.

Providers cache by prefixes: a message, a tool or a key that moves costs the whole price again.
"""

from __future__ import annotations

import json
from itertools import pairwise, product
from typing import Any

import pytest

from dragoman.gateway.exchange.exchange import GatewayExchange
from dragoman.gateway.surfaces import ClientRequest
from dragoman.text.json_text import encode_json
from tests.contract.agents.recorded import AGENTS, CORPUS
from tests.each_case import each_case
from tests.gateway.corpus.kinds import CLIENTS, HOME, UPSTREAMS, gateway
from tests.gateway.corpus.requests import Asked, of_agents

from .prefixes import elements, firm, shared, with_first
from .sessions import SEALED, TURNS, answer, begun, grown

PAIRS = list(product(UPSTREAMS, CLIENTS))
# kinds of upstream whose state goes back with the history
SEALING = {"openai-responses", "anthropic", "gemini"}


def opened(kind: str, request: ClientRequest) -> GatewayExchange | None:
    """The exchange; None for a request that is refused."""
    made = gateway(UPSTREAMS[kind], on_fault="drop").open(request)
    return made if isinstance(made, GatewayExchange) else None


def sent(kind: str, request: ClientRequest) -> bytes | None:
    """The body that goes to the upstream; None for what is no question."""
    exchange = opened(kind, request)
    return None if exchange is None or exchange.kind != "generate" else exchange.call().body


def request_of(protocol: str, body: Any) -> ClientRequest:
    path = HOME[protocol].format(model="m", method="generateContent")
    return ClientRequest("POST", path, "", {}, json.dumps(body, ensure_ascii=False).encode())


def prefix_faults(kind: str, before: bytes, after: bytes, least: int) -> list[str]:
    """What is wrong with the second body, of which the first `least` elements were sent before."""
    first, second = json.loads(before), json.loads(after)
    found = []
    if list(first) != [key for key in second if key in first]:
        found.append(f"keys stand otherwise: {list(first)}, {list(second)}")
    if firm(kind, first) != firm(kind, second):
        found.append("the system prompt or the tools are others")
    same = shared(elements(kind, first), elements(kind, second))
    if same < least:
        found.append(f"{same} of {least} elements are the same")
    return found


@each_case(("kind", "protocol"), PAIRS)
def test_an_answered_turn_only_grows(kind: str, protocol: str) -> None:
    """Whole sessions, whose answers come back as the client got them, sealed state and all."""
    body = begun(protocol)
    bodies = []
    passes = False
    for turn in range(TURNS):
        exchange = opened(kind, request_of(protocol, body))
        assert exchange is not None
        bodies.append(exchange.call().body)
        passes = exchange.passes
        told = exchange.convert_answer(200, {}, encode_json(answer(kind, turn)))
        assert told.status == 200
        body = grown(protocol, body, json.loads(told.body))
    bodies.append(sent(kind, request_of(protocol, body)) or b"")
    for before, after in pairwise(bodies):
        count = len(elements(kind, json.loads(before)))
        assert prefix_faults(kind, before, after, count) == []
        if not passes:
            assert (
                encode_json(json.loads(after)) == after
            )  # one way of spelling, so bytes are equal
    if kind in SEALING and protocol != "ollama":  # whose messages have no place for it
        assert bodies[-1].count(SEALED.encode()) >= TURNS - 1


@pytest.mark.parametrize("kind", sorted(SEALING))
def test_what_clients_of_ollama_cannot_bring_back_is_named(kind: str) -> None:
    exchange = opened(kind, request_of("ollama", begun("ollama")))
    assert exchange is not None
    exchange.call()
    exchange.convert_answer(200, {}, encode_json(answer(kind, 0)))
    unsaid = [loss.where for loss in exchange.record.losses if loss.code == "answer.unsupported"]
    assert any(where.endswith(".signature") for where in unsaid)


@pytest.mark.parametrize("protocol", ["openai-chat", "openai-responses", "anthropic", "gemini"])
def test_another_upstream_in_between_changes_no_spelling(protocol: str) -> None:
    """What it sealed is taken out of bytes that else would pass; all others stay as they were."""
    other = "gemini" if protocol != "gemini" else "anthropic"
    body = dict(reversed(begun(protocol).items()))  # no order of ours
    first = sent(protocol, request_of(protocol, body))
    exchange = opened(other, request_of(protocol, body))
    assert exchange is not None
    exchange.call()
    told = exchange.convert_answer(200, {}, encode_json(answer(other, 0)))
    body = grown(protocol, body, json.loads(told.body))
    second = sent(protocol, request_of(protocol, body))
    assert first is not None
    assert second is not None
    assert b"dragoman" not in second
    count = len(elements(protocol, json.loads(first)))
    assert prefix_faults(protocol, first, second, count) == []
    assert list(json.loads(first)) == list(json.loads(second))


@pytest.mark.skipif(not CORPUS.is_dir(), reason="needs the recorded agents in ../shared/corpus")
@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("kind", UPSTREAMS)
def test_recorded_sessions_only_grow(kind: str, agent: str) -> None:
    found, tried = [], 0
    for one, other in pairwise(of_agents(agent)):
        pair = _pair(kind, one, other)
        if pair is not None:
            tried += 1
            found += [(other.id, fault) for fault in pair]
    assert found == []
    assert tried >= 8


def _pair(kind: str, one: Asked, other: Asked) -> list[str] | None:
    """What is wrong with two turns in a row; None where the client's own differ from the start."""
    protocol = one.protocol
    if one.id.partition("#")[0] != other.id.partition("#")[0]:
        return None
    if firm(protocol, one.body) != firm(protocol, other.body):
        return None
    told = elements(protocol, one.body)
    same = shared(told, elements(protocol, other.body))
    before, after = sent(kind, one.request), sent(kind, other.request)
    if before is None or after is None or same == 0:
        return None
    count = len(elements(kind, json.loads(before)))
    if same < len(told):  # the client changed what stands behind these
        cut = with_first(protocol, one.body, same)
        part = ClientRequest(one.request.method, one.request.path, one.request.query,
                             one.request.headers, json.dumps(cut).encode())  # fmt: skip
        count = max(0, len(elements(kind, json.loads(sent(kind, part) or b"{}"))) - 1)
    return prefix_faults(kind, before, after, count)


@pytest.mark.parametrize("kind", UPSTREAMS)
def test_a_result_keeps_its_form_when_the_cache_mark_moves_on(kind: str) -> None:
    def turn(count: int) -> bytes:
        messages: list[Any] = [{"role": "user", "content": "Go."}]
        for i in range(count):
            call = {"type": "tool_use", "id": f"toolu_{i}", "name": "run", "input": {"n": i}}
            result: dict[str, Any] = {
                "type": "tool_result", "tool_use_id": f"toolu_{i}", "content": "Done.",
            }  # fmt: skip
            if i == count - 1:
                result["cache_control"] = {"type": "ephemeral"}
            messages += [{"role": "assistant", "content": [call]},
                         {"role": "user", "content": [result]}]  # fmt: skip
        tools = [{"name": "run", "input_schema": {"type": "object"}}]
        body = {"model": "m", "max_tokens": 2000, "messages": messages, "tools": tools}
        made = sent(kind, request_of("anthropic", body))
        assert made is not None
        return made

    def unmarked(body: bytes) -> list[Any]:
        """The elements without the marks, which the client itself has moved."""
        text = json.dumps(elements(kind, json.loads(body)))
        for mark in ('"prompt_cache_breakpoint": {"mode": "explicit"}',
                     '"cache_control": {"type": "ephemeral"}'):  # fmt: skip
            text = text.replace(f", {mark}", "")
        return list(json.loads(text))

    first, second = unmarked(turn(2)), unmarked(turn(3))
    assert second[: len(first)] == first
