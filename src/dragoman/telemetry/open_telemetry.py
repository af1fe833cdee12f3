"""Spans and metrics of events, by the GenAI conventions; and messages, if the program wants them.

An agent's run is a span `invoke_agent NAME`, a request to a model `chat MODEL`, a tool
`execute_tool NAME`. What works within one has its span as the current one, so that spans of other
libraries (HTTP clients, databases in a tool) are below it, and all of it is below the span in which
the program called.

Reference: as in `names.py`; what the environment variable may be: opentelemetry-util-genai 1.3b0,
`utils.get_content_capturing_mode`, run on 2026-11-29.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Literal, TypeAlias

from ..bridges import otel_genai
from ..errors import ConfigError, DragomanError
from ..message import Candidate, ChatRequest, ChatResponse, Finish, Msg
from ..observe.channel import Event, ObservedOperation, Subscription, subscribe
from ..observe.events import (
    AttemptBegin,
    CallBegin,
    CallEnd,
    Fallback,
    FirstByte,
    OperationEnd,
    RequestBegin,
    RequestEnd,
    Retry,
    RunBegin,
    RunEnd,
    ToolBegin,
    ToolEnd,
)
from . import names

try:
    from opentelemetry import context as otel_context
    from opentelemetry._logs import LoggerProvider, LogRecord, get_logger
    from opentelemetry.metrics import MeterProvider, get_meter
    from opentelemetry.trace import (
        Span,
        SpanKind,
        Status,
        StatusCode,
        TracerProvider,
        get_tracer,
        set_span_in_context,
    )
except ImportError as error:
    raise ConfigError(
        "spans and metrics need the package opentelemetry-api",
        hint='pip install "dragoman[otel]"',
        code="spans.missing",
    ) from error

Content: TypeAlias = Literal["span", "event", "span_and_event"]
VARIABLE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_NAMED: dict[str, Content | None] = {
    "": None,
    "NO_CONTENT": None,
    "SPAN_ONLY": "span",
    "EVENT_ONLY": "event",
    "SPAN_AND_EVENT": "span_and_event",
}
# why a run ended, where an answer never does: readers such as Phoenix want a reason for each output
_RUN_ENDS: dict[str, Any] = {
    "done": "stop",
    "paused": "tool_calls",
    **dict.fromkeys(("steps", "tokens", "cost", "seconds"), "length"),
}
_DETAILS = "gen_ai.client.inference.operation.details"
# bounds of histograms that the conventions advise, in seconds and tokens
_SECONDS = [0.01 * 2**n for n in range(14)]
_RUN_SECONDS = [0.1 * 2**n for n in range(13)]
_TOKENS = [float(4**n) for n in range(14)]
_log = logging.getLogger("dragoman.observe")


def open_telemetry(
    tracer_provider: TracerProvider | None = None,
    meter_provider: MeterProvider | None = None,
    logger_provider: LoggerProvider | None = None,
    content: bool | Content | None = None,
) -> Subscription:
    """Make spans and metrics of all that happens; see `dragoman.observe.open_telemetry`."""
    mode = _content_of(content)
    meter = get_meter("dragoman", meter_provider=meter_provider)

    def histogram(name: str, unit: str, text: str, bounds: Sequence[float]) -> Any:
        return meter.create_histogram(name, unit, text, explicit_bucket_boundaries_advisory=bounds)

    return subscribe(
        _Spans(
            get_tracer("dragoman", tracer_provider=tracer_provider),
            get_logger("dragoman", logger_provider=logger_provider),
            mode,
            _Metrics(
                histogram(
                    "gen_ai.client.operation.duration", "s", "Seconds of a request.", _SECONDS
                ),
                histogram("gen_ai.client.token.usage", "{token}", "Tokens of a request.", _TOKENS),
                histogram(
                    "gen_ai.client.operation.time_to_first_chunk",
                    "s",
                    "Seconds to the first bytes of a streamed answer.",
                    _SECONDS,
                ),
                histogram("gen_ai.execute_tool.duration", "s", "Seconds of a tool.", _SECONDS),
                histogram("gen_ai.invoke_agent.duration", "s", "Seconds of a run.", _RUN_SECONDS),
            ),
        )
    )


def _content_of(given: bool | str | None) -> Content | None:
    """Return where messages go, if anywhere.

    Raises:
        ConfigError: There is no such place.
    """
    if given is None:
        named = os.environ.get(VARIABLE, "").strip().upper()
        if named not in _NAMED:
            known = ", ".join(filter(None, _NAMED))
            _log.warning("%s is none of %s: no content is captured", VARIABLE, known)
        return _NAMED.get(named)
    if isinstance(given, bool):
        return "span" if given else None
    for place in _NAMED.values():
        if place == given:
            return place
    text = "content is True, False, or where it goes"
    hint = "span, event, or span_and_event"
    raise ConfigError(text, path="$.content", hint=hint, code="spans.content")


@dataclass(slots=True)
class _Metrics:
    duration: Any
    tokens: Any
    first_chunk: Any
    tool: Any
    run: Any


@dataclass(slots=True)
class _OpenSpan:
    """A span that has begun.

    Attributes:
        labels: The attributes of its metrics.
        attempts: How often the request was sent.
        request: The request, if its content is wanted.
        before: How many messages an agent had before the run.
    """

    span: Span
    begun: float
    labels: dict[str, Any] = field(default_factory=dict)
    attempts: int = 0
    request: ChatRequest | None = None
    messages: Sequence[Msg] = ()
    before: int = 0
    system: str | None = None


class _Spans:
    """The listener. A context is attached where an operation with a span works."""

    def __init__(
        self, tracer: Any, logger: Any, content: Content | None, metrics: _Metrics
    ) -> None:
        self._tracer = tracer
        self._logger = logger
        self._content = content
        self._metrics = metrics
        self._open: dict[int, _OpenSpan] = {}
        self._takes: dict[type[Event], Callable[[Any], None]] = {
            RunBegin: self._begin_run,
            RunEnd: self._end_run,
            CallBegin: self._begin_call,
            CallEnd: self._end,
            Fallback: self._fall_back,
            RequestBegin: self._begin_request,
            AttemptBegin: self._attempt,
            Retry: self._retry,
            FirstByte: self._see_bytes,
            RequestEnd: self._end_request,
            ToolBegin: self._begin_tool,
            ToolEnd: self._end_tool,
        }

    def __call__(self, event: Event) -> None:
        if (take := self._takes.get(type(event))) is not None:
            try:
                take(event)
            finally:
                if isinstance(event, OperationEnd):
                    self._end(event)  # a value that cannot be written leaves no span open

    def attach(self, operation: ObservedOperation) -> Any:
        """Make the span of an operation the current one, if it has one."""
        found = self._open.get(operation.id)
        return None if found is None else otel_context.attach(set_span_in_context(found.span))

    def detach(self, token: Any) -> None:
        """Go back to the span before."""
        otel_context.detach(token)

    # -- beginnings and ends ----------------------------------------------------------------------

    def _begin(
        self, event: Event, name: str, kind: SpanKind, attributes: dict[str, Any]
    ) -> _OpenSpan:
        span = self._tracer.start_span(
            name.strip(), kind=kind, attributes=attributes, start_time=event.time
        )
        made = self._open[event.operation.id] = _OpenSpan(span, monotonic())
        return made

    def _end(self, event: OperationEnd, attributes: dict[str, Any] | None = None) -> None:
        found = self._open.pop(event.operation.id, None)
        if found is None:
            return
        found.span.set_attributes(names.drop_unknown(attributes or {}))
        if event.error is not None:
            found.span.set_attribute(names.ERROR, event.error_kind)
            # not the text of the error, which may quote a conversation
            found.span.set_status(Status(StatusCode.ERROR, event.error_kind))
        found.span.end(event.time)

    def _captures(self, found: _OpenSpan | None, place: Literal["span", "event"]) -> bool:
        recording = found is not None and found.span.is_recording()
        return self._content is not None and place in self._content and recording

    # -- agents -----------------------------------------------------------------------------------

    def _begin_run(self, event: RunBegin) -> None:
        name = names.short_name(event.operation.name)
        about = names.drop_unknown({names.OPERATION: "invoke_agent", names.AGENT: name})
        made = self._begin(event, f"invoke_agent {name}", SpanKind.INTERNAL, about)
        made.labels = {names.AGENT: name} if name else {}
        made.messages, made.before, made.system = event.messages, len(event.messages), event.system

    def _end_run(self, event: RunEnd) -> None:
        found = self._open.get(event.operation.id)
        if found is None:
            return
        reply = event.reply
        more: dict[str, Any] = {}
        if reply is not None:
            more = {**names.usage_attributes(reply.usage), "dragoman.finish": reply.finish}
        if self._captures(found, "span"):
            asked = [*found.messages]
            after = range(found.before, len(asked))
            answered = next((i for i in after if asked[i].role == "assistant"), len(asked))
            said: list[Any] = []
            if reply is not None and reply.msg is not None:
                reason = _RUN_ENDS.get(reply.finish, reply.finish)
                said = [ChatResponse([Candidate(reply.msg, Finish(reason))])]
            more |= _as_text(_content(asked[:answered], said, found.system, ()))
        labels = {**found.labels, **_error(event)}
        self._metrics.run.record(monotonic() - found.begun, labels)
        self._end(event, more)

    # -- calls and requests -----------------------------------------------------------------------

    def _begin_call(self, event: CallBegin) -> None:
        """Begin a span around all requests, where there may be several."""
        if len(event.models) > 1 or event.repairs:
            about = {"dragoman.models": tuple(map(names.short_name, event.models))}
            self._begin(event, "dragoman.ask", SpanKind.INTERNAL, about)

    def _fall_back(self, event: Fallback) -> None:
        if (found := self._open.get(event.operation.id)) is not None:
            about = {
                names.ERROR: event.kind,
                "dragoman.failed": names.short_name(event.failed),
                "dragoman.following": names.short_name(event.following),
            }
            found.span.add_event("dragoman.fallback", about, event.time)

    def _begin_request(self, event: RequestBegin) -> None:
        operation = names.operation_name(event.protocol)
        model = names.short_name(event.model)
        labels = {
            names.OPERATION: operation,
            names.PROVIDER: names.provider_name(event.provider),
            **names.drop_unknown({names.REQUEST_MODEL: model}),
            **names.server_attributes(event.address),
        }
        request: ChatRequest | None = None
        with suppress(DragomanError):  # a body of a program's own may be none that is read
            request = event.read_request()
        about = {
            **labels,
            **({names.REQUEST_STREAM: True} if event.stream else {}),
            **({} if request is None else names.request_attributes(request, event.losses)),
        }
        if losses := event.losses:
            about[names.LOSSES] = names.loss_codes(losses)
        made = self._begin(event, f"{operation} {model}", SpanKind.CLIENT, about)
        made.labels = labels
        made.request = request if self._content is not None else None

    def _attempt(self, event: AttemptBegin) -> None:
        if (found := self._open.get(event.operation.id)) is not None:
            found.attempts += 1

    def _retry(self, event: Retry) -> None:
        if (found := self._open.get(event.operation.id)) is not None:
            about: dict[str, Any] = {
                names.ERROR: event.kind,
                "dragoman.attempt": event.number,
                "dragoman.pause": event.pause,
            }
            found.span.add_event("dragoman.retry", about, event.time)

    def _see_bytes(self, event: FirstByte) -> None:
        if (found := self._open.get(event.operation.id)) is not None:
            found.span.set_attribute(names.TIME_TO_FIRST_CHUNK, event.seconds)
            self._metrics.first_chunk.record(event.seconds, found.labels)

    def _end_request(self, event: RequestEnd) -> None:
        found = self._open.get(event.operation.id)
        if found is None:
            return
        answer = event.answer
        usage = names.usage_attributes(event.usage)
        model = names.short_name(answer.model) if answer is not None else ""
        more: dict[str, Any] = {names.ATTEMPTS: found.attempts or None, names.RESPONSE_MODEL: model}
        if answer is not None:
            ended = [candidate.finish.reason for candidate in answer.candidates]
            more[names.FINISH_REASONS] = names.finish_words(ended)
            more[names.RESPONSE_ID] = names.short_name(answer.id)
            more |= usage
        labels = {**found.labels, **_error(event)}
        if model:
            labels[names.RESPONSE_MODEL] = model
        self._metrics.duration.record(event.seconds, labels)
        for kind in ("input", "output"):
            if (count := usage.get(f"gen_ai.usage.{kind}_tokens")) is not None:
                self._metrics.tokens.record(count, {**labels, "gen_ai.token.type": kind})
        if self._content is not None:
            said = _request_content(found.request, answer)
            if self._captures(found, "event"):
                self._log_content(found, {**labels, **names.drop_unknown(more), **said})
            if self._captures(found, "span"):
                more |= _as_text(said)
        self._end(event, more)

    def _log_content(self, found: _OpenSpan, attributes: dict[str, Any]) -> None:
        context = set_span_in_context(found.span)
        self._logger.emit(LogRecord(event_name=_DETAILS, attributes=attributes, context=context))

    # -- tools ------------------------------------------------------------------------------------

    def _begin_tool(self, event: ToolBegin) -> None:
        name = names.short_name(event.operation.name)
        run = event.operation.above("run")
        about = {
            names.OPERATION: "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": names.short_name(event.call.id),
            names.AGENT: names.short_name(run.name) if run is not None else "",
        }
        made = self._begin(
            event, f"execute_tool {name}", SpanKind.INTERNAL, names.drop_unknown(about)
        )
        made.labels = names.drop_unknown(
            {
                "gen_ai.tool.name": name,
                "gen_ai.tool.type": "function",
                names.AGENT: about[names.AGENT],
            }
        )
        if self._captures(made, "span"):
            more = {
                "gen_ai.tool.description": event.description,
                "gen_ai.tool.call.arguments": _text_of(event.call.input),
            }
            made.span.set_attributes(names.drop_unknown(more))

    def _end_tool(self, event: ToolEnd) -> None:
        found = self._open.get(event.operation.id)
        if found is None:
            return
        self._metrics.tool.record(monotonic() - found.begun, {**found.labels, **_error(event)})
        more: dict[str, Any] = {}
        if self._captures(found, "span") and event.msg is not None:
            [written] = otel_genai.write_messages(event.msg, policy="ignore").messages
            results = [part.get("response") for part in written["parts"]]
            more["gen_ai.tool.call.result"] = _text_of(results[0]) if results else None
        self._end(event, more)


def _error(event: OperationEnd) -> dict[str, str]:
    return {names.ERROR: event.error_kind} if event.error is not None else {}


def _request_content(request: ChatRequest | None, answer: ChatResponse | None) -> dict[str, Any]:
    """Return the messages of a request and its answer, in the form of the conventions."""
    asked: Sequence[Msg] = request.messages if request is not None else ()
    system = request.system if request is not None else None
    if request is not None and request.memories:
        system = "\n\n".join(filter(None, (system, request.memories)))
    tools = request.tools if request is not None else ()
    said: list[Any] = []
    if answer is not None:
        said = [ChatResponse([candidate]) for candidate in answer.candidates]
    return _content(asked, said, system, tools)


def _content(
    asked: Sequence[Msg], said: Sequence[Any], system: str | None, tools: Sequence[Any]
) -> dict[str, Any]:
    values = {
        "gen_ai.input.messages": otel_genai.write_messages(asked, policy="ignore").messages,
        "gen_ai.output.messages": otel_genai.write_messages(said, policy="ignore").messages,
        "gen_ai.system_instructions": otel_genai.write_system(system),
        "gen_ai.tool.definitions": otel_genai.write_tools(tools),
    }
    return {name: value for name, value in values.items() if value}


def _as_text(values: dict[str, Any]) -> dict[str, str]:
    return {name: json.dumps(value, separators=(",", ":")) for name, value in values.items()}


def _text_of(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"))
