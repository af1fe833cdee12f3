"""CPU time of whole calls and of streams, from message to answer, beside SDKs and libraries.

    make bench BENCHMARKS=benchmarks/model.py

Everybody asks the same server on this machine, which is a process of its own
(`benchmarks/loopback.py`), over Chat Completions, with a client that is made once. A call ends with
the text of its answer, a stream of 2,000 events with all of its text. Measured is the CPU time of
this process, the best of a few rounds in which all sides take turns; the garbage collector runs, as
it does in a program. Reads no clock in an assertion: the table at the end is the result.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from time import process_time
from typing import Any

import pytest

import dragoman
from benchmarks.loopback import Prepared, Server, serving
from benchmarks.stream import TEXT, chat

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # no network here

MODEL = "gpt-5.6"
SYSTEM, QUESTION = "You are Friday.", "How far is it to Samarkand?"
SAID: list[Any] = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": QUESTION}]
WORDS = "It is a long way, and most of it is road. " * 5
ANSWER = {
    "id": "chatcmpl-1", "object": "chat.completion", "created": 1700000000, "model": MODEL,
    "choices": [{
        "index": 0, "finish_reason": "stop", "logprobs": None,
        "message": {"role": "assistant", "content": WORDS, "refusal": None, "annotations": []},
    }],
    "usage": {
        "prompt_tokens": 20, "completion_tokens": 50, "total_tokens": 70,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    },
    "service_tier": "default", "system_fingerprint": "fp_1",
}  # fmt: skip
EVENTS = chat(TEXT)
# every piece holds one text, so that each that was read may ask for the next
PIECES = [EVENTS[0] + EVENTS[1], *EVENTS[2:-3], b"".join(EVENTS[-3:])]
TEXTS = len(PIECES)
MANY = 64
ROUNDS = 5
ENOUGH = 10.0  # seconds of CPU time in one round, behind which there is no other
CPU: dict[tuple[str, str], float] = {}


@dataclass
class Side:
    """One library: how it asks, which gives a text, and how it reads a stream, which gives many."""

    name: str
    base: str  # the SDK that it is compared with
    call: Callable[[], Any]
    stream: Callable[[bool], Any]  # slow or not
    asynchronous: bool = True


def sides(server: str) -> Iterator[Side]:
    """Everybody who is installed."""
    fast, slow = f"{server}/v1", f"{server}/slow/v1"
    yield openai_sdk(fast, slow)
    yield openai_async(fast, slow)
    yield door(fast, slow)
    yield async_door("httpx2", fast, slow)
    yield async_door("aiohttp", fast, slow)
    yield chat_model(fast, slow)
    if find_spec("litellm"):
        yield litellm_sdk(fast, slow)
    if find_spec("pydantic_ai"):
        yield pydantic_ai(fast, slow)
    if find_spec("any_llm"):
        yield any_llm(fast, slow)


def openai_sdk(fast: str, slow: str) -> Side:
    """The official SDK."""
    import openai

    client, slowly = (openai.OpenAI(api_key="none", base_url=url) for url in (fast, slow))

    def call() -> Any:
        return client.chat.completions.create(model=MODEL, messages=SAID).choices[0].message.content

    def stream(slow: bool) -> Iterator[str]:
        asked = (slowly if slow else client).chat.completions
        for chunk in asked.create(model=MODEL, messages=SAID, stream=True):
            yield chunk.choices[0].delta.content or ""

    return Side("openai SDK", "openai SDK", call, stream, asynchronous=False)


def openai_async(fast: str, slow: str) -> Side:
    """The official SDK in a loop."""
    import openai

    client, slowly = (openai.AsyncOpenAI(api_key="none", base_url=url) for url in (fast, slow))

    async def call() -> Any:
        answer = await client.chat.completions.create(model=MODEL, messages=SAID)
        return answer.choices[0].message.content

    async def stream(slow: bool) -> AsyncIterator[str]:
        asked = (slowly if slow else client).chat.completions
        async for chunk in await asked.create(model=MODEL, messages=SAID, stream=True):
            yield chunk.choices[0].delta.content or ""

    return Side("openai SDK, async", "openai SDK, async", call, stream)


def door(fast: str, slow: str) -> Side:
    """Ours: LLM."""
    llm, slowly = (
        dragoman.LLM(f"openai/openai-chat/{MODEL}", key="none", base_url=url, system=SYSTEM)
        for url in (fast, slow)
    )

    def call() -> str:
        return llm.ask(QUESTION).text

    def stream(slow: bool) -> Iterator[str]:
        for event in (slowly if slow else llm).stream(QUESTION):
            yield event.text

    return Side("LLM, httpx2", "openai SDK", call, stream, asynchronous=False)


def async_door(transport: str, fast: str, slow: str) -> Side:
    """Ours: AsyncLLM."""
    llm, slowly = (
        dragoman.AsyncLLM(
            f"openai/openai-chat/{MODEL}", key="none", base_url=url, system=SYSTEM,
            transport=transport,
        )
        for url in (fast, slow)
    )  # fmt: skip

    async def call() -> str:
        return (await llm.ask(QUESTION)).text

    async def stream(slow: bool) -> AsyncIterator[str]:
        async for event in (slowly if slow else llm).stream(QUESTION):
            yield event.text

    return Side(f"AsyncLLM, {transport}", "openai SDK, async", call, stream)


def chat_model(fast: str, slow: str) -> Side:
    """Ours: ChatModel, which takes messages as the provider does."""
    from dragoman.model import ChatModel

    model, slowly = (
        ChatModel("openai/openai-chat", MODEL, "none", base_url=url, transport="aiohttp")
        for url in (fast, slow)
    )

    async def call() -> str:
        text: str = (await model(SAID)).text
        return text

    async def stream(slow: bool) -> AsyncIterator[str]:
        async for event in (slowly if slow else model).events(SAID):
            yield event.text

    return Side("ChatModel, aiohttp", "openai SDK, async", call, stream)


def litellm_sdk(fast: str, slow: str) -> Side:
    """LiteLLM's SDK."""
    import litellm

    asked: dict[str, Any] = {"model": f"openai/{MODEL}", "messages": SAID, "api_key": "none"}

    async def call() -> Any:
        answer = await litellm.acompletion(**asked, api_base=fast)
        return answer.choices[0].message.content

    async def stream(is_slow: bool) -> AsyncIterator[str]:
        base = slow if is_slow else fast
        async for chunk in await litellm.acompletion(**asked, api_base=base, stream=True):
            yield chunk.choices[0].delta.content or ""

    return Side("LiteLLM", "openai SDK, async", call, stream)


def pydantic_ai(fast: str, slow: str) -> Side:
    """pydantic-ai, by the direct requests to a model that its agents stand on."""
    from pydantic_ai.direct import model_request, model_request_stream
    from pydantic_ai.messages import (
        ModelRequest,
        PartDeltaEvent,
        PartStartEvent,
        SystemPromptPart,
        TextPart,
        TextPartDelta,
        UserPromptPart,
    )
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    model, slowly = (
        OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=url, api_key="none"))
        for url in (fast, slow)
    )
    said = [ModelRequest(parts=[SystemPromptPart(SYSTEM), UserPromptPart(QUESTION)])]

    async def call() -> Any:
        return (await model_request(model, said)).text

    async def stream(slow: bool) -> AsyncIterator[str]:
        async with model_request_stream(slowly if slow else model, said) as events:
            async for event in events:
                if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                    yield event.part.content
                elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                    yield event.delta.content_delta

    return Side("pydantic-ai", "openai SDK, async", call, stream)


def any_llm(fast: str, slow: str) -> Side:
    """any-llm."""
    from any_llm import AnyLLM

    client, slowly = (AnyLLM.create("openai", api_key="none", api_base=url) for url in (fast, slow))

    async def call() -> Any:
        answer: Any = await client.acompletion(MODEL, SAID)
        return answer.choices[0].message.content

    async def stream(slow: bool) -> AsyncIterator[str]:
        chunks: Any = await (slowly if slow else client).acompletion(MODEL, SAID, stream=True)
        async for chunk in chunks:
            yield chunk.choices[0].delta.content or ""

    return Side("any-llm", "openai SDK, async", call, stream)


# what is measured: (of one call, or of one event; at once; how often in a round)
CALL, CALLS = "us/call", f"us/call, {MANY} at once"
SLOW, FAST = "us/event, one by one", "us/event, at full speed"
STREAMS = f"us/event, {MANY} streams at once"
SCENES = {CALL: (1, 200), CALLS: (MANY, 4), SLOW: (1, 1), FAST: (1, 2), STREAMS: (MANY, 1)}


@pytest.fixture(scope="module")
def everybody() -> Iterator[tuple[list[Side], asyncio.Runner, Server]]:
    """All sides with their clients, the loop in which they are asked, and whom they ask."""
    prepared = Prepared(json.dumps(ANSWER).encode(), PIECES)
    with serving(prepared) as server, asyncio.Runner() as runner:
        yield list(sides(server.address)), runner, server


@pytest.mark.filterwarnings("ignore")  # of others
@pytest.mark.parametrize("scene", SCENES)
def test_model(everybody: tuple[list[Side], asyncio.Runner, Server], scene: str) -> None:
    """Time all sides in turn; what each reads must be what was sent."""
    members, runner, server = everybody
    at_once, times = SCENES[scene]
    members = [side for side in members if side.asynchronous or at_once == 1]
    parts = TEXTS if "event" in scene else 1
    text = WORDS if parts == 1 else "".join(f"{n} miles of road " for n in range(TEXTS))
    worst = dict.fromkeys([side.name for side in members], 0.0)
    for number in range(ROUNDS + 1):
        for side in members:
            if worst[side.name] > ENOUGH:
                continue
            work = _work(side, scene, server, at_once, times if number else 1)
            start = process_time()
            texts = runner.run(work()) if side.asynchronous else work()
            spent = process_time() - start
            assert set(texts) == {text}, side.name
            gc.collect()
            gc.freeze()  # nobody pays for what the others have loaded
            worst[side.name] = max(worst[side.name], spent)
            if number or spent > ENOUGH:  # the first round opens the connections
                known = CPU.get((side.name, scene), float("inf"))
                CPU[side.name, scene] = min(known, spent / len(texts) / parts * 1e6)


def _work(side: Side, scene: str, server: Server, at_once: int, times: int) -> Callable[[], Any]:
    """What one side does in a round; it gives the texts."""
    streams, slow = "event" in scene, scene == SLOW

    def read() -> str:
        texts = []
        for text in side.stream(slow):
            if text:
                texts.append(text)
                if slow:
                    server.next_piece()
        return "".join(texts)

    async def aread() -> str:
        texts = []
        async for text in side.stream(slow):
            if text:
                texts.append(text)
                if slow:
                    server.next_piece()
        return "".join(texts)

    async def several() -> list[str]:
        texts: list[str] = []
        ask = aread if streams else side.call
        for _ in range(times):
            texts += await asyncio.gather(*(ask() for _ in range(at_once)))
        return texts

    if side.asynchronous:
        return several
    return lambda: [read() if streams else side.call() for _ in range(times)]


@pytest.fixture(scope="module", autouse=True)
def table(tables: Any) -> Iterator[None]:
    """CPU time of each side, and how it stands to the official SDK."""
    yield
    scenes = [scene for scene in SCENES if any(known == scene for _, known in CPU)]
    names = list(dict.fromkeys(name for name, _ in CPU))
    head, absolute, ratios = ("", *scenes), [], []
    for name in names:
        base = "openai SDK" if name in ("openai SDK", "LLM, httpx2") else "openai SDK, async"
        mine = [CPU.get((name, scene)) for scene in scenes]
        absolute.append([name, *(f"{us:.1f}" if us else "" for us in mine)])
        of_sdk = [(us, CPU.get((base, scene))) for us, scene in zip(mine, scenes, strict=True)]
        ratios.append([name, *(f"{us / sdk:.2f}" if us and sdk else "" for us, sdk in of_sdk)])
    tables.add("Calls and streams over a socket (`benchmarks/model.py`)", head, absolute)
    tables.add("The same, of the official SDK", head, ratios)
