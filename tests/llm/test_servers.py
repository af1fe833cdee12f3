"""LLM and AsyncLLM against servers that nobody here wrote, over every transport."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from typing import Any

import pytest

from dragoman import LLM, AsyncLLM, Msg, tool
from dragoman.stream.events import FinishEvent
from tests.servers.real import SENTENCE
from tests.servers.test_real import AIMOCK, LLAMACPP

HOSTS = {
    "openai-chat": "openai", "openai-responses": "openai", "anthropic": "anthropic",
    "gemini": "gemini", "gemini-interactions": "gemini", "ollama": "ollama",
    "mistral": "mistral", "bedrock-converse": "bedrock", "cohere": "cohere",
}  # fmt: skip
# Interactions: aimock streams unless a body says `false`; Google's default is a whole answer
WHOLE = [wire for wire in AIMOCK if wire != "gemini-interactions"]


@tool
def warmth(city: str) -> str:
    """How warm it is."""
    return f"31 degrees in {city}"


def settings(base: str, wire: str, **more: Any) -> dict[str, Any]:
    return {"key": "none", "base_url": base, "tools": [warmth], "policy": "ignore",
            "system": "Be brief.", **more}  # fmt: skip


def name_of(wire: str) -> str:
    return f"{HOSTS[wire]}/{wire}/bigrams"


def converse(llm: LLM) -> None:
    called = llm.ask("How warm is it in Samarkand?")
    assert [(call.name, call.input) for call in called.calls] == [("warmth", {"city": "Samarkand"})]
    history = [Msg.user("How warm is it in Samarkand?"), called.msg]
    history += llm.toolkit.run(called.calls)
    assert llm.ask(history).text == SENTENCE
    stream = llm.stream(history)
    events = list(stream)
    assert "".join(event.text for event in events if event.type == "text-delta") == SENTENCE
    assert type(events[-1]) is FinishEvent
    assert stream.response.text == SENTENCE
    assert stream.response is events[-1].response
    assert stream.response.status == "complete"


@pytest.mark.parametrize("wire", LLAMACPP)
def test_llamacpp(llamacpp_server: str, wire: str) -> None:
    with LLM(name_of(wire), **settings(llamacpp_server + LLAMACPP[wire], wire)) as llm:
        converse(llm)


@pytest.mark.parametrize("wire", WHOLE)
def test_aimock(aimock_server: str, wire: str) -> None:
    with LLM(name_of(wire), **settings(aimock_server + AIMOCK[wire], wire)) as llm:
        converse(llm)


async def aconverse(llm: AsyncLLM) -> None:
    called = await llm.ask("How warm is it in Samarkand?")
    history = [Msg.user("How warm is it in Samarkand?"), called.msg]
    history += await llm.toolkit.arun(called.calls)
    assert (await llm.ask(history)).text == SENTENCE
    stream = llm.stream(history)
    texts = [event.text async for event in stream if event.type == "text-delta"]
    assert "".join(texts) == SENTENCE
    assert stream.response.text == SENTENCE


@pytest.mark.parametrize("transport", ["httpx2", "aiohttp"])
@pytest.mark.parametrize("wire", LLAMACPP)
def test_llamacpp_in_a_loop(llamacpp_server: str, wire: str, transport: str) -> None:
    async def run() -> None:
        base = llamacpp_server + LLAMACPP[wire]
        async with AsyncLLM(name_of(wire), **settings(base, wire, transport=transport)) as llm:
            await aconverse(llm)

    asyncio.run(run())


@pytest.mark.parametrize("transport", ["httpx2", "aiohttp"])
@pytest.mark.parametrize("wire", WHOLE)
def test_aimock_in_a_loop(aimock_server: str, wire: str, transport: str) -> None:
    async def run() -> None:
        base = aimock_server + AIMOCK[wire]
        async with AsyncLLM(name_of(wire), **settings(base, wire, transport=transport)) as llm:
            await aconverse(llm)

    asyncio.run(run())


# -- official clients ---------------------------------------------------------------------------


def client_of(wire: str, base: str, asynchronous: bool) -> Any:
    """The official client of a wire, at the address of a server."""
    if wire in ("openai-chat", "openai-responses"):
        import openai

        kind: Any = openai.AsyncOpenAI if asynchronous else openai.OpenAI
        return kind(api_key="none", base_url=base)
    if wire == "anthropic":
        import anthropic

        kind = anthropic.AsyncAnthropic if asynchronous else anthropic.Anthropic
        return kind(api_key="none", base_url=base)
    if wire == "gemini":
        from google import genai

        return genai.Client(
            api_key="none",
            http_options={"base_url": base.removesuffix("/v1beta"), "api_version": "v1beta"},
        )
    if wire == "mistral":
        import mistralai.client as mistralai

        return mistralai.Mistral(api_key="none", server_url=base.removesuffix("/v1"))
    if wire == "cohere":
        import cohere

        kind = cohere.AsyncClientV2 if asynchronous else cohere.ClientV2
        return kind(api_key="none", base_url=base.removesuffix("/v2"))
    if wire == "ollama":
        import ollama

        kind = ollama.AsyncClient if asynchronous else ollama.Client
        return kind(host=base)
    import boto3

    return boto3.client(
        "bedrock-runtime", region_name="us-east-1", endpoint_url=base,
        aws_access_key_id="none", aws_secret_access_key="none",
    )  # fmt: skip


def given(wire: str, base: str, asynchronous: bool) -> dict[str, Any]:
    client = client_of(wire, base, asynchronous)
    return {"client": client, "tools": [warmth], "policy": "ignore", "system": "Be brief."}


# not every SDK has a way to close its sockets: those of a test are to go with it
_IGNORED = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"
)


@pytest.fixture
def sockets_go() -> Iterator[None]:
    gc.freeze()  # what was there before holds no socket of the test: it need not be walked
    yield
    gc.collect()


def left_open(test: Any) -> Any:
    """A test that leaves sockets of SDKs open."""
    return _IGNORED(pytest.mark.usefixtures("sockets_go")(test))


@left_open
@pytest.mark.parametrize("wire", [w for w in WHOLE if w != "bedrock-converse"])
def test_an_official_client_carries_the_calls(aimock_server: str, wire: str) -> None:
    converse(LLM(name_of(wire), **given(wire, aimock_server + AIMOCK[wire], False)))


@left_open
@pytest.mark.parametrize("wire", [w for w in WHOLE if w != "bedrock-converse"])
def test_an_official_client_carries_the_calls_of_a_loop(aimock_server: str, wire: str) -> None:
    async def run() -> None:
        llm = AsyncLLM(name_of(wire), **given(wire, aimock_server + AIMOCK[wire], True))
        await aconverse(llm)

    asyncio.run(run())


@left_open
def test_boto3_makes_its_own_calls(aimock_server: str) -> None:
    # aimock does not frame streams as boto3 reads them
    llm = LLM(name_of("bedrock-converse"), **given("bedrock-converse", aimock_server, False))
    called = llm.ask("How warm is it in Samarkand?")
    history = [Msg.user("How warm is it in Samarkand?"), called.msg]
    assert llm.ask([*history, *llm.toolkit.run(called.calls)]).text == SENTENCE
