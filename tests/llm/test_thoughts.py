"""Whoever asks for reasoning sees the thoughts, also where the maker hides them by default."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import LLM, ChatRequest, Msg
from dragoman.testing import Scripted
from dragoman.text.json_text import field_at
from tests.each_case import each_case

# model -> where its wire asks for thoughts, and how
SHOWN: list[tuple[str, str, Any]] = [
    ("anthropic/claude-opus-5-5", "thinking.display", "summarized"),
    ("anthropic/claude-sonnet-5", "thinking.display", "summarized"),
    ("openai/openai-responses/gpt-5.6", "reasoning.summary", "auto"),
    ("openai/openai-responses/gpt-6.2-astra", "reasoning.summary", "auto"),
    ("gemini/gemini-4-pro", "generationConfig.thinkingConfig.includeThoughts", True),
    ("gemini/gemini-3.8-flash", "generationConfig.thinkingConfig.includeThoughts", True),
    ("gemini/gemini-interactions/gemini-4-pro", "generation_config.thinking_summaries", "auto"),
    ("bedrock/anthropic.claude-opus-5-5", "additionalModelRequestFields.thinking.display",
     "summarized"),
]  # fmt: skip


def made(name: str, **settings: Any) -> LLM:
    if name.startswith("bedrock"):
        settings["places"] = {"region": "eu-west-1"}
    return LLM(name, key="k", **settings)


@each_case("stream", [False, True])
@each_case("reasoning", ["low", "high"])
@each_case(("name", "path", "word"), SHOWN)
def test_reasoning_shows_its_thoughts(
    name: str, path: str, word: Any, reasoning: Any, stream: bool
) -> None:
    out = made(name).request("Hi", reasoning=reasoning, stream=stream)
    assert field_at(out.body, path) == word
    assert "thoughts" not in [loss.field for loss in out.losses]


@pytest.mark.parametrize(("name", "path", "word"), SHOWN)
def test_only_who_asks_for_reasoning(name: str, path: str, word: Any) -> None:
    assert field_at(made(name).request("Hi").body, path) is None
    off = made(name, policy="ignore").request("Hi", reasoning="off")
    assert field_at(off.body, path) is None
    hidden = made(name, policy="ignore").request("Hi", reasoning="high", thoughts="none")
    assert field_at(hidden.body, path) in (None, "omitted", False, "none")


@pytest.mark.parametrize(
    "name", ["deepseek/deepseek-chat", "ollama/qwen3", "openai/openai-chat/gpt-5.6",
             "openrouter/anthropic/claude-opus-5-5", "anthropic/claude-3-5-haiku-20241022",
             "mistral/magistral-medium-latest"],
)  # fmt: skip
def test_where_nothing_is_hidden_or_nobody_can_show_it_nothing_is_added(name: str) -> None:
    llm = made(name, policy="ignore")
    out = llm.request("Hi", reasoning="high")
    assert "thoughts" not in [loss.field for loss in out.losses]
    meant = llm._door.target.wire.write_request(
        ChatRequest([Msg.user("Hi")], options=dragoman.message.Options(reasoning="high")),
        name.partition("/")[2].removeprefix("openai-chat/"), policy=dragoman.Policy(),
    )  # fmt: skip
    assert out.body == meant.body


def test_the_thoughts_are_in_the_answer() -> None:
    from dragoman.message import TextBlock, ThinkingBlock

    script = Scripted([ThinkingBlock("Rome is warm."), TextBlock("Warm.")])
    llm = LLM("openai/openai-responses/gpt-5.6", key="k", transport=script, reasoning="low")
    answer = llm.ask("How warm is Rome?")
    assert [block.type for block in answer.msg.blocks] == ["thinking", "text"]


def test_somebodys_body_goes_as_it_came() -> None:
    body = {"model": "gpt-5.6", "input": "Hi", "reasoning": {"effort": "high"}}
    llm = LLM("openai/openai-responses/gpt-5.6", key="k")
    assert llm.request(body).body["reasoning"] == {"effort": "high"}
