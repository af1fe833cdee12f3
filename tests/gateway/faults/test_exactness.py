"""Over the same wire: the body as it came but for its model, and the answer as it came."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.gateway.faults.provider import Provider, answer
from tests.gateway.faults.serving import post
from tests.gateway.faults.wires import (
    CHAT,
    GEMINI,
    INTERACTIONS,
    MESSAGES,
    OLLAMA,
    RESPONSES,
    Wire,
    error_of,
)
from tests.gateway.running import Gateway

NAMED = [CHAT, RESPONSES, MESSAGES, INTERACTIONS, OLLAMA]  # the model stands in the body
_BODIES: dict[str, Callable[[bytes], bytes]] = {
    "as it is": lambda body: body,
    "compact": lambda body: json.dumps(json.loads(body), separators=(",", ":")).encode(),
    "wide": lambda body: b" \r\n" + json.dumps(json.loads(body), indent=7).encode() + b"\n\t ",
    "odd blanks": lambda body: body.replace(b'"model": ', b'"model"\n\t :\r\n '),
    "the model last": lambda body: json.dumps(
        dict(sorted(json.loads(body).items(), reverse=True))
    ).encode(),
    "nested models": lambda body: (
        b'{"metadata": {"model": "%s", "x": [{"model": "y"}]}, ' % b"to-openai-chat" + body[1:]
    ),
    "a model in a text": lambda body: body.replace(b'"Hi"', rb'"say {\"model\": \"x\"} \\"'),
    "a key that ends so": lambda body: rb'{"my\"model": "to-x", "a\\": "b", ' + body[1:],
    "a value that is so": lambda body: rb'{"user": "model", "user2": "\u006dodel", ' + body[1:],
    "no ASCII": lambda body: body.replace(b'"Hi"', '"Привет 🌍 \\u00e9 \\ud83c\\udf0d"'.encode()),
    "odd numbers": lambda body: b'{"seed": 1.0e-7, "n2": 12345678901234567890, ' + body[1:],
}


@pytest.mark.parametrize("made", _BODIES)
@pytest.mark.parametrize("wire", NAMED, ids=str)
def test_the_body_is_the_client_s_own(
    gateway: Gateway, provider: Provider, wire: Wire, made: str
) -> None:
    body = _BODIES[made](wire.request(wire.model, stream=False))
    provider.will([answer(wire.whole)])
    told = post(gateway, wire.path(wire.model, False), body)
    assert told.status == 200, told.body
    assert told.body == wire.whole
    model = b'"%s"' % wire.model.encode()
    at = body.rindex(model)  # what stands before it and is no top-level model stays
    assert provider.asked[0].body == body[:at] + b'"up"' + body[at + len(model) :]


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
def test_gemini_s_body_is_passed_whole(gateway: Gateway, provider: Provider, stream: bool) -> None:
    """Its model stands in the path."""
    body = b'{"model": "models/x", "contents" : [ {"parts":[{"text":"Hi"}]}]}  \n'
    plain = b"".join(GEMINI.events) if stream else GEMINI.whole
    provider.will([answer(plain, kind="text/event-stream" if stream else "application/json")])
    told = post(gateway, GEMINI.path(GEMINI.model, stream), body)
    assert told.body == plain
    assert provider.asked[0].body == body
    method = "streamGenerateContent?alt=sse" if stream else "generateContent"
    assert provider.asked[0].line == f"POST /v1beta/models/up:{method} HTTP/1.1"


@pytest.mark.parametrize("wire", NAMED, ids=str)
def test_of_two_models_none_is_left(gateway: Gateway, provider: Provider, wire: Wire) -> None:
    """Parsers differ on which of two equal keys counts: both say what was judged."""
    body = b'{"model": "expensive", "model": 7, ' + wire.request(wire.model, stream=False)[1:]
    provider.will([answer(wire.whole)])
    assert post(gateway, wire.path(wire.model, False), body).status == 200
    assert provider.asked[0].body.count(b'"model": "up"') == 3
    assert b"expensive" not in provider.asked[0].body


@pytest.mark.parametrize("first", [True, False], ids=["first", "last"])
@pytest.mark.parametrize(
    "key", ["\\u006dodel", "m\\u006Fdel", "\\u006d\\u006f\\u0064\\u0065\\u006c"]
)
@pytest.mark.parametrize("wire", NAMED, ids=str)
def test_a_model_that_is_spelled_with_escapes_is_refused(
    gateway: Gateway, provider: Provider, wire: Wire, key: str, first: bool
) -> None:
    """Else the provider would get a model that nobody has judged."""
    plain = wire.request(wire.model, stream=False)
    hidden = f'"{key}": "{wire.model}"'.encode()
    body = b"{" + hidden + b", " + plain[1:] if first else plain[:-1] + b", " + hidden + b"}"
    told = post(gateway, wire.path(wire.model, False), body)
    assert told.status == 400
    assert "escapes" in error_of(wire, told.body)[0]
    assert not provider.asked


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
def test_claude_code_gets_answers_under_the_name_that_it_asked_for(
    gateway: Gateway, provider: Provider, stream: bool
) -> None:
    """It sends back no thinking of a model that it did not ask."""
    plain = b"".join(MESSAGES.events) if stream else MESSAGES.whole
    provider.will([answer(plain, kind="text/event-stream" if stream else "application/json")])
    body = MESSAGES.request(MESSAGES.model, stream=stream)
    agent = {"User-Agent": "claude-cli/2.1.197 (external, sdk-cli)"}
    told = post(gateway, MESSAGES.path(MESSAGES.model, stream), body, **agent)
    name = b'"model":' if stream else b'"model": '
    assert told.body == plain.replace(b'"model": "up"', name + b'"to-anthropic"', 1)
