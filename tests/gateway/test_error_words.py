"""Each client hears in its own words that a context is full, whatever the upstream's wire says."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from dragoman.errors import ContextOverflow, ProviderError
from dragoman.gateway.config.config_values import Config, Route, Target
from dragoman.gateway.exchange.exchange import GatewayExchange
from dragoman.gateway.exchange.open_exchange import Gateway
from dragoman.gateway.surfaces import ClientAnswer, ClientRequest, surfaces
from dragoman.vendors import vendor
from tests.each_case import each_case
from tests.error_kinds.answers import OTHERS, TOO_LONG, Refused

HI = [{"role": "user", "content": "Hi"}]
REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "openai-chat": ("/v1/chat/completions", {"model": "any", "messages": HI}),
    "openai-responses": ("/v1/responses", {"model": "any", "input": "Hi", "store": False}),
    "anthropic": ("/v1/messages", {"model": "any", "max_tokens": 9, "messages": HI}),
    "gemini": ("/v1beta/models/any:generateContent",
               {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}),
    "gemini-interactions": ("/v1beta/interactions",
                            {"model": "any", "input": "Hi", "store": False}),
    "ollama": ("/api/chat", {"model": "any", "messages": HI, "stream": False}),
}  # fmt: skip
# one host of each wire, and hosts that speak a client's own wire in other words
WHOLE = [one for one in TOO_LONG if vendor(one.host).wires and one.status != 200]


def begun(client: str, host: str, stream: bool = False, **headers: str) -> GatewayExchange:
    path, body = REQUESTS[client]
    body = dict(body)
    if client == "gemini" and stream:
        path = path.replace(":generate", ":streamGenerate")
    elif client != "gemini":
        body["stream"] = stream
    target = Target(f"{host}/any", base_url="http://127.0.0.1:9", secret="of-the-provider")
    request = ClientRequest("POST", path, "alt=sse" if stream else "", headers,
                            json.dumps(body).encode())  # fmt: skip
    exchange = Gateway(Config(routes=(Route(target),))).open(request)
    assert isinstance(exchange, GatewayExchange), exchange
    exchange.call()
    return exchange


def refused(exchange: GatewayExchange, answer: Refused) -> tuple[ClientAnswer, ProviderError]:
    """What the client is told of a whole answer, and the error that was read of it."""
    body = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
    error = exchange.read_failure(answer.status or 400, {}, body.encode())
    return exchange.refusal(error), error


def judge(client: str, answer: ClientAnswer, came: str) -> None:
    """Whether a client of this protocol knows that it must shorten its history."""
    told = json.loads(answer.body)
    assert answer.status == 400
    error = told["error"]
    if client == "ollama":
        assert "context length" in error
        message = error
    else:
        message = error["message"]
    if client == "anthropic":
        assert told["type"] == "error"
        assert error["type"] == "invalid_request_error"
        # as Claude Code 2.1.332 looks for it, and for the request that it shortens by itself
        assert re.search(
            r"prompt is too long|input length and `max_tokens` exceed", message, re.IGNORECASE
        )
    elif client.startswith("openai"):
        assert error["code"] == "context_length_exceeded"
    elif client == "gemini":
        assert error["status"] == "INVALID_ARGUMENT"
        assert error["code"] == 400
        assert "input token count" in message
    elif client == "gemini-interactions":
        assert error["code"] == "invalid_request"
        assert "input token count" in message
    assert came in message  # the words that came are kept


@each_case("client", REQUESTS)
@each_case("said", WHOLE, ids=lambda one: f"{one.host}-{one.tokens}")
def test_a_full_context_in_the_words_of_the_client(client: str, said: Refused) -> None:
    answer, error = refused(begun(client, said.host), said)
    judge(client, answer, error.message)
    if client == "anthropic" and said.tokens and said.limit and said.tokens > said.limit:
        found = re.search(r"prompt is too long[^0-9]*(\d+)\s*tokens?\s*>\s*(\d+)",
                          json.loads(answer.body)["error"]["message"], re.IGNORECASE)  # fmt: skip
        assert found is not None
        assert (int(found[1]), int(found[2])) == (said.tokens, said.limit)


@pytest.mark.parametrize(
    ("client", "host", "body"),
    [
        ("openai-responses", "openai/openai-responses", {"error": {
            "message": "Your input exceeds the context window of this model.", "param": "input",
            "type": "invalid_request_error", "code": "context_length_exceeded"}}),
        ("anthropic", "anthropic", {"type": "error", "request_id": "r", "error": {
            "type": "invalid_request_error",
            "message": "prompt is too long: 213462 tokens > 200000 maximum"}}),
        ("gemini", "gemini", {"error": {
            "code": 400, "status": "INVALID_ARGUMENT", "details": [{"x": 1}],
            "message": "The input token count exceeds the maximum number of tokens allowed (9)."}}),
        ("ollama", "ollama", {"error": "prompt too long; exceeded max context length by 4 tokens"}),
    ],
)  # fmt: skip
def test_the_maker_s_own_words_go_on_as_they_came(client: str, host: str, body: Any) -> None:
    answer, _ = refused(begun(client, host), Refused(host, 400, body, "context_overflow"))
    assert json.loads(answer.body) == body


@pytest.mark.parametrize(
    ("client", "host"),
    [("anthropic", "minimax/anthropic"), ("anthropic", "zhipu/anthropic"),
     ("openai-responses", "xai/openai-responses"), ("openai-chat", "deepseek")],
)  # fmt: skip
def test_a_copy_of_the_client_s_wire_is_told_anew(client: str, host: str) -> None:
    """A host of the same wire whose sentence is another one, in the form of that wire."""
    sentence = "invalid params, context window exceeds limit (2013)"
    error = {"type": "invalid_request_error", "message": sentence}
    for body in ({"type": "error", "error": error}, {"error": error}, {"code": "x", **error}):
        answer, _ = refused(begun(client, host), Refused(host, 400, body, "context_overflow"))
        judge(client, answer, sentence)


@each_case("client", REQUESTS)
@each_case("said", OTHERS, ids=lambda one: f"{one.host}-{one.status}-{one.kind}")
def test_what_else_went_wrong_has_the_client_s_status(client: str, said: Refused) -> None:
    if said.status == 200:
        return  # in place of an answer: read where answers are
    answer, _ = refused(begun(client, said.host), said)
    openai = client.startswith("openai")
    statuses = {
        "billing": (429,) if openai else (402,),
        "authentication": (502,),  # the key is the gateway's own
        "content_filter": (400,),
        "model_not_found": (404,),
        "overloaded": (529,) if client == "anthropic" else (503,),
    }
    assert answer.status in statuses[said.kind]
    if said.kind == "billing":
        assert answer.headers["x-should-retry"] == "false"
        if openai:
            assert json.loads(answer.body)["error"]["code"] == "insufficient_quota"
        if client == "anthropic":
            assert json.loads(answer.body)["error"]["type"] == "billing_error"


LONG = "prompt exceeds max length"
FIRST = {
    "openai-chat": b'data: {"error": {"message": "%s", "code": "1261"}}\n\n',
    "openai-responses": b'event: error\ndata: {"type": "error", "code": "x", "message": "%s"}\n\n',
    "anthropic": b'event: error\ndata: {"type": "error", "error": {"type": "api_error", '
    b'"message": "%s"}}\n\n',
    "gemini": b'data: {"error": {"code": 500, "message": "%s", "status": "INTERNAL"}}\n\n',
    "ollama": b'{"error": "%s"}\n',
}
HOSTS = {"openai-chat": "zhipu", "openai-responses": "xai/openai-responses",
         "anthropic": "zhipu/anthropic", "gemini": "vertex/gemini", "ollama": "ollama"}  # fmt: skip


@each_case("client", REQUESTS)
@each_case("upstream", FIRST)
def test_an_error_as_the_first_event(client: str, upstream: str) -> None:
    exchange = begun(client, HOSTS[upstream], stream=True)
    relay = exchange.open_relay()
    data = relay.feed(FIRST[upstream] % LONG.encode())
    assert relay.failed is not None
    assert relay.failed.kind == "context_overflow"
    assert not relay.begun
    assert data == b""
    judge(client, exchange.refusal(relay.failed), LONG)


@each_case("client", REQUESTS)
@each_case("host", ["zhipu", "zhipu/anthropic", "xai/openai-responses"])
def test_an_error_behind_the_first_bytes(client: str, host: str) -> None:
    """What stands in a stream that has begun: in the words of the client, too."""
    exchange = begun(client, host, stream=True)
    error = exchange.upstream.wire.error(400, {"error": {"message": LONG}})
    data = exchange.open_relay().fail(error)
    words = {
        "anthropic": b"prompt is too long",
        "openai-chat": b'"code":"context_length_exceeded"',
        "openai-responses": b'"code":"context_length_exceeded"',
        "gemini": b"input token count",
        "gemini-interactions": b"input token count",
        "ollama": b"context length",
    }
    relayed = data + getattr(exchange.open_relay(), "apart", b"")
    if client != "gemini":  # whose error is sent by itself
        assert words[client] in relayed
        assert LONG.encode() in relayed


@pytest.mark.parametrize("host", ["zhipu", "xai/openai-responses", "anthropic", "openai"])
def test_codex_hears_of_it_in_a_stream(host: str) -> None:
    """It shortens its history behind `response.failed`, and gives up behind a status of 400."""
    said = Refused(host, 400, {"error": {"message": LONG, "type": "x"}}, "context_overflow")
    for name, agent in (("originator", "codex_exec"), ("user-agent", "codex_cli_rs/0.171")):
        answer, _ = refused(begun("openai-responses", host, stream=True, **{name: agent}), said)
        assert answer.status == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        events = [json.loads(line[6:]) for line in answer.body.decode().splitlines()
                  if line.startswith("data: {")]  # fmt: skip
        failed = events[-1]
        assert failed["type"] == "response.failed"
        assert failed["response"]["error"]["code"] == "context_length_exceeded"
        assert LONG in failed["response"]["error"]["message"]
    whole, _ = refused(begun("openai-responses", host, originator="codex_exec"), said)
    assert whole.status == 400
    other, _ = refused(begun("openai-responses", host, stream=True), said)
    assert other.status == 400


@pytest.mark.parametrize("surface", surfaces(), ids=repr)
def test_a_history_that_the_gateway_cannot_shorten(surface: Any) -> None:
    answer = surface.refusal(ContextOverflow(213462, 200000, 2))
    judge(surface.protocol, answer, "2 message(s) that must stay take 213462 tokens")
    if surface.protocol == "anthropic":
        assert b"prompt is too long: 213462 tokens > 200000 maximum" in answer.body
