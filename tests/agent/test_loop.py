"""The loop: tools on every wire, events, budgets, types, hooks, faults, and models that change."""

from __future__ import annotations

import ast
import asyncio
import inspect
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

import dragoman
from dragoman import (
    AsyncLLM,
    ConfigError,
    InvalidOutput,
    Msg,
    ProviderError,
    RateLimited,
    ReActAgent,
    ServerTool,
    Toolkit,
    tool,
    wire,
)
from dragoman.agent import Budget, LossesEvent, ResultEvent, RunEndEvent
from dragoman.agent import agent as module
from dragoman.formatter import GeminiChatFormatter, OpenAIChatFormatter
from dragoman.message import ThinkingBlock, ToolResultBlock
from dragoman.model import ChatModel, ChatModelBase, FormatterMismatch
from dragoman.testing import Fault, Scripted, StrictServer
from tests.covering import covering
from tests.each_case import each_case
from tests.transport.servers import GUARD

from .scripts import HOSTS, Counted, agent_of, call

TWO = [call("call_00001", "Paris"), call("call_00002", "Rome")]


def test_formatter_and_model_are_found_in_the_source() -> None:
    lines = [line.strip() for line in inspect.getsource(module).splitlines()]
    steps = (
        "formatter.format_request(", "await model(", "model.stream(", "formatter.parse_response(",
    )  # fmt: skip
    at = [next(i for i, line in enumerate(lines) if step in line) for step in steps]
    assert at == sorted(at)
    assert at[-1] - at[0] < 10


FILES = sorted(Path(inspect.getfile(dragoman.agent)).parent.glob("*.py"))


def test_the_agent_stands_on_public_names() -> None:
    imported = [
        (node.module, name.name)
        for file in FILES
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.level == 2 and node.module is not None
        for name in node.names
    ]
    assert ("llm", "to_pair") in imported
    modules = {module: import_module(f"dragoman.{module}") for module, _ in imported}
    private = [
        (module, name) for module, name in imported
        if name not in getattr(modules[module], "__all__", vars(modules[module]))
        or name.startswith("_") or module.startswith("_")
    ]  # fmt: skip
    assert private == []


def test_the_package_is_short_enough_to_read_in_one_sitting() -> None:
    """Statements are counted, not lines: how many lines one takes is up to the formatter."""
    sizes = {file.stem: count_statements(file.read_text("utf-8")) for file in FILES}
    assert 0 < sizes["agent"] + sizes["run"] <= 450
    assert sum(sizes.values()) <= 850


def count_statements(source: str) -> int:
    """Count the statements of a module, without docstrings."""
    return sum(
        isinstance(node, ast.stmt)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in ast.walk(ast.parse(source))
    )


@each_case(("protocol", "door", "streams"), covering(HOSTS, ["model", "llm"], [False, True]))
def test_two_calls_at_once_on_every_wire(protocol: str, door: str, streams: bool) -> None:
    counted = Counted()
    host = f"{HOSTS[protocol]}/{protocol}"
    with StrictServer(wire(host), TWO, "Both are warm.") as server:
        reach: dict[str, Any] = {"base_url": server.url, "retries": 0}
        model: Any = ChatModel(host, "bigrams", "none", **reach)
        if door == "llm":
            model = AsyncLLM(f"{host}/bigrams", key="none", policy="ignore", **reach)
        agent = ReActAgent("Friday", "Be brief.", model, toolkit=[counted.tool])
        if streams:
            events = list(agent.run_events("How warm is it?"))
            end = events[-1]
            assert isinstance(end, RunEndEvent)
            reply = end.reply
        else:
            reply = agent.run("How warm is it?")
        assert server.judged == [[], []]
    assert reply.finish == "done"
    assert reply.msg is not None
    assert (reply.msg.name, reply.msg.text) == ("Friday", "Both are warm.")
    assert sorted(counted.cities) == ["Paris", "Rome"]
    outputs = [block.output for m in server.requests[1].messages for block in m.blocks
               if isinstance(block, ToolResultBlock)]  # fmt: skip
    assert "18 degrees in Paris" in str(outputs[0])
    assert "18 degrees in Rome" in str(outputs[1])


def test_calls_run_at_the_same_time_unless_one_after_the_other_is_asked() -> None:
    most: list[int] = []
    now = 0

    @tool
    async def warmth(city: str) -> str:
        """How warm it is."""
        nonlocal now
        now += 1
        most.append(now)
        await asyncio.sleep(0.01)
        now -= 1
        return city

    agent_of(TWO, "Done.", toolkit=[warmth]).run("Hi")
    assert max(most) == 2
    most.clear()
    agent_of(TWO, "Done.", toolkit=[warmth], parallel=False).run("Hi")
    assert max(most) == 1


def test_events_tell_texts_thoughts_calls_results_usage_losses_and_the_end() -> None:
    agent = agent_of([ThinkingBlock("Let me see."), call("a", "Paris")], "It is warm.",
                     toolkit=[Counted().tool])  # fmt: skip
    events = list(agent.run_events("Hi"))
    types = [event.type for event in events]
    assert {"thinking-delta", "tool-end", "finish", "usage", "call", "result", "text-delta",
            "losses"} <= set(types)  # fmt: skip
    assert types[-1] == "end"
    assert types.index("call") < types.index("result") < types.index("text-delta")
    [result] = [event for event in events if isinstance(event, ResultEvent)]
    assert result.call.id == result.msg.blocks[0].id == "a"  # type: ignore[union-attr]


def test_whoever_leaves_the_events_cancels_and_may_go_on() -> None:
    counted = Counted()
    agent = agent_of(Fault("Never.", pause=0.02), "It is warm.", toolkit=[counted.tool])
    for event in agent.run_events("Hi"):
        if event.type == "text-delta":
            break
    assert [m.role for m in agent.messages] == ["user"]
    assert agent.run().msg.text == "It is warm."  # type: ignore[union-attr]
    assert [m.role for m in agent.messages] == ["user", "assistant"]


def test_a_task_that_is_cancelled_ends_the_call_and_the_model_is_told() -> None:
    began: list[str] = []
    begun = asyncio.Event()

    @tool
    async def warmth(city: str) -> str:
        """How warm it is."""
        began.append(city)
        begun.set()
        await asyncio.sleep(GUARD * 10)
        return city

    agent = agent_of([call("a", "Paris")], "I see.", toolkit=[warmth])

    async def work() -> None:
        task = asyncio.create_task(agent("Hi"))
        async with asyncio.timeout(GUARD):
            await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with asyncio.timeout(GUARD):
            await agent()

    asyncio.run(work())
    assert began == ["Paris"]
    [result] = agent.messages[2].blocks
    assert isinstance(result, ToolResultBlock)
    assert result.is_error
    assert "not known" in str(result.output)


@pytest.mark.parametrize(
    ("budget", "finish"),
    [(Budget(steps=2), "steps"), (Budget(tokens=1), "tokens"), (Budget(seconds=0), "seconds"),
     (Budget(cost=0.0), "cost")],
)  # fmt: skip
def test_a_budget_ends_the_run(budget: Budget, finish: str) -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}

    def body(_: Any) -> Any:
        return wire("openai").read_response({
            "model": "gpt-5.6", "usage": usage,
            "choices": [{"finish_reason": "tool_calls", "message": {
                "role": "assistant", "content": None, "tool_calls": [{
                    "id": "a", "type": "function",
                    "function": {"name": "warmth", "arguments": '{"city": "Paris"}'}}]}}],
        })  # fmt: skip

    llm = AsyncLLM("openai/gpt-5.6", key="none", transport=Scripted(body, repeat=True),
                   policy="ignore")  # fmt: skip
    agent = ReActAgent("Friday", None, llm, toolkit=[Counted().tool], budget=budget)
    reply = agent.run("Hi")
    assert reply.finish == finish
    assert [m.role for m in agent.messages][-1] in ("tool", "user")  # no call is open


def test_max_iters_is_a_limit_too_and_the_agent_may_go_on() -> None:
    agent = agent_of([call("a", "Paris")], "It is warm.", toolkit=[Counted().tool], max_iters=1)
    assert agent.run("Hi").finish == "steps"
    assert agent.run().msg.text == "It is warm."  # type: ignore[union-attr]


def test_a_budget_of_dollars_needs_a_price() -> None:
    llm = AsyncLLM("openai/nobody-knows-this", key="none", transport=Scripted("Hi"),
                   policy="ignore")  # fmt: skip
    with pytest.raises(ConfigError, match="cost of this model is not known"):
        ReActAgent("Friday", None, llm, budget=Budget(cost=1)).run("Hi")


class City(BaseModel):
    name: str
    degrees: int


PARIS = '{"name": "Paris", "degrees": 18}'


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("door", ["model", "llm"])
def test_an_answer_of_a_type_behind_tools(door: str, streams: bool) -> None:
    script = Scripted([call("a", "Paris")], PARIS)
    model: Any = AsyncLLM("openai/gpt-5.6", key="none", transport=script, policy="ignore")
    if door == "model":
        model = ChatModel("openai", "gpt-5.6", "none", transport=script)
    agent = ReActAgent("Friday", None, model, toolkit=[Counted().tool])
    if streams:
        end = [*agent.run_events("Hi", City)][-1]
        assert isinstance(end, RunEndEvent)
        reply = end.reply
    else:
        reply = agent.run("Hi", City)
    assert reply.parsed == City(name="Paris", degrees=18)


def test_an_answer_that_is_not_of_the_type_is_asked_for_again() -> None:
    agent = agent_of("Warm.", PARIS, response_format=City, repairs=1)
    assert agent.run("Hi").parsed == City(name="Paris", degrees=18)
    with pytest.raises(InvalidOutput):
        agent_of("Warm.", response_format=City).run("Hi")
    with pytest.raises(ConfigError, match="repairs"):
        agent_of("Warm.", response_format=City, repairs=-1)


def test_models_may_be_exchanged_and_the_losses_of_the_switch_are_told() -> None:
    first = ChatModel("anthropic", "claude-opus-5-5", "none",
                      transport=Scripted([ThinkingBlock("Hm."), call("a", "Paris")]))  # fmt: skip
    second = ChatModel("openai", "gpt-5.6", "none", transport=Scripted("It is warm."))
    agent = ReActAgent("Friday", None, first, toolkit=[Counted().tool])

    def switch(agent: ReActAgent, kwargs: Any, output: Any) -> None:
        agent.model = second

    agent.register_instance_hook("post_acting", "switch", switch)
    events = [*agent.run_events("Hi")]
    told = [event for event in events if isinstance(event, LossesEvent)]
    assert told[-1].model == "gpt-5.6"
    assert any(loss.code.startswith("thinking") for loss in told[-1].losses), told[-1]
    assert events[-1].type == "end"
    assert events[-1].reply.msg.text == "It is warm."  # type: ignore[union-attr]


def test_a_formatter_may_be_exchanged_for_one_that_goes_with_the_model() -> None:
    script = Scripted("One.", "Two.")
    model = ChatModel("ollama", "qwen3", transport=script)
    agent = ReActAgent("Friday", None, model)
    agent.run("Hi")
    agent.formatter = OpenAIChatFormatter()
    agent.run("Again")
    assert [call.url.rpartition("/")[2] for call in script.calls] == ["chat", "completions"]
    agent.formatter = GeminiChatFormatter()
    with pytest.raises(FormatterMismatch):
        agent.run("Third")
    with pytest.raises(FormatterMismatch):
        ReActAgent("Friday", None, model, GeminiChatFormatter())


class EchoModel(ChatModelBase):
    wire_name = "openai-chat"

    async def __call__(
        self, messages: Any, tools: Any = None, tool_choice: Any = None, stream: Any = None,
        **options: Any,
    ) -> Any:  # fmt: skip
        message: dict[str, Any] = {"role": "assistant", "content": f"{len(messages)} messages"}
        if tools and messages[-1]["role"] != "tool":
            function = {"name": "warmth", "arguments": '{"city": "Paris"}'}
            message["tool_calls"] = [{"id": "a", "type": "function", "function": function}]
        return wire(self.wire_name).read_response({"choices": [{"message": message}]})


def test_a_model_of_ones_own_that_takes_messages() -> None:
    counted = Counted()
    reply = ReActAgent("Friday", "Be brief.", EchoModel("e"), toolkit=[counted.tool]).run("Hi")
    assert counted.cities == ["Paris"]
    assert reply.msg.text == "4 messages"  # type: ignore[union-attr]


def test_hooks_stand_before_and_after_each_step() -> None:
    seen: list[str] = []

    def noted(kind: str) -> Any:
        def hook(agent: ReActAgent, kwargs: Any, *output: Any) -> None:
            seen.append(kind)

        return hook

    kinds = [f"{when}_{step}" for when in ("pre", "post")
             for step in ("reply", "observe", "reasoning", "acting")]  # fmt: skip
    agent = agent_of([call("a", "Paris")], "Warm.", toolkit=[Counted().tool],
                     hooks={kind: noted(kind) for kind in kinds})  # fmt: skip
    agent.run("Hi")
    assert seen == ["pre_reply", "pre_observe", "post_observe", "pre_reasoning", "post_reasoning",
                    "pre_acting", "post_acting", "pre_reasoning", "post_reasoning",
                    "post_reply"]  # fmt: skip
    with pytest.raises(ConfigError, match="no hook pre_dinner"):
        agent.register_instance_hook("pre_dinner", "x", noted("x"))


def test_hooks_may_change_what_goes_in_and_comes_out() -> None:
    async def other_city(agent: ReActAgent, kwargs: Any) -> Any:
        return {"tool_call": call(kwargs["tool_call"].id, "Oslo")}

    def louder(agent: ReActAgent, kwargs: Any, output: Msg) -> Msg | None:
        return None if output.calls else Msg("Friday", output.text.upper(), "assistant")

    counted = Counted()
    hooks = {"pre_acting": other_city, "post_reasoning": louder}
    agent = agent_of([call("a", "Paris")], "Warm.", toolkit=[counted.tool], hooks=hooks)
    assert agent.run("Hi").msg.text == "WARM."  # type: ignore[union-attr]
    assert counted.cities == ["Oslo"]
    agent.remove_instance_hook("pre_acting", "given")


def test_errors_of_tools_are_results_and_those_of_providers_are_raised() -> None:
    @tool
    def warmth(city: str) -> str:
        """How warm it is."""
        raise OSError("no thermometer")

    busy = ProviderError("slow down", status=429, type="rate_limit_error")
    agent = agent_of([call("a", "Paris")], busy, "Nobody knows.", toolkit=Toolkit([warmth]))
    with pytest.raises(RateLimited):
        agent.run("Hi")
    [result] = agent.messages[-1].blocks
    assert isinstance(result, ToolResultBlock)
    assert result.is_error
    assert "no thermometer" in str(result.output)
    assert agent.run().msg.text == "Nobody knows."  # type: ignore[union-attr]


def test_memories_of_elsewhere_are_told() -> None:
    script = Scripted("Hello, Tony.")

    async def remembered(messages: list[Msg]) -> str:
        return f"The user is Tony ({len(messages)} message)."

    model = ChatModel("openai", "gpt-5.6", "none", transport=script)
    ReActAgent("Friday", "Be brief.", model, memories=remembered).run("Hi")
    assert "The user is Tony (1 message)." in script.requests[0].messages[0].text


def test_a_name_is_a_model_at_any_time() -> None:
    agent = ReActAgent("Friday", None, "openai/gpt-5.6", OpenAIChatFormatter())
    assert isinstance(agent.model, AsyncLLM)
    agent.model = "nobody/knows"
    with pytest.raises(ConfigError, match="nobody"):
        agent.run("Hi")


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(ConfigError, match="is no model"):
        ReActAgent("Friday", None, 5)  # type: ignore[arg-type]
    llm = AsyncLLM("openai/gpt-5.6", key="none")
    with pytest.raises(ConfigError, match="formatter of its own"):
        ReActAgent("Friday", None, llm, OpenAIChatFormatter())


def test_the_tools_of_an_llm_are_those_of_the_agent() -> None:
    counted, script = Counted(), Scripted([call("a", "Paris")], "It is warm.")
    search = ServerTool("web_search")
    llm = AsyncLLM("anthropic/claude-opus-5-5", key="none", policy="ignore", transport=script,
                   tools=[counted.tool, search])  # fmt: skip
    assert ReActAgent("Friday", None, llm).run("Hi").finish == "done"
    assert counted.cities == ["Paris"]
    assert [len(request.tools) for request in script.requests] == [2, 2]
    given = Scripted("Hello.")
    model = ChatModel("anthropic", "claude-opus-5-5", "none", transport=given)
    ReActAgent("Friday", None, model, toolkit=[counted.tool, search]).run("Hi")
    assert len(given.requests[0].tools) == 2


def test_whoever_leaves_the_events_may_ask_again_at_once() -> None:
    async def work() -> None:
        agent = agent_of([call("a", "Paris")], "Warm.", toolkit=[Counted().tool])
        async for event in agent.events("Hi"):
            if event.type == "call":
                break
        reply = await agent.reply()
        assert reply.msg is not None
        assert (reply.finish, reply.msg.text) == ("done", "Warm.")

    asyncio.run(work())


def test_two_tasks_do_not_share_an_agent() -> None:
    async def slow(city: str) -> str:
        """How warm it is."""
        await asyncio.sleep(5)
        return "18 degrees"

    async def work() -> None:
        agent = agent_of([call("a", "Paris", "slow")], toolkit=[slow])
        first = asyncio.ensure_future(agent.reply("Hi"))
        await asyncio.sleep(0.1)
        with pytest.raises(ConfigError, match="at work already"):
            await agent.reply("Hello?")
        first.cancel()

    asyncio.run(work())
