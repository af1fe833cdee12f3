"""Spans of the gateway, as the SDK of OpenTelemetry exports them."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx2
import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import SpanKind, StatusCode

from dragoman import Msg, errors, wire
from dragoman.gateway.config.config_values import Config, Route, Target
from dragoman.gateway.server.asgi import app
from dragoman.gateway.telemetry.observed_exchange import ExchangeRecord, Kept
from dragoman.gateway.telemetry.spans import Spans
from dragoman.message import ChatRequest, ImageBlock, URLSource, Usage
from dragoman.transport.call import HttpCall, Reply, Timeouts
from dragoman.transport.over_httpx2 import AsyncHttpxStream

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


def record(**fields: Any) -> ExchangeRecord:
    known: dict[str, Any] = {
        "protocol": "openai-chat", "path": "/v1/chat/completions", "model": "gpt-5.9",
        "vendor": "anthropic", "upstream_protocol": "anthropic", "status": 200,
        "upstream_status": 200, "upstream_model": "claude-opus-5-5", "attempts": 1, "ended": 2.5,
    }  # fmt: skip
    return ExchangeRecord("x1", 1_800_000_000.25, **{**known, **fields})


def spans(*records: ExchangeRecord) -> list[ReadableSpan]:
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    observer = Spans(provider)
    for one in records:
        observer.on_begin(one)
        observer.on_end(one)
    observer.close()
    return list(exporter.get_finished_spans())


def span(**fields: Any) -> ReadableSpan:
    [made] = spans(record(**fields))
    return made


def attributes(**fields: Any) -> Mapping[str, Any]:
    found = span(**fields).attributes
    assert found is not None
    return found


def test_an_exchange_is_a_client_span() -> None:
    made = span()
    assert (made.name, made.kind) == ("chat claude-opus-5-5", SpanKind.CLIENT)
    assert (made.start_time, made.end_time) == (
        1_800_000_000_250_000_000,
        1_800_000_002_750_000_000,
    )
    assert (made.parent, made.status.status_code) == (None, StatusCode.UNSET)
    assert dict(made.attributes or {}) == {
        "gen_ai.operation.name": "chat", "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "claude-opus-5-5", "http.response.status_code": 200,
        "dragoman.id": "x1", "dragoman.client.protocol": "openai-chat",
        "dragoman.client.model": "gpt-5.9", "dragoman.attempts": 1,
    }  # fmt: skip


def test_what_is_known_of_the_answer_is_told() -> None:
    usage = Usage(input=5, cache_read=100, cache_write=20, output=9, reasoning=4)
    found = attributes(
        stream=True, first_byte=0.5, usage=usage, finish=("stop", "length"), tenant="team-a",
        answer_model="claude-opus-5-5-20261101", session="s-1", route="r", fallback=1,
        client_left=True, same_wire=True,
    )  # fmt: skip
    assert {name: value for name, value in found.items() if name.startswith("gen_ai.")} == {
        "gen_ai.operation.name": "chat", "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "claude-opus-5-5", "gen_ai.request.stream": True,
        "gen_ai.response.model": "claude-opus-5-5-20261101",
        "gen_ai.response.finish_reasons": ("stop", "length"),
        "gen_ai.response.time_to_first_chunk": 0.5, "gen_ai.conversation.id": "s-1",
        "gen_ai.usage.input_tokens": 125, "gen_ai.usage.cache_read.input_tokens": 100,
        "gen_ai.usage.cache_write.input_tokens": 20, "gen_ai.usage.output_tokens": 9,
        "gen_ai.usage.reasoning.output_tokens": 4,
    }  # fmt: skip
    assert found["dragoman.client.left"] is True
    assert (found["dragoman.tenant"], found["dragoman.fallback"]) == ("team-a", 1)


def test_tokens_that_nobody_told_are_left_out() -> None:
    assert not [name for name in attributes(usage=Usage(total=3)) if "usage" in name]
    assert attributes(usage=Usage(cache_read=0))["gen_ai.usage.input_tokens"] == 0


def test_an_error_is_told_by_its_kind() -> None:
    made = span(error="rate_limit", message="slow down", status=429, upstream_status=429)
    assert (made.status.status_code, made.status.description) == (StatusCode.ERROR, "slow down")
    found = dict(made.attributes or {})
    assert (found["error.type"], found["http.response.status_code"]) == ("rate_limit", 429)


@pytest.mark.parametrize(
    ("vendor", "protocol", "path", "name", "provider"),
    [
        ("gemini", "gemini", "/v1/messages", "generate_content", "gcp.gemini"),
        ("vertex", "gemini", "/v1/messages", "generate_content", "gcp.vertex_ai"),
        ("bedrock", "bedrock-converse", "/v1/messages", "chat", "aws.bedrock"),
        ("xai", "openai-chat", "/v1/messages", "chat", "x_ai"),
        ("openrouter", "openai-chat", "/v1/messages", "chat", "openrouter"),
        ("gemini", "gemini", "/v1beta/models/m:countTokens", "count_tokens", "gcp.gemini"),
        ("anthropic", "anthropic", "/v1/messages/count_tokens?beta=true", "count_tokens",
         "anthropic"),
    ],
)  # fmt: skip
def test_operation_and_provider_have_the_names_of_the_conventions(
    vendor: str, protocol: str, path: str, name: str, provider: str
) -> None:
    found = attributes(vendor=vendor, upstream_protocol=protocol, path=path)
    assert (found["gen_ai.operation.name"], found["gen_ai.provider.name"]) == (name, provider)


def test_losses_are_named_by_code_the_weightiest_first() -> None:
    image = ImageBlock(URLSource("https://example.com/a.png"))
    request = ChatRequest([Msg("Tony", [image, image], "user")])
    losses = wire("deepseek", policy="ignore").write_request(request).losses
    found = attributes(losses=losses)["dragoman.losses"]
    assert set(found) == {loss.code for loss in losses}
    assert len(found) == len(set(found))


def test_the_trace_of_the_client_goes_on() -> None:
    made = span(traceparent=f"00-{TRACE}-{PARENT}-01")
    assert made.context is not None
    assert made.parent is not None
    assert f"{made.context.trace_id:032x}" == TRACE
    assert f"{made.parent.span_id:016x}" == PARENT
    assert made.parent.is_remote


def test_a_client_that_is_not_sampled_gets_no_span() -> None:
    assert spans(record(traceparent=f"00-{TRACE}-{PARENT}-00")) == []


@pytest.mark.parametrize("text", ["", "x", "00-0-0-01", f"00-{'0' * 32}-{PARENT}-01", "\n\u20ac"])
def test_another_header_begins_a_trace_of_its_own(text: str) -> None:
    made = span(traceparent=text)
    assert made.parent is None
    assert made.context is not None
    assert made.context.trace_id != 0


def test_without_a_provider_that_was_asked_there_is_no_span() -> None:
    assert spans(record(vendor="", status=401, error="authentication")) == []


def test_who_samples_nothing_gets_nothing() -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider(ALWAYS_OFF, shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    Spans(provider).on_end(record())
    assert exporter.get_finished_spans() == ()
    Spans().on_end(record())  # the global one is none here


def test_nothing_that_was_said_and_no_secret_is_told() -> None:
    secret = "sk-" + "ant-api03-0123456789abcdef"
    kept = Kept(request=b"SAID", upstream_path="/SAID?key=SAID")
    made = span(kept=kept, path="/v1/x?key=SAID", model=secret, upstream_model=secret,
                message=f"the key {secret}", error="authentication")  # fmt: skip
    text = made.to_json()
    assert "SAID" not in text
    assert secret not in text


_SECRET = "sk-" + "proj-0123456789abcdefghij"
_FORMLESS = "a-word-that-only-the-provider-knows-0123456789"


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize("answered", ["error", "refused", "cut", "well"])
def test_no_secret_of_an_exchange_is_told(stream: bool, answered: str) -> None:
    """Keys in the query, in headers, in names of models, in answers, in a session."""
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    told = json.dumps({"error": {"message": f"no: {_FORMLESS}, {_SECRET}", "type": _SECRET}})
    chunk = {"id": _SECRET, "model": f"m/{_SECRET}", "choices": [
        {"index": 0, "delta": {"content": "SAID"}, "finish_reason": _SECRET}]}  # fmt: skip
    plain = {"id": "c", "model": f"m/{_SECRET}", "choices": [
        {"index": 0, "message": {"content": "SAID"}, "finish_reason": _SECRET}]}  # fmt: skip
    said = f"data: {json.dumps(chunk)}\n\n" if stream else json.dumps(plain)
    body = {"error": f"data: {told}\n\n" if stream else told, "refused": told, "cut": said[:40],
            "well": said}[answered]  # fmt: skip

    def answer(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(401 if answered == "refused" else 200, text=body)

    async def ask() -> None:
        served = app(
            Config(routes=(Route(Target("openai/openai-chat/*", secret=_FORMLESS)),)),
            observers=[Spans(provider)], transport=_Over(answer),
        )  # fmt: skip
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(served)) as client:
            for path in ("/v1/chat/completions", "/v1/messages", "/v1/responses"):
                await client.post(
                    f"http://gateway{path}?key={_SECRET}&x={_FORMLESS}",
                    headers={"authorization": f"Bearer {_SECRET}", "session_id": _SECRET,
                             "traceparent": _SECRET, "x-api-key": _SECRET, "cookie": _FORMLESS},
                    json={"model": _SECRET, "stream": stream, "max_tokens": 9,
                          "input": "SAID", "messages": [{"role": "user", "content": "SAID"}]},
                )  # fmt: skip
        await served.aclose()

    asyncio.run(ask())
    made = exporter.get_finished_spans()
    assert len(made) == 3
    for one in made:
        text = one.to_json()
        for secret in (_SECRET, _SECRET[3:], _FORMLESS, "SAID"):
            assert secret not in text, text


class _Over:
    """A transport whose provider is a function."""

    def __init__(self, answer: Callable[[httpx2.Request], httpx2.Response]) -> None:
        self._client = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))

    async def asend(self, call: HttpCall, timeouts: Timeouts) -> Reply:
        reply = await self.astream(call, timeouts)
        return Reply(reply.status, reply.headers, await reply.read())

    async def astream(self, call: HttpCall, timeouts: Timeouts) -> AsyncHttpxStream:
        request = self._client.build_request(call.method, call.url, headers=call.headers,
                                             content=call.body)  # fmt: skip
        begun = time.monotonic()
        response = await self._client.send(request, stream=True)
        return AsyncHttpxStream(response, call, timeouts, begun)

    async def aclose(self) -> None:
        await self._client.aclose()


def test_the_environment_names_the_exporter() -> None:
    code = (
        "from dragoman.gateway.telemetry.spans import Spans\n"
        "from dragoman.gateway.telemetry.observed_exchange import ExchangeRecord\n"
        "spans = Spans.from_environment()\n"
        "spans.on_end(ExchangeRecord('x', 1.0, vendor='anthropic', upstream_model='m'))\n"
        "spans.close()\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False,
        env={**os.environ, "OTEL_TRACES_EXPORTER": "console", "OTEL_RESOURCE_ATTRIBUTES": "a=b"},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert told["name"] == "chat m"
    assert told["resource"]["attributes"]["service.name"] == "dragoman"
    assert told["resource"]["attributes"]["a"] == "b"


def test_a_provider_of_the_program_is_used() -> None:
    code = (
        "from opentelemetry.sdk.trace import TracerProvider\n"
        "from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor\n"
        "from opentelemetry.trace import set_tracer_provider\n"
        "from dragoman.gateway.telemetry.spans import Spans\n"
        "from dragoman.gateway.telemetry.observed_exchange import ExchangeRecord\n"
        "provider = TracerProvider()\n"
        "provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter()))\n"
        "set_tracer_provider(provider)\n"
        "spans = Spans.from_environment()\n"
        "spans.on_end(ExchangeRecord('x', 1.0, vendor='anthropic', upstream_model='m'))\n"
        "spans.close()\n"
        "spans.on_end(ExchangeRecord('y', 1.0, vendor='anthropic', upstream_model='n'))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False,
        env={**os.environ, "OTEL_TRACES_EXPORTER": "nowhere"},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    # it is the program's to end
    assert '"name": "chat m"' in ran.stdout
    assert '"name": "chat n"' in ran.stdout


def test_an_exporter_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "nowhere")
    with pytest.raises(errors.ConfigError, match="exports traces to 'nowhere'"):
        Spans.from_environment()
