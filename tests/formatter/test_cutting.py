"""Strategies behind a formatter: what is counted how often, what is awaited, what is named."""

from __future__ import annotations

import asyncio
import math
import pickle
from typing import Any

import pytest

import dragoman
from dragoman import (
    ChatRequest,
    ClearToolResults,
    ContextOverflow,
    KeepFirst,
    Msg,
    Summarize,
    Tool,
    fit_history_sync,
)
from dragoman.errors import ConfigError
from dragoman.formatter import AnthropicChatFormatter, OpenAIChatFormatter
from dragoman.message import TextBlock, ToolResultBlock, ToolUseBlock
from dragoman.tokens import CachedTokenCounter, CharTokenCounter, SumTokenCounter, TokenCounterBase
from tests.wires import ONE_OF_EACH_KIND

from .counting import Chars, Messages

MSGS = [Msg.user(str(i)) for i in range(9)]
TOOLS = [Tool("look", "looks around " * 20)]
LONG = "x" * 200


class Words(SumTokenCounter):
    """A word is a token, a tool as many as it has characters; notes which messages it counted."""

    def __init__(self) -> None:
        self.counted: list[Any] = []

    def count_message(self, message: dict[str, Any]) -> int:
        self.counted.append(message["content"])
        return len(str(message["content"]).split())

    def overhead(self, tools: list[dict[str, Any]] | None = None) -> int:
        return len(str(tools)) if tools else 0


def made(counter: Any = None, limit: int = 3, wire: str = "openai-chat", **options: Any) -> Any:
    return dragoman.Formatter(
        wire, token_counter=counter or Messages(), max_tokens=limit, policy="ignore", **options
    )


def rounds(size: int) -> list[Msg]:
    history = []
    for i in range(size):
        history += [
            Msg.user(f"round {i}"),
            Msg.assistant([ToolUseBlock(f"c{i}", "look", {})]),
            Msg("", [ToolResultBlock(f"c{i}", "look", LONG)], "tool"),
            Msg.assistant(f"seen {i}"),
        ]
    return [*history, Msg.user("And now?")]


def places(out: Any) -> list[tuple[str, str, str]]:
    return [(loss.code, loss.kind, loss.where) for loss in out.losses]


@pytest.mark.parametrize("wire", ONE_OF_EACH_KIND)
def test_cleared_results_keep_their_calls_on_every_wire(wire: str) -> None:
    msgs = rounds(3)
    whole = made(CharTokenCounter(), 10**6, wire).write(msgs)
    limit = CharTokenCounter().count_sync(whole.messages) - 250
    out = made(CharTokenCounter(), limit, wire, truncate=ClearToolResults(keep=1)).write(msgs)
    assert len(out.messages) == len(whole.messages)
    assert str(out.messages).count("[Old tool result cleared]") == 2
    cleared = [loss for loss in places(out) if loss[0].startswith("history")]
    assert cleared == [
        ("history.cleared", "dropped", f"$.messages[{i}].content[0].output") for i in (2, 6)
    ]
    assert not {loss.code for loss in out.losses} & {"result.orphan", "result.missing"}


@pytest.mark.demand("S77")
def test_a_summary_is_named_and_so_is_what_it_tells() -> None:
    out = made(limit=4, truncate=Summarize(lambda msgs: f"{len(msgs)} turns")).write(MSGS)
    assert [m["content"] for m in out.messages] == ["<summary>\n7 turns\n</summary>", "7", "8"]
    assert places(out)[0] == ("history.summary", "added", "$.messages[0]")
    assert out.losses[0].did == "said by the user"
    assert out.added == [out.losses[0]] or [x.code for x in out.added] == ["history.summary"]
    assert places(out)[1:] == [
        ("history.summarized", "degraded", f"$.messages[{i}]") for i in range(7)
    ]


def test_a_summary_may_be_awaited() -> None:
    asked: list[int] = []

    async def tell(msgs: list[Msg]) -> str:
        await asyncio.sleep(0)
        asked.append(len(msgs))
        return "told"

    formatter = made(limit=4, truncate=Summarize(tell))
    out = asyncio.run(formatter.format(MSGS))
    assert out[0]["content"] == "<summary>\ntold\n</summary>"
    with pytest.raises(ConfigError, match="awaits something") as caught:
        made(limit=4, truncate=Summarize(tell)).format_sync(MSGS)
    assert caught.value.code == "sync.suspended"
    assert formatter.format_sync(MSGS) == out, "nobody is asked for what is told already"
    assert asked == [7]


def test_what_a_call_raises_is_not_hidden() -> None:
    def tell(msgs: list[Msg]) -> str:
        raise TimeoutError("no model")

    with pytest.raises(TimeoutError, match="no model"):
        made(limit=4, truncate=Summarize(tell)).format_sync(MSGS)


@pytest.mark.parametrize("sync", [True, False])
def test_a_message_is_counted_once_if_the_counter_adds_up(sync: bool) -> None:
    counter, msgs = Words(), [Msg.user(f"{i} {'word ' * (i % 7)}") for i in range(200)]
    formatter = made(counter, 300)
    out = formatter.format_sync(msgs) if sync else asyncio.run(formatter.format(msgs))
    assert len(counter.counted) == 200
    assert len(set(counter.counted)) == 200
    whole = sum(len(m.text.split()) for m in msgs)
    kept = sum(len(m["content"].split()) for m in out)
    assert kept <= 300 < kept + len(msgs[-len(out) - 1].text.split()) < whole
    again = [*msgs, Msg.user("one"), Msg.user("two")]
    formatter.with_limit(310).format_sync(again)
    assert counter.counted[200:] == ["one", "two"], "an agent's next turn"


def test_an_honest_list_of_words_is_counted_the_same_in_one() -> None:
    """A counter that adds up and one that does not choose the same."""

    class InOne(TokenCounterBase):
        async def count(self, messages: Any, tools: Any = None, **kwargs: Any) -> int:
            return Words().count_sync(messages, tools)

    msgs = rounds(12)
    for limit in range(20, 60, 3):
        assert made(Words(), limit).format_sync(msgs) == made(InOne(), limit).format_sync(msgs)


def test_a_counter_whose_sum_was_overridden_is_asked_for_lists() -> None:
    class Twice(Words):
        def count_sync(self, messages: Any, tools: Any = None, **kwargs: Any) -> int:
            return 2 * super().count_sync(messages, tools)

    assert len(made(Words(), 4).format_sync(MSGS)) == 4
    assert len(made(Twice(), 4).format_sync(MSGS)) == 2


def test_a_counter_with_a_memory_of_its_own() -> None:
    words = Words()
    formatter = made(CachedTokenCounter(words), 4)
    assert len(formatter.format_sync(MSGS)) == 4
    assert len(words.counted) == 9
    copied = pickle.loads(pickle.dumps(dragoman.Formatter(
        "openai-chat", token_counter=CharTokenCounter(), max_tokens=9, truncate=KeepFirst(1)
    )))  # fmt: skip
    assert copied.truncate == KeepFirst(1)


def test_the_tools_of_a_request_count() -> None:
    req = ChatRequest(rounds(3), tools=TOOLS, system="Be.", model="m")
    bare = ChatRequest(rounds(3), system="Be.", model="m")
    counter = CharTokenCounter()
    whole = made(counter, 10**6).write(req).messages
    limit = counter.count_sync(whole)
    assert len(made(counter, limit).write(bare).messages) == len(whole)
    for out in (
        made(counter, limit).write(req).messages,
        asyncio.run(made(counter, limit).format(req)),
        made(counter, limit).format_request(req).body["messages"],
    ):
        assert len(out) < len(whole)
        schemas = made(counter, limit).format_tools(TOOLS)
        assert counter.count_sync(out, schemas) <= limit
    fitted = fit_history_sync(req, formatter=made(counter, limit))
    assert len(fitted.msgs) < len(req.messages)
    assert fit_history_sync(bare, formatter=made(counter, limit)).msgs is bare.messages
    with_tools = fit_history_sync(req.messages, formatter=made(counter, limit), tools=TOOLS)
    assert len(with_tools.msgs) < len(req.messages)


def test_the_tools_of_a_call_count_and_the_counter_is_told_of_none_if_there_are_none() -> None:
    seen: list[Any] = []

    class Told(TokenCounterBase):
        async def count(self, messages: Any, *args: Any, **kwargs: Any) -> int:
            seen.append((args, kwargs))
            return len(messages) + 4 * len(args)

    written, schemas, _ = asyncio.run(made(Told(), 6).call(MSGS, TOOLS))
    assert len(written) == 2
    assert schemas
    assert all(args == (schemas,) for args, _ in seen)
    seen.clear()
    assert len(asyncio.run(made(Told(), 6).call(MSGS))[0]) == 6
    assert seen[0] == ((), {})


def test_a_request_is_cut_by_every_strategy() -> None:
    req = ChatRequest(rounds(3), system="Be.", model="m")
    counter = CharTokenCounter()
    whole = made(counter, 10**6).format_request(req).body["messages"]
    limit = counter.count_sync(whole) - 100
    out = made(counter, limit, truncate=ClearToolResults(keep=0)).format_request(req)
    assert len(out.body["messages"]) == len(whole)
    assert [(x.code, x.where) for x in out.losses] == [
        ("history.cleared", "$.messages[2].content[0].output")
    ]
    assert len(req.messages) == 13
    out = made(counter, 400, truncate=Summarize(lambda msgs: "told")).format_request(req)
    assert [m["content"] for m in out.body["messages"]][:2] == [
        "Be.", "<summary>\ntold\n</summary>",
    ]  # fmt: skip


def test_a_request_that_was_read_stays_valid_when_it_is_cut() -> None:
    wire = dragoman.wire("anthropic")
    body: dict[str, Any] = {"model": "claude-opus-5-5", "max_tokens": 9, "messages": []}
    for i in range(4):
        body["messages"] += [
            {"role": "user", "content": f"look {i}"},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": f"toolu_{i}", "name": "look", "input": {}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": f"toolu_{i}", "content": LONG}]},
            {"role": "assistant", "content": "Seen."},
        ]  # fmt: skip
    body["messages"].append({"role": "user", "content": "So?"})
    req = wire.read_request(body)
    whole = made(CharTokenCounter(), 10**6, "anthropic").format_sync(req)
    limit = CharTokenCounter().count_sync(whole) - 100
    formatter = made(CharTokenCounter(), limit, "anthropic", truncate=ClearToolResults(keep=1))
    out = formatter.format_request(req)
    said = out.body["messages"]
    assert said[:2] == body["messages"][:2]
    assert said[3:] == body["messages"][3:]
    [cleared] = said[2]["content"]
    assert cleared["tool_use_id"] == "toolu_0"
    assert "cleared" in str(cleared["content"])


def test_media_that_went_are_not_fetched_again() -> None:
    fetched: list[Any] = []

    def fetch(source: Any, path: str) -> Any:
        fetched.append(source)

    image = {"type": "image", "source": {"type": "url", "url": "/nowhere/a.png"}}
    msgs = [Msg.user([TextBlock(str(i)), image]) for i in range(6)]
    made(limit=2, fetch=fetch, wire="anthropic").write(msgs)
    assert len(fetched) <= 6


def test_a_strategy_that_leaves_nothing_is_refused() -> None:
    class Nothing:
        def candidates(self, msgs: list[Msg], limit: int) -> Any:
            yield msgs
            return []

    with pytest.raises(ContextOverflow):
        made(truncate=Nothing()).format_sync(MSGS)
    assert made(truncate=Nothing()).format_sync([]) == []


def test_the_named_formatters_take_strategies_too() -> None:
    formatter = AnthropicChatFormatter(
        token_counter=Chars(), max_tokens=160, truncate=KeepFirst(1), policy="ignore"
    )
    said = formatter.format_sync([Msg.user("the task"), *MSGS])
    assert "the task" in str(said[0])
    assert "'8'" in str(said[-1])


def test_a_hook_that_counts_is_asked_whatever_the_counter_is() -> None:
    class Own(OpenAIChatFormatter):
        async def _count(self, wire: list[Any]) -> int | None:
            return len(wire) if wire else None

    formatter = Own(token_counter=CharTokenCounter(), max_tokens=4, policy="ignore")
    assert len(formatter.format_sync(MSGS)) == 4


def test_another_counter_is_another_count() -> None:
    formatter = made(Words(), 3)
    assert len(formatter.format_sync(MSGS)) == 3
    formatter.token_counter = CharTokenCounter()
    with pytest.raises(ContextOverflow):
        formatter.format_sync(MSGS)


@pytest.mark.parametrize("figure", ["3", [3], {}])
def test_a_figure_that_is_no_number(figure: Any) -> None:
    class Odd(TokenCounterBase):
        async def count(self, messages: Any, tools: Any = None, **kwargs: Any) -> Any:
            return figure

    with pytest.raises(ConfigError, match="must give a number"):
        made(Odd()).format_sync(MSGS)

    class Hooked(OpenAIChatFormatter):
        async def _truncate(self, msgs: list[Msg]) -> list[Msg]:
            return msgs[1:]

    with pytest.raises(ConfigError, match="must give a number"):
        Hooked(token_counter=Odd(), max_tokens=3).format_sync(MSGS)


@pytest.mark.parametrize("figure", [math.nan, math.inf, -math.inf, 10**400, True, 0.5])
def test_figures_that_cannot_be(figure: Any) -> None:
    class Odd(TokenCounterBase):
        async def count(self, messages: Any, tools: Any = None, **kwargs: Any) -> Any:
            return figure

    for truncate in (None, ClearToolResults(), Summarize(lambda _: "told")):
        formatter = made(Odd(), 3, truncate=truncate)
        if figure <= 3:
            assert len(formatter.format_sync(MSGS)) == len(MSGS)
            assert fit_history_sync(MSGS, formatter=formatter).receipt.dropped == ()
        else:
            with pytest.raises(ContextOverflow):
                formatter.format_sync(MSGS)


def test_a_hook_that_gives_no_figure_cuts_nothing() -> None:
    class Own(OpenAIChatFormatter):
        async def _truncate(self, msgs: list[Msg]) -> list[Msg]:
            return msgs[1:]

        async def _count(self, wire: list[Any]) -> int | None:
            return await super()._count(wire) if self.token_counter else None

    assert len(Own(max_tokens=3).format_sync(MSGS)) == 9
    assert len(Own(token_counter=Messages(), max_tokens=3).format_sync(MSGS)) == 3


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_counter_of_whole_lists_counts_each_message_few_times(share: float) -> None:
    """At 1,600 messages of unequal length, at most 13 times the messages of the history."""
    msgs = [Msg.system("You are Friday.")]
    msgs += [
        (Msg.user, Msg.assistant)[i % 2](f"Message {i}: {'past the salt wells ' * (i * 7 % 13)}")
        for i in range(1599)
    ]
    counter = Chars()
    assert not counter.decomposes
    entries = dragoman.Formatter("openai-chat").format_sync(msgs)
    limit = int(counter.count_sync(entries) * share)
    counter.seen.clear()
    kept = made(counter, limit).format_sync(msgs)
    assert 0 < len(kept) < 1600
    assert sum(len(str(one)) for one in kept) <= limit
    assert 1 <= sum(map(len, counter.seen)) / 1600 <= 13
