"""A strict server takes what a provider takes, says what is wrong, and fails as networks do."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from http.client import IncompleteRead
from typing import Any

import pytest

from dragoman import ProviderError
from dragoman.errors import StreamBroken
from dragoman.testing import Fault, Replay, StrictServer
from dragoman.transport.call import HttpCall, Timeouts
from dragoman.transport.over_httpx2 import Httpx2Transport
from dragoman.vendors import PROTOCOLS
from tests.testing.calls import CALL, WARMTH, asked, call_of, written
from tests.testing.test_replay import recorded

EACH = pytest.mark.parametrize("name", PROTOCOLS)
BOTH = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
GUARD = Timeouts(read=30)


@pytest.fixture
def transport() -> Iterator[Httpx2Transport]:
    made = Httpx2Transport()
    yield made
    made.close()


@EACH
@BOTH
def test_every_wire_is_served(name: str, stream: bool, transport: Httpx2Transport) -> None:
    req = asked(stream, tools=[WARMTH])
    wire, out = written(name, req)
    with StrictServer(name, [CALL]) as server:
        call = call_of(out, server.url)
        if stream:
            with transport.stream(call, GUARD) as reply:
                assert reply.status == 200, reply.read()
                read = wire.read_stream(iter(reply), request=out)
                list(read)
                answer = read.response
        else:
            whole = transport.send(call, GUARD)
            answer = wire.read_response(whole.body, request=out, status=whole.status)
        assert [call.name for call in answer.calls] == ["warmth"]
        assert server.judged == [[]]
        assert server.requests[0].messages[-1].text == "How warm is it?"


@EACH
def test_a_wrong_body_is_refused_in_the_wires_own_words(
    name: str, transport: Httpx2Transport
) -> None:
    wire, out = written(name, asked())
    for key in ("messages", "input", "contents"):
        if key in out.body:
            out.body[key] = 17
    with StrictServer(name) as server:
        reply = transport.send(call_of(out, server.url), GUARD)
        assert reply.status == 400
        error = wire.error(reply.status, reply.body)
        assert error.message
        assert server.judged[0]
        assert server.requests == []


def test_the_reasons_are_told(transport: Httpx2Transport) -> None:
    _, out = written("openai-chat", asked())
    out.body["n"] = 0
    with StrictServer("openai") as server:
        reply = transport.send(call_of(out, server.url), GUARD)
        assert "$.n" in json.loads(reply.body)["error"]["message"]
        assert server.judged[0][0].startswith("$.n: ")
    with StrictServer("openai", strict=False) as server:
        assert transport.send(call_of(out, server.url), GUARD).status == 200


def test_ones_own_judges_are_asked(transport: Httpx2Transport) -> None:
    def no_shouting(body: Any, path: str) -> list[str]:
        assert path == "/v1/chat/completions"
        return ["do not shout"] if b"!!" in body else []

    with StrictServer("openai", judges=[no_shouting]) as server:
        for text, status in (("Hi.", 200), ("Hi!!", 400)):
            out = written("openai-chat", asked(text=text))[1]
            assert transport.send(call_of(out, server.url), GUARD).status == status
        assert server.judged == [[], ["do not shout"]]


def test_paths_methods_and_keys(transport: Httpx2Transport) -> None:
    _, out = written("anthropic", asked())
    with StrictServer("anthropic", key="sk-1") as server:
        call = call_of(out, server.url)
        assert transport.send(call, GUARD).status == 401
        for headers in ({"x-api-key": "sk-1"}, {"authorization": "Bearer sk-1"}):
            assert transport.send(call_of(out, server.url, **headers), GUARD).status == 200
        elsewhere = HttpCall("POST", f"{server.root}/v1/nothing", {}, b"{}")
        assert transport.send(elsewhere, GUARD).status == 404
        assert transport.send(HttpCall("GET", call.url, {}, b""), GUARD).status == 405
        assert len(server.calls) == 5


def test_errors_then_an_answer(transport: Httpx2Transport) -> None:
    wire, out = written("anthropic", asked())
    busy = ProviderError("later", status=429, type="rate_limit_error", retry_after=1.5)
    broken = ProviderError("oops", status=500, type="api_error")
    with StrictServer("anthropic", busy, *[broken] * 3, "Hello again.") as server:
        replies = [transport.send(call_of(out, server.url), GUARD) for _ in range(6)]
        assert [reply.status for reply in replies] == [429, 500, 500, 500, 200, 200]
        assert replies[0].headers["retry-after"] == "1.5"
        assert wire.read_response(replies[-1].body).text == "Hello again."


@EACH
def test_a_stream_that_is_cut(name: str, transport: Httpx2Transport) -> None:
    _, out = written(name, asked(True))
    with StrictServer(name, Fault("It is warm in Samarkand.", cut=3)) as server:
        came: list[bytes] = []
        with transport.stream(call_of(out, server.url), GUARD) as reply:
            assert reply.status == 200
            with pytest.raises(StreamBroken):
                came.extend(reply)  # it keeps what came before the break
        assert came


def test_an_error_inside_of_a_stream_and_a_malformed_one(transport: Httpx2Transport) -> None:
    wire, out = written("anthropic", asked(True))
    busy = ProviderError("too busy", status=529, type="overloaded_error")
    faults = [Fault("It is warm.", error=busy, after=4), Fault("It is warm.", malformed=3)]
    with StrictServer("anthropic", *faults, Fault("It is warm.", pause=0.001)) as server:
        answers = []
        for _ in range(3):
            with transport.stream(call_of(out, server.url), GUARD) as reply:
                read = wire.read_stream(iter(reply), request=out)
                list(read)
                answers.append(read.response)
    assert answers[0].error is not None
    assert answers[0].error.type == "overloaded_error"
    assert "oops" in json.dumps(answers[1].extras)
    assert answers[2].text == "It is warm."


def test_a_whole_answer_that_breaks_off() -> None:
    _, out = written("openai-chat", asked())
    with StrictServer("openai-chat", Fault("It is warm.", cut=20)) as server:
        data = json.dumps(out.body).encode()
        request = urllib.request.Request(f"{server.root}/v1{out.path}", data)
        with urllib.request.urlopen(request, timeout=30) as reply, pytest.raises(IncompleteRead):
            reply.read()


def test_what_was_recorded_is_served(tmp_path: Any, transport: Httpx2Transport) -> None:
    recorded(tmp_path / "a.jsonl", asked(), asked(True), name="cohere")
    with StrictServer("cohere", Replay(tmp_path / "a.jsonl")) as server:
        for stream in (False, True):
            call = call_of(written("cohere", asked(stream))[1], server.url)
            assert transport.send(call, GUARD).status == 200
        other = call_of(written("cohere", asked(text="Something else?"))[1], server.url)
        assert transport.send(other, GUARD).status == 500


def test_the_fixture_starts_and_ends_servers(
    strict_server: Callable[..., StrictServer], scripted_model: Callable[..., Any]
) -> None:
    one, other = strict_server("openai", "Hi."), strict_server("gemini")
    assert one.url.endswith("/v1")
    assert other.url.endswith("/v1beta")
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(one.url, timeout=30)
    assert scripted_model("Hi.").remaining == 1
    closed = StrictServer("openai")
    with pytest.raises(RuntimeError):
        _ = closed.url
