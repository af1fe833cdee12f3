"""AgentScope's hooks: each is called when a subclass overrides it, and only then."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import dragoman
from dragoman import Msg
from dragoman.errors import ConfigError, ContextOverflow
from dragoman.formatter import (
    AnthropicChatFormatter,
    FormatterBase,
    OpenAIChatFormatter,
    OpenAIMultiAgentFormatter,
    TruncatedFormatterBase,
    WireFormatter,
)
from dragoman.message import ToolResultBlock, ToolUseBlock

from .counting import Chars, Messages

MSGS = [
    Msg("system", "Be.", "system"),
    Msg("Bob", "Hi."),
    Msg("Bob", [ToolUseBlock("c", "look", {})], "assistant"),
    Msg("system", [ToolResultBlock("c", "look", "y")], "system"),
    Msg("Al", "So?"),
]
HOOKS = ("_format_system_message", "_format_tool_sequence", "_format_agent_message")


def spy(cls: type[Any], hook: str) -> tuple[Any, list[Any]]:
    """A formatter whose `hook` is overridden; what the hook was called with."""
    calls: list[Any] = []

    async def own(self: Any, *args: Any, **kwargs: Any) -> Any:
        calls.append((*args, *kwargs.values()))
        return await getattr(super(made, self), hook)(*args, **kwargs)

    made = type("Own", (cls,), {hook: own})
    return made(policy="ignore"), calls


@pytest.mark.parametrize("cls", [OpenAIMultiAgentFormatter, OpenAIChatFormatter])
@pytest.mark.parametrize("hook", HOOKS)
def test_each_hook_is_called_and_its_default_is_the_wires_way(cls: Any, hook: str) -> None:
    formatter, calls = spy(cls, hook)
    assert asyncio.run(formatter.format(MSGS)) == formatter.format_sync(MSGS)
    assert formatter.format_sync(MSGS) == cls(policy="ignore").format_sync(MSGS)
    groups: dict[str, Any] = {
        "_format_system_message": [(MSGS[0],)],
        "_format_tool_sequence": [(MSGS[2:4],)],
        "_format_agent_message": [([MSGS[1]], True), ([MSGS[4]], False)],
    }
    assert calls == groups[hook] * 3


def test_nothing_overridden_is_nothing_looked_up() -> None:
    for cls in (OpenAIChatFormatter, OpenAIMultiAgentFormatter, WireFormatter):
        assert cls._hooks == frozenset()
    assert type("Plain", (OpenAIChatFormatter,), {})._hooks == frozenset()  # type: ignore[attr-defined]


def test_a_class_may_bear_the_name_of_ours() -> None:
    async def own(self: Any, msgs: list[Msg]) -> list[Any]:
        return ["mine"]

    cls: Any = type("WireFormatter", (OpenAIChatFormatter,), {"_format": own})
    assert cls().format_sync(MSGS) == ["mine"]


def test_hooks_of_a_mixin_and_of_a_parent_count() -> None:
    class Loud:
        async def _format_agent_message(self, msgs: list[Msg], is_first: bool = True) -> Any:
            return [{"role": "user", "content": "LOUD"}]

    class Mixed(Loud, OpenAIMultiAgentFormatter):
        pass

    class Child(Mixed):
        pass

    assert Child().format_sync(MSGS)[-1] == {"role": "user", "content": "LOUD"}


def test_the_whole_format_may_be_overridden() -> None:
    class Own(OpenAIChatFormatter):
        async def _format(self, msgs: list[Msg]) -> Any:
            return [{"n": len(msgs)}]

    assert Own().format_sync(MSGS) == [{"n": 5}]
    assert asyncio.run(Own().format(MSGS)) == [{"n": 5}]


def test_pairs_are_repaired_before_anybody_groups_them() -> None:
    formatter, calls = spy(OpenAIMultiAgentFormatter, "_format_tool_sequence")
    out = formatter.write([MSGS[1], MSGS[2], MSGS[4]])
    ((group,),) = calls
    assert [block.type for m in group for block in m.blocks] == ["tool_use", "tool_result"]
    assert [(loss.code, loss.where) for loss in out.losses if loss.kind == "repaired"] == [
        ("result.missing", "$.messages[1].content[0]")
    ]


def test_a_heading_is_not_spent_on_a_silent_group() -> None:
    class Own(OpenAIMultiAgentFormatter):
        async def _format_agent_message(self, msgs: list[Msg], is_first: bool = True) -> Any:
            return [] if msgs[0].name == "Bob" else [{"first": is_first}]

    assert Own().format_sync(MSGS)[-1] == {"first": True}


def test_later_system_messages_are_told_whatever_group_they_lead() -> None:
    """No group knows what stood before it; the API refuses a system role in the middle."""
    formatter, _ = spy(AnthropicChatFormatter, "_format_tool_sequence")
    msgs = [*MSGS[:4], Msg("", "Short!", "system"), MSGS[4]]
    assert [m["role"] for m in formatter.format_sync(msgs)].count("system") == 1


def test_a_system_hook_may_return_one_message_several_or_none() -> None:
    for said, count in (({"role": "system"}, 1), ([{"a": 1}, {"b": 2}], 2), (None, 0), ([], 0)):

        async def own(self: Any, msg: Msg, said: Any = said) -> Any:
            return said

        cls: Any = type("Own", (OpenAIChatFormatter,), {"_format_system_message": own})
        assert len(cls().format_sync(MSGS[:2])) == count + 1


def test_hooks_see_the_agents_point_of_view_and_the_prompt() -> None:
    class Own(OpenAIChatFormatter):
        async def _format_agent_message(self, msgs: list[Msg], is_first: bool = True) -> Any:
            return [{"role": "user", "content": m.text} for m in msgs]

    req = dragoman.ChatRequest([Msg.user("Hi.")], system="Be.")
    out = Own().format_sync(req)
    assert [m["content"] for m in out][-1] == "Hi."
    assert "Be." in str(out[0])


class Bare(TruncatedFormatterBase):
    """A formatter with no wire at all, as the documents show one."""

    async def _format_agent_message(self, msgs: list[Msg], is_first: bool = True) -> Any:
        return [{"role": m.role, "content": m.text} for m in msgs]

    async def _format_tool_sequence(self, msgs: list[Msg]) -> Any:
        return [{"tools": len(msgs)}]


def test_a_formatter_without_a_wire() -> None:
    assert Bare().format_sync(MSGS) == [
        {"role": "system", "content": [{"type": "text", "text": "Be."}]},
        {"role": "user", "content": "Hi."}, {"tools": 2}, {"role": "user", "content": "So?"},
    ]  # fmt: skip
    cut = Bare(Messages(), 3).write(MSGS)
    assert [m.get("content") for m in cut.messages[1:]] == [None, "So?"]
    assert [(loss.code, loss.where) for loss in cut.losses] == [("history.cut", "$.messages[1]")]


class Lines(FormatterBase):
    async def format(self, msgs: list[Msg]) -> Any:
        return [m.text for m in msgs]


@pytest.mark.parametrize("formatter", [Bare(), Lines()])
def test_a_formatter_without_a_wire_has_every_door(formatter: FormatterBase) -> None:
    tool = dragoman.Tool("now", "the time")
    schema = {"name": "now", "description": "the time",
              "parameters": {"type": "object", "properties": {}}}  # fmt: skip
    declared = [{"type": "function", "function": schema}]
    assert formatter.format_tools([tool]) == declared
    messages, tools, stream = asyncio.run(formatter.call([Msg.user("Hi.")], [tool], True))
    assert (len(messages), tools, stream) == (1, declared, True)
    with pytest.raises(ConfigError, match="has no wire that could read an answer"):
        formatter.parse_response({})
    with pytest.raises(ConfigError, match="override format_tools"):
        formatter.format_tools([dragoman.ServerTool("web_search")])


def test_what_a_list_of_messages_has_no_place_for_is_refused_at_every_door() -> None:
    formatter = OpenAIChatFormatter()
    for door in (formatter, formatter.session(), Bare()):
        with pytest.raises(ConfigError, match="a list of messages has no tools"):
            door.format_sync(MSGS[:2], tools=[dragoman.Tool("now")])
        assert door.format_sync(MSGS[:2], tools=None, stream=False)
        lists: list[tuple[Any, ...]] = [
            ([dragoman.Tool("now")],), (None, True), ([], True), (None, False, 5)
        ]  # fmt: skip
        for beside in lists:
            with pytest.raises(ConfigError, match="a list of messages has no ") as refused:
                door.format_sync(MSGS[:2], *beside)
            assert "call(msgs, tools=, stream=)" in refused.value.hint
            with pytest.raises(ConfigError, match="a list of messages has no "):
                asyncio.run(door.format(MSGS[:2], *beside))
        assert door.format_sync(MSGS[:2], [], False) == door.format_sync(MSGS[:2])


def test_hooks_that_must_be_written() -> None:
    class Half(TruncatedFormatterBase):
        pass

    with pytest.raises(ConfigError, match="Half must override _format_agent_message"):
        Half().format_sync([Msg.user("x")])
    with pytest.raises(ConfigError, match="_format_tool_sequence"):
        Half().format_sync(MSGS[2:4])
    with pytest.raises(TypeError):
        FormatterBase()  # type: ignore[abstract]


class Cutter(OpenAIChatFormatter):
    """Counts how often it is asked to cut."""

    asked = 0

    async def _truncate(self, msgs: list[Msg]) -> list[Msg]:
        type(self).asked += 1
        return await super()._truncate(msgs)


def test_the_default_of_truncate_drops_one_unit() -> None:
    Cutter.asked = 0
    out = Cutter(token_counter=Messages(), max_tokens=2).write(MSGS)
    assert [m["role"] for m in out.messages] == ["system", "user"]
    assert Cutter.asked == 2
    assert [loss.where for loss in out.losses if loss.code == "history.cut"] == [
        "$.messages[1]", "$.messages[2]", "$.messages[3]",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "answer",
    [lambda msgs: msgs, lambda msgs: [], lambda msgs: [*msgs, Msg.user("more")], list,
     lambda msgs: [Msg.user("a longer summary of what was said"), *msgs[1:]]],
)  # fmt: skip
def test_a_truncate_hook_that_cuts_nothing_comes_to_an_end(answer: Any) -> None:
    async def own(self: Any, msgs: list[Msg]) -> list[Msg]:
        made: list[Msg] = answer(msgs)
        return made

    cls: Any = type("Own", (OpenAIChatFormatter,), {"_truncate": own})
    with pytest.raises(ContextOverflow) as caught:
        cls(token_counter=Chars(), max_tokens=10).format_sync([Msg.user("x" * 20)] * 3)
    assert caught.value.limit == 10
    assert (caught.value.tokens or 0) > 10


def test_a_truncate_hook_may_shorten_what_it_keeps() -> None:
    class Shorten(OpenAIChatFormatter):
        async def _truncate(self, msgs: list[Msg]) -> list[Msg]:
            return [Msg.user(m.text[: len(m.text) // 2]) for m in msgs]

    out = Shorten(token_counter=Chars(), max_tokens=120).format_sync([Msg.user("x" * 900)])
    assert 0 < len(str(out)) < 130


def test_a_count_hook_needs_no_counter() -> None:
    class Own(OpenAIChatFormatter):
        async def _count(self, wire: list[Any]) -> int | None:
            return len(wire)

    assert len(Own(max_tokens=3).format_sync([Msg.user(str(i)) for i in range(9)])) == 3


def test_a_count_hook_that_knows_nothing_cuts_nothing() -> None:
    class Own(OpenAIChatFormatter):
        async def _count(self, wire: list[Any]) -> int | None:
            return None

    assert len(Own(max_tokens=3).format_sync([Msg.user(str(i)) for i in range(9)])) == 9
