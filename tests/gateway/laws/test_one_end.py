"""Law 2: one terminal event, never success after an error, no open call closed by a failure.

Generated streams of five upstreams, cut anywhere and in any chunks, to clients of six protocols.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.gateway.corpus.asking import events_of
from tests.gateway.corpus.kinds import CLIENTS, UPSTREAMS
from tests.gateway.corpus.requests import refusal_faults
from tests.laws.each import for_each

from .ends import end_faults, is_good
from .heard import hear
from .relaying import chunks, exchange_of, relayed
from .scripts import Script, scripts
from .spoken import Event, spoken

PAIRS = list(product(UPSTREAMS, CLIENTS))
KINDS = {"sse": "text/event-stream", "ndjson": "application/x-ndjson"}
SEEDS = st.integers(0, 2**16)


def _text(told: Sequence[Event]) -> str:
    return "".join(one.text for one in told)


@settings(max_examples=8)
@given(scripts(errors=False), SEEDS)
@for_each(("kind", "protocol"), PAIRS)
def test_a_stream_that_ends_well_has_one_end(
    kind: str, protocol: str, script: Script, seed: int
) -> None:
    sent = spoken(kind, script)
    data = b"".join(part for part, _ in sent)
    made = relayed(exchange_of(kind, protocol), chunks(data, seed))
    assert made.refusal is None
    assert made.relay.failed is None
    events = events_of(made.data, made.exchange.framing)
    assert end_faults(protocol, events) == []
    assert is_good(protocol, events[-1]) or protocol in ("gemini", "gemini-interactions")
    heard = hear(protocol, made.data, KINDS[made.exchange.framing])
    assert heard.error == ""
    assert heard.text == "".join(part.whole for part in script.parts if part.kind == "text")
    assert heard.calls == [part.called for part in script.calls]
    assert heard.finish
    if made.exchange.passes and protocol != "anthropic":  # whose clients hear the name they asked
        assert made.data == data


@settings(max_examples=8)
@given(scripts(), SEEDS, st.integers(0, 2**16))
@for_each(("kind", "protocol"), PAIRS)
def test_a_failure_is_told_once_and_closes_no_call(
    kind: str, protocol: str, script: Script, seed: int, cut: int
) -> None:
    """The upstream tells of an error, or is cut off at any byte."""
    sent = spoken(kind, script)
    data = b"".join(part for part, _ in sent)
    if script.error_at is None:
        data = data[: cut % (len(data) + 1)]
    whole, begun = _come(sent, len(data))
    if script.error_at is None and any(one.ends for one in (*whole, *begun)):
        return  # it has ended, as far as anybody can tell
    made = relayed(exchange_of(kind, protocol), chunks(data, seed))
    assert made.relay.failed is not None
    if made.refusal is not None:
        assert _text(whole) == ""
        assert made.refusal.status >= 400
        faults = [one for one in refusal_faults(protocol, made.refusal) if "status" not in one]
        assert faults == [] or made.exchange.passes
        return
    events = events_of(made.data, made.exchange.framing)
    assert end_faults(protocol, events) == []
    heard = hear(protocol, made.data, KINDS[made.exchange.framing])
    assert heard.error
    assert heard.text in (_text(whole), _text([*whole, *begun]))
    finished = [one.whole for one in (*whole, *begun) if one.whole is not None]
    assert heard.calls == [script.calls[nth].called for nth in finished[: len(heard.calls)]]
    if kind == "openai-chat":  # it says of no call that it is whole, but by what comes next
        before = relayed(exchange_of(kind, protocol), _until(sent, whole), end=False)
        assert heard.calls == hear(protocol, before.data, KINDS[made.exchange.framing]).calls


def _come(sent: list[tuple[bytes, Event | None]], size: int) -> tuple[list[Event], list[Event]]:
    """(events that came whole; the one whose last line's end alone is missing, if there is one)."""
    at = 0
    whole: list[Event] = []
    for data, event in sent:
        at += len(data)
        if at > size:
            there = size - (at - len(data))
            lacks_nothing = there >= len(data.rstrip()) and event is not None
            return whole, [event] if lacks_nothing and event is not None else []
        if event is not None:
            whole.append(event)
    return whole, []


def _until(sent: list[tuple[bytes, Event | None]], whole: list[Event]) -> list[bytes]:
    """The bytes of the events that came whole, but for those that tell of an error."""
    kept = {id(one) for one in whole if not one.error}
    return [data for data, event in sent if id(event) in kept]
