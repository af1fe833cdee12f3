"""pydantic-ai's own agent with `Model`, over wires that judge each request."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from functools import partial
from typing import Any, TypeVar

import pytest
from pydantic import BaseModel
from pydantic_ai import (
    Agent,
    AgentRunResult,
    ModelRetry,
    NativeOutput,
    PromptedOutput,
    UnexpectedModelBehavior,
    UsageLimits,
)
from pydantic_ai.exceptions import IncompleteToolCall, UnsupportedSettingWarning
from pydantic_ai.messages import (
    BinaryContent,
    FinalResultEvent,
    ModelResponse,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.fallback import FallbackModel

from dragoman import LLM, ChatRequest, ChatResponse, Msg, ProviderError, StreamBroken
from dragoman.bridges import pydantic_ai
from dragoman.bridges.pydantic_ai import Model
from dragoman.message import Candidate, Finish, TextBlock, ThinkingBlock, ToolUseBlock, Usage
from dragoman.testing import Fault, Scripted, StrictServer
from tests.each_case import each_case

from .provider import SEAL, THOUGHT, answer

WIRES = {
    "openai-chat": "openai/openai-chat/gpt-5.6",
    "openai-responses": "openai/openai-responses/gpt-5.6",
    "anthropic": "anthropic/claude-sonnet-5",
}
T = TypeVar("T")
GPT, CLAUDE = WIRES["openai-chat"], WIRES["anthropic"]


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


def run(model: Any, work: Awaitable[T]) -> T:
    """Run in a loop of its own, whose connections are closed at its end."""

    async def go() -> T:
        async with model:
            return await work

    return asyncio.run(go())


def ask(agent: Agent[None, T], *asked: Any, **settings: Any) -> AgentRunResult[T]:
    return run(agent, agent.run(*asked, **settings))


def over(name: str, *answers: Any, **settings: Any) -> tuple[Model, Scripted]:
    script = Scripted(*answers, repeat=True)
    llm = LLM(name, key="none", transport=script, max_tokens=99, retries=0)
    return Model(llm, **settings), script


def with_tools(model: Model) -> tuple[Agent[None, str], list[str]]:
    agent = Agent(model, instructions="Be brief.", system_prompt="You know the weather.")
    ran: list[str] = []

    @agent.tool_plain
    def warmth(city: str) -> str:
        """Look how warm it is."""
        ran.append(f"warmth {city}")
        return f"18 degrees in {city}"

    @agent.tool_plain
    def rain(city: str) -> str:
        """Look whether it rains."""
        ran.append(f"rain {city}")
        return "dry"

    return agent, ran


# -- runs -----------------------------------------------------------------------------------------

ASKED = "Look up warmth and rain of ‘Paris’."


def test_an_agent_runs_parallel_tools(served: tuple[Model, StrictServer]) -> None:
    model, server = served
    agent, ran = with_tools(model)
    result = ask(agent, ASKED, usage_limits=UsageLimits(request_limit=2))
    assert sorted(ran) == ["rain Paris", "warmth Paris"]
    assert result.output == "The tool says: 18 degrees in Paris; dry"
    assert (result.usage.requests, result.usage.tool_calls) == (2, 2)
    assert result.usage.input_tokens > result.usage.cache_read_tokens == 6
    prompts = [msg.text for msg in server.requests[-1].messages if msg.role == "system"]
    said = "\n".join([server.requests[-1].system or "", *prompts])
    assert said.index("You know the weather.") < said.index("Be brief.")


def test_a_stream_is_the_same_run(served: tuple[Model, StrictServer]) -> None:
    model, server = served
    agent, _ = with_tools(model)
    whole = ask(agent, ASKED)
    bodies = [call.body for call in server.calls[-2:]]

    async def stream() -> tuple[list[str], Any, Any]:
        async with agent.run_stream(ASKED) as result:
            texts = [text async for text in result.stream_text(delta=True, debounce_by=None)]
            return texts, result.usage, result.all_messages()

    texts, usage, messages = run(model, stream())
    assert "".join(texts) == whole.output
    assert len(texts) > 1 or server.wire.room.protocol == "openai-responses"  # sends one piece
    assert (usage.input_tokens, usage.output_tokens) == (
        whole.usage.input_tokens,
        whole.usage.output_tokens,
    )
    responses = [one for one in messages if isinstance(one, ModelResponse)]
    wholes = [one for one in whole.all_messages() if isinstance(one, ModelResponse)]
    for response in (*responses, *wholes):
        for part in response.tool_calls:
            part.args = part.args_as_dict()  # some wires have a text of them in streams only
    assert [one.parts for one in responses] == [one.parts for one in wholes]
    assert [one.state for one in responses] == ["complete", "complete"]
    streamed = [call.body.replace(b',"stream":true', b"") for call in server.calls[-2:]]
    usual = b',"stream_options":{"include_usage":true}'
    assert [body.replace(usual, b"") for body in streamed] == bodies


def test_signed_thinking_goes_back_and_its_events_are_signed(
    served: tuple[Model, StrictServer],
) -> None:
    model, server = served
    if model.model_name == "gpt-5.6" and server.wire.room.protocol == "openai-chat":
        return  # has no signatures
    agent, _ = with_tools(model)

    async def events() -> list[Any]:
        async with agent.run_stream_events(ASKED) as stream:
            return [event async for event in stream]

    seen = run(model, events())
    thought = server.requests[-1].messages[-2].blocks[0]
    while not isinstance(thought, ThinkingBlock):  # Responses keeps items apart
        thought = next(
            block
            for msg in server.requests[-1].messages
            for block in msg.blocks
            if isinstance(block, ThinkingBlock)
        )
    assert (thought.signature or thought.redacted) == SEAL
    ends = [one for one in seen if isinstance(one, PartEndEvent)]
    thoughts = [one.part for one in ends if isinstance(one.part, ThinkingPart)]
    assert [(one.content, one.signature) for one in thoughts] == [(THOUGHT, SEAL)] * 2
    starts = [one.part for one in seen if isinstance(one, PartStartEvent)]
    assert [type(part) for part in starts] == [
        ThinkingPart,
        ToolCallPart,
        ToolCallPart,
        ThinkingPart,
        TextPart,
    ]
    assert sum(isinstance(one, FinalResultEvent) for one in seen) == 1
    assert any(isinstance(one, PartDeltaEvent) for one in seen)


@each_case("output", [City, NativeOutput(City), PromptedOutput(City)], ids=str)
def test_typed_output_in_every_mode(output: Any, served: tuple[Model, StrictServer]) -> None:
    model, _ = served
    agent: Agent[None, Any] = Agent(model, output_type=output)
    asked = "‘Paris’ has 2 people. Use the final_result."
    assert ask(agent, asked).output == City(name="Paris", people=2)

    async def stream() -> list[Any]:
        async with agent.run_stream(asked) as result:
            return [value async for value in result.stream_output(debounce_by=None)]

    assert run(model, stream())[-1] == City(name="Paris", people=2)


# -- retries --------------------------------------------------------------------------------------


def call(text: str, *, cut: bool = False, name: str = "warmth") -> ChatResponse:
    block = ToolUseBlock("c_1", name, text, text, unfinished=cut)
    msg = Msg("", [block], "assistant")
    return ChatResponse(
        [Candidate(msg, Finish("length" if cut else "tool_calls"))], Usage(1, output=1)
    )


@each_case("text", ["{bad", "[1]", '{"city": 7}', '{"town": "x"}'])
def test_arguments_that_do_not_fit_are_asked_for_again(text: str) -> None:
    model, script = over(GPT, call(text), [ToolUseBlock("c_2", "warmth", {"city": "Oslo"})], "Ok.")
    agent, ran = with_tools(model)
    assert ask(agent, "x").output == "Ok."
    assert ran == ["warmth Oslo"]
    assert "city" in str(script.calls[1].body) or "JSON" in str(script.calls[1].body)


@each_case("text", ['{"city": "Par', '{"city": ', '{"city": "Paris"}'])
def test_a_call_that_a_limit_cut_is_never_run(text: str) -> None:
    for ask in ("run", "stream"):
        model, _ = over(CLAUDE, call(text, cut=True))
        agent, ran = with_tools(model)

        async def go(agent: Agent[None, str] = agent, ask: str = ask) -> Any:
            if ask == "run":
                return await agent.run("x")
            async with agent.run_stream_events("x") as events:
                return [event async for event in events]

        with pytest.raises((IncompleteToolCall, UnexpectedModelBehavior)):
            asyncio.run(go())
        assert ran == []


def test_a_tool_and_a_validator_can_ask_again() -> None:
    first = [ToolUseBlock("c_1", "guess", {"number": 1})]
    model, script = over(GPT, first, [ToolUseBlock("c_2", "guess", {"number": 2})], "no", "yes")
    agent = Agent(model, retries=2)

    @agent.tool_plain
    def guess(number: int) -> str:
        """Guess."""
        if number == 1:
            raise ModelRetry("higher")
        return "right"

    @agent.output_validator
    def check(text: str) -> str:
        if text == "no":
            raise ModelRetry("say yes")
        return text

    assert ask(agent, "x").output == "yes"
    told = [str(call.body) for call in script.calls]
    assert "higher" in told[1]
    assert "say yes" in told[3]


# -- settings, losses, errors ----------------------------------------------------------------------


def test_settings_are_sent() -> None:
    model, script = over("openai/openai-chat/gpt-4.1", "Hello.", settings={"temperature": 0.5})
    agent, _ = with_tools(model)
    ask(
        agent,
        "x",
        model_settings={
            "max_tokens": 7,
            "stop_sequences": ["one"],
            "seed": 3,
            "parallel_tool_calls": False,
            "extra_headers": {"x-test": "yes"},
        },
    )
    [request] = script.requests
    options = request.options
    assert (options.max_tokens, options.temperature, options.seed) == (7, 0.5, 3)
    assert [*(options.stop or ())] == ["one"]
    assert request.tool_choice is not None
    assert request.tool_choice.parallel is False
    assert script.calls[0].headers["x-test"] == "yes"
    with pytest.warns(UnsupportedSettingWarning, match="extra_body"):
        ask(agent, "x", model_settings={"extra_body": {"a": 1}})


@each_case(
    ("choice", "mode", "allowed"),
    [
        ("auto", "auto", ()),
        ("none", "none", ()),
        ("required", "required", ()),
        (["rain"], "tool", ()),
        (["rain", "warmth"], "required", ()),
    ],
)
def test_tool_choices(choice: Any, mode: str, allowed: tuple[str, ...]) -> None:
    model, script = over(GPT, "Ok.")
    agent, _ = with_tools(model)
    tools = [one.tool_def for one in agent.toolsets[0].tools.values()]  # type: ignore[attr-defined]
    # an agent forces no tool in every step: it would never end
    asked = model.request(
        history(), {"tool_choice": choice}, ModelRequestParameters(function_tools=tools)
    )
    asyncio.run(asked)
    said = script.requests[0].tool_choice
    assert ("auto" if said is None else said.mode) == mode
    assert (() if said is None else said.allowed) == allowed


def history() -> list[Any]:
    return [*pydantic_ai.write_messages([Msg.user("x")]).messages]


def test_media_are_shown_and_losses_told() -> None:
    seen: list[ChatRequest] = []

    def describe(request: ChatRequest) -> str:
        seen.append(request)
        return "I see."

    model, _ = over("openai/openai-responses/gpt-5.6", describe)
    png = b"\x89PNG\r\n\x1a\n" + b"\0" * 8
    result = ask(
        Agent(model),
        ["What is it?", BinaryContent(png, media_type="image/png")],
        model_settings={"stop_sequences": ["x"]},
    )
    assert [block.type for block in seen[0].messages[-1].blocks] == ["text", "image"]
    [response] = [one for one in result.all_messages() if isinstance(one, ModelResponse)]
    told = (response.metadata or {})["dragoman"]
    assert told["finish"] == "stop"
    assert any("stop" in loss["what"] or "stop" in loss["where"] for loss in told["losses"])


def test_errors_are_those_of_an_llm_and_can_be_fallen_back_from() -> None:
    busy, _ = over(CLAUDE, ProviderError("slow down", status=429, type="rate_limit_error"))
    with pytest.raises(ProviderError, match="slow down"):
        ask(Agent(busy), "x")
    fine, _ = over(GPT, "Hello.")
    both = FallbackModel(busy, fine, fallback_on=(ProviderError,))
    assert ask(Agent(both), "x").output == "Hello."

    async def stream() -> str:
        async with Agent(both).run_stream("x") as result:
            return await result.get_output()

    assert asyncio.run(stream()) == "Hello."


def test_a_stream_that_breaks_off_is_an_error_and_left_streams_are_closed() -> None:
    model, _ = over(GPT, Fault([TextBlock("one two three four")], cut=4))

    async def stream() -> list[str]:
        async with Agent(model).run_stream("x") as result:
            return [text async for text in result.stream_text(debounce_by=None)]

    with pytest.raises(StreamBroken):
        asyncio.run(stream())


def test_a_cancelled_stream_is_interrupted() -> None:
    model, _ = over(GPT, Fault("one two three four", pause=0.01))

    async def cancel() -> str:
        async with model.request_stream(history(), None, ModelRequestParameters()) as stream:
            async for _ in stream:
                await stream.cancel()
                break
            return stream.get().state

    assert asyncio.run(cancel()) == "interrupted"


@each_case("id", ["c_1", ""])
def test_calls_of_a_host_that_sends_objects_and_perhaps_no_ids_are_streamed(id: str) -> None:
    model, _ = over("gemini/gemini-3-pro", [ToolUseBlock(id, "rain", {"city": "Rome"})])

    async def stream() -> tuple[list[Any], ModelResponse]:
        async with model.request_stream(history(), None, ModelRequestParameters()) as stream:
            events = [event async for event in stream]
        return [one.part for one in events if isinstance(one, PartEndEvent)], stream.get()

    [part], whole = asyncio.run(stream())
    assert part.args_as_dict() == {"city": "Rome"}
    assert part.tool_call_id == whole.tool_calls[0].tool_call_id


def test_tokens_are_counted() -> None:
    model, _ = over(GPT, "x")
    usage = asyncio.run(model.count_tokens(history(), None, ModelRequestParameters()))
    assert usage.input_tokens > 0
    assert (model.model_name, model.system) == ("gpt-5.6", "openai")
