"""RequestBuilder with formatters of one's own, whose hooks it must not pass by."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import Msg
from dragoman.formatter import (
    AnthropicChatFormatter,
    FormatterBase,
    OpenAIMultiAgentFormatter,
    TruncatedFormatterBase,
)
from dragoman.toolkit import RequestBuilder

from .conversation import WEATHER, WEATHER_JSON, asked

QUESTION = [{"role": "user", "content": "How is Beijing?"}]


class Screenplay(OpenAIMultiAgentFormatter):
    async def _format_agent_message(
        self, msgs: list[Msg], is_first: bool = True
    ) -> list[dict[str, Any]]:
        said = "\n".join(f"{m.name.upper()}. {m.text}" for m in msgs)
        return [{"role": "user", "content": said}]


def test_the_hooks_of_a_formatter_of_ones_own_are_called() -> None:
    msgs = [Msg("Bob", "Hi", "user"), Msg("Alice", "Hello", "user")]
    body = RequestBuilder(Screenplay(), model="gpt-5.4").build(msgs, tools=[WEATHER])
    assert body == {
        "model": "gpt-5.4",
        "messages": [{"role": "user", "content": "BOB. Hi\nALICE. Hello"}],
        "tools": [WEATHER_JSON],
    }


class Lines(TruncatedFormatterBase):
    async def _format_agent_message(
        self, msgs: list[Msg], is_first: bool = True
    ) -> list[dict[str, Any]]:
        return [{"role": m.role, "content": m.text} for m in msgs]


class Bare(FormatterBase):
    async def format(self, *args: Any, **kwargs: Any) -> list[dict[str, Any]]:
        return [{"role": m.role, "content": m.text} for m in args[0]]


@pytest.mark.parametrize("formatter", [Lines(), Bare()])
def test_a_formatter_that_knows_no_tools_gets_function_tools(formatter: FormatterBase) -> None:
    body = RequestBuilder(formatter, model="house-1").build(asked(WEATHER))
    assert body == {"model": "house-1", "messages": QUESTION, "tools": [WEATHER_JSON]}


class Loud(AnthropicChatFormatter):
    async def _format_agent_message(
        self, msgs: list[Msg], is_first: bool = True
    ) -> list[dict[str, Any]]:
        return [{"role": "user", "content": m.text.upper()} for m in msgs]


def test_hooks_of_a_wire_with_a_system_field_write_the_messages_beside_it() -> None:
    body = RequestBuilder(Loud(), model="claude-opus-5-5").build(
        [Msg.system("Be brief."), *asked()]
    )
    assert (body["system"], body["messages"]) == (
        [{"type": "text", "text": "Be brief."}],
        [{"role": "user", "content": "HOW IS BEIJING?"}],
    )
    assert Loud().format_sync(asked()) == [{"role": "user", "content": "HOW IS BEIJING?"}]
