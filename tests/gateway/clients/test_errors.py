"""Errors of every stage, as each SDK's own class, with the message and the time to wait."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from dragoman.error_kinds import ErrorKind
from dragoman.errors import Overloaded, ProviderError, RateLimited
from dragoman.gateway.config.config_values import Config
from dragoman.gateway.surfaces import Surface, surfaces
from dragoman.testing import Fault
from tests.each_case import each_case

from . import CLIENTS, Talk
from .conftest import Begin
from .ways import each_pair, each_way

clients = pytest.mark.parametrize("client", CLIENTS)
streams = pytest.mark.parametrize("streams", [False, True], ids=["whole", "stream"])

REFUSALS = {
    400: ProviderError("the temperature is too high", status=400, type="invalid_request_error"),
    401: ProviderError("the key is of no use", status=401, type="authentication_error"),
    404: ProviderError("there is no such model", status=404, type="not_found_error"),
    429: RateLimited("too many requests", status=429, type="rate_limit_error", retry_after=7.0),
    500: ProviderError("something broke", status=500, type="api_error"),
    503: Overloaded("no capacity", status=503, type="overloaded_error", retry_after=9.0),
}


def refusal(talk: Talk) -> Exception:
    """What the SDK raises for the next question."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is what is asked for
        talk.say("How warm is Samarkand?")
    return caught.value


def judge_class(talk: Talk, error: Exception, status: int) -> None:
    assert isinstance(error, talk.raised.get(status, (talk.default_error,))), repr(error)


@each_way
def test_a_refusal_of_the_upstream(begin: Begin, client: str, upstream: str, streams: bool) -> None:
    talk, judge = begin(client, upstream, *REFUSALS.values(), streams=streams)
    for status, told in REFUSALS.items():
        error = refusal(talk)
        # the key is the gateway's own: no client may take it for its own
        judge_class(talk, error, 502 if status == 401 else status)
        assert told.message in talk.message_of(error)
        if told.retry_after is not None and client != "ollama":  # which shows no headers
            assert talk.header_of(error, "retry-after") == f"{told.retry_after:g}"
    assert len(judge.calls) == len(REFUSALS)
    assert not any(judge.judged)


@clients
def test_529_is_what_the_client_knows_it_as(begin: Begin, client: str) -> None:
    told = Overloaded("no capacity", status=529, type="overloaded_error")
    talk, _ = begin(client, "anthropic", told)
    error = refusal(talk)
    judge_class(talk, error, 529)
    status = getattr(error, "status_code", None) or getattr(error, "code", None)
    assert status == (529 if client == "anthropic" else 503)


@streams
@clients
def test_a_refused_connection(begin: Begin, client: str, streams: bool) -> None:
    talk, judge = begin(client, "anthropic", streams=streams)
    judge.__exit__()
    error = refusal(talk)
    judge_class(talk, error, 502)
    assert "connect" in talk.message_of(error).lower()


@each_pair
def test_an_error_as_the_first_event(begin: Begin, client: str, upstream: str) -> None:
    told = Overloaded("no capacity", status=503, type="overloaded_error")
    talk, _ = begin(client, upstream, Fault("Hello.", error=told, after=0), streams=True)
    error = refusal(talk)
    judge_class(talk, error, 503)
    assert told.message in talk.message_of(error)


@each_pair
def test_an_error_in_the_middle_of_a_stream(begin: Begin, client: str, upstream: str) -> None:
    told = Overloaded("no capacity", status=503, type="overloaded_error")
    fault = Fault("Warm, I should say, and dry.", error=told, after=5)
    talk, _ = begin(client, upstream, fault, streams=True)
    error = refusal(talk)
    assert isinstance(error, talk.broken), repr(error)
    assert told.message in talk.message_of(error)


@each_pair
def test_a_connection_that_breaks_in_the_middle(begin: Begin, client: str, upstream: str) -> None:
    talk, _ = begin(client, upstream, Fault("Warm, I should say, and dry.", cut=5), streams=True)
    error = refusal(talk)
    assert isinstance(error, talk.broken), repr(error)
    assert "broke" in talk.message_of(error)


def _only_for(config: Config, pattern: str) -> Config:
    [route] = config.routes
    return replace(config, routes=(replace(route, models=(pattern,)),))


@clients
def test_what_the_gateway_refuses_itself(begin: Begin, client: str) -> None:
    talk, judge = begin(client, "anthropic", change=lambda config: _only_for(config, "another-*"))
    error = refusal(talk)
    judge_class(talk, error, 404)
    assert "no route serves the model 'asked-for'" in talk.message_of(error)
    assert judge.calls == []


@each_case("surface", surfaces(), ids=repr)
@each_case("kind", get_args(ErrorKind))
def test_every_kind_of_error_has_words(surface: Surface, kind: str) -> None:
    status = {"invalid": 400, "too_large": 413}.get(kind)  # these have no word of this spelling
    error = ProviderError("it went wrong", type=kind, status=status)
    assert error.kind == kind
    answer = surface.refusal(error)
    assert answer.status >= 400
    assert b"it went wrong" in answer.body
