"""Document 002: an agent's loop around formatter and model, and what is new in it: models, MCP."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman import LLM, Msg, ReActAgent, Toolkit, Vendor, tool
from dragoman.formatter import AnthropicChatFormatter, FormatterBase, OpenAIChatFormatter
from dragoman.message import ChatRequest, TextBlock, ToolResultBlock
from dragoman.model import AnthropicChatModel, ChatModel, ChatModelBase, OpenAIChatModel
from dragoman.testing import Scripted
from dragoman.toolkit import McpServer
from tests.toolkit import mcp_server

SHELF = [sys.executable, str(Path(mcp_server.__file__))]
QUESTION = "How much are 2 and 3?"
CALL = [{"type": "tool_use", "id": "call_0001", "name": "add", "input": {"a": 2, "b": 3}}]


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@dataclass
class Agent:
    """Asks its model until it calls no more tools; knows no format and no HTTP."""

    formatter: FormatterBase[Any]
    model: ChatModelBase
    toolkit: Toolkit
    memory: list[Msg] = field(default_factory=list)

    async def reply(self, question: str) -> Msg:
        self.memory.append(Msg.user(question))
        while True:
            messages = await self.formatter.format(self.memory)
            schemas = self.formatter.format_tools(self.toolkit.tools)
            response = await self.model(messages, tools=schemas)
            self.memory.append(self.formatter.parse_response(response))
            if not response.calls:
                return self.memory[-1]
            self.memory += await self.toolkit.arun(response.calls)


def noting(kind: Any, log: list[str]) -> Any:
    """A formatter of that kind that writes down when it is used."""

    class Noting(kind):  # type: ignore[misc]
        async def format(self, *args: Any, **kwargs: Any) -> Any:
            log.append("format")
            return await super().format(*args, **kwargs)

        def format_request(self, *args: Any, **kwargs: Any) -> Any:
            log.append("format_request")
            return super().format_request(*args, **kwargs)

        def parse_response(self, *args: Any, **kwargs: Any) -> Any:
            log.append("parse_response")
            return super().parse_response(*args, **kwargs)

    return Noting()


@pytest.mark.demand("S171")
@pytest.mark.parametrize(
    ("kind", "formatter"),
    [(OpenAIChatModel, OpenAIChatFormatter), (AnthropicChatModel, AnthropicChatFormatter)],
)
def test_an_agent_uses_its_formatter_before_and_after_each_call_of_its_model(
    kind: Any, formatter: Any
) -> None:
    log: list[str] = []

    def calls(request: ChatRequest) -> Any:
        log.append("model")
        return CALL if len(request.messages) == 1 else "5."

    script = Scripted(calls, calls)
    model = kind("m", api_key="none", transport=script, stream=False)
    agent = Agent(noting(formatter, log), model, Toolkit([add]))
    assert asyncio.run(agent.reply(QUESTION)).text == "5."
    assert log == ["format", "model", "parse_response"] * 2
    [result] = script.requests[1].messages[-1].blocks
    assert isinstance(result, ToolResultBlock)
    assert (result.id, result.output in ("5", [TextBlock("5")])) == ("call_0001", True)


@pytest.mark.demand("S171")
@pytest.mark.parametrize(
    ("kind", "formatter"),
    [(OpenAIChatModel, OpenAIChatFormatter), (AnthropicChatModel, AnthropicChatFormatter)],
)
def test_so_does_a_react_agent(kind: Any, formatter: Any) -> None:
    """Once each; what it writes is the whole request, tools and all, for messages have no place."""
    log: list[str] = []

    def calls(request: ChatRequest) -> Any:
        log.append("model")
        return CALL if request.messages[-1].text == QUESTION else "5."

    script = Scripted(calls, calls)
    model = kind("m", api_key="none", transport=script, stream=False)
    agent = ReActAgent("Friday", None, model, noting(formatter, log), [tool(add)])
    answer = asyncio.run(agent(QUESTION))
    assert (type(answer), answer and answer.text) == (Msg, "5.")
    assert log == ["format_request", "model", "parse_response"] * 2
    assert [msg.role for msg in agent.messages] == ["user", "assistant", "tool", "assistant"]


@pytest.mark.demand("S172")
def test_the_tools_of_an_mcp_server_are_an_agents_tools() -> None:
    pytest.importorskip("mcp")
    script = Scripted(CALL, "5.")
    model = OpenAIChatModel("gpt-5.6", "none", transport=script, stream=False)

    async def asked() -> list[Msg]:
        async with McpServer(SHELF, only=["add"], timeout=60) as server:
            agent = Agent(model.formatter, model, Toolkit([server]))
            await agent.reply(QUESTION)
            return agent.memory

    memory = asyncio.run(asked())
    [result] = memory[2].blocks
    assert isinstance(result, ToolResultBlock)
    assert (result.output, memory[-1].text) == ("5", "5.")
    [told] = script.requests[0].tools
    assert isinstance(told, dragoman.Tool)
    assert told.name == "add"


@pytest.mark.demand("S172")
@pytest.mark.parametrize(
    "name", ["openai/openai-responses/gpt-77-lunar", "anthropic/claude-sonata-77"]
)
def test_a_model_that_came_out_today_is_only_a_name(name: str) -> None:
    script = Scripted(CALL, "5.")
    llm = LLM(name, key="none", transport=script, tools=[add])
    history = [Msg.user(QUESTION)]
    answer = llm.ask(history)
    history += [answer.msg, *llm.toolkit.run(answer.calls)]
    assert llm.ask(history).text == "5."
    assert name.endswith(str(llm.request(history).body["model"]))


@pytest.mark.demand("S172")
def test_a_new_provider_is_a_row_that_every_interface_takes() -> None:
    acme = Vendor("acme", base_url="https://acme.example/v1", key="ACME_KEY",
                  wires={"openai-chat": None})  # fmt: skip
    script = Scripted(CALL, "5.", wire="openai-chat")
    model = ChatModel(acme, "a-1", "none", transport=script, stream=False)
    agent = Agent(dragoman.Formatter(acme), model, Toolkit([add]))
    assert asyncio.run(agent.reply(QUESTION)).text == "5."
    assert {call.url for call in script.calls} == {"https://acme.example/v1/chat/completions"}
