"""What a counter of one's own has to have."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dragoman import tokens
from dragoman.errors import ConfigError
from dragoman.tokens import SumTokenCounter, TokenCounterBase
from dragoman.tokens.base import counts_sync, decomposes


class Words(TokenCounterBase):
    async def count(
        self,
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]] | None = None,
        **kwargs: Any,
    ) -> int:
        return sum(len(message["content"].split()) for message in messages)


def test_a_counter_of_ones_own_needs_count_alone() -> None:
    assert asyncio.run(Words().count([{"role": "user", "content": "one two"}])) == 2


def test_without_a_sync_twin_the_error_says_what_to_do() -> None:
    with pytest.raises(ConfigError, match=r"Words counts only asynchronously.*count_sync"):
        Words().count_sync([])


def test_the_package_lists_its_names() -> None:
    assert set(tokens.__all__) <= set(dir(tokens))
    assert tokens.TokenCounterBase is TokenCounterBase
    with pytest.raises(AttributeError, match="NoSuchCounter"):
        _ = tokens.NoSuchCounter


def test_the_base_itself_counts_nothing() -> None:
    with pytest.raises(TypeError, match="abstract"):
        TokenCounterBase()  # type: ignore[abstract]


class Letters(SumTokenCounter):
    def count_message(self, message: dict[str, Any]) -> int:
        return len(message["content"])


def test_a_sum_needs_one_method() -> None:
    counter = Letters()
    said = [{"role": "user", "content": "one"}, {"role": "user", "content": "four"}]
    assert counter.count_sync(said) == asyncio.run(counter.count(said, [], model="any")) == 7
    assert counter.overhead() == 0
    assert decomposes(counter)


def test_overhead_counts_and_never_makes_a_figure_negative() -> None:
    class Framed(Letters):
        def overhead(self, tools: list[dict[str, Any]] | None = None) -> int:
            return 10 * len(tools or ()) - 5

    assert Framed().count_sync([]) == 0
    assert Framed().count_sync([{"content": "sixsix"}]) == 1
    assert Framed().count_sync([], [{}, {}]) == 15


def test_a_counter_says_what_it_can() -> None:
    class Claims(Words):
        decomposes = True  # and has no count_message

    assert not decomposes(Words())
    assert not decomposes(Claims())
    assert counts_sync(Letters())
    assert not counts_sync(Words())
    assert not counts_sync(object())
