"""Spans: one OpenTelemetry span for each exchange, in the names of the GenAI conventions.

The names are those of `telemetry/names.py`. There is no content in a span, nor any header.
"""

from __future__ import annotations

import os
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from ...errors import ConfigError
from ...telemetry import names
from ...text.redaction import clip_text, show
from .observed_exchange import ExchangeRecord, Observer
from .redact import without_secrets

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.util.types import AttributeValue

try:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider as SDKProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
    from opentelemetry.trace import (
        ProxyTracerProvider,
        SpanKind,
        Status,
        StatusCode,
        TracerProvider,
        get_tracer,
        get_tracer_provider,
    )
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
except ImportError as error:
    raise ConfigError(
        "spans need the packages opentelemetry-api and opentelemetry-sdk",
        hint='pip install "dragoman[otel]"',
        code="spans.missing",
    ) from error

_COUNTING = ("count_tokens", "input_tokens", ":countTokens")  # the ends of paths for token counts
_LONGEST = 200
_TRACES = TraceContextTextMapPropagator()


class Spans(Observer):
    """Makes a client span for each exchange that called a provider, once it has ended.

    A client's `traceparent` is continued. Needs no running loop.

    Args:
        provider: What makes the tracer; without it the global provider of OpenTelemetry, as
            `opentelemetry-instrument` sets it.
    """

    def __init__(self, provider: TracerProvider | None = None) -> None:
        self._provider = provider
        self._tracer = get_tracer("dragoman", tracer_provider=provider)

    @classmethod
    def from_environment(cls) -> Spans:
        """Spans to the exporters that OTEL_TRACES_EXPORTER names, in batches and in a thread.

        Without the variable it is `otlp`, of the package opentelemetry-exporter-otlp-proto-http or
        -grpc; the SDK reads the other variables of OpenTelemetry. If the program has set a global
        provider, as `opentelemetry-instrument` does, spans go there.

        Raises:
            ConfigError: An exporter is not installed.
        """
        if not isinstance(get_tracer_provider(), ProxyTracerProvider):
            return cls()
        return cls(_provider_from_environment())

    def on_begin(self, record: ExchangeRecord) -> None:
        """Do nothing: the provider is unknown, and samplers need it at the start of a span."""

    def on_end(self, record: ExchangeRecord) -> None:
        """Make the span."""
        if not record.vendor:
            return
        begin = _nanoseconds(record.begun)
        span = self._tracer.start_span(
            f"{_operation(record)} {_name(record.upstream_model)}".strip(),
            context=_context(record),
            kind=SpanKind.CLIENT,
            attributes=build_attributes(record),
            start_time=begin,
        )
        if record.error:
            span.set_status(Status(StatusCode.ERROR, _name(record.message) or record.error))
        span.end(begin + _nanoseconds(record.ended or 0.0))

    def close(self) -> None:
        """Send what waits to be exported, if the provider was made here."""
        shutdown = getattr(self._provider, "shutdown", None)
        if shutdown is not None:
            shutdown()


def _nanoseconds(seconds: float) -> int:
    """Nanoseconds, rounded to microseconds, which is the precision of a float of Unix time."""
    return round(seconds * 1_000_000) * 1000


def _context(record: ExchangeRecord) -> Context | None:
    if not record.traceparent:
        return None
    return _TRACES.extract({"traceparent": record.traceparent})


def build_attributes(record: ExchangeRecord) -> dict[str, AttributeValue]:
    """The attributes of an exchange's span; unknown ones are left out.

    Of the conventions: operation, provider, models, tokens, finish reasons, seconds to the first
    chunk, conversation and error.type, which is a kind of error such as `rate_limit`. In addition
    `dragoman.losses` lists the codes of losses, the most serious first.
    """
    found: dict[str, AttributeValue] = {
        names.OPERATION: _operation(record),
        names.PROVIDER: names.provider_name(record.vendor),
        names.REQUEST_MODEL: _name(record.upstream_model),
        names.REQUEST_STREAM: record.stream,
        names.RESPONSE_MODEL: _name(record.answer_model),
        names.FINISH_REASONS: names.finish_words(record.finish),
        names.CONVERSATION: _name(record.session),
        names.ERROR: record.error,
        "http.response.status_code": record.upstream_status,
        "dragoman.id": record.id,
        "dragoman.tenant": _name(record.tenant),
        "dragoman.route": _name(record.route),
        "dragoman.client.protocol": record.protocol,
        "dragoman.client.model": _name(record.model),
        "dragoman.client.left": record.client_left,
        "dragoman.same_wire": record.same_wire,
        names.ATTEMPTS: record.attempts,
        "dragoman.fallback": record.fallback,
        names.LOSSES: names.loss_codes(record.losses),
    }
    if record.stream and record.first_byte is not None:
        found[names.TIME_TO_FIRST_CHUNK] = record.first_byte
    told = {name: value for name, value in found.items() if value}
    return {**told, **names.usage_attributes(record.usage)}


def _operation(record: ExchangeRecord) -> str:
    """The operation; `count_tokens` is our own name, as the conventions have none for it."""
    if record.path.partition("?")[0].endswith(_COUNTING):
        return "count_tokens"
    return names.operation_name(record.upstream_protocol)


def _name(text: str) -> str:
    """A name that a client or provider chose, shortened and without secrets."""
    return clip_text(without_secrets(text[: 5 * _LONGEST]), _LONGEST) if text else ""


def _provider_from_environment() -> SDKProvider:
    named = os.environ.get("OTEL_SERVICE_NAME")
    provider = SDKProvider(resource=Resource.create({} if named else {"service.name": "dragoman"}))
    for name in (os.environ.get("OTEL_TRACES_EXPORTER") or "otlp").split(","):
        if (plain := name.strip()) != "none":
            provider.add_span_processor(BatchSpanProcessor(_exporter(plain)))
    return provider


def _exporter(name: str) -> SpanExporter:
    """The exporter of this name in installed packages. Raises ConfigError if there is none."""
    protocol = os.environ.get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") or os.environ.get(
        "OTEL_EXPORTER_OTLP_PROTOCOL", ""
    )
    if name == "otlp":
        name = "otlp_proto_grpc" if protocol.strip() == "grpc" else "otlp_proto_http"
    for found in entry_points(group="opentelemetry_traces_exporter", name=name):
        exporter: SpanExporter = found.load()()
        return exporter
    text = f"no package that is installed exports traces to {show(name)}"
    hint = "pip install opentelemetry-exporter-otlp-proto-http; OTEL_TRACES_EXPORTER names another"
    raise ConfigError(text, hint=hint, code="spans.exporter")
