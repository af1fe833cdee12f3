"""What takes the short way comes out as by the usual one, whatever the events and the cuts."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.conversion import stream_converter
from dragoman.gateway.config.config_values import Config, Route, Target
from dragoman.gateway.exchange.convert_stream import ConvertedAnswer
from dragoman.gateway.exchange.exchange import GatewayExchange
from dragoman.gateway.exchange.open_exchange import Gateway
from dragoman.gateway.exchange.text_fast_path import TextFastPath
from dragoman.gateway.surfaces import ClientRequest, openai
from tests.contract.reading.recorded import PRESENT, exchanges
from tests.gateway.asking import PATHS, request
from tests.gateway.load import MODELS, TRANSLATED
from tests.gateway.numbered import CHAT, MESSAGES

RESPONSES = "gpt-5"
GATEWAY = Gateway(
    Config((
        Route(Target("openai/openai-chat/*", secret="none"), models=("gpt-4o",)),
        Route(Target("openai/openai-responses/*", secret="none"), models=(RESPONSES,)),
        Route(Target("anthropic/*", secret="none"), models=("claude-sonnet-4-5",)),
    ))
)  # fmt: skip
ALL_MODELS = {**MODELS, "openai-responses": RESPONSES}
WIRES = {"openai-chat": CHAT, "anthropic": MESSAGES}
PATHS_TOO = {**PATHS, "openai-responses": "/v1/responses"}
PAIRS = (*TRANSLATED, ("openai-responses", "openai-chat"), ("openai-responses", "anthropic"))

ENVELOPE = re.compile(r"(dragoman1\.|ZHJhZ29tYW4xL)[\w=/+-]+")

# JSON spellings: escapes, halves of a pair, what looks like the end of an event
SPELLINGS = ["It", " is", "\\n", '\\"', "\\\\", "é", "\\u00e9", "\U0001f600", "\\ud83d\\ude00",
             "data: ", '\\",\\"obfuscation\\":\\"', "0", "}]}"]  # fmt: skip
texts = st.lists(st.lists(st.sampled_from(SPELLINGS), max_size=4).map("".join), max_size=12)


def answer(client: str, upstream: str, *, short: bool) -> ConvertedAnswer:
    if client == "openai-responses":
        body = json.dumps(
            {"model": ALL_MODELS[upstream], "input": "Well?", "stream": True}
        ).encode()
    else:
        body = request(client, ALL_MODELS[upstream], "Well?", stream=True)
    asked = ClientRequest("POST", PATHS_TOO[client], "", {"content-type": "application/json"})
    asked.body = body
    exchange = GATEWAY.open(asked)
    assert isinstance(exchange, GatewayExchange)
    exchange.call()
    relay = exchange.open_relay()
    assert isinstance(relay, ConvertedAnswer)
    if not short:
        relay._short = None
    return relay


def stream(upstream: str, said: list[str], padding: list[str]) -> list[bytes]:
    wire = WIRES[upstream]
    pieces = [wire.piece.replace(b"%s", text.encode()) for text in said]
    if upstream == "openai-chat":
        pieces = [
            piece.replace(b"}]}", b'}],"obfuscation":"%s"}' % word.encode()) if word else piece
            for piece, word in zip(pieces, [*padding, *[""] * len(pieces)], strict=False)
        ]
    return [wire.begin, *pieces, wire.end]


def told(relay: ConvertedAnswer, chunks: list[bytes], broken: bool) -> list[Any]:
    """The events with their names, and what is known of the answer behind them."""
    data = b""
    for chunk in chunks:
        data += relay.feed(chunk)
        if relay.failed is not None:
            break  # as the app does
    data += relay.finish()
    lines = [line for line in data.split(b"\n") if line]
    events = [
        json.loads(line[6:]) if line.startswith(b"data: {") else line.decode() for line in lines
    ]
    events = [_without_ids(event) for event in events]
    return [
        events,
        relay.answer_so_far.usage,
        relay.events,
        [loss.code for loss in relay.losses],
        broken,
    ]


def _without_ids(value: Any) -> Any:
    """Without what is made anew for each answer: ids, and the envelopes of opaque state."""
    if isinstance(value, dict):
        return {key: _without_ids(inner) for key, inner in value.items() if "id" not in key}
    if isinstance(value, list):
        return [_without_ids(inner) for inner in value]
    return ENVELOPE.sub("...", value) if isinstance(value, str) else value


@pytest.mark.parametrize("pair", PAIRS, ids=" to ".join)
@given(
    said=texts,
    padding=st.lists(st.text("abXY09", min_size=1, max_size=5), max_size=12),
    cuts=st.lists(st.integers(1, 4000), max_size=4),
    whole=st.booleans(),
    broken=st.booleans(),
)
def test_both_ways_say_the_same(
    pair: tuple[str, str], said: list[str], padding: list[str], cuts: list[int], whole: bool,
    broken: bool,
) -> None:  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream_converter, "time", lambda: 1.7e9)  # `created`
        patch.setattr(openai, "time", lambda: 1.7e9)  # `completed_at`
        chunks = stream(pair[1], said, padding)
        if broken:
            chunks.pop()
        if not whole:
            body = b"".join(chunks)
            places = sorted({cut for cut in cuts if cut < len(body)})
            starts, ends = [0, *places], [*places, len(body)]
            chunks = [body[start:end] for start, end in zip(starts, ends, strict=True)]
        usual, short = (told(answer(*pair, short=short), chunks, broken) for short in (False, True))
    assert short == usual


@pytest.mark.parametrize("pair", TRANSLATED, ids=" to ".join)
def test_most_events_take_it(pair: tuple[str, str]) -> None:
    client, upstream = pair
    relay = answer(client, upstream, short=True)
    begin, *pieces, end = stream(upstream, [f"{number} " for number in range(100)], [])
    relay.feed(begin)
    assert all(relay.feed(piece).count(b"\n\n") for piece in pieces)
    assert relay._short is not None
    assert relay._short.events > 90
    relay.feed(end)
    relay.finish()
    assert relay._converter.decoder.snapshot().text == "".join(f"{n} " for n in range(100))


@pytest.mark.skipif(not PRESENT, reason="needs ../shared: recorded traffic")
@pytest.mark.parametrize("source", ["openai-chat", "openai-responses", "anthropic"])
def test_recorded_streams_come_out_the_same(
    source: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.setattr(stream_converter, "time", lambda: 1.7e9)
    short_events = 0
    for recorded in exchanges(source, 4):
        chunks = [_event(*event) for event in recorded.events or ()]
        for client in PATHS if recorded.taken and chunks else ():
            if client == source:
                continue
            usual, short = (answer(client, source, short=short) for short in (False, True))
            assert told(short, chunks, False) == told(usual, chunks, False), recorded.id
            assert short._short is not None
            short_events += short._short.events
    assert short_events > 100


def _event(name: str | None, data: Any) -> bytes:
    text = data if isinstance(data, str) else json.dumps(data, separators=(",", ":"))
    return f"{f'event: {name}{chr(10)}' if name else ''}data: {text}\n\n".encode()


def test_without_pieces_of_text_nothing_is_learned() -> None:
    one = TextFastPath()
    made = [one.feed(b"data: a\n\n", lambda chunk: ([], chunk.upper())) for _ in range(5)]
    assert made == [b"DATA: A\n\n"] * 5
    assert one.events == 0
