"""Law 2 towards upstreams that do not keep it: nothing is told twice, and nothing behind the end.

They send a second end, or more of an answer behind one, or success behind an error; or they leave
the last event out. And a stream is over once its last event has come, not when somebody hangs up.
"""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.gateway.exchange.open_exchange import Gateway
from tests.each_case import each_case
from tests.gateway.corpus.asking import ask, events_of
from tests.gateway.corpus.kinds import CLIENTS, UPSTREAMS
from tests.laws.each import for_each

from .ends import end_faults, is_error, is_good
from .relaying import Relayed, chunks, exchange_of, relayed
from .scripts import Part, Script, scripts
from .spoken import spoken

PAIRS = list(product(UPSTREAMS, CLIENTS))
SEEDS = st.integers(0, 2**16)
# behind Gemini's reason more may come: nothing of its streams is known to be the last
ENDING = [(kind, protocol) for kind, protocol in PAIRS if kind != "gemini"]
ARRAY = "alt=json"
SCRIPT = Script((Part("text", ("Hel", "lo")), Part("call", ('{"city": ', '"x"}'), "look")))


def _bytes(kind: str, script: Script) -> bytes:
    return b"".join(data for data, _ in spoken(kind, script))


def _events(made: Relayed, protocol: str) -> list[tuple[str | None, Any]]:
    events = events_of(made.data, made.exchange.framing)
    assert end_faults(protocol, events) == []
    return events


@settings(max_examples=4)
@given(scripts(errors=False), SEEDS)
@for_each(("kind", "protocol"), ENDING)
def test_what_comes_behind_the_last_event_is_left_out(
    kind: str, protocol: str, script: Script, seed: int
) -> None:
    """Whole answers, half ones and errors, in the same chunk or in another."""
    data = _bytes(kind, script)
    alone = relayed(exchange_of(kind, protocol), chunks(data, seed))
    more = (data, _bytes(kind, Script(SCRIPT.parts, error_at=2)), data[: len(data) // 2], b"x")
    made = relayed(exchange_of(kind, protocol), chunks(data + more[seed % 4], seed))
    assert made.relay.failed is None
    events = _events(made, protocol)
    if made.exchange.passes and protocol != "anthropic":
        assert made.data == data == alone.data
    kinds = [[name for name, _ in told] for told in (events, _events(alone, protocol))]
    assert kinds[0] == kinds[1]


@settings(max_examples=4)
@given(SEEDS, st.integers(1, 4), st.integers(0, 1))
@for_each(("kind", "protocol"), PAIRS)
def test_nothing_follows_an_error(
    kind: str, protocol: str, seed: int, error_at: int, noise: int
) -> None:
    """No second error, no more of the answer, no good end, and no `[DONE]`."""
    failing = _bytes(kind, Script(SCRIPT.parts, error_at=error_at, noise=noise))
    for more in (_bytes(kind, SCRIPT), failing, b""):
        made = relayed(exchange_of(kind, protocol), chunks(failing + more, seed))
        assert made.relay.failed is not None
        if made.refusal is not None:
            assert made.refusal.status >= 400
            continue
        events = _events(made, protocol)
        assert is_error(protocol, events[-1])


@each_case(("kind", "protocol"), ENDING)
def test_a_stream_is_over_with_its_last_event(kind: str, protocol: str) -> None:
    """So that a client need not wait until the upstream closes its connection."""
    sent = [data for data, _ in spoken(kind, SCRIPT)]
    made = relayed(exchange_of(kind, protocol), sent[:-1], end=False)
    assert not made.relay.over
    made = relayed(exchange_of(kind, protocol), sent, end=False)
    assert made.relay.over
    assert made.relay.feed(b"".join(sent)) == b""
    made.data += made.relay.finish()
    assert _events(made, protocol)


_LEFT_OUT = {"openai-chat": b"[DONE]", "anthropic": b"message_stop"}


@pytest.mark.parametrize("cut", [False, True], ids=["closed", "broken"])
@pytest.mark.parametrize("kind", _LEFT_OUT)
def test_a_last_event_that_says_nothing_is_added(kind: str, cut: bool) -> None:
    """Once the upstream has said why the model stopped: agents look for it."""
    sent = [data for data, _ in spoken(kind, SCRIPT)]
    assert _LEFT_OUT[kind] in sent[-1]
    exchange = exchange_of(kind, kind)
    relay = exchange.open_relay()
    data = b"".join([relay.feed(part) for part in sent[:-1]])
    assert relay.whole
    assert not relay.over
    data += relay.finish(cut)
    events = events_of(data, "sse")
    assert end_faults(kind, events) == []
    assert is_good(kind, events[-1])
    assert relay.failed is None


@pytest.mark.parametrize("kind", _LEFT_OUT)
def test_an_event_that_nothing_closes_is_closed(kind: str) -> None:
    """Clients drop one without a blank line behind it."""
    sent = [data for data, _ in spoken(kind, SCRIPT)]
    for missing in (1, 2):
        last = sent[-2][:-missing]
        data = relayed(exchange_of(kind, kind), [*sent[:-2], last]).data
        assert is_good(kind, events_of(data, "sse")[-1])
        assert data.startswith(b"".join(sent[:-2]) + last)


@pytest.mark.parametrize("protocol", ["openai-chat", "anthropic"])
def test_without_a_reason_the_answer_broke_off(protocol: str) -> None:
    sent = [data for data, _ in spoken(protocol, SCRIPT)]
    upto = -2 if protocol == "anthropic" else -3
    events = _events(relayed(exchange_of(protocol, protocol), sent[:upto]), protocol)
    assert is_error(protocol, events[-1])


def _chunk(index: int, content: str, reason: str | None = None) -> bytes:
    choice = {"index": index, "delta": {"content": content}, "finish_reason": reason}
    body = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return b"data: " + json.dumps({**body, "choices": [choice]}).encode() + b"\n\n"


@pytest.mark.parametrize("protocol", ["openai-chat", "openai-responses", "anthropic"])
def test_one_of_two_answers_that_ended_is_not_all(protocol: str) -> None:
    """Who asks for two answers and gets one and a half is told of it."""
    request = ask(protocol, stream=True)
    request.body = request.body.replace(b'"stream": true', b'"stream": true, "n": 2')
    gateway = Gateway(exchange_of("openai-chat", protocol).gateway.config)
    for reasons, is_whole in (((None, "stop"), False), (("stop", "stop"), True)):
        exchange = gateway.open(request)
        assert not hasattr(exchange, "status")
        exchange.call()
        sent = [_chunk(0, "a"), _chunk(1, "b")]
        sent += [_chunk(nth, "", why) for nth, why in enumerate(reasons) if why]
        events = events_of(relayed(exchange, sent).data, "sse")
        assert end_faults(protocol, events) == []
        assert any(is_good(protocol, event) for event in events) == is_whole


# -- Gemini's JSON array ---------------------------------------------------------------------------


def _array(count: int, reason: str | None = "STOP") -> list[bytes]:
    """The pieces of a streamed array, as Google sends them, and without its end if so."""
    made: list[bytes] = []
    for nth in range(count):
        parts = [
            {"text": f'{nth} ], [ "}}" é'},
            {"functionCall": {"name": "f", "args": {"error": [1]}}},
        ]
        one: dict[str, Any] = {"content": {"parts": parts, "role": "model"}, "index": 0}
        if nth == count - 1 and reason is not None:
            one["finishReason"] = reason
        body = {"candidates": [one], "usageMetadata": {"promptTokenCount": 3}, "modelVersion": "m"}
        made.append((b",\r\n" if nth else b"[") + json.dumps(body, indent=2).encode())
    return made


def test_elements_of_an_array_pass_as_they_come() -> None:
    exchange = exchange_of("gemini", "gemini", ARRAY)
    assert exchange.passes
    assert exchange.framing == "json-array"
    relay = exchange.open_relay()
    sent = [*_array(3), b"\n]\n"]
    out = [relay.feed(part) for part in sent]
    assert out[:3] == sent[:3]
    assert relay.over
    assert b"".join([*out, relay.finish()]) == b"".join(sent).rstrip()
    assert relay.events == 3
    assert relay.answer_so_far.usage.input == 3
    assert relay.answer_so_far.finishes


@settings(max_examples=20)
@given(SEEDS, st.integers(1, 5), st.booleans())
def test_an_array_passes_whatever_the_cuts(seed: int, count: int, garbage: bool) -> None:
    data = b"".join([*_array(count), b"\n]"])
    sent = data + (b"]]} garbage" if garbage else b"\n")
    made = relayed(exchange_of("gemini", "gemini", ARRAY), chunks(sent, seed))
    assert made.data == data
    assert made.relay.failed is None


@settings(max_examples=20)
@given(SEEDS, st.integers(0, 10**6))
def test_an_array_that_breaks_off_ends_with_an_error_in_it(seed: int, cut: int) -> None:
    """What came is kept, half an element is not, and it stays JSON."""
    data = b"".join(_array(3, None))
    # closed by the upstream, though nothing says why the model stopped
    closed = b"".join([*_array(1 + seed % 3, None), b"\n]"])
    for sent in (data[: 1 + cut % len(data)], closed):
        made = relayed(exchange_of("gemini", "gemini", ARRAY), chunks(sent, seed))
        assert made.relay.failed is not None
        if made.refusal is not None:
            assert made.refusal.status == 502
            continue
        *before, last = json.loads(made.data)
        assert before == json.loads(b"".join([*_array(3, None)[: len(before)], b"]"]))
        assert set(last) == {"error"}


def test_an_array_whose_bracket_is_missing_is_closed() -> None:
    made = relayed(exchange_of("gemini", "gemini", ARRAY), [*_array(2), b"\n"])
    assert made.relay.failed is None
    assert made.data == b"".join(_array(2)) + b"]"


def test_an_error_in_an_array_passes_in_its_own_words() -> None:
    told = {"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}
    sent = [*_array(2, None), b",\r\n" + json.dumps(told).encode(), b"\n]"]
    made = relayed(exchange_of("gemini", "gemini", ARRAY), sent)
    assert made.relay.failed is not None
    assert made.relay.failed.kind == "overloaded"
    assert made.data == b"".join(sent)


def test_an_error_in_place_of_an_array_is_one_with_a_status() -> None:
    told = {"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}
    for body in (told, [told]):
        sent = chunks(json.dumps(body, indent=2).encode(), 1)
        made = relayed(exchange_of("gemini", "gemini", ARRAY), sent)
        assert made.refusal is not None
        assert made.refusal.status == 503
