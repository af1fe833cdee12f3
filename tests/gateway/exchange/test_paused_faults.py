"""What goes wrong on the way through an answer in several bodies."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from dragoman.gateway.in_process import sdk_timeouts
from dragoman.model.segments import MAX_SEGMENTS
from dragoman.transport.call import Timeouts
from tests.gateway.exchange.pausing import (
    BUSY,
    BUSY_EVENT,
    ONE,
    THREE,
    TWO,
    ask,
    body,
    chunk,
    clients,
    events,
    read,
    says,
    tokens,
    ways,
)
from tests.gateway.faults import wires
from tests.gateway.faults.provider import (
    CHUNKED,
    CUT,
    HANG,
    LAST,
    Provider,
    Step,
    chunked,
)
from tests.gateway.faults.wires import CHAT, INTERACTIONS, MESSAGES, Wire
from tests.gateway.running import Gateway


@ways
@clients
def test_a_fault_in_the_second_body_ends_the_stream_as_an_error(
    client: Wire, way: str, provider: Provider, gateway: Gateway
) -> None:
    cut: list[Step] = [CHUNKED, *chunked(events(says("two, "), says("thr"))[:-1]), 0.02, CUT]
    provider.will(ONE, cut)
    data = ask(way, provider, gateway, client)
    assert wires.texts(client, data).startswith("Thinking. One, two, ") or client is INTERACTIONS
    assert len(wires.errors(client, data)) == 1
    assert wires.payloads(client, data)[-1] in (*wires.errors(client, data), "[DONE]")
    assert not wires.successes(client, data)
    assert len(provider.asked) == 2


@pytest.mark.parametrize("way", ["threads", "httpx2", "server"])
@clients
def test_a_rest_that_cannot_be_had_ends_the_stream_as_an_error(
    client: Wire, way: str, provider: Provider, gateway: Gateway
) -> None:
    provider.will(ONE, [BUSY], [BUSY])
    data = ask(way, provider, gateway, client)
    assert b"Busy" in data
    assert len(wires.errors(client, data)) == 1
    assert not wires.successes(client, data)
    assert tokens(provider) == [None, "dDE=", "dDE="]


BROKEN: dict[str, list[Step]] = {
    "a status": [BUSY],
    "no answer": [CUT],
    "an error as the first event": [CHUNKED, *chunked([BUSY_EVENT]), LAST],
    "an error before any content": [
        CHUNKED, *chunked([chunk(says(""), modelVersion="gemini-4-argon", usageMetadata={
            "promptTokenCount": 99, "totalTokenCount": 99}), BUSY_EVENT]), LAST,
    ],
}  # fmt: skip


@ways
@pytest.mark.parametrize("fault", BROKEN)
def test_a_later_body_alone_is_asked_for_again(
    fault: str, way: str, provider: Provider, gateway: Gateway
) -> None:
    provider.will(ONE, BROKEN[fault], TWO, THREE)
    resp = read(CHAT, ask(way, provider, gateway, CHAT))
    assert (
        resp.candidates[0].msg.get_text_content() == "Thinking. One, two, three, four, five, six."
    )
    assert (resp.usage.input, resp.usage.output) == (30, 18)
    assert tokens(provider) == [None, "dDE=", "dDE=", "dDI="]


@pytest.mark.parametrize("way", ["threads", "httpx2", "server"])
def test_a_body_that_breaks_after_its_end_is_whole(
    way: str, provider: Provider, gateway: Gateway
) -> None:
    provider.will([*ONE[:-1], 0.02, CUT], THREE)
    resp = read(CHAT, ask(way, provider, gateway, CHAT))
    assert resp.candidates[0].msg.get_text_content() == "Thinking. One, six."
    assert resp.finish.reason == "stop"


@pytest.mark.parametrize("way", ["threads", "httpx2", "server"])
def test_an_event_that_breaks_after_a_pause_is_left_out(
    way: str, provider: Provider, gateway: Gateway
) -> None:
    begun = chunk(says("lost"), usageMetadata={"promptTokenCount": 99}).rstrip()
    provider.will([*ONE[:-1], *chunked([begun]), 0.02, CUT], THREE)
    resp = read(CHAT, ask(way, provider, gateway, CHAT))
    assert resp.candidates[0].msg.get_text_content() == "Thinking. One, six."
    assert (resp.usage.input, resp.usage.output) == (20, 12)
    assert resp.finish.reason == "stop"


def _both(first: str, second: str, token: str = "") -> bytes:
    """The only event of a body with two candidates; the first pauses if there is a token."""
    entries: list[dict[str, Any]] = [
        {"content": {"role": "model", "parts": [says(text)]}, "index": index,
         "finishReason": "STOP"}
        for index, text in enumerate((first, second)) if text
    ]  # fmt: skip
    if token:
        entries[0].update(finishReason="CONTINUATION", continuationToken=token)
    return b"data: " + json.dumps({"candidates": entries}).encode() + b"\n\n"


@ways
def test_one_of_two_candidates_pauses(way: str, provider: Provider, gateway: Gateway) -> None:
    bodies = [_both("One, ", "Whole.", "dDE="), _both("two.", "")]
    provider.will(*([CHUNKED, *chunked([data]), LAST] for data in bodies))
    resp = read(CHAT, ask(way, provider, gateway, CHAT))
    assert [one.msg.get_text_content() for one in resp.candidates] == ["One, two.", "Whole."]
    assert [one.finish.reason for one in resp.candidates] == ["stop", "stop"]
    assert tokens(provider) == [None, "dDE="]


@pytest.mark.parametrize("way", ["threads", "httpx2"])
def test_a_body_whose_connection_stays_open_is_whole(way: str, provider: Provider) -> None:
    provider.will([*ONE[:-1], HANG], THREE)
    resp = read(CHAT, ask(way, provider, None, CHAT, stall=0.5))
    assert resp.candidates[0].msg.get_text_content() == "Thinking. One, six."


def test_after_a_pause_the_wait_for_more_bytes_is_the_short_one(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    class Noted(threading.Timer):
        def __init__(self, interval: float, function: Any) -> None:
            waits.append(interval)
            super().__init__(interval, function)

    monkeypatch.setattr(sdk_timeouts, "Timer", Noted)
    monkeypatch.setattr(sdk_timeouts, "LINGER", 0.2)
    provider.will([*ONE[:-1], HANG], THREE)
    resp = read(CHAT, ask("threads", provider, None, CHAT, stall=9))
    assert resp.candidates[0].msg.get_text_content() == "Thinking. One, six."
    assert waits == [0.2, 0.2]


@pytest.mark.parametrize("way", ["threads", "httpx2"])
@clients
def test_the_bodies_are_bounded(client: Wire, way: str, provider: Provider) -> None:
    provider.will(*(body(says("x"), token=f"t{nth}") for nth in range(MAX_SEGMENTS + 5)))
    data = ask(way, provider, None, client)
    assert len(provider.asked) == MAX_SEGMENTS
    resp = read(client, data)
    assert resp.candidates[0].msg.get_text_content() == "x" * MAX_SEGMENTS
    assert resp.finish.reason == ("pause" if client in (INTERACTIONS, MESSAGES) else "length")
    assert not wires.errors(client, data)


@pytest.mark.parametrize("way", ["threads", "httpx2"])
@clients
def test_a_pause_without_a_token_is_passed_on(client: Wire, way: str, provider: Provider) -> None:
    end = chunk(says("One."), reason="CONTINUATION", modelVersion="gemini-4-argon")
    provider.will([CHUNKED, *chunked([end]), LAST])
    resp = read(client, ask(way, provider, None, client))
    assert resp.candidates[0].msg.get_text_content() == "One."
    assert resp.finish.reason == ("pause" if client in (INTERACTIONS, MESSAGES) else "length")
    assert len(provider.asked) == 1


@pytest.mark.parametrize("way", ["threads", "httpx2"])
def test_all_bodies_together_have_the_bound_of_an_answer(way: str, provider: Provider) -> None:
    provider.will(body(says("x" * 3000), token="dDE="), body(says("y" * 3000)))
    data = ask(way, provider, None, CHAT, answer=5000)
    assert b"5000 bytes" in data
    assert len(wires.errors(CHAT, data)) == 1


@pytest.mark.parametrize("way", ["threads", "httpx2"])
def test_the_total_time_is_that_of_all_bodies(way: str, provider: Provider) -> None:
    provider.will([*ONE[:-1], 0.6, LAST], [0.6, *TWO], [0.6, *THREE])
    data = ask(way, provider, None, CHAT, timeouts=Timeouts(total=1.0))
    assert b"did not finish its answer within" in data
    assert len(wires.errors(CHAT, data)) == 1


@pytest.mark.parametrize("way", ["threads", "httpx2"])
def test_a_later_body_that_falls_silent(way: str, provider: Provider) -> None:
    begun: list[Step] = [CHUNKED, *chunked(events(says("two, "))[:-1]), HANG]
    provider.will(ONE, begun)
    data = ask(way, provider, None, CHAT, stall=0.3)
    assert b"sent nothing" in data
    assert wires.texts(CHAT, data) == "Thinking. One, two, "


@pytest.mark.parametrize("way", ["threads", "httpx2", "server"])
def test_a_body_whose_last_event_is_not_closed(
    way: str, provider: Provider, gateway: Gateway
) -> None:
    end = chunk(says("two, "), reason="CONTINUATION", token="dDE=", modelVersion="gemini-4-argon")
    plan = [*events(says("One, "))[:-1], end.rstrip()]
    provider.will([CHUNKED, *chunked(plan), LAST], THREE)
    resp = read(CHAT, ask(way, provider, gateway, CHAT))
    assert resp.candidates[0].msg.get_text_content() == "One, two, six."
    assert resp.finish.reason == "stop"


def test_a_pause_before_any_content(provider: Provider) -> None:
    provider.will(body(token="dDE="), THREE)
    resp = read(CHAT, ask("threads", provider, None, CHAT))
    assert resp.candidates[0].msg.get_text_content() == "six."
