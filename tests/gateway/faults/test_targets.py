"""Fallbacks, retries and bounds: who is asked next, until when, and what the client is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.gateway.config.client_keys import NewKey, new_key
from tests.gateway.faults.provider import (
    CHUNKED,
    CUT,
    LAST,
    RESET,
    WAIT,
    Provider,
    Step,
    answer,
    chunked,
    head,
)
from tests.gateway.faults.serving import ask, connected, post, read, request, route, serving
from tests.gateway.faults.wires import (
    CHAT,
    GEMINI,
    MESSAGES,
    OLLAMA,
    WIRES,
    Wire,
    error_of,
    errors,
    successes,
    texts,
)
from tests.gateway.running import Gateway

FIRST, SECOND = "/v1/messages", "/v1/chat/completions"
either_way = pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])


@pytest.fixture(scope="module")
def falling(server: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """Two targets of two protocols, each asked once; and one that is asked three times."""
    targets = [("anthropic/first", server.url), ("openai/openai-chat/second", f"{server.url}/v1")]
    nobody = [("anthropic/first", "http://127.0.0.1:9"), *targets[1:]]
    settings = (
        route("any", targets, retries=0)
        + route("nobody", nobody, retries=0)
        + route("thrice", targets[1:])
        + "\n[routes.retries]\nattempts = 3\nbackoff = 0.01\n"
    )
    with serving(settings, tmp_path_factory.mktemp("falling")) as running:
        yield running


def _error(status: int, kind: str, *fields: str) -> list[Step]:
    body = {"type": "error", "error": {"type": kind, "message": "not now"}}
    return [answer(json.dumps(body).encode(), status, *fields)]


_FAILING: dict[str, list[Step]] = {
    "429": _error(429, "rate_limit_error", "retry-after: 7"),
    "500": _error(500, "api_error"),
    "529": _error(529, "overloaded_error"),
    "401": _error(401, "authentication_error"),
    "a page": [answer(b"<html>", 502, kind="text/html")],
    "a page with 200": [answer(b"<html>", 200, kind="text/html")],
    "a redirect": [answer(b"", 302, "location: http://elsewhere.example/")],
    "hanging up": [CUT],
    "a reset": [head(), 0.02, RESET],
    "an error as the first event": [head(), MESSAGES.error_event, CUT],
    "an error behind the first event": [
        head(),
        MESSAGES.events[0],
        0.02,
        MESSAGES.error_event,
        CUT,
    ],
    "nothing": [head(), CUT],
    "noise": [head(), b"\x00\xff" * 99, CUT],
}


def _good(stream: bool) -> list[Step]:
    return [CHUNKED, *chunked(CHAT.events), LAST] if stream else [answer(CHAT.whole)]


@pytest.mark.parametrize("how", _FAILING)
@pytest.mark.parametrize("client", WIRES, ids=str)
def test_the_second_target_answers(
    falling: Gateway, provider: Provider, client: Wire, how: str
) -> None:
    for stream in (True, False):
        if not stream and "event" in how:
            continue
        provider.will(_FAILING[how], _good(stream))
        told = ask(falling, client, "any", stream)
        assert told.status == 200, told
        assert b"Hel" in told.body
        assert [one.line.split()[1] for one in provider.asked] == [FIRST, SECOND]
        if stream:
            assert texts(client, told.body) == "Hello"
            assert not errors(client, told.body)


@either_way
def test_a_target_that_nobody_serves(falling: Gateway, provider: Provider, stream: bool) -> None:
    provider.will(_good(stream))
    assert ask(falling, MESSAGES, "nobody", stream).status == 200


@pytest.mark.parametrize("client", WIRES, ids=str)
def test_nobody_is_asked_behind_the_first_text(
    falling: Gateway, provider: Provider, client: Wire
) -> None:
    for end in ([MESSAGES.error_event, CUT], [RESET]):
        provider.will([head(), *MESSAGES.events[:3], 0.05, *end], _good(True))
        told = ask(falling, client, "any")
        assert told.status == 200
        assert len(errors(client, told.body)) == 1
        assert not successes(client, told.body)
        assert len(provider.asked) == 1


@either_way
@pytest.mark.parametrize("client", WIRES, ids=str)
def test_the_last_target_s_error_is_told(
    falling: Gateway, provider: Provider, client: Wire, stream: bool
) -> None:
    last = {"error": {"message": "the last word", "type": "rate_limit_exceeded", "code": None}}
    provider.will(_FAILING["529"], [answer(json.dumps(last).encode(), 429, "retry-after: 9")])
    told = ask(falling, client, "any", stream)
    assert told.status == 429
    assert told.headers["retry-after"] == "9"
    assert "the last word" in error_of(client, told.body)[0]


@either_way
def test_a_fault_of_the_client_s_is_told_at_once(
    falling: Gateway, provider: Provider, stream: bool
) -> None:
    provider.will(_error(400, "invalid_request_error"), _good(stream))
    assert ask(falling, MESSAGES, "any", stream).status == 400
    assert len(provider.asked) == 1


@either_way
def test_a_target_is_asked_as_often_as_the_route_says(
    falling: Gateway, provider: Provider, stream: bool
) -> None:
    provider.will(_error(503, "x"), [CUT], _good(stream))
    assert ask(falling, CHAT, "thrice", stream).status == 200
    assert len(provider.asked) == 3
    provider.will(*[_error(503, "x")] * 4)
    assert ask(falling, CHAT, "thrice", stream).status == 503
    assert len(provider.asked) == 3


# -- bounds ----------------------------------------------------------------------------------------


def test_so_many_at_once(server: Provider, provider: Provider, tmp_path: Path) -> None:
    """`limits.concurrent`: another one is refused with a time to wait, in the client's shape."""
    settings = "[limits]\nconcurrent = 1\n" + "".join(
        route(wire.model, [(wire.target, server.url + wire.base)]) for wire in WIRES
    )
    with serving(settings, tmp_path) as gateway:
        for wire in WIRES:
            provider.will([head(), WAIT, *wire.events, CUT])
            with connected(gateway) as client:
                body = wire.request(wire.model)
                client.sendall(request(wire.path(wire.model, True), body))
                provider.was_asked()
                told = ask(gateway, wire, wire.model)
                assert told.status == (529 if wire is MESSAGES else 503)
                assert int(told.headers["retry-after"]) >= 1
                assert error_of(wire, told.body)[0]
                provider.go_on()
                assert read(client).whole
            assert len(provider.asked) == 1


@pytest.fixture(scope="module")
def keys() -> dict[str, NewKey]:
    return {
        "plain": new_key("plain"),
        "slow": new_key("slow", rate=2),
        "narrow": new_key("narrow", concurrent=1),
        "one model": new_key("one model", models=("to-anthropic",)),
    }


@pytest.fixture(scope="module")
def keyed(
    server: Provider, keys: dict[str, NewKey], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Gateway]:
    entries = "".join(_entry(one) for one in keys.values())
    settings = entries + "".join(
        route(wire.model, [(wire.target, server.url + wire.base)], retries=0) for wire in WIRES
    )
    with serving(settings, tmp_path_factory.mktemp("keyed")) as running:
        yield running


def _entry(made: NewKey) -> str:
    entry = made.entry
    lines = ["[[keys]]", f'name = "{entry.name}"', f'hash = "{entry.hash}"',
             f"models = {json.dumps(entry.models)}"]  # fmt: skip
    lines += [f"{name} = {value}" for name, value in
              (("rate", entry.rate), ("concurrent", entry.concurrent)) if value]  # fmt: skip
    return "\n".join(lines) + "\n"


def _headers(wire: Wire, key: str) -> list[dict[str, str]]:
    """The ways in which clients of a protocol send their key."""
    bearer = {"authorization": f"Bearer {key}"}
    own = {"anthropic": "x-api-key", "gemini": "x-goog-api-key",
           "gemini-interactions": "x-goog-api-key"}  # fmt: skip
    return [bearer, {own[wire.name]: key}] if wire.name in own else [bearer]


@pytest.mark.parametrize("wire", WIRES, ids=str)
def test_keys(keyed: Gateway, provider: Provider, keys: dict[str, NewKey], wire: Wire) -> None:
    key = keys["plain"].key
    for headers in _headers(wire, key):
        provider.will([answer(wire.whole)])
        assert ask(keyed, wire, wire.model, stream=False, **headers).status == 200
        assert key.encode() not in provider.asked[0].raw
    wrong = [key[:-1] + "x", f"dg_{'0' * 16}_{'x' * 43}", "x", "Bearer", "\u00e9", "a" * 5000, ""]
    provider.will()
    for headers in [{}, *(one for text in wrong for one in _headers(wire, text))]:
        told = ask(keyed, wire, wire.model, stream=False, **headers)
        assert told.status == 401, headers
        assert error_of(wire, told.body)[0]
        assert not any(text and text.encode() in told.body for text in wrong if len(text) > 9)
    assert not provider.asked


def test_a_key_in_the_query_is_gemini_s_way_alone(
    keyed: Gateway, provider: Provider, keys: dict[str, NewKey]
) -> None:
    key = keys["plain"].key
    for wire in WIRES:
        provider.will([answer(wire.whole)])
        path = f"{wire.path(wire.model, False)}?key={key}"
        told = post(keyed, path, wire.request(wire.model, stream=False))
        if wire.name.startswith("gemini"):
            assert told.status == 200
            assert key.encode() not in provider.asked[0].raw
        else:
            assert told.status == 401
            assert not provider.asked


def test_a_key_of_another_model(
    keyed: Gateway, provider: Provider, keys: dict[str, NewKey]
) -> None:
    key = keys["one model"].key
    for wire in WIRES:
        provider.will([answer(wire.whole)])
        told = ask(keyed, wire, wire.model, stream=False, authorization=f"Bearer {key}")
        if wire is MESSAGES:
            assert told.status == 200
        else:
            assert told.status == 403
            assert error_of(wire, told.body)[0]
            assert not provider.asked


@pytest.mark.parametrize("wire", [CHAT, MESSAGES, GEMINI, OLLAMA], ids=str)
def test_bounds_of_a_key(
    keyed: Gateway, provider: Provider, keys: dict[str, NewKey], wire: Wire
) -> None:
    slow = {"authorization": f"Bearer {keys['slow'].key}"}
    provider.will(*[[answer(wire.whole)]] * 3)
    statuses = [ask(keyed, wire, wire.model, stream=False, **slow) for _ in range(3)]
    refused = statuses[-1]
    assert refused.status == 429
    assert int(refused.headers["retry-after"]) >= 1
    assert error_of(wire, refused.body)[0]
    narrow = {"authorization": f"Bearer {keys['narrow'].key}"}
    provider.will([head(), WAIT, *wire.events, CUT])
    with connected(keyed) as client:
        body = wire.request(wire.model)
        client.sendall(request(wire.path(wire.model, True), body, **narrow))
        provider.was_asked()
        refused = ask(keyed, wire, wire.model, stream=False, **narrow)
        assert refused.status == 429
        assert refused.headers["retry-after"] == "1"
        provider.go_on()
        assert read(client).whole
    assert len(provider.asked) == 1
