"""GatewayExchange: which target is asked, what is sent to it, and what the client gets."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dragoman.errors import ConfigError, DragomanError, LossRefused, ProviderError, WriteError
from dragoman.gateway.config.config_values import (
    Config,
    Envelopes,
    Route,
    Target,
    Truncation,
    config_for,
)
from dragoman.gateway.exchange.cipher import Sealer
from tests.each_case import each_case
from tests.gateway.exchange.opening import CHAT, asked, begun, passing, refused
from tests.gateway.faults.wires import MESSAGES, OLLAMA, WIRES, Wire

# -- targets ---------------------------------------------------------------------------------------

BUSY = ProviderError("busy", status=503, type="overloaded_error", body={"error": "busy"})


def falling(*names: str, **more: Any) -> Config:
    first, *rest = (Target(name, secret="of-the-provider") for name in names)
    return Config(routes=(Route(first, fallbacks=tuple(rest), **more),))


def test_a_fallback_that_cannot_be_asked_is_passed_over() -> None:
    exchange = begun(falling("openai/a", "anthropic/b", "ollama/c"), asked("/v1/messages", CHAT))
    exchange.go_on(BUSY)
    assert exchange.call().url.startswith("https://api.anthropic.com/")
    exchange.go_on(ConfigError("no key", code="key.missing"))
    assert exchange.upstream.vendor.name == "ollama"
    with pytest.raises(ProviderError) as caught:
        exchange.go_on(LossRefused([]))
    assert caught.value is BUSY


@pytest.mark.parametrize("error", [LossRefused([]), ConfigError("no key", code="key.missing")])
def test_what_the_first_target_cannot_be_told_goes_to_no_other(error: DragomanError) -> None:
    exchange = begun(falling("openai/a", "anthropic/b"), asked("/v1/messages", CHAT))
    with pytest.raises(type(error)):
        exchange.go_on(error)
    assert exchange.nth == 0


def test_what_passes_at_an_unknown_path_is_for_the_first_target_alone() -> None:
    config = falling("openai/a", "anthropic/b", pass_through=True)
    exchange = begun(config, asked("/v1/files", b"a file"))
    exchange.call()
    with pytest.raises(ProviderError) as caught:
        exchange.go_on(BUSY)
    assert caught.value is BUSY


def test_what_could_be_done_twice_is_asked_for_once() -> None:
    config = passing("openai/x")
    assert begun(config, asked("/v1/batches", {})).retries.attempts == 1
    assert begun(config, asked("/v1/batches", method="GET")).retries.attempts == 2
    assert begun(config, asked("/v1/chat/completions", CHAT)).retries.attempts == 2


def test_a_fallback_of_another_mode_is_passed_over() -> None:
    """One that streams where the first answers in one piece would be read as no answer."""
    body = {"model": "any", "stream": True, "input": [
        {"type": "message", "role": "user", "content": "hello"}, {"type": "compaction_trigger"},
    ]}  # fmt: skip
    exchange = begun(falling("anthropic/a", "openai/b", "gemini/c"), asked("/v1/responses", body))
    assert not exchange.asks_stream
    exchange.go_on(BUSY)
    assert exchange.upstream.vendor.name == "gemini"


def test_losses_are_those_of_the_target_that_answers() -> None:
    body = {**CHAT, "max_tokens": 9, "top_k": 5}
    exchange = begun(falling("openai/a", "anthropic/b"), asked("/v1/messages", body))
    exchange.call()
    assert "top_k" in str(exchange.record.losses)
    exchange.go_on(BUSY)
    exchange.call()
    assert exchange.record.losses == []


# -- policies --------------------------------------------------------------------------------------

ANSWER = {
    "id": "c", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": "Hello"}}],
}  # fmt: skip


@pytest.mark.parametrize("stream", [False, True])
def test_a_policy_judges_what_is_asked_and_no_answer(stream: bool) -> None:
    config = falling("deepseek/deepseek-chat", policy="refuse")
    body = {**CHAT, "max_tokens": 9, "stream": stream}
    exchange = begun(config, asked("/v1/messages", body))
    exchange.call()
    if stream:
        relay = exchange.open_relay()
        choice = {"index": 0, "delta": {"content": "Hello"}, "finish_reason": "stop"}
        event = {**ANSWER, "object": "chat.completion.chunk", "choices": [choice]}
        told = relay.feed(b"data: %s\n\ndata: [DONE]\n\n" % json.dumps(event).encode())
        told += relay.finish()
        assert relay.failed is None
        assert b"Hello" in told
    else:
        answer = exchange.convert_answer(200, {}, json.dumps(ANSWER).encode())
        assert json.loads(answer.body)["content"][0]["text"] == "Hello"
    refusing = begun(config, asked("/v1/messages", {**body, "top_k": 5}))
    with pytest.raises(LossRefused):
        refusing.call()


# -- what is told ----------------------------------------------------------------------------------


def test_a_refusal_says_what_to_do_and_that_it_is_no_provider_s() -> None:
    answer = refused(config_for("openai/x"), asked("/v1/nothing", {}))
    error = json.loads(answer.body)["error"]
    assert "(the paths of OpenAI, Anthropic, Gemini and Ollama)" in error["message"]
    assert answer.headers["x-dragoman-error"] == "path.unknown"
    exchange = begun(config_for("openai/x"), asked("/v1/messages", CHAT))
    exchange.call()
    told = exchange.refusal(
        exchange.read_failure(400, {}, b'{"error": {"message": "no", "type": "a"}}')
    )
    assert told.status == 400
    assert "x-dragoman-error" not in told.headers


CLAUDE = {"user-agent": "claude-cli/2.1"}
MESSAGE = {"id": "m", "type": "message", "role": "assistant", "model": "claude-real",
           "content": [], "stop_reason": "end_turn"}  # fmt: skip


def test_an_answer_is_named_as_it_was_asked_for_at_its_top_alone() -> None:
    config = config_for("anthropic/claude-real")
    body = {**CHAT, "model": "claude-asked", "max_tokens": 9}
    call = {"type": "tool_use", "id": "t", "name": "f", "input": {"model": "haiku"}}

    def answered(message: dict[str, Any]) -> Any:
        exchange = begun(config, asked("/v1/messages", body, **CLAUDE))
        exchange.call()
        return json.loads(exchange.convert_answer(200, {}, json.dumps(message).encode()).body)

    assert answered({**MESSAGE, "content": [call]}) == {
        **MESSAGE, "model": "claude-asked", "content": [call],
    }  # fmt: skip
    unnamed = {"type": "message", "role": "assistant", "content": [call]}
    assert answered(unnamed) == unnamed


@pytest.mark.parametrize("last", [True, False])
def test_a_stream_is_named_so_wherever_its_event_says_what_it_is(last: bool) -> None:
    body = {**CHAT, "model": "claude-asked", "max_tokens": 9, "stream": True}
    exchange = begun(config_for("anthropic/claude-real"), asked("/v1/messages", body, **CLAUDE))
    exchange.call()
    kind, message = {"type": "message_start"}, {"message": MESSAGE}
    event = {**message, **kind} if last else {**kind, **message}
    told = exchange.open_relay().feed(
        b"event: message_start\ndata: %s\n\n" % json.dumps(event).encode()
    )
    assert b"claude-asked" in told
    assert b"claude-real" not in told


@each_case(
    "name",
    ["authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie", "x-forwarded-for",
     "cf-access-jwt-assertion", "x-auth-request-access-token", "x-amzn-oidc-data", "x-auth-token",
     "ocp-apim-subscription-key", "tailscale-user-login", "x-vercel-oidc-token", "dpop",
     "x-ms-client-principal", "x-amz-security-token", "x-csrf-token", "x-dragoman-id"],
)  # fmt: skip
def test_what_proxies_and_clients_say_of_themselves_goes_to_no_provider(name: str) -> None:
    kept = {"anthropic-beta": "a", "anthropic-version": "2023-06-01", "user-agent": "u",
            "idempotency-key": "i", "x-stainless-os": "Linux", "x-app": "cli"}  # fmt: skip
    request = asked("/v1/messages", CHAT, **kept, **{name: "secret"})
    call = begun(config_for("anthropic/claude-x"), request).call()
    assert call.headers == kept


def test_a_recording_has_the_answer_of_the_last_attempt_alone() -> None:
    config = replace(falling("openai/a", "anthropic/b"), record=Path("unused"))
    exchange = begun(config, asked("/v1/messages", CHAT))
    exchange.call()
    exchange.go_on(exchange.read_failure(503, {}, b'{"error": {"message": "busy"}}'))
    exchange.call()
    exchange.keep(b"{}")
    assert exchange.record.kept is not None
    assert exchange.record.kept.upstream_response == b"{}"


def test_the_head_of_an_answer_says_how_long_it_would_be() -> None:
    exchange = begun(passing("openai/x"), asked("/v1/files/1", method="HEAD"))
    exchange.call()
    answer = exchange.convert_answer(
        200, {"content-length": "12", "content-type": "text/plain"}, b""
    )
    assert answer.headers["content-length"] == "12"


# -- compaction ------------------------------------------------------------------------------------

SEALING = Envelopes(keys=(b"k" * 32,))


def test_a_summary_of_ours_stays_where_a_route_cuts_histories() -> None:
    config = config_for("deepseek/deepseek-chat")
    cut = replace(config.routes[0], truncation=Truncation(700, "characters"))
    config = replace(config, routes=(cut,), envelopes=SEALING)
    sealed = Sealer(SEALING).envelope("").seal({"summary": "THE SUMMARY"})
    items = [{"type": "compaction", "id": "c", "encrypted_content": sealed}]
    items += [{"type": "message", "role": ("user", "assistant")[i % 2], "content": f"turn {i} " * 9}
              for i in range(20)]  # fmt: skip
    made = begun(config, asked("/v1/responses", {"model": "m", "input": items})).call()
    messages = json.loads(made.body)["messages"]
    assert "THE SUMMARY" in json.dumps(messages[0])
    assert len(messages) < 12
    assert "turn 19" in json.dumps(messages[-1])


@pytest.mark.parametrize("path", ["/v1/responses", "/v1/responses/compact"])
def test_envelopes_are_judged_where_a_history_is_compacted_too(path: str) -> None:
    sealer = Sealer(SEALING)
    good = sealer.envelope("").seal({"summary": "SUM"})
    foreign = sealer.envelope("eve").seal({"summary": "EVE"})
    config = replace(config_for("openai/gpt-5.6"), envelopes=SEALING)

    def call(kind: str, sealed: str) -> Any:
        item = {"type": kind, "id": "c", "encrypted_content": sealed}
        if kind == "reasoning":
            item["summary"] = []  # type: ignore[assignment]
        said = {"type": "message", "role": "user", "content": "x"}
        made = begun(config, asked(path, {"model": "m", "input": [item, said]})).call()
        return json.loads(made.body)["input"]

    assert "SUM" in json.dumps(call("compaction", good))
    state = sealer.envelope("").seal({"anthropic": {"signature": "S"}})
    assert state not in json.dumps(call("reasoning", state))
    for wrong in (foreign, f"{good[:-6]}AAAAAA"):
        with pytest.raises(WriteError) as caught:
            call("compaction", wrong)
        assert caught.value.code in ("envelope.foreign", "envelope.changed")


# -- who answered, and when ------------------------------------------------------------------------

# of each wire: where answers say what they are called, and when they were made
_NAMED = {"openai-chat": ("id", "created"), "openai-responses": ("id", "created_at"),
          "anthropic": ("id", ""), "gemini": ("responseId", ""),
          "gemini-interactions": ("id", "created"), "ollama": ("", "created_at")}  # fmt: skip


@each_case("client", WIRES, ids=str)
@each_case("behind", WIRES, ids=str)
def test_an_answer_has_an_id_of_its_own_and_a_time_of_its_own(client: Wire, behind: Wire) -> None:
    if client is behind:
        return
    config = Config(routes=(Route(Target(behind.target, secret="of-the-provider")),))
    name, time = _NAMED[str(client)]
    silent = json.loads(behind.whole)
    for key in ("id", "responseId", "created", "created_at"):
        silent.pop(key, None)
    seen: set[Any] = set()
    for _ in range(2):
        exchange = begun(config, asked(client.path("up", False), client.body("up", False)))
        exchange.call()
        body = json.loads(exchange.convert_answer(200, {}, json.dumps(silent).encode()).body)
        seen.add(body[name] if name else len(seen))
        if time:
            told = body[time]
            assert told > 1.7e9 if isinstance(told, int) else told > "2026"
    assert len(seen) == 2


@pytest.mark.parametrize("client", [one for one in WIRES if one is not OLLAMA], ids=str)
def test_a_streamed_answer_of_a_wire_without_ids_has_one(client: Wire) -> None:
    config = Config(routes=(Route(Target(OLLAMA.target, secret="of-the-provider")),))
    seen = set()
    for _ in range(2):
        exchange = begun(config, asked(client.path("up", True), client.body("up", True)))
        exchange.call()
        relay = exchange.open_relay()
        told = b"".join(relay.feed(event) for event in OLLAMA.events) + relay.finish()
        ids = re.findall(rb'"(?:id|responseId)": ?"((?:chatcmpl-|resp_|msg_|v1_|)\w{20,})"', told)
        seen |= {one for one in ids if not one.startswith(b"msg_") or client is MESSAGES}
    assert len(seen) >= 2


@pytest.mark.parametrize("status", [600, 700, 999])
@pytest.mark.parametrize("client", WIRES, ids=str)
def test_a_status_beyond_all_of_http_is_no_client_s(client: Wire, status: int) -> None:
    config = Config(routes=(Route(Target(client.target, secret="of-the-provider")),))
    exchange = begun(config, asked(client.path("up", False), client.body("up", False)))
    exchange.call()
    error = exchange.read_failure(status, {}, b'{"error": {"message": "odd", "type": "odd"}}')
    assert 500 <= exchange.refusal(error).status < 600


def test_an_error_that_waits_for_a_fallback_holds_no_frames() -> None:
    """They hold the whole body of the answer, of up to `limits.answer`."""
    exchange = begun(falling("openai/a", "anthropic/b"), asked("/v1/messages", CHAT))
    with pytest.raises(ProviderError) as caught:
        raise BUSY
    assert caught.value.__traceback__ is not None
    exchange.go_on(caught.value)
    assert caught.value.__traceback__ is None
