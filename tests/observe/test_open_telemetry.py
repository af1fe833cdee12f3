"""Spans, metrics and events by the GenAI conventions, judged by their constants and handler."""

from __future__ import annotations

import asyncio
import logging
import pkgutil
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest
from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.semconv import _incubating
from opentelemetry.semconv import attributes as stable
from opentelemetry.semconv._incubating.metrics import gen_ai_metrics
from opentelemetry.trace import SpanKind, StatusCode
from opentelemetry.util import genai
from opentelemetry.util.genai.handler import TelemetryHandler
from opentelemetry.util.genai.utils import get_content_capturing_mode

from dragoman import LLM, AsyncLLM, Msg, ReActAgent, Tool, Toolkit, observe, tool
from dragoman.bridges import otel_genai
from dragoman.errors import ConfigError, DragomanError
from dragoman.message import TextBlock, ToolUseBlock
from dragoman.model import ChatModel
from dragoman.testing import Fault, Scripted
from tests.each_case import each_case
from tests.observe.traced import Traced, attributes, tracing
from tests.observe.worlds import QUICK, counted, limited, model, refused

CHAT, OTHER = "chat gpt-5.6", "chat claude-opus-5-5"


@pytest.fixture(autouse=True)
def no_context_is_left() -> Iterator[None]:
    """What is attached is detached again."""
    before = otel_context.get_current()
    yield
    assert otel_context.get_current() == before


# -- one tree -------------------------------------------------------------------------------------


def world(traced: Traced) -> ReActAgent:
    """An agent whose run has a retry, two tools at once, a model asked in one, and a fallback."""
    tracer = traced.tracers.get_tracer("program")
    inner = model("Warm.", name="deepseek/deepseek-v4-flash")

    @tool
    def temperature(city: str) -> str:
        """The temperature in a city now."""
        with tracer.start_as_current_span("database"):
            return inner.ask(city).text

    @tool
    async def wind(city: str) -> str:
        """The wind in a city now."""
        with tracer.start_as_current_span("sensor"):
            await asyncio.sleep(0)
        raise RuntimeError("no wind")

    calls = [
        TextBlock("Let me see."),
        ToolUseBlock("call_1", "temperature", {"city": "Paris"}),
        ToolUseBlock("call_2", "wind", {"city": "Paris"}),
    ]
    llm = model(
        limited(),
        calls,
        limited(),
        limited(),
        fallbacks=model("18 degrees.", name="anthropic/claude-opus-5-5"),
    )
    return ReActAgent("Friday", "Be brief.", llm, toolkit=[temperature, wind])


def run_in_a_loop(agent: ReActAgent) -> str:
    async def run() -> str:
        return (await agent.reply("How warm is it?")).text

    return asyncio.run(run())


def stream_in_a_loop(agent: ReActAgent) -> str:
    async def run() -> str:
        events = [event async for event in agent.events("How warm is it?")]
        assert events[-1].type == "end"
        return events[-1].reply.text

    return asyncio.run(run())


def run_in_a_thread(agent: ReActAgent) -> str:
    """Without `await` where a loop runs, which takes a thread."""

    async def run() -> str:
        return agent.run("How warm is it?").text

    return asyncio.run(run())


RUNS: dict[str, Callable[[ReActAgent], str]] = {
    "run": lambda agent: agent.run("How warm is it?").text,
    "run_events": lambda agent: [*agent.run_events("How warm is it?")][-1].reply.text,  # type: ignore[union-attr]
    "reply": run_in_a_loop,
    "events": stream_in_a_loop,
    "in a thread": run_in_a_thread,
}


@each_case("how", RUNS)
def test_a_run_is_one_tree(how: str) -> None:
    with tracing() as traced, traced.tracers.get_tracer("program").start_as_current_span("mine"):
        assert RUNS[how](world(traced)) == "18 degrees."
    assert traced.tree() == [["mine", [["invoke_agent Friday", [
        ["dragoman.ask", [[OTHER, []], [CHAT, []]]],
        ["dragoman.ask", [[CHAT, []]]],
        ["execute_tool temperature", [["database", [["chat deepseek-v4-flash", []]]]]],
        ["execute_tool wind", [["sensor", []]]],
    ]]]]]  # fmt: skip
    assert len({span.context.trace_id for span in traced.spans if span.context}) == 1
    [agent] = traced.named("invoke_agent Friday")
    assert agent.kind is SpanKind.INTERNAL
    tools = {attributes(span)["gen_ai.tool.name"]: span for span in traced.spans
             if span.name.startswith("execute_tool")}  # fmt: skip
    assert attributes(tools["temperature"]) == {
        "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "temperature",
        "gen_ai.tool.type": "function", "gen_ai.tool.call.id": "call_1",
        "gen_ai.agent.name": "Friday",
    }  # fmt: skip
    assert attributes(tools["wind"])["error.type"] == "RuntimeError"
    assert tools["wind"].status.status_code is StatusCode.ERROR
    first, second = traced.named(CHAT)
    assert [event.name for event in first.events] == ["dragoman.retry"]
    assert dict(first.events[0].attributes or {})["error.type"] == "rate_limit"
    assert (attributes(first)["dragoman.attempts"], first.status.status_code) == (
        2,
        StatusCode.UNSET,
    )
    assert attributes(first)["gen_ai.response.finish_reasons"] == ("tool_call",)
    assert attributes(second)["error.type"] == "rate_limit"
    asks = traced.named("dragoman.ask")
    assert [[event.name for event in ask.events] for ask in asks] == [[], ["dragoman.fallback"]]


@each_case("stream", (False, True))
def test_an_agent_with_a_chat_model(stream: bool) -> None:
    """Its messages are read from what is sent, as there is no LLM that was asked."""
    calls = [ToolUseBlock("call_1", "_double", {"n": 2})]
    script = Scripted(calls, "It is 4.")
    chat = ChatModel("openai", "gpt-5.6", "k", transport=script, stream=stream)
    with tracing(content=True) as traced:
        ReActAgent("Friday", "Be brief.", chat, toolkit=[_double]).run("Twice 2?")
    assert traced.tree() == [
        ["invoke_agent Friday", [[CHAT, []], [CHAT, []], ["execute_tool _double", []]]]
    ]
    found = attributes(traced.named(CHAT)[1])
    asked = otel_genai.read_messages(found["gen_ai.input.messages"]).messages
    assert [msg.role for msg in asked][-3:] == ["user", "assistant", "tool"]
    assert [call.input for call in asked[-2].calls] == [{"n": 2}]
    [said] = otel_genai.read_messages(found["gen_ai.output.messages"]).messages
    assert said.text == "It is 4."
    assert found.get("gen_ai.request.stream", False) is stream


@each_case("how", ("cancelled", "left"))
def test_a_run_that_is_given_up_ends_all_its_spans(how: str) -> None:
    """By who waits for it, while a tool works."""

    @tool
    async def wait(seconds: int) -> str:
        """Wait."""
        working.set()
        await asyncio.sleep(seconds)
        return "done"

    async def run() -> None:
        llm = model([ToolUseBlock("call_1", "wait", {"seconds": 60})])
        events = ReActAgent("Friday", None, llm, toolkit=[wait]).events("Wait.")
        if how == "left":
            async for event in events:
                if event.type == "call":
                    await events.aclose()
            return
        task = asyncio.create_task(_read(events))
        await working.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with tracing() as traced:
        working = asyncio.Event()
        asyncio.run(run())
    tools = [] if how == "left" else [["execute_tool wait", []]]
    assert traced.tree() == [["invoke_agent Friday", [[CHAT, []], *tools]]]
    kind = "CancelledError" if how == "cancelled" else None
    assert attributes(traced.spans[0]).get("error.type") == kind


async def _read(events: Any) -> None:
    async for _ in events:
        pass


def test_agents_side_by_side_do_not_meet() -> None:
    async def run(traced: Traced) -> None:
        await asyncio.gather(*(world(traced).reply("How warm is it?") for _ in range(3)))

    with tracing() as traced:
        asyncio.run(run(traced))
    assert [(name, len(below)) for name, below in traced.tree()] == [("invoke_agent Friday", 4)] * 3


@each_case("how", ("stream", "astream"))
def test_a_stream_does_not_change_the_span_of_who_reads_it(how: str) -> None:
    llm = model("In France, by the Seine.")

    async def read() -> None:
        async for _ in AsyncLLM.of(llm).stream("Where is Paris?"):
            assert not trace.get_current_span().get_span_context().is_valid

    with tracing() as traced:
        if how == "astream":
            asyncio.run(read())
        else:
            for _ in llm.stream("Where is Paris?"):
                assert not trace.get_current_span().get_span_context().is_valid
    [span] = traced.spans
    assert attributes(span)["gen_ai.request.stream"] is True
    assert attributes(span)["gen_ai.response.time_to_first_chunk"] > 0


def test_a_stream_that_is_left_ends_its_span() -> None:
    with tracing() as traced:
        for _ in model("In France, by the Seine.").stream("Where is Paris?"):
            break
    [span] = traced.spans
    assert (span.status.status_code, "error.type" in attributes(span)) == (StatusCode.UNSET, False)


def test_what_is_not_sampled_works_too() -> None:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.sampling import ALWAYS_OFF

    with observe.open_telemetry(TracerProvider(ALWAYS_OFF, shutdown_on_exit=False), content=True):
        assert model("Yes.").ask("Is it?").text == "Yes."


# -- names ----------------------------------------------------------------------------------------


def known_names() -> set[str]:
    """All attributes of the installed conventions, and those that their handler writes besides."""
    found: set[str] = set()
    for package in (stable, import_module(f"{_incubating.__name__}.attributes"), genai):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            if not module.ispkg:
                found |= {
                    value
                    for value in vars(import_module(module.name)).values()
                    if isinstance(value, str) and "." in value and " " not in value
                }
    return found


def test_every_name_is_one_of_the_conventions() -> None:
    request: dict[str, Any] = {
        "max_tokens": 9, "temperature": 0.5, "top_p": 0.5, "top_k": 3, "seed": 1, "stop": ["x"],
        "presence_penalty": 0.1, "frequency_penalty": 0.1, "reasoning": "low", "n": 2,
    }  # fmt: skip
    with tracing(content="span_and_event") as traced:
        world(traced).run("How warm is it?")
        llm = model('{"a": 1}', '{"a": 1}', name="deepseek/deepseek-v4-flash", policy="ignore")
        llm.ask("A?", response_format={"type": "object"}, **request)
        model("Yes.", policy="ignore").ask("A?", **request)
    names = {key for span in traced.spans for key in span.attributes or {}}
    names |= {key for record in traced.records for key in record.log_record.attributes or {}}
    known = known_names()
    assert len(known) > 500
    assert {name for name in names if not name.startswith("dragoman.")} <= known
    assert {
        f"gen_ai.request.{name}" for name in (
            "max_tokens", "temperature", "top_p", "seed", "stop_sequences", "reasoning.level",
            "presence_penalty", "frequency_penalty", "choice.count",
        )
    } <= names  # fmt: skip
    sent = attributes(traced.named("chat deepseek-v4-flash")[-1])
    assert (sent["gen_ai.output.type"], sent["gen_ai.request.temperature"]) == ("json", 0.5)
    refuses = attributes(traced.named(CHAT)[-1])  # this model is not sent a temperature
    assert "gen_ai.request.temperature" not in refuses
    assert refuses["dragoman.losses"]
    constants = {v for v in vars(gen_ai_metrics).values() if isinstance(v, str)} | {
        "gen_ai.execute_tool.duration", "gen_ai.invoke_agent.duration",
    }  # fmt: skip
    assert set(traced.metrics) <= constants


def test_a_span_as_their_handler_makes_it() -> None:
    """The same call through opentelemetry-util-genai: names, kinds, attributes, metrics."""
    theirs = Traced()
    handler = TelemetryHandler(theirs.tracers, theirs.meters, theirs.loggers)
    with handler.inference("deepseek", request_model="deepseek-v4-flash",
                           server_address="api.deepseek.com", server_port=443) as seen:  # fmt: skip
        seen.response_model_name, seen.response_id = "deepseek-v4-flash", "chatcmpl-1"
        seen.finish_reasons, seen.input_tokens, seen.output_tokens = ["stop"], 3, 4
        seen.temperature = 0.5
    with tracing() as ours:
        llm = model(counted("Yes."), name="deepseek/deepseek-v4-flash")
        llm.ask("Is it?", temperature=0.5)
    [one], [other] = theirs.spans, ours.spans
    assert (one.name, one.kind) == (other.name, other.kind)
    expected, found = attributes(one), attributes(other)
    varying = ("response.id", "response.model", "usage.input_tokens", "usage.output_tokens")
    for name in varying:
        expected.pop(f"gen_ai.{name}", None)
        found.pop(f"gen_ai.{name}", None)
    assert found.pop("dragoman.attempts") == 1
    assert found.pop("dragoman.losses") == ("option.ignored",)
    assert found == expected
    for name, metric in ours.metrics.items():
        their = theirs.metrics[name]
        assert (metric.unit, type(metric.data)) == (their.unit, type(their.data))
        points, others = metric.data.data_points, their.data.data_points
        assert [set(p.attributes) - {"gen_ai.response.model"} for p in points] == [
            set(p.attributes) - {"gen_ai.response.model"} for p in others
        ]
        assert [p.explicit_bounds for p in points] == [
            pytest.approx(p.explicit_bounds) for p in others
        ]
    assert set(ours.metrics) == set(theirs.metrics)


def test_metrics() -> None:
    with tracing() as traced:
        model(counted("Yes.")).ask("Is it?")
        list(model("Yes.").stream("Is it?"))
        with pytest.raises(DragomanError):
            model(refused()).ask("Is it?")
        Toolkit([_double]).run([ToolUseBlock("1", "_double", {"n": 1})])
    duration = traced.metrics["gen_ai.client.operation.duration"].data.data_points
    assert sorted((p.attributes.get("error.type", ""), p.count) for p in duration) == [
        ("", 2),
        ("invalid", 1),
    ]
    tokens = traced.metrics["gen_ai.client.token.usage"].data.data_points
    assert {p.attributes["gen_ai.token.type"] for p in tokens} == {"input", "output"}
    first = traced.metrics["gen_ai.client.operation.time_to_first_chunk"].data.data_points
    assert [p.count for p in first] == [1]
    assert [p.count for p in traced.metrics["gen_ai.execute_tool.duration"].data.data_points] == [1]


def _double(n: int) -> int:
    """Twice a number."""
    return 2 * n


# -- content --------------------------------------------------------------------------------------

# planted in everything that a program, a model or a provider says
SAID = (
    "SYSTEMWORD", "ASKEDWORD", "SAIDWORD", "THOUGHTWORD", "ARGUMENTWORD", "RESULTWORD",
    "FAILEDWORD", "DESCRIBEDWORD", "SCHEMAWORD", "ERRORWORD", "MEMORYWORD", "STREAMWORD",
)  # fmt: skip


def say_everything() -> None:
    """Put each of the words where it belongs, in calls that succeed, fail, retry and stream."""

    @tool
    def look(what: str) -> str:
        """DESCRIBEDWORD."""
        if what == "fail":
            raise RuntimeError("FAILEDWORD")
        return f"RESULTWORD {what}"

    error = limited()
    error.message = "ERRORWORD"
    wrong = refused()
    wrong.message = "ERRORWORD"
    calls = [
        TextBlock("SAIDWORD"),
        ToolUseBlock("c1", "look", {"what": "ARGUMENTWORD"}),
        ToolUseBlock("c2", "look", {"what": "fail"}),
    ]
    llm = model(
        error, calls, error, error, fallbacks=model("SAIDWORD", name="anthropic/claude-opus-5-5")
    )
    agent = ReActAgent("Friday", "SYSTEMWORD", llm, toolkit=[look], memories=lambda _: "MEMORYWORD")
    agent.run("ASKEDWORD")
    with pytest.raises(DragomanError):
        model(wrong).ask("ASKEDWORD", system="SYSTEMWORD")
    with pytest.raises(DragomanError):
        list(model(Fault("STREAMWORD STREAMWORD", cut=2)).stream("ASKEDWORD"))
    schema = {"type": "object", "properties": {"SCHEMAWORD": {"type": "string"}}}
    with pytest.raises(DragomanError):
        model("SAIDWORD").ask("ASKEDWORD", response_format=schema)
    tools = [Tool("look", "DESCRIBEDWORD", schema)]
    model("STREAMWORD").ask(
        [Msg.user("ASKEDWORD")], tools=tools, extras={"openai-chat": {"user": "ASKEDWORD"}}
    )


@each_case("content", (None, False))
def test_no_content_without_being_asked_for(content: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Every span, metric and record, and the library's own log without tracebacks of tools."""
    with caplog.at_level(logging.DEBUG), observe.log_events(), tracing(content) as traced:
        say_everything()
    assert len(traced.spans) > 10
    assert len(traced.metrics) == 5
    assert [word for word in SAID if word in traced.text] == []
    loggers = ("dragoman.observe", "dragoman.llm", "dragoman.toolkit.toolkit")
    lines = [record.getMessage() for record in caplog.records if record.name in loggers]
    assert len(lines) > 20
    assert [word for word in SAID if any(word in line for line in lines)] == []


def test_content_where_it_is_asked_for() -> None:
    """It reaches the spans, so that the search above could find it."""
    with tracing(content=True) as traced:
        say_everything()
    found = [word for word in SAID if word in traced.text]
    assert set(SAID) - set(found) == {"THOUGHTWORD", "ERRORWORD", "FAILEDWORD"} - set(found)
    assert traced.records == ()


@each_case("stream", (False, True))
def test_content_is_read_back_equal(stream: bool) -> None:
    request = [
        Msg.user("How warm is it?"),
        Msg.assistant([ToolUseBlock("c1", "warmth", {"city": "Paris"})]),
        Msg.tool("c1", "18 degrees", "warmth"),
    ]
    tools = [Tool("warmth", "How warm it is.", {"type": "object", "properties": {}})]
    llm = model("18 degrees.")
    with tracing(content="span_and_event") as traced:
        if stream:
            list(llm.stream(request, system="Be brief.", tools=tools))
        else:
            llm.ask(request, system="Be brief.", tools=tools)
    found = attributes(traced.spans[0])
    assert otel_genai.read_messages(found["gen_ai.input.messages"]).messages == request
    [said] = otel_genai.read_messages(found["gen_ai.output.messages"]).messages
    assert (said.text, said.metadata["finish"]["reason"]) == ("18 degrees.", "stop")
    assert otel_genai.read_system(found["gen_ai.system_instructions"]) == "Be brief."
    assert otel_genai.read_tools(found["gen_ai.tool.definitions"]) == tools
    [record] = traced.records
    assert record.log_record.event_name == "gen_ai.client.inference.operation.details"
    logged = dict(record.log_record.attributes or {})
    again = otel_genai.read_messages(logged["gen_ai.input.messages"]).messages
    assert again == request
    assert record.log_record.span_id == traced.spans[0].context.span_id


def test_content_of_an_agent() -> None:
    with tracing(content=True) as traced:
        agent = world(traced)
        agent.messages.append(Msg.user("It is noon."))
        agent.run("How warm is it?")
    found = attributes(traced.named("invoke_agent Friday")[0])
    asked = otel_genai.read_messages(found["gen_ai.input.messages"]).messages
    assert [msg.text for msg in asked] == ["It is noon.", "How warm is it?"]
    [said] = otel_genai.read_messages(found["gen_ai.output.messages"]).messages
    assert (said.text, said.name) == ("18 degrees.", "Friday")
    assert said.metadata["finish"]["reason"] == "stop"
    tools = attributes(traced.named("execute_tool temperature")[0])
    assert tools["gen_ai.tool.call.arguments"] == '{"city":"Paris"}'
    assert tools["gen_ai.tool.call.result"] == "Warm."
    assert tools["gen_ai.tool.description"] == "The temperature in a city now."


VARIABLE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
VALUES = (
    "", "no_content", "NO_CONTENT", "span_only", " Span_Only ", "EVENT_ONLY", "span_and_event",
    "true", "True", "1", "yes", "span",
)  # fmt: skip


@pytest.mark.parametrize("value", VALUES)
def test_the_variable_means_what_it_means_to_their_package(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, value)
    with tracing() as traced:
        model("Yes.").ask("Is it?")
    mode = get_content_capturing_mode().name
    on_span = "gen_ai.input.messages" in attributes(traced.spans[0])
    assert (on_span, bool(traced.records)) == (
        mode in ("SPAN_ONLY", "SPAN_AND_EVENT"),
        mode in ("EVENT_ONLY", "SPAN_AND_EVENT"),
    )


def test_content_that_cannot_be_written_leaves_no_span_open(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ValueError("ASKEDWORD")

    monkeypatch.setattr(otel_genai, "write_messages", fail)
    with tracing(content=True) as traced:
        ReActAgent("Friday", None, model("Yes.")).run("Is it?")
        Toolkit([_double]).run([ToolUseBlock("c1", "_double", {"n": 1})])
    assert [span.name for span in traced.spans] == [
        *("invoke_agent Friday", CHAT, "execute_tool _double")
    ]
    reported = [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]
    assert [line.split(" at ")[0] for line in reported] == ["the listener _Spans raised ValueError"]
    assert "ASKEDWORD" not in caplog.text


def test_the_program_decides_before_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "span_and_event")
    with tracing(content=False) as traced:
        model("SAIDWORD").ask("ASKEDWORD")
    assert "WORD" not in traced.text
    for wrong in ("spam", 3):
        with pytest.raises(ConfigError, match="content is True, False"):
            observe.open_telemetry(content=wrong)  # type: ignore[arg-type]


def test_an_address_shows_its_host_alone() -> None:
    script = Scripted("Yes.")
    base = "https://me:secret@models.example.com:8443/v1?token=secret"
    llm = LLM("openai/gpt-5.6", key="k", base_url=base, transport=script, retries=QUICK)
    with tracing() as traced:
        llm.ask("Is it?")
    found = attributes(traced.spans[0])
    assert (found["server.address"], found["server.port"]) == ("models.example.com", 8443)
    assert "secret" not in traced.text
