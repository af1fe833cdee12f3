"""CPU time of an agent's steps and memory of 1,000 agents at once, beside libraries of agents.

    make bench BENCHMARKS=benchmarks/agent.py

Everybody talks Chat Completions to the same server on this machine, a process of its own
(`benchmarks/loopback.py`), with one client for all runs. A step is one call of the model; each but
the last answers with two calls of tools, which are coroutines and run at once. The server writes
the number of whoever asks into every call and answer, and each side must give each agent its own
answer and run its tools twice for each step: what is lost or mixed fails.

Measured is the CPU time of this process, the best of a few rounds in which all sides take turns.
The memory is that of a process for each side, in which 1,000 agents run at once. Reads no clock in
an assertion: the tables at the end are the result.
"""

from __future__ import annotations

import asyncio
import gc
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import Any

import pytest

import dragoman
from benchmarks.loopback import NOBODY, Prepared, Server, serving

MODEL = "gpt-5.6"
SYSTEM = "You are Friday, a guide of travellers. Look up what you are asked for."
QUESTION = "I am traveller {:06}. How warm is it in Samarkand, and how far is it?"
WORDS = "Traveller {}: it is 31 degrees in Samarkand, and 1,200 miles of road. "
LONGEST = 100
ROUNDS = 3
ENOUGH = 10.0  # seconds of CPU time in one round, behind which there is no other
MANY = 1_000
PATIENCE = 600.0  # seconds: 1,000 connections take the SDK longer than the 5 that it waits for one
MEMORY_STEPS = 5
STATUS = Path("/proc/self/status")
RAN: Counter[str] = Counter()  # calls of tools for each traveller


async def warmth(city: str, traveller: str) -> str:
    """How warm it is in a city, in degrees Celsius."""
    RAN[traveller] += 1
    return f"31 degrees in {city} for {traveller}"


async def miles(start: str, end: str, traveller: str) -> str:
    """How far it is from one city to another."""
    RAN[traveller] += 1
    return f"1,200 miles from {start} to {end} for {traveller}"


TOOLS = {"warmth": warmth, "miles": miles}


# -- what the server answers -----------------------------------------------------------------------


def answers() -> list[Prepared]:
    """The answers of the longest run: two calls in each step, and a text at last."""
    nobody = NOBODY.decode()
    out = []
    for step in range(LONGEST - 1):
        said = {
            "warmth": {"city": "Samarkand", "traveller": nobody},
            "miles": {"start": "Tashkent", "end": "Samarkand", "traveller": nobody},
        }
        calls = [
            {"id": f"call_{step:04}_{name}", "type": "function",
             "function": {"name": name, "arguments": json.dumps(arguments)}}
            for name, arguments in said.items()
        ]  # fmt: skip
        out.append(_prepared("", calls))
    return [*out, _prepared(WORDS.format(nobody), [])]


def _prepared(text: str, calls: list[dict[str, Any]]) -> Prepared:
    frame = {"id": "chatcmpl-1", "created": 1761234567, "model": MODEL,
             "service_tier": "default", "system_fingerprint": "fp_1"}  # fmt: skip
    usage = {"prompt_tokens": 200, "completion_tokens": 40, "total_tokens": 240,
             "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
             "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0}}  # fmt: skip
    reason = "tool_calls" if calls else "stop"
    message: dict[str, Any] = {"role": "assistant", "content": text or None, "refusal": None,
                               "annotations": []}  # fmt: skip
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reason}
    whole = {**frame, "object": "chat.completion", "choices": [choice], "usage": usage}

    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": "" if text else None}]
    deltas += [{"content": word + " "} for word in text.split()]
    for index, call in enumerate(calls):
        arguments = call["function"]["arguments"]
        begun = {**call["function"], "arguments": ""}
        deltas.append({"tool_calls": [{**call, "index": index, "function": begun}]})
        for piece in arguments.split(" "):  # which leaves the number whole
            said = {"index": index, "function": {"arguments": f"{piece} "}}
            deltas.append({"tool_calls": [said]})
    chunk = {**frame, "object": "chat.completion.chunk"}
    chunks: list[dict[str, Any]] = [
        {**chunk, "choices": [{"index": 0, "delta": delta, "logprobs": None,
                               "finish_reason": None}]}
        for delta in deltas
    ]  # fmt: skip
    ended = {"index": 0, "delta": {}, "logprobs": None, "finish_reason": reason}
    chunks += [{**chunk, "choices": [ended]}, {**chunk, "choices": [], "usage": usage}]
    pieces = [b"data: " + json.dumps(one).encode() + b"\n\n" for one in chunks]
    return Prepared(json.dumps(whole).encode(), [*pieces, b"data: [DONE]\n\n"])


# -- the sides -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Side:
    """One library.

    `ask(question, steps, streams)` is a whole run: (the text of its answer, what holds the
    conversation).
    """

    name: str
    ask: Callable[[str, int, bool], Awaitable[tuple[str, Any]]]
    streams: bool = True


def by_hand(url: Callable[[int], str]) -> Side:
    """The official SDK, and a loop that only does what it must."""
    import openai

    clients: dict[int, Any] = {}
    tools: list[Any] = [
        {"type": "function",
         "function": {"name": one.name, "description": one.description,
                      "parameters": one.parameters}}
        for one in dragoman.Toolkit([*TOOLS.values()]).tools
    ]  # fmt: skip

    async def whole(client: Any, said: list[Any]) -> dict[str, Any]:
        answer = await client.chat.completions.create(model=MODEL, messages=said, tools=tools)
        message: dict[str, Any] = answer.choices[0].message.to_dict()
        return message

    async def streamed(client: Any, said: list[Any]) -> dict[str, Any]:
        text, calls = "", list[dict[str, Any]]()
        async for chunk in await client.chat.completions.create(
            model=MODEL, messages=said, tools=tools, stream=True,
            stream_options={"include_usage": True},
        ):  # fmt: skip
            for choice in chunk.choices:
                text += choice.delta.content or ""
                for part in choice.delta.tool_calls or ():
                    if part.id:
                        calls.append(part.to_dict())
                    else:
                        calls[part.index]["function"]["arguments"] += part.function.arguments
        message = {"role": "assistant", "content": text or None}
        return {**message, "tool_calls": calls} if calls else message

    async def ask(question: str, steps: int, streams: bool) -> tuple[str, Any]:
        if steps not in clients:
            clients[steps] = openai.AsyncOpenAI(
                api_key="none", base_url=url(steps), timeout=PATIENCE
            )
        said: list[Any] = [{"role": "system", "content": SYSTEM},
                           {"role": "user", "content": question}]  # fmt: skip
        while True:
            message = await (streamed if streams else whole)(clients[steps], said)
            said.append(message)
            if not message.get("tool_calls"):
                return message["content"], said
            calls = [call["function"] for call in message["tool_calls"]]
            results = await asyncio.gather(
                *(TOOLS[call["name"]](**json.loads(call["arguments"])) for call in calls)
            )
            said += [
                {"role": "tool", "tool_call_id": call["id"], "content": result}
                for call, result in zip(message["tool_calls"], results, strict=True)
            ]

    return Side("openai SDK, by hand", ask)


def ours(transport: str, url: Callable[[int], str]) -> Side:
    """Ours, with an LLM over this transport."""
    llms: dict[int, dragoman.AsyncLLM] = {}
    toolkit = dragoman.Toolkit([*TOOLS.values()])

    async def ask(question: str, steps: int, streams: bool) -> tuple[str, Any]:
        if steps not in llms:
            llms[steps] = dragoman.AsyncLLM(
                f"openai/openai-chat/{MODEL}", key="none", base_url=url(steps), transport=transport
            )
        agent = dragoman.ReActAgent(
            "Friday", SYSTEM, llms[steps], toolkit=toolkit, max_iters=steps + 1
        )
        return await _answer(agent, question, streams), agent

    return Side(f"ReActAgent, {transport}", ask)


def ours_with_a_model(url: Callable[[int], str]) -> Side:
    """Ours, with a chat model and its formatter."""
    from dragoman.model import ChatModel

    models: dict[int, ChatModel] = {}
    toolkit = dragoman.Toolkit([*TOOLS.values()])

    async def ask(question: str, steps: int, streams: bool) -> tuple[str, Any]:
        if steps not in models:
            models[steps] = ChatModel(
                "openai/openai-chat", MODEL, "none", base_url=url(steps), transport="aiohttp"
            )
        agent = dragoman.ReActAgent(
            "Friday", SYSTEM, models[steps], toolkit=toolkit, max_iters=steps + 1
        )
        return await _answer(agent, question, streams), agent

    return Side("ReActAgent, ChatModel, aiohttp", ask)


async def _answer(agent: dragoman.ReActAgent, question: str, streams: bool) -> str:
    reply = None
    if streams:
        async for event in agent.events(question):
            if event.type == "end":
                reply = event.reply
    else:
        reply = await agent.reply(question)
    assert reply is not None
    assert reply.msg is not None
    return reply.msg.text


def pydantic_ai(url: Callable[[int], str]) -> Side:
    """pydantic-ai: one agent for all runs, as its documentation has it."""
    import openai
    from pydantic_ai import Agent, AgentRunResultEvent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.usage import UsageLimits

    agents: dict[int, Any] = {}
    limits = UsageLimits(request_limit=None)

    async def ask(question: str, steps: int, streams: bool) -> tuple[str, Any]:
        if steps not in agents:
            client = openai.AsyncOpenAI(api_key="none", base_url=url(steps), timeout=PATIENCE)
            model = OpenAIChatModel(MODEL, provider=OpenAIProvider(openai_client=client))
            agents[steps] = Agent(model, instructions=SYSTEM, tools=[*TOOLS.values()])
        if not streams:
            result = await agents[steps].run(question, usage_limits=limits)
            return result.output, result
        result = None
        async with agents[steps].run_stream_events(question, usage_limits=limits) as events:
            async for event in events:
                if isinstance(event, AgentRunResultEvent):
                    result = event.result
        assert result is not None
        return result.output, result

    return Side("pydantic-ai", ask)


def agentscope(url: Callable[[int], str]) -> Side:
    """AgentScope 1.0: an agent for each conversation, whose answers are not printed.

    1.0.21 reads no stream of an openai whose chunks have a field `audio`, as those of 3.54 do.
    """
    from agentscope.agent import ReActAgent
    from agentscope.formatter import OpenAIChatFormatter
    from agentscope.message import Msg, TextBlock
    from agentscope.model import OpenAIChatModel
    from agentscope.tool import Toolkit, ToolResponse

    models: dict[int, Any] = {}

    async def warmth(city: str, traveller: str) -> ToolResponse:
        """How warm it is in a city, in degrees Celsius."""
        return ToolResponse([TextBlock(type="text", text=await TOOLS["warmth"](city, traveller))])

    async def miles(start: str, end: str, traveller: str) -> ToolResponse:
        """How far it is from one city to another."""
        text = await TOOLS["miles"](start, end, traveller)
        return ToolResponse([TextBlock(type="text", text=text)])

    # it reads the types of annotations and not their text
    warmth.__annotations__ = {"city": str, "traveller": str, "return": ToolResponse}
    miles.__annotations__ = {"start": str, "end": str, "traveller": str, "return": ToolResponse}

    toolkit = Toolkit()
    for function in (warmth, miles):
        toolkit.register_tool_function(function)

    async def ask(question: str, steps: int, streams: bool) -> tuple[str, Any]:
        if steps not in models:
            models[steps] = OpenAIChatModel(
                MODEL,
                "none",
                stream=streams,
                client_kwargs={"base_url": url(steps), "timeout": PATIENCE},
            )
        agent = ReActAgent(
            "Friday", SYSTEM, models[steps], OpenAIChatFormatter(), toolkit,
            parallel_tool_calls=True, max_iters=steps + 1,
        )  # fmt: skip
        agent.set_console_output_enabled(False)
        reply = await agent(Msg("Tony", question, "user"))
        return reply.get_text_content(), agent

    return Side("AgentScope", ask, streams=False)


def openai_agents(url: Callable[[int], str]) -> Side:
    """OpenAI's agents SDK: one agent for all runs, without tracing."""
    import openai
    from agents import (
        Agent,
        OpenAIChatCompletionsModel,
        Runner,
        function_tool,
        set_tracing_disabled,
    )

    set_tracing_disabled(True)
    agents: dict[int, Any] = {}

    async def ask(question: str, steps: int, streams: bool) -> tuple[str, Any]:
        if steps not in agents:
            client = openai.AsyncOpenAI(api_key="none", base_url=url(steps), timeout=PATIENCE)
            model = OpenAIChatCompletionsModel(MODEL, client)
            tools = [function_tool(function) for function in TOOLS.values()]
            agents[steps] = Agent(name="Friday", instructions=SYSTEM, model=model, tools=[*tools])
        if not streams:
            result: Any = await Runner.run(agents[steps], question, max_turns=steps + 1)
        else:
            result = Runner.run_streamed(agents[steps], question, max_turns=steps + 1)
            async for _ in result.stream_events():
                pass
        return result.final_output, result

    return Side("OpenAI agents SDK", ask)


SIDES: dict[str, Callable[[Callable[[int], str]], Side]] = {
    "openai SDK, by hand": by_hand,
    "ReActAgent, httpx2": lambda url: ours("httpx2", url),
    "ReActAgent, aiohttp": lambda url: ours("aiohttp", url),
    "ReActAgent, ChatModel, aiohttp": ours_with_a_model,
    "pydantic-ai": pydantic_ai,
    "AgentScope": agentscope,
    "OpenAI agents SDK": openai_agents,
}
NEEDS = {"pydantic-ai": "pydantic_ai", "AgentScope": "agentscope", "OpenAI agents SDK": "agents"}
BASE = "openai SDK, by hand"


def address(server: str) -> Callable[[int], str]:
    """The base URL at which a run has so many steps."""
    return lambda steps: f"{server}/{steps - 1}/v1"


async def runs(
    side: Side, steps: int, streams: bool, at_once: int, times: int = 1
) -> tuple[float, list[Any]]:
    """(CPU seconds, what holds the conversations); all of them ended as they should."""
    start = process_time()
    kept = []
    for _ in range(times):
        RAN.clear()
        kept = await asyncio.gather(
            *(side.ask(QUESTION.format(n), steps, streams) for n in range(at_once))
        )
        texts = [text.strip() for text, _ in kept]
        assert texts == [WORDS.format(f"{n:06}").strip() for n in range(at_once)], side.name
        due = {f"{n:06}": 2 * (steps - 1) for n in range(at_once)}
        assert due == RAN, side.name
    return process_time() - start, [one for _, one in kept]


# -- time ------------------------------------------------------------------------------------------

# what is measured: (steps of a run, streams or not, at once, how often in a round)
SCENES = {
    "10 steps": (10, False, 1, 10),
    "50 steps": (50, False, 1, 2),
    "100 steps": (LONGEST, False, 1, 1),
    "10 steps, streams": (10, True, 1, 10),
    "10 steps, 64 agents at once": (10, False, 64, 1),
}
CPU: dict[tuple[str, str], float] = {}
GREW: dict[str, dict[str, float]] = {}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Whom all of them ask."""
    with serving(*answers()) as server:
        yield server


@pytest.fixture(scope="module")
def everybody(server: Server) -> Iterator[tuple[list[Side], asyncio.Runner]]:
    """All sides that are installed, and the loop in which they are asked."""
    url = address(server.address)
    with asyncio.Runner() as runner:
        yield [make(url) for name, make in SIDES.items() if _installed(name)], runner


def _installed(name: str) -> bool:
    return name not in NEEDS or find_spec(NEEDS[name]) is not None


@pytest.mark.filterwarnings("ignore")  # of others
@pytest.mark.parametrize("scene", SCENES)
def test_steps(everybody: tuple[list[Side], asyncio.Runner], scene: str) -> None:
    """Time all sides in turn."""
    members, runner = everybody
    steps, streams, at_once, times = SCENES[scene]
    members = [side for side in members if side.streams or not streams]
    worst = dict.fromkeys([side.name for side in members], 0.0)
    for number in range(ROUNDS + 1):
        for side in members:
            if worst[side.name] > ENOUGH:
                continue
            often = times if number else 1
            spent, _ = runner.run(runs(side, steps, streams, at_once, often))
            gc.collect()
            gc.freeze()  # nobody pays for what the others have loaded
            worst[side.name] = max(worst[side.name], spent)
            if number or spent > ENOUGH:  # the first round opens the connections
                known = CPU.get((side.name, scene), float("inf"))
                each = spent / (steps * at_once * often) * 1e6
                CPU[side.name, scene] = min(known, each)


# -- memory ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SIDES)
def test_memory(server: Server, name: str) -> None:
    """Run 1,000 agents at once in a process of this side's own."""
    if not STATUS.exists():
        pytest.skip("the memory of a process is read as Linux tells it")
    if not _installed(name):
        pytest.skip("not installed")
    command = [sys.executable, "-m", "benchmarks.agent", name, server.address]
    ran = subprocess.run(command, capture_output=True, text=True)  # noqa: PLW1510, S603
    assert ran.returncode == 0, ran.stderr
    GREW[name] = json.loads(ran.stdout.splitlines()[-1])


def main() -> None:
    """Run 1,000 agents of one side at once, and print what they took."""
    name, server = sys.argv[1:]
    side = SIDES[name](address(server))

    async def work() -> None:
        await runs(side, MEMORY_STEPS, streams=False, at_once=2)
        gc.collect()
        before = _kilobytes("VmRSS")
        spent, kept = await runs(side, MEMORY_STEPS, streams=False, at_once=MANY)
        grown = _kilobytes("VmHWM") - before
        assert len(kept) == MANY
        print(json.dumps({"KB": grown / MANY, "us": spent / MANY / MEMORY_STEPS * 1e6}))

    asyncio.run(work())


def _kilobytes(what: str) -> int:
    """A line of what Linux tells of this process."""
    lines = STATUS.read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{what}:"))


@pytest.fixture(scope="module", autouse=True)
def table(tables: Any) -> Iterator[None]:
    """CPU time of each side, how it stands to the SDK by hand, and its memory."""
    yield
    scenes = [scene for scene in SCENES if any(known == scene for _, known in CPU)]
    names = list(dict.fromkeys(name for name, _ in CPU))
    absolute, ratios = [], []
    for name in names:
        mine = [CPU.get((name, scene)) for scene in scenes]
        absolute.append([name, *(f"{us:.0f}" if us else "" for us in mine)])
        of_base = [(us, CPU.get((BASE, scene))) for us, scene in zip(mine, scenes, strict=True)]
        ratios.append([name, *(f"{us / base:.2f}" if us and base else "" for us, base in of_base)])
    title = "Agents, us of CPU time for each step (`benchmarks/agent.py`)"
    tables.add(title, ("", *scenes), absolute)
    tables.add("The same, of a loop by hand over the official SDK", ("", *scenes), ratios)
    head = ("", "KB/agent", "us/step")
    rows = [(name, f"{one['KB']:.0f}", f"{one['us']:.0f}") for name, one in GREW.items()]
    each = f"{MEMORY_STEPS} steps each; each got its own answer, and its own calls were run"
    notes = (
        f"{MANY:,} agents in one process, {each}",
        "by how much the process grew, with a conversation and a connection for each agent",
    )
    tables.add(f"{MANY:,} agents at once", head, rows, notes)


if __name__ == "__main__":
    main()
