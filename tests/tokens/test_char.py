"""The figures named AgentScope are what AgentScope 1.0.21's counter gave for the same input."""

from __future__ import annotations

import asyncio
import copy
from typing import Any

import pytest

from dragoman.errors import ConfigError
from dragoman.tokens import CharTokenCounter
from dragoman.tokens.chat_messages import ESTIMATES

from .conversations import ANTHROPIC, DOCUMENT, GEMINI, OLLAMA, OPENAI, TOOLS

PNG = "iVBORw0KGgoA" * 90_000  # a megabyte


@pytest.mark.parametrize(
    ("messages", "tools", "agentscope"),
    [
        pytest.param(DOCUMENT, None, 977, id="document 001"),
        pytest.param(DOCUMENT, TOOLS, 1245, id="document 001 with tools"),
        pytest.param(OPENAI, None, 529, id="openai"),
        pytest.param(OPENAI, TOOLS, 797, id="openai with tools"),
        pytest.param(ANTHROPIC, None, 466, id="anthropic"),
        pytest.param(GEMINI, None, 246, id="gemini"),
        pytest.param(OLLAMA, None, 239, id="ollama"),
        pytest.param(OLLAMA, [], 239, id="no tools in the list"),
        pytest.param([], None, 0, id="nothing"),
        pytest.param([], TOOLS, 267, id="tools alone"),
    ],
)
def test_figures_of_agentscope(
    messages: list[dict[str, Any]], tools: list[dict[str, Any]] | None, agentscope: int
) -> None:
    before = copy.deepcopy((messages, tools))
    assert asyncio.run(CharTokenCounter().count(messages, tools)) == agentscope
    assert CharTokenCounter().count_sync(messages, tools=tools, model="any") == agentscope
    assert (messages, tools) == before


def in_openai(data: str) -> dict[str, Any]:
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
    return {"role": "user", "content": [image]}


def test_base64_costs_its_flat_figure_whatever_its_size() -> None:
    counter = CharTokenCounter()
    small, large = counter.count_sync([in_openai("AAAA")]), counter.count_sync([in_openai(PNG)])
    assert large == len(str(in_openai(""))) + ESTIMATES["image"]
    assert small == large


def test_each_medium_of_each_message_is_charged() -> None:
    one = CharTokenCounter().count_sync([in_openai(PNG)])
    assert CharTokenCounter().count_sync([in_openai(PNG)] * 3) == 3 * one + 2


def test_the_figures_of_media_can_be_replaced() -> None:
    default, own = CharTokenCounter(), CharTokenCounter(media_tokens={"image": 7})
    message = in_openai(PNG)
    assert default.count_sync([message]) - own.count_sync([message]) == ESTIMATES["image"] - 7
    assert own.media_tokens["audio"] == ESTIMATES["audio"]


def test_an_unknown_kind_of_medium_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"picture.*image, audio, video, document"):
        CharTokenCounter(media_tokens={"picture": 1})  # type: ignore[dict-item]


def test_a_data_uri_in_text_or_in_arguments_is_text() -> None:
    uri = "data:image/png;base64," + "A" * 5000
    said: list[dict[str, Any]] = [
        {"role": "user", "content": f"see {uri}"},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "name": "f", "input": {"url": uri}}],
        },
    ]
    assert CharTokenCounter().count_sync(said) == len("\n".join(map(str, said)))
