"""Law 3: figures are the upstream's, as early as it told them; where it told none there is none."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest

from dragoman.gateway.exchange.exchange import GatewayExchange
from tests.each_case import each_case
from tests.gateway.corpus.asking import ask, events_of
from tests.gateway.corpus.kinds import CLIENTS, UPSTREAMS, gateway

from .heard import Heard, hear
from .relaying import Relayed, exchange_of, relayed
from .scripts import Part, Script, Told
from .spoken import INPUT, OUTPUT, REASONING, spoken

PARTS = (Part("thought", ("I look.",)), Part("text", ("One ", "moment.")),
         Part("call", ('{"city": "Merv"}',), "look"))  # fmt: skip
PAIRS = [*product(UPSTREAMS, CLIENTS)]
KINDS = {"sse": "text/event-stream", "ndjson": "application/x-ndjson"}
# what is told apart: by which upstreams, and by which clients
THINK = {"openai-chat", "openai-responses", "gemini"}
CACHE = {*THINK, "anthropic"}
HEAR_THINKING = {*THINK, "gemini-interactions"}


def streamed(kind: str, protocol: str, usage: Told) -> tuple[Relayed, Heard]:
    script = Script(PARTS, usage=usage, cached=5)
    made = relayed(exchange_of(kind, protocol), [data for data, _ in spoken(kind, script)])
    return made, hear(protocol, made.data, KINDS[made.exchange.framing])


@each_case("usage", ["early", "late"])
@each_case(("kind", "protocol"), PAIRS)
def test_figures_are_those_of_the_upstream(kind: str, protocol: str, usage: Told) -> None:
    made, heard = streamed(kind, protocol, usage)
    assert (heard.input, heard.output) == (INPUT, OUTPUT)
    if kind in THINK and protocol in HEAR_THINKING:
        assert heard.reasoning == REASONING
    if kind in CACHE and protocol != "ollama":
        assert heard.cached == 5
    made.exchange.note_stream_end(made.relay)
    figures = made.exchange.record.usage
    assert figures is not None
    assert figures.output == OUTPUT
    assert (figures.input or 0) + (figures.cache_read or 0) == INPUT


@each_case(("kind", "protocol"), [
    pair for pair in PAIRS if pair[0] != "anthropic"  # which always tells some
])  # fmt: skip
def test_where_no_figure_was_told_none_is_made_up(kind: str, protocol: str) -> None:
    made, heard = streamed(kind, protocol, "absent")
    if made.exchange.passes:
        return  # they are the upstream's own words
    told = [payload for _, payload in events_of(made.data, made.exchange.framing)]
    if protocol == "anthropic":  # its types want a figure in the first event and in the last one
        assert not heard.input
        assert not heard.output
    else:
        assert [found for payload in told for found in _figures(payload)] == []


def _figures(value: Any) -> list[Any]:
    """Every figure of tokens in an event."""
    if isinstance(value, list):
        return [found for one in value for found in _figures(one)]
    if not isinstance(value, dict):
        return []
    own = [
        (key, one) for key, one in value.items()
        if isinstance(one, int) and ("token" in key.lower() or key.endswith("eval_count"))
    ]  # fmt: skip
    return own + [found for one in value.values() for found in _figures(one)]


@pytest.mark.parametrize("kind", ["openai-chat", "anthropic", "gemini"])
def test_the_first_event_has_the_figures_that_came_first(kind: str) -> None:
    """`message_start` of an answer tells how long the prompt was: Claude Code compacts by it."""
    made, _ = streamed(kind, "anthropic", "early")
    name, payload = events_of(made.data, "sse")[0]
    assert name == "message_start"
    usage = payload["message"]["usage"]
    assert usage["input_tokens"] == INPUT - 5
    assert usage["cache_read_input_tokens"] == 5


@pytest.mark.parametrize("protocol", CLIENTS[1:])
def test_chat_completions_are_asked_for_figures(protocol: str) -> None:
    exchange = gateway("deepseek/openai-chat/deepseek-flash").open(ask(protocol, stream=True))
    assert isinstance(exchange, GatewayExchange)
    body = json.loads(exchange.call().body)
    assert body["stream_options"] == {"include_usage": True}
