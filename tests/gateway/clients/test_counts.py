"""Counts of tokens: the upstream's, else the route's counter's, else an estimate; never 0."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dragoman.gateway.config.config_values import Config
from dragoman.message import ChatRequest

from .conftest import Begin
from .test_errors import judge_class
from .upstreams import UPSTREAMS

COUNTING_CLIENTS = ("anthropic", "openai-responses", "gemini")
COUNTING_UPSTREAMS = ("anthropic", "openai-responses", "gemini")
OTHERS = [name for name in UPSTREAMS if name not in COUNTING_UPSTREAMS]
clients = pytest.mark.parametrize("client", COUNTING_CLIENTS)
TEXT = "How warm is Samarkand?"
# of TEXT and what stands around it, by any tokenizer or estimate: not a count of its letters
FEWEST, MOST = 4, 20


def asked(req: ChatRequest) -> str | None:
    [message] = req.messages
    return message.get_text_content()


def counter(config: Config) -> Config:
    [route] = config.routes
    return replace(config, routes=(replace(route, counter="characters"),))


@clients
@pytest.mark.parametrize("upstream", COUNTING_UPSTREAMS)
def test_the_upstream_counts(begin: Begin, client: str, upstream: str) -> None:
    talk, judge = begin(client, upstream, tokens=4711)
    assert talk.count(TEXT) == 4711
    assert not any(judge.judged), judge.judged
    assert asked(judge.requests[0]) == TEXT


@clients
@pytest.mark.parametrize("upstream", OTHERS)
def test_the_routes_counter_counts_where_the_upstream_does_not(
    begin: Begin, client: str, upstream: str
) -> None:
    talk, judge = begin(client, upstream, change=counter)
    assert talk.count(TEXT) >= len(TEXT)
    assert judge.requests == []


@clients
def test_where_the_provider_has_a_way_its_refusal_is_not_hidden(begin: Begin, client: str) -> None:
    """OpenAI counts over Responses alone, which the server of this test has not."""
    talk, judge = begin(client, "openai-chat")
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is judged below
        talk.count(TEXT)
    judge_class(talk, caught.value, 404)
    assert judge.requests == []


@clients
@pytest.mark.parametrize("upstream", [name for name in OTHERS if name != "openai-chat"])
def test_without_either_a_count_is_an_estimate(begin: Begin, client: str, upstream: str) -> None:
    talk, judge = begin(client, upstream)
    short, long = talk.count(TEXT), talk.count(TEXT * 20)
    assert FEWEST <= short <= MOST
    assert 15 * FEWEST <= long - short <= 20 * MOST
    assert judge.requests == []


@clients
@pytest.mark.parametrize("upstream", COUNTING_UPSTREAMS)
def test_a_count_of_0_is_no_count(begin: Begin, client: str, upstream: str) -> None:
    talk, judge = begin(client, upstream, tokens=0)
    assert FEWEST <= talk.count(TEXT) <= MOST
    assert asked(judge.requests[0]) == TEXT


@clients
@pytest.mark.parametrize("upstream", COUNTING_UPSTREAMS)
def test_where_the_route_has_a_counter_that_counts_instead_of_0(
    begin: Begin, client: str, upstream: str
) -> None:
    talk, judge = begin(client, upstream, tokens=0, change=counter)
    assert talk.count(TEXT) >= len(TEXT)
    assert asked(judge.requests[0]) == TEXT
