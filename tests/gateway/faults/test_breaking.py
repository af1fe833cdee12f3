"""Providers that break off: before the head, in it, in mid-event, after half a call."""

from __future__ import annotations

import pytest

from tests.gateway.faults.provider import CHUNKED, CUT, LAST, RESET, Provider, Step, chunked, head
from tests.gateway.faults.serving import ask
from tests.gateway.faults.wires import PAIRS, Wire, error_of, errors, named, payloads, successes
from tests.gateway.running import Gateway

pytestmark = pytest.mark.parametrize(("client", "behind"), PAIRS, ids=map(named, PAIRS))
_BEFORE: dict[str, list[Step]] = {
    "before the head": [CUT],
    "before the head, with a reset": [RESET],
    "in the head": [b"HTTP/1.1 200 OK\r\ncontent-ty", CUT],
    "behind the head": [head(), CUT],
    "in the first chunk": [CHUNKED, b"1000\r\ndata: ", RESET],
}


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize("when", _BEFORE)
def test_before_anything_of_the_answer(
    gateway: Gateway, provider: Provider, client: Wire, behind: Wire, when: str, stream: bool
) -> None:
    provider.will(_BEFORE[when])
    answer = ask(gateway, client, behind.model, stream)
    assert answer.status == 502, answer
    assert answer.headers["content-type"] == "application/json"
    assert error_of(client, answer.body)[0]
    assert len(provider.asked) == 1


@pytest.mark.parametrize("how", [CUT, RESET])
@pytest.mark.parametrize("framed", [CHUNKED, head()], ids=["chunked", "to the end"])
def test_in_the_middle_of_an_event(
    gateway: Gateway, provider: Provider, client: Wire, behind: Wire, framed: bytes, how: Step
) -> None:
    """What came is kept, half an event is not passed on, and one error event ends it."""
    plan = _sent(framed, [*behind.events[:-3], behind.events[-3][:20]])
    provider.will([*plan, 0.02, how])
    answer = ask(gateway, client, behind.model)
    assert answer.status == 200
    assert answer.whole
    assert b"Hel" in answer.body
    assert len(errors(client, answer.body)) == 1
    assert payloads(client, answer.body)[-1] == errors(client, answer.body)[0]
    assert not successes(client, answer.body)


def test_a_half_call_is_never_closed(
    gateway: Gateway, provider: Provider, client: Wire, behind: Wire
) -> None:
    at = _half_call(behind)
    provider.will([*_sent(CHUNKED, behind.events[:at]), 0.02, RESET])
    answer = ask(gateway, client, behind.model)
    assert len(errors(client, answer.body)) == 1
    assert not successes(client, answer.body)
    assert _closed_calls(payloads(client, answer.body)) == 0


def test_an_error_of_the_provider_s_in_the_middle(
    gateway: Gateway, provider: Provider, client: Wire, behind: Wire
) -> None:
    at = _half_call(behind)
    provider.will([*_sent(CHUNKED, [*behind.events[:at], behind.error_event]), 0.02, LAST])
    answer = ask(gateway, client, behind.model)
    assert answer.whole
    assert len(errors(client, answer.body)) == 1
    assert b"the provider is busy" in answer.body
    assert payloads(client, answer.body)[-1] == errors(client, answer.body)[0]
    assert not successes(client, answer.body)
    assert _closed_calls(payloads(client, answer.body)) == 0


def test_behind_the_last_event(
    gateway: Gateway, provider: Provider, client: Wire, behind: Wire
) -> None:
    """What is whole stays so, also if the connection is reset behind it."""
    provider.will([*_sent(CHUNKED, behind.events), 0.02, RESET])
    answer = ask(gateway, client, behind.model)
    assert answer.whole
    assert not errors(client, answer.body)
    assert successes(client, answer.body)


def _sent(framed: bytes, events: list[bytes]) -> list[Step]:
    return [framed, *(chunked(events) if framed is CHUNKED else events)]


def _half_call(wire: Wire) -> int:
    """The number of events of which the last is the first half of a call's arguments."""
    marks = (b'{\\"city\\": ', b'"functionCall"', b'"tool_calls"')
    return next(i + 1 for i, event in enumerate(wire.events) if any(m in event for m in marks))


def _closed_calls(events: list[object]) -> int:
    """How many calls an agent would take for whole, where the protocol says so by an event."""
    opened: set[object] = set()
    closed = 0
    for event in events:
        if not isinstance(event, dict):
            continue
        at = event.get("index", event.get("output_index"))
        block = event.get("content_block") or event.get("item") or event.get("step") or {}
        kind = event.get("type") or event.get("event_type")
        if block.get("type") in ("tool_use", "function_call") and str(kind).endswith(
            ("start", "added")
        ):
            opened.add(at)
        ends = ("content_block_stop", "response.output_item.done", "step.stop",
                "response.function_call_arguments.done")  # fmt: skip
        closed += kind in ends and at in opened
    return closed
