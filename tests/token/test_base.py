"""What a counter of one's own has to have."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dragoman import token
from dragoman.errors import ConfigError
from dragoman.token import TokenCounterBase


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
    assert set(token.__all__) <= set(dir(token))
    assert token.TokenCounterBase is TokenCounterBase
    with pytest.raises(AttributeError, match="NoSuchCounter"):
        _ = token.NoSuchCounter


def test_the_base_itself_counts_nothing() -> None:
    with pytest.raises(TypeError, match="abstract"):
        TokenCounterBase()  # type: ignore[abstract]
