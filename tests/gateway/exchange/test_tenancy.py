"""Client keys: none reaches a model that is not its own, nor what is kept for another."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from dragoman.gateway.config.config_values import ClientKey, Config, Envelopes, Route, Target
from dragoman.gateway.exchange.exchange import GatewayExchange
from dragoman.gateway.exchange.open_exchange import Gateway
from dragoman.gateway.surfaces import ClientAnswer, ClientRequest
from tests.each_case import each_case

HASH = "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2g"
ANN = ClientKey("ann", f"0123456789abcde0:{HASH}")
BOB = ClientKey("bob", f"0123456789abcde1:{HASH}")
BOUND = replace(BOB, models=("cheap-*",))

HI = [{"role": "user", "content": "Hi"}]
WIRES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "chat": ("openai/openai-chat/*", "/v1/chat/completions", {"messages": HI}),
    "responses": ("openai/*", "/v1/responses", {"input": HI}),
    "anthropic": ("anthropic/*", "/v1/messages", {"messages": HI, "max_tokens": 9}),
    "gemini": ("gemini/*", "/v1beta/models/cheap-1:generateContent",
               {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}),
    "interactions": ("gemini/gemini-interactions/*", "/v1beta/interactions", {"input": "Hi"}),
    "ollama": ("ollama/*", "/api/chat", {"messages": HI}),
}  # fmt: skip
every_wire = pytest.mark.parametrize("wire", WIRES)


def gateway(wire: str, keys: tuple[bytes, ...] = (b"k" * 32,), **route: Any) -> Gateway:
    target = Target(WIRES[wire][0], secret="of-the-provider-itself")
    envelopes = Envelopes(keys=keys)
    return Gateway(Config(routes=(Route(target, **route),), keys=(ANN, BOB), envelopes=envelopes))


def request(
    wire: str, more: Any = (), body: bytes = b"", headers: dict[str, str] | None = None
) -> ClientRequest:
    _, path, own = WIRES[wire]
    whole = {"model": "cheap-1", **own, **dict(more)}
    return ClientRequest("POST", path, "", headers or {}, body or json.dumps(whole).encode())


def sent(made: Gateway, asked: ClientRequest, key: ClientKey | None) -> Any:
    exchange = made.open(asked, key)
    assert isinstance(exchange, GatewayExchange), exchange
    return json.loads(exchange.call().body)


def refusal(made: Gateway, asked: ClientRequest, key: ClientKey | None) -> tuple[int, str]:
    answer = made.open(asked, key)
    assert isinstance(answer, ClientAnswer), answer
    return answer.status, answer.headers["x-dragoman-error"]


# -- models ----------------------------------------------------------------------------------------

OTHERS: list[Any] = [
    {"models": ["cheap-1", "dear-1"]},
    {"fallbacks": ["dear-1"]},
    {"fallbacks": [{"model": "dear-1"}]},
    {"fallbacks": [{"cheap-1": ["dear-1"]}]},
    {"fallback_models": ["dear-1"]},
    {"contextWindowFallbacks": [{"cheap-1": ["dear-1"]}]},
    {"route": "fallback"},
    {"preset": "dear"},
    {"Model": "dear-1"},
    {"MODEL": "dear-1"},
    {"tools": [{"type": "image_generation", "model": "dear-1"}]},
    {"tools": [{"type": "advisor_20260301", "name": "advisor", "model": "dear-1"}]},
    {"tools": [{"type": "openrouter:advisor", "parameters": {"model": "dear-1"}}]},
    {"tools": [{"type": "web_search", "name": "web_search", "filters": {"model": "dear-1"}}]},
    {"plugins": [{"id": "fusion", "analysis_models": ["dear-1"]}]},
    {"compound_custom": {"models": {"answering_model": "dear-1"}}},
    {"extra_body": {"models": ["dear-1"]}},
    {"generateContentRequest": {"model": "models/dear-1"}},
]


@every_wire
@pytest.mark.parametrize("more", OTHERS, ids=lambda more: json.dumps(more)[:50])
def test_a_bound_key_reaches_no_model_by_another_field(wire: str, more: dict[str, Any]) -> None:
    assert refusal(gateway(wire), request(wire, more), BOUND) == (403, "key.model")
    assert isinstance(gateway(wire).open(request(wire, more), BOB), GatewayExchange)
    assert isinstance(
        gateway(wire, shared_state=True).open(request(wire, more), BOB), GatewayExchange
    )
    shared = gateway(wire, shared_state=True)
    assert refusal(shared, request(wire, more), BOUND) == (403, "key.model")


@every_wire
def test_a_bound_key_names_its_own_models_wherever_it_likes(wire: str) -> None:
    more = {
        "models": ["cheap-1", "cheap-2"],
        "tools": [{"type": "image_generation", "model": "cheap-3"}],
        "metadata": {"model": "dear-1"},
    }
    assert isinstance(gateway(wire).open(request(wire, more), BOUND), GatewayExchange)


def test_a_model_is_its_own_where_the_route_leads_to_it() -> None:
    """A name that a key may ask for here may be another model's there."""
    target = Target("openrouter/deepseek/deepseek-chat", secret="of-the-provider-itself")
    made = Gateway(Config(routes=(Route(target, models=("cheap-*",)),), keys=(BOB,)))
    more = {"models": ["deepseek/deepseek-chat"]}
    assert isinstance(made.open(request("chat", more), BOUND), GatewayExchange)
    assert refusal(made, request("chat", {"models": ["cheap-2"]}), BOUND) == (403, "key.model")


FUNCTIONS: list[tuple[str, Any]] = [
    ("chat", {"tools": [{"type": "function", "function": {
        "name": "f", "parameters": {"type": "object", "properties": {
            "model": {"type": "string", "default": "dear-1"}}}}}]}),
    ("chat", {"messages": [*HI, {"role": "assistant", "content": None, "tool_calls": [
        {"id": "1", "type": "function", "function": {
            "name": "f", "arguments": '{"model": "dear-1", "file_id": "file-1"}'}}]},
        {"role": "tool", "tool_call_id": "1", "content": "model: dear-1"}]}),
    ("responses", {"tools": [{"type": "function", "name": "f", "parameters": {
        "type": "object", "properties": {"file_id": {"type": "string", "default": "f"}}}}]}),
    ("anthropic", {"messages": [*HI, {"role": "assistant", "content": [
        {"type": "tool_use", "id": "1", "name": "f",
         "input": {"model": "dear-1", "container": "c"}}]}]}),
    ("gemini", {"contents": [{"role": "model", "parts": [{"functionCall": {
        "name": "f", "args": {"model": "dear-1", "fileUri": "files/abc"}}}]}]}),
]  # fmt: skip


@pytest.mark.parametrize(("wire", "more"), FUNCTIONS)
def test_what_a_program_s_own_functions_take_is_no_choice(wire: str, more: Any) -> None:
    assert isinstance(gateway(wire).open(request(wire, more), BOUND), GatewayExchange)


@pytest.mark.parametrize("wire", ["chat", "responses", "anthropic", "ollama"])
@pytest.mark.parametrize(
    "second",
    [b'"model": "dear-1", "model": "cheap-1"', b'"mod\\u0065l": "dear-1", "model": "cheap-1"',
     b'"model": "cheap-1", "tools": [{"type": "x", "model": "dear-1", "model": "cheap-1"}]'],
)  # fmt: skip
def test_of_two_keys_of_one_name_the_one_that_was_judged_is_sent(wire: str, second: bytes) -> None:
    own = json.dumps(WIRES[wire][2]).encode()
    body = b"{%b, %b" % (second, own[1:])
    exchange = gateway(wire).open(request(wire, body=body), BOUND)
    assert isinstance(exchange, GatewayExchange)
    assert b"dear" not in exchange.call().body


@pytest.mark.parametrize(
    "name",
    ["cheap-1/../dear-1", "cheap-1/./x", "cheap-1/..",
     "cheap-1%2f..%2fdear-1", "cheap-1\\..\\dear-1",
     "cheap-1?model=dear-1", "cheap-1#x"],
)  # fmt: skip
@every_wire
def test_no_name_of_a_model_is_a_path(wire: str, name: str) -> None:
    asked = request(wire, {"model": name})
    if wire == "gemini":
        asked.path = f"/v1beta/models/{name}:generateContent"
    for key in (None, BOB, BOUND):
        assert refusal(gateway(wire), asked, key) == (400, "request.model")


@pytest.mark.parametrize("name", ["cheap-1,dear-1", "cheap-1 dear-1", "cheap-\uff0fdear-1"])
def test_a_pattern_takes_no_list_of_models(name: str) -> None:
    assert refusal(gateway("chat"), request("chat", {"model": name}), BOUND) == (403, "key.model")


def test_neither_headers_nor_query_choose_for_a_bound_key() -> None:
    headers = {"x-portkey-config": "dear", "x-model": "dear-1", "anthropic-beta": "x"}
    asked = request("anthropic", headers=headers)
    asked.query = "beta=true&model=dear-1&%6dodel=dear-1"
    for key, bound in ((BOUND, True), (None, False)):
        exchange = gateway("anthropic").open(asked, key)
        assert isinstance(exchange, GatewayExchange)
        call = exchange.call()
        assert call.url.endswith("?beta=true") is bound
        assert {"x-portkey-config", "x-model"}.isdisjoint(call.headers) is bound
        assert call.headers["anthropic-beta"] == "x"


def test_what_only_an_escape_can_say_is_said_again() -> None:
    body = b'{"model": "cheap-1", "messages": [{"role": "user", "content": "\\ud83d"}]}'
    exchange = gateway("chat").open(request("chat", body=body), BOB)
    assert isinstance(exchange, GatewayExchange)
    assert b'"\\ud83d"' in exchange.call().body


# -- what the provider keeps -----------------------------------------------------------------------

KEPT: list[tuple[str, Any]] = [
    ("responses", {"previous_response_id": "resp_0123456789"}),
    ("responses", {"Previous_Response_ID": "resp_0123456789"}),
    ("responses", {"conversation": "conv_0123456789"}),
    ("responses", {"conversation": {"id": "conv_0123456789"}}),
    ("responses", {"prompt": {"id": "pmpt_0123456789"}}),
    ("responses", {"input": [{"type": "item_reference", "id": "msg_0123456789"}]}),
    ("responses", {"input": [{"id": "msg_0123456789"}]}),
    ("responses", {"input": [{"type": "reasoning", "id": "rs_0123456789", "summary": []}]}),
    ("responses", {"input": [{"type": "image_generation_call", "id": "ig_0123456789"}]}),
    ("responses", {"input": [{"role": "user", "content": [
        {"type": "input_file", "file_id": "file-0123456789"}]}]}),
    ("responses", {"tools": [{"type": "code_interpreter", "container": "cntr_0123456789"}]}),
    ("responses", {"tools": [{"type": "code_interpreter",
                              "container": {"type": "auto", "file_ids": ["file-0123456789"]}}]}),
    ("responses", {"tools": [{"type": "file_search", "vector_store_ids": ["vs_0123456789"]}]}),
    ("chat", {"messages": [{"role": "user", "content": [
        {"type": "file", "file": {"file_id": "file-0123456789"}}]}]}),
    ("chat", {"messages": [*HI, {"role": "assistant", "audio": {"id": "audio_0123456789"}}]}),
    ("chat", {"messages": [{"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": "gs://bucket/of-the-gateway"}}]}]}),
    ("anthropic", {"container": "container_0123456789"}),
    ("anthropic", {"container": {"id": "container_0123456789", "skills": []}}),
    ("anthropic", {"container": {"skills": [{"type": "custom", "skill_id": "skill_01"}]}}),
    ("anthropic", {"messages": [{"role": "user", "content": [
        {"type": "document", "source": {"type": "file", "file_id": "file_0123456789"}}]}]}),
    ("gemini", {"cachedContent": "cachedContents/abc"}),
    ("gemini", {"cached_content": "cachedContents/abc"}),
    ("gemini", {"contents": [{"role": "user", "parts": [{"fileData": {
        "fileUri": "https://generativelanguage.googleapis.com/v1beta/files/abc"}}]}]}),
    ("gemini", {"tools": [{"fileSearch": {"fileSearchStoreNames": ["fileSearchStores/a"]}}]}),
    ("interactions", {"previous_interaction_id": "v1_0123456789"}),
    ("interactions", {"input": [{"type": "document", "uri": "files/abc"}]}),
]  # fmt: skip
kept = pytest.mark.parametrize(("wire", "more"), KEPT, ids=lambda one: str(one)[:60])


@kept
def test_what_a_tenant_has_not_got_here_is_not_there(wire: str, more: Any) -> None:
    assert refusal(gateway(wire), request(wire, more), BOB) == (404, "state.tenant")


@kept
def test_without_client_keys_or_where_it_is_shared_all_stays(wire: str, more: Any) -> None:
    for made, key in ((gateway(wire), None), (gateway(wire, shared_state=True), BOB)):
        body = sent(made, request(wire, more), key)
        for name, value in more.items():
            assert body[name] == value


@kept
def test_an_id_comes_back_by_the_tenant_that_got_it(wire: str, more: Any) -> None:
    """Marks are over any id, so that each place is shown to let its own through."""
    first, again, other = gateway(wire), gateway(wire), gateway(wire, keys=(b"o" * 32,))
    rotated = gateway(wire, keys=(b"n" * 32, b"k" * 32))
    asked, plain = request(wire, more), request(wire, more)
    asked.body = _marked(first, asked.body, "bob")
    assert asked.body != plain.body
    for worker in (again, rotated):
        expected = sent(gateway(wire, shared_state=True), plain, BOB)
        assert sent(worker, replace(asked), BOB) == expected
        assert refusal(worker, replace(asked), ANN) == (404, "state.tenant")
    assert refusal(other, replace(asked), BOB) == (404, "state.tenant")


_IDS = re.compile(
    r'(?<=")((?:resp|conv|pmpt|msg|rs|ig|cntr|vs|audio|container|file|v1)[_-]0123456789|skill_01'
    r'|gs://[^"]+|cachedContents/abc|(?:https:[^"]*)?files/abc|fileSearchStores/a)(?=")'
)


def _marked(made: Gateway, body: bytes, tenant: str) -> bytes:
    from dragoman.gateway.exchange.tenancy import Tenancy

    key = replace(BOB, name=tenant)
    tenancy = Tenancy(key, made.config.routes[0], made.config, made.sealer.marks)
    return _IDS.sub(lambda found: tenancy.mark(found[1]), body.decode()).encode()


def test_what_is_offered_to_everybody_is() -> None:
    more = {"container": {"skills": [{"type": "anthropic", "skill_id": "pptx"}]}}
    assert sent(gateway("anthropic"), request("anthropic", more), BOB)["container"]
    url = {"type": "image_url", "image_url": {"url": "https://example.com/files/a.png"}}
    asked = request("chat", {"messages": [{"role": "user", "content": [url]}]})
    assert sent(gateway("chat"), asked, BOB)["messages"]


def test_an_agent_names_its_own_thread() -> None:
    """Codex 0.169 sends `client_metadata` with each request: its thread is stored nowhere else."""
    made = gateway("responses")
    names = {"thread_id": "01a2-96f1", "session_id": "01a2", "turn_id": "01a2-971c"}
    body = sent(made, request("responses", {"client_metadata": names}), BOB)
    assert body["client_metadata"] == names


def test_an_item_that_says_all_of_itself_goes_without_a_strange_id() -> None:
    items: list[dict[str, Any]] = [
        {"type": "message", "role": "assistant", "id": "msg_foreign12",
         "content": [{"type": "output_text", "text": "Hello"}]},
        {"type": "reasoning", "id": "rs_foreign12", "summary": [], "encrypted_content": "gAAA"},
        {"type": "function_call", "id": "fc_foreign12", "call_id": "c", "name": "f",
         "arguments": "{}"},
    ]  # fmt: skip
    body = sent(gateway("responses"), request("responses", {"input": items}), BOB)
    assert [item.get("id") for item in body["input"]] == [None] * 3
    assert [{**item, "id": old["id"]} for item, old in zip(body["input"], items, strict=True)] == (
        items
    )


RESPONSE: dict[str, Any] = {
    "id": "resp_0a1b2c3d4e5f", "object": "response", "status": "completed", "model": "cheap-1",
    "previous_response_id": None, "metadata": {"id": "mine"}, "tools": [],
    "output": [
        {"type": "reasoning", "id": "rs_0a1b2c3d4e5f", "summary": []},
        {"type": "message", "id": "msg_0a1b2c3d4e5f", "role": "assistant", "status": "completed",
         "content": [{"type": "output_text", "text": 'say "id":"msg_000000000001"',
                      "annotations": []}]},
        {"type": "function_call", "id": "fc_0a1b2c3d4e5f", "call_id": "call_0a1b2c3d4e5f",
         "name": "f", "arguments": '{"id":"msg_000000000001"}', "status": "completed"},
    ],
}  # fmt: skip


def _streamed(response: dict[str, Any]) -> Iterator[bytes]:
    delta = {"item_id": "msg_0a1b2c3d4e5f", "delta": "x", "output_index": 1, "content_index": 0}
    events: dict[str, Any] = {
        "response.created": {"response": {**response, "output": []}},
        "response.output_text.delta": delta,
        "response.completed": {"response": response},
    }
    for name, event in events.items():
        data = json.dumps({"type": name, **event}).encode()
        yield b"event: %b\ndata: %b\n\n" % (name.encode(), data)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("size", [7, 10**6])
def test_the_ids_of_an_answer_come_back_and_none_of_its_words_changes(
    stream: bool, size: int
) -> None:
    made = gateway("responses")
    exchange = made.open(request("responses", {"stream": stream}), BOB)
    assert isinstance(exchange, GatewayExchange)
    exchange.call()
    if stream:
        relay, data = exchange.open_relay(), b"".join(_streamed(RESPONSE))
        out = b"".join(relay.feed(data[at : at + size]) for at in range(0, len(data), size))
        out += relay.finish()
        response = json.loads(out.rpartition(b"data: ")[2])["response"]
        item_id = json.loads(out.split(b"data: ")[2].partition(b"\n")[0])["item_id"]
        assert item_id == response["output"][1]["id"]
    else:
        response = json.loads(exchange.convert_answer(200, {}, json.dumps(RESPONSE).encode()).body)
    own = RESPONSE["output"]
    assert response["metadata"] == {"id": "mine"}
    assert response["output"][2]["call_id"] == "call_0a1b2c3d4e5f"
    assert [{**item, "id": old["id"]} for item, old in zip(response["output"], own, strict=True)
            ] == own  # fmt: skip
    more = {"previous_response_id": response["id"], "input": response["output"]}
    body = sent(made, request("responses", more), BOB)
    assert (body["previous_response_id"], body["input"]) == (RESPONSE["id"], own)
    assert refusal(made, request("responses", more), ANN) == (404, "state.tenant")


@pytest.mark.parametrize(
    ("wire", "answer", "found", "back"),
    [
        ("anthropic",
         {"type": "message", "id": "msg_01AAAAAAAA", "role": "assistant", "model": "cheap-1",
          "content": [{"type": "tool_use", "id": "toolu_01AAAAAAAA", "name": "f",
                       "input": {"x": 1}}],
          "container": {"expires_at": "2027", "id": "container_01AAAAAAAA"}},
         lambda one: one["container"]["id"], lambda one: {"container": one}),
        ("interactions",
         {"id": "v1_Q2hkSAAAAA", "status": "completed", "model": "cheap-1", "outputs": []},
         lambda one: one["id"], lambda one: {"previous_interaction_id": one}),
        ("chat",
         {"id": "chatcmpl-AAAAAAAAAA", "choices": [{"index": 0, "finish_reason": "stop",
          "message": {"role": "assistant", "content": None, "tool_calls": [],
                      "audio": {"id": "audio_AAAAAAAAAA", "data": "", "transcript": "x"}}}]},
         lambda one: one["choices"][0]["message"]["audio"]["id"],
         lambda one: {"messages": [*HI, {"role": "assistant", "audio": {"id": one}}]}),
    ],
)  # fmt: skip
def test_ids_of_other_wires_come_back_too(wire: str, answer: Any, found: Any, back: Any) -> None:
    made = gateway(wire)
    exchange = made.open(request(wire), BOB)
    assert isinstance(exchange, GatewayExchange)
    exchange.call()
    told = json.loads(exchange.convert_answer(200, {}, json.dumps(answer).encode()).body)
    assert found(told) != found(answer)
    assert json.dumps(told).replace(found(told), found(answer)) == json.dumps(answer)
    body = sent(made, request(wire, back(found(told))), BOB)
    assert found(answer) in json.dumps(body)
    assert refusal(made, request(wire, back(found(told))), ANN) == (404, "state.tenant")


# -- paths that pass -------------------------------------------------------------------------------


@each_case(
    ("method", "path"),
    [
        ("GET", "/v1/files"), ("POST", "/v1/files"), ("GET", "/v1/files/file-1/content"),
        ("DELETE", "/v1/files/file-1"), ("GET", "/v1/batches/b"), ("POST", "/v1/batches"),
        ("GET", "/v1/conversations/c"), ("POST", "/v1/containers"), ("GET", "/v1/vector_stores"),
        ("GET", "/v1/chat/completions/chatcmpl-1"), ("GET", "/v1beta/cachedContents"),
        ("POST", "/upload/v1beta/files"), ("GET", "/v1/messages/batches"),
        ("GET", "/v1/embeddings"),
        ("POST", "/v1/embeddings/../files"), ("POST", "/v1/%66iles"), ("POST", "/v2/files"),
    ],
)  # fmt: skip
def test_where_tenants_would_share_a_provider_s_state_nothing_passes(
    method: str, path: str
) -> None:
    made = gateway("chat", pass_through=True)
    answer = made.open(ClientRequest(method, path), BOB)
    assert isinstance(answer, ClientAnswer)
    assert answer.status == 404
    if ".." not in path:
        for free, key in (
            (made, None),
            (gateway("chat", pass_through=True, shared_state=True), BOB),
        ):
            assert isinstance(free.open(ClientRequest(method, path), key), GatewayExchange)


@pytest.mark.parametrize(
    "path",
    ["/v1/embeddings", "/v1/moderations", "/v1/images/generations", "/v1/audio/speech",
     "/embeddings", "/v1/completions"],
)  # fmt: skip
def test_what_keeps_nothing_passes_for_every_tenant(path: str) -> None:
    made = gateway("chat", pass_through=True)
    assert isinstance(made.open(ClientRequest("POST", path), BOB), GatewayExchange)
    assert refusal(made, ClientRequest("POST", path), BOUND) == (403, "key.model")


@each_case(
    ("method", "path"),
    [
        ("POST", "/v2/chat/completions"), ("POST", "/v1beta/chat/completions"),
        ("POST", "/v1/Chat/Completions"), ("POST", "/v3/messages"),
        ("POST", "/v1/chat%2fcompletions"),
        ("POST", "/v1/chat%252fcompletions"),
        ("POST", "/v1/chat/completions;x=1"),
        ("GET", "/v2/responses/resp_1"), ("POST", "/v2/responses"), ("DELETE", "/v2/responses/r"),
        ("POST", "/openai/v1/chat/completions"), ("GET", "/v2/interactions/i"),
        ("POST", "/v3/models/dear-1:generateContent"), ("POST", "/v1/RESPONSES"),
        ("POST", "/v2/responses/compact"), ("POST", "/v1\\chat\\completions"),
    ],
)  # fmt: skip
def test_no_other_version_of_a_path_leads_past_the_routes(method: str, path: str) -> None:
    """A gateway without client keys, too: routes and recordings are for all that is asked."""
    made = gateway("chat", pass_through=True)
    for key in (None, BOB, BOUND):
        answer = made.open(ClientRequest(method, path, body=b'{"model": "dear-1"}'), key)
        assert isinstance(answer, ClientAnswer)
        assert answer.status == 404


@pytest.mark.parametrize(
    ("wire", "path", "body"),
    [
        ("responses", "/v1/images/edits", b'{"images":[{"file_id":"file-1"}]}'),
        ("responses", "/v1/images/edits", b'{"images":[{"f\\u0069le_id":"file-1"}]}'),
        ("responses", "/v1/images/edits", b'\xef\xbb\xbf {"mask":{"FILE-ID":"file-1"}}'),
        ("responses", "/v1/audio/speech", b'{"voice":{"id":"voice_1"}}'),
        ("responses", "/v1/moderations", b'[{"file_id":"file-1"}]'),
        ("gemini", "/v1beta/models/m:embedContent",
         b'{"content":{"parts":[{"fileData":{"fileUri":"files/a"}}]}}'),
    ],
)  # fmt: skip
def test_what_passes_names_nothing_of_another_tenant_either(
    wire: str, path: str, body: bytes
) -> None:
    """OpenAI's edits of pictures take a file's id (its OpenAPI, `EditImageBodyJsonParam`)."""
    made, asked = gateway(wire, pass_through=True), ClientRequest("POST", path, "", {}, body)
    assert refusal(made, asked, ANN) == (404, "state.tenant")
    shared = gateway(wire, pass_through=True, shared_state=True)
    exchange = shared.open(ClientRequest("POST", path, "", {}, body), ANN)
    assert isinstance(exchange, GatewayExchange)
    assert exchange.call().body == body


def test_what_passes_is_sent_as_it_was_judged() -> None:
    made = gateway("responses", pass_through=True)
    form = b'--b\r\ncontent-disposition: form-data; name="file"\r\n\r\nsound\r\n--b--'
    for body, goes in ((b'{"input":"x","input":"y"}', b'{"input":"y"}'), (form, form), (b"", b"")):
        asked = ClientRequest("POST", "/v1/embeddings", "", {}, body)
        exchange = made.open(asked, ANN)
        assert isinstance(exchange, GatewayExchange)
        assert exchange.call().body == goes


@pytest.mark.parametrize(
    ("wire", "query"),
    [("responses", "previous_response_id=resp_1"), ("responses", "include[]=x&Conversation[id]=c"),
     ("gemini", "cachedContent=cachedContents/1"), ("gemini", "alt=sse&cached%5fcontent=x"),
     ("anthropic", "beta=true&container=container_1")],
)  # fmt: skip
def test_no_field_of_a_query_names_what_is_kept(wire: str, query: str) -> None:
    asked = replace(request(wire), query=query)
    assert refusal(gateway(wire), asked, ANN) == (404, "state.tenant")
    assert isinstance(gateway(wire, shared_state=True).open(asked, ANN), GatewayExchange)
    harmless = replace(request(wire), query="beta=true&alt=sse&include[]=a&api-version=1")
    assert isinstance(gateway(wire).open(harmless, ANN), GatewayExchange)


@pytest.mark.parametrize(
    "uri",
    ["https://generativelanguage%2egoogleapis.com/v1beta/files/a", "\u200bfiles/a",
     "https:\\\\generativelanguage.googleapis.com/v1beta/files/a", "%66iles/a",
     "https:generativelanguage.googleapis.com/v1beta/files/a", "g\ts://bucket/a"],
)  # fmt: skip
def test_an_address_is_judged_as_the_most_lenient_reads_it(uri: str) -> None:
    parts = [{"fileData": {"fileUri": uri, "mimeType": "image/png"}}]
    asked = request("gemini", {"contents": [{"role": "user", "parts": parts}]})
    assert refusal(gateway("gemini"), asked, ANN) == (404, "state.tenant")
