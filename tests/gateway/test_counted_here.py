"""Counts that the gateway makes itself: off the loop, for every wire, and never a 500."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest

from dragoman import AsyncLLM, Msg
from dragoman.errors import DragomanError, WriteError
from dragoman.gateway.config.config_values import Config, Route, Target, Truncation
from dragoman.gateway.exchange import counting
from dragoman.gateway.exchange.exchange import GatewayExchange
from dragoman.gateway.exchange.open_exchange import Gateway
from dragoman.gateway.server.loop_sender import LoopSender
from dragoman.gateway.surfaces import ClientAnswer
from dragoman.gateway.surfaces.base import ClientRequest
from dragoman.testing import Scripted
from dragoman.tokens import SumTokenCounter
from tests.each_case import each_case

TARGETS = (
    "dashscope/dashscope/qwen3-max", "bedrock/amazon.nova-pro-v1:0", "ollama/qwen3",
    "mistral/mistral-large-2512", "cohere/command-a-03-2025", "deepseek/deepseek-flash",
    "gemini/gemini-interactions/gemini-3.5-flash", "xai/openai-responses/grok-4.3",
)  # fmt: skip
TOOL = {"name": "look", "description": "Look at a city.", "input_schema": {
    "type": "object", "properties": {"city": {"type": "string"}}}}  # fmt: skip
BODY = {"model": "m", "system": "You are Friday.", "tools": [TOOL],
        "messages": [{"role": "user", "content": "How far is Bukhara from Merv?"}]}  # fmt: skip
ORPHAN = {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "warm"}]}  # fmt: skip


def opened(route: Route, path: str, body: dict[str, Any]) -> GatewayExchange:
    request = ClientRequest("POST", path, "", {}, json.dumps(body).encode())
    exchange = Gateway(Config((route,))).open(request)
    assert isinstance(exchange, GatewayExchange), exchange
    return exchange


class Watched(SumTokenCounter):
    """It keeps which threads counted: one that asks a network would hold the loop's."""

    def __init__(self) -> None:
        self.threads: set[int] = set()

    def count_message(self, message: Any) -> int:
        self.threads.add(threading.get_ident())
        return 40


@each_case("target", TARGETS)
@each_case("counter", ["", "auto", "characters", "estimated/gpt-5.6"])
def test_every_route_can_count(target: str, counter: str) -> None:
    route = Route(Target(target), counter=counter)
    exchange = opened(route, "/v1/messages/count_tokens", BODY)
    answer = asyncio.run(LoopSender(None).fetch_answer(exchange))
    assert isinstance(answer, ClientAnswer)
    assert answer.status == 200
    tokens = json.loads(answer.body)["input_tokens"]
    least, most = (150, 2500) if counter == "characters" else (20, 420)
    assert least < tokens < most


def test_a_count_is_made_off_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Watched()
    monkeypatch.setattr(counting, "_counter", lambda *_: counter)
    exchange = opened(Route(Target(TARGETS[0]), counter="auto"), "/v1/messages/count_tokens", BODY)
    answer = asyncio.run(LoopSender(None).fetch_answer(exchange))
    assert isinstance(answer, ClientAnswer)
    assert json.loads(answer.body)["input_tokens"] == 80
    assert counter.threads
    assert threading.get_ident() not in counter.threads


@pytest.mark.parametrize("fault", [KeyError("x"), RuntimeError("x"), TypeError("x"), ValueError()])
def test_a_counter_that_fails_is_a_typed_error(
    monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    class Failing(SumTokenCounter):
        def count_message(self, message: Any) -> int:
            raise fault

    monkeypatch.setattr(counting, "_counter", lambda *_: Failing())
    exchange = opened(Route(Target(TARGETS[0]), counter="auto"), "/v1/messages/count_tokens", BODY)
    with pytest.raises(DragomanError) as info:
        asyncio.run(LoopSender(None).fetch_answer(exchange))
    assert info.value.code == "count.failed"


def test_a_history_is_cut_off_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Watched()
    monkeypatch.setattr("dragoman.gateway.exchange.target_wire.make_counter", lambda *_: counter)
    route = Route(Target("deepseek/deepseek-flash"), truncation=Truncation(100))
    exchange = opened(route, "/v1/messages", {**BODY, "max_tokens": 9})

    async def signed() -> Any:
        return await LoopSender(None)._prepare_call(exchange)

    monkeypatch.setenv("DEEPSEEK_API_KEY", "k")
    call = asyncio.run(signed())
    assert json.loads(call.body)["messages"]
    assert counter.threads
    assert threading.get_ident() not in counter.threads


@pytest.mark.parametrize("target", [*TARGETS, "anthropic/claude-opus-5-5", "openai/gpt-5.6"])
def test_an_orphan_result_is_no_fault_of_the_cut(target: str) -> None:
    route = Route(Target(target), truncation=Truncation(60, "characters"))
    exchange = opened(route, "/v1/messages", {**BODY, "max_tokens": 9, "messages": [
        {"role": "user", "content": "Long ago. " * 40}, ORPHAN,
        {"role": "assistant", "content": "So it is."}, {"role": "user", "content": "And?"},
    ]})  # fmt: skip
    try:
        exchange.call()
    except DragomanError as error:
        assert isinstance(error, WriteError) or error.code  # noqa: PT017 - of any kind, but typed


@pytest.mark.parametrize("way", ["ask", "stream", "count"])
def test_async_llm_counts_off_the_loop(way: str) -> None:
    counter = Watched()
    llm = AsyncLLM("deepseek/deepseek-flash", key="k", transport=Scripted("Hi."),
                   history_tokens=1000, token_counter=counter)  # fmt: skip

    async def work() -> Any:
        if way == "ask":
            return (await llm.ask([Msg.user("One.")])).text
        if way == "count":
            return await llm.count([Msg.user("One.")])
        return [event async for event in llm.stream([Msg.user("One.")])]

    got = asyncio.run(work())
    assert got
    assert counter.threads
    assert threading.get_ident() not in counter.threads
