"""Exported spans open as conversations, as OpenTelemetry's own exporters write them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.exporter.otlp.json.file._log_exporter import FileLogExporter
from opentelemetry.exporter.otlp.json.file.trace_exporter import FileSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.trace import ReadableSpan, SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

from dragoman import Msg, ReActAgent, ReadError, Tool, observe, tool
from dragoman.message import ToolUseBlock
from dragoman.page import Page, export_page
from dragoman.page.exchange import PageExchange
from dragoman.page.open_file import read_exchanges
from tests.each_case import each_case
from tests.observe.worlds import model


@tool
def warmth(city: str) -> str:
    """How warm it is."""
    return "18 degrees"


def work() -> None:
    """A run with a call, and a question beside it."""
    llm = model([ToolUseBlock("c_1", "warmth", {"city": "Paris"})], "It is 18 degrees.")
    ReActAgent("Friday", "Be brief.", llm, toolkit=[warmth]).run("How warm is it?")
    model("In France.", name="anthropic/claude-opus-5-5").ask("Where is Paris?")


def exported(folder: Path, how: str, content: Any = True, limit: int | None = None) -> str:
    """What an exporter writes of it."""
    file, printed = folder / "spans.jsonl", io.StringIO()
    exporters: dict[str, Callable[[], Any]] = {
        "otlp": lambda: FileSpanExporter(path=str(file)),
        "console": lambda: ConsoleSpanExporter(out=printed),
        "console lines": lambda: ConsoleSpanExporter(out=printed, formatter=_line),
    }
    tracers = TracerProvider(
        shutdown_on_exit=False, span_limits=SpanLimits(max_span_attribute_length=limit)
    )
    loggers = LoggerProvider(shutdown_on_exit=False)
    if how == "otlp logs":
        exporter: Any = FileLogExporter(path=str(file))
        loggers.add_log_record_processor(SimpleLogRecordProcessor(exporter))
        content = "event"
    else:
        tracers.add_span_processor(SimpleSpanProcessor(exporters[how]()))
    with observe.open_telemetry(tracers, logger_provider=loggers, content=content):
        work()
    tracers.shutdown()
    loggers.shutdown()
    return file.read_text("utf-8") if file.exists() else printed.getvalue()


def _line(span: ReadableSpan) -> str:
    text: str = span.to_json(indent=None)
    return f"{text}\n"


def said(exchange: PageExchange) -> list[tuple[str, str]]:
    return [(msg.role, msg.text) for msg in exchange.messages]


@each_case("how", ("otlp", "otlp logs", "console", "console lines"))
def test_what_exporters_write(how: str, tmp_path: Path) -> None:
    folder = tmp_path / how.replace(" ", "-")
    folder.mkdir()
    text = exported(folder, how)
    backwards = "\n".join(reversed(text.splitlines())) if how == "otlp" else text
    for given in (text.encode(), text.replace("\n", "\r\n").encode(), backwards.encode()):
        first, second, third = read_exchanges(given, "spans.jsonl")
        assert [one.fault for one in (first, second, third)] == ["", "", ""]
        assert said(first)[0] == ("user", "How warm is it?")
        assert [call.input for call in first.messages[-1].calls] == [{"city": "Paris"}]
        assert [role for role, _ in said(second)] == ["user", "assistant", "tool", "assistant"]
        assert said(second)[-1] == ("assistant", "It is 18 degrees.")
        request = first.request
        assert request is not None
        assert request.system == "Be brief."
        assert [one.name for one in request.tools if isinstance(one, Tool)] == ["warmth"]
        assert said(third) == [("user", "Where is Paris?"), ("assistant", "In France.")]
        assert (third.model, first.model) == ("claude-opus-5-5", "gpt-5.6")
        assert first.session == second.session != third.session
        assert first.when <= second.when <= third.when


def test_they_open_in_the_page(tmp_path: Path) -> None:
    page = Page()
    page.open(exported(tmp_path, "otlp").encode(), "spans.jsonl")
    assert len(page.exchanges) == 3
    assert "It is 18 degrees." in export_page(page)


@each_case("how", ("otlp", "console"))
def test_spans_without_content_say_what_to_do(how: str, tmp_path: Path) -> None:
    folder = tmp_path / how
    folder.mkdir()
    with pytest.raises(ReadError, match="none of its spans has messages") as caught:
        read_exchanges(exported(folder, how, content=False).encode(), "spans.jsonl")
    assert "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT" in caught.value.hint


def test_a_value_that_was_cut_is_a_fault_of_its_own(tmp_path: Path) -> None:
    """The SDK cuts long values, and the JSON in them with them."""
    found = read_exchanges(exported(tmp_path, "otlp", limit=150).encode(), "spans.jsonl")
    assert [bool(one.fault) for one in found] == [True, True, False]
    assert said(found[2])[-1] == ("assistant", "In France.")


def test_spans_of_agents_alone(tmp_path: Path) -> None:
    """As of a library that captures nothing but them."""
    rows = [json.loads(line) for line in exported(tmp_path, "otlp").splitlines()]
    for row in rows:
        for resource in row["resourceSpans"]:
            for scope in resource["scopeSpans"]:
                scope["spans"] = [s for s in scope["spans"] if s["name"].startswith("invoke")]
    [one] = read_exchanges(json.dumps(rows).encode(), "spans.json")
    assert said(one) == [("user", "How warm is it?"), ("assistant", "It is 18 degrees.")]
    assert one.agent == "Friday"


def test_what_only_looks_like_spans() -> None:
    """Messages about spans are messages."""
    talk = [Msg.user('What is "resourceSpans" in "SpanKind.CLIENT" with "trace_id"?').to_dict()]
    [exchange] = read_exchanges(json.dumps(talk).encode(), "talk.json")
    assert len(exchange.messages) == 1


ODD: list[Any] = [
    {"resourceSpans": None}, {"resourceSpans": [1, {"scopeSpans": [{"spans": [None, {}]}]}]},
    {"resourceSpans": [{"scopeSpans": [{"spans": [{"attributes": [{"key": 1, "value": 2}]}]}]}]},
    [{"resourceSpans": 3}],
]  # fmt: skip


@each_case("value", ODD)
def test_odd_values_are_a_read_error(value: Any) -> None:
    with pytest.raises(ReadError):
        read_exchanges(json.dumps(value).encode(), "odd.json")
