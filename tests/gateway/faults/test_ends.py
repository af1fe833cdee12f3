"""Providers that go on, or fall silent, behind the end of an answer: nobody waits for them."""

from __future__ import annotations

from functools import partial

from tests.gateway.faults.provider import CHUNKED, HANG, LAST, Provider, Step, chunked, head
from tests.gateway.faults.serving import ask, at_once
from tests.gateway.faults.wires import (
    CHAT,
    GEMINI,
    INTERACTIONS,
    MESSAGES,
    OLLAMA,
    PAIRS,
    RESPONSES,
    Wire,
    errors,
    named,
    successes,
    texts,
)
from tests.gateway.running import Gateway


def test_a_provider_that_keeps_its_connection_open(gateway: Gateway, provider: Provider) -> None:
    """The client's stream ends, though silence of ten minutes is none that is too long."""

    def check(client: Wire, behind: Wire, framed: bytes) -> None:
        events = behind.events if framed is not CHUNKED else chunked(behind.events)
        case = provider.case([framed, *events, HANG])
        told = ask(gateway, client, behind.model, text=case.mark)
        assert told.whole
        assert not errors(client, told.body)
        assert successes(client, told.body)
        assert texts(client, told.body) == "Hello"
        assert case.asked[0].closed.wait(60)

    framings = {"in chunks": CHUNKED, "to the end": head()}
    at_once({f"{named(pair)} {name}": partial(check, *pair, framed)
             for pair in PAIRS for name, framed in framings.items()})  # fmt: skip


def test_a_provider_that_never_stops(gateway: Gateway, provider: Provider) -> None:
    """What it says behind the end is no part of the answer, and is not read for long."""

    def check(client: Wire, behind: Wire) -> None:
        more = b"".join(behind.events)
        steps: list[Step] = [step for _ in range(600) for step in (more, 0.05)]
        case = provider.case([head(), *behind.events, *steps])
        told = ask(gateway, client, behind.model, text=case.mark)
        assert told.whole
        assert texts(client, told.body) == "Hello"
        assert case.asked[0].closed.wait(60)

    at_once({named(pair): partial(check, *pair) for pair in PAIRS if pair[1] is not GEMINI})


def test_a_connection_serves_the_next_call(gateway: Gateway, provider: Provider) -> None:
    """Where the provider ends its answer a little behind the last event of it."""
    for behind in (CHAT, RESPONSES, MESSAGES, OLLAMA, INTERACTIONS):
        plan: list[Step] = [CHUNKED, *chunked(behind.events), 0.05, LAST]
        provider.will(*[plan] * 2)
        assert ask(gateway, behind, behind.model).whole
        before = provider.connections
        provider.asked[-1].closed.wait(0.3)  # the provider's end comes meanwhile
        assert ask(gateway, behind, behind.model).whole
        assert provider.connections == before
