"""Counts of tokens: the upstream's, else the route's counter's, else a refusal; never 0."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dragoman.gateway.config import Config
from dragoman.message import ChatRequest

from .conftest import Begin
from .test_errors import judge_class
from .upstreams import UPSTREAMS

COUNTING_CLIENTS = ("anthropic", "openai-responses", "gemini")
COUNTING_UPSTREAMS = ("anthropic", "openai-responses", "gemini")
OTHERS = [name for name in UPSTREAMS if name not in COUNTING_UPSTREAMS]
clients = pytest.mark.parametrize("client", COUNTING_CLIENTS)
TEXT = "How warm is Samarkand?"


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
@pytest.mark.parametrize("upstream", OTHERS)
def test_without_either_a_count_is_refused(begin: Begin, client: str, upstream: str) -> None:
    talk, judge = begin(client, upstream)
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is judged below
        talk.count(TEXT)
    judge_class(talk, caught.value, 404)
    assert judge.requests == []


@clients
@pytest.mark.parametrize("upstream", COUNTING_UPSTREAMS)
def test_a_count_of_0_is_no_count(begin: Begin, client: str, upstream: str) -> None:
    talk, _ = begin(client, upstream, tokens=0)
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is judged below
        talk.count(TEXT)
    judge_class(talk, caught.value, 404)
