"""LangChain's own agents, which LangGraph runs, over `ChatModel`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.tools import tool
from pydantic import BaseModel

from dragoman.bridges.langchain import ChatModel
from dragoman.testing import StrictServer
from tests.bridges.provider import SEAL, answer

WIRES = {
    "anthropic": "anthropic/claude-sonnet-5",
    "openai-chat": "openai/openai-chat/gpt-4.1",
    "openai-responses": "openai/openai-responses/gpt-5.6",
}
ASKED: Any = {"messages": [("human", "Look up the warmth of ‘Paris’.")]}
SAID = "The tool says: 18 degrees in Paris"


class City(BaseModel):
    """A city."""

    name: str
    people: int


@tool
def warmth(city: str) -> str:
    """Look how warm it is."""
    return f"18 degrees in {city}"


@pytest.fixture(params=WIRES)
def served(request: pytest.FixtureRequest) -> Iterator[tuple[ChatModel, StrictServer]]:
    signs = "" if request.param == "openai-chat" else request.param
    with StrictServer(request.param, partial(answer, issuer=signs)) as server:
        address = f"{server.root}/v1"
        yield ChatModel(WIRES[request.param], key="none", base_url=address, max_tokens=900), server


def test_an_agent_runs_a_tool_whole_and_streamed(served: tuple[ChatModel, StrictServer]) -> None:
    model, server = served
    agent = create_agent(model, [warmth], system_prompt="Be brief.")
    whole = agent.invoke(ASKED)["messages"]
    assert [one.type for one in whole] == ["human", "ai", "tool", "ai"]
    assert whole[-1].text == SAID
    texts: list[str] = []
    state: Any = None
    for mode, value in agent.stream(ASKED, stream_mode=["messages", "values"]):
        if mode == "values":
            state = value
        elif isinstance(value, tuple) and value[0].type == "AIMessageChunk":
            texts.append(value[0].text)
    assert "".join(texts) == state["messages"][-1].text == SAID
    thoughts = [
        block
        for message in server.requests[-1].messages
        for block in message.blocks
        if block.type == "thinking"
    ]
    signed = [] if server.wire.room.protocol == "openai-chat" else [SEAL]
    assert [one.signature or one.redacted for one in thoughts] == signed
    assert all(faults == [] for faults in server.judged)


def test_an_agent_gives_typed_output(served: tuple[ChatModel, StrictServer]) -> None:
    model, _ = served
    agent = create_agent(model, [], response_format=City)
    result = agent.invoke({"messages": [("human", "‘Paris’ has 2 people, as a City.")]})
    assert result["structured_response"] == City(name="Paris", people=2)
