"""Runs of the OpenAI Agents SDK with `Model`, over wires that judge each request."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from functools import partial
from typing import Any, TypeVar

import pytest
from agents import (
    Agent,
    ModelSettings,
    RunConfig,
    Runner,
    RunResult,
    SQLiteSession,
    TracingProcessor,
    WebSearchTool,
    function_tool,
    set_trace_processors,
)
from agents.models.interface import Model as TheirModel
from agents.models.interface import ModelTracing
from agents.models.openai_chatcompletions import OpenAIChatCompletionsModel
from agents.retry import ModelRetryAdviceRequest
from openai import AsyncOpenAI
from pydantic import BaseModel

from dragoman import LLM, ChatResponse, Msg, ProviderError, StreamBroken
from dragoman.bridges.openai_agents import Model, ModelProvider, read_messages
from dragoman.errors import ConfigError, InvalidOutput
from dragoman.message import Candidate, Finish, TextBlock, ThinkingBlock, ToolUseBlock, Usage
from dragoman.testing import Fault, Scripted, StrictServer
from tests.each_case import each_case

from .provider import SEAL, answer

T = TypeVar("T")
WIRES = {
    "openai-chat": "openai/openai-chat/gpt-5.6",
    "openai-responses": "openai/openai-responses/gpt-5.6",
    "anthropic": "anthropic/claude-sonnet-5",
}
GPT, CLAUDE = WIRES["openai-chat"], WIRES["anthropic"]
QUIET = RunConfig(tracing_disabled=True)
ASKED = "Look up warmth and rain of ‘Paris’."


class City(BaseModel):
    """A city."""

    name: str
    people: int


@pytest.fixture(params=WIRES, scope="module")
def served(request: pytest.FixtureRequest) -> Iterator[tuple[Model, StrictServer]]:
    wire = request.param
    signs = wire if wire != "openai-chat" else ""
    with StrictServer(wire, partial(answer, issuer=signs)) as server:
        address = f"{server.root}/v1"
        yield Model(WIRES[wire], key="none", base_url=address, max_tokens=900), server


def over(name: str, *answers: Any) -> tuple[Model, Scripted]:
    script = Scripted(*answers, repeat=True)
    llm = LLM(name, key="none", transport=script, max_tokens=99, retries=0)
    return Model(llm), script


def run(model: Any, work: Awaitable[T]) -> T:
    """Run in a loop of its own, whose connections are closed at its end."""

    async def go() -> T:
        try:
            return await work
        finally:
            await model.close()

    return asyncio.run(go())


def ask(agent: Agent[Any], asked: Any, **more: Any) -> RunResult:
    return run(agent.model, Runner.run(agent, asked, run_config=QUIET, **more))


def with_tools(model: TheirModel, **settings: Any) -> tuple[Agent[Any], list[str]]:
    ran: list[str] = []

    @function_tool
    def warmth(city: str) -> str:
        """Look how warm it is."""
        ran.append(f"warmth {city}")
        return f"18 degrees in {city}"

    @function_tool
    def rain(city: str) -> str:
        """Look whether it rains."""
        ran.append(f"rain {city}")
        return "dry"

    agent = Agent(
        name="Guide", instructions="Be brief.", model=model, tools=[warmth, rain], **settings
    )
    return agent, ran


def plain(items: Any) -> list[dict[str, Any]]:
    """Items without what is told of an answer."""
    return [{key: one[key] for key in one if key != "provider_data"} for one in items]


async def stream(agent: Agent[Any], asked: Any) -> tuple[list[Any], Any]:
    result = Runner.run_streamed(agent, asked, run_config=QUIET)
    return [event async for event in result.stream_events()], result


# -- runs -----------------------------------------------------------------------------------------


def test_an_agent_runs_parallel_tools(served: tuple[Model, StrictServer]) -> None:
    model, server = served
    agent, ran = with_tools(model)
    result = ask(agent, ASKED)
    assert sorted(ran) == ["rain Paris", "warmth Paris"]
    assert result.final_output == "The tool says: 18 degrees in Paris; dry"
    usage = result.context_wrapper.usage
    assert (usage.requests, usage.input_tokens_details.cached_tokens) == (2, 6)
    assert usage.total_tokens == usage.input_tokens + usage.output_tokens
    said = "\n".join(msg.text for msg in server.requests[-1].messages if msg.role != "user")
    assert "Be brief." in f"{server.requests[-1].system} {said}"


def test_a_streamed_run_is_the_same(served: tuple[Model, StrictServer]) -> None:
    model, server = served
    agent, _ = with_tools(model)
    whole = ask(agent, ASKED)
    events, result = run(model, stream(agent, ASKED))
    assert result.final_output == whole.final_output
    if server.wire.room.protocol == "openai-chat":  # others make up ids anew
        said = [plain(one.to_input_list()) for one in (result, whole)]
        assert said[0] == said[1]
    assert [type(one) for one in result.new_items] == [type(one) for one in whole.new_items]
    counts = [one.context_wrapper.usage for one in (result, whole)]
    assert counts[0].total_tokens == counts[1].total_tokens
    raw = [one.data for one in events if one.type == "raw_response_event"]
    assert [one.type for one in raw].count("response.completed") == 2
    texts = [one.delta for one in raw if one.type == "response.output_text.delta"]
    assert "".join(texts) == whole.final_output
    starts = [i for i, one in enumerate(raw) if one.type == "response.created"]
    for first, end in zip(starts, [*starts[1:], len(raw)], strict=True):
        assert [one.sequence_number for one in raw[first:end]] == list(range(end - first))


def test_signed_thinking_goes_back(served: tuple[Model, StrictServer]) -> None:
    model, server = served
    if server.wire.room.protocol == "openai-chat":
        return  # has no signatures
    agent, _ = with_tools(model)
    for way in ("whole", "stream"):
        if way == "whole":
            ask(agent, ASKED)
        else:
            run(model, stream(agent, ASKED))
        thoughts = [
            block
            for msg in server.requests[-1].messages
            for block in msg.blocks
            if isinstance(block, ThinkingBlock)
        ]
        assert [one.signature or one.redacted for one in thoughts] == [SEAL]


def test_a_handoff_and_typed_output(served: tuple[Model, StrictServer]) -> None:
    model, _ = served
    expert: Agent[Any] = Agent(name="City expert", model=model, output_type=City)
    guide: Agent[Any] = Agent(name="Guide", model=model, handoffs=[expert])
    result = ask(guide, "Transfer to the city expert: ‘Paris’ has 2 people.")
    assert result.last_agent is expert
    assert result.final_output == City(name="Paris", people=2)


def test_a_session_goes_on(served: tuple[Model, StrictServer]) -> None:
    model, server = served
    agent, _ = with_tools(model)
    session = SQLiteSession("one")
    ask(agent, ASKED, session=session)
    ask(agent, "And you?", session=session)
    roles = [msg.role for msg in server.requests[-1].messages if msg.role == "assistant"]
    assert len(roles) == 2
    session.close()


# -- beside the SDK's own model --------------------------------------------------------------------

EVENTS_OF = {
    "text": "Hello there.",
    "tool": ASKED,
}


@each_case("asked", EVENTS_OF.values())
def test_events_are_those_of_the_sdks_own_model(asked: str) -> None:
    with StrictServer("openai-chat", answer) as server:
        address = f"{server.root}/v1"

        async def events(model: TheirModel) -> list[Any]:
            agent, _ = with_tools(model)
            seen, _ = await stream(agent, asked)
            return [one.data for one in seen if one.type == "raw_response_event"]

        async def theirs() -> list[Any]:
            async with AsyncOpenAI(api_key="none", base_url=address) as client:
                return await events(OpenAIChatCompletionsModel("gpt-4.1", client))

        ours = Model("openai/openai-chat/gpt-4.1", key="none", base_url=address)
        mine, own = run(ours, events(ours)), asyncio.run(theirs())
        assert [_shape(one) for one in mine] == [_shape(one) for one in own]


def _shape(event: Any) -> dict[str, Any]:
    """What an event says, but for names of models and hosts, and times."""
    data: dict[str, Any] = event.model_dump(exclude_none=True)
    if "response" in data:
        response = data["response"]
        data["response"] = [response["id"], plain(response["output"]), response.get("usage")]
    if "item" in data:
        [data["item"]] = plain([data["item"]])
    return data


# -- what ends badly ------------------------------------------------------------------------------


def call(text: str, *, cut: bool) -> ChatResponse:
    block = ToolUseBlock("c_1", "rain", text, text, unfinished=cut)
    msg = Msg("", [block], "assistant")
    return ChatResponse(
        [Candidate(msg, Finish("length" if cut else "tool_calls"))], Usage(1, output=1)
    )


@each_case("text", ['{"city": "Par', '{"city": ', '{"city": "Paris"}', ""])
def test_a_call_that_a_limit_cut_is_never_run(text: str) -> None:
    model, _ = over(CLAUDE, call(text, cut=True))
    agent, ran = with_tools(model)
    with pytest.raises(InvalidOutput, match="broke off in the call of rain"):
        ask(agent, "x")
    with pytest.raises(InvalidOutput, match="broke off in the call of rain"):
        run(model, stream(agent, "x"))
    assert ran == []


@each_case("text", ["{bad", "[1]", '{"city": "Par'])
def test_arguments_that_are_no_object_are_never_run(text: str) -> None:
    model, script = over(GPT, call(text, cut=False), "Ok.")
    agent, ran = with_tools(model)
    assert ask(agent, "x").final_output == "Ok."  # the SDK tells the model, which asks again
    assert b"rror" in script.calls[1].body
    assert ran == []


def test_a_cut_text_is_marked_and_a_broken_stream_is_an_error() -> None:
    cut = ChatResponse([Candidate(Msg.assistant("one two"), Finish("length"))])
    model, _ = over(GPT, cut)
    agent: Agent[Any] = Agent(name="Guide", model=model)
    [item] = ask(agent, "x").to_input_list()[1:]
    assert item["status"] == "incomplete"  # type: ignore[typeddict-item]
    assert item["provider_data"]["dragoman"]["status"] == "truncated"  # type: ignore[typeddict-item]
    events, _ = run(model, stream(agent, "x"))
    [last] = [one.data for one in events if getattr(one, "data", None)][-1:]
    assert (last.type, last.response.status) == ("response.completed", "incomplete")
    broken, _ = over(GPT, Fault([TextBlock("one two three four")], cut=4))
    with pytest.raises(StreamBroken):
        run(broken, stream(Agent(name="Guide", model=broken), "x"))


def test_errors_are_those_of_an_llm_with_advice_for_the_sdks_retries() -> None:
    busy = ProviderError("slow down", status=429, type="rate_limit_error")
    model, _ = over(CLAUDE, Fault(busy, headers={"retry-after": "2"}))
    with pytest.raises(ProviderError, match="slow down") as caught:
        ask(Agent(name="Guide", model=model), "x")
    advice = model.get_retry_advice(ModelRetryAdviceRequest(caught.value, 1, False))
    assert advice is not None
    assert advice.normalized is not None
    assert (advice.normalized.status_code, advice.retry_after) == (429, 2)
    assert model.get_retry_advice(ModelRetryAdviceRequest(ValueError("x"), 1, False)) is None


# -- settings -------------------------------------------------------------------------------------


def test_settings_are_sent_and_what_only_openai_has_is_a_loss_elsewhere() -> None:
    settings = ModelSettings(
        max_tokens=7,
        tool_choice="rain",
        parallel_tool_calls=False,
        extra_headers={"x-test": "yes"},
        extra_args={"stop": ["one"]},
        verbosity="low",
        metadata={"a": "b"},
    )
    model, script = over(GPT, "Hello.")
    agent, _ = with_tools(model, model_settings=settings)
    ask(agent, "x")
    [request] = script.requests
    assert request.options.max_tokens == 7
    assert request.tool_choice is not None
    assert (request.tool_choice.name, request.tool_choice.parallel) == ("rain", False)
    assert script.calls[0].headers["x-test"] == "yes"
    assert b'"verbosity":"low"' in script.calls[0].body
    model, script = over(CLAUDE, "Hello.")
    [item] = ask(Agent(name="Guide", model=model, model_settings=settings), "x").to_input_list()[1:]
    told = item["provider_data"]["dragoman"]["losses"]  # type: ignore[typeddict-item]
    assert any("verbosity" in loss["where"] for loss in told)
    [_, msg] = read_messages([{"role": "user", "content": "x"}, item]).messages
    assert msg.blocks[0].extras is None  # what was told of an answer is no field of a provider


def test_openais_own_tools_are_offered_to_openai_and_state_of_openai_is_refused() -> None:
    model, script = over("openai/openai-responses/gpt-5.6", "Hello.")
    ask(Agent(name="Guide", model=model, tools=[WebSearchTool()]), "x")
    assert b'"type":"web_search"' in script.calls[0].body
    with pytest.raises(ConfigError, match="previous_response_id"):
        ask(Agent(name="Guide", model=model), "x", previous_response_id="resp_1")


class _Spans(TracingProcessor):
    """Keeps the spans of models."""

    def __init__(self) -> None:
        self.found: list[Any] = []

    def on_span_end(self, span: Any) -> None:
        if span.span_data.type == "generation":
            self.found.append(span.span_data)

    def on_trace_start(self, trace: Any) -> None: ...
    def on_trace_end(self, trace: Any) -> None: ...
    def on_span_start(self, span: Any) -> None: ...
    def shutdown(self) -> None: ...
    def force_flush(self) -> None: ...


@each_case("has_data", [True, False])
def test_spans_have_what_was_said_only_if_asked_for(has_data: bool) -> None:
    spans = _Spans()
    set_trace_processors([spans])
    model, _ = over(GPT, "In France.")
    agent: Agent[Any] = Agent(name="Guide", model=model)
    traced = RunConfig(trace_include_sensitive_data=has_data)

    async def go() -> None:
        await Runner.run(agent, "Where is Paris?", run_config=traced)
        async for _ in Runner.run_streamed(
            agent, "Where is Paris?", run_config=traced
        ).stream_events():
            pass

    try:
        asyncio.run(go())
    finally:
        set_trace_processors([])
    assert [one.model for one in spans.found] == ["gpt-5.6", "gpt-5.6"]
    for span in spans.found:
        assert span.usage["requests"] == 1
        assert ("Where is Paris?" in str(span.input)) == has_data
        assert ("In France." in str(span.output)) == has_data


def test_a_provider_makes_models_of_names() -> None:
    script = Scripted("Hello.", repeat=True)
    provider = ModelProvider(GPT, key="none", transport=script, max_tokens=99)
    quiet = RunConfig(tracing_disabled=True, model_provider=provider)

    async def go() -> list[str]:
        agents: list[Agent[Any]] = [Agent(name="a"), Agent(name="b", model=CLAUDE)]
        found = [await Runner.run(agent, "x", run_config=quiet) for agent in agents]
        await provider.aclose()
        return [one.final_output for one in found]

    assert asyncio.run(go()) == ["Hello.", "Hello."]
    assert [call.url.split("/")[2] for call in script.calls] == [
        "api.openai.com",
        "api.anthropic.com",
    ]
    assert provider.get_model(CLAUDE) is provider.get_model(CLAUDE)
    with pytest.raises(ConfigError, match="no model is named"):
        ModelProvider().get_model(None)


@each_case("id", ["c_1", ""])
def test_calls_of_a_host_that_sends_objects_and_perhaps_no_ids_are_streamed(id: str) -> None:
    model, _ = over("gemini/gemini-3-pro", [ToolUseBlock(id, "rain", {"city": "Rome"})])

    async def go() -> list[Any]:
        events = model.stream_response(
            None, "x", ModelSettings(), [], None, [], ModelTracing.DISABLED
        )
        return [event async for event in events]

    seen = asyncio.run(go())
    deltas = [one.delta for one in seen if one.type == "response.function_call_arguments.delta"]
    assert "".join(deltas) == '{"city": "Rome"}'
    [added] = [one.item for one in seen if one.type == "response.output_item.added"]
    [item] = seen[-1].response.output
    assert (item.arguments, item.call_id) == ('{"city": "Rome"}', added.call_id)
    assert item.call_id


def test_an_answer_without_content_is_no_item() -> None:
    model, _ = over("openai/openai-responses/gpt-5.6", Msg("", [], "assistant"))
    ask_plainly = model.get_response(
        None, "x", ModelSettings(), [], None, [], ModelTracing.DISABLED
    )
    assert asyncio.run(ask_plainly).output == []
