"""Document 001: formatters of one's own, by the hooks of the two base classes."""

from __future__ import annotations

import asyncio
import json
from importlib import import_module
from typing import Any

import pytest

from dragoman import Msg
from dragoman.errors import ConfigError, ContextOverflow
from dragoman.formatter import (
    AnthropicChatFormatter,
    DashScopeMultiAgentFormatter,
    FormatterBase,
    TruncatedFormatterBase,
)
from dragoman.formatter.agentscope import FORMATTERS
from dragoman.tokens import CharTokenCounter, TokenCounterBase
from tests.each_case import each_case

from .cells import conversation


class Lines(TokenCounterBase):
    """Counts a token for each line of text."""

    async def count(self, messages: list[dict[str, Any]], tools: Any = None, **kwargs: Any) -> int:
        return sum(str(message["content"]).count("\n") + 1 for message in messages)


class Screenplay(TruncatedFormatterBase):
    """A run of conversation as a script, a sequence of calls as stage directions."""

    async def _format_system_message(self, msg: Msg) -> dict[str, Any]:
        return {"role": "system", "content": msg.text}

    async def _format_agent_message(
        self, msgs: list[Msg], is_first: bool = True
    ) -> list[dict[str, Any]]:
        title = "ACT ONE\n" if is_first else ""
        script = "\n".join(f"{m.name.upper()}. {m.text}" for m in msgs)
        return [{"role": "user", "content": title + script}]

    async def _format_tool_sequence(self, msgs: list[Msg]) -> list[dict[str, Any]]:
        names = [block.name for m in msgs for block in m.get_content_blocks("tool_use")]
        return [{"role": "user", "content": f"({', '.join(names)})"}]


PLAY = [
    {"role": "system", "content": "你是一个名为 Friday 的有用助手"},
    {
        "role": "user",
        "content": "ACT ONE\nBOB. 你好，Alice，你知道最近的图书馆在哪里吗？\n"
        "ALICE. 抱歉，我不知道。Charlie，你有什么想法吗？\n"
        "CHARLIE. 没有，我们问问 Friday 吧。Friday，帮我找到最近的图书馆。",
    },
    {"role": "user", "content": "(get_current_location, search_around)"},
    {
        "role": "user",
        "content": "FRIDAY. 最近的图书馆是...\nBOB. 谢谢，Friday！\nALICE. 我们一起去吧。",
    },
]


@pytest.mark.demand("S133")
def test_the_base_class_demands_format() -> None:
    assert FormatterBase.__abstractmethods__ == {"format"}
    with pytest.raises(TypeError, match="format"):
        FormatterBase()  # type: ignore[abstract]

    class Reversed(FormatterBase):
        async def format(self, *args: Any, **kwargs: Any) -> list[dict[str, Any]]:
            self.assert_list_of_msgs(args[0])
            return [{"role": m.role, "content": m.text[::-1]} for m in args[0]]

    [message] = asyncio.run(Reversed().format([Msg.user("abc")]))
    assert message == {"role": "user", "content": "cba"}


@pytest.mark.demand("S134")
@each_case("name", FORMATTERS)
def test_every_formatter_of_ours_truncates(name: str) -> None:
    cls = getattr(import_module("dragoman.formatter"), name)
    assert issubclass(cls, TruncatedFormatterBase)
    assert issubclass(TruncatedFormatterBase, FormatterBase)


@pytest.mark.demand("S128", "S129", "S134")
@each_case("name", FORMATTERS)
def test_every_formatter_of_ours_takes_a_counter_and_drops_what_came_first(name: str) -> None:
    cls = getattr(import_module("dragoman.formatter"), name)
    msgs = [Msg("system", "You are Friday.", "system")]
    msgs += [Msg("Bob", f"Sentence {i}.", "user" if i % 2 else "assistant") for i in range(1, 6)]
    counter = CharTokenCounter()
    limit = counter.count_sync(cls().format_sync(msgs)) - 1
    cut = cls(token_counter=counter, max_tokens=limit).format_sync(msgs)
    assert counter.count_sync(cut) <= limit
    said = json.dumps(cut)
    sentences = [m.text for m in msgs if m.text in said]
    assert sentences == [msgs[0].text, *(m.text for m in msgs[2:])]


@pytest.mark.demand("S134", "S129")
def test_what_came_first_goes_first() -> None:
    cut = Screenplay(token_counter=Lines(), max_tokens=8)
    written = asyncio.run(cut.format(conversation()))
    assert written[0] == PLAY[0]
    assert written[1]["content"].startswith("ACT ONE\nALICE. ")
    assert written[2:] == PLAY[2:]


@pytest.mark.demand("S135", "S136", "S137", "S138")
def test_overriding_the_two_hooks_makes_a_formatter() -> None:
    assert Screenplay().format_sync(conversation()) == PLAY


@pytest.mark.demand("S135", "S136")
@pytest.mark.parametrize("hook", ["_format_agent_message", "_format_tool_sequence"])
def test_the_base_class_leaves_both_hooks_to_its_children(hook: str) -> None:
    half = type("Half", (Screenplay,), {hook: getattr(TruncatedFormatterBase, hook)})
    with pytest.raises(ConfigError, match=f"Half must override {hook}"):
        half().format_sync(conversation())


@pytest.mark.demand("S137")
def test_grouping_can_be_overridden_too() -> None:
    class Flat(Screenplay):
        async def _format(self, msgs: list[Msg]) -> list[dict[str, Any]]:
            return [{"role": "user", "content": m.name} for m in msgs]

    names = [message["content"] for message in Flat().format_sync(conversation())]
    assert names == [m.name for m in conversation()]


@pytest.mark.demand("S138")
def test_a_named_formatter_is_changed_in_one_place() -> None:
    class Dialogue(DashScopeMultiAgentFormatter):
        async def _format_agent_message(
            self, msgs: list[Msg], is_first: bool = True
        ) -> list[dict[str, Any]]:
            return [{"role": "user", "content": "\n".join(f"- {m.text}" for m in msgs)}]

    plain = DashScopeMultiAgentFormatter().format_sync(conversation())
    written = Dialogue().format_sync(conversation())
    assert written[1]["content"].startswith("- 你好")
    assert (written[0], written[2:6]) == (plain[0], plain[2:6])


@pytest.mark.demand("S138")
def test_the_original_of_a_hook_can_be_called() -> None:
    class Marked(AnthropicChatFormatter):
        async def _format_tool_sequence(self, msgs: list[Msg]) -> list[dict[str, Any]]:
            written = await super()._format_tool_sequence(msgs)
            return [{**message, "marked": True} for message in written]

    plain = AnthropicChatFormatter().format_sync(conversation())
    written = Marked().format_sync(conversation())
    assert [{k: v for k, v in m.items() if k != "marked"} for m in written] == plain
    assert [i for i, m in enumerate(written) if "marked" in m] == [4, 5, 6, 7]


class LastThree(Screenplay):
    """Another strategy: whatever is too long becomes the prompt and the last three messages."""

    async def _truncate(self, msgs: list[Msg]) -> list[Msg]:
        return [msgs[0], *msgs[-3:]]


@pytest.mark.demand("S139")
def test_overriding_truncate_makes_a_strategy() -> None:
    cut = LastThree(token_counter=Lines(), max_tokens=8)
    assert cut.format_sync(conversation()) == [
        PLAY[0],
        {"role": "user", "content": f"ACT ONE\n{PLAY[3]['content']}"},
    ]
    assert LastThree(token_counter=Lines(), max_tokens=99).format_sync(conversation()) == PLAY


@pytest.mark.demand("S139")
def test_a_strategy_that_frees_nothing_ends_in_an_error() -> None:
    with pytest.raises(ContextOverflow) as refused:
        LastThree(token_counter=Lines(), max_tokens=2).format_sync(conversation())
    assert refused.value.limit == 2


@pytest.mark.demand("S139")
def test_a_named_formatter_takes_a_strategy_too() -> None:
    class Shortest(DashScopeMultiAgentFormatter):
        async def _truncate(self, msgs: list[Msg]) -> list[Msg]:
            return [msgs[0], msgs[-1]]

    written = Shortest(token_counter=Lines(), max_tokens=9).format_sync(conversation())
    assert [message["role"] for message in written] == ["system", "user"]
    assert "Alice: 我们一起去吧。\n</history>" in written[1]["content"]
