"""Calls, tools and agents that the tests of agents share."""

from __future__ import annotations

from typing import Any

from dragoman import AsyncLLM, ReActAgent, tool
from dragoman.message import ToolUseBlock
from dragoman.testing import Scripted

HOSTS = {
    "openai-chat": "openai", "openai-responses": "openai", "anthropic": "anthropic",
    "gemini": "gemini", "gemini-interactions": "gemini", "dashscope": "dashscope",
    "ollama": "ollama", "mistral": "mistral", "bedrock-converse": "bedrock", "cohere": "cohere",
}  # fmt: skip


class Counted:
    """A tool that knows how often it ran, for each city."""

    def __init__(self) -> None:
        self.cities: list[str] = []
        counted = self

        @tool
        def warmth(city: str) -> str:
            """How warm it is."""
            counted.cities.append(city)
            return f"18 degrees in {city}"

        self.tool = warmth


def call(id: str, city: str, name: str = "warmth") -> ToolUseBlock:
    return ToolUseBlock(id, name, {"city": city})


def agent_of(
    *answers: Any, model: str = "anthropic/claude-opus-5-5", **settings: Any
) -> ReActAgent:
    """An agent whose model says these."""
    llm = AsyncLLM(model, key="none", policy="ignore", transport=Scripted(*answers), retries=0)
    return ReActAgent(settings.pop("name", "Friday"), "Be brief.", llm, **settings)
