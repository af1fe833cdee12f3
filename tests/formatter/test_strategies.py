"""Strategies and counters that are none, or break their word: named, never a crash."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from fractions import Fraction
from typing import Any

import pytest

import dragoman
from dragoman import (
    ClearToolResults,
    DropOldest,
    KeepFirst,
    Msg,
    Summarize,
    fit_history_sync,
)
from dragoman.errors import ConfigError, ContextOverflow
from dragoman.formatter import OpenAIChatFormatter
from dragoman.tokens import CharTokenCounter, SumTokenCounter, TokenCounterBase

from .counting import Messages

MSGS = [Msg.system("Be."), *(Msg.user(str(i)) for i in range(9))]


def made(truncate: Any = None, counter: Any = None) -> Any:
    return dragoman.Formatter(
        "openai-chat", token_counter=counter or Messages(), max_tokens=4, truncate=truncate,
        policy="ignore",
    )  # fmt: skip


def short(_: list[Msg]) -> str:
    return "short"


class Own:
    """A strategy that does what a test says."""

    def __init__(self, plan: Callable[[list[Msg], int], Any]) -> None:
        self.plan = plan

    def candidates(self, msgs: list[Msg], limit: int) -> Any:
        return self.plan(msgs, limit)


@pytest.mark.parametrize("wrong", [DropOldest, "oldest", 3, 0, "", len, Summarize])
def test_what_is_no_strategy(wrong: Any) -> None:
    with pytest.raises(ConfigError, match="truncate must be a strategy"):
        made(wrong)
    with pytest.raises(ConfigError, match="then must be a strategy"):
        ClearToolResults(then=wrong)
    with pytest.raises(ConfigError, match="then must be a strategy"):
        Summarize(short, then=wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: DropOldest(pin=3),  # type: ignore[arg-type]
        lambda: DropOldest(pin=None),  # type: ignore[arg-type]
        lambda: KeepFirst(1, pin=iter("ab")),  # type: ignore[arg-type]
        lambda: DropOldest(priority=3),  # type: ignore[arg-type]
        lambda: ClearToolResults(exclude=3),  # type: ignore[arg-type]
        lambda: ClearToolResults(exclude=[[]]),  # type: ignore[list-item]
        lambda: Summarize(short, share="half"),  # type: ignore[arg-type]
        lambda: Summarize(short, words=3),  # type: ignore[arg-type]
        lambda: Summarize(short, name=3),  # type: ignore[arg-type]
        lambda: Summarize(short, memory=[]),  # type: ignore[arg-type]
    ],
)
def test_an_option_of_another_kind(wrong: Callable[[], Any]) -> None:
    with pytest.raises(ConfigError):
        wrong()


@pytest.mark.parametrize("given", [None, "high", [1]])
def test_a_priority_that_ranks_nothing(given: Any) -> None:
    with pytest.raises(ConfigError, match="priority must be a function that gives each message"):
        made(DropOldest(priority=lambda _: given)).format_sync(MSGS)


def yields(given: Any) -> Callable[[list[Msg], int], Iterator[Any]]:
    def plan(msgs: list[Msg], limit: int) -> Iterator[Any]:
        yield given

    return plan


@pytest.mark.parametrize(
    "plan",
    [lambda msgs, _: msgs[-2:], lambda *_: None, yields(None), yields(3), yields(MSGS[-2:])],
    ids=["a list", "nothing", "yields None", "yields a number", "returns None"],
)
def test_a_strategy_that_gives_no_messages(plan: Any) -> None:
    formatter = made(Own(plan))
    for work in (formatter.format_sync, formatter.session().write):
        with pytest.raises(ConfigError, match="Own is no strategy: candidates must") as caught:
            work(MSGS)
        assert caught.value.code == "truncate.strategy"
    with pytest.raises(ConfigError, match="Own is no strategy"):
        fit_history_sync(MSGS, formatter=formatter)


def test_what_a_strategy_chose_uncounted_is_counted() -> None:
    def chosen(count: int) -> Any:
        def plan(msgs: list[Msg], limit: int) -> Generator[Any, Any, Any]:
            yield msgs
            return tuple(msgs[-count:])

        return made(Own(plan))

    assert len(chosen(4).format_sync(MSGS)) == 4
    assert fit_history_sync(MSGS, formatter=chosen(3)).receipt.tokens_after == 3
    for work in (chosen(5).format_sync, chosen(5).session().write):
        with pytest.raises(ContextOverflow) as caught:
            work(MSGS)
        assert (caught.value.tokens, caught.value.limit, caught.value.kept) == (5, 4, 5)


@pytest.mark.parametrize("figure", [None, "3", [3], float("nan"), float("inf"), 10**400])
def test_parts_of_a_sum_that_cannot_be_added(figure: Any) -> None:
    class Parts(SumTokenCounter):
        def count_message(self, message: Any) -> Any:
            return figure

    class Aside(SumTokenCounter):
        def count_message(self, message: Any) -> int:
            return 1

        def overhead(self, tools: Any = None) -> Any:
            return figure

    for counter in (Parts(), Aside()):
        formatter = made(counter=counter)
        for work in (formatter.format_sync, formatter.session().write):
            with pytest.raises(ConfigError, match="a token counter") as caught:
                work(MSGS)
            assert caught.value.code == "token.figure"


def test_a_number_of_another_kind_is_one() -> None:
    class Parts(SumTokenCounter):
        def count_message(self, message: Any) -> Any:
            return Fraction(1)

    class Lists(TokenCounterBase):
        async def count(self, messages: Any, tools: Any = None, **kwargs: Any) -> Any:
            return Fraction(len(messages))

    for counter in (Parts(), Lists()):
        assert len(made(counter=counter).format_sync(MSGS)) == 4
        receipt = fit_history_sync(MSGS, formatter=made(counter=counter)).receipt
        assert (receipt.tokens_before, receipt.tokens_after) == (10, 4)
        assert type(receipt.tokens_after) is int


def test_the_class_of_a_counter_is_no_counter() -> None:
    with pytest.raises(ConfigError, match="the class CharTokenCounter is no token counter yet"):
        OpenAIChatFormatter(token_counter=CharTokenCounter, max_tokens=3)


def test_it_is_fitted_for_a_formatter() -> None:
    with pytest.raises(ConfigError, match="fit_history cuts for a formatter, not for str"):
        fit_history_sync(MSGS, formatter="openai-chat")  # type: ignore[arg-type]
