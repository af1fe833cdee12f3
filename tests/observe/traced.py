"""OpenTelemetry's SDK with exporters in memory, and what they got."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import (
    InMemoryLogRecordExporter,
    SimpleLogRecordProcessor,
)
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from dragoman import observe

__all__ = ["Traced", "tracing"]


class Traced:
    """Providers, and what was exported."""

    def __init__(self) -> None:
        self._spans, self._reader = InMemorySpanExporter(), InMemoryMetricReader()
        self._logs: Any = InMemoryLogRecordExporter()  # type: ignore[no-untyped-call]
        self.tracers = TracerProvider(shutdown_on_exit=False)
        self.tracers.add_span_processor(SimpleSpanProcessor(self._spans))
        self.meters = MeterProvider([self._reader], shutdown_on_exit=False)
        self.loggers = LoggerProvider(shutdown_on_exit=False)
        self.loggers.add_log_record_processor(SimpleLogRecordProcessor(self._logs))

    @property
    def spans(self) -> list[ReadableSpan]:
        """The spans that have ended, in the order in which they began."""
        return sorted(self._spans.get_finished_spans(), key=lambda one: one.start_time or 0)

    def named(self, name: str) -> list[ReadableSpan]:
        """The spans of a name."""
        return [span for span in self.spans if span.name == name]

    @property
    def metrics(self) -> dict[str, Any]:
        """The metrics by name."""
        data = self._reader.get_metrics_data()
        scopes = [] if data is None else [s for r in data.resource_metrics for s in r.scope_metrics]
        return {metric.name: metric for scope in scopes for metric in scope.metrics}

    @property
    def records(self) -> Sequence[Any]:
        """The records of logs."""
        records: Sequence[Any] = self._logs.get_finished_logs()
        return records

    @property
    def text(self) -> str:
        """All that was exported, as one text."""
        metrics = [metric.to_json() for metric in self.metrics.values()]
        logs = [record.log_record.body for record in self.records]
        attributes = [str(dict(one.log_record.attributes or {})) for one in self.records]
        spans = [span.to_json() for span in self.spans]
        return "\n".join(map(str, (*spans, *metrics, *logs, *attributes)))

    def tree(self) -> list[Any]:
        """The spans as (name, those below it), in the order of their names."""
        below: dict[int | None, list[ReadableSpan]] = {}
        for span in self.spans:
            below.setdefault(span.parent.span_id if span.parent else None, []).append(span)

        def branch(at: int | None) -> list[Any]:
            return sorted(
                [span.name, branch(span.context.span_id)]
                for span in below.get(at, ())
                if span.context is not None
            )

        return branch(None)


@contextmanager
def tracing(content: Any = None) -> Iterator[Traced]:
    """Install the listener for a while."""
    traced = Traced()
    with observe.open_telemetry(traced.tracers, traced.meters, traced.loggers, content):
        yield traced


def attributes(span: ReadableSpan) -> dict[str, Any]:
    """The attributes of a span; those with content are read."""
    found: dict[str, Any] = dict(span.attributes or {})
    for key, value in found.items():
        if key.endswith(("messages", "instructions", "definitions")):
            found[key] = json.loads(value)
    return found
