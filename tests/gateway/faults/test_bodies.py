"""Bodies that no client should send: too large, too deep, no JSON, and odd names of models."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.gateway.faults.provider import Provider, answer
from tests.gateway.faults.serving import connected, post, read, request, route, serving
from tests.gateway.faults.wires import (
    CHAT,
    GEMINI,
    INTERACTIONS,
    MESSAGES,
    OLLAMA,
    RESPONSES,
    WIRES,
    Wire,
    ends,
    error_of,
)
from tests.gateway.running import Gateway

NAMED = [CHAT, RESPONSES, MESSAGES, INTERACTIONS, OLLAMA]  # the model stands in the body
DEEP = 90_000  # fewer than `limits.values`
# each client towards its own provider and towards another
PAIRS = [(wire, wire) for wire in WIRES] + [
    (wire, CHAT if wire is not CHAT else MESSAGES) for wire in WIRES
]
_NO_JSON = {
    "nothing": b"",
    "no object": b"[]",
    "a text": b'"model"',
    "null": b"null",
    "a cut": b'{"model": "to-openai-chat", "messages": [',
    "more behind it": b'{"model": "to-openai-chat"} x',
    "two objects": b'{"model": "to-openai-chat"}{"model": "x"}',
    "a comment": b'{"model": "to-openai-chat" /* x */}',
    "no UTF-8": b'{"model": "to-openai-chat", "user": "\xff\xfe\x80"}',
    "overlong UTF-8": b'{"model": "to-openai-chat", "user": "\xc0\xaf"}',
    "UTF-16": '{"model": "to-openai-chat"}'.encode("utf-16"),
    "a surrogate in UTF-8": b'{"model": "to-openai-chat", "user": "\xed\xa0\x80"}',
    "a zero": b'{"model": "to-openai-chat", "user": "\x00"}',
    "NaN": b'{"model": "to-openai-chat", "temperature": NaN}',
    "Infinity": b'{"model": "to-openai-chat", "temperature": -Infinity}',
    "beyond all floats": b'{"model": "to-openai-chat", "temperature": 1e999}',
    "10,000 digits": b'{"model": "to-openai-chat", "seed": ' + b"9" * 10_000 + b"}",
    "arrays": b"[" * DEEP + b"]" * DEEP,
    "open arrays": b"[" * DEEP,
    "objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "arrays in a field": b'{"model": "to-openai-chat", "x": ' + b"[" * DEEP + b"]" * DEEP + b"}",
}


@pytest.mark.parametrize("wire", WIRES, ids=str)
def test_no_json(gateway: Gateway, provider: Provider, wire: Wire) -> None:
    for name, body in _NO_JSON.items():
        told = post(gateway, wire.path(wire.model, False), body)
        assert told.status == 400, (name, told)
        assert told.headers["content-type"] == "application/json"
        message, _ = error_of(wire, told.body)
        assert message, name
        assert len(told.body) < 1000, name
    assert not provider.asked


@pytest.mark.parametrize("depth", [200, 990, 1100])
@pytest.mark.parametrize(("client", "behind"), PAIRS, ids=str)
def test_deep_values_at_every_place(
    gateway: Gateway, provider: Provider, client: Wire, behind: Wire, depth: int
) -> None:
    """Answered, or refused as the client's fault; never a fault of ours."""
    body = client.body(behind.model, False)
    nest = '{"a":' * depth + "1" + "}" * depth
    schema = '{"type":"object","properties":{"a":' * (depth // 2) + "{}" + "}}" * (depth // 2)
    for place in ("messages", "contents", "input", "metadata", "tools", "unknown", "system"):
        plain = json.dumps({**body, place: "HERE"})
        for value in (nest, f"[{nest}]", f'[{{"name": "x", "parameters": {schema}}}]'):
            provider.will([answer(behind.whole)])
            made = plain.replace('"HERE"', value).encode()
            told = post(gateway, client.path(behind.model, False), made)
            assert told.status in (200, 400, 422), (place, told)
            if told.status != 200:
                assert error_of(client, told.body)[0]


@pytest.mark.parametrize(("client", "behind"), PAIRS, ids=str)
def test_values_of_every_wrong_type(
    gateway: Gateway, provider: Provider, client: Wire, behind: Wire
) -> None:
    """Whatever stands in a field: an answer, or the client's own fault; never a fault of ours."""
    body = client.body(behind.model, False)
    odd: list[object] = [None, 0, -1, 1e300, 2**70, True, "", "x", [], [[]], [None], {}, {"a": {}},
                         [{"type": 7}], [{"role": "user", "content": [None, 7, {"type": "x"}]}],
                         "\ud800"]  # fmt: skip
    fields = [*body, "tools", "tool_choice", "temperature", "max_tokens", "stop", "system",
              "instructions", "generationConfig", "response_format", "stream_options", "thinking",
              "metadata", "stream"]  # fmt: skip
    for field in dict.fromkeys(fields):
        for value in odd:
            if field == "stream" and value is True:
                continue
            provider.will([answer(behind.whole)])
            made = json.dumps({**body, field: value}).encode()
            told = post(gateway, client.path(behind.model, False), made)
            assert told.status in (200, 400, 404, 422, 502), (field, value, told)
            if told.status >= 400:
                assert error_of(client, told.body)[0], (field, value)


def test_a_body_of_100_megabytes(gateway: Gateway, provider: Provider) -> None:
    """Refused by its length before it comes; without a length as soon as it is too much."""
    for wire in (CHAT, MESSAGES, OLLAMA):
        path = wire.path(wire.model, False)
        with connected(gateway) as client:
            client.sendall(request(path, b"", content_length=str(100 * 2**20)))
            told = read(client)
        assert told.status == 413
        assert "67108864 bytes" in error_of(wire, told.body)[0]
        with connected(gateway) as client:
            client.sendall(request(path)[:-4].replace(b"content-length: 0", b"x-a: b")
                           + b"\r\ntransfer-encoding: chunked\r\n\r\n")  # fmt: skip
            piece = b"100000\r\n" + b" " * 2**20 + b"\r\n"
            sent = 0
            try:
                while sent < 100:
                    client.sendall(piece)
                    sent += 1
            except ConnectionError:  # it hung up, and may have said why
                pass
            else:
                assert read(client).status == 413
            assert sent > 60
    assert post(gateway, "/healthz", b"", "GET").status == 200
    assert not provider.asked


def test_a_body_within_the_bound_arrives(gateway: Gateway, provider: Provider) -> None:
    text = "x" * (60 * 2**20)
    provider.will([answer(CHAT.whole)])
    told = post(gateway, CHAT.path(CHAT.model, False), CHAT.request(CHAT.model, False, text))
    assert told.status == 200
    assert len(provider.asked[0].body) > 60 * 2**20


_NAMES = ["a\r\nset-cookie: x=y", "a\nb", "\x00", "\x1b[31mred", 'a"b', "a\\b",
          "../../etc/passwd", "a/../../b", "a/b/c", "a?b=c#d", "a%2e%2e%2fb", "модель 🌍",
          "\u202egnirts", "\ud800", " ", "*", "[a-", "a" * 900, "openai/x", "nobody/x",
          "constructor", "{}", "a:b"]  # fmt: skip


@pytest.mark.parametrize("name", _NAMES, ids=lambda name: ascii(name)[:30])
def test_names_of_models_that_no_route_serves(
    gateway: Gateway, provider: Provider, name: str
) -> None:
    for wire in NAMED:
        body = json.dumps(wire.body(name, False)).encode()
        told = post(gateway, wire.path(name, False), body)
        assert told.status == 404, told
        assert error_of(wire, told.body)[0]
        assert "set-cookie" not in told.headers
    assert not provider.asked


def test_a_name_of_100_kilobytes(gateway: Gateway, provider: Provider) -> None:
    for wire in NAMED:
        body = json.dumps(wire.body("a" * 100_000, False)).encode()
        told = post(gateway, wire.path("x", False), body)
        assert told.status == 400
        assert len(told.body) < 1000
    assert not provider.asked


@pytest.fixture(scope="module")
def any_model(server: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """Routes by which a client names the provider's model itself."""
    settings = "".join(
        route(f"{number}:*", [(target, f"{server.url}{base}")], retries=0)
        for number, (target, base) in enumerate(_ANY)
    ) + route("*", [("*", server.url)], retries=0)
    with serving(settings, tmp_path_factory.mktemp("any")) as running:
        yield running


_ANY = [("gemini/*", "/v1beta"), ("openai/openai-chat/*", "/v1"), ("anthropic/*", ""),
        ("ollama/*", ""), ("gemini/gemini-interactions/*", "/v1beta")]  # fmt: skip


@pytest.mark.parametrize("name", _NAMES, ids=lambda name: ascii(name)[:30])
def test_names_of_models_on_their_way_to_providers(
    any_model: Gateway, provider: Provider, name: str
) -> None:
    """A name is a name: it makes no other address and no other header."""
    for number, (target, base) in enumerate(_ANY):
        for client in (CHAT, MESSAGES, GEMINI, OLLAMA):
            provider.will([answer(b'{"error": {"message": "no"}}', 400)])
            asked_for = f"{number}:{name}"
            if client is GEMINI and not name.isalnum():
                continue  # there it stands in the path
            body = json.dumps(client.body(asked_for, False)).encode()
            told = post(any_model, client.path(asked_for, False), body)
            assert told.status in (400, 404), told
            assert json.loads(told.body)["error"]
            for asked in provider.asked:
                path = asked.line.split()[1]
                assert len(asked.line.split()) == 3
                assert path.startswith(base)
                assert "/../" not in path
                assert "#" not in path
                assert path.count("?") <= path.endswith("?beta=true")
                assert "set-cookie" not in asked.names
                if target == "gemini/*":
                    assert path.startswith("/v1beta/models/")
                    assert path.endswith(":generateContent")
                    assert path.count("/") == 3


def test_a_vendor_that_nobody_knows_is_the_client_s_fault(
    any_model: Gateway, provider: Provider
) -> None:
    for client in (CHAT, MESSAGES, OLLAMA):
        for name in ("nobody/x", "x", "/", "openai/", ""):
            body = json.dumps(client.body(name, False)).encode()
            told = post(any_model, client.path(name, False), body)
            assert told.status in (400, 404), (name, told)
            assert error_of(client, told.body)[0]
    assert not provider.asked


# in texts, arguments, reasons, in what nobody models, in usage
_PLACES = (b'"Hel', b'"Samarkand', b'"city', b'"STOP"', b'"model": "up', b'"prompt_tokens"',
           b'"input_tokens"', b'"promptTokenCount"', b'"total_input_tokens"', b'"eval_count"',
           b'"stop_reason"', b'"finish_reason"')  # fmt: skip


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize(("client", "behind"), PAIRS, ids=str)
def test_deep_values_in_answers(
    gateway: Gateway, provider: Provider, client: Wire, behind: Wire, stream: bool
) -> None:
    """An answer, or the provider's fault; never a fault of ours."""
    body = b"".join(behind.events) if stream else behind.whole
    places = [place for place in _PLACES if place in body]
    for depth in (300, 985, DEEP):
        nest = b'{"a":' * depth + b"1" + b"}" * depth
        for place in places:
            made = body.replace(place, b'"deep": ' + nest + b", " + place, 1)
            made = made.replace(b'{"city": "Samarkand"}', nest)
            provider.will(
                [answer(made, kind="text/event-stream" if stream else "application/json")]
            )
            told = post(gateway, client.path(behind.model, stream),
                        client.request(behind.model, stream))  # fmt: skip
            assert told.whole, (depth, place, gateway.stderr[-9000:])
            assert told.status in (200, 502), (depth, place, told.status, told.body[:300])
            if told.status != 200:
                assert error_of(client, told.body)[0]
            elif stream and client is not behind:
                assert ends(client, told.body), (depth, place, told.body[-300:])
