"""The bases of all token counters, and the tests of what a counter can do.

A counter takes formatted messages and returns one number. It sees only the messages as they go to
the provider, so it works with any formatter. It must not know Msg, wires or vendors.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Real
from typing import Any, TypeAlias

from ..errors import ConfigError
from ..text.json_text import JsonObject

Messages: TypeAlias = list[JsonObject]  # as they go to the provider
Tools: TypeAlias = list[JsonObject] | None


class TokenCounterBase(ABC):
    """Base of all counters; `count` is enough, `count_sync` serves `format_sync`.

    >>> class Words(TokenCounterBase):
    ...     async def count(self, messages, tools=None, **kwargs):
    ...         return sum(len(str(message["content"]).split()) for message in messages)
    """

    decomposes: bool = False
    """Whether the count of a list is the sum of its messages' counts and one overhead."""

    is_estimate: bool = False
    """Whether texts are counted by their shape, not by a tokenizer of the model's family."""

    @abstractmethod
    async def count(self, messages: Messages, tools: Tools = None, **kwargs: Any) -> int:
        """Count the tokens of formatted messages and tool schemas.

        Args:
            messages: The messages as they go to the provider; they are not changed.
            tools: The tool schemas as they go to the provider; None counts no tools.
            **kwargs: Options of the counter's own.

        Returns:
            The number of tokens.
        """

    def count_sync(self, messages: Messages, tools: Tools = None, **kwargs: Any) -> int:
        """Count as `count` does, without an event loop.

        Args:
            messages: The messages as they go to the provider.
            tools: The tool schemas as they go to the provider; None counts no tools.
            **kwargs: Options of the counter's own.

        Returns:
            The number of tokens.

        Raises:
            ConfigError: The counter has no such method of its own.
        """
        text = f"{type(self).__name__} counts only asynchronously"
        hint = "use the async entry point, or give the counter a count_sync method"
        raise ConfigError(text, hint=hint, code="token.no_sync")


class SumTokenCounter(TokenCounterBase):
    """A counter whose count is a sum, so that no message has to be counted twice.

    The law: `count(messages, tools)` is the sum of `count_message(message)` over the messages plus
    `overhead(tools)`, and never below zero. `CachedTokenCounter` relies on it.

    >>> class Words(SumTokenCounter):
    ...     def count_message(self, message):
    ...         return len(str(message["content"]).split())
    >>> Words().count_sync([{"role": "user", "content": "one two"}])
    2
    """

    decomposes = True

    @abstractmethod
    def count_message(self, message: JsonObject) -> int:
        """Count the tokens of one message, independently of the messages around it.

        Args:
            message: The message as it goes to the provider; it is not changed.

        Returns:
            The number of tokens.
        """

    def overhead(self, tools: Tools = None) -> int:
        """Count the tokens of the list itself and of the tool schemas.

        Args:
            tools: The tool schemas as they go to the provider; None counts no tools.

        Returns:
            The number of tokens; it may be negative.
        """
        return 0

    async def count(self, messages: Messages, tools: Tools = None, **kwargs: Any) -> int:
        """Count as `count_sync` does; nothing is awaited.

        Args:
            messages: The messages as they go to the provider.
            tools: The tool schemas as they go to the provider; None counts no tools.
            **kwargs: Other keywords have no effect.

        Returns:
            The number of tokens.
        """
        return self.count_sync(messages, tools, **kwargs)

    def count_sync(self, messages: Messages, tools: Tools = None, **kwargs: Any) -> int:
        """Add the tokens of the messages and the overhead.

        Args:
            messages: The messages as they go to the provider.
            tools: The tool schemas as they go to the provider; None counts no tools.
            **kwargs: Other keywords have no effect.

        Returns:
            The number of tokens, 0 at least.
        """
        return max(0, self.overhead(tools) + sum(map(self.count_message, messages)))


def counts_sync(counter: object) -> bool:
    """Whether `counter.count_sync` works: the counter declares it, or has a method of its own."""
    value = getattr(counter, "counts_sync", None)
    if isinstance(value, bool):
        return value
    method = getattr(type(counter), "count_sync", None)
    return method is not None and method is not TokenCounterBase.count_sync


def decomposes(counter: object) -> bool:
    """Whether the counter declares that its count is a sum, and has a method for the parts.

    A subclass that counts lists its own way, and messages as its base does, is no sum any more.
    """
    if getattr(counter, "decomposes", False) is not True or not hasattr(counter, "count_message"):
        return False
    names = ("count_message", "count", "count_sync")
    message, *lists = (_depth(type(counter), name) for name in names)
    return all(depth >= message for depth in lists)


def check_figure(tokens: object) -> Any:
    """The figure of a counter. Raises ConfigError if it is no number."""
    if isinstance(tokens, Real):
        return tokens
    text = f"a token counter must give a number, not {type(tokens).__name__}"
    hint = "return the count from count, count_message and overhead"
    raise ConfigError(text, hint=hint, code="token.figure")


def _depth(cls: type, name: str) -> int:
    """How far up among a class and its bases a method is defined."""
    mro = cls.__mro__
    return next((n for n, base in enumerate(mro) if name in base.__dict__), len(mro))
