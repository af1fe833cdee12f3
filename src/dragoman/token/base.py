"""What a token counter is: formatted messages in, one number out.

A counter sees only the messages as they go to the provider, so it works behind any formatter.
It must not know Msg, wires or vendors.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from ..errors import ConfigError

__all__ = ["TokenCounterBase"]


class TokenCounterBase(ABC):
    """Base of all counters; `count` is enough, `count_sync` serves `format_sync`.

    >>> class Words(TokenCounterBase):
    ...     async def count(self, messages, tools=None, **kwargs):
    ...         return sum(len(str(message["content"]).split()) for message in messages)
    """

    @abstractmethod
    async def count(
        self,
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]] | None = None,
        **kwargs: Any,
    ) -> int:
        """The tokens of formatted messages, and of tool schemas where given; changes neither."""

    def count_sync(
        self,
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]] | None = None,
        **kwargs: Any,
    ) -> int:
        """The same figure without an event loop. Raises ConfigError where a counter has none."""
        raise ConfigError(
            f"{type(self).__name__} counts only asynchronously",
            hint="use the async entry point, or give the counter a count_sync method",
            code="token.no_sync",
        )
