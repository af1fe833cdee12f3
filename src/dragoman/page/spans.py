"""Conversations in exported spans of OpenTelemetry, where the GenAI conventions put messages.

A file is OTLP JSON, as the collector's file exporter writes it (an object in each line) or as it is
sent (one object), of traces or of logs; or what the SDK's ConsoleSpanExporter prints.

Reference: what opentelemetry-exporter-otlp-json-file 0.66b1 and the ConsoleSpanExporter of
opentelemetry-sdk 1.45.2 write, run on 2026-11-29; OTLP's JSON has lowerCamelCase and ids in hex.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ..bridges import otel_genai
from ..errors import DragomanError, ReadError
from ..message import ChatRequest
from ..text.json_text import loads
from .exchange import PageExchange, to_text

_INPUT, _OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
_ASKING = ("chat", "generate_content", "text_completion")
_NONE = "none of its spans has messages"
_HINT = (
    "content is captured with observe.open_telemetry(content=True), or with the variable"
    " OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
)


class _Span(NamedTuple):
    """A span, or an event of the log, with plain values."""

    name: str
    trace: str
    id: str
    begun: float  # seconds of Unix time; 0 if it is not known
    attributes: Mapping[str, Any]


def read_span_file(text: str, name: str) -> list[PageExchange] | None:
    """Read the conversations of exported spans, in the order of time; None for another file.

    A request to a model is a conversation with its answer. Spans of agents are shown only where no
    request has messages.

    Args:
        text: The content of the file.
        name: Its name.

    Raises:
        ReadError: A value is broken, or no span has messages.
    """
    is_otlp = '"resourceSpans"' in text or '"resourceLogs"' in text
    if not is_otlp and not ('"SpanKind.' in text and '"trace_id"' in text):
        return None
    values = _values(text)
    if not any(isinstance(value, Mapping) and _is_export(value) for value in values):
        return None
    found = [span for value in values for span in _spans(value)]
    said = [span for span in found if span.attributes.keys() & {_INPUT, _OUTPUT}]
    asked = [one for one in said if one.attributes.get("gen_ai.operation.name") in _ASKING]
    if not said:
        raise ReadError(_NONE, hint=_HINT, code="request.shape")
    return [_exchange(span, name) for span in sorted(asked or said, key=lambda one: one.begun)]


def _values(text: str) -> list[Any]:
    """Return one value, or one in each line, or objects one after the other that were indented."""
    try:
        value = loads(text)
        return value if isinstance(value, list) else [value]
    except ReadError:
        text = text.replace("\r\n", "\n")
        lines = [line for line in text.split("\n") if line.strip()]
    if all(line.startswith("{") and line.rstrip().endswith("}") for line in lines):
        return [loads(line) for line in lines]
    # a brace at the beginning of a line is the last one of an object: inner ones are indented
    ends = [f"{part}\n}}" for part in f"{text.rstrip()}\n".split("\n}\n") if part.strip()]
    return [loads(part) for part in ends]


def _is_export(value: Mapping[str, Any]) -> bool:
    return "resourceSpans" in value or "resourceLogs" in value or _is_printed(value)


def _is_printed(value: Mapping[str, Any]) -> bool:
    """Whether it is a span as the SDK prints it."""
    return isinstance(value.get("context"), Mapping) and "attributes" in value


def _spans(value: Any) -> Iterator[_Span]:
    if not isinstance(value, Mapping):
        return
    if _is_printed(value):
        context, attributes = value["context"], value.get("attributes")
        yield _Span(
            to_text(value.get("name")),
            to_text(context.get("trace_id")).removeprefix("0x"),
            to_text(context.get("span_id")).removeprefix("0x"),
            _printed_time(value.get("start_time")),
            attributes if isinstance(attributes, Mapping) else {},
        )
    for kind, scopes, rows in (
        ("resourceSpans", "scopeSpans", "spans"),
        ("resourceLogs", "scopeLogs", "logRecords"),
    ):
        for resource in _objects(value.get(kind)):
            for scope in _objects(resource.get(scopes)):
                yield from map(_sent, _objects(scope.get(rows)))


def _sent(row: Mapping[str, Any]) -> _Span:
    nanoseconds = to_text(row.get("startTimeUnixNano") or row.get("timeUnixNano"))
    return _Span(
        to_text(row.get("name") or row.get("eventName")),
        to_text(row.get("traceId")),
        to_text(row.get("spanId")),
        int(nanoseconds) / 1e9 if nanoseconds.isdecimal() else 0.0,
        _plain_pairs(row.get("attributes")),
    )


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _plain_pairs(value: Any) -> dict[str, Any]:
    return {to_text(pair.get("key")): _plain(pair.get("value")) for pair in _objects(value)}


def _plain(value: Any) -> Any:
    """Return the value of an `AnyValue` of OTLP."""
    if not isinstance(value, Mapping):
        return None
    if isinstance(array := value.get("arrayValue"), Mapping):
        return [_plain(one) for one in _objects(array.get("values"))]
    if isinstance(pairs := value.get("kvlistValue"), Mapping):
        return _plain_pairs(pairs.get("values"))
    number = value.get("intValue")
    if isinstance(number, str) and number.lstrip("-").isdecimal():
        return int(number)
    return next(iter(value.values()), None)


def _printed_time(value: Any) -> float:
    try:
        return datetime.fromisoformat(to_text(value)).timestamp()
    except ValueError:
        return 0.0


def _exchange(span: _Span, name: str) -> PageExchange:
    found = span.attributes
    place = f"{name}: {span.name or 'span'} {span.id}".rstrip()
    try:
        messages = [
            msg
            for key in (_INPUT, _OUTPUT)
            if found.get(key) is not None
            for msg in otel_genai.read_messages(found[key], policy="ignore").messages
        ]
        system = found.get("gen_ai.system_instructions")
        tools = found.get("gen_ai.tool.definitions")
        request = ChatRequest(
            messages,
            system=None if system is None else otel_genai.read_system(system),
            tools=[] if tools is None else otel_genai.read_tools(tools),
        )
    except DragomanError as error:  # such as a text that a limit of the SDK has cut
        return PageExchange(place, fault=str(error))
    when = datetime.fromtimestamp(span.begun, UTC).isoformat() if span.begun else ""
    model = found.get("gen_ai.response.model") or found.get("gen_ai.request.model")
    return PageExchange(
        place,
        own=request,
        session=to_text(found.get("gen_ai.conversation.id")) or span.trace,
        name=span.id,
        model=to_text(model),
        agent=to_text(found.get("gen_ai.agent.name")),
        when=when.replace("+00:00", "Z"),
    )
